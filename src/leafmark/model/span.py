"""`Span`: a half-open byte range of a source, and what several come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Span", "merge"]


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
