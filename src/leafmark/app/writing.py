"""Replace a file so that a crash at any instant leaves the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from leafmark.errors import StorageError, reason_of

_NEW_FILE = 0o664
"""Permissions of a new file before the process's mask: never writable for every user.

With the mask 0 of some containers, `init` would otherwise write a file that leafmark refuses.
"""


def replace_file(path: Path, data: bytes, *, what: str, mode: int | None = None) -> None:
    """Write `data` to `path`, and create missing folders.

    An existing file keeps its permissions; a new one gets `mode`, or the default of the process.
    `what` names the file in the error.

    Raises:
        StorageError: it cannot be written, or is a device, a pipe or a folder; an old file stays.
    """
    with replacing(path, what=what, mode=mode) as write:
        write(data)


@contextlib.contextmanager
def replacing(
    path: Path, *, what: str, mode: int | None = None
) -> Iterator[Callable[[bytes], object]]:
    """Return a function that writes the next piece; the file is replaced at the end of the block.

    An OSError in the block counts as an error of writing. Otherwise as `replace_file`.
    """
    check_regular(path, what=what)
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        known = path.stat().st_mode & 0o7777 if path.exists() else mode
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, known or _NEW_FILE)
        with open(handle, "wb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        if known is not None:
            os.chmod(draft, known)
        os.replace(draft, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.chmod(stat.S_IRUSR | stat.S_IWUSR)  # Windows removes no file that is read-only
            draft.unlink()
        if not isinstance(error, OSError):
            raise
        raise StorageError(
            f"{what} cannot be written: {reason_of(error)}", location=str(path)
        ) from error


def check_regular(path: Path, *, what: str) -> None:
    """Refuse an existing device or pipe: reading it may never end, and replacing destroys it.

    Raises:
        StorageError: `path` is a device, a pipe, a socket or a folder.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # opening it will raise the reason
    if not stat.S_ISREG(mode):
        raise StorageError(
            f"{what} is not a regular file",
            location=str(path),
            hint="name a file; pipes, devices and folders are not replaced",
        )
