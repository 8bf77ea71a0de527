"""Packing: neighbouring sizes into the fewest groups, of nearly equal size, none too small.

Sizes are tokens; a group is a half-open range of indices. Nothing here knows what is packed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, zip_longest
from operator import add, itemgetter, sub

from leafmark.chunking.cuts import coalesce

Group = tuple[int, int]


def pack(sizes: Sequence[int], capacity: int, heads: Sequence[int] = ()) -> list[Group]:
    """Return the fewest groups of at most `capacity`, of nearly equal size.

    Each cut is as near to its share as it can be; where a group would be too
    large then, the largest is made as small as it can be. `heads` are what a group has
    besides that begins with each size. A size over the capacity is a group of its own.

    >>> pack([30, 30, 30, 30, 30], 100)
    [(0, 3), (3, 5)]
    >>> pack([10, 500, 10, 10], 100)
    [(0, 1), (1, 2), (2, 4)]
    >>> pack([30, 30, 30, 30], 100, heads=[0, 40, 40, 40])
    [(0, 2), (2, 4)]
    """
    heads = heads if any(heads) else ()
    alone = [*map(add, sizes, heads)] if heads else sizes
    if sizes and max(alone) <= capacity:
        return _pack_run(sizes, capacity, heads)
    groups: list[Group] = []
    start = 0
    for index, size in enumerate([*alone, capacity + 1]):
        if size > capacity:
            run = _pack_run(sizes[start:index], capacity, heads[start:index])
            groups += [(start + first, start + after) for first, after in run]
            groups.append((index, index + 1))
            start = index + 1
    return groups[:-1]


def _pack_run(sizes: Sequence[int], capacity: int, heads: Sequence[int]) -> list[Group]:
    """Pack sizes that are all within the capacity."""
    if not sizes:
        return []
    totals = [0, *accumulate(sizes)]
    if totals[-1] + (heads[0] if heads else 0) <= capacity:
        return [(0, len(sizes))]
    fewest = max(2, -(-totals[-1] // capacity))
    cuts = _cut_evenly(totals, fewest)
    if not _are_within(totals, heads, cuts, capacity=capacity):
        fewest = len(_fill(totals, heads, capacity))
        cuts = _cut_evenly(totals, fewest)
    if not _are_within(totals, heads, cuts, capacity=capacity):
        least = max(*sizes, -(-totals[-1] // fewest))
        cuts = [0, *_fill_evenly(totals, heads, least=least, capacity=capacity)]
    return list(pairwise(cuts))


def _are_within(
    totals: Sequence[int], heads: Sequence[int], cuts: Sequence[int], *, capacity: int
) -> bool:
    ends: tuple[int, ...] = itemgetter(*cuts)(totals)
    widths = map(sub, ends[1:], ends)
    if heads:
        widths = map(add, widths, map(heads.__getitem__, cuts[:-1]))
    widest: int = max(widths)
    return widest <= capacity


def _cut_evenly(totals: Sequence[int], count: int) -> list[int]:
    """Return where `count` groups begin and end when each cut is as near as can be to its share."""
    cuts = [0]
    for number in range(1, count):
        share = totals[-1] * number / count
        at = bisect_right(totals, share)
        if share - totals[at - 1] < totals[at] - share:
            at -= 1
        cuts.append(min(max(at, cuts[-1] + 1), len(totals) - 1 - (count - number)))
    return [*cuts, len(totals) - 1]


def _fill_evenly(
    totals: Sequence[int], heads: Sequence[int], *, least: int, capacity: int
) -> list[int]:
    """Return where the fewest groups end when the largest, at least `least`, is smallest."""
    fewest = len(_fill(totals, heads, capacity))
    low, high = least - 1, capacity
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = len(_fill(totals, heads, middle)) <= fewest
        low, high = (low, middle) if is_enough else (middle, high)
    return _fill(totals, heads, high)


def _fill(totals: Sequence[int], heads: Sequence[int], capacity: int) -> list[int]:
    """Return where groups end when each takes as much as it can."""
    ends: list[int] = []
    at, last = 0, len(totals) - 1
    while at < last:
        room = capacity - heads[at] if heads else capacity
        at = max(at + 1, bisect_right(totals, totals[at] + room) - 1)
        ends.append(at)
    return ends


def move_cuts(
    sizes: Sequence[int],
    groups: list[Group],
    *,
    least: int,
    capacity: int,
    penalty: Callable[[int], int],
    heads: Sequence[int] = (),
) -> list[Group]:
    """Move each cut with a penalty to the nearest place without one, as far as sizes allow it.

    If there is none, to the one with the least. A cut has the number of the size behind it.
    No group gets larger than `capacity`, or smaller than `least`, but one that is over the
    capacity may take in less than `least`, and one under `least` may be taken in whole. `heads`
    are as in `pack`.

    >>> move_cuts([60, 10, 50], [(0, 2), (2, 3)], least=20, capacity=70, penalty={2}.__contains__)
    [(0, 1), (1, 3)]
    """
    moved = [number for number, (at, _) in enumerate(groups) if number and penalty(at)]
    if not moved:
        return groups
    totals = [0, *accumulate(sizes)]
    cuts = [0, *[end for _, end in groups]]
    for number in moved:
        first, at, end = cuts[number - 1 : number + 2]
        bounds = capacity, capacity - max(heads[first:end], default=0)
        window = _window(totals, (first, at, end), least=least, bounds=bounds)
        distances = sorted([(abs(totals[place] - totals[at]), place) for place in window])
        lightest, best = penalty(at), at
        for _, place in distances:
            found = penalty(place) if place != first else 0
            if found < lightest:
                lightest, best = found, place
            if not lightest:
                break
        cuts[number] = best
    return list(pairwise(dict.fromkeys(cuts)))


def _window(
    totals: Sequence[int], cuts: tuple[int, int, int], *, least: int, bounds: tuple[int, int]
) -> Sequence[int]:
    """Return where the middle of three cuts may be: at the first if its group is too small.

    `bounds` are the capacity, and what of it the heads leave.
    """
    first, at, end = cuts
    before, behind = totals[at] - totals[first], totals[end] - totals[at]
    capacity, room = bounds
    most = max(room, behind) if behind <= capacity else behind + max(0, least - 1)
    if before < least and totals[end] - totals[first] <= most:
        return [first]
    low = max(totals[first] + min(least, before), totals[end] - most)
    high = min(totals[first] + max(before, room), totals[end] - min(least, behind))
    return range(bisect_left(totals, low, first + 1), bisect_right(totals, high, 0, end))


@dataclass(slots=True)
class _Growing:
    """A group while it takes in small neighbours.

    `alone` is the size that is compared with `least`. `taken` are the tokens that it has
    taken in; `extra` are those of them that `size` leaves out.
    """

    start: int
    end: int
    size: int
    alone: int
    taken: int
    extra: int

    def can_take(self, size: int, least: int, bounds: tuple[int, int]) -> bool:
        together, (capacity, most) = self.size + size, bounds
        return together <= capacity or self.taken + size < least or together + self.extra <= most

    def take(self, other: _Growing) -> None:
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.size += other.size
        self.alone = self.size
        self.taken += other.size


def absorb_small(
    sizes: Sequence[int],
    *,
    least: int,
    capacity: int,
    most: int = 0,
    taken: Sequence[int] = (),
    alone: Sequence[int] = (),
) -> list[Group]:
    """Give each size under `least` to its smaller neighbour, the one before where they are equal.

    A neighbour can take it while the result is within `capacity`, or within `most` with what
    the neighbour had taken in before (`taken`), or all that it takes in is less than `least`.
    What no neighbour can take stays. `alone` are the sizes that are compared with `least` as
    long as nothing is taken in, where they differ from `sizes`.

    >>> absorb_small([40, 5, 30], least=10, capacity=40)
    [(0, 1), (1, 3)]
    >>> absorb_small([40, 12, 80], least=10, capacity=60, alone=[36, 8, 76])
    [(0, 2), (2, 3)]
    >>> absorb_small([8, 55, 8], least=10, capacity=60, most=75)
    [(0, 3)]
    """
    alone = alone or sizes
    if min(alone, default=least) >= least:
        return [(index, index + 1) for index in range(len(sizes))]
    growing = [
        _Growing(index, index + 1, size, own, before, before)
        for index, (size, own, before) in enumerate(zip_longest(sizes, alone, taken, fillvalue=0))
    ]
    kept: list[_Growing] = []
    for group, after in zip_longest(growing, growing[1:]):
        taker = None
        if group.alone < least:
            neighbours = kept[-1:] if after is None else [*kept[-1:], after]
            taker = _taker(group, neighbours, least=least, bounds=(capacity, most))
        if taker is None:
            kept.append(group)
        else:
            taker.take(group)
    return [(group.start, group.end) for group in kept]


def _taker(
    group: _Growing, neighbours: list[_Growing], *, least: int, bounds: tuple[int, int]
) -> _Growing | None:
    able = [other for other in neighbours if other.can_take(group.size, least, bounds)]
    return min(able, key=lambda other: other.size, default=None)


_FINEST = 64
"""Neighbours that together have at most one in so many tokens of the capacity are not parted."""

_SMALL, _LARGE, _TAKING, _ONE = 1 << 160, 1 << 128, 1 << 96, 1 << 64
"""What a group costs: too small, too large, over the capacity by one size and with others, any.

