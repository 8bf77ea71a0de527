"""Arithmetic of half-open ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

__all__ = ["subtract"]


def subtract(start: int, end: int, holes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what is left of `[start, end)`; `holes` are sorted and disjoint.

    >>> list(subtract(0, 10, [(2, 4), (8, 12)]))
    [(0, 2), (4, 8)]
    """
    at = max(0, bisect_right(holes, (start, start)) - 1)
    while at < len(holes) and holes[at][0] < end:
        hole_start, hole_end = holes[at]
        if hole_start > start:
            yield start, hole_start
        start = max(start, hole_end)
        at += 1
    if start < end:
        yield start, end
