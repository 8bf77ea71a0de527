"""The order of candidates, and the phases that depend on nothing else: cutoff, topics, reranking.

By score, then by id: one order, whatever the segments of the index, so that the same documents
give the same answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, takewhile
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from leafmark.model import Candidate, DocumentKey, Entry, Factor, Phase, Sort

T = TypeVar("T")

ChunkKey = tuple[str, str, int]
"""Identifies a chunk: tree, path, position. Cheaper to make than its id."""


key_of: Callable[[Entry], ChunkKey] = itemgetter(0, 1, 2)

document_of: Callable[[Entry], DocumentKey] = itemgetter(0, 1)


def rank_order(candidate: Candidate) -> tuple[float, str]:
    """Sort key: best first."""
    return -candidate.score, candidate.entry.id


def sort_candidates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates in the order of `rank_order`, making ids only for ties."""
    ordered = list(candidates)
    if len(ordered) < 2:
        return ordered
    orders = [-candidate.score for candidate in ordered]
    return sort_with_ties(ordered, orders, lambda candidate: candidate.entry.id)


def sort_with_ties(values: Sequence[T], orders: Sequence[Any], tie: Callable[[T], str]) -> list[T]:
    """Return the values sorted by `orders`, equal ones by `tie`, which is called for these only."""
    places = sorted(range(len(values)), key=orders.__getitem__)
    first = len(places) if len(set(orders)) == len(places) else 0
    for last in range(first + 1, len(places) + 1):
        if last < len(places) and orders[places[last]] == orders[places[first]]:
            continue
        if last - first > 1:
            places[first:last] = sorted(places[first:last], key=lambda at: tie(values[at]))
        first = last
    return [values[at] for at in places]


def join_duplicates(
    candidates: Sequence[Candidate], digest: Callable[[Entry], str | None]
) -> list[Candidate]:
    """Show results whose whole spans have the same bytes once, with the others' ids in `also_in`.

    `digest` returns the hash of a whole span, or None for one that is blank or
    cannot be read, which is never a duplicate. It is called only for spans of
    the same length as another's. The first of a group stays.
    """
    sizes = [candidate.entry.byte_end - candidate.entry.byte_start for candidate in candidates]
    counts = Counter(sizes)
    distinct: list[Candidate] = []
    first: dict[str, int] = {}
    others: dict[int, list[Candidate]] = {}
    for candidate, size in zip(candidates, sizes, strict=True):
        name = digest(candidate.entry) if size and counts[size] > 1 else None
        if name is not None and name in first:
            others.setdefault(first[name], []).append(candidate)
            continue
        if name is not None:
            first[name] = len(distinct)
        distinct.append(candidate)
    for at, copies in others.items():
        distinct[at] = with_copies(distinct[at], copies)
    return distinct


def with_copies(shown: Candidate, copies: Sequence[Candidate]) -> Candidate:
    """Return a result that stands for its copies, and for the copies of these."""
    ids = [id for copy in copies for id in (copy.entry.id, *copy.also_in)]
    others = [entry for copy in copies for entry in copy.other_versions]
    return shown._replace(
        topics=topics_of((shown, *copies)),
        also_in=(*shown.also_in, *ids),
        other_versions=(*shown.other_versions, *others),
    )


def topics_of(candidates: Iterable[Candidate]) -> tuple[int, ...]:
    """Return the topics that any of the candidates matched."""
    return tuple(sorted({topic for candidate in candidates for topic in candidate.topics}))


def sort_results(
    candidates: Sequence[Candidate], sort: Sort, modified_ns: Callable[[Entry], int]
) -> list[Candidate]:
    """Return results in the requested order; equal ones stay in order of rank.

    In another order, results with only some of the words come last: they fill up behind
    the others, and must not take their places at the limit.
    """
    if sort == "mtime":
        return sorted(
            candidates, key=lambda candidate: (candidate.relaxed, -modified_ns(candidate.entry))
        )
    if sort == "path":
        return sorted(
            candidates, key=lambda candidate: (candidate.relaxed, key_of(candidate.entry))
        )
    return list(candidates)


