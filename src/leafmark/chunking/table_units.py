"""A table into units: between its rows, and a row that is too large between its cells.

Each unit below the header counts the tokens of what a piece that begins with it repeats:
the header between rows; inside a row the header cells above its own, and the row's first cell.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import add, itemgetter
from typing import NamedTuple, Protocol

from leafmark.chunking.columns import Cell, Columns, Row
from leafmark.chunking.packing import pack
from leafmark.chunking.placed import outermost
from leafmark.chunking.repeating import head_text, key_of, whole_header
from leafmark.chunking.rows import cell_starts, untied_rows
from leafmark.chunking.units import Cutter, Unit
from leafmark.model import Block

__all__ = ["split_table"]

_HEADER_SHARE = 2
"""A table's header is repeated while it takes at most one in this many of the capacity's tokens."""

_KEY_SHARE = 8
"""So is the first cell of a row that is cut, with its header."""

_tokens_of: Callable[[Unit], int] = itemgetter(2)


class SplitAt(Protocol):
    """Splits a range, up to `end`, at places, each with the block that begins there."""

    def __call__(
        self, cutter: Cutter, starts: Sequence[int], blocks: Sequence[Block | None], *, end: int
    ) -> list[Unit]: ...


def split_table(cutter: Cutter, unit: Unit, table: Block, *, split_at: SplitAt) -> Iterator[Unit]:
    """Keep the table whole if it fits, else cut it; `split_at` splits tables inside a row."""
    if cutter.is_within(unit, cutter.room()):
        return iter((unit._replace(whole=True),))
    header = whole_header(cutter.reader, table)
    tokens = 0 if header is None else cutter.meter.count(header.above)
    tokens = tokens if tokens * _HEADER_SHARE <= cutter.capacity else 0
    return _Table(cutter, table, tokens, split_at, {}).split(unit)


class _Table(NamedTuple):
    """A table that is cut; `header` are the tokens of the header that its parts repeat.

    `heads` are those of what stands above some columns, as far as they were counted.
    """

    cutter: Cutter
    block: Block
    header: int
    split_at: SplitAt
    heads: dict[tuple[tuple[int, int], ...], int]

    def split(self, unit: Unit) -> Iterator[Unit]:
        """Cut between rows; each part below the header counts it."""
        content = self.block.content_start or self.block.start
        room = self.cutter.capacity - self.header
        starts = [*self._row_starts(unit, max(content, unit.start)), unit.end]
        sizes = self.cutter.meter.counts(starts[:-1], starts[1:])
        for first, after in pack(sizes, room):
            part = Unit(starts[first], starts[after], sum(sizes[first:after]))
            for found in self._split_row(part) if part.tokens > room else [part]:
                is_below = not found.header and found.start >= content
                yield found._replace(header=self.header) if is_below else found

    def _row_starts(self, unit: Unit, above: int) -> Iterator[int]:
        """Where it may be cut below `above`: between rows read as one only where they must be."""
        cutter, end = self.cutter, unit.end
        rows = [row for row in cutter.reader.row_starts(self.block) if above < row < end]
        untied = untied_rows(cutter.meter.document, rows, end)
        for start, after in pairwise([*cutter.crumbs_joined([unit.start, *untied], end), end]):
            if cutter.meter.fits(start, after, cutter.capacity - self.header):
                yield start
            else:
                inside = rows[bisect_right(rows, start) : bisect_left(rows, after)]
                yield from cutter.crumbs_joined([start, *inside], after)

    def _split_row(self, row: Unit) -> Iterable[Unit]:
        """Split a row at the tables inside it, which pages have for their layout, else as text."""
        inside = [
            block
            for block in self.cutter.reader.blocks_within(row.start, row.end)
            if block.kind == "table" and block.level > self.block.level
        ]
        if not inside:
            return self._split_text_row(row)
        places: dict[int, Block | None] = {row.start: None}
        for block in outermost(inside):
            places[block.start] = block
            places.setdefault(block.end, None)
        places.pop(row.end, None)
        return self.split_at(self.cutter, [*places], [*places.values()], end=row.end)

    def _split_text_row(self, row: Unit) -> Iterator[Unit]:
        """Keep a row that fits; else part it from the header, if it has that, and cut it."""
        cutter, at = self.cutter, self.block.content_start or 0
        has_header = row.start < at < row.end
        if cutter.is_within(row, cutter.room() - (0 if has_header else self.header)):
            yield row._replace(whole=True)
        elif has_header:
            yield from self._split_text_row(cutter.unit(row.start, at))
            yield from self._split_text_row(cutter.unit(at, row.end))
        else:
            yield from self._split_cells(row)

    def _split_cells(self, row: Unit) -> Iterator[Unit]:
        """Cut a row between its cells, and a cell that is too large as prose."""
        cutter = self.cutter
        starts = cell_starts(cutter.meter.document, row.start, row.end)
        columns = cutter.reader.columns(self.block)
        inside = None if columns is None else columns.row_at(row.start)
        if columns is None or inside is None:
            starts = cutter.crumbs_joined(starts, row.end)
            is_below = row.start >= (self.block.content_start or 0)
            heads, shared = [0] * len(starts), self.header if is_below else 0
        else:
            heads, shared = self._repeated_tokens(columns, inside, [*starts, row.end])
        cells = [cutter.part(row, start, end) for start, end in pairwise([*starts, row.end])]
        return self._pack_cells(row, cells, heads, shared=shared)

    def _repeated_tokens(
        self, columns: Columns, row: Row, starts: Sequence[int]
    ) -> tuple[list[int], int]:
        """The tokens of what stands above each part of a row, and of the row's first cell.

        The parts begin at `starts`, the last of which is where the row ends. What is too
        large beside the part itself is not counted, since it may not be repeated.
        """
        cutter, key = self.cutter, key_of(self.cutter.reader, row)
        reader, meter, capacity = cutter.reader, cutter.meter, cutter.capacity
        heads = [
            self._head_tokens(columns, row.cells_in(start, end)) for start, end in pairwise(starts)
        ]
        shared = 0
        if key is not None:
            shared = meter.count(head_text(reader, columns, [key])) + meter.tokens(*key[2:])
            shared = shared if shared * _KEY_SHARE <= capacity else 0
        return [head if head * _HEADER_SHARE <= capacity else 0 for head in heads], shared

    def _head_tokens(self, columns: Columns, cells: Sequence[Cell]) -> int:
        """The tokens of what stands above some cells; the same columns in any row have the same."""
        place = tuple([cell[:2] for cell in cells])
        found = self.heads.get(place)
        if found is None:
            text = head_text(self.cutter.reader, columns, cells)
            found = self.heads[place] = self.cutter.meter.count(text)
        return found

    def _pack_cells(
        self, row: Unit, cells: Sequence[Unit], heads: Sequence[int], *, shared: int
    ) -> Iterator[Unit]:
        """Yield parts of a row that are made of its cells, each with what it repeats.

        `heads` are the tokens of what stands above each cell, `shared` of what all parts repeat.
        """
        cutter, room = self.cutter, self.cutter.capacity - shared
        for first, after in pack([*map(add, map(_tokens_of, cells), heads)], room):
            part = cutter.part(row, cells[first].start, cells[after - 1].end)
            header = sum(heads[first:after])
            is_counted = cutter.meter.fits(part.start, part.end, room - header)
            if part.tokens + header <= room and is_counted:
                yield part._replace(header=header + shared)
            elif after - first > 1:
                for number in range(first, after):
                    yield cells[number]._replace(header=heads[number] + shared)
            else:
                for found in cutter.cut_prose(part, room - header):
                    yield found._replace(header=header + shared)
