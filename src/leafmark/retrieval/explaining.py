"""Why a result scores as it does: factors that combine to its score.

On each level the parts that are added are added up, and the sum is multiplied by
those that multiply. Within rounding that is the score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import tantivy

from leafmark.index import IndexReader
from leafmark.model import Candidate, Factor
from leafmark.retrieval.candidates import Hit
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.ordering import Key, key_of

__all__ = ["explain"]

_VALUE = re.compile(r'"value":\s*([-+0-9.eE]+)')

NEGLIGIBLE = 1e-4
"""A share of a score that is rounding, not a factor."""


def explain(
    candidate: Candidate, hits: Mapping[tuple[int, Key], Hit], reader: IndexReader
) -> tuple[Factor, ...]:
    """Return the factors of a candidate's score; `hits` are by topic and chunk."""
    best = _best_part(candidate)
    if best is candidate:
        factors, score = _of_own_match(candidate, hits, reader)
    else:
        factors, score = (_of_part(best, hits, reader),), best.score
    bonus = candidate.score / score
    if abs(bonus - 1) > NEGLIGIBLE:
        how = "merge_bonus for each matching child"
        factors = (*factors, Factor("merged", bonus, "multiply", how))
    return factors


def _of_part(best: Candidate, hits: Mapping[tuple[int, Key], Hit], reader: IndexReader) -> Factor:
    parts = explain(best, hits, reader)
    return Factor(best.entry.id, best.score, how="its best part", parts=parts)


def _of_own_match(
    candidate: Candidate, hits: Mapping[tuple[int, Key], Hit], reader: IndexReader
) -> tuple[tuple[Factor, ...], float]:
    """Return the factors of a candidate's own match, and its score."""
    places = [(topic, key_of(candidate.entry)) for topic in candidate.topics]
    found = [hits[place] for place in places if place in hits]
    if not found:
        score = candidate.score if candidate.direct_score is None else candidate.direct_score
        return (Factor("filters", score, how="filters do not score"),), score
    best = max(found, key=lambda hit: hit.score)
    return _of_hit(best, reader), best.score


def _best_part(candidate: Candidate) -> Candidate:
    """Return whose score a candidate has: its own, or that of a constituent."""
    tiers = [one for one in candidate.constituents if one.relaxed == candidate.relaxed]
    best = max(tiers, key=lambda one: one.score, default=candidate)
    own = candidate.direct_score
    if best is candidate or (own is not None and own >= best.score):
        return candidate
    return best


def _of_hit(hit: Hit, reader: IndexReader) -> tuple[Factor, ...]:
    factors = [
        factor
        for looked in hit.compiled.looked
        if (factor := _of_looked(looked, hit, reader)).parts
    ]
    words = sum(factor.value for factor in factors)
    rest = hit.score / (hit.boost * hit.lowered) - words
    if rest > NEGLIGIBLE * hit.score:
        factors.append(Factor("filters", rest, how="an alternative that only filters"))
    if hit.boost != 1:
        factors.append(Factor("local_boost", hit.boost, "multiply", "a tree of the project"))
    if hit.lowered != 1:
        how = "a correction ranks below the exact matches"
        factors.append(Factor("corrected", hit.lowered, "multiply", how))
    return tuple(factors)


def _of_looked(looked: Looked, hit: Hit, reader: IndexReader) -> Factor:
    parts = [
        Factor(field, value, how="BM25 × weight of the field")
        for field, query in (looked.exact if hit.exact else looked.queries)
        if (value := _score(query, hit.address, reader)) > 0
    ]
    return Factor(looked.label, sum(part.value for part in parts), parts=tuple(parts))


def _score(query: tantivy.Query, address: tantivy.DocAddress, reader: IndexReader) -> float:
    """Return what the engine gives one query at one chunk, 0.0 where it does not match."""
    try:
        text = query.explain(reader.searcher, address).to_json()
    except ValueError:  # the engine's way to say that it does not match
        return 0.0
    found = _VALUE.search(text)
    return float(found[1]) if found else 0.0
