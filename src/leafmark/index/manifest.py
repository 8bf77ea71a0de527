"""The manifest: the indexed sources and the states of their files, in a form that loads fast.

The index itself is the authority. A snapshot has its source records in columns, so that tens of
thousands of rows load in milliseconds. It has the index's uuid and commit number and checksums; a
snapshot that does not fit is ignored and rebuilt from the index. Its head has a digest of the
result of a walk if nothing has changed, so that usually no row is read at all. It also has the
time of the last check of the sources, so that a check without changes needs no commit.
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
"""A source on disk: tree, path, and the first four fields of a `ManifestRow`."""

TO_RETRY = 2
"""The value of `ManifestRow.noted` for a source that should be tried again."""

_VERSION = 3
_COLUMNS = "qqqQIB"
_FOUND_COLUMNS = _COLUMNS[:4]
_MAX_LINE = 10_000


class ManifestRow(NamedTuple):
    """The state of an indexed file, and the number of its chunks.

    The first four fields are those of `FileState`. Its digest is rarely needed, so it is only
    in the source's own record. `noted` is 1 if the source has diagnostics, and `TO_RETRY` if the
    cause of one may have passed.
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
        """Rows with a time or an inode of more than 64 bits; `numbers` has -1 for them."""
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
        """Whether any source should be tried again."""
        odd = any(row.noted == TO_RETRY for row in self.odd.values())
        return odd or TO_RETRY in self.columns[5]

    @property
    def chunk_counts(self) -> Iterator[int]:
        """The number of chunks of each source."""
        yield from (row.chunks for row in self.odd.values())
        chunks = self.columns[4]
        numbers = chain.from_iterable(of_tree.values() for of_tree in self.numbers.values())
        yield from (chunks[number] for number in numbers if number >= 0)


class SnapshotHead(NamedTuple):
    """The head of a snapshot.

    `digest` is the `digest_found` of its sources; `looked_ns` is the time when the last run began
    to check them.
    """

    digest: str | None
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
    if any(diagnostic.code in PASSING for diagnostic in entry.diagnostics):
        return TO_RETRY
    return int(bool(entry.diagnostics))


def write_snapshot(
    path: Path, manifest: ManifestTable, *, uuid: str, seq: int, looked_ns: int
) -> None:
    """Write the manifest of commit `seq`, unless a row does not fit the columns.

    `looked_ns` is the time when the last run began to check the sources.

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
    """Return the manifest of commit `seq`, None if the file has no valid one."""
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
        ValueError: the bytes are damaged.
    """
    facts = unsealed(head)
    expected = (_VERSION, uuid, seq, sys.byteorder)
    actual = tuple(facts.get(name) for name in ("version", "uuid", "seq", "order"))
    return facts if actual == expected else None


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
    """Return a digest of sources and their states; None without sources, or with odd ones.

    The sources of a tree must be contiguous, in the order of a walk: in each folder its files by
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
    """Pause the collector while many lasting objects are created: it would visit each repeatedly.

    That takes as long as to create a snapshot's rows, and a tenth of an index run.
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
"""For each pause, of any thread, whether the collector was on before."""


@reset_after_fork
def _end_pauses() -> None:
    """End the pauses in a forked child, which lacks the threads that would end them."""
    if True in _pauses:
        gc.enable()
    _pauses.clear()
