"""The files in the folders of an index, and which generation is current.

```
INDEX/index-KEY/      ROOT, one index; KEY identifies the parts of an installation that affect it
INDEX/rev-KEY/        the index of one revision, and its sources; removed after a week without use
INDEX/vectors/        shared by all indexes, since it is valid for each: see `vectors`
ROOT/LOCK             held by the one writer; its time is that of the last use, give or take a day
ROOT/LOCK.next        held by the waiting writer
ROOT/CURRENT          the generation that serves readers; replaced atomically
ROOT/BUILDING         the generation that a run has begun, in the form of CURRENT
ROOT/MISSING          the trees whose documents are kept although their files are gone
ROOT/gen-000007/text  the engine's files
ROOT/gen-000007/manifest  a disposable copy of the manifest (see `manifest`)
ROOT/gen-000007/SUSPECT   a reader noted damage: the next writer checks every byte
ROOT/gen-000007/VERIFIED  its time is that of the last check of every byte
```

A rebuild makes the next generation next to the current one and then replaces CURRENT. Any other
generation is left over from a crash, or still open in readers; the writer removes it.

If two versions of leafmark shared one index, each would rebuild it after the other. So each has its
own, leaves the others' alone, reads one of them only until its own exists, and removes those that
nobody has used for a week.
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
from leafmark.patterns import lazy_pattern


class IndexOptions(NamedTuple):
    """The settings that affect an index. A change of fingerprint or language needs a rebuild.

    `fingerprint` identifies all settings that change chunks or terms. `languages` maps each
    tree to its stemmer, one of `LANGUAGES` or None.
    """

    fingerprint: str
    languages: Mapping[str, str | None] = MappingProxyType({})


_GENERATION = lazy_pattern(r"gen-(\d{6,})")
_VECTOR_FILES = {"MODEL", "documents"}
_MAX_CURRENT_BYTES = 1_000_000
_MISSING = "MISSING"


def is_index_folder(names: Iterable[str]) -> bool:
    """Whether a folder with these names in it is an index, finished or not.

    A folder of vectors counts too: see `vectors`.

    >>> is_index_folder(["CURRENT", "LOCK", "gen-000001"]), is_index_folder(["CURRENT", "LOCK"])
    (True, False)
    """
    contents = {*names}
    if "LOCK" not in contents:
        return False
    return contents >= _VECTOR_FILES or any(map(_GENERATION.fullmatch, contents))


class Current(NamedTuple):
    """The content of CURRENT: a generation, with its `uuid`, and the stemmer of each tree."""

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
        return sorted(int(match[1]) for name in names if (match := _GENERATION.fullmatch(name)))

    def read_current(self) -> Current | None:
        """Return the content of CURRENT, None if there is no such file.

        Raises:
            UsageError: a newer leafmark wrote the index.
            NotFoundError: an older one did, in a format that is no longer read.
            DamagedError: CURRENT is damaged.
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
        """Make `current` the generation of all readers from now on.

        Raises:
            StorageError: it cannot be written; the old one remains.
        """
        replace_index_file(self.current, [sealed(current._asdict())])
        sync_folder(self.root)

    def read_building(self) -> Current | None:
        """Return the generation that a run has begun and not finished, if one is known."""
        try:
            building = Current(**unsealed(self.building.read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return building if building.format == FORMAT else None

    def collect(self, *keep: int) -> None:
        """Remove all generations but some, and drafts of processes that ended while writing.

        A file that the system does not release remains.
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
    """Return the facts: the inverse of `sealed`.

    Raises:
        ValueError: the bytes are damaged.
    """
    body, _, seal = data.partition(b"\n")
    if seal != b"%08x\n" % zlib.crc32(body):
        raise ValueError("the checksum is of other bytes")
    facts = json.loads(body)
    if not isinstance(facts, dict):
        raise ValueError("these are no facts")
    return facts


def write_missing(root: Path, notes: Mapping[str, str]) -> None:
    """Write the reasons why documents of some trees are kept, by tree; without any, no file.

    The notes are for people: if they cannot be written, answers lack them.
    """
    path = root / _MISSING
    with suppress(OSError, StorageError):
        if not notes:
            path.unlink(missing_ok=True)
        elif read_missing(root) != notes:
            replace_index_file(path, [sealed(notes)])


def read_missing(root: Path) -> dict[str, str]:
    """Return the notes that `write_missing` wrote last."""
    try:
        with open(root / _MISSING, "rb") as file:
            return unsealed(file.read(_MAX_CURRENT_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}


def make_folder(path: Path) -> None:
    """Create a folder that only the user can read, and its missing parents.

    Raises:
        OSError: it cannot be created.
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
        StorageError: it cannot be written; the old file remains. The message names `what`.
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
"""Names of the drafts that the engine writes before it replaces its lists of files."""


def remove_drafts(folder: Path, names: str = "*.tmp") -> None:
    """Remove the drafts in a folder, which `replace_index_file` leaves if its process is killed."""
    for draft in folder.glob(names):
        with contextlib.suppress(OSError):
            draft.unlink()


WINDOWS = os.name == "nt"

_ATTEMPTS = 20
_POLL_S = 0.05


def _put_in_place(draft: Path, path: Path) -> None:
    when_free(lambda: os.replace(draft, path), lambda err: isinstance(err, PermissionError))


def when_free(replace: Callable[[], object], is_held: Callable[[Exception], bool]) -> None:
    """Replace a file; on Windows, retry for a moment, since nobody may be reading the file.

    `is_held` returns whether an error may be due to a reader.
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
    """Make the names in a folder survive a power cut, if the system can.

    Raises:
        StorageError: the system reports a failure.
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
    "the existing index belongs to a leafmark of another version or with other grammars; "
    "it is kept for that one, and removed after a week without use"
)
"""The reason for a full rebuild, for people."""

_INDEX_NAME = lazy_pattern(r"index-[0-9a-f]{12}")
_REVISION_NAME = lazy_pattern(r"rev-[0-9a-f]{12}")
_VIEW_NAME = lazy_pattern(rf"view-(?:{_INDEX_NAME.pattern}|{_REVISION_NAME.pattern})")

REVISION_SOURCES = ".sources"
"""The folder of a revision's sources, in the folder of its index."""

NOTED_S = 86_400.0
"""The age at which the note of the last use is renewed."""

UNUSED_S = 7 * NOTED_S
"""An index of another leafmark is removed after this time without use; chosen by eye."""


MAX_REVISIONS = 100
"""The most indexes of revisions that are kept: a user of the web page can name any revision."""


def index_place(folder: Path, key: str) -> Path:
    """Return the path of one leafmark's index in the folder INDEX; `key` is a digest in hex."""
    return folder / f"index-{key[:12]}"


def revision_place(folder: Path, key: str) -> Path:
    """Return the path of a revision's index in the folder INDEX; `key` is a digest in hex."""
    return folder / f"rev-{key[:12]}"


def revision_places(folder: Path) -> list[Path]:
    """Return the indexes of revisions in the folder INDEX, most recently used first."""
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _REVISION_NAME.fullmatch(name)]
        return sorted((folder / name for name in names), key=_age_s)
    return []


