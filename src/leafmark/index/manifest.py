"""The manifest: which sources are indexed and the states of their files, in a form that loads fast.

The index itself is the authority. This is a snapshot of its source records in columns, so
that tens of thousands of rows load in milliseconds. It has the index's uuid and commit number
and checksums; a snapshot that does not fit is ignored and made again from the index. Its
head has a digest of what a walk finds if nothing has changed, so that usually no row is
read at all. It also says when the sources were last looked at, so that a look that finds no
change needs no commit.
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from leafmark.environment import reset_after_fork
from leafmark.index.folder import replace_index_file, sealed, unsealed
from leafmark.model import PASSING, DocumentEntry, DocumentKey
from leafmark.namedtuples import NamedTuple

FoundSource = tuple[str, str, int, int, int, int]
"""A source as it is found: tree, path, and the first four of a `ManifestRow`."""

TO_RETRY = 2
"""What `ManifestRow.noted` is where a source should be tried again."""

_VERSION = 3
_COLUMNS = "qqqQIB"
_FOUND_COLUMNS = _COLUMNS[:4]
_MAX_LINE = 10_000


class ManifestRow(NamedTuple):
    """The state of an indexed file, and how many chunks it made.

    The first four fields are those of `FileState`. Its digest is rarely needed, so it is only
    in the source's own record. `noted` says that the source has diagnostics; it is `TO_RETRY`
    where one is of what may have passed.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    chunks: int
    noted: int


Manifest = Mapping[DocumentKey, ManifestRow]


class ManifestTable(MutableMapping[DocumentKey, ManifestRow]):
    """Rows in columns: 200 bytes each with their path, a third of the size of objects."""

    def __init__(self, rows: Iterable[tuple[DocumentKey, ManifestRow]] = ()):
        self.columns = [array(code) for code in _COLUMNS]
        self.numbers: dict[str, dict[str, int]] = {}
        self.odd: dict[DocumentKey, ManifestRow] = {}
        """Rows with a time or an inode of more than 64 bits: their number is -1."""
        self._free: list[int] = []
        for key, row in rows:
            self[key] = row

    def __getitem__(self, key: DocumentKey) -> ManifestRow:
        number = self.numbers[key[0]][key[1]]
        if number < 0:
            return self.odd[key]
        sizes, modified, changed, inodes, chunks, noted = self.columns
        return ManifestRow(
            sizes[number],
            modified[number],
            changed[number],
            inodes[number],
            chunks[number],
            noted[number],
        )

    def __setitem__(self, key: DocumentKey, row: ManifestRow) -> None:
        if key in self:
            del self[key]
        if not self._free:
            self._free.append(len(self.columns[0]))
            for column in self.columns:
                column.append(0)
        number = self._free[-1]
        try:
            for column, value in zip(self.columns, row, strict=True):
                column[number] = value
            self._free.pop()
        except OverflowError:
            number, self.odd[key] = -1, row
        self.numbers.setdefault(key[0], {})[key[1]] = number

    def __delitem__(self, key: DocumentKey) -> None:
        number = self.numbers[key[0]].pop(key[1])
        if number < 0:
            del self.odd[key]
        else:
            self._free.append(number)

    def __contains__(self, key: object) -> bool:
        tree, path = cast("DocumentKey", key)
        return path in self.numbers.get(tree, ())

    def __iter__(self) -> Iterator[DocumentKey]:
        return ((tree, path) for tree, numbers in self.numbers.items() for path in numbers)

    def __len__(self) -> int:
        return sum(map(len, self.numbers.values()))

    @property
    def has_retries(self) -> bool:
        """Whether a source should be tried again."""
        odd = any(row.noted == TO_RETRY for row in self.odd.values())
        return odd or TO_RETRY in self.columns[5]

    @property
    def chunk_counts(self) -> Iterator[int]:
        """How many chunks each source made."""
        yield from (row.chunks for row in self.odd.values())
        chunks = self.columns[4]
        numbers = chain.from_iterable(of_tree.values() for of_tree in self.numbers.values())
        yield from (chunks[number] for number in numbers if number >= 0)


class SnapshotHead(NamedTuple):
    """The head of a snapshot.

    `found` is the `digest_found` of its sources; `looked_ns` is when the last run began to look
    at them.
    """

    found: str | None
    looked_ns: int


def row_of(entry: DocumentEntry) -> ManifestRow:
    """Return the manifest's row for a source."""
    state = entry.state
    return ManifestRow(
        state.size,
        state.modified_ns,
        state.changed_ns,
        state.inode,
        entry.chunk_count,
        _noted(entry),
    )


def _noted(entry: DocumentEntry) -> int:
    if any(each.code in PASSING for each in entry.diagnostics):
        return TO_RETRY
    return int(bool(entry.diagnostics))


def write_snapshot(
    path: Path, manifest: ManifestTable, *, uuid: str, seq: int, looked_ns: int
) -> None:
    """Write the manifest of commit `seq`, unless a row does not fit the columns.

    `looked_ns` is when the last run began to look at the sources.

    Raises:
        StorageError: it cannot be written.
    """
    if manifest.odd:
        path.unlink(missing_ok=True)
        return
    body = _serialise(manifest)
    head = {
        "version": _VERSION,
        "uuid": uuid,
        "seq": seq,
        "order": sys.byteorder,
        "crc": zlib.crc32(body),
        "looked_ns": looked_ns,
        "found": _digest_rows(manifest),
    }
    replace_index_file(path, [sealed(head), body])