To these the square of its size is added. No sum of one of them comes to the next larger.
"""


def divide(
    sizes: Sequence[int], *, least: int, capacity: int, heads: Sequence[int] = ()
) -> list[Group]:
    """Return the fewest groups from `least` to `capacity`, of nearly equal size.

    Where that cannot be, as few as can be are smaller, then as few as can be larger, by less
    than `least`. A size over the capacity is a group of its own; only to have fewer that
    are too small or too large it takes in less than `least`. `heads` are what a group has
    besides that begins with each size; it does not count towards `least`. The cost is linear.

    >>> divide([171, 63, 51, 134, 46, 63], least=100, capacity=250)
    [(0, 2), (2, 4), (4, 6)]
    >>> divide([60, 200, 200, 900], least=100, capacity=250)
    [(0, 2), (2, 3), (3, 4)]
    >>> divide([900, 60, 200, 200], least=100, capacity=250)
    [(0, 2), (2, 3), (3, 4)]
    """
    places = _places(sizes, capacity)
    totals = [0, *accumulate(sizes)]
    totals = [totals[place] for place in places]
    heads = [heads[place] for place in places[:-1]] if heads else [0] * len(places)
    costs, firsts = [0] + [-1] * (len(places) - 1), [0] * len(places)
    for first in range(len(places) - 1):
        groups = _groups(totals, heads, first, least=least, capacity=capacity)
        for end, size, largest in groups:
            cost = costs[first] + _ONE + size * size
            if totals[end] - totals[first] < least:
                cost += _SMALL
            if size > max(capacity, largest):
                cost += _TAKING if largest else _LARGE
            if not 0 <= costs[end] <= cost:
                costs[end], firsts[end] = cost, first
    ends = [len(places) - 1]
    while ends[-1]:
        ends.append(firsts[ends[-1]])
    return list(pairwise([places[end] for end in reversed(ends)]))


def _places(sizes: Sequence[int], capacity: int) -> list[int]:
    """Return the indices that groups may begin and end at."""
    totals = [0, *accumulate(sizes)]
    kept = coalesce(totals[:-1], totals[-1], capacity // _FINEST)
    inside = [bisect_right(totals, total) - 1 for total in kept[1:] if total < totals[-1]]
    return [0, *inside, len(sizes)]


def _groups(
    totals: Sequence[int], heads: Sequence[int], first: int, *, least: int, capacity: int
) -> Iterator[tuple[int, int, int]]:
    """Yield where groups that begin at `first` may end, and what they have.

    That is their size, and the size over the capacity among them, 0 if there is none.
    """
    largest = 0
    for end in range(first + 1, len(totals)):
        size = totals[end] - totals[first] + heads[first]
        added = totals[end] - totals[end - 1] + heads[end - 1]
        if added > capacity:
            if largest:
                return
            largest = added
        most = largest if largest else capacity
        if end > first + 1 and size >= most + max(1, least):
            return
        yield end, size, largest
