"""The view: the rows of the store for each chunk of one commit. It can be rebuilt at any time.

In: the sources of a commit, and a function that returns the rows of a source's chunks. Out:
columns, with a code of one bit per dimension for every row. A view of an older commit is
updated for the sources that changed since.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leafmark.errors import LeafmarkError
from leafmark.index.folder import replace_index_file, sealed, unsealed
from leafmark.index.manifest import ManifestRow
from leafmark.index.vectors import map_rows, row_type, valid_rows
from leafmark.model import DocumentKey
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FORMAT = 4
PENDING = -1
"""Stands in for the rows of a chunk if some of its vectors are missing yet."""

WITHOUT_TEXT = -2
"""Stands in for the rows of a chunk that has no text of its own."""

FindRows = Callable[[DocumentKey], Sequence[Sequence[int]] | None]
"""Returns the rows of each of a source's chunks, by position; None if they are not known."""


@dataclass(frozen=True)
class VectorView:
    """The columns.

    `keys` are the sources with chunks, sorted. Source `i` has the chunks `[starts[i],
    starts[i + 1])`. Chunk `c` has the rows `rows[firsts[c]:firsts[c + 1]]`, at least one. A
    source's entry in `stamps` changes with the source. `lengths` has for each source the length
    of the mean of its vectors (the mean's direction is that of the whole document), 0 if some are
    missing. `rows_name` is the store's file of rows; its first `row_count` rows are known.
    """

    uuid: str
    seq: int
    rows_name: str
    row_count: int
    dimension: int
    keys: Sequence[DocumentKey]
    stamps: NDArray[np.int64]
    starts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    rows: NDArray[np.int32]
    lengths: NDArray[np.float32]
    codes: NDArray[np.uint64]

    @property
    def pending(self) -> int:
        """The number of chunks without a vector yet."""
        return int((self.rows == PENDING).sum())

    @property
    def has_any(self) -> bool:
        """Whether any chunk has a vector."""
        return bool((self.rows >= 0).any())

    @property
    def chunks(self) -> int:
        return len(self.firsts) - 1

    def has_rows(self, folder: Path) -> bool:
        """Whether the file of rows is long enough for the known rows."""
        try:
            size = (folder / self.rows_name).stat().st_size
        except OSError:
            return False
        return bool(size >= self.row_count * row_type(self.dimension).itemsize)

    def has_valid_rows(self, folder: Path) -> bool:
        """Whether the checksums of all chunks' rows are right; reads the whole file."""
        try:
            store = map_rows(folder / self.rows_name, self.dimension)
        except OSError:  # another run has put a smaller file in its place
            return False
        return all(valid_rows(store, self.rows[self.rows >= 0].tolist()))


def stamp_of(row: ManifestRow) -> int:
    """Return a number that changes when the source of the row changes."""
    key = json.dumps(row[:5]).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little", signed=True)


def build_view(
    manifest: Mapping[DocumentKey, ManifestRow],
    find_rows: FindRows,
    store: NDArray[np.void],
    *,
    uuid: str,
    seq: int,
    rows_name: str,
    old: VectorView | None = None,
) -> VectorView:
    """Return the view of a commit; the rows of unchanged sources come from the view `old`.

    `find_rows` is called only for other sources, and for sources with pending chunks.
    """
    import numpy as np

    known = _rows_by_source(old, rows_name)
    keys = sorted(key for key, row in manifest.items() if row.chunks)
    stamps = np.array([stamp_of(manifest[key]) for key in keys], dtype=np.int64)
    parts: list[_Rows] = []
    for at, key in enumerate(keys):
        rows = known.get((key, int(stamps[at])))
        if rows is None or (rows.rows == PENDING).any():
            rows = _rows_of(find_rows(key), manifest[key].chunks, store)
        parts.append(rows)
    codes = _codes(store, old if old is not None and old.rows_name == rows_name else None)
    return VectorView(
        uuid=uuid,
        seq=seq,
        rows_name=rows_name,
        row_count=len(store),
        dimension=store.dtype["vector"].shape[0],
        keys=keys,
        stamps=stamps,
        starts=_bounds([len(part.counts) for part in parts]),
        firsts=_bounds(np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])),
        rows=np.concatenate([np.empty(0, np.int32), *(part.rows for part in parts)]),
        lengths=np.array([part.length for part in parts], dtype=np.float32),
        codes=codes,
    )