def trim_revisions(folder: Path) -> None:
    """Remove all but the `MAX_REVISIONS` most recently used indexes of revisions in INDEX."""
    _discard(revision_places(folder)[MAX_REVISIONS:])


def view_path(vectors: Path, root: Path) -> Path:
    """Return the path, in a folder of vectors, of the view of an index: see `vector_view`."""
    return vectors / f"view-{root.name}"


def other_views(own: Path) -> list[Path]:
    """Return the views of other indexes that still exist.

    The view of an index that is gone may remain after a crash, or if it is moved meanwhile.
    """
    folder = own.parents[2]
    views = [path for path in own.parent.glob("view-*") if _VIEW_NAME.fullmatch(path.name)]
    return [
        path
        for path in views
        if path != own and Layout(folder / path.name.removeprefix("view-")).current.exists()
    ]


def has_other(root: Path) -> bool:
    """Whether another leafmark has an index beside `root`, in whatever state."""
    return any(True for _ in _others(root))


def find_other(root: Path) -> Path | None:
    """Return the most recently used readable index beside `root`."""
    others = sorted(_others(root), key=_age_s)
    return next((place for place in others if _is_readable(place)), None)


def _others(root: Path) -> Iterator[Path]:
    return (place for place in _places(root) if os.path.exists(Layout(place).current))


def _places(root: Path) -> Iterator[Path]:
    """Yield the possible paths of other indexes: beside `root`, and the folder of all.

    Nothing for a revision, whose index no other index can replace.
    """
    if _REVISION_NAME.fullmatch(root.name):
        return
    folder = root.parent
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if _INDEX_NAME.fullmatch(name)]
        yield from (folder / name for name in names if name != root.name)
        yield folder


def _is_readable(place: Path) -> bool:
    try:
        return Layout(place).read_current() is not None
    except LeafmarkError:
        return False


def _age_s(place: Path) -> float:
    """Return how long ago an index was used; infinity if that is not known."""
    try:
        return time.time() - Layout(place).lock.stat().st_mtime
    except OSError:
        return float("inf")


def note_use(root: Path) -> None:
    """Note once a day that the index in `root` is in use, and remove unused others."""
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
    """Remove the sources of a revision, and the notes about them."""
    import shutil  # late: seldom needed

    (place / "SOURCES").unlink(missing_ok=True)
    shutil.rmtree(place / REVISION_SOURCES, ignore_errors=True)


def _discard(places: Iterable[Path]) -> None:
    """Remove indexes, except those that are being written or cannot be removed now."""
    for place in places:
        with suppress(LeafmarkError, OSError):
            _remove(place)


def _remove(place: Path) -> None:
    """Remove an index; CURRENT first, so that no reader sees half of it.

    Raises:
        LockedError: it is being written.
        StorageError, OSError: it cannot be removed, or not all of it.
    """
    layout = Layout(place)
    with hold_lock(layout.lock, timeout_s=0):
        layout.current.unlink(missing_ok=True)
        layout.collect()
        layout.building.unlink(missing_ok=True)
        for vectors in (place.parent / "vectors").glob("*/"):
            view_path(vectors, place).unlink(missing_ok=True)
        if _REVISION_NAME.fullmatch(place.name):
            remove_sources(place)
            sources_lock = place / "SOURCES.lock"
            turn_path(sources_lock).unlink(missing_ok=True)
            sources_lock.unlink(missing_ok=True)
        (place / _MISSING).unlink(missing_ok=True)
        turn_path(layout.lock).unlink(missing_ok=True)
        layout.lock.unlink()  # while it is held: see `hold_lock`
        place.rmdir()
