"""How near the chunks of an index are to a text, and from where on that means something.

In: the vectors of the texts, those of the index, and what makes others while a search waits.
Out: what `search.fuse` asks of similarities. Where they lie differs from model to model: the
bounds of those that were measured stand here, and those of others are estimated from what is
usual for a text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from leafmark.embedding import Vectors
from leafmark.errors import LeafmarkError
from leafmark.index.query_vectors import QueryVectorCache
from leafmark.index.vector_search import Background, Near, VectorSearcher
from leafmark.index.vectors import text_hash
from leafmark.search.fuse import ChunkRef, Usual

__all__ = ["MAX_CHARACTERS", "MEASURED", "CandidateVectors", "VectorMeaning"]


class Bounds(NamedTuple):
    """From where on a similarity means something: see `search.fuse.Usual`."""

    least: float
    doubtful: float
    least_document: float


MEASURED = {"minilm": (0.15, Bounds(least=0.35, doubtful=0.65, least_document=0.5))}
"""By provider: the mean over all chunks that is usual, and the bounds. Only models that are
here make vectors while a search waits: of few vectors nobody can tell what is usual."""

LEAST_DEVIATIONS = 3.0
"""For other models: how far above the mean of all chunks, in standard deviations.

With the next two it gives `minilm` the answers that its own bounds give, within 0.004 of
overlap-MRR, and as many marks of doubt.
"""

DOCUMENT_FACTOR = 1.5
"""A document is found as a whole this many times as far above the mean."""

DOUBTFUL_FACTOR = 2.0
"""An answer by meaning is doubtful up to this many times as far above the mean."""

ENOUGH = 64
"""Vectors whose mean tells what is usual for a text; of fewer, the measured one is taken."""


CANDIDATES = 20
"""So many of the best matches by words get a vector while a search waits. 20 bring 82 to 86 % of
what vectors of all chunks bring, 50 bring 93 %."""

WINDOW_TOKENS = 128
"""Tokens of the one part of a match whose vector is made: the one with most of the query's words.

The model was trained on as many. It takes 17 ms, all parts of 256 take 80; what 20 matches gain
is the same.
"""

MAX_CHARACTERS = 32_000
"""How far into a text its parts are looked for: beyond the most windows that a text has."""


class CandidateVectors:
    """Makes vectors of a search's best matches that have none, as far as its time allows.

    `embed` returns the vector of one text, or raises `TimeoutError`. `terms` are the words of a
    text as the index has them, in the language of a tree. `read` gives a chunk's text, None
    where its source is another now. New vectors are kept for later searches.
    """

    def __init__(
        self,
        cache: QueryVectorCache,
        *,
        windows: Callable[[str, int], Sequence[str]],
        embed: Callable[[str], Vectors],
        terms: Callable[[str, str], Sequence[str]],
        read: Callable[[ChunkRef], str | None],
    ):
        self._cache = cache
        self._windows = windows
        self._embed = embed
        self._terms = terms
        self._read = read
        self._texts: dict[ChunkRef, Sequence[str]] = {}
        self._known: dict[bytes, Vectors] = {}
        self._is_over = False
        self.late = 0
        """How many matches have no vector because time was over."""

    def similarities(
        self, query: Vectors, text: str, refs: Sequence[ChunkRef]
    ) -> list[float | None]:
        """Return how similar chunks are to a query of that text; None for what is not ready."""
        made: dict[bytes, Vectors] = {}
        found = [self._similarity(query, text, ref, made) for ref in refs]
        if made:
            self._cache.keep(made)
        return found

    def _similarity(
        self, query: Vectors, text: str, ref: ChunkRef, made: dict[bytes, Vectors]
    ) -> float | None:
        window = self._window(text, ref)
        if window is None:
            return None
        hash_ = text_hash(window)
        vector = self._known.get(hash_)
        if vector is None:
            vector = self._cache.find(hash_)
        if vector is None:
            vector = self._new(window)
            if vector is None:
                self.late += 1
                return None
            made[hash_] = vector
        self._known[hash_] = vector
        return float(vector @ query.ravel()) if vector.any() else None

    def _new(self, window: str) -> Vectors | None:
        """Return the vector of a text, None once time is over or the model fails."""
        if self._is_over:
            return None
        try:
            return self._embed(window).ravel()
        except (TimeoutError, LeafmarkError):
            self._is_over = True
            return None

    def _window(self, text: str, ref: ChunkRef) -> str | None:
        """Return the part of a chunk with most words of the query; None if there is no text."""
        if ref not in self._texts:
            whole = self._read(ref)
            self._texts[ref] = self._windows(whole, WINDOW_TOKENS) if whole else ()
        parts = self._texts[ref]
        if len(parts) < 2:
            return parts[0] if parts else None
        tree = ref[0].partition(":")[0]
        asked = set(self._terms(tree, text))
        return max(parts, key=lambda part: len(asked.intersection(self._terms(tree, part))))


class VectorMeaning:
    """The vectors of an index, asked by text: a `search.fuse.Meaning`.

    `vectors` are those of the texts. `searcher` is None where the index has no vectors yet,
    `make` where none are made for a search. `stated` is the least similarity that the user
    chose, 0 for none; `provider` is whose bounds hold without one.
    """

    def __init__(
        self,
        searcher: VectorSearcher | None,
        vectors: Mapping[str, Vectors],
        *,
        stated: float,
        provider: str,
        make: CandidateVectors | None = None,
    ):
        self._searcher = searcher
        self._vectors = vectors
        self._stated = stated
        self._measured = MEASURED.get(provider)
        self._make = make

    @property
    def damaged(self) -> bool:
        return self._searcher is not None and self._searcher.damaged

    @property
    def late(self) -> int:
        return 0 if self._make is None else self._make.late

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        if self._searcher is None:
            return ()
        return self._searcher.nearest(self._vectors[text], limit, _by_tree(admits))

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        if self._searcher is None:
            return ()
        return self._searcher.nearest_documents(self._vectors[text], least, _by_tree(admits))

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        if self._searcher is None:
            return None
        return self._searcher.document_similarity(self._vectors[text], doc_id)

    def similarities(self, text: str, places: Sequence[ChunkRef]) -> Sequence[float | None]:
        query = self._vectors[text]
        found: list[float | None] = [None] * len(places)
        if self._searcher is not None:
            found = list(self._searcher.similarities(query, places))
        if self._make is None:
            return found
        missing = [at for at, one in enumerate(found[:CANDIDATES]) if one is None]
        made = self._make.similarities(query, text, [places[at] for at in missing])
        for at, one in zip(missing, made, strict=True):
            found[at] = one
        return found

    def usual(self, text: str) -> Usual:
        """The mean of all chunks, and the bounds known for the model, else estimated."""
        found = Background(0.0, 1.0, 0)
        if self._searcher is not None:
            found = self._searcher.background(self._vectors[text])
        if self._measured is None:
            return Usual(found.mean, *_estimated(found, self._stated))
        mean, bounds = self._measured
        if found.size < ENOUGH:
            found = found._replace(mean=mean)
        return Usual(found.mean, *(_estimated(found, self._stated) if self._stated else bounds))


def _estimated(found: Background, stated: float) -> Bounds:
    """Return the bounds where none were measured: by how far above the mean the least one is."""
    least = stated or found.mean + _deviations(found.size) * found.deviation
    above = max(0.0, least - found.mean)
    return Bounds(
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
