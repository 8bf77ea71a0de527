"""The metrics of one query: numbers from 0 to 1, all computed from bytes and ranks.

A result is relevant to a passage by one of two rules, since each alone can be cheated. Under
*overlap* small chunks win (a line of the answer is enough), under *cover* large ones do (a whole
document covers every answer in it). Tokens are those that a reader must read: of every result from
the first on. Each passage counts by itself: a query with two passages is fully recalled when both
are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

DEPTH = 10
"""Ranks that the metrics at 10 use."""

FREE_TOKENS = 500
"""Tokens that a reader reads at no charge, in `rr500`."""

MAX_TOKENS = 5000
"""A reader gives up after this many tokens, in `rr500`."""


RECALL_TOKENS = 2000
"""Tokens that a reader reads, in `recall-2000t`."""

MAX_READ_FOR_PERFECT = 5
"""Of this many chunks with the fewest bytes, one is taken for the chunk with the fewest tokens."""

PERFECT = ("overlap-mrr@10", "rr500")
"""The metrics for which the best order of the same chunks is known."""


class Bytes(Protocol):
    """Bytes `[start, end)` of the document `doc_id`."""

    @property
    def doc_id(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Passage(NamedTuple):
    """Bytes `[start, end)` of a document that answer a query; never empty.

    `grade` says how well: usually 1, higher is better, always above 0.
    """

    doc_id: str
    start: int
    end: int
    grade: float = 1.0


def shared_bytes(first: Bytes, second: Bytes) -> int:
    """Return the number of bytes in both.

    >>> shared_bytes(Passage("d", 0, 10), Passage("d", 6, 20))
    4
    """
    if first.doc_id != second.doc_id:
        return 0
    return max(0, min(first.end, second.end) - max(first.start, second.start))


def overlaps(result: Bytes, passage: Passage) -> bool:
    """Whether the shared bytes, if any, are at least half of the shorter of the two.

    >>> overlaps(Passage("d", 0, 30), Passage("d", 20, 99))
    False
    >>> overlaps(Passage("d", 0, 30), Passage("d", 15, 99))
    True
    >>> overlaps(Passage("d", 5, 5), Passage("d", 0, 9))
    False
    """
    shared = shared_bytes(result, passage)
    shorter = min(result.end - result.start, passage.end - passage.start)
    return shared > 0 and 2 * shared >= shorter


def covers(result: Bytes, passage: Passage) -> bool:
    """Whether the shared bytes are at least half of the passage."""
    return 2 * shared_bytes(result, passage) >= passage.end - passage.start


def _union(parts: Iterable[Bytes]) -> dict[str, list[tuple[int, int]]]:
    """Return the union of the parts: by document, disjoint spans in order."""
    by_document: dict[str, list[tuple[int, int]]] = {}
    for part in sorted(parts, key=lambda part: (part.doc_id, part.start, part.end)):
        spans = by_document.setdefault(part.doc_id, [])
        if spans and part.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], part.end))
        else:
            spans.append((part.start, part.end))
    return by_document


class Read(NamedTuple):
    """A result as it is read: bytes `[start, end)` of a document, and their number of tokens."""

    doc_id: str
    start: int
    end: int
    tokens: int


Queries = Literal["answerable", "unanswerable"]


def rank_of(
    results: Sequence[Read], passages: Sequence[Passage], rule: Callable[[Bytes, Passage], bool]
) -> int | None:
    """Return the 1-based rank of the first relevant result."""
    for rank, result in enumerate(results, start=1):
        if any(rule(result, passage) for passage in passages):
            return rank
    return None


def tokens_to(results: Sequence[Read], rank: int | None) -> int | None:
    """Return the tokens of all results up to and including that rank."""
    return None if rank is None else sum(result.tokens for result in results[:rank])


def measure(
    results: Sequence[Read], passages: Sequence[Passage], *, doubtful: bool = False
) -> dict[str, float]:
    """Return the metrics that apply to one query, by name.

    `doubtful` says that a hint marked the results as possibly not answering the query.
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
        "hit@1": float(overlap_rank == 1),
        "hit@10": float(overlap_rank is not None and overlap_rank <= DEPTH),
        "cover-mrr@10": _reciprocal(cover_rank),
        "ndcg@10": _ndcg(results[:DEPTH], passages),
    }
    recalled = [p for p in passages if any(overlaps(r, p) for r in results[:DEPTH])]
    values["recall@10"] = len(recalled) / len(passages)
    values["recall-2000t"] = _recall(_read_within(results, RECALL_TOKENS), passages)
    return values | {"empty": empty, "doubt": doubt}


