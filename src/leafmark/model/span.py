"""`Span`, a half-open byte range of a source, and arithmetic of such ranges as plain pairs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

__all__ = ["Span", "bytes_in", "merge", "rejoin", "span_at", "subtract"]


_start_of: Callable[[tuple[int, int]], int] = itemgetter(0)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Bytes `[start, end)` of a source.

    >>> Span(2, 5).slice(b"abcdefg")
    b'cde'
    """

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def slice(self, data: bytes) -> bytes:
        return data[self.start : self.end]


def bytes_in(data: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """Return what stands in some ranges of `data`, joined.

    >>> bytes_in(b"abcdefg", [(0, 2), (5, 7)])
    b'abfg'
    """
    return b"".join([data[start:end] for start, end in ranges])


def span_at(spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """Return which of `spans`, sorted and disjoint, has the byte at `offset`, if one does.

    >>> span_at([(2, 4), (8, 12)], 3), span_at([(2, 4), (8, 12)], 4)
    ((2, 4), None)
    """
    at = bisect_right(spans, offset, key=_start_of) - 1
    return spans[at] if at >= 0 and offset < spans[at][1] else None


def merge(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return `spans` in order, those that overlap or touch made one, empty ones left out.

    >>> merge([(4, 8), (0, 2), (2, 3)])
    [(0, 3), (4, 8)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = merged[-1][0], end
        elif start < end:
            merged.append((start, end))
    return merged


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
