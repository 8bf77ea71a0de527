"""What is worked out for a whole source and asked for again by each span of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Recent"]

T = TypeVar("T")

_KEPT = 4
"""Sources at a time; each process reads one after the other."""


class Recent(Generic[T]):
    """A function of a source that keeps its last results; sources are told by identity."""

    def __init__(self, make: Callable[[bytes], T]) -> None:
        self._make = make
        self._kept: deque[tuple[bytes, T]] = deque(maxlen=_KEPT)

    def __call__(self, data: bytes) -> T:
        for source, made in tuple(self._kept):
            if source is data:
                return made
        made = self._make(data)
        self.keep(data, made)
        return made

    def keep(self, data: bytes, made: T) -> None:
        """Keep the result for a source that is known without a call."""
        self._kept.append((data, made))
