"""How near documents are as a whole: similarities to the mean of all their vectors.

A document's vector is that mean, scaled to length 1. So its similarity is the mean of its
vectors' similarities, divided by the length of their mean, which the view knows. A vector
that several chunks share counts once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from leafmark.index.vector_view import VectorView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WholeDocuments"]


class WholeDocuments:
    """The documents of a view that have vectors of several chunks, and all of them."""

    def __init__(self, view: VectorView):
        self._view = view

    @cached_property
    def numbers(self) -> list[int]:
        """The numbers of their sources, in order."""
        import numpy as np

        view = self._view
        if not view.chunks:
            return []
        there = view.rows[view.firsts[:-1]] >= 0
        chunks = np.add.reduceat(there, view.starts[:-1], dtype=np.int64)
        found: list[int] = np.flatnonzero((chunks > 1) & (view.lengths > 0)).tolist()
        return found

    def rows_of(self, source: int) -> NDArray[np.int32]:
        """Return the rows of a document's vectors."""
        view = self._view
        first, end = view.firsts[view.starts[source : source + 2]]
        rows = view.rows[first:end]
        return rows[rows >= 0]

    def from_rows(self, wanted: Sequence[int], similarities: NDArray[np.float32]) -> list[float]:
        """Return the similarities of some documents from those of all rows.

        The mark of a chunk without rows is negative, an index from the end of `similarities`.
        """
        import numpy as np

        if not wanted:
            return []
        there, firsts, counts = self._columns
        sums = np.add.reduceat(similarities[self._view.rows] * there, firsts)[wanted]
        found: list[float] = (sums / (counts[wanted] * self._view.lengths[wanted])).tolist()
        return found

    @cached_property
    def _columns(self) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Which of the view's rows are there, where each source's begin, and how many it has."""
        import numpy as np

        view = self._view
        there, firsts = view.rows >= 0, view.firsts[view.starts[:-1]]
        return there, firsts, np.add.reduceat(there, firsts, dtype=np.int64)

    def compared(
        self,
        wanted: Sequence[int],
        compare: Callable[[NDArray[np.int32]], NDArray[np.float32]],
    ) -> list[float]:
        """Return the similarities of some documents, comparing only their rows."""
        lengths = self._view.lengths
        return [float(compare(self.rows_of(at)).mean() / lengths[at]) for at in wanted]
