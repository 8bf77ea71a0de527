"""How near the chunks of an index are to a text, and from where on that means something.

In: the vectors of the texts, and those of the index. Out: what `retrieval` asks of
similarities. Where they lie differs from model to model: the bounds of those that were
measured stand here, and those of others are estimated from what is usual for a text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from leafmark.embedding import Vectors
from leafmark.index.vector_search import Background, Near, VectorSearcher
from leafmark.search.fuse import Usual

__all__ = ["VectorMeaning"]


class _Bounds(NamedTuple):
    """From where on a similarity means something: see `retrieval.meaning.Usual`."""

    least: float
    doubtful: float
    least_document: float


MEASURED = {"minilm": _Bounds(least=0.35, doubtful=0.65, least_document=0.5)}
"""The bounds of models that were measured (2026-11-22, docs/DECISIONS.md), by provider."""

LEAST_DEVIATIONS = 3.0
"""For other models: how far above the mean of all chunks, in standard deviations.

With the next two it gives `minilm` the answers that its own bounds give, within 0.004 of
overlap-MRR, and as many marks of doubt.
"""

DOCUMENT_FACTOR = 1.5
"""A document is found as a whole this many times as far above the mean."""

DOUBTFUL_FACTOR = 2.0
"""An answer by meaning is doubtful up to this many times as far above the mean."""


class VectorMeaning:
    """The vectors of an index, asked by text: a `retrieval.meaning.Meaning`.

    `vectors` are those of the texts. `stated` is the least similarity that the user
    chose, 0 for none; `provider` is whose bounds hold without one.
    """

    def __init__(
        self,
        searcher: VectorSearcher,
        vectors: Mapping[str, Vectors],
        *,
        stated: float,
        provider: str,
    ):
        self._searcher = searcher
        self._vectors = vectors
        self._stated = stated
        self._measured = None if stated else MEASURED.get(provider)

    @property
    def damaged(self) -> bool:
        return self._searcher.damaged

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        return self._searcher.nearest(self._vectors[text], limit, _by_tree(admits))

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        return self._searcher.nearest_documents(self._vectors[text], least, _by_tree(admits))

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        return self._searcher.document_similarity(self._vectors[text], doc_id)

    def similarities(self, text: str, places: Sequence[tuple[str, int]]) -> Sequence[float | None]:
        return self._searcher.similarities(self._vectors[text], places)

    def usual(self, text: str) -> Usual:
        """The mean of all chunks, and the bounds known for the model, else estimated."""
        found = self._searcher.background(self._vectors[text])
        return Usual(found.mean, *(self._measured or _estimated(found, self._stated)))


def _estimated(found: Background, stated: float) -> _Bounds:
    """Return the bounds where none were measured: by how far above the mean the least one is."""
    least = stated or found.mean + _deviations(found.size) * found.deviation
    above = max(0.0, least - found.mean)
    return _Bounds(
        least=least,
        doubtful=found.mean + DOUBTFUL_FACTOR * above,
        least_document=found.mean + DOCUMENT_FACTOR * above,
    )


def _deviations(count: int) -> float:
    """Return how many standard deviations above the mean is far, among so many vectors.

    None of `count` numbers is more than (count - 1) / √count above their mean; half of
    that is asked of few.

    >>> [round(_deviations(count), 2) for count in (1, 3, 10, 40, 4096)]
    [0.0, 0.58, 1.42, 3.0, 3.0]
    """
    return min(LEAST_DEVIATIONS, 0.5 * (count - 1) / math.sqrt(max(count, 1)))


def _by_tree(admits: Callable[[str], bool] | None) -> Callable[[str, str], bool] | None:
    return None if admits is None else (lambda tree, path: admits(tree))
