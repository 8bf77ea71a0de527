"""Where things lie in an index folder, and which generation is current.

```
ROOT/LOCK            held by the one writer
ROOT/CURRENT         which generation serves readers; replaced atomically
ROOT/gen-000007/text the engine's files
ROOT/gen-000007/manifest  a disposable copy of the manifest (see `manifest`)
ROOT/gen-000007/SUSPECT   a reader met damage: the next writer looks at every byte
```

A rebuild makes the next generation beside the current one and then replaces
CURRENT. A generation that CURRENT does not name is a leftover of a crash, or one
whose readers have it open; the writer removes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from leafmark.errors import DamagedError, NotFoundError, StorageError, UsageError, reason_of
from leafmark.index.engine import REBUILD, translate
from leafmark.index.schema import FORMAT

__all__ = [
    "ENGINE_DRAFTS",
    "Current",
    "Layout",
    "is_index_folder",
    "remove_drafts",
    "replace_index_file",
    "sync_folder",
    "when_free",
]

_GENERATION = re.compile(r"gen-(\d{6,})")
_OF_VECTORS = {"MODEL", "documents"}
_MAX_CURRENT_BYTES = 1_000_000


def is_index_folder(names: Iterable[str]) -> bool:
    """Say by what lies in a folder whether it is an index, or one that is being made.

    Or the vectors of one: see `vectors`.

    >>> is_index_folder(["CURRENT", "LOCK", "gen-000001"]), is_index_folder(["CURRENT", "LOCK"])
    (True, False)
    """
    found = {*names}
    if "LOCK" not in found:
        return False
    return found >= _OF_VECTORS or any(map(_GENERATION.fullmatch, found))


class Current(NamedTuple):
    """What CURRENT says. `languages` maps each tree to its stemmer; `uuid` is the generation's."""

    generation: int
    uuid: str
    fingerprint: str
    languages: Mapping[str, str | None]
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths in the index folder `root`."""

    root: Path

    @property
    def lock(self) -> Path:
        return self.root / "LOCK"

    @property
    def current(self) -> Path:
        return self.root / "CURRENT"

    def generation(self, number: int) -> Path:
        return self.root / f"gen-{number:06d}"

    def text(self, number: int) -> Path:
        return self.generation(number) / "text"

    def manifest(self, number: int) -> Path:
        return self.generation(number) / "manifest"

    def suspect(self, number: int) -> Path:
        return self.generation(number) / "SUSPECT"

    def generations(self) -> list[int]:
        """The numbers of the generations on disk, ascending."""
        try:
            names = os.listdir(self.root)
        except FileNotFoundError:
            return []
        return sorted(int(found[1]) for name in names if (found := _GENERATION.fullmatch(name)))

    def read_current(self) -> Current | None:
        """Return what CURRENT says, None without one.

        Raises:
            UsageError: a newer leafmark wrote the index.
            NotFoundError: an older one did, in a format that is not read any more.
            DamagedError: CURRENT is not what was written.
            StorageError: it cannot be read.
        """
        try:
            with open(self.current, "rb") as file:
                data = file.read(_MAX_CURRENT_BYTES)
        except FileNotFoundError:
            return None
        except OSError as err:
            raise translate(err, "read the index", self.current) from err
        return _parse_current(data, self.current)

    def write_current(self, current: Current) -> None:
        """Make `current` what readers see from now on.

        Raises:
            StorageError: it cannot be written; the old one stands.
        """
        body = json.dumps(current._asdict(), sort_keys=True).encode()
        replace_index_file(self.current, [body, b"\n%08x\n" % zlib.crc32(body)])
        sync_folder(self.root)

    def collect(self, keep: int | None) -> None:
        """Remove all generations but `keep`, as far as the system lets go of them.

        And what of files was being written when a process ended.
        """
        import shutil  # late: only a writer tidies up

        kept = () if keep is None else (self.generation(keep),)
        for folder in (self.root, *kept):
            remove_drafts(folder)
        for number in self.generations():
            if number != keep:
                shutil.rmtree(self.generation(number), ignore_errors=True)


def _parse_current(data: bytes, path: Path) -> Current:
    damaged = DamagedError(
        "the index is damaged: its CURRENT file is not what was written",
        location=str(path),
        hint=REBUILD,
    )
    body, _, rest = data.partition(b"\n")
    try:
        record: dict[str, Any] = json.loads(body)
        number = record["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged from None
    if isinstance(number, int) and number > FORMAT:
        raise UsageError(
            f"the index has format {number}, written by a newer leafmark (this one knows {FORMAT})",
            location=str(path),
            hint="upgrade leafmark, or give this one an index of its own with `index.dir`",
        )
    if isinstance(number, int) and number < FORMAT:
        raise NotFoundError(
            f"the index has format {number}, of an older leafmark (this one reads {FORMAT})",
            location=str(path),
            hint="run `leafmark index` to make it again",
        )
    if rest != b"%08x\n" % zlib.crc32(body):
        raise damaged
    try:
        return Current(**record)
    except TypeError:
        raise damaged from None


def replace_index_file(path: Path, parts: Iterable[bytes], *, what: str = "the index") -> None:
    """Write all `parts` to `path` so that a crash leaves the old file or the new one.

    Raises:
        StorageError: it cannot be written; the old file stands. `what` it is part of is told.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(draft, path)
    except OSError as err:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise translate(err, f"write {what}", path) from err


ENGINE_DRAFTS = ".tmp*"
"""Names of what the engine writes before it replaces its lists of files."""


def remove_drafts(folder: Path, names: str = "*.tmp") -> None:
    """Remove what `replace_index_file` left in a folder when its process was killed."""
    for draft in folder.glob(names):
        with contextlib.suppress(OSError):
            draft.unlink()


_WINDOWS = os.name == "nt"

_ATTEMPTS = 20
_POLL_S = 0.05


def _put_in_place(draft: Path, path: Path) -> None:
    when_free(lambda: os.replace(draft, path), lambda err: isinstance(err, PermissionError))


def when_free(replace: Callable[[], object], is_held: Callable[[Exception], bool]) -> None:
    """Replace a file; on Windows none can be while somebody reads it, which takes a moment.

    `is_held` says of an error whether it may be that.
    """
    for _ in range(_ATTEMPTS if _WINDOWS else 0):
        try:
            replace()
            return
        except (OSError, ValueError) as err:
            if not is_held(err):
                raise
            time.sleep(_POLL_S)
    replace()


def sync_folder(path: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can.

    Raises:
        StorageError: the system reports that it could not.
    """
    if os.name == "nt":
        return
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as err:
        raise StorageError(f"cannot write the index: {reason_of(err)}", location=str(path)) from err
