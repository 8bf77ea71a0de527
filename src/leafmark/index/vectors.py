"""The store of vectors: content-addressed, append-only, checksummed; a cache beside the index.

```
INDEX/vectors/KEY/MODEL         the model of the vectors, as JSON
INDEX/vectors/KEY/rows-000001   records of one size: hash, checksum, vector
INDEX/vectors/KEY/documents     records of documents: the texts that their chunks are embedded as
INDEX/vectors/KEY/UNUSED        rows that were unused at the time of this file
INDEX/vectors/KEY/view-PLACE    see `vector_view`: the rows of each chunk of an index
INDEX/vectors/KEY/LOCK          held by the one writer
INDEX/vectors/KEY/queried       see `QueryVectorCache`: vectors that were computed for queries
```

A chunk is embedded as one text, or as several windows if it is longer than the model reads.
The key of a vector is the hash of its text; the key of a document's texts is the hash of
everything that affects them. So a change of the index makes nothing here wrong: a missing vector
is pending. A crash may leave a torn record at the end of a file; the next writer cuts it off. A
record with a wrong checksum is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from leafmark.errors import LockedError, StorageError
from leafmark.index.engine import translate
from leafmark.index.folder import (
    make_folder,
    remove_drafts,
    replace_index_file,
    sealed,
    sync_folder,
    unsealed,
)
from leafmark.index.lock import hold_lock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
HASH_BYTES = 16
_END = bytes(HASH_BYTES)
"""Follows the hashes of each chunk's texts; a chunk without text has only this."""

_ROWS = re.compile(r"rows-(\d{6,})")
_HEAD_BYTES = 8 + HASH_BYTES

COMPACT_SHARE = 0.5
"""If more than this share of rows is unused, the file is rewritten (chosen by eye)."""

COMPACT_FROM = 10_000
"""A store with fewer rows is not rewritten."""

UNUSED_S = 7 * 86_400.0
"""How long rows must have been unused: sources that disappear may come back after a while."""

MAX_CACHED = 20_000
"""The most records of the file, 31 MB for `minilm`; after that, only the later half is kept."""


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model of some vectors; only vectors of one model can be compared."""

    name: str
    revision: str
    dimension: int = 0

    @property
    def key(self) -> str:
        key = json.dumps([FORMAT, self.name, self.revision])
        return hashlib.sha256(key.encode()).hexdigest()[:16]


def vector_folder(folder: Path, model: VectorModel) -> Path:
    """Return the folder of a model's vectors in the folder of a project's indexes."""
    return folder / "vectors" / model.key


def text_hash(text: str) -> bytes:
    """Return the hash of a text, the key of its vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES]


def document_key(*parts: str) -> bytes:
    """Return the key of a document's texts; `parts` are all strings that affect them."""
    key = json.dumps(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).digest()[:HASH_BYTES]


def serialise_texts(chunks: Iterable[Sequence[bytes]]) -> bytes:
    """Return the hashes of the texts of each chunk as one string.

    >>> deserialise_texts(serialise_texts([[b"a" * 16, b"b" * 16], [], [b"c" * 16]]))
    [[b'aaaaaaaaaaaaaaaa', b'bbbbbbbbbbbbbbbb'], [], [b'cccccccccccccccc']]
    """
    return b"".join(part for chunk in chunks for part in (*chunk, _END))


def deserialise_texts(serialised: bytes) -> list[list[bytes]]:
    """Return the hashes of the texts of each chunk: the inverse of `serialise_texts`."""
    chunks: list[list[bytes]] = [[]]
    for at in range(0, len(serialised), HASH_BYTES):
        hash_ = serialised[at : at + HASH_BYTES]
        if hash_ == _END:
            chunks.append([])
        else:
            chunks[-1].append(hash_)
    return chunks[:-1]


def row_type(dimension: int) -> Any:
    """Return the dtype of a vector's record: hash, checksum of hash and vector, vector."""
    import numpy as np

    return np.dtype([("hash", f"V{HASH_BYTES}"), ("crc", "<u4"), ("vector", "<f4", (dimension,))])


