"""The boundary to the engine: translates Tantivy's exceptions into our own errors.

Tantivy reports most failures as `ValueError` with the text of the Rust error, and bugs or
damaged data as a panic, which arrives as a `BaseException`. Only the text identifies the failure.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from leafmark.errors import (
    MAKE_ROOM,
    DamagedError,
    LeafmarkError,
    LockedError,
    Remedy,
    StorageError,
    remedy_of,
)
from leafmark.patterns import lazy_pattern

_OS_ERROR = lazy_pattern(r"(?:os error|Os \{ code:) (\d+)")
_NO_ROOM = f"{MAKE_ROOM}; what was indexed before is intact"
NO_RIGHT = "make the folder writable, or move the index with `index.dir` or `LEAFMARK_HOME`"
REBUILD = Remedy("rebuild", "rebuild the index")
INDEX_AGAIN = Remedy("index", "bring the index up to date")
_NO_THREAD = "Failed to spawn"
"""The beginning of the engine's message for a missing thread, at times without an error number."""


class engine_guard:
    """Translate engine and system errors into ours; `action` completes "cannot …".

    `on_damage` is called before a `DamagedError` is raised. This is a class because a query
    enters several, and a generator takes three times as long.

    Raises:
        StorageError: the system refused to read or write.
        DamagedError: the files are damaged, or the engine failed to read them.
        LockedError: another program holds the engine's own lock.
    """

    __slots__ = ("_action", "_on_damage", "_where")

    def __init__(self, action: str, where: Path, on_damage: Callable[[], None] | None = None):
        self._action = action
        self._where = where
        self._on_damage = on_damage

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, _kind: type[BaseException] | None, err: BaseException | None, _trace: object
    ) -> None:
        if err is None:
            return
        error = self._translated(err)
        if isinstance(error, DamagedError) and self._on_damage is not None:
            self._on_damage()
        if error is not err:
            raise error from (err if isinstance(err, Exception) else None)

    def _translated(self, err: BaseException) -> BaseException:
        """Return our error for one of the engine or the system, and any other error unchanged."""
        known = isinstance(err, OSError | ValueError) or is_panic(err)
        if not known or isinstance(err, LeafmarkError):
            return err
        return translate(err, self._action, self._where)


def is_panic(err: BaseException) -> bool:
    """Whether the engine panicked. The exception's class cannot be imported."""
    return type(err).__name__ == "PanicException"


def is_held_open(err: BaseException) -> bool:
    """Whether a commit failed only because another program has the list of files open (Windows).

    Nothing is lost then, and the commit can be repeated. If a file of documents could not be
    written, the engine has dropped the documents, but its message is a different one.
    """
    text = str(err)
    match = _OS_ERROR.search(text) if text.startswith("An IO error occurred") else None
    return match is not None and _errno(int(match[1])) == errno.EACCES


def translate(err: BaseException, action: str, where: Path) -> LeafmarkError:
    """Return our error for an error of the engine or the system."""
    text = str(err).strip()
    number = err.errno if isinstance(err, OSError) else None
    match = _OS_ERROR.search(text)
    if number is None and match:
        number = _errno(int(match[1]))
    if _NO_THREAD in text:
        remedy = remedy_of(errno.EAGAIN)
        return StorageError(f"cannot {action}: no more threads", location=str(where), hint=remedy)
    folder = _folder_within(where) if isinstance(err, ValueError) else None
    if folder is not None:
        text, number = f"a folder stands in the place of the file {folder}", None
    if number is not None:
        reason = os.strerror(number).lower()
        return StorageError(f"cannot {action}: {reason}", location=str(where), hint=_hint(number))
    if "writer was killed" in text:  # by a failed write in a thread, whose error is lost
        return StorageError(f"cannot {action}: a write failed", location=str(where), hint=_NO_ROOM)
    if "LockBusy" in text or "Lockfile" in text:
        return LockedError(
            f"cannot {action}: another program holds the engine's lock", location=str(where)
        )
    return DamagedError(
        f"cannot {action}: the index is damaged ({_first_line(text)})",
        location=str(where),
        hint=REBUILD,
    )


WINDOWS = os.name == "nt"

_WINDOWS_CODES = {
    2: errno.ENOENT,
    3: errno.ENOENT,
    5: errno.EACCES,
    8: errno.ENOMEM,
    19: errno.EROFS,
    32: errno.EACCES,  # another program has it open
    33: errno.EACCES,
    39: errno.ENOSPC,
    112: errno.ENOSPC,
    206: errno.ENAMETOOLONG,
}


def _errno(code: int) -> int:
    """Return the `errno` of a system error from the system's own code, which the engine reports."""
    return _WINDOWS_CODES.get(code, errno.EIO) if WINDOWS else code


def _folder_within(where: Path) -> str | None:
    """Return the name of a folder among the engine's files, where none belongs, if there is one."""
    try:
        with os.scandir(where) as entries:
            return next((entry.name for entry in entries if entry.is_dir()), None)
    except OSError:
        return None


def _hint(number: int) -> str | None:
    if number == errno.EISDIR:
        return "remove the folder: a file of the index belongs there"
    if number in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return _NO_ROOM
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return NO_RIGHT
    return remedy_of(number)


def _first_line(text: str) -> str:
    line = text.splitlines()[0] if text else "no details"
    return line if len(line) <= 120 else line[:119] + "…"
