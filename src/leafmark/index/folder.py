"""Where things lie in the folders of an index, and which generation is current.

```
INDEX/index-KEY/      ROOT, one index; KEY stands for what of an installation decides it
INDEX/rev-KEY/        the index of one revision, and its sources; it goes after a week without use
INDEX/vectors/        shared by all, since nothing in it can be wrong for one: see `vectors`
ROOT/LOCK             held by the one writer; its time is that of the last use, give or take a day
ROOT/LOCK.next        held by the writer that waits
ROOT/CURRENT          which generation serves readers; replaced atomically
ROOT/BUILDING         which generation a run has begun, in the form of CURRENT
ROOT/MISSING          of which trees documents are kept though their files are gone
ROOT/gen-000007/text  the engine's files
ROOT/gen-000007/manifest  a disposable copy of the manifest (see `manifest`)
ROOT/gen-000007/SUSPECT   a reader met damage: the next writer looks at every byte
ROOT/gen-000007/VERIFIED  its time is when every byte was looked at last
```

A rebuild makes the next generation beside the current one and then replaces CURRENT. A generation
that CURRENT does not name is a leftover of a crash, or one whose readers have it open; the writer
removes it.

In one place two versions of leafmark would make the index anew in turns. So each leaves the
others' alone, reads one only until its own is there, and removes those that nobody has used for a
week.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leafmark.errors import (
    DamagedError,
    LeafmarkError,
    NotFoundError,
    StorageError,
    UsageError,
    reason_of,
)
from leafmark.index.engine import INDEX_AGAIN, REBUILD, translate
from leafmark.index.lock import hold_lock, turn_path
from leafmark.index.schema import FORMAT
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import late_pattern


class IndexOptions(NamedTuple):
    """What decides what an index holds. A change of fingerprint or language needs a rebuild.

    `fingerprint` stands for all settings that change chunks or terms. `languages`
    maps each tree to its stemmer, one of `LANGUAGES` or None.
    """

    fingerprint: str
    languages: Mapping[str, str | None] = MappingProxyType({})


_GENERATION = late_pattern(r"gen-(\d{6,})")
_OF_VECTORS = {"MODEL", "documents"}
_MAX_CURRENT_BYTES = 1_000_000
_MISSING = "MISSING"


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


class Layout(NamedTuple):
    """The paths in the index folder `root`."""

    root: Path

    @property
    def lock(self) -> Path:
        return self.root / "LOCK"

    @property
    def current(self) -> Path:
        return self.root / "CURRENT"

    @property
    def building(self) -> Path:
        return self.root / "BUILDING"

    def generation(self, number: int) -> Path:
        return self.root / f"gen-{number:06d}"

    def text(self, number: int) -> Path:
        return self.generation(number) / "text"

    def manifest(self, number: int) -> Path:
        return self.generation(number) / "manifest"

    def suspect(self, number: int) -> Path:
        return self.generation(number) / "SUSPECT"

    def verified(self, number: int) -> Path:
        return self.generation(number) / "VERIFIED"

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
        replace_index_file(self.current, [sealed(current._asdict())])
        sync_folder(self.root)

    def read_building(self) -> Current | None:
        """Return the generation that a run has begun and not finished, as far as that is known."""
        try:
            found = Current(**unsealed(self.building.read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return found if found.format == FORMAT else None

    def collect(self, *keep: int) -> None:
        """Remove all generations but some, as far as the system lets go of them.

        And what of files was being written when a process ended.
        """
        import shutil  # late: only a writer tidies up

        for folder in (self.root, *map(self.generation, keep)):
            remove_drafts(folder)
        for number in self.generations():
            if number not in keep:
                shutil.rmtree(self.generation(number), ignore_errors=True)


def _parse_current(data: bytes, path: Path) -> Current:
    damaged = DamagedError(
        "the index is damaged: its CURRENT file is not what was written",
        location=str(path),
        hint=REBUILD,
    )
    body = data.partition(b"\n")[0]
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
            hint=INDEX_AGAIN,
        )
    try:
        return Current(**unsealed(data))
    except (ValueError, TypeError):
        raise damaged from None


def sealed(facts: Mapping[str, Any]) -> bytes:
    """Return facts as one line of JSON, and a second line with its checksum."""
    body = json.dumps(facts, sort_keys=True).encode()
    return b"%s\n%08x\n" % (body, zlib.crc32(body))


def unsealed(data: bytes) -> dict[str, Any]:
    """Return the facts that `sealed` wrote.

    Raises:
        ValueError: these are not the bytes that were written.
    """
    body, _, seal = data.partition(b"\n")
    if seal != b"%08x\n" % zlib.crc32(body):
        raise ValueError("the checksum is of other bytes")
    facts = json.loads(body)
    if not isinstance(facts, dict):
        raise ValueError("these are no facts")
    return facts


def write_missing(root: Path, notes: Mapping[str, str]) -> None:
    """Note why documents of some trees are kept, by the name of the tree: no notes, no file.

    The notes are for people: where they cannot be written, an answer lacks them.
    """
    path = root / _MISSING
    with suppress(OSError, StorageError):
        if not notes:
            path.unlink(missing_ok=True)
        elif read_missing(root) != notes:
            replace_index_file(path, [sealed(notes)])


def read_missing(root: Path) -> dict[str, str]:
    """Return what `write_missing` noted last."""
    try:
        with open(root / _MISSING, "rb") as file:
            return unsealed(file.read(_MAX_CURRENT_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}


def make_folder(path: Path) -> None:
    """Make a folder that only the user can look into, and those above it that are missing.

    Raises:
        OSError: it cannot be made.
    """
    for folder in reversed((path, *path.parents)):
        with suppress(FileExistsError):
            if not folder.exists():
                folder.mkdir(mode=0o700)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))


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


WINDOWS = os.name == "nt"

_ATTEMPTS = 20
_POLL_S = 0.05


def _put_in_place(draft: Path, path: Path) -> None:
    when_free(lambda: os.replace(draft, path), lambda err: isinstance(err, PermissionError))


def when_free(replace: Callable[[], object], is_held: Callable[[Exception], bool]) -> None:
    """Replace a file; on Windows none can be while somebody reads it, which takes a moment.

    `is_held` says of an error whether it may be that.
    """
    for _ in range(_ATTEMPTS if WINDOWS else 0):
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


OTHER_LEAFMARK = (
    "the index that was there is of a leafmark of another version or with other grammars; "
    "it is left to that one, and goes when nobody has used it for a week"
)
"""Why all is indexed anew, for people."""

_PLACE = late_pattern(r"index-[0-9a-f]{12}")
_REVISION = late_pattern(r"rev-[0-9a-f]{12}")
_VIEW = late_pattern(rf"view-(?:{_PLACE.pattern}|{_REVISION.pattern})")

REVISION_SOURCES = ".sources"
"""The folder beside the index of a revision that has its sources."""

NOTED_S = 86_400.0
"""How old the note of the last use may be."""

UNUSED_S = 7 * NOTED_S
"""After how long without use an index of another leafmark goes; chosen by eye."""


MAX_REVISIONS = 100
"""The indexes of revisions that are kept: whoever reads the page can name any revision."""


def index_place(folder: Path, key: str) -> Path:
    """Return where in the folder INDEX the index of one leafmark lies; `key` is a digest in hex."""
    return folder / f"index-{key[:12]}"


def revision_place(folder: Path, key: str) -> Path:
    """Return where in the folder INDEX the index of a revision lies; `key` is a digest in hex."""
    return folder / f"rev-{key[:12]}"


def revision_places(folder: Path) -> list[Path]:
    """Return the indexes of revisions in the folder INDEX, those used last first."""
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _REVISION.fullmatch(name)]
        return sorted((folder / name for name in names), key=_age_s)
    return []


def trim_revisions(folder: Path) -> None:
    """Remove the indexes of revisions beyond the `MAX_REVISIONS` used last in the folder INDEX."""
    _discard(revision_places(folder)[MAX_REVISIONS:])


def view_path(vectors: Path, root: Path) -> Path:
    """Return where in a folder of vectors it stands which of them an index has."""
    return vectors / f"view-{root.name}"


def other_views(own: Path) -> list[Path]:
    """Return where the same stands for other indexes, those that are gone left out.

    A crash can leave what stood of one, and so can who moves it meanwhile.
    """
    folder = own.parents[2]
    found = [
        each for each in own.parent.glob("view-*") if each != own and _VIEW.fullmatch(each.name)
    ]
    return [
        each for each in found if Layout(folder / each.name.removeprefix("view-")).current.exists()
    ]


def has_other(root: Path) -> bool:
    """Whether another leafmark has an index beside `root`, in whatever state."""
    return any(True for _ in _others(root))


def find_other(root: Path) -> Path | None:
    """Return the index beside `root` that was used last, of those that can be read here."""
    found = sorted(_others(root), key=_age_s)
    return next((place for place in found if _is_readable(place)), None)


def _others(root: Path) -> Iterator[Path]:
    return (place for place in _places(root) if os.path.exists(Layout(place).current))


def _places(root: Path) -> Iterator[Path]:
    """Yield where other indexes may lie: beside `root`, and where all of them lie.

    No other index stands for that of a revision.
    """
    if _REVISION.fullmatch(root.name):
        return
    folder = root.parent
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _PLACE.fullmatch(name)]
        yield from (folder / name for name in names if name != root.name)
        yield folder


def _is_readable(place: Path) -> bool:
    try:
        return Layout(place).read_current() is not None
    except LeafmarkError:
        return False


def _age_s(place: Path) -> float:
    """Return how long ago an index was used; for ever where there is no telling."""
    try:
        return time.time() - Layout(place).lock.stat().st_mtime
    except OSError:
        return float("inf")


def note_use(root: Path) -> None:
    """Note that the index in `root` is in use, once a day, and remove others that are not."""
    if 0 <= _age_s(root) < NOTED_S:
        return
    try:
        os.utime(Layout(root).lock)
    except OSError:  # there is no index yet, or it may only be read
        return
    others = [place for place in revision_places(root.parent) if place != root]
    places = (*_places(root), *others)
    _discard(place for place in places if UNUSED_S < _age_s(place) < float("inf"))


def remove_sources(place: Path) -> None:
    """Remove the sources of a revision, and what is noted of them."""
    import shutil  # late: seldom needed

    (place / "SOURCES").unlink(missing_ok=True)
    shutil.rmtree(place / REVISION_SOURCES, ignore_errors=True)


def _discard(places: Iterable[Path]) -> None:
    """Remove indexes, but those that somebody writes or that cannot be removed now."""
    for place in places:
        with suppress(LeafmarkError, OSError):
            _remove(place)


def _remove(place: Path) -> None:
    """Remove an index that nobody writes; its pointer first, so that no half of it is read.

    Raises:
        LockedError: somebody writes it.
        StorageError, OSError: it cannot be removed, or not all of it.
    """
    layout = Layout(place)
    with hold_lock(layout.lock, timeout_s=0):
        layout.current.unlink(missing_ok=True)
        layout.collect()
        layout.building.unlink(missing_ok=True)
        for vectors in (place.parent / "vectors").glob("*/"):
            view_path(vectors, place).unlink(missing_ok=True)
        if _REVISION.fullmatch(place.name):
            remove_sources(place)
            sources_lock = place / "SOURCES.lock"
            turn_path(sources_lock).unlink(missing_ok=True)
            sources_lock.unlink(missing_ok=True)
        (place / _MISSING).unlink(missing_ok=True)
        turn_path(layout.lock).unlink(missing_ok=True)
        layout.lock.unlink()  # while it is held: see `hold_lock`
        place.rmdir()
