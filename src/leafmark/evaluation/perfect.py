"""The best that any ranking could do with the chunks there are: what is measured against.

What is missing to it is lost by the order of results; what it lacks itself, no order
could mend, since documents are cut as they are. No ranking exceeds any of the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from leafmark.evaluation.metrics import Read, measure
from leafmark.evaluation.passages import Passage, covers, overlaps, shared_bytes
from leafmark.evaluation.recallable import most_recalled

__all__ = ["PERFECT", "perfect_values"]

PERFECT = ("overlap-mrr@10", "rr500", "recall-2000t")
"""The metrics for which it is known."""

_RECALL_TOKENS = 2000


def perfect_values(chunks: Iterable[Read], passages: Sequence[Passage]) -> dict[str, float]:
    """Return the best value of each of these metrics; none without a passage or chunk.

    By ranks one chunk decides, put first. What can be recalled, `most_recalled` says.
    """
    useful = [
        one
        for one in dict.fromkeys(chunks)
        if any(shared_bytes(one, passage) for passage in passages)
    ]
    if not useful:
        return {}
    found = any(overlaps(chunk, passage) for chunk in useful for passage in passages)
    covering = [one for one in useful if any(covers(one, passage) for passage in passages)]
    cheapest = sorted(covering, key=attrgetter("tokens"))[:1]
    charged = measure(cheapest, passages)["rr500"]
    recalled = most_recalled(useful, passages, budget=_RECALL_TOKENS)
    return dict(zip(PERFECT, (float(found), charged, recalled), strict=True))
