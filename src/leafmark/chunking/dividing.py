"""Dividing: neighbouring sizes into groups of which none is too small and none too large.

Packing into the fewest groups may leave one that is too small. Then all divisions are
compared, which takes longer than to pack.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from leafmark.chunking.cutting import coalesce
from leafmark.chunking.packing import Group

__all__ = ["divide"]

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
