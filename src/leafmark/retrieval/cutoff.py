"""The elbow: where relevant results end and the long tail begins.

BM25 scores mean something only next to each other, so no fixed score is the
limit: the list ends at the first sharp drop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["elbow_cutoff"]


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
