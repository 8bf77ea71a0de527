"""Packing: neighbouring sizes into groups, by one rule for all strategies.

A body is a sequence of blocks that are not cut. Each place between two of them may be a cut, and a
cut has a penalty. Of all ways to group the blocks the best has, in this order, the fewest groups
that are too small, the fewest that are too large, the fewest in which a large block takes in small
ones, the fewest groups, the least penalties, and the most equal sizes. Sizes are tokens; a group
is a half-open range of indices. Nothing here knows what is packed.
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
"""The tokens of a group, exact where they matter; sums of parts may have a few more."""

_FINEST = 128
"""Neighbours that together have at most one in so many tokens of the capacity are not parted."""

_MANY, _COARSE = 4096, 8
"""The same of more sizes than these, which are not many where blocks are of any length."""

_ROUNDS = 8
"""How often a division is made at most; each time more penalties and exact sizes are known."""

_SMALL, _LARGE, _TAKING, _ONE, _PENALTY = 1 << 192, 1 << 160, 1 << 128, 1 << 96, 1 << 48
"""What a group costs: too small, too large, a large block with others, any, by the cut before it.

To these the square of its size is added. No sum of one of them comes to the next larger.
"""


_TOO_LARGE = 1 << 224
"""The same of a group whose exact size is no group's."""


class Division(NamedTuple):
    """Groups, and what is wrong with them: 0, or the more the worse for the same text."""

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

    What is `solid`, or over the capacity alone, is a group of its own. Only to have fewer groups
    that are too small it takes in less than `least` on each side, up to the tokens that
    `solid` says, or to `least` more than it has. Of other groups the larger ones have less than
    `least` beyond the capacity. `heads` are what a group has besides that begins with each size; it
    does not count towards `least`. `penalty` is that of a cut before an index. The cost is linear.

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
    tried: list[list[Group]] = []
    for _ in range(_ROUNDS):
        groups = problem.solve()
        tried.append(groups)
        if not problem.learn(groups, places, measure=measure, penalty=penalty):
            break
    else:
        groups = min(tried, key=problem.cost)
    cost = 0 if problem.are_within(groups) else problem.cost(groups)
    chosen = [(places[first], places[after]) for first, after in groups]
    return Division(chosen, cost if cost >= _TAKING else 0)


def _places(sizes: Sequence[int], capacity: int, least: int) -> list[int]:
    """Return the indices that groups may begin and end at."""
    totals, grain = [0, *accumulate(sizes)], capacity // _FINEST
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
    """Sizes between places, as `totals`, and what is known of groups and of cuts at places."""

    totals: Sequence[int]
    heads: Sequence[int]
    solid: Mapping[int, int]
    capacity: int
    least: int
    exact: dict[Group, int] = field(default_factory=dict)
    """Sizes of groups that differ from their sums."""

    known: dict[int, list[int]] = field(default_factory=dict)
    """Where these end, by where they begin."""

    penalties: dict[int, int] = field(default_factory=dict)
    tied: set[int] = field(default_factory=set)
    """Places where a cut has a penalty: a large block takes in what belongs to it for nothing."""

    seen: set[Group] = field(default_factory=set)

    @cached_property
    def alone(self) -> AbstractSet[int]:
        """The sizes that are groups of their own: what is solid, or too large with its head."""
        added = map(add, map(sub, self.totals[1:], self.totals), self.heads)
        return {at for at, size in enumerate(added) if size > self.capacity} | self.solid.keys()

    def solve(self) -> list[Group]:
        """Return the best groups, as far as is known."""
        firsts = None if self.alone else self._solve_within()
        if firsts is None:
            firsts = self._solve_any()
        ends = [len(firsts) - 1]
        while ends[-1]:
            ends.append(firsts[ends[-1]])
        return list(pairwise(reversed(ends)))

    def _solve_within(self) -> list[int] | None:
        """Return where the group that ends at each place begins, all within the bounds.

        None if there are no such groups. The same as `_solve_any` then, in a fifth of the time.
        """
        totals, heads, exact, least = self.totals, self.heads, self.exact, self.least
        last = len(totals) - 1
        costs, firsts = [0] + [_TAKING] * last, [0] * (last + 1)
        capacity, penalty_of = self.capacity, self.penalties.get
        for first in range(last):
            base = costs[first]
            if base >= _TAKING:
                continue
            base += penalty_of(first, 0) * _PENALTY + _ONE
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
        return firsts if costs[last] < _TAKING else None

    def _solve_any(self) -> list[int]:
        """Return the same, where groups may be too small or too large."""
        last = len(self.totals) - 1
        costs, firsts = [0] + [-1] * last, [0] * (last + 1)
        for first in range(last):
            base = costs[first] + self.penalties.get(first, 0) * _PENALTY
            for end, cost in self._groups(first):
                cost += base
                if not 0 <= costs[end] < cost:  # of equal ones that with the larger beginning
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
        """Measure groups, and look at their cuts; False if nothing is new."""
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
        """Whether no group is too small or too large, or holds a solid size and others."""
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
        """What groups cost, as far as is known."""
        own = sum([dict(self._groups(first)).get(end, _TOO_LARGE) for first, end in groups])
        return own + _PENALTY * sum([self.penalties.get(first, 0) for first, _ in groups])

    def _groups(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield where groups that begin at `first` may end, and what each costs."""
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
            cost = _ONE + size * size
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
            cost = _ONE + size * size
            if own < least:
                cost += _SMALL
            if first < at and at not in tied:
                cost += _TAKING
            if end > at + 1 and at + 1 not in tied:
                cost += _TAKING
            yield end, cost
