"""Find the chunks nearest to a vector: a fast look at all, then an exact one at the best.

Up to `EXACT_UP_TO` rows, every vector is compared. With more, codes of one bit per dimension
choose `KEPT_SHARE` of the rows, which are then compared exactly; docs/decisions/meaning.md says why
many of the best are found that way.
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
"""Rows: comparing as many takes about as long as the two steps (measured)."""

KEPT_SHARE = 0.05
MIN_KEPT = 2000
ABSENT = -2.0
"""The similarity of a row that was not compared, or is no vector."""

LARGEST = 1.001
"""Vectors have length 1: a similarity farther from 0 than this means a damaged vector."""

NEAREST_CHUNKS = 1000
"""Chunks whose documents may be near as a whole, above `EXACT_UP_TO` (chosen by eye)."""

SAMPLE = 4096
"""Rows that tell what is usual for a query, above `EXACT_UP_TO` (chosen by eye)."""


class Near(NamedTuple):
    """A chunk and how similar its vector is, from -1 to 1."""

    doc_id: str
    position: int
    similarity: float

    @property
    def place(self) -> tuple[str, int]:
        return self.doc_id, self.position


class Background(NamedTuple):
    """Which similarity to a query is usual: mean and standard deviation of `size` vectors."""

    mean: float
    deviation: float
    size: int


class Searcher(Protocol):
    """Asks the vectors of an index. `admits` is asked about the tree and path of every source."""

    @property
    def damaged(self) -> bool:
        """Whether a search met a vector that is not what was written."""
        ...

    def prepare(
        self,
        query: NDArray[np.float32],
        places: Sequence[tuple[str, int]],
        limit: int,
        admits: Callable[[str, str], bool] | None,
    ) -> None:
        """Get ready for the questions below, in one round trip where there are any."""
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
        OSError: the file of rows is gone; a newer view names another.
    """

    def __init__(self, view: VectorView, folder: Path):
        self._view = view
        self._folder = folder
        self._store = map_rows(folder / view.rows_name, view.dimension)[: view.row_count]
        self._vectors = self._store["vector"]
        self._asked = b""
        self._found: NDArray[np.float32] | None = None
        self.damaged = False
        """Whether a search met a vector that is not what was written."""

    def prepare(self, *_asked: object) -> None:
        """Nothing: the vectors are here."""

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the chunks nearest to the query, best first; ties by document and position.

        `query` has length 1. `admits` is asked about the tree and path of every source. A
        chunk is as near as the nearest of its windows.
        """
        import numpy as np

        if not self._view.chunks:
            return []
        admitted = None if admits is None else self._admitted(admits)
        best = self._by_chunk(query, admitted, limit)
        edge = np.partition(best, -limit)[-limit] if len(best) > limit else ABSENT
        chosen = np.flatnonzero(best >= max(edge, ABSENT / 2))
        found = [
            Near(*self._place(chunk), similarity)
            for chunk, similarity in zip(chosen.tolist(), best[chosen].tolist(), strict=True)
            if self._is_valid(chunk)
        ]
        found.sort(key=lambda near: (-near.similarity, near.place))
        return found[:limit]

    def nearest_documents(
        self,
        query: NDArray[np.float32],
        least: float,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the documents of several chunks whose similarity is at least `least`, best first.

        If there are too many vectors to compare them all, only documents with one of the
        `NEAREST_CHUNKS` nearest chunks are considered.
        """
        keys = self._view.keys
        wanted = self._documents.numbers
        if self._everything(query) is None:
            near = {one.doc_id for one in self.nearest(query, NEAREST_CHUNKS, admits)}
            wanted = [at for at in wanted if document_id(*keys[at]) in near]
        found = [
            Near(document_id(*keys[at]), 0, similarity)
            for at, similarity in zip(wanted, self._as_wholes(query, wanted), strict=True)
            if similarity >= least and (admits is None or admits(*keys[at]))
            if all(self._sound(self._documents.rows_of(at).tolist()))
        ]
        return sorted(found, key=lambda near: (-near.similarity, near.place))

    def document_similarity(self, query: NDArray[np.float32], doc_id: str) -> float | None:
        """Return how similar a document of several chunks is as a whole.

        None where it is none, or not all of its vectors are there.
        """
        at = self._numbers.get(doc_id)
        if at is None or at not in self._documents.numbers:
            return None
        return self._as_wholes(query, [at])[0]

    def _as_wholes(self, query: NDArray[np.float32], wanted: Sequence[int]) -> list[float]:
        everything = self._everything(query)
        if everything is None:
            return self._documents.compared(wanted, lambda rows: self._exact(query, rows))
        return self._documents.from_rows(wanted, everything)

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

        There are two more at the end: the marks of chunks without rows are negative indices.
        """
        import numpy as np

        if (everything := self._everything(query)) is not None:
            return everything
        found = np.full(len(self._vectors) + 2, ABSENT, dtype=np.float32)
        rows = self._rows_of(admitted)
        if len(rows) > EXACT_UP_TO:
            rows = self._prefiltered(query, rows, max(MIN_KEPT, 4 * limit))
        found[rows] = self._exact(query, rows)
        return found

    def _everything(self, query: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Return the similarities of all rows, None if there are too many to compare.

        They are remembered for the next call with this query.
        """
        import numpy as np

        if len(self._vectors) > EXACT_UP_TO:
            return None
        asked = query.tobytes()
        if self._asked != asked:
            found = np.full(len(self._vectors) + 2, ABSENT, dtype=np.float32)
            found[:-2] = self._exact(query, None)
            self._asked, self._found = asked, found
        return self._found

    def _rows_of(self, admitted: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return the rows of the admitted chunks, each once, in order."""
        import numpy as np

        view = self._view
        kept = view.rows if admitted is None else view.rows[np.repeat(admitted, self._windows)]
        marked = np.zeros(len(self._vectors) + 2, dtype=np.bool_)  # as in `_by_row`
        marked[kept] = True
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
        """Whether the rows of a chunk are what was written."""
        rows = self._view.rows[self._view.firsts[chunk] : self._view.firsts[chunk + 1]]
        return all(self._sound(rows.tolist()))

    def _sound(self, rows: Sequence[int]) -> list[bool]:
        """Say of each row whether it is what was written, and remember if one is not."""
        found = valid_rows(self._store, rows)
        self.damaged = self.damaged or not all(found)
        return found

    def _exact(
        self, query: NDArray[np.float32], rows: NDArray[np.signedinteger] | None
    ) -> NDArray[np.float32]:
        """Return the similarities of some rows, None for all of them."""
        import numpy as np

        vectors = self._vectors if rows is None else self._vectors[rows]
        with np.errstate(all="ignore"):  # a damaged row may hold any number
            found = np.asarray(vectors @ query.ravel(), dtype=np.float32)
            found[~(np.abs(found) <= LARGEST)] = ABSENT
        return found

    def _prefiltered(
        self, query: NDArray[np.float32], rows: NDArray[np.int64], least: int
    ) -> NDArray[np.int64]:
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

    def similarities(
        self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]
    ) -> list[float | None]:
        """Return how similar each chunk is; None for a chunk without a vector (yet)."""
        import numpy as np

        rows = [self._rows_at(*place) for place in places]
        wanted = sorted({row for each in rows for row in each})
        chosen = np.array(wanted, dtype=np.int32)
        everything = self._everything(query)
        exact = (self._exact(query, chosen) if everything is None else everything[chosen]).tolist()
        valid = self._sound(wanted)
        known = {row: each for row, each, good in zip(wanted, exact, valid, strict=True) if good}
        return [
            max(known[row] for row in each) if each and known.keys() >= set(each) else None
            for each in rows
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
        """Return which similarity is usual: of all windows, or of an even sample of them.

        Those that cannot be similarities tell that their rows are damaged, at no further cost.
        """
        rows = self._view.rows[self._view.rows >= 0]
        everything = self._everything(query)
        if everything is None:
            found = self._exact(query, rows[:: max(1, len(rows) // SAMPLE)])
        else:
            found = everything[rows]
        compared, found = len(found), found[found > ABSENT]
        self.damaged = self.damaged or len(found) < compared
        if len(found) < 2:
            return Background(0.0, 1.0, len(found))
        return Background(float(found.mean()), max(float(found.std()), 1e-6), len(found))
