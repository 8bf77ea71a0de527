"""The metrics of one query: numbers from 0 to 1, all computed from bytes and ranks.

A result is relevant to a passage as `passages` defines it. Tokens are what a
reader must read: those of every result from the first on. Passages count each
by itself: a query with two of them is fully recalled when both were read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from leafmark.evaluation.passages import Bytes, Passage, covers, overlaps, shared_bytes, union

__all__ = [
    "METRICS",
    "Metric",
    "Read",
    "measure",
    "queries_of",
    "rank_of",
    "read_within",
    "recall",
    "tokens_to",
]

DEPTH = 10
"""Ranks that metrics look at which count by rank, or the bytes shown."""

FREE_TOKENS = 500
"""What a reader reads at no charge, in `rr500`."""

MOST_TOKENS = 5000
"""A reader gives up after this many tokens, in `rr500`."""


class Read(NamedTuple):
    """A result as a reader meets it: bytes `[start, end)` of a document, and their tokens."""

    doc_id: str
    start: int
    end: int
    tokens: int


Queries = Literal["answerable", "unanswerable"]


class Metric(NamedTuple):
    """A metric's name and what it says, in one line; `of` tells which queries have it.

    `answerable` queries have passages, `unanswerable` ones have none.
    """

    name: str
    doc: str
    of: Queries = "answerable"


def rank_of(
    results: Sequence[Read], passages: Sequence[Passage], rule: Callable[[Bytes, Passage], bool]
) -> int | None:
    """Return the 1-based rank of the first relevant result."""
    for rank, result in enumerate(results, start=1):
        if any(rule(result, passage) for passage in passages):
            return rank
    return None


def tokens_to(results: Sequence[Read], rank: int | None) -> int | None:
    """Return what is read up to and including the result at that rank."""
    return None if rank is None else sum(result.tokens for result in results[:rank])


def measure(
    results: Sequence[Read], passages: Sequence[Passage], *, doubtful: bool = False
) -> dict[str, float]:
    """Return the metrics that apply to one query, by name.

    `doubtful` says that the answer was marked as one that may be none.
    """
    empty = float(not results)
    doubt = float(doubtful or not results)
    if not passages:
        return {"empty-unanswerable": empty, "doubt-unanswerable": doubt}
    overlap_rank = rank_of(results, passages, overlaps)
    cover_rank = rank_of(results, passages, covers)
    values = {
        "overlap-mrr@10": _reciprocal(overlap_rank),
        "rr500": _charged(tokens_to(results, cover_rank)),
        "cover-mrr@10": _reciprocal(cover_rank),
        "ndcg@10": _ndcg(results[:DEPTH], passages),
    }
    for depth in (1, 5, 10):
        found = [p for p in passages if any(overlaps(r, p) for r in results[:depth])]
        values[f"recall@{depth}"] = len(found) / len(passages)
    for budget in (1000, 2000, 4000):
        values[f"recall-{budget}t"] = recall(read_within(results, budget), passages)
    values |= _shares(results[:DEPTH], passages)
    return values | {"empty": empty, "doubt": doubt}


def _reciprocal(rank: int | None) -> float:
    return 0.0 if rank is None or rank > DEPTH else 1 / rank


def _charged(tokens: int | None) -> float:
    if tokens is None or tokens > MOST_TOKENS:
        return 0.0
    return FREE_TOKENS / max(FREE_TOKENS, tokens)


def _ndcg(results: Sequence[Read], passages: Sequence[Passage]) -> float:
    """Return the discounted gain against the best order of the passages, one at each rank.

    A result gains the grades of the passages that it overlaps and none before
    it did. One that holds several at once can do better than the best order:
    that counts as 1.
    """
    left = list(passages)
    gained = 0.0
    for rank, result in enumerate(results, start=1):
        found = [passage for passage in left if overlaps(result, passage)]
        left = [passage for passage in left if passage not in found]
        gained += sum(passage.grade for passage in found) / math.log2(rank + 1)
    grades = sorted((passage.grade for passage in passages), reverse=True)[:DEPTH]
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
    return min(1.0, gained / ideal)


def read_within(results: Iterable[Read], budget: int) -> list[Read]:
    """Return what is read before the budget is spent.

    Of the result that no longer fits, the beginning is read: as large a part of
    its bytes as fits of its tokens.
    """
    parts: list[Read] = []
    left = budget
    for result in results:
        if result.tokens <= left:
            parts.append(result)
            left -= result.tokens
            continue
        length = (result.end - result.start) * left // result.tokens
        parts.append(result._replace(end=result.start + length, tokens=left))
        break
    return parts


def recall(results: Iterable[Read], passages: Sequence[Passage]) -> float:
    """Return the mean share of a passage's bytes that was read."""
    seen = union(results)
    shares = [
        sum(shared_bytes(passage, Passage(passage.doc_id, *span)) for span in spans)
        / (passage.end - passage.start)
        for passage in passages
        for spans in [seen.get(passage.doc_id, [])]
    ]
    return sum(shares) / len(shares)


def _shares(results: Sequence[Read], passages: Sequence[Passage]) -> Mapping[str, float]:
    """Return precision and intersection over union of the bytes of the results."""
    seen, wanted = union(results), union(passages)
    size_seen, size_wanted = _size(seen), _size(wanted)
    shared = sum(
        shared_bytes(Passage(name, *one), Passage(name, *other))
        for name, spans in seen.items()
        for one in spans
        for other in wanted.get(name, [])
    )
    return {
        "precision": shared / size_seen if size_seen else 0.0,
        "iou": shared / (size_seen + size_wanted - shared),
    }


def _size(spans: Mapping[str, Sequence[tuple[int, int]]]) -> int:
    return sum(end - start for each in spans.values() for start, end in each)


METRICS: tuple[Metric, ...] = (
    Metric("overlap-mrr@10", "reciprocal rank of the first result that overlaps an answer"),
    Metric("rr500", "500 over the tokens read until an answer is covered, at most 1"),
    Metric("cover-mrr@10", "reciprocal rank of the first result that covers an answer"),
    Metric("ndcg@10", "discounted gain of the answers found, against the best order"),
    Metric("recall@1", "share of the answers that the first result overlaps"),
    Metric("recall@5", "share of the answers that one of five results overlaps"),
    Metric("recall@10", "share of the answers that one of ten results overlaps"),
    Metric("recall-1000t", "share of the answers' bytes in the first 1,000 tokens"),
    Metric("recall-2000t", "share of the answers' bytes in the first 2,000 tokens"),
    Metric("recall-4000t", "share of the answers' bytes in the first 4,000 tokens"),
    Metric("precision", "share of the bytes of ten results that are of an answer"),
    Metric("iou", "bytes of ten results that are of an answer, over all bytes of both"),
    Metric("empty", "share of answerable queries that found nothing"),
    Metric("doubt", "share of answerable queries that found nothing, or were marked doubtful"),
    Metric("empty-unanswerable", "the same of queries without an answer", "unanswerable"),
    Metric("doubt-unanswerable", "the same of queries without an answer", "unanswerable"),
)
"""All metrics, in the order in which they are shown."""


def queries_of(name: str) -> Queries:
    """Return which queries have the metric of this name: `answerable` or `unanswerable` ones."""
    return next(metric.of for metric in METRICS if metric.name == name)
