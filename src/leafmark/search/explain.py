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
"""The relative error that rounding may leave in a score."""

EXACT = 1e-7
"""Differences up to this share of a score are not reported as rounding."""

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
    tier = [
        constituent
        for constituent in candidate.constituents
        if constituent.relaxed == candidate.relaxed
    ]
    best = max(tier, key=lambda constituent: constituent.score, default=None)
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
    """Return the match with a candidate's own score: that of its best topic."""
    key = key_of(candidate.entry)
    own_matches = [by_key[key] for by_key in scored if key in by_key]
    return max(own_matches, key=lambda match: match.score, default=None)


def _of_match(match: Scored, snapshot: Snapshot) -> tuple[Factor, ...]:
    parts = list(_of_words(match, snapshot))
    if match.completeness:
        parts.append(Factor("completeness", match.completeness))
    if match.nearness:
        parts.append(Factor("nearness", match.nearness))
    factors = [
        Factor(name, value, "multiply")
        for name, value in ((match.role_name, match.role), ("local_boost", match.local))
        if value != 1
    ]
    score = match.base
    if match.meaning is not None:
        by_words = match.score - match.meaning
        how = "" if match.similarity is None else f"{match.similarity:.3f}"
        if abs(by_words) < ROUNDED * match.score:
            return (Factor("meaning", match.score, how=how),)
        words = Factor("words", by_words, parts=(*parts, *factors))
        meaning = Factor("meaning", match.meaning, how=how)
        return (words, meaning) if meaning.value else (words,)
    product = sum(part.value for part in parts) * math.prod(factor.value for factor in factors)
    if product and abs(score / product - 1) > EXACT:
        factors.append(Factor("rounding", score / product, "multiply"))
    if match.name and score:
        factors.append(Factor("name", match.score / score, "multiply"))
    elif score and abs(match.score / score - 1) > NEGLIGIBLE:
        factors.append(Factor("tier", match.score / score, "multiply"))
    return (*parts, *factors)


def _of_words(match: Scored, snapshot: Snapshot) -> Sequence[Factor]:
    """Return the score of each word by field; stated parts are treated as words."""
    terms = (
        *match.topic.words,
        *(term for term in match.topic.all_terms if term not in match.topic.words),
    )
    terms = tuple(term for term in terms if term.number not in match.topic.stops)
    queries = [(term, field, query) for term in terms for field, query in term.queries]
    scores = snapshot.scores([query for _, _, query in queries], [match.chunk])
    factors_by_term: dict[int, list[Factor]] = {}
    for (term, field, _), (score,) in zip(queries, scores, strict=True):
        if score:
            factors_by_term.setdefault(term.number, []).append(Factor(field, score))
    factors = [
        Factor(
            term.label,
            sum(part.value for part in factors_by_term[term.number]),
            how=WORD,
            parts=tuple(factors_by_term[term.number]),
        )
        for term in terms
        if term.number in factors_by_term
    ]
    rest = match.words - sum(factor.value for factor in factors)
    if abs(rest) > max(NEGLIGIBLE * match.words, 1e-4):
        factors.append(Factor("parts of names", rest))
    return factors
