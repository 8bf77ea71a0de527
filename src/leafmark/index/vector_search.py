"""The chunks nearest to a vector: a fast look at all, then an exact one at the best.

Below `EXACT_UP_TO` rows every vector is compared. Above, codes of one bit per
dimension choose `KEPT_SHARE` of the rows, whose similarities are then exact; how
many of the best are found that way is measured in docs/DECISIONS.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leafmark.index.vector_view import VectorView
from leafmark.index.vectors import map_rows, valid_rows
from leafmark.model.ids import document_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Background", "Near", "VectorSearcher"]

EXACT_UP_TO = 150_000
"""Rows: to compare them all takes about as long as the two steps do (measured)."""

KEPT_SHARE = 0.05
LEAST_KEPT = 2000
SAMPLE = 4096
"""Rows from which is told what similarity is usual for a query (chosen by eye)."""


class Near(NamedTuple):
    """A chunk and how similar its vector is, from -1 to 1."""

    doc_id: str
    position: int
    similarity: float

    @property
    def place(self) -> tuple[str, int]:
        return self.doc_id, self.position


class Background(NamedTuple):
    """What similarity to a query is usual among the chunks: mean and standard deviation."""

    mean: float
    deviation: float


class VectorSearcher:
    """Searches the vectors of one view.

    Raises:
        OSError: the file of rows is gone; a newer view names another.
    """

    def __init__(self, view: VectorView, folder: Path):
        self._view = view
        self._folder = folder
        self._store = map_rows(folder / view.rows_name, view.dimension)[: view.row_count]
        self._vectors = self._store["vector"]

    @property
    def pending(self) -> int:
        return self._view.pending

    @cached_property
    def _chunks_by_row(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Chunk numbers in order of their rows, and those rows."""
        import numpy as np

        order = np.argsort(self._view.rows, kind="stable")
        return order, self._view.rows[order]

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the chunks nearest to the query, best first; ties by document and position.

        `query` has length 1. `admits` is asked about the tree and path of every source.
        Equal texts share a vector, so they come together.
        """
        candidates = self._candidates(admits)
        if not len(candidates):
            return []
        rows, similarities = self._best(query, candidates, limit)
        found = [
            near
            for row, similarity in zip(rows, similarities, strict=True)
            for near in self._chunks_of(row, similarity, admits)
        ]
        found.sort(key=lambda near: (-near.similarity, near.place))
        return found[:limit]

    def _candidates(self, admits: Callable[[str, str], bool] | None) -> NDArray[np.int32]:
        """Return the rows of the admitted chunks, each once."""
        import numpy as np

        if admits is None:
            return self._all_rows
        view = self._view
        parts = [
            view.rows[view.starts[at] : view.starts[at + 1]]
            for at, (tree, path) in enumerate(view.keys)
            if admits(tree, path)
        ]
        if not parts:
            return np.empty(0, dtype=np.int32)
        rows = np.unique(np.concatenate(parts))
        return rows[rows >= 0]

    @cached_property
    def _all_rows(self) -> NDArray[np.int32]:
        import numpy as np

        rows = np.unique(self._view.rows)
        return rows[rows >= 0]

    def _best(
        self, query: NDArray[np.float32], rows: NDArray[np.int32], limit: int
    ) -> tuple[list[int], list[float]]:
        """Return the best rows that are what was written, and all that tie with the last."""
        import numpy as np

        if len(rows) > EXACT_UP_TO:
            rows = self._prefiltered(query, rows, max(LEAST_KEPT, 4 * limit))
        similarities = self._exact(query, rows)
        if len(rows) > limit:
            edge = np.partition(similarities, len(rows) - limit)[len(rows) - limit]
            chosen = np.flatnonzero(similarities >= edge)
            rows, similarities = rows[chosen], similarities[chosen]
        valid = valid_rows(self._store, rows.tolist())
        pairs = [
            (row, similarity)
            for row, similarity, good in zip(
                rows.tolist(), similarities.tolist(), valid, strict=True
            )
            if good
        ]
        return [row for row, _ in pairs], [similarity for _, similarity in pairs]

    def _exact(self, query: NDArray[np.float32], rows: NDArray[np.int32]) -> NDArray[np.float32]:
        import numpy as np

        whole = len(rows) == len(self._vectors)
        vectors = self._vectors if whole else self._vectors[rows]
        found = np.asarray(vectors @ query.ravel(), dtype=np.float32)
        return np.nan_to_num(found, nan=-2.0, posinf=-2.0, neginf=-2.0)

    def _prefiltered(
        self, query: NDArray[np.float32], rows: NDArray[np.int32], least: int
    ) -> NDArray[np.int32]:
        """Return the rows whose signs agree most with the query's."""
        import numpy as np

        kept = max(least, int(KEPT_SHARE * len(rows)))
        if kept >= len(rows):
            return rows
        codes = self._view.codes
        signs = np.packbits(query.ravel() > 0)
        padded = np.zeros(codes.shape[0] * 8, dtype=np.uint8)
        padded[: len(signs)] = signs
        own = codes if len(rows) == codes.shape[1] else codes[:, rows]
        differing = np.zeros(len(rows), dtype=np.uint16)
        for column, word in zip(own, padded.view(np.uint64), strict=True):
            differing += np.bitwise_count(column ^ word)
        return rows[np.sort(np.argpartition(differing, kept)[:kept])]

    def _chunks_of(
        self, row: int, similarity: float, admits: Callable[[str, str], bool] | None
    ) -> Iterable[Near]:
        """Yield the admitted chunks whose text a row is of."""
        import numpy as np

        order, rows = self._chunks_by_row
        first, last = np.searchsorted(rows, [row, row + 1])
        for chunk in order[first:last].tolist():
            source = int(np.searchsorted(self._view.starts, chunk, side="right")) - 1
            key = self._view.keys[source]
            if admits is None or admits(*key):
                position = chunk - int(self._view.starts[source])
                yield Near(document_id(*key), position, similarity)

    def similarities(
        self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]
    ) -> list[float | None]:
        """Return how similar each chunk is; None for one that has no vector, or none yet."""
        import numpy as np

        rows = [self._row(*place) for place in places]
        present = [row for row in rows if row >= 0]
        exact = self._exact(query, np.array(present, dtype=np.int32)).tolist()
        valid = valid_rows(self._store, present)
        known = {row: each for row, each, good in zip(present, exact, valid, strict=True) if good}
        return [known.get(row) for row in rows]

    def _row(self, doc_id: str, position: int) -> int:
        source = self._numbers.get(doc_id)
        if source is None:
            return -1
        at = int(self._view.starts[source]) + position
        return int(self._view.rows[at]) if at < self._view.starts[source + 1] else -1

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {document_id(*key): at for at, key in enumerate(self._view.keys)}

    def background(self, query: NDArray[np.float32]) -> Background:
        """Return what similarity is usual, from rows spread evenly over all."""
        rows = self._all_rows
        sample = rows[:: max(1, len(rows) // SAMPLE)]
        if len(sample) < 2:
            return Background(0.0, 1.0)
        found = self._exact(query, sample)
        return Background(float(found.mean()), max(float(found.std()), 1e-6))
