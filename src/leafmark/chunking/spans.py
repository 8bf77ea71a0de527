"""Arithmetic of half-open ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

__all__ = ["rejoin", "subtract"]


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


def rejoin(
    spans: Sequence[tuple[int, int]], holes: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Make one of neighbouring `spans` that nothing but `holes` parts; both sorted and disjoint.

    >>> rejoin([(0, 2), (4, 8), (9, 12)], [(2, 4)])
    [(0, 8), (9, 12)]
    """
    if not holes:
        return list(spans)
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and next(subtract(joined[-1][1], start, holes), None) is None:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined
