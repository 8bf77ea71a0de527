"""Blocks by where they stand: those of level 0 in columns, and stretches between headings.

A document of a megabyte may have a hundred thousand blocks: numbers in lists cost less
to make than objects, and the collector of cycles looks at none of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from leafmark.model.document import Block, BlockKind

__all__ = ["MOST_STRETCHES", "Stretches", "TopBlocks"]

_NO_DETAILS: tuple[str, int | None] = ("", None)


class TopBlocks(Sequence[Block]):
    """Blocks of level 0, in order, each made when it is looked at. Slices are columns, too.

    `details` has the language and the start of the content of those with one of them,
    by where they start.
    """

    __slots__ = ("details", "ends", "kinds", "starts")

    def __init__(
        self,
        kinds: list[BlockKind],
        starts: list[int],
        ends: list[int],
        details: dict[int, tuple[str, int | None]],
    ) -> None:
        self.kinds, self.starts, self.ends, self.details = kinds, starts, ends, details

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> TopBlocks:
        found = cls([], [], [], {})
        for block in blocks:
            found.add(block)
        return found

    def add(self, block: Block) -> None:
        """Add the block that follows."""
        kind, start, end, _, info, content = block
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)
        if info or content is not None:
            self.details[start] = info, content

    def pop(self) -> int:
        """Take the last one away, and return where it starts."""
        self.kinds.pop()
        self.ends.pop()
        start = self.starts.pop()
        self.details.pop(start, None)
        return start

    def starting_within(self, start: int, end: int) -> TopBlocks:
        """Return those that start in `[start, end)`; if all do, this object, not to be changed."""
        starts = self.starts
        if not starts or (start <= starts[0] and starts[-1] < end):
            return self
        return self[bisect_left(starts, start) : bisect_left(starts, end)]

    @classmethod
    def joined(cls, parts: Iterable[TopBlocks]) -> TopBlocks:
        """Make one of the blocks of several stretches."""
        found = cls([], [], [], {})
        for part in parts:
            found.kinds += part.kinds
            found.starts += part.starts
            found.ends += part.ends
            found.details.update(part.details)
        return found

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> TopBlocks: ...
    def __getitem__(self, index: int | slice) -> Block | TopBlocks:
        if isinstance(index, slice):
            columns = self.kinds[index], self.starts[index], self.ends[index]
            return TopBlocks(*columns, self.details)
        start = self.starts[index]
        info, content = self.details.get(start, _NO_DETAILS)
        return Block(self.kinds[index], start, self.ends[index], 0, info, content)

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self.starts)))

    def __len__(self) -> int:
        return len(self.starts)


MOST_STRETCHES = 4096
"""Stretches whose blocks are remembered: they are looked at in order, and may be many."""


class Stretches(ABC):
    """What `Document.blocks` may be besides a sequence: blocks by the stretch they lie in.

    A heading at the top level begins a stretch; no block lies in two. One
    stretch costs less than all blocks do, and its blocks at the top less still.
    """

    __slots__ = ()

    @abstractmethod
    def stretches_of(self, start: int, end: int) -> range:
        """The numbers of the stretches that have bytes in `[start, end)`."""

    @abstractmethod
    def top(self, number: int) -> TopBlocks:
        """The blocks of level 0 of a stretch, in order."""

    @abstractmethod
    def inside(self, block: Block) -> Sequence[Block]:
        """The blocks that lie in a block of level 0, in order."""

    def item_starts(self, block: Block) -> Sequence[int]:
        """Where the items of a list of level 0 begin, in order: it costs less than its blocks."""
        return [part.start for part in self.inside(block) if part.level == 1]
