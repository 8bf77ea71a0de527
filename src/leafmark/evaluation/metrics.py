"""The metrics of one query: numbers from 0 to 1, all computed from bytes and ranks.

A result is relevant to a passage by one of two rules, since each alone can be cheated.
Under *overlap* small chunks win (a line of the answer is enough), under *cover* large
ones do (a whole document covers every answer in it). Tokens are what a reader must
read: those of every result from the first on. Passages count each by itself: a query
with two of them is fully recalled when both were read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

DEPTH = 10
"""Ranks that metrics look at which count by rank, or the bytes shown."""

FREE_TOKENS = 500
"""What a reader reads at no charge, in `rr500`."""

MAX_TOKENS = 5000
"""A reader gives up after this many tokens, in `rr500`."""


RECALL_TOKENS = 2000
"""Tokens that `recall-2000t` reads."""

MAX_READ_FOR_PERFECT = 5
"""The chunk with the fewest tokens is one of so few with the fewest bytes."""

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

    `grade` is how well: 1 is the usual, more is better, always above 0.
    """

    doc_id: str
    start: int
    end: int
    grade: float = 1.0


def shared_bytes(one: Bytes, other: Bytes) -> int:
    """Return how many bytes both have.

    >>> shared_bytes(Passage("d", 0, 10), Passage("d", 6, 20))
    4
    """
    if one.doc_id != other.doc_id:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def overlaps(result: Bytes, passage: Passage) -> bool:
    """Whether the bytes that both share, if any, are at least half of the shorter of the two.

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
    """Whether the bytes that both share are at least half of the passage."""
    return 2 * shared_bytes(result, passage) >= passage.end - passage.start


def _union(parts: Iterable[Bytes]) -> dict[str, list[tuple[int, int]]]:
    """Return the bytes that any of the parts has: by document, in order, disjoint."""
    by_document: dict[str, list[tuple[int, int]]] = {}
    for part in sorted(parts, key=lambda each: (each.doc_id, each.start, each.end)):
        spans = by_document.setdefault(part.doc_id, [])
        if spans and part.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], part.end))
        else:
            spans.append((part.start, part.end))
    return by_document


class Read(NamedTuple):
    """A result as a reader meets it: bytes `[start, end)` of a document, and their tokens."""

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
        "hit@1": float(overlap_rank == 1),
        "hit@10": float(overlap_rank is not None and overlap_rank <= DEPTH),
        "cover-mrr@10": _reciprocal(cover_rank),
        "ndcg@10": _ndcg(results[:DEPTH], passages),
    }
    found = [p for p in passages if any(overlaps(r, p) for r in results[:DEPTH])]
    values["recall@10"] = len(found) / len(passages)
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


def _read_within(results: Iterable[Read], budget: int) -> list[Read]:
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


def _recall(results: Iterable[Read], passages: Sequence[Passage]) -> float:
    """Return the mean share of a passage's bytes that was read."""
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
    """Return the values of `PERFECT` under the best order of the chunks; none without any.

    One chunk decides each, put first: one that overlaps a passage, and of those that cover
    one that with the fewest tokens. What is missing to them is lost by the order of results;
    what they lack themselves no order could mend, since documents are cut as they are.
    """
    useful = [one for one in chunks if any(shared_bytes(one, passage) for passage in passages)]
    if not useful:
        return {}
    found = any(overlaps(chunk, passage) for chunk in useful for passage in passages)
    covering = [one for one in useful if any(covers(one, passage) for passage in passages)]
    shortest = sorted(covering, key=lambda one: one.end - one.start)[:MAX_READ_FOR_PERFECT]
    fewest = min((read(one).tokens for one in shortest), default=None)
    return dict(zip(PERFECT, (float(found), _charged(fewest)), strict=True))


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
"""All metrics in the order in which they are shown, and which queries have them.

`answerable` queries have passages, `unanswerable` ones have none.
"""
