"""Whether an answer that only matches some of the words may be no answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import tantivy

from leafmark.index import IndexReader
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.weights import (
    DOUBT_AT_LEAST,
    DOUBT_BELOW,
    DOUBT_LESS,
    DOUBT_MATCHES,
    GUESS_HOLDS,
)

__all__ = ["is_doubtful"]


class Match(Protocol):
    """What is known of a match: see `hits.Hit`."""

    @property
    def address(self) -> tantivy.DocAddress: ...
    @property
    def compiled(self) -> Compiled: ...


def is_doubtful(best_first: Sequence[Match], reader: IndexReader) -> bool:
    """Whether the best matches, relaxed ones, all lack the words that carry the query."""
    return not any(_holds_enough(match, reader) for match in best_first[:DOUBT_MATCHES])


def _holds_enough(match: Match, reader: IndexReader) -> bool:
    asked = match.compiled.asked
    whole = sum(rarity for _, rarity in asked)
    held = sum(
        rarity * (GUESS_HOLDS if looked.corrected else 1.0)
        for looked, rarity in asked
        if looked and _holds(looked, match, reader)
    )
    return held >= whole * max(DOUBT_AT_LEAST, DOUBT_BELOW - DOUBT_LESS * len(asked))


def _holds(looked: Looked, match: Match, reader: IndexReader) -> bool:
    return any(_matches(query, match.address, reader) for _, query in looked.queries)


def _matches(query: tantivy.Query, address: tantivy.DocAddress, reader: IndexReader) -> bool:
    try:
        query.explain(reader.searcher, address)
    except ValueError:  # the engine's way to say that it does not match
        return False
    return True