def move_view(
    view: VectorView, moved: Mapping[int, int], store: NDArray[np.void], *, rows_name: str
) -> VectorView:
    """Return the view over another file of rows; `moved` maps old row numbers to new ones."""
    import numpy as np

    rows = [moved.get(row, PENDING) if row >= 0 else row for row in view.rows.tolist()]
    return replace(
        view,
        rows_name=rows_name,
        row_count=len(store),
        rows=np.array(rows, dtype=np.int32),
        codes=_codes(store, None),
    )


class _Rows(NamedTuple):
    """The rows of one source's chunks, their number by chunk, and the length of their mean."""

    counts: NDArray[np.int64]
    rows: NDArray[np.int32]
    length: float


def _rows_of(groups: Sequence[Sequence[int]] | None, chunks: int, store: NDArray[np.void]) -> _Rows:
    """Return the result of `find_rows` as columns; if it is None, all chunks are pending."""
    import numpy as np

    if groups is None or len(groups) != chunks:
        groups = [[PENDING]] * chunks
    silent = _zero_rows([row for group in groups for row in group if row >= 0], store)
    with_words = [[row for row in group if row not in silent] for group in groups]
    groups = [[PENDING] if PENDING in group else group or [WITHOUT_TEXT] for group in with_words]
    counts = np.array([len(group) for group in groups], dtype=np.int64)
    rows = np.array([row for group in groups for row in group], dtype=np.int32)
    return _Rows(counts, rows, _mean_length(rows, store))


def _zero_rows(rows: Sequence[int], store: NDArray[np.void]) -> set[int]:
    """Return the rows whose vectors are zeros: the model knows no word of their texts."""
    import numpy as np

    places = np.array(rows, dtype=np.int64)
    return set(places[~store["vector"][places].any(axis=1)].tolist()) if rows else set()


def _mean_length(rows: NDArray[np.int32], store: NDArray[np.void]) -> float:
    """Return the length of the mean of some rows, 0 if there are none or one is pending."""
    import numpy as np

    there = rows[rows >= 0]
    if not len(there) or (rows == PENDING).any():
        return 0.0
    length = float(np.linalg.norm(store["vector"][there].mean(axis=0, dtype=np.float64)))
    return length if np.isfinite(length) else 0.0