def map_rows(path: Path, dimension: int) -> NDArray[np.void]:
    """Map the whole records of a file of rows into memory, without reading them."""
    import numpy as np

    kind = row_type(dimension)
    count = path.stat().st_size // kind.itemsize
    if not count:
        return np.empty(0, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r", shape=(count,))


def _checksum(hash_: bytes, vector: bytes) -> int:
    return zlib.crc32(vector, zlib.crc32(hash_))


def record_of(hash_: bytes, vector: NDArray[np.float32]) -> bytes:
    """Return the record of a vector, as `row_type` reads it."""
    data = vector.astype("<f4", copy=False).tobytes()
    return hash_ + _checksum(hash_, data).to_bytes(4, "little") + data


def valid_rows(rows: NDArray[np.void], places: Sequence[int]) -> list[bool]:
    """Return for each place whether the checksum of its record is right."""
    are_valid = []
    for place in places:
        row = rows[place]
        vector = row["vector"].tobytes()
        are_valid.append(int(row["crc"]) == _checksum(row["hash"].tobytes(), vector))
    return are_valid


@contextmanager
def open_vector_writer(
    folder: Path, model: VectorModel, *, timeout_s: float
) -> Iterator[VectorWriter]:
    """Yield the only writer of a model's vectors, which knows all whole records on disk.

    Raises:
        LockedError: another process is writing them.
        StorageError: the folder cannot be written.
    """
    folder = vector_folder(folder, model)
    with _translated("write", folder):
        make_folder(folder)
    with hold_lock(folder / "LOCK", timeout_s=timeout_s, doing="vectors are being made"):
        writer = VectorWriter(folder, model)
        try:
            yield writer
        finally:
            writer.close()


@contextmanager
def _translated(action: str, folder: Path) -> Iterator[None]:
    """Raise `StorageError` if the system cannot read or write the vectors."""
    try:
        yield
    except OSError as error:
        raise translate(error, f"{action} the vectors", folder) from error


class VectorWriter:
    """Appends vectors, and the texts of documents. Use `open_vector_writer`."""

    def __init__(self, folder: Path, model: VectorModel):
        self.folder = folder
        self.model = model
        self.known: dict[bytes, int] = {}
        self.documents: dict[bytes, bytes] = {}
        self._count = 0
        self.mended = ""
        """A message for people about damage that was mended, if any."""
        with _translated("write", self.folder):
            self._open_model()
            self.rows_path = self._current_rows()
            self._rows = self._open_rows()
            self._log = self._open_documents()

    def _open_model(self) -> None:
        """Empty the folder, unless its vectors are of this model and dimension.

        A damaged description is rewritten: the vectors' checksums show whether they have the
        dimension of this model.
        """
        stored = stored_model(self.folder)
        if stored == self.model:
            return
        rows = self._rows_files()
        if stored is None and rows and self._are_ours(rows[-1]):
            self.mended = "the description of the vectors was damaged, and was written again"
        else:
            for path in self.folder.iterdir():
                if not path.name.startswith("LOCK"):
                    path.unlink(missing_ok=True)
        model = self.model
        facts = {"format": FORMAT, "name": model.name, "revision": model.revision}
        facts["dimension"] = model.dimension
        self._replace(self.folder / "MODEL", [sealed(facts)])

    def _are_ours(self, path: Path) -> bool:
        """Whether one of the first rows of a file is a valid record of our dimension."""
        try:
            rows = map_rows(path, self.model.dimension)
        except OSError:
            return False
        return any(valid_rows(rows, range(min(len(rows), 100))))

    def _rows_files(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if _ROWS.fullmatch(path.name))

    def _replace(self, path: Path, parts: Iterable[bytes]) -> None:
        replace_index_file(path, parts, what="the vectors")
        sync_folder(self.folder)

    def _current_rows(self) -> Path:
        """Return the file of rows; remove older ones and drafts, which a crash may leave."""
        remove_drafts(self.folder)
        files = self._rows_files()
        for path in files[:-1]:
            path.unlink(missing_ok=True)
        return files[-1] if files else self.folder / "rows-000001"

    def _open_rows(self) -> BinaryIO:
        """Open the file of rows without a torn record, and index its valid records by hash."""
        file = open(self.rows_path, "ab")  # noqa: SIM115 - closed by `close`
        size = row_type(self.model.dimension).itemsize
        self._count = self.rows_path.stat().st_size // size
        file.truncate(self._count * size)
        rows = map_rows(self.rows_path, self.model.dimension)
        for at, valid in enumerate(valid_rows(rows, range(self._count))):
            if valid:
                self.known[rows[at]["hash"].tobytes()] = at
        return file

    def _open_documents(self) -> BinaryIO:
        """Read the records of documents up to the first torn one, and cut the file there."""
        path = self.folder / "documents"
        data = path.read_bytes() if path.exists() else b""
        at = 0
        for key, hashes in _records(data):
            self.documents[key] = hashes
            at += _HEAD_BYTES + len(hashes)
        if not _ends_torn(data, at):
            self.mended = self.mended or "the list of texts with vectors was damaged, and mended"
        file = open(path, "ab")  # noqa: SIM115 - closed by `close`
        file.truncate(at)
        return file

    def add(self, hashes: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Append a vector for each hash without one; they are readable after `sync`."""
        for hash_, vector in zip(hashes, vectors, strict=True):
            if hash_ in self.known:
                continue
            self._write(self._rows, record_of(hash_, vector))
            self.known[hash_] = self._count
            self._count += 1

    def map_rows(self) -> NDArray[np.void]:
        """Map the rows on disk.

        Raises:
            StorageError: the system cannot read them.
        """
        with _translated("read", self.folder):
            return map_rows(self.rows_path, self.model.dimension)

    def has_rows(self, rows: NDArray[np.int32]) -> bool:
        """Whether all these rows are valid on disk; negative numbers are ignored."""
        import numpy as np

        return bool(np.isin(rows[rows >= 0], list(self.known.values())).all())

    def note(self, key: bytes, serialised: bytes) -> None:
        """Record the texts of a document's chunks: see `serialise_texts`."""
        if self.documents.get(key) == serialised:
            return
        head = len(serialised).to_bytes(4, "little")
        crc = zlib.crc32(serialised, zlib.crc32(key, zlib.crc32(head)))
        self._write(self._log, head + crc.to_bytes(4, "little") + key + serialised)
        self.documents[key] = serialised

    def _write(self, file: BinaryIO, data: bytes) -> None:
        with _translated("write", self.folder):
            file.write(data)

    def sync(self) -> None:
        """Write all additions to disk, so that they survive a crash.

        Raises:
            StorageError: the disk is full; whole records on it stay.
        """
        with _translated("write", self.folder):
            for file in (self._rows, self._log):
                file.flush()
                os.fsync(file.fileno())
            sync_folder(self.folder)

    def worth_compacting(self, used: int) -> bool:
        """Whether enough rows are unused; `used` is the number of rows in use."""
        return self._count >= COMPACT_FROM and self._count - used > COMPACT_SHARE * self._count

    def unused_for_long(self, used: Set[bytes]) -> set[bytes]:
        """Return the hashes that are not `used` now, nor were a week ago.

        The rows that are unused now are noted for later if there is no note yet, or it is a
        week old.
        """
        unused = self.known.keys() - used
        path = self.folder / "UNUSED"
        noted, age_s = self._noted_unused(path)
        long_unused = {hash_ for hash_ in unused if self.known[hash_] in noted}
        with _translated("write", self.folder):
            if not unused:
                path.unlink(missing_ok=True)
            elif not 0 <= age_s < UNUSED_S:
                rows = sorted(self.known[hash_] for hash_ in unused)
                self._replace(path, [sealed({"file": self.rows_path.name, "rows": rows})])
        return long_unused if age_s >= UNUSED_S else set()

    def _noted_unused(self, path: Path) -> tuple[set[int], float]:
        """Return the rows of our file that were noted as unused, and the age of the note.

        Without a note, the age is negative.
        """
        try:
            facts = unsealed(path.read_bytes())
            age_s = time.time() - path.stat().st_mtime
        except (OSError, ValueError, RecursionError):
            return set(), -1.0
        if facts.get("file") != self.rows_path.name:
            return set(), -1.0
        return {*facts["rows"]}, age_s

    def compact(self, live: Mapping[bytes, bytes], needed: Set[bytes]) -> None:
        """Rewrite the store with only the `live` documents, by key, and the `needed` hashes' rows.

        The new files replace the old ones one after the other; since they refer to each other by
        hash, a crash in between leaves a valid store.
        """
        self.sync()
        kept_rows = sorted((row, hash_) for hash_, row in self.known.items() if hash_ in needed)
        number = int(self.rows_path.name.partition("-")[2]) + 1
        target = self.folder / f"rows-{number:06d}"
        rows = self.map_rows()
        with _translated("write", self.folder):
            self._replace(target, (rows[row].tobytes() for row, _ in kept_rows))
            self.close()
            old, self.rows_path = self.rows_path, target
            self.known, self.documents = {}, {}
            self._replace(self.folder / "documents", ())
            self._rows, self._log = self._open_rows(), self._open_documents()
        for key, serialised in live.items():
            self.note(key, serialised)
        self.sync()
        with contextlib.suppress(OSError):  # a reader may hold it open, on some systems
            old.unlink()

    def close(self) -> None:
        for file in (self._rows, self._log):
            with contextlib.suppress(OSError):
                file.close()


def has_whole_documents(folder: Path) -> bool:
    """Whether the file of documents is undamaged, except for a torn record at its end."""
    try:
        data = (folder / "documents").read_bytes()
    except OSError:
        return True
    return _ends_torn(data, sum(_HEAD_BYTES + len(hashes) for _, hashes in _records(data)))


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and hashes of the records up to the first invalid one."""
    at = 0
    while (record := _record_at(data, at)) is not None:
        yield record
        at += _HEAD_BYTES + len(record[1])


def _ends_torn(data: bytes, at: int) -> bool:
    """Whether nothing but the beginning of a record follows the valid ones, which end at `at`."""
    length = int.from_bytes(data[at : at + 4], "little")
    return len(data) < at + _HEAD_BYTES + length


def _record_at(data: bytes, at: int) -> tuple[bytes, bytes] | None:
    """Return key and hashes of the record at `at`; None if it is damaged, torn or missing."""
    head = data[at : at + _HEAD_BYTES]
    if len(head) < _HEAD_BYTES:
        return None
    length = int.from_bytes(head[:4], "little")
    serialised = data[at + _HEAD_BYTES : at + _HEAD_BYTES + length]
    crc = zlib.crc32(serialised, zlib.crc32(head[8:], zlib.crc32(head[:4])))
    if (
        len(serialised) < length
        or length % HASH_BYTES
        or crc != int.from_bytes(head[4:8], "little")
    ):
        return None
    return head[8:], serialised


def stored_model(folder: Path) -> VectorModel | None:
    """Return the model of the folder's vectors, None if its description cannot be read."""
    try:
        data = (folder / "MODEL").read_bytes()
        # descriptions of the first versions have no second line
        facts = unsealed(data) if b"\n" in data else json.loads(data)
        if facts["format"] != FORMAT:
            return None
        return VectorModel(str(facts["name"]), str(facts["revision"]), int(facts["dimension"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


class QueryVectorCache:
    """The vectors of one model that were computed for queries, in the folder of its store.

    They are one file of records like those of the store. Any process may append, even while another
    one writes the index or its vectors: the lock is held for one write, and if another process
    holds it, the vectors are not cached. The next process that appends cuts off a torn record.
    """

    def __init__(self, folder: Path, dimension: int):
        self._path = folder / "queried"
        self._dimension = dimension
        self._rows: NDArray[np.void] | None = None
        self._places: dict[bytes, int] | None = None

    def find(self, hash_: bytes) -> NDArray[np.float32] | None:
        """Return the vector of a text by its hash, None if there is no valid one."""
        at = self._known().get(hash_)
        if at is None or self._rows is None or not all(valid_rows(self._rows, [at])):
            return None
        vector: NDArray[np.float32] = self._rows[at]["vector"]
        return vector

    def _known(self) -> dict[bytes, int]:
        """Return the row of each hash; a later row replaces an earlier one."""
        if self._places is None:
            self._places = {}
            with contextlib.suppress(OSError):
                self._rows = map_rows(self._path, self._dimension)
                hashes = self._rows["hash"].tobytes()
                self._places = {
                    hashes[at : at + HASH_BYTES]: at // HASH_BYTES
                    for at in range(0, len(hashes), HASH_BYTES)
                }
        return self._places

    def keep(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Append vectors, by the hashes of their texts, if that is possible without waiting."""
        records = [record_of(hash_, vector) for hash_, vector in vectors.items()]
        with contextlib.suppress(OSError, LockedError, StorageError):
            make_folder(self._path.parent)
            with hold_lock(self._path.with_name("queried.LOCK"), timeout_s=0.0):
                self._append(records)

    def _append(self, records: Sequence[bytes]) -> None:
        size = row_type(self._dimension).itemsize
        with open(self._path, "ab") as file:
            whole = os.fstat(file.fileno()).st_size // size
            file.truncate(whole * size)
            if whole + len(records) <= MAX_CACHED:
                file.write(b"".join(records))
                return
        later = self._path.read_bytes()[(whole - MAX_CACHED // 2) * size :]
        replace_index_file(self._path, [later, *records], what="the vectors")
