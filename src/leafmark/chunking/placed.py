"""The blocks of one stretch of a document, found by their places.

Blocks that lie in others (items in lists, code in items) are looked for when they are
needed, and code inside other blocks only where their bytes say that there may be some.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter

from leafmark.chunking.markup_tables import MarkupTable, markup_tables
from leafmark.model import Block, Document, Stretches, TopBlocks

__all__ = [
    "OneStretch",
    "PlacedBlocks",
    "has_any",
    "may_have_code",
    "outermost",
]

_CODE_MARKS = (b"```", b"~~~", b"    ", b"\t")
"""Without one of these there is no code in Markdown: no fence, and no indent wide enough."""

_WITH_CODE = frozenset(("code", "list", "quote", "definition"))
"""Blocks of Markdown that are code, or that it may lie in."""

_start_of: Callable[[Block], int] = itemgetter(1)
_end_of: Callable[[Block], int] = itemgetter(2)


class PlacedBlocks:
    """The blocks of the stretch `number`, in order."""

    def __init__(self, stretches: Stretches, number: int, document: Document) -> None:
        self.top = stretches.top(number)
        self._inside = stretches.inside
        self._document = document

    @cached_property
    def blocks(self) -> list[Block]:
        return [block for top in self.top for block in (top, *self._inside(top))]

    def within(self, start: int, end: int) -> list[Block]:
        """Those that start in `[start, end)`."""
        first = max(0, bisect_right(self.top.starts, start) - 1)
        found: list[Block] = []
        for top in self.top[first : bisect_left(self.top.starts, end)]:
            if top.start >= start:
                found.append(top)
            inner = self._inside(top)
            low, high = bisect_left(inner, start, key=_start_of), len(inner)
            if top.end > end:
                high = bisect_left(inner, end, key=_start_of)
            found += inner[low:high]
        return found

    @cached_property
    def code(self) -> list[Block]:
        found: list[Block] = []
        is_markdown = self._document.format == "markdown"
        for number, kind in enumerate(self.top.kinds):
            if is_markdown and kind not in _WITH_CODE:
                continue
            top = self.top[number]
            if kind == "code":  # code in code, as scripts have it, is part of it
                found.append(top)
            elif may_have_code(self._document, self._document.data[top.start : top.end]):
                found += [block for block in self._inside(top) if block.kind == "code"]
        return outermost(found)

    def code_between(self, start: int, end: int) -> Sequence[Block]:
        """The code that has bytes in `[start, end)`."""
        at = bisect_left(self.code, start + 1, key=_end_of)
        return self.code[at : bisect_left(self.code, end, key=_start_of)]

    @cached_property
    def tables(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "table"]

    @cached_property
    def markup_tables(self) -> list[MarkupTable]:
        """The tables of Markdown that are written in HTML."""
        if self._document.format != "markdown":
            return []
        return markup_tables(self._document.data, self.top)

    @cached_property
    def table_holders(self) -> list[int]:
        """The number of the table that each table lies in, -1 for none."""
        holders: list[int] = []
        for number, table in enumerate(self.tables):
            holder = number - 1
            while holder >= 0 and self.tables[holder].end <= table.start:
                holder = holders[holder]
            holders.append(holder)
        return holders


class OneStretch(Stretches):
    """Blocks that are there all at once."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        places = [place for place, block in enumerate(blocks) if not block.level]
        self._blocks = blocks
        self._places = [*places, len(blocks)]
        self._top = TopBlocks.of(map(blocks.__getitem__, places))

    def stretches_of(self, start: int, end: int) -> range:
        return range(1)

    def top(self, number: int) -> TopBlocks:
        return self._top

    def inside(self, block: Block) -> Sequence[Block]:
        number = bisect_right(self._top.starts, block.start)
        first, after = self._places[number - 1 : number + 1]
        return self._blocks[first + 1 : after]


def outermost(blocks: Sequence[Block]) -> list[Block]:
    """Those of the blocks that lie in no other of them."""
    found: list[Block] = []
    for block in blocks:
        if not found or block.start >= found[-1].end:
            found.append(block)
    return found


def may_have_code(document: Document, raw: bytes) -> bool:
    """Whether there may be a code block among `raw`, by bytes that it would have."""
    if document.format != "markdown":
        return True
    return has_any(raw, _CODE_MARKS)


def has_any(raw: bytes, marks: Sequence[bytes]) -> bool:
    """Whether one of the marks is in `raw`; one byte is found twenty times as fast as two."""
    return any(mark[:1] in raw and mark in raw for mark in marks)
