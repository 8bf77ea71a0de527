"""Whether matches of only some of the words may be no answer at all."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.index import IndexReader
from leafmark.index.queries import any_of
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.hits import Hit
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
    shares: list[float] = []
    for compiled in {id(match.compiled): match.compiled for match in first}.values():
        own = [match for match in first if match.compiled is compiled]
        shares += _shares_held(compiled, own, reader)
    shares.sort(reverse=True)
    if shares[0] >= DOUBT_NONE_FROM:
        return False
    compiled = first[0].compiled
    words = len(compiled.asked) + len(compiled.quoted)
    best = shares[:DOUBT_MEAN_OF]
    return sum(best) < len(best) * max(DOUBT_AT_LEAST, DOUBT_BELOW - DOUBT_LESS * words)


def _shares_held(compiled: Compiled, matches: Sequence[Hit], reader: IndexReader) -> list[float]:
    """Return the share of what was asked that each match has, words weighed by their rarity."""
    asked = (*compiled.asked, *compiled.quoted)
    queries = [any_of(query for _, query in looked.queries) for looked, _ in asked if looked]
    scores = iter(reader.scores(queries, [match.chunk for match in matches]))
    held = [0.0] * len(matches)
    for looked, rarity in asked:
        if looked:
            weight = rarity * (GUESS_HOLDS if looked.corrected else 1.0)
            for at, score in enumerate(next(scores)):
                held[at] += 0.0 if score is None else weight
    every = sum(rarity for _, rarity in asked)
    return [share / every for share in held]
