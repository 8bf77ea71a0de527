"""Packing: neighbouring sizes into groups, by one rule for all strategies.

A body is a sequence of blocks that are not cut. Each place between two of them may be a cut, and a
cut has a penalty. The best grouping has, in this order, the fewest groups that are too small, the
fewest that are too large, the fewest in which a large block joins small ones, the fewest groups,
the least penalties, and the most equal sizes. Sizes are tokens; a group is a half-open range of
indices. This module knows sizes only, not the blocks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from operator import add, sub
from typing import NamedTuple

from leafmark.chunking.cuts import coalesce

Group = tuple[int, int]

Measure = Callable[[int, int], int]
"""Returns the tokens of a group, exact near the bounds; sums of parts may have a few more."""

_GRAIN_SHARE = 128
"""Neighbours that have together at most one in this many of the capacity are not separated."""

_MANY, _COARSE = 4096, 8
"""With more sizes than the first number, that is one in the second number of the capacity."""

_MAX_ROUNDS = 8
"""The maximum of attempts at a division; each one knows more penalties and exact sizes."""

_SMALL, _LARGE, _JOINED, _GROUP, _PENALTY = 1 << 192, 1 << 160, 1 << 128, 1 << 96, 1 << 48
"""Costs of a group: too small, too large, a large block with others, any group, per penalty.