def elbow_cutoff(scores: Sequence[float], *, ratio: float, max_results: int) -> int:
    """Return how many leading scores to keep before the first sharp drop.

    Scores are sorted from best to worst. A drop is sharp when the next score is
    below `ratio` times the current one, strictly. Without one, at most
    `max_results` are kept. The first score that is not positive ends the list.
    A single score is kept whatever it is.

    Raises:
        ValueError: a score is not a number, or they are not sorted.

    >>> elbow_cutoff([8.0, 7.5, 7.0, 3.2, 3.0, 2.8, 0.9], ratio=0.5, max_results=20)
    3
    """
    if any(map(math.isnan, scores)):
        raise ValueError("a score is not a number")
    if list(scores) != sorted(scores, reverse=True):
        raise ValueError("the scores are not sorted from best to worst")
    if len(scores) < 2:
        return len(scores)
    if scores[0] <= 0:
        return 0
    for at, (score, following) in enumerate(pairwise(scores), start=1):
        if following <= 0 or following < ratio * score:
            return at
    return min(len(scores), max_results)


def join_topics(topics: Sequence[Sequence[Candidate]]) -> tuple[list[Candidate], Phase]:
    """Join the candidates of each topic, best first.

    A chunk that matched several topics keeps its best match: a strict one before a relaxed
    one, then by score. Its `topics` are all that it matched.
    """
    if len(topics) == 1:
        ordered = sort_candidates(topics[0])
        return ordered, Phase("topics", len(ordered), len(ordered))
    best: dict[ChunkKey, Candidate] = {}
    matched: dict[ChunkKey, set[int]] = {}
    total = 0
    for candidates in topics:
        total += len(candidates)
        for candidate in candidates:
            key = key_of(candidate.entry)
            matched.setdefault(key, set()).update(candidate.topics)
            known = best.get(key)
            if known is None or _completeness(candidate) < _completeness(known):
                best[key] = candidate
    joined = [
        candidate._replace(topics=tuple(sorted(matched[key]))) for key, candidate in best.items()
    ]
    return sort_candidates(joined), Phase("topics", total, len(joined))


def _completeness(candidate: Candidate) -> tuple[bool, float]:
    return candidate.relaxed, -candidate.score


Rerank: TypeAlias = Callable[[Sequence[str]], Sequence[float] | None]
"""Returns how relevant each text is to the query, higher is better; None if it cannot tell."""

MAX_CHARACTERS = 4000
"""Characters of a result's text that are given to the model: more than models read."""


def rerank_candidates(
    candidates: Sequence[Candidate],
    count: int,
    rerank: Rerank,
    read_text: Callable[[Entry], str | None],
) -> tuple[list[Candidate], Phase]:
    """Return the candidates with the first `count` by relevance; ties keep their order.

    A result whose source has changed has no text, and is judged by its titles. From the first
    score of 0 on, all keep their places: no factor turns 0 into another score.
    """
    first = list(takewhile(lambda candidate: candidate.score > 0, candidates[:count]))
    rest = candidates[len(first) :]
    relevance = None
    if len(first) > 1:
        relevance = rerank(
            [_text_of(candidate.entry, read_text(candidate.entry)) for candidate in first]
        )
    if relevance is None:
        return list(candidates), Phase("rerank", len(candidates), len(candidates), "as it was")
    order = sorted(range(len(first)), key=lambda at: -relevance[at])
    scores = sorted((candidate.score for candidate in first), reverse=True)
    done = []
    for at, score in zip(order, scores, strict=True):
        candidate, how = first[at], f"relevance {relevance[at]:.3f}, as the model reads it"
        factor = Factor("rerank", score / candidate.score, "multiply", how)
        done.append(candidate._replace(score=score, factors=(*candidate.factors, factor)))
    moved = sum(at != place for place, at in enumerate(order))
    note = f"{moved} of the first {len(first)} changed places" if moved else ""
    return [*done, *rest], Phase("rerank", len(candidates), len(candidates), note)


def _text_of(entry: Entry, text: str | None) -> str:
    return "\n\n".join(part for part in (entry.breadcrumb, (text or "")[:MAX_CHARACTERS]) if part)
