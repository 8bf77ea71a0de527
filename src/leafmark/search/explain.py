"""Explain a result's score by factors that combine to it.

At each level, the factors that add are summed, and the sum is multiplied by the factors that
multiply. With the factor for rounding, that is the score to a millionth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from leafmark.index import Snapshot
from leafmark.model import Candidate, Factor
from leafmark.model.result import WORD
from leafmark.search.order import ChunkKey, key_of
from leafmark.search.score import Scored

ROUNDED = 2e-4
"""The share of a score that rounding it may leave."""

EXACT = 1e-7
"""Differences up to this share of a score are not told as rounding."""

NEGLIGIBLE = 1e-5
"""Differences up to this share of a score come from 32-bit sums, and are no factor."""


def explain(
    candidate: Candidate, scored: Sequence[Mapping[ChunkKey, Scored]], snapshot: Snapshot
) -> tuple[Factor, ...]:
    """Return the factors of a candidate's score; `scored` are the matches of each topic.

    The candidate's own `factors` were multiplied into its score last.
    """
    if candidate.factors:
        score = candidate.score / math.prod(factor.value for factor in candidate.factors)
        before = explain(candidate._replace(score=score, factors=()), scored, snapshot)
        return (*before, *candidate.factors)
    own = _own(candidate, scored)
    tier = [one for one in candidate.constituents if one.relaxed == candidate.relaxed]
    best = max(tier, key=lambda one: one.score, default=None)
    if best is not None and (own is None or own.score < best.score):
        parts = explain(best, scored, snapshot)
        factors: tuple[Factor, ...] = (Factor("part", best.score, how=best.entry.id, parts=parts),)
        score = best.score
    elif own is not None:
        factors, score = _of_match(own, snapshot), own.score
    else:
        score = candidate.score if candidate.direct_score is None else candidate.direct_score
        factors = (Factor("filters", score),)
    if score and abs(candidate.score / score - 1) > NEGLIGIBLE:
        factors = (*factors, Factor("merged", candidate.score / score, "multiply"))
    return factors


def _own(candidate: Candidate, scored: Sequence[Mapping[ChunkKey, Scored]]) -> Scored | None:
    """Return the match that gives a candidate's own score: that of its best topic."""
    key = key_of(candidate.entry)
    found = [each[key] for each in scored if key in each]
    return max(found, key=lambda one: one.score, default=None)


def _of_match(one: Scored, snapshot: Snapshot) -> tuple[Factor, ...]:
    parts = list(_of_words(one, snapshot))
    if one.completeness:
        parts.append(Factor("completeness", one.completeness))
    if one.nearness:
        parts.append(Factor("nearness", one.nearness))
    factors = [
        Factor(name, value, "multiply")
        for name, value in ((one.role_name, one.role), ("local_boost", one.local))
        if value != 1
    ]
    score = one.base
    if one.meaning is not None:
        by_words = one.score - one.meaning
        how = "" if one.similarity is None else f"{one.similarity:.3f}"
        if abs(by_words) < ROUNDED * one.score:
            return (Factor("meaning", one.score, how=how),)
        words = Factor("words", by_words, parts=(*parts, *factors))
        meaning = Factor("meaning", one.meaning, how=how)
        return (words, meaning) if meaning.value else (words,)
    made = sum(part.value for part in parts) * math.prod(each.value for each in factors)
    if made and abs(score / made - 1) > EXACT:
        factors.append(Factor("rounding", score / made, "multiply"))
    if one.name and score:
        factors.append(Factor("name", one.score / score, "multiply"))
    elif score and abs(one.score / score - 1) > NEGLIGIBLE:
        factors.append(Factor("tier", one.score / score, "multiply"))
    return (*parts, *factors)


def _of_words(one: Scored, snapshot: Snapshot) -> Sequence[Factor]:
    """Return what each word adds, in which fields; stated parts count as words do."""
    asked = (*one.topic.words, *(each for each in one.topic.looked if each not in one.topic.words))
    asked = tuple(each for each in asked if each.number not in one.topic.stops)
    queries = [(each, field, query) for each in asked for field, query in each.queries]
    scores = snapshot.scores([query for _, _, query in queries], [one.chunk])
    found: dict[int, list[Factor]] = {}
    for (each, field, _), (score,) in zip(queries, scores, strict=True):
        if score:
            found.setdefault(each.number, []).append(Factor(field, score))
    factors = [
        Factor(
            each.label,
            sum(part.value for part in found[each.number]),
            how=WORD,
            parts=tuple(found[each.number]),
        )
        for each in asked
        if each.number in found
    ]
    rest = one.words - sum(factor.value for factor in factors)
    if abs(rest) > max(NEGLIGIBLE * one.words, 1e-4):
        factors.append(Factor("parts of names", rest))
    return factors