def read_snapshot(path: Path, *, uuid: str, seq: int) -> ManifestTable | None:
    """Return the manifest of commit `seq`, None if the file holds anything else."""
    try:
        head, seal, body = path.read_bytes().split(b"\n", 2)
        facts = _facts(b"%s\n%s\n" % (head, seal), uuid, seq)
        if facts is None or facts.get("crc") != zlib.crc32(body):
            return None
        with gc_paused():
            return _deserialise(body)
    except (OSError, ValueError, AttributeError, KeyError, RecursionError, zlib.error):
        return None


def _facts(head: bytes, uuid: str, seq: int) -> dict[str, Any] | None:
    """Return the facts of the head, None if it is of another commit or version.

    Raises:
        ValueError: these are not the bytes that were written.
    """
    facts = unsealed(head)
    wanted = (_VERSION, uuid, seq, sys.byteorder)
    found = tuple(facts.get(name) for name in ("version", "uuid", "seq", "order"))
    return facts if found == wanted else None


def read_head(path: Path, *, uuid: str, seq: int) -> SnapshotHead | None:
    """Return the head of the snapshot of commit `seq`, None if there is none."""
    try:
        with path.open("rb") as file:
            head = file.readline(_MAX_LINE) + file.readline(_MAX_LINE)
        facts = _facts(head, uuid, seq)
        return None if facts is None else SnapshotHead(facts["found"], int(facts["looked_ns"]))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def digest_found(sources: Sequence[FoundSource]) -> str | None:
    """Return a digest of sources and their states; None if there are none, or odd ones.

    The sources of a tree must be together, in the order of a walk: in each folder its files by
    name, then its folders. The order of the trees does not matter.
    """
    if not sources:
        return None
    digests = []
    at = 0
    for tree, count in Counter(source[0] for source in sources).items():
        _, paths, *columns = zip(*sources[at : at + count], strict=True)
        at += count
        try:
            digests.append(_digest_tree(tree, paths, columns))
        except OverflowError:  # a time or an inode past 64 bits
            return None
    return _digest_all(digests)


def _digest_rows(manifest: ManifestTable) -> str | None:
    """Return the `digest_found` of the rows' sources."""
    digests = []
    for tree, numbers in manifest.numbers.items():
        if numbers:
            paths = sorted(numbers, key=_place)
            columns = manifest.columns[: len(_FOUND_COLUMNS)]
            order = ([column[numbers[path]] for path in paths] for column in columns)
            digests.append(_digest_tree(tree, paths, order))
    return _digest_all(digests) if digests else None


def _digest_tree(tree: str, paths: Sequence[str], columns: Iterable[Sequence[int]]) -> str:
    """Return the digest of a tree; raises OverflowError for a number of more than 64 bits."""
    whole = hashlib.sha256(f"{tree}\0{len(paths)}\0".encode())
    whole.update("\0".join(paths).encode("utf-8", "surrogatepass"))
    for code, column in zip(_FOUND_COLUMNS, columns, strict=True):
        whole.update(array(code, column))
    return whole.hexdigest()


def _digest_all(digests: Iterable[str]) -> str:
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()


def _place(path: str) -> str:
    """Return the sort key for the order of a walk: in each folder, files before folders."""
    *folders, name = path.split("/")
    return "".join([f"\1{folder}\0" for folder in folders]) + "\0" + name


def _serialise(manifest: ManifestTable) -> bytes:
    """Return the rows as bytes, in columns, sorted by tree and path."""
    trees = {tree: sorted(manifest.numbers[tree]) for tree in sorted(manifest.numbers)}
    paths = "\0".join(chain.from_iterable(trees.values())).encode("utf-8", "surrogatepass")
    order = array("q", (manifest.numbers[tree][path] for tree in trees for path in trees[tree]))
    parts = [zlib.compress(paths, 1)]
    if order:
        parts += [
            array(code, map(column.__getitem__, order)).tobytes()
            for code, column in zip(_COLUMNS, manifest.columns, strict=True)
        ]
    counts = {tree: len(paths) for tree, paths in trees.items() if paths}
    head = json.dumps({"trees": counts, "lengths": [len(part) for part in parts]}).encode()
    return b"\n".join((head, b"".join(parts)))


def _deserialise(body: bytes) -> ManifestTable:
    head, _, rest = body.partition(b"\n")
    facts = json.loads(head)
    parts, at = [], 0
    for length in facts["lengths"]:
        parts.append(rest[at : at + length])
        at += length
    table = ManifestTable()
    if not facts["trees"]:
        return table
    for column, part in zip(table.columns, parts[1:], strict=True):
        column.frombytes(part)
    paths = zlib.decompress(parts[0]).decode("utf-8", "surrogatepass").split("\0")
    if {len(paths), sum(facts["trees"].values())} != {*map(len, table.columns)}:
        raise ValueError("columns of different lengths")
    numbered = zip(paths, range(len(paths)), strict=True)
    for tree, count in facts["trees"].items():
        table.numbers[tree] = dict(islice(numbered, count))
    return table


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the collector while rows are made that all stay: it would look at each many times.

    That costs as much as making a snapshot's rows, and a tenth of an index run.
    """
    was_on = gc.isenabled()
    _pauses.append(was_on)
    gc.disable()
    try:
        yield
    finally:
        _pauses.remove(was_on)
        if was_on:
            gc.enable()


_pauses: list[bool] = []
"""Whether the collector was on, for each of the pauses that threads have at once."""


@reset_after_fork
def _end_pauses() -> None:
    """In a forked child, in which no other thread goes on that could end its pause."""
    if True in _pauses:
        gc.enable()
    _pauses.clear()
