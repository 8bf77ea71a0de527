"""Find the chunks nearest to a vector: a fast comparison with all, then an exact one with the best.

Up to `EXACT_UP_TO` rows, every vector is compared exactly. With more, codes of one bit per
dimension select `KEPT_SHARE` of the rows for the exact comparison; docs/decisions/meaning.md
explains why that finds many of the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from leafmark.index.vector_view import VectorView, WholeDocuments
from leafmark.index.vectors import map_rows, valid_rows
from leafmark.model import document_id
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_UP_TO = 150_000
"""Rows: an exact comparison with as many takes about as long as the two steps (measured)."""

KEPT_SHARE = 0.05
MIN_KEPT = 2000
ABSENT = -2.0
"""The similarity of a row that was not compared, or is not a valid vector."""

LARGEST = 1.001
"""Vectors have length 1, so a similarity farther from 0 than this means a damaged vector."""

NEAREST_CHUNKS = 1000
"""Only documents of so many chunks may be near as a whole, above `EXACT_UP_TO` (chosen by eye)."""

SAMPLE = 4096
"""Rows in the sample for a query's background, above `EXACT_UP_TO` (chosen by eye)."""


class Near(NamedTuple):
    """A chunk and the similarity of its vector, in [-1, 1]."""

    doc_id: str
    position: int
    similarity: float

    @property
    def place(self) -> tuple[str, int]:
        return self.doc_id, self.position


class Background(NamedTuple):
    """The usual similarity to a query: mean and standard deviation over `size` vectors."""

    mean: float
    deviation: float
    size: int


class Searcher(Protocol):
    """Searches the vectors of an index. `admits` is called with tree and path of every source."""

    @property
    def damaged(self) -> bool:
        """Whether a search met a damaged vector."""
        ...

    def prepare(
        self,
        query: NDArray[np.float32],
        places: Sequence[tuple[str, int]],
        limit: int,
        admits: Callable[[str, str], bool] | None,
    ) -> None:
        """Prepare the calls below, in one round trip if the vectors are across a network."""
        ...

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]: ...

    def nearest_documents(
        self,
        query: NDArray[np.float32],
        least: float,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]: ...

    def document_similarity(self, query: NDArray[np.float32], doc_id: str) -> float | None: ...

    def similarities(
        self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]
    ) -> list[float | None]: ...

    def background(self, query: NDArray[np.float32]) -> Background: ...


