"""Explain a result's score by factors that combine to it.

At each level, the factors that add are summed, and the sum is multiplied by the factors that
multiply. With the factor for rounding, that is the score to a millionth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from leafmark.index import Handle, IndexReader
from leafmark.index.queries import Query
from leafmark.model import Candidate, Factor
from leafmark.retrieval.fusion import Fused
from leafmark.retrieval.hits import Hit
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.ordering import Key, key_of

__all__ = ["explain"]

NEGLIGIBLE = 1e-5
"""Differences up to this share of a score come from 32-bit sums, and are no factor."""


def explain(
    candidate: Candidate, hits: Mapping[tuple[int, Key], Hit], reader: IndexReader
) -> tuple[Factor, ...]:
    """Return the factors of a candidate's score; `hits` are by topic and chunk.

    The candidate's own `factors` were multiplied into its score last.
    """
    if candidate.factors:
        score = candidate.score / math.prod(factor.value for factor in candidate.factors)
        before = explain(candidate._replace(score=score, factors=()), hits, reader)
        return (*before, *candidate.factors)
    own = _own_hit(candidate, hits)
    best = _best_part(candidate, own)
    if best is not None:
        parts = explain(best, hits, reader)
        factors: tuple[Factor, ...] = (
            Factor(best.entry.id, best.score, how="its best part", parts=parts),
        )
        score = best.score
    elif own is not None:
        factors, score = _of_hit(own, reader), own.score
    else:
        score = candidate.score if candidate.direct_score is None else candidate.direct_score
        factors = (Factor("filters", score, how="filters do not score"),)
    bonus = _ratio(candidate.score, score)
    if abs(bonus - 1) > NEGLIGIBLE:
        how = "merge_bonus for each matching child"
        factors = (*factors, Factor("merged", bonus, "multiply", how))
    return factors


def _own_hit(candidate: Candidate, hits: Mapping[tuple[int, Key], Hit]) -> Hit | None:
    """Return the match that gives a candidate's own score: strict before relaxed, then best."""
    places = [(topic, key_of(candidate.entry)) for topic in candidate.topics]
    found = [hits[place] for place in places if place in hits]
    return min(found, key=lambda hit: (hit.relaxed, -hit.score), default=None)


def _best_part(candidate: Candidate, own: Hit | None) -> Candidate | None:
    """Return the constituent whose score a candidate has, None if it has its own."""
    tier = [one for one in candidate.constituents if one.relaxed == candidate.relaxed]
    best = max(tier, key=lambda one: one.score, default=None)
    if best is None or candidate.direct_score is None:
        return best
    counts = own is None or own.relaxed == candidate.relaxed
    return None if counts and candidate.direct_score >= best.score else best


def _of_hit(hit: Hit, reader: IndexReader) -> tuple[Factor, ...]:
    return _of_words(hit, reader) if hit.fused is None else _of_fused(hit, hit.fused, reader)


def _of_fused(hit: Hit, fused: Fused, reader: IndexReader) -> tuple[Factor, ...]:
    """Return what words and meaning add to a score."""
    factors = []
    if hit.words is not None and hit.words.score > 0:
        share = fused.text / hit.words.score
        how = "a share of the best score by words"
        parts = (*_of_words(hit.words, reader), Factor("share", share, "multiply", how))
        factors.append(Factor("words", fused.text, parts=parts))
    if hit.similarity is not None:
        of_what = " of the whole document" if hit.whole else ""
        how = f"similarity{of_what} {hit.similarity:.3f}, against what is usual for the query"
        factors.append(Factor("meaning", fused.meaning, how=how))
    return (*factors, *_boosts(hit, fused.score))


def _of_words(hit: Hit, reader: IndexReader) -> tuple[Factor, ...]:
    unasked = hit.compiled.unrelaxed if hit.relaxed else frozenset[int]()
    factors = [
        factor
        for looked in hit.compiled.looked
        if looked.number not in unasked and (factor := _of_looked(looked, hit, reader)).parts
    ]
    rest = hit.raw - sum(factor.value for factor in factors)
    if rest > NEGLIGIBLE * hit.raw:
        factors.append(Factor("filters", rest, how="an alternative that only filters"))
    if hit.nearby:
        how = "words that its body lacks, near it × nearby_weight"
        factors.append(Factor("nearby", hit.nearby, how=how))
    return (*factors, *_boosts(hit, hit.raw + hit.nearby))


def _boosts(hit: Hit, raw: float) -> list[Factor]:
    """Return the factors of boosts and rounding; `raw` is the score before them."""
    factors = []
    if hit.boost != 1:
        factors.append(Factor("local_boost", hit.boost, "multiply", "a tree of the project"))
    if hit.secondary != 1:
        factors.append(
            Factor(
                "secondary_boost", hit.secondary, "multiply", "a test, translations or completions"
            )
        )
    if hit.lowered != 1:
        how = "a correction ranks below the exact matches"
        factors.append(Factor("corrected", hit.lowered, "multiply", how))
    if hit.coordinated != 1:
        how = "e^(coordination × the share of the words that it holds)"
        factors.append(Factor("coordinated", hit.coordinated, "multiply", how))
    if hit.titled != 1:
        how = "the title says what is asked (title_agreement)"
        factors.append(Factor("titled", hit.titled, "multiply", how))
    rounding = _ratio(hit.score, raw * hit.factor * hit.lowered * hit.coordinated * hit.titled)
    if rounding != 1:
        how = "scores have four decimals, so that equals are equal"
        factors.append(Factor("rounding", rounding, "multiply", how))
    return factors


def _ratio(score: float, before: float) -> float:
    """Return what a score was multiplied by; 1 for a score of 0 before.

    A match only in fields of weight 0 scores 0. It is shown if it is a topic's only match.
    """
    return score / before if before else 1.0


def _of_looked(looked: Looked, hit: Hit, reader: IndexReader) -> Factor:
    parts = [
        Factor(field, value, how=_how(field, value, looked, hit, reader))
        for field, query in (looked.exact if hit.exact else looked.queries)
        if (value := _score(query, hit.chunk, reader)) > 0
    ]
    return Factor(looked.label, sum(part.value for part in parts), parts=tuple(parts))


def _how(field: str, value: float, looked: Looked, hit: Hit, reader: IndexReader) -> str:
    """Say how a field's score comes about; a title's may be that of a definition."""
    named = looked.definitions if field == "title" else ()
    if any(_score(query, hit.chunk, reader) >= value for query in named):
        return "the definition of that name: rarity × the most that BM25 gives"
    return f"{'rarity' if field == 'tags' else 'BM25'} × weight of the field"


def _score(query: Query, chunk: Handle, reader: IndexReader) -> float:
    """Return the score of a query for a chunk, 0.0 if it does not match."""
    ((score,),) = reader.scores([query], [chunk])
    return score or 0.0
