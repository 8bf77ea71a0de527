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
    GUESS_HOLDS,
)

__all__ = ["is_doubtful"]


def is_doubtful(best_first: Sequence[Hit], reader: IndexReader) -> bool:
    """Whether all of the best matches, which are relaxed, lack too much of the query.

    Text in quotes counts as a word does, and every match has it.
    """
    return not any(_holds_enough(match, reader) for match in best_first[:DOUBT_MATCHES])


def _holds_enough(match: Hit, reader: IndexReader) -> bool:
    asked = (*match.compiled.asked, *match.compiled.quoted)
    whole = sum(rarity for _, rarity in asked)
    held = sum(
        rarity * (GUESS_HOLDS if looked.corrected else 1.0)
        for looked, rarity in asked
        if looked and _holds(looked, match, reader)
    )
    return held >= whole * max(DOUBT_AT_LEAST, DOUBT_BELOW - DOUBT_LESS * len(asked))


def _holds(looked: Looked, match: Hit, reader: IndexReader) -> bool:
    queries = (query for _, query in looked.queries)
    return any(reader.explanation(query, match.address) is not None for query in queries)
