"""Which numbers were put under a hash: an index of a long list, some twenty bytes an item.

A dictionary of the items themselves takes hundreds. Whoever asks looks at the
items that the numbers found stand for: several may have one hash.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

__all__ = ["NumbersByHash"]

_MARK_BITS = 32
"""Numbers, and what is kept of a hash beside its slot, have so many bits."""

_LOW = (1 << _MARK_BITS) - 1


class NumbersByHash:
    """An open-addressed table of the last number of each hash, and which came before each."""

    __slots__ = ("_before", "_slots")

    def __init__(self, count: int):
        """Numbers are below `count`."""
        self._slots = array("Q", bytes(8 << (count + count // 2 + 1).bit_length()))
        self._before = array("I", bytes(4 * count))

    def put(self, hashed: int, number: int) -> None:
        """Put a number under a hash; each number once."""
        at, mark = self._slot(hashed)
        self._before[number] = self._slots[at] & _LOW
        self._slots[at] = mark << _MARK_BITS | (number + 1)

    def find(self, hashed: int) -> Iterator[int]:
        """Yield the numbers that may be under a hash, the latest first."""
        at, _ = self._slot(hashed)
        number = self._slots[at] & _LOW
        while number:
            yield number - 1
            number = self._before[number - 1]

    def _slot(self, hashed: int) -> tuple[int, int]:
        """The place of a hash, or the free one that is its own, and its mark."""
        slots = self._slots
        last, mark = len(slots) - 1, hashed >> _MARK_BITS & _LOW
        at = hashed & last
        while (held := slots[at]) and held >> _MARK_BITS != mark:
            at = at + 1 & last
        return at, mark