The square of its size is added. No sum of one cost reaches the next larger one.
"""


_TOO_LARGE = 1 << 224
"""The cost of a group whose exact size is out of bounds."""


class Division(NamedTuple):
    """Groups, and a number for their faults: 0 for none, larger is worse for the same text."""

    groups: list[Group]
    faults: int


def divide(
    sizes: Sequence[int],
    *,
    capacity: int,
    least: int = 0,
    heads: Sequence[int] = (),
    solid: Mapping[int, int] | None = None,
    measure: Measure | None = None,
    penalty: Callable[[int], int] | None = None,
) -> Division:
    """Return the best groups of sizes, from `least` to `capacity`.

    A size that is `solid`, or over the capacity by itself, is its own group. Only to avoid groups
    that are too small, it joins less than `least` on each side, up to the maximum tokens in
    `solid`, or to `least` more than its own. Other groups exceed the capacity by less than
    `least`. `heads` are additional tokens of a group that begins with each size; they do not count
    towards `least`. `penalty` returns the penalty of a cut before an index. The cost is linear.

    >>> divide([30, 30, 30, 30, 30], capacity=100).groups
    [(0, 3), (3, 5)]
    >>> divide([10, 500, 10, 10], capacity=100).groups
    [(0, 1), (1, 2), (2, 4)]
    >>> divide([60, 200, 200, 900], least=100, capacity=250).groups
    [(0, 2), (2, 3), (3, 4)]
    >>> divide([60, 10, 50], least=20, capacity=70, penalty={2}.__contains__).groups
    [(0, 1), (1, 3)]
    """
    places = _places(sizes, capacity, least)
    totals = [0, *accumulate(sizes)]
    numbers = {place: number for number, place in enumerate(places)}
    problem = _Problem(
        totals=[totals[place] for place in places],
        heads=[heads[place] for place in places[:-1]] if heads else [0] * len(places),
        solid={numbers[at]: most for at, most in (solid or {}).items()},
        capacity=capacity,
        least=least,
    )
    attempts: list[list[Group]] = []
    for _ in range(_MAX_ROUNDS):
        groups = problem.solve()
        attempts.append(groups)
        if not problem.learn(groups, places, measure=measure, penalty=penalty):
            break
    else:
        groups = min(attempts, key=problem.cost)
    cost = 0 if problem.are_within(groups) else problem.cost(groups)
    chosen = [(places[first], places[after]) for first, after in groups]
    return Division(chosen, cost if cost >= _JOINED else 0)


def _places(sizes: Sequence[int], capacity: int, least: int) -> list[int]:
    """Return the indices at which groups may begin and end."""
    totals, grain = [0, *accumulate(sizes)], capacity // _GRAIN_SHARE
    if len(sizes) > _MANY:
        grain = max(grain, min(capacity // _COARSE, least // 2 or capacity))
    spaced = coalesce(totals[:-1], totals[-1], grain)
    at, places = 0, [0]
    for total in spaced[1:]:
        if total == totals[-1]:
            break
        at = bisect_right(totals, total, at) - 1
        places.append(at)
    return [*places, len(sizes)]


@dataclass
class _Problem:
    """Sizes between places, as running `totals`, and the known facts about groups and cuts."""

    totals: Sequence[int]
    heads: Sequence[int]
    solid: Mapping[int, int]
    capacity: int
    least: int
    exact: dict[Group, int] = field(default_factory=dict)
    """Sizes of groups that differ from their sums."""

    known: dict[int, list[int]] = field(default_factory=dict)
    """The ends of groups with exact sizes, by their beginning."""

    penalties: dict[int, int] = field(default_factory=dict)
    tied: set[int] = field(default_factory=set)
    """Places where a cut has a penalty: there a large block joins its neighbour without cost."""

    seen: set[Group] = field(default_factory=set)

    @cached_property
    def alone(self) -> AbstractSet[int]:
        """The sizes that are their own groups: solid ones, and those too large with their head."""
        added = map(add, map(sub, self.totals[1:], self.totals), self.heads)
        return {at for at, size in enumerate(added) if size > self.capacity} | self.solid.keys()

    def solve(self) -> list[Group]:
        """Return the best groups by the facts known so far."""
        firsts = None if self.alone else self._solve_within()
        if firsts is None:
            firsts = self._solve_any()
        ends = [len(firsts) - 1]
        while ends[-1]:
            ends.append(firsts[ends[-1]])
        return list(pairwise(reversed(ends)))

    def _solve_within(self) -> list[int] | None:
        """Return the beginning of the group that ends at each place, all within the bounds.

        None if there are no such groups. Same result as `_solve_any`, in a fifth of the time.
        """
        totals, heads, exact, least = self.totals, self.heads, self.exact, self.least
        last = len(totals) - 1
        costs, firsts = [0] + [_JOINED] * last, [0] * (last + 1)
        capacity, penalty_of = self.capacity, self.penalties.get
        for first in range(last):
            base = costs[first]
            if base >= _JOINED:
                continue
            base += penalty_of(first, 0) * _PENALTY + _GROUP
            begin, head = totals[first], heads[first]
            low = bisect_left(totals, begin + least, first + 1)
            high = bisect_right(totals, begin + capacity - head, low)
            begin -= head
            for end in range(low, high):
                size = totals[end] - begin
                cost = base + size * size
                if cost <= costs[end] and not (exact and (first, end) in exact):
                    costs[end], firsts[end] = cost, first
            for end in self.known.get(first, ()):
                size = exact[first, end] + head
                cost = base + size * size
                if cost <= costs[end] and size - head >= least and size <= capacity:
                    costs[end], firsts[end] = cost, first
        return firsts if costs[last] < _JOINED else None

    def _solve_any(self) -> list[int]:
        """Return the same with groups that may be too small or too large."""
        last = len(self.totals) - 1
        costs, firsts = [0] + [-1] * last, [0] * (last + 1)
        for first in range(last):
            base = costs[first] + self.penalties.get(first, 0) * _PENALTY
            for end, cost in self._groups(first):
                cost += base
                if not 0 <= costs[end] < cost:  # of equal costs, the later beginning wins
                    costs[end], firsts[end] = cost, first
        return firsts

    def learn(
        self,
        groups: Sequence[Group],
        places: Sequence[int],
        *,
        measure: Measure | None,
        penalty: Callable[[int], int] | None,
    ) -> bool:
        """Measure groups and their cuts; return False if there was nothing new."""
        is_new = False
        for group in groups:
            if group in self.seen:
                continue
            self.seen.add(group)
            first, after = group
            if measure is not None:
                size = measure(places[first], places[after])
                if size != self.totals[after] - self.totals[first]:
                    self.exact[group] = size
                    self.known.setdefault(first, []).append(after)
                    is_new = True
            if penalty is not None and first and first not in self.penalties:
                cost = self.penalties[first] = penalty(places[first])
                if cost > 0:
                    self.tied.add(first)
                    is_new = True
        return is_new

    def are_within(self, groups: Sequence[Group]) -> bool:
        """Whether no group is too small, too large, or joins a solid size with others."""
        totals, exact = self.totals, self.exact
        for first, after in groups:
            own = exact.get((first, after), totals[after] - totals[first])
            is_solid = own + self.heads[first] > self.capacity or (
                bool(self.alone) and not self.alone.isdisjoint(range(first, after))
            )
            if own < self.least or (is_solid and after - first > 1):
                return False
        return True

    def cost(self, groups: Sequence[Group]) -> int:
        """Return the cost of groups by the facts known so far."""
        own = sum([dict(self._groups(first)).get(end, _TOO_LARGE) for first, end in groups])
        return own + _PENALTY * sum([self.penalties.get(first, 0) for first, _ in groups])

    def _groups(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield the possible ends of groups that begin at `first`, with their costs."""
        totals, exact, least, capacity = self.totals, self.exact, self.least, self.capacity
        begin, head, alone = totals[first], self.heads[first], self.alone
        for end in range(first + 1, len(totals)):
            if end - 1 in alone:
                yield from self._around(first, end - 1)
                return
            own = totals[end] - begin
            if exact:
                own = exact.get((first, end), own)
            size = own + head
            if size >= capacity + max(1, least) and end > first + 1:
                return
            cost = _GROUP + size * size
            if own < least:
                cost += _SMALL
            if size > capacity:
                cost += _LARGE
            yield end, cost

    def _around(self, first: int, at: int) -> Iterator[tuple[int, int]]:
        """Yield the same for groups that hold the solid size `at`."""
        totals, exact, least, tied = self.totals, self.exact, self.least, self.tied
        if first < at and exact.get((first, at), totals[at] - totals[first]) >= max(1, least):
            return
        largest = totals[at + 1] - totals[at] + self.heads[at]
        most = self.solid.get(at, 0) or max(self.capacity, largest) + max(1, least) - 1
        for end in range(at + 1, len(totals)):
            if end > at + 1 and end - 1 in self.alone:
                return
            behind = exact.get((at + 1, end), totals[end] - totals[at + 1])
            if end > at + 1 and behind >= max(1, least):
                return
            own = exact.get((first, end), totals[end] - totals[first])
            size = own + self.heads[first]
            if size > most and end - first > 1:
                return
            cost = _GROUP + size * size
            if own < least:
                cost += _SMALL
            if first < at and at not in tied:
                cost += _JOINED
            if end > at + 1 and at + 1 not in tied:
                cost += _JOINED
            yield end, cost
