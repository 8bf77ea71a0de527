"""The best that any ranking could do with the chunks there are: what is measured against.

What is missing to it is lost by the order of results; what it lacks itself, no order
could mend, since documents are cut as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leafmark.evaluation.metrics import Read, measure
from leafmark.evaluation.passages import Bytes, Passage, shared_bytes, union

__all__ = ["PERFECT", "perfect_values"]

PERFECT = ("overlap-mrr@10", "rr500", "recall-2000t")
"""The metrics for which it is known; each has an order of its own that is the best."""

_RECALL_TOKENS = 2000


def perfect_values(chunks: Iterable[Read], passages: Sequence[Passage]) -> dict[str, float]:
    """Return the best value of each of these metrics; none without a passage or chunk.

    For most of them one chunk decides, put first. To recall, those come first that
    hold most of the passages per token: none that shares bytes with one before, or what
    each adds to those before counts, whichever is better.
    """
    useful = [chunk for chunk in chunks if _held(chunk, passages)]
    if not useful:
        return {}
    orders = [*([chunk] for chunk in useful), _densest(useful, passages), _adding(useful, passages)]
    values = [measure(order, passages) for order in orders]
    return {name: max(each[name] for each in values) for name in PERFECT}


def _held(part: Bytes, passages: Iterable[Passage]) -> int:
    return sum(shared_bytes(part, passage) for passage in passages)


def _densest(chunks: Sequence[Read], passages: Sequence[Passage]) -> list[Read]:
    order: list[Read] = []
    for chunk in sorted(chunks, key=lambda one: -_held(one, passages) / max(1, one.tokens)):
        if not any(shared_bytes(chunk, taken) for taken in order):
            order.append(chunk)
    return order


def _adding(chunks: Sequence[Read], passages: Sequence[Passage]) -> list[Read]:
    """Order chunks that may overlap, as windows do: each adds most, for its tokens.

    Up to the tokens that recall is asked for.
    """
    order: list[Read] = []
    left, held = list(chunks), 0
    while left and sum(chunk.tokens for chunk in order) < _RECALL_TOKENS:
        gains = [_held_by_all([*order, chunk], passages) - held for chunk in left]
        if not any(gains):
            break
        best = max(range(len(left)), key=lambda at: gains[at] / max(1, left[at].tokens))
        held += gains[best]
        order.append(left.pop(best))
    return order


def _held_by_all(chunks: Sequence[Read], passages: Sequence[Passage]) -> int:
    """How many bytes of the passages stand in any of the chunks."""
    parts = (Passage(doc_id, *span) for doc_id, spans in union(chunks).items() for span in spans)
    return sum(_held(part, passages) for part in parts)
