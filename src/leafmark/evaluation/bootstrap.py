"""Means with intervals, and paired differences: how much of a number is chance.

Queries are drawn again and again with replacement; the interval holds the middle
95 % of the means. The draws depend on the seed and the number of queries alone,
so two runs give the same numbers, and differences are paired: each draw compares
two ways to search on the same queries.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

__all__ = ["LEAST_RESAMPLES", "Estimate", "Resampler"]

_Draw = Callable[[Sequence[float]], tuple[float, ...]]

TAIL = 0.025
"""What is left out on each side of an interval."""

LEAST_RESAMPLES = round(1 / TAIL)
"""Of fewer draws an interval would leave out none, and of one it would be that draw."""

LEAST_QUERIES = 6
"""So many differences of one sign are chance in one case of 32; of one less, in one of 16."""


class Estimate(NamedTuple):
    """A mean over so many `queries`, and the interval of 95 % around it."""

    mean: float
    low: float
    high: float
    queries: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0: for a difference, whether it is more than chance.

        Never of few queries: all of five may go one way by chance, as coins do.
        """
        return self.queries >= LEAST_QUERIES and (self.low > 0 or self.high < 0)


class Resampler:
    """Draws queries; the same for the same seed, whatever is estimated in between.

    Intervals mean something from `LEAST_RESAMPLES` on.
    """

    def __init__(self, *, seed: int, resamples: int):
        self._seed = seed
        self._resamples = resamples
        self._draws: dict[int, list[_Draw]] = {}

    def estimate(self, values: Sequence[float]) -> Estimate:
        """Return the mean of the values, one for each query, with its interval.

        >>> Resampler(seed=1, resamples=500).estimate([0.5] * 20)
        Estimate(mean=0.5, low=0.5, high=0.5, queries=20)

        Raises:
            ValueError: there are no values.
        """
        count = len(values)
        if not count:
            raise ValueError("there is no mean of no values")
        mean = sum(values) / count
        if count == 1:
            return Estimate(mean, mean, mean, 1)
        means = sorted(sum(draw(values)) / count for draw in self._of(count))
        cut = int(TAIL * len(means))
        return Estimate(mean, means[cut], means[-1 - cut], count)

    def difference(self, values: Sequence[float], base: Sequence[float]) -> Estimate:
        """Return how much higher the values are than those of the same queries in `base`."""
        return self.estimate([one - other for one, other in zip(values, base, strict=True)])

    def _of(self, count: int) -> list[_Draw]:
        if count not in self._draws:
            source = random.Random(f"{self._seed} {count}")
            among = range(count)
            self._draws[count] = [
                itemgetter(*source.choices(among, k=count)) for _ in range(self._resamples)
            ]
        return self._draws[count]
