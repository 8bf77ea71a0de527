"""Splitting: a range of a body into units that are small enough to be packed.

Block, then the blocks inside it (items, rows, paragraphs of a quote), then
sentences, then a hard cut; each only where the level above is too large. Units
tile the range: white space belongs to the unit before it. A code block is never
cut unless that is asked for, and a table only between rows; what a script's
parser says of the blocks inside a block of it is no cut but a place between two.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from operator import add, itemgetter
from typing import NamedTuple

from leafmark.chunking.columns import Columns, Row
from leafmark.chunking.cutting import coalesce, line_starts, markup_starts, token_cuts
from leafmark.chunking.measuring import Meter, text_tokens
from leafmark.chunking.packing import pack
from leafmark.chunking.placed import outermost
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.repeating import head_text, key_of, whole_header
from leafmark.chunking.rows import cell_starts, untied_rows
from leafmark.chunking.sentences import sentence_starts
from leafmark.chunking.unit_places import along_headings, along_rows
from leafmark.model import Block

__all__ = ["Splitter", "Unit"]

_DEEPEST = 8
"""Containers in containers that are looked into before sentences are; code is kept at any depth."""

_SURELY_LARGE = 8
"""A block of more bytes than this for each token of the capacity is split without being counted."""

_CRUMBS = 4
"""Neighbours that together have fewer bytes than the grain has tokens, over this, are one unit."""

_SOLID = frozenset(("code", "table", "list_item"))
"""What is not split while it fits."""

_SPACES = b" \t"

_ITEM = Block("list_item", 0, 0, 1)
"""An item of a list at the top, as far as splitting asks: where it stands, its unit says."""

_ROW_BYTES = 2
"""A row of HTML in Markdown of so many bytes for each token of the capacity is within it."""

_HEADER_SHARE = 2
"""A table's header is repeated while it takes at most one in this many of the capacity's tokens."""

_KEY_SHARE = 8
"""So is the first cell of a row that is cut, with its header."""


_new = tuple.__new__  # half the cost of calling a named tuple's class
_start_of: Callable[[Block], int] = itemgetter(1)
_tokens_of: Callable[[Unit], int] = itemgetter(2)


class Unit(NamedTuple):
    """A range with its tokens.

    `whole`: it is one block that cannot be cut, whatever its size. `inline`: it
    ends inside a line; then the tokens are those with the space before it and
    without the space at its end, because a word is counted with its space.
    `header`: the tokens of the table header that it repeats where it begins a
    piece.
    """

    start: int
    end: int
    tokens: int
    whole: bool = False
    inline: bool = False
    header: int = 0


class Splitter(NamedTuple):
    """Splits ranges of one document into units of at most `capacity` tokens.

    What is over `grain` is split already where it has blocks or sentences to be
    split at. A table, and a row of one that is cut, stays whole while its text is
    within what `room` returns.
    """

    reader: BodyReader
    meter: Meter
    tokenizer: str
    capacity: int
    grain: int
    room: Callable[[], int]
    cut_code: bool = False

    def split(self, start: int, end: int) -> list[Unit]:
        """Return the units of `[start, end)`, which begins and ends between blocks."""
        blocks = self.reader.top_within(start, end)
        headings = self.reader.headings_within(start, end)
        found = self.reader.markup_tables(start, end) if "html" in blocks.kinds else []
        tables = [table for table in found if start <= table.start and table.end <= end]
        if tables or headings or not blocks or "heading" in blocks.kinds:
            places = along_headings(start, headings, blocks)
            if tables:
                fits = partial(self.meter.fits, limit=self.capacity)
                places = along_rows(places, tables, fits=fits, row=_ITEM)
            return self._split_at([at for at, _ in places], [block for _, block in places], end)
        starts = [start, *blocks.starts[1:]]
        return self._split_at(starts, blocks, end)

    def _crumbs(self, starts: Sequence[int], end: int) -> list[int]:
        """Where units begin when neighbours too small to matter alone are one."""
        return coalesce(starts, end, self.grain // _CRUMBS)

    def _split_at(
        self, starts: Sequence[int], blocks: Sequence[Block | None], end: int
    ) -> list[Unit]:
        """Return units that begin at some of `starts`, each with the block that it is made of."""
        places, starts = starts, self._crumbs(starts, end)
        ends = [*starts[1:], end]
        most = self.capacity * _SURELY_LARGE
        sizes = self.meter.sizes(starts, end, most_bytes=most)
        ranges = zip(starts, ends, sizes, strict=True)
        if max(sizes) <= self.grain:
            return [_new(Unit, (*extent, False, False, 0)) for extent in ranges]
        units: list[Unit] = []
        for start, after, tokens in ranges:
            if tokens <= self.grain:
                units.append(_new(Unit, (start, after, tokens, False, False, 0)))
                continue
            block = blocks[bisect_right(places, start) - 1]
            solid = block is not None and block.kind in _SOLID
            if solid and after - start > most:
                before = starts[max(0, starts.index(start) - 1)]
                tokens = self.meter.sizes([before, start], after, most_bytes=after)[-1]
            if solid and tokens <= self.capacity:
                units.append(Unit(start, after, tokens))
            else:
                units += self._refine(Unit(start, after, tokens), block)
        return units

    def _refine(self, unit: Unit, block: Block | None) -> Iterable[Unit]:
        """Split a unit that is too large one level down."""
        if block is not None and block.kind == "table":
            return self._split_table(unit, block)
        if block is not None and block.kind == "html":
            find = partial(markup_starts, kept=self.capacity * _ROW_BYTES)
            return self._cut_at(unit, self._places_in(unit, find))
        starts, nested = self._nested(unit, block)
        if nested:
            return self._split_at([unit.start, *starts[1:]], nested, unit.end)
        if block is not None and block.kind == "code":
            return self._keep_code(unit)
        return self._split_prose_around_code(unit, self.capacity)

    def _nested(self, unit: Unit, block: Block | None) -> tuple[list[int], list[Block]]:
        """The blocks that the unit's block is made of, where there are several at some level.

        Or a table that is the only one. Before them, where they begin.
        """
        if block is None:
            return [], []
        if block.kind == "list" and not block.level:
            starts = self.reader.item_starts(block)
            starts = [at for at in starts if unit.start <= at < unit.end]
            if len(starts) > 1:
                return starts, [_ITEM] * len(starts)
        inside = self.reader.blocks_within(unit.start, unit.end)
        for level in range(block.level + 1, _DEEPEST):
            nested = [inner for inner in inside if inner.level == level]
            if len(nested) > 1 or (nested and nested[0].kind == "table"):
                return [*map(_start_of, nested)], nested
        return [], []

    def _keep_code(self, unit: Unit) -> Iterator[Unit]:
        if self.cut_code:
            return self._cut_at(unit, self._places_in(unit, line_starts))
        return iter((unit._replace(whole=True),))

    def _split_table(self, unit: Unit, table: Block) -> Iterator[Unit]:
        """Keep the table whole or cut it between rows; each part counts the header it repeats."""
        if self._is_within(unit, self.room()):
            yield unit._replace(whole=True)
            return
        content = table.content_start or table.start
        header = self._header_tokens(table)
        first = max(content, unit.start)
        rows = [row for row in self.reader.row_starts(table) if first < row < unit.end]
        room = self.capacity - header
        starts = [*self._row_starts(unit, rows, room), unit.end]
        sizes = self.meter.counts(starts[:-1], starts[1:])
        for first, after in pack(sizes, room):
            part = Unit(starts[first], starts[after], sum(sizes[first:after]))
            parts = self._split_row(part, table, room) if part.tokens > room else [part]
            for found in parts:
                is_below = not found.header and found.start >= content
                yield found._replace(header=header) if is_below else found

    def _row_starts(self, unit: Unit, rows: Sequence[int], room: int) -> Iterator[int]:
        """Where a table may be cut: between rows that are read as one only where they must be."""
        starts = self._crumbs(
            [unit.start, *untied_rows(self.meter.document, rows, unit.end)], unit.end
        )
        for start, end in pairwise([*starts, unit.end]):
            if self.meter.fits(start, end, room):
                yield start
            else:
                inside = rows[bisect_right(rows, start) : bisect_left(rows, end)]
                yield from self._crumbs([start, *inside], end)

    def _split_row(self, row: Unit, table: Block, room: int) -> Iterable[Unit]:
        """Split a row at the tables inside it, which pages have for their layout, else as prose."""
        inside = [
            block
            for block in self.reader.blocks_within(row.start, row.end)
            if block.kind == "table" and block.level > table.level
        ]
        if not inside:
            return self._split_text_row(row, table, room)
        places: dict[int, Block | None] = {row.start: None}
        for block in outermost(inside):
            places[block.start] = block
            places.setdefault(block.end, None)
        places.pop(row.end, None)
        return self._split_at([*places], [*places.values()], row.end)

    def _split_text_row(self, row: Unit, table: Block, room: int) -> Iterator[Unit]:
        """Keep a row that fits, else the header that it stands below, if that is not repeated."""
        at = table.content_start or 0
        has_header = row.start < at < row.end
        repeated = 0 if has_header else self.capacity - room
        if self._is_within(row, self.room() - repeated):
            yield row._replace(whole=True)
            return
        if has_header:
            yield from self._split_text_row(self._unit(row.start, at), table, room)
            yield from self._split_text_row(self._unit(at, row.end), table, room)
        else:
            yield from self._split_cells(row, table, room)

    def _split_cells(self, row: Unit, table: Block, room: int) -> Iterator[Unit]:
        """Cut a row between its cells, and a cell that is too large as prose.

        Each part counts what it repeats: the cells above its own, and the row's first one.
        """
        starts = cell_starts(self.meter.document, row.start, row.end)
        columns = self.reader.columns(table)
        inside = None if columns is None else columns.row_at(row.start)
        if columns is None or inside is None:
            starts = self._crumbs(starts, row.end)
            is_below = row.start >= (table.content_start or 0)
            heads, shared = [0] * len(starts), self.capacity - room if is_below else 0
        else:
            heads, shared = self._repeated_tokens(columns, inside, [*starts, row.end])
        cells = [self._part(row, start, end) for start, end in pairwise([*starts, row.end])]
        return self._pack_cells(row, cells, heads, shared=shared)

    def _repeated_tokens(
        self, columns: Columns, row: Row, starts: Sequence[int]
    ) -> tuple[list[int], int]:
        """The tokens of what stands above each part of a row, and of the row's first cell.

        The parts begin at `starts`, the last of which is where the row ends. What is too
        large beside the part itself is not counted, since it may not be repeated.
        """
        tokens, key = self.meter.count, key_of(self.reader, row)
        heads = [
            tokens(head_text(self.reader, columns, row.cells_in(start, end)))
            for start, end in pairwise(starts)
        ]
        shared = 0
        if key is not None:
            shared = tokens(head_text(self.reader, columns, [key])) + self.meter.tokens(*key[2:])
            shared = shared if shared * _KEY_SHARE <= self.capacity else 0
        return [head if head * _HEADER_SHARE <= self.capacity else 0 for head in heads], shared

    def _pack_cells(
        self, row: Unit, cells: Sequence[Unit], heads: Sequence[int], *, shared: int
    ) -> Iterator[Unit]:
        """Yield parts of a row that are made of its cells, each with what it repeats.

        That is what stands above each cell, and what all parts share.
        """
        room = self.capacity - shared
        for first, after in pack([*map(add, map(_tokens_of, cells), heads)], room):
            part = self._part(row, cells[first].start, cells[after - 1].end)
            header = sum(heads[first:after])
            is_counted = self.meter.fits(part.start, part.end, room - header)
            if part.tokens + header <= room and is_counted:
                yield part._replace(header=header + shared)
            elif after - first > 1:
                for number in range(first, after):
                    yield cells[number]._replace(header=heads[number] + shared)
            else:
                for found in self._split_prose_around_code(part, room - header):
                    yield found._replace(header=header + shared)

    def _is_within(self, unit: Unit, limit: int) -> bool:
        """Whether the unit's text is within the limit, whatever markup it has beside."""
        if unit.tokens <= limit:
            return True
        span = unit.start, unit.end
        tokens = text_tokens(self.reader, self.meter, span, tokens=unit.tokens, bound=limit)
        return tokens <= limit

    def _header_tokens(self, table: Block) -> int:
        header = whole_header(self.reader, table)
        tokens = 0 if header is None else self.meter.count(header.above)
        return tokens if tokens * _HEADER_SHARE <= self.capacity else 0

    def _split_prose_around_code(self, unit: Unit, capacity: int) -> Iterator[Unit]:
        """Split what has no blocks to be cut at, but for code too deep inside to be found so."""
        at = unit.start
        for block in self.reader.code_within(unit.start, unit.end):
            start, end = max(block.start, unit.start), min(block.end, unit.end)
            if start > at:
                yield from self._split_prose(at, start, capacity)
            yield from self._keep_code(self._unit(start, end))
            at = end
        if at < unit.end:
            yield from self._split_prose(at, unit.end, capacity)

    def _split_prose(self, start: int, end: int, capacity: int) -> Iterator[Unit]:
        unit = Unit(start, end, end - start)  # its parts are counted
        return self._cut_at(unit, self._places_in(unit, sentence_starts), capacity)

    def _cut_at(
        self, unit: Unit, starts: Sequence[int], capacity: int | None = None
    ) -> Iterator[Unit]:
        """Cut at offsets into the unit, and, within what is still too large, anywhere.

        Heading lines, which only begin a unit, stay with what follows them.
        """
        capacity = self.capacity if capacity is None else capacity
        headings = self.reader.headings_within(unit.start, unit.end)
        least = self._content_start(headings[-1].end, unit) - unit.start if headings else 0
        starts = [0, *[at for at in starts if at > least]]
        starts = self._crumbs(starts, unit.end - unit.start)
        for start, end in _shift(starts, unit):
            part = self._part(unit, start, end)
            is_counted = self._edges(unit, start, end) == (start, end)
            if part.tokens <= capacity and (is_counted or self.meter.fits(start, end, capacity)):
                yield part
                continue
            limit = min(capacity, self.grain)
            find = partial(token_cuts, limit=limit, tokenizer=self.tokenizer)
            cuts = self._places_in(part, find)
            for cut, next_cut in _shift(cuts, part):
                yield self._part(unit, cut, next_cut)

    def _content_start(self, at: int, unit: Unit) -> int:
        """The first byte from `at` on that is not white space."""
        return unit.end - len(self.meter.document.data[at : unit.end].lstrip())

    def _part(self, unit: Unit, start: int, end: int) -> Unit:
        """A part of a unit, each word counted with the space before it."""
        tokens = self.meter.tokens(*self._edges(unit, start, end))
        is_inline = self.meter.document.data[end - 1] not in b"\n\r"
        return Unit(start, end, tokens, inline=is_inline)

    def _edges(self, unit: Unit, start: int, end: int) -> tuple[int, int]:
        """What is counted of a part: the space before it, and not that at its end."""
        data = self.meter.document.data
        first = start - 1 if start > unit.start and data[start - 1] in _SPACES else start
        return first, end - 1 if data[end - 1] in _SPACES else end

    def _unit(self, start: int, end: int) -> Unit:
        return Unit(start, end, self.meter.tokens(start, end))

    def _places_in(self, unit: Unit, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        return self.reader.places(unit.start, unit.end, find)


def _shift(starts: Sequence[int], unit: Unit) -> Iterator[tuple[int, int]]:
    """The ranges of the source between offsets into the unit."""
    return pairwise([*[unit.start + at for at in starts], unit.end])
