"""`Span`: a half-open byte range of a source."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Span"]


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
