"""Fuse two scores of a chunk into one: that of its words and that of its meaning.

Scores by words are unbounded; similarities lie close together, and each model has its own
range. So each is taken as a share of the best one: scores counted from zero, similarities
from what is usual for the query. Method and weight were chosen by `leafmark eval`: see
docs/DECISIONS.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["MEANING_WEIGHT", "Fused", "fuse"]

MEANING_WEIGHT = 0.5
"""The share of a fused score that comes from the meaning: measured on 2026-11-21."""


class Fused(NamedTuple):
    """The two parts of a fused score, which is their sum, from 0 to 1."""

    text: float
    meaning: float

    @property
    def score(self) -> float:
        return self.text + self.meaning


def fuse(
    lexical: Sequence[float],
    similarities: Sequence[float | None],
    *,
    usual: float,
    weight: float,
) -> list[Fused]:
    """Return the fused score of each chunk.

    `lexical` are scores of at least 0; `usual` is the mean similarity of all chunks, and
    `weight` the share of the meaning (`MEANING_WEIGHT`, or 1 if words do not count). A chunk
    without a vector is scored by its words alone, so that it neither gains nor loses.

    >>> found = fuse([4.0, 0.0, 2.0], [0.1, 0.6, None], usual=0.1, weight=0.5)
    >>> [round(each.score, 2) for each in found]
    [0.5, 0.5, 0.5]

    Scores of 0 and similarities below the usual one count nothing.

    >>> [each.score for each in fuse([0.0, 0.0], [0.1, 0.6], usual=0.2, weight=0.5)]
    [0.0, 0.5]
    """
    best = max(lexical, default=0.0)
    nearest = max((each for each in similarities if each is not None), default=usual)
    found = []
    for score, similarity in zip(lexical, similarities, strict=True):
        words = score / best if best > 0 else 0.0
        if similarity is None:
            found.append(Fused(words, 0.0))
            continue
        above = max(0.0, similarity - usual)
        share = above / (nearest - usual) if above else 0.0
        found.append(Fused((1 - weight) * words, weight * share))
    return found