class VectorSearcher:
    """Searches the vectors of one view.

    Raises:
        OSError: the file of rows is gone; a newer view names another one.
    """

    def __init__(self, view: VectorView, folder: Path):
        self._view = view
        self._folder = folder
        self._store = map_rows(folder / view.rows_name, view.dimension)[: view.row_count]
        self._vectors = self._store["vector"]
        self._last_query = b""
        self._last_similarities: NDArray[np.float32] | None = None
        self.damaged = False
        """Whether a search met a damaged vector."""

    def prepare(self, *_args: object) -> None:
        """Do nothing: the vectors are local."""

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the chunks nearest to the query, best first; ties by document and position.

        `query` has length 1. `admits` is called with tree and path of every source. A chunk is
        as near as the nearest of its windows.
        """
        import numpy as np

        if not self._view.chunks:
            return []
        admitted = None if admits is None else self._admitted(admits)
        best = self._by_chunk(query, admitted, limit)
        edge = np.partition(best, -limit)[-limit] if len(best) > limit else ABSENT
        chosen = np.flatnonzero(best >= max(edge, ABSENT / 2))
        nearest = [
            Near(*self._place(chunk), similarity)
            for chunk, similarity in zip(chosen.tolist(), best[chosen].tolist(), strict=True)
            if self._is_valid(chunk)
        ]
        nearest.sort(key=lambda near: (-near.similarity, near.place))
        return nearest[:limit]

    def nearest_documents(
        self,
        query: NDArray[np.float32],
        least: float,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the documents of several chunks with a similarity of `least` or more, best first.

        If there are too many vectors to compare them all, only documents with one of the
        `NEAREST_CHUNKS` nearest chunks are considered.
        """
        keys = self._view.keys
        sources = self._documents.numbers
        if self._all_similarities(query) is None:
            near = {chunk.doc_id for chunk in self.nearest(query, NEAREST_CHUNKS, admits)}
            sources = [at for at in sources if document_id(*keys[at]) in near]
        nearest = [
            Near(document_id(*keys[at]), 0, similarity)
            for at, similarity in zip(sources, self._similarities_of(query, sources), strict=True)
            if similarity >= least and (admits is None or admits(*keys[at]))
            if all(self._check_rows(self._documents.rows_of(at).tolist()))
        ]
        return sorted(nearest, key=lambda near: (-near.similarity, near.place))

    def document_similarity(self, query: NDArray[np.float32], doc_id: str) -> float | None:
        """Return the similarity of a document of several chunks as a whole.

        None if it does not have several chunks, or some of its vectors are missing.
        """
        at = self._numbers.get(doc_id)
        if at is None or at not in self._documents.numbers:
            return None
        return self._similarities_of(query, [at])[0]

    def _similarities_of(self, query: NDArray[np.float32], sources: Sequence[int]) -> list[float]:
        complete = self._all_similarities(query)
        if complete is None:
            return self._documents.compared(sources, lambda rows: self._exact(query, rows))
        return self._documents.from_rows(sources, complete)

    @cached_property
    def _documents(self) -> WholeDocuments:
        return WholeDocuments(self._view)

    def _admitted(self, admits: Callable[[str, str], bool]) -> NDArray[np.bool_]:
        """Return for each chunk whether its source is admitted."""
        import numpy as np

        view = self._view
        by_source = np.fromiter((admits(*key) for key in view.keys), np.bool_, len(view.keys))
        return np.repeat(by_source, np.diff(view.starts))

    def _by_chunk(
        self, query: NDArray[np.float32], admitted: NDArray[np.bool_] | None, limit: int
    ) -> NDArray[np.float32]:
        """Return the similarity of each chunk's nearest window, `ABSENT` if there is none."""
        import numpy as np

        view = self._view
        if admitted is not None and not admitted.any():
            return np.full(view.chunks, ABSENT, dtype=np.float32)
        similarities = self._by_row(query, admitted, limit)
        best: NDArray[np.float32] = np.maximum.reduceat(similarities[view.rows], view.firsts[:-1])
        return best if admitted is None else np.where(admitted, best, np.float32(ABSENT))

    def _by_row(
        self, query: NDArray[np.float32], admitted: NDArray[np.bool_] | None, limit: int
    ) -> NDArray[np.float32]:
        """Return the similarity of each row, `ABSENT` for rows that were not compared.

        Two more numbers are at the end: the marks of chunks without rows are negative indices.
        """
        import numpy as np

        if (complete := self._all_similarities(query)) is not None:
            return complete
        similarities = np.full(len(self._vectors) + 2, ABSENT, dtype=np.float32)
        rows = self._rows_of(admitted)
        if len(rows) > EXACT_UP_TO:
            rows = self._prefiltered(query, rows, max(MIN_KEPT, 4 * limit))
        similarities[rows] = self._exact(query, rows)
        return similarities

    def _all_similarities(self, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Return the similarities of all rows, None if there are too many to compare.

        They are cached for the next call with the same query.
        """
        import numpy as np

        if len(self._vectors) > EXACT_UP_TO:
            return None
        query_bytes = query.tobytes()
        if self._last_query != query_bytes:
            similarities = np.full(len(self._vectors) + 2, ABSENT, dtype=np.float32)
            similarities[:-2] = self._exact(query, None)
            self._last_query, self._last_similarities = query_bytes, similarities
        return self._last_similarities

    def _rows_of(self, admitted: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the rows of the admitted chunks, each once, in order."""
        import numpy as np

        view = self._view
        rows = view.rows if admitted is None else view.rows[np.repeat(admitted, self._windows)]
        marked = np.zeros(len(self._vectors) + 2, dtype=np.bool_)  # as in `_by_row`
        marked[rows] = True
        return np.flatnonzero(marked[:-2])

    @cached_property
    def _windows(self) -> NDArray[np.int64]:
        import numpy as np

        return np.diff(self._view.firsts)

    def _place(self, chunk: int) -> tuple[str, int]:
        import numpy as np

        source = int(np.searchsorted(self._view.starts, chunk, side="right")) - 1
        return document_id(*self._view.keys[source]), chunk - int(self._view.starts[source])

    def _is_valid(self, chunk: int) -> bool:
        """Whether the checksums of a chunk's rows are right."""
        rows = self._view.rows[self._view.firsts[chunk] : self._view.firsts[chunk + 1]]
        return all(self._check_rows(rows.tolist()))

    def _check_rows(self, rows: Sequence[int]) -> list[bool]:
        """Return for each row whether it is valid; note damage in `damaged`."""
        are_valid = valid_rows(self._store, rows)
        self.damaged = self.damaged or not all(are_valid)
        return are_valid

    def _exact(
        self, query: NDArray[np.float32], rows: NDArray[np.signedinteger] | None
    ) -> NDArray[np.float32]:
        """Return the similarities of some rows, None for all of them."""
        import numpy as np

        vectors = self._vectors if rows is None else self._vectors[rows]
        with np.errstate(all="ignore"):  # a damaged row may have any number
            similarities = np.asarray(vectors @ query.ravel(), dtype=np.float32)
            similarities[~(np.abs(similarities) <= LARGEST)] = ABSENT
        return similarities

    def _prefiltered(
        self, query: NDArray[np.float32], rows: NDArray[np.int64], least: int
    ) -> NDArray[np.int64]:
        """Return the rows whose signs agree most with the query's."""
        import numpy as np

        count = max(least, int(KEPT_SHARE * len(rows)))
        if count >= len(rows):
            return rows
        codes = self._view.codes
        signs = np.packbits(query.ravel() > 0)
        padded = np.zeros(codes.shape[0] * 8, dtype=np.uint8)
        padded[: len(signs)] = signs
        own = codes if len(rows) == codes.shape[1] else codes[:, rows]
        differing = np.zeros(len(rows), dtype=np.uint16)
        for column, word in zip(own, padded.view(np.uint64), strict=True):
            differing += np.bitwise_count(column ^ word)
        return rows[np.sort(np.argpartition(differing, count)[:count])]

    def similarities(
        self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]
    ) -> list[float | None]:
        """Return the similarity of each chunk, None for a chunk without a vector (yet)."""
        import numpy as np

        rows = [self._rows_at(*place) for place in places]
        needed = sorted({row for group in rows for row in group})
        chosen = np.array(needed, dtype=np.int32)
        complete = self._all_similarities(query)
        exact = (self._exact(query, chosen) if complete is None else complete[chosen]).tolist()
        valid = self._check_rows(needed)
        known = {row: value for row, value, good in zip(needed, exact, valid, strict=True) if good}
        return [
            max(known[row] for row in group) if group and known.keys() >= set(group) else None
            for group in rows
        ]

    def _rows_at(self, doc_id: str, position: int) -> list[int]:
        """Return the rows of a chunk; none if it has no vectors (yet)."""
        source = self._numbers.get(doc_id)
        if source is None:
            return []
        view = self._view
        chunk = int(view.starts[source]) + position
        if chunk >= view.starts[source + 1]:
            return []
        rows: list[int] = view.rows[view.firsts[chunk] : view.firsts[chunk + 1]].tolist()
        return rows if rows[0] >= 0 else []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {document_id(*key): at for at, key in enumerate(self._view.keys)}

    def background(self, query: NDArray[np.float32]) -> Background:
        """Return the usual similarity over all windows, or over an even sample of them.

        Impossible similarities reveal damaged rows at no further cost.
        """
        rows = self._view.rows[self._view.rows >= 0]
        complete = self._all_similarities(query)
        if complete is None:
            values = self._exact(query, rows[:: max(1, len(rows) // SAMPLE)])
        else:
            values = complete[rows]
        compared, values = len(values), values[values > ABSENT]
        self.damaged = self.damaged or len(values) < compared
        if len(values) < 2:
            return Background(0.0, 1.0, len(values))
        return Background(float(values.mean()), max(float(values.std()), 1e-6), len(values))