def _reciprocal(rank: int | None) -> float:
    return 0.0 if rank is None or rank > DEPTH else 1 / rank


def _charged(tokens: int | None) -> float:
    if tokens is None or tokens > MAX_TOKENS:
        return 0.0
    return FREE_TOKENS / max(FREE_TOKENS, tokens)


def _ndcg(results: Sequence[Read], passages: Sequence[Passage]) -> float:
    """Return the discounted gain against the best order of the passages, one at each rank.

    A result gains the grades of the passages that it overlaps and no earlier result did. A result
    with several passages can exceed the best order: that counts as 1.
    """
    remaining = list(passages)
    gained = 0.0
    for rank, result in enumerate(results, start=1):
        overlapping = [passage for passage in remaining if overlaps(result, passage)]
        remaining = [passage for passage in remaining if passage not in overlapping]
        gained += sum(passage.grade for passage in overlapping) / math.log2(rank + 1)
    grades = sorted((passage.grade for passage in passages), reverse=True)[:DEPTH]
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
    return min(1.0, gained / ideal)


def _read_within(results: Iterable[Read], budget: int) -> list[Read]:
    """Return the results that fit into a budget of tokens.

    The first that does not fit is cut: the share of its bytes is that of its tokens.
    """
    parts: list[Read] = []
    remaining = budget
    for result in results:
        if result.tokens <= remaining:
            parts.append(result)
            remaining -= result.tokens
            continue
        length = (result.end - result.start) * remaining // result.tokens
        parts.append(result._replace(end=result.start + length, tokens=remaining))
        break
    return parts


def _recall(results: Iterable[Read], passages: Sequence[Passage]) -> float:
    """Return the mean share of a passage's bytes in the results."""
    seen = _union(results)
    shares = [
        sum(shared_bytes(passage, Passage(passage.doc_id, *span)) for span in spans)
        / (passage.end - passage.start)
        for passage in passages
        for spans in [seen.get(passage.doc_id, [])]
    ]
    return sum(shares) / len(shares)


def perfect_values(
    chunks: Iterable[Bytes], passages: Sequence[Passage], read: Callable[[Bytes], Read]
) -> dict[str, float]:
    """Return the values of `PERFECT` under the best order of the chunks; none without useful ones.

    The first chunk decides each value: one that overlaps a passage, and the one with the fewest
    tokens that covers a passage. The distance to these values is lost by the order of results; the
    distance from them to 1 is lost by the cuts between chunks.
    """
    useful = [
        chunk for chunk in chunks if any(shared_bytes(chunk, passage) for passage in passages)
    ]
    if not useful:
        return {}
    overlapping = any(overlaps(chunk, passage) for chunk in useful for passage in passages)
    covering = [chunk for chunk in useful if any(covers(chunk, passage) for passage in passages)]
    shortest = sorted(covering, key=lambda chunk: chunk.end - chunk.start)[:MAX_READ_FOR_PERFECT]
    fewest = min((read(chunk).tokens for chunk in shortest), default=None)
    return dict(zip(PERFECT, (float(overlapping), _charged(fewest)), strict=True))


METRICS: Mapping[str, Queries] = MappingProxyType(
    {
        "overlap-mrr@10": "answerable",
        "rr500": "answerable",
        "hit@1": "answerable",
        "hit@10": "answerable",
        "cover-mrr@10": "answerable",
        "ndcg@10": "answerable",
        "recall@10": "answerable",
        "recall-2000t": "answerable",
        "empty": "answerable",
        "doubt": "answerable",
        "empty-unanswerable": "unanswerable",
        "doubt-unanswerable": "unanswerable",
    }
)
"""All metrics in the order of the report, with the queries that have them.

`answerable` queries have passages, `unanswerable` ones have none.
"""
