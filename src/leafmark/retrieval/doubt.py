"""Whether matches of only some of the words may be no answer at all."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.index import IndexReader
from leafmark.retrieval.hits import Hit
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.weights import (
    DOUBT_AT_LEAST,
    DOUBT_BELOW,
    DOUBT_LESS,
    DOUBT_MATCHES,
    DOUBT_MEAN_OF,
    DOUBT_NONE_FROM,
    GUESS_HOLDS,
)

__all__ = ["is_doubtful"]


def is_doubtful(best_first: Sequence[Hit], reader: IndexReader) -> bool:
    """Whether the best matches, which are relaxed, lack too much of the query.

    A single one that has nearly everything may be the answer. Otherwise the best three count:
    what is only mentioned stands in one place, and what documents are about in several. Text
    in quotes counts as a word does, and every match has it.
    """
    if not best_first:
        return True
    first = best_first[:DOUBT_MATCHES]
    shares = sorted((_share_held(match, reader) for match in first), reverse=True)
    if shares[0] >= DOUBT_NONE_FROM:
        return False
    compiled = first[0].compiled
    words = len(compiled.asked) + len(compiled.quoted)
    best = shares[:DOUBT_MEAN_OF]
    return sum(best) < len(best) * max(DOUBT_AT_LEAST, DOUBT_BELOW - DOUBT_LESS * words)


def _share_held(match: Hit, reader: IndexReader) -> float:
    """Return the share of what was asked that a match has, words weighed by their rarity."""
    asked = (*match.compiled.asked, *match.compiled.quoted)
    held = sum(
        rarity * (GUESS_HOLDS if looked.corrected else 1.0)
        for looked, rarity in asked
        if looked and _holds(looked, match, reader)
    )
    return held / sum(rarity for _, rarity in asked)


def _holds(looked: Looked, match: Hit, reader: IndexReader) -> bool:
    queries = [query for _, query in looked.queries]
    return any(score is not None for (score,) in reader.scores(queries, [match.chunk]))
