"""Raise relaxed matches by the words that they lack and that stand in chunks near them.

A text often names its subject once and then speaks of "it": the words asked for stand in
the piece before. So for each word that a body lacks, the match gains the engine's best
score for it among the bodies up to `NEARBY_CHUNKS` away, times `nearby_weight`, and times
`FARTHER` for each further chunk.

This is done only if no chunk matches all the words: behind one that does, the order of
the others matters little. It finds no chunk that matches none of the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from leafmark.index import IndexReader, Match
from leafmark.index.queries import AllOf, unscored
from leafmark.retrieval.filters import Filters
from leafmark.retrieval.hits import Hit, raisable, replace_first, rounded
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.weights import FARTHER, NEARBY_CHUNKS, RAISED_MATCHES

__all__ = ["raise_by_surroundings"]

_MOST = 1000
"""A word in this many chunks of a document, or more, is ignored: it does not tell them apart."""

_Word = Mapping[int, float]
"""The scores of one word in the bodies of a document that have it, by position."""


def raise_by_surroundings(reader: IndexReader, hits: list[Hit], params: SearchParams) -> list[Hit]:
    """Return relaxed matches with their scores raised by their surroundings, best first.

    `hits` are sorted best first. Only the first `RAISED_MATCHES` are raised, as far as they
    are `raisable`.
    """
    weight = params.nearby_weight
    if not weight:
        return hits
    first = raisable(hits, RAISED_MATCHES, params)
    places = reader.refs([hit.chunk for hit in first])
    found = _look_into(reader, zip(first, places, strict=True))
    raised = []
    for hit, (doc_id, position) in zip(first, places, strict=True):
        lacked = (word for word in found[doc_id] if position not in word)
        nearby = weight * sum(_best_near(word, position) for word in lacked)
        raised.append(hit._replace(score=rounded((hit.raw + nearby) * hit.factor), nearby=nearby))
    return replace_first(raised, hits)  # no score was lowered


def _look_into(
    reader: IndexReader, hits: Iterable[tuple[Hit, tuple[str, int]]]
) -> dict[str, list[_Word]]:
    """Search each hit's document for each word by itself; return the scores by document id."""
    filters = Filters(reader)
    words = {doc_id: hit.compiled.body_words for hit, (doc_id, _) in reversed([*hits])}
    requests = [
        (AllOf((unscored(filters.document(doc_id)), word)), _MOST)
        for doc_id, each in words.items()
        for word in each
    ]
    matches = iter(reader.search(requests))
    found: dict[str, list[list[Match]]] = {
        doc_id: [one for one in [next(matches) for _ in each] if len(one) < _MOST]
        for doc_id, each in words.items()
    }
    chunks = [chunk for each in found.values() for word in each for _, chunk in word]
    positions = (column.position for column in reader.columns(chunks))
    return {
        doc_id: [{next(positions): score for score, _ in word} for word in each]
        for doc_id, each in found.items()
    }


def _best_near(word: _Word, position: int) -> float:
    """Return the best score of a word near a position, reduced by its distance."""
    found, factor = 0.0, 1.0
    for away in range(1, NEARBY_CHUNKS + 1):
        best = max(word.get(position - away, 0.0), word.get(position + away, 0.0))
        found, factor = max(found, factor * best), factor * FARTHER
    return found