def _bounds(counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the start of each run of `counts` elements, and the end of the last run."""
    import numpy as np

    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ends[1:])
    return ends


def _rows_by_source(old: VectorView | None, rows_name: str) -> dict[tuple[DocumentKey, int], _Rows]:
    """Return the rows of the sources of a view, by key and stamp."""
    import numpy as np

    if old is None or old.rows_name != rows_name:
        return {}
    counts = np.diff(old.firsts)
    firsts = old.firsts[old.starts].tolist()
    starts = old.starts.tolist()
    lengths = old.lengths.tolist()
    return {
        (key, stamp): _Rows(
            counts[starts[at] : starts[at + 1]], old.rows[firsts[at] : firsts[at + 1]], lengths[at]
        )
        for at, (key, stamp) in enumerate(zip(old.keys, old.stamps.tolist(), strict=True))
    }


def _codes(store: NDArray[np.void], old: VectorView | None) -> NDArray[np.uint64]:
    """Return the signs of all vectors' numbers as bits: (words, n_rows) uint64.

    A search goes through them word by word, which is fast in this order.
    """
    import numpy as np

    vectors = store["vector"]
    words = -(-vectors.shape[1] // 64)
    codes = np.zeros((words, len(store)), dtype=np.uint64)
    done = 0
    if old is not None:
        done = min(old.row_count, len(store))
        codes[:, :done] = old.codes[:, :done]
    for start in range(done, len(store), 8192):
        signs = np.packbits(vectors[start : start + 8192] > 0, axis=1)
        padded = np.zeros((len(signs), words * 8), dtype=np.uint8)
        padded[:, : signs.shape[1]] = signs
        codes[:, start : start + len(signs)] = padded.view(np.uint64).T
    return codes


_COLUMNS = (
    ("stamps", "<i8"),
    ("starts", "<i8"),
    ("firsts", "<i8"),
    ("rows", "<i4"),
    ("lengths", "<f4"),
    ("codes", "<u8"),
)


_MAX_HEAD = 1 << 16
"""The most bytes of the head of a view, which usually has a few hundred."""


def write_view(path: Path, view: VectorView) -> None:
    """Write a view so that a crash leaves the old one or the new one.

    Raises:
        StorageError: it cannot be written.
    """
    parts = [_serialise_keys(view.keys)]
    parts += [getattr(view, name).astype(kind, copy=False).tobytes() for name, kind in _COLUMNS]
    body = b"".join(part + bytes(-len(part) % 8) for part in parts)
    facts = {
        "format": _FORMAT,
        "uuid": view.uuid,
        "seq": view.seq,
        "rows_name": view.rows_name,
        "row_count": view.row_count,
        "dimension": view.dimension,
        "lengths": [len(part) for part in parts],
        "crc": zlib.crc32(body),
    }
    head = sealed(facts)
    # the columns begin at a multiple of eight
    replace_index_file(path, [head, b" " * (-(len(head) + 1) % 8) + b"\n", body])


def _serialise_keys(keys: Sequence[DocumentKey]) -> bytes:
    text = "\0".join(part for key in keys for part in key)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def read_view(path: Path) -> VectorView | None:
    """Return the view in a file, None if the file is missing or not a valid view."""
    import numpy as np

    try:
        data = path.read_bytes()
        head, seal, blank, _ = data[:_MAX_HEAD].split(b"\n", 3)
        facts = unsealed(b"%s\n%s\n" % (head, seal))
        body = memoryview(data)[len(head) + len(seal) + len(blank) + 3 :]
        if facts["format"] != _FORMAT or facts["crc"] != zlib.crc32(body):
            return None
        parts, at = [], 0
        for length in facts["lengths"]:
            parts.append(body[at : at + length])
            at += length + (-length % 8)
        columns = {
            name: np.frombuffer(part, dtype=kind)
            for (name, kind), part in zip(_COLUMNS, parts[1:], strict=True)
        }
        return _assemble(facts, zlib.decompress(parts[0]), columns)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, zlib.error, LeafmarkError):
        return None


def _assemble(facts: Mapping[str, Any], names: bytes, columns: dict[str, Any]) -> VectorView:
    words = names.decode("utf-8", "surrogatepass").split("\0") if names else []
    keys = list(zip(words[::2], words[1::2], strict=True))
    count, dimension = int(facts["row_count"]), int(facts["dimension"])
    columns["codes"] = columns["codes"].reshape(-(-dimension // 64), count)
    starts, firsts = columns["starts"], columns["firsts"]
    counts = [len(columns[name]) for name in ("stamps", "starts", "firsts", "rows", "lengths")]
    if counts != [len(keys), len(keys) + 1, starts[-1] + 1, firsts[-1], len(keys)]:
        raise ValueError("columns of different lengths")
    return VectorView(
        uuid=str(facts["uuid"]),
        seq=int(facts["seq"]),
        rows_name=str(facts["rows_name"]),
        row_count=count,
        dimension=dimension,
        keys=keys,
        **columns,
    )


class WholeDocuments:
    """The documents of a view with vectors of several chunks, and without a missing vector."""

    def __init__(self, view: VectorView):
        self._view = view

    @cached_property
    def numbers(self) -> list[int]:
        """The numbers of the documents' sources, in order."""
        import numpy as np

        view = self._view
        if not view.chunks:
            return []
        there = view.rows[view.firsts[:-1]] >= 0
        chunks = np.add.reduceat(there, view.starts[:-1], dtype=np.int64)
        numbers: list[int] = np.flatnonzero((chunks > 1) & (view.lengths > 0)).tolist()
        return numbers

    def rows_of(self, source: int) -> NDArray[np.int32]:
        """Return the rows of a document's vectors."""
        view = self._view
        first, end = view.firsts[view.starts[source : source + 2]]
        rows = view.rows[first:end]
        return rows[rows >= 0]

    def from_rows(self, documents: Sequence[int], similarities: NDArray[np.float32]) -> list[float]:
        """Return the similarities of some documents, computed from those of all rows.

        The mark of a chunk without rows is negative: an index from the end of `similarities`.
        """
        import numpy as np

        if not documents:
            return []
        there, firsts, counts = self._columns
        sums = np.add.reduceat(similarities[self._view.rows] * there, firsts)[documents]
        lengths = counts[documents] * self._view.lengths[documents]
        results: list[float] = (sums / lengths).tolist()
        return results

    @cached_property
    def _columns(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Whether each entry of `rows` is a row; by source, its first entry and number of rows."""
        import numpy as np

        view = self._view
        there, firsts = view.rows >= 0, view.firsts[view.starts[:-1]]
        return there, firsts, np.add.reduceat(there, firsts, dtype=np.int64)

    def compared(
        self,
        documents: Sequence[int],
        compare: Callable[[NDArray[np.int32]], NDArray[np.float32]],
    ) -> list[float]:
        """Return the similarities of some documents, by comparing only their rows."""
        lengths = self._view.lengths
        return [float(compare(self.rows_of(at)).mean() / lengths[at]) for at in documents]
