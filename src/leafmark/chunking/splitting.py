"""A range of a body into units, from which chunks are packed.

Cuts come between top-level blocks first, then between the blocks inside them (list items, rows),
then between sentences, then anywhere; each only where the level above is too large. Units tile the
range: white space belongs to the unit before it. A code block is only cut if the options say so. A
table is cut between its rows, and a row that is too large between its cells; each unit below the
header counts the tokens that a piece beginning with it repeats. The blocks nested in a block of a
script only offer places to cut.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from operator import add, itemgetter
from typing import Any, NamedTuple, Protocol

from leafmark.chunking.block_regions import BodyReader, fence_of, outermost
from leafmark.chunking.cuts import coalesce, line_starts, markup_starts, sentence_starts, token_cuts
from leafmark.chunking.keep_with_next import are_opening_tags, is_inside_code, item_starts
from leafmark.chunking.measuring import Meter
from leafmark.chunking.packing import divide
from leafmark.chunking.tables import Cell, Columns, MarkupTable, Row, cell_starts, untied_rows
from leafmark.chunking.text import head_text, key_of, whole_header
from leafmark.chunking.tokens import least_tokens
from leafmark.model import Block, Document, Heading, TopBlocks

_CRUMBS = 4
"""Neighbours with fewer bytes together than the grain's tokens divided by this are one unit."""

_CRUMBS_OF_CHARACTERS = 16
"""The same for sizes in characters, of which a token has about four."""

_ROW_BYTES = 2
"""A row of HTML in Markdown stays whole up to so many bytes for each token of the capacity."""

_SPACES = b" \t"
_PARTING = frozenset(b" \t\r\n")
_MARKS = frozenset(string.punctuation.encode())
_CONTINUED = range(0x80, 0xC0)
"""The continuation bytes of UTF-8."""
_BLANK_LINES = re.compile(rb"(?:[ \t]*+(?:\r\n?|\n)|(?!))*+")


class Unit(NamedTuple):
    """A range with its tokens.

    `whole`: it is one block that cannot be cut, whatever its size. `inline`: it
    ends inside a line; then the tokens include the space before it, and not
    the space at its end, because a word is counted with its space.
    `header`: the tokens of the table header that it repeats if it begins a
    piece.
    """

    start: int
    end: int
    tokens: int
    whole: bool = False
    inline: bool = False
    header: int = 0


class Units(NamedTuple):
    """Neighbouring units in columns: a document may have very many."""

    starts: list[int]
    ends: list[int]
    tokens: list[int]
    wholes: list[bool]
    inlines: list[bool]
    headers: list[int]

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Units:
        starts, ends, tokens, wholes, inlines, headers = map(list, zip(*units, strict=True))
        return cls(starts, ends, tokens, wholes, inlines, headers)

    @classmethod
    def plain(cls, starts: list[int], ends: list[int], tokens: list[int]) -> Units:
        """Return units of whole lines that can be cut."""
        no = [False] * len(starts)
        return cls(starts, ends, tokens, no, [*no], [0] * len(starts))

    def between(self, first: int, after: int) -> Units:
        """Return the units `[first, after)`."""
        columns: list[Any] = [column[first:after] for column in self]
        return Units(*columns)

    def add(self, start: int, end: int, tokens: int) -> None:
        """Append a unit of whole lines that can be cut."""
        self.starts.append(start)
        self.ends.append(end)
        self.tokens.append(tokens)
        self.wholes.append(False)
        self.inlines.append(False)
        self.headers.append(0)

    def insert(self, at: int, others: Units) -> None:
        """Insert other units before unit `at`."""
        pairs: Any = zip(self, others, strict=True)
        for column, other in pairs:
            column[at:at] = other


class Cutter(NamedTuple):
    """Cuts ranges of one document into units of at most `capacity` tokens.

    A range over `grain` is cut even below `capacity` if it has blocks or sentences.
    A table, or a row of a cut table, stays whole while its text is within the tokens
    that `room` returns.
    """

    reader: BodyReader
    meter: Meter
    tokenizer: str
    capacity: int
    grain: int
    room: Callable[[], int]
    cut_code: bool = False

    def reserved(self, tokens: int) -> int:
        """Return how many of the repeated `tokens` of a piece its body must leave free."""
        return max(0, tokens - self.room() + self.capacity)

    def crumbs_joined(
        self, starts: Sequence[int], end: int, *, kept_starts: Container[int] = ()
    ) -> list[int]:
        """Return the starts of units after joining neighbours that are too small to matter.

        A unit that begins at one of `kept_starts` is not joined with the one before it.
        """
        share = _CRUMBS_OF_CHARACTERS if self.tokenizer == "characters" else _CRUMBS
        return coalesce(starts, end, self.grain // share, kept_starts=kept_starts)

    def unit(self, start: int, end: int) -> Unit:
        """Return a range of whole lines as a unit."""
        return Unit(start, end, self.meter.tokens(start, end))

    def part(self, unit: Unit, start: int, end: int) -> Unit:
        """Return a part of a unit, each word counted with the space before it.

        A mark right after another one makes a word with it, not with the letters that follow:
        then a part adds more tokens than it has.
        """
        tokens = self.meter.tokens(*self._counted(unit, start, end))
        before = self._mark_before(start) if start > unit.start else start
        if before < start:
            added = self.meter.tokens(before, end) - self.meter.tokens(before, start)
            tokens = max(tokens, added)
        is_inline = self.meter.document.data[end - 1] not in b"\n\r"
        return Unit(start, end, tokens, inline=is_inline)

    def _mark_before(self, start: int) -> int:
        """Return the start of the character before an ASCII mark at `start`; `start` for others."""
        data = self.meter.document.data
        if data[start] not in _MARKS or data[start - 1] in _PARTING:
            return start
        before = start - 1
        while before and data[before] in _CONTINUED:
            before -= 1
        return before

    def _counted(self, unit: Unit, start: int, end: int) -> tuple[int, int]:
        """Return the range to count for a part: with the space before it, not that at its end."""
        data = self.meter.document.data
        first = start - 1 if start > unit.start and data[start - 1] in _SPACES else start
        return first, end - 1 if data[end - 1] in _SPACES else end

    def is_within(self, unit: Unit, limit: int) -> bool:
        """Whether the unit's `text` has at most `limit` tokens; markup does not count."""
        if unit.tokens <= limit:
            return True
        span = unit.start, unit.end
        return self.meter.text_tokens(span, tokens=unit.tokens, bound=limit) <= limit

    def cut_prose(self, unit: Unit, capacity: int) -> Iterator[Unit]:
        """Cut a unit without blocks at sentences, but not the code deep inside it."""
        at = unit.start
        for block in self.reader.code_within(unit.start, unit.end):
            start, end = max(block.start, unit.start), min(self._below(block), unit.end)
            if start > at:
                yield from self._cut_at_sentences(at, start, capacity)
            yield from self.keep_code(self.unit(start, end), block)
            at = end
        if at < unit.end:
            yield from self._cut_at_sentences(at, unit.end, capacity)

    def _below(self, block: Block) -> int:
        """Return the start of the next line that is not blank."""
        blank = _BLANK_LINES.match(self.meter.document.data, block.end)
        return block.end if blank is None else blank.end()

    def _cut_at_sentences(self, start: int, end: int, capacity: int) -> Iterator[Unit]:
        unit = Unit(start, end, end - start)  # its parts are counted
        return self._cut_at(unit, self._sentence_starts(unit, capacity), capacity)

    def _sentence_starts(self, unit: Unit, capacity: int) -> Sequence[int]:
        """Return the starts of sentences, and in plain text of items; not inside items that fit."""
        items = self._find(unit, item_starts) if self.reader.document.format == "text" else ()
        if not items:
            return self._find(unit, sentence_starts)
        starts: list[int] = []
        for first, end in _ranges(unit, items if items[0] == 0 else [0, *items]):
            at = first - unit.start
            if (at or items[0] == 0) and self.meter.fits(first, end, capacity):
                starts.append(at)
            else:
                part = Unit(first, end, end - first)
                starts += [at + inside for inside in self._find(part, sentence_starts)]
        return starts

    def keep_code(self, unit: Unit, code: Block) -> Iterable[Unit]:
        """Keep code whole, or cut it at line ends if the options say so.

        Each part is shown between the fences of the whole, so that a fence alone is not a part.
        """
        if not self.cut_code:
            return (unit._replace(whole=True),)
        starts = self._find(unit, line_starts)
        fence = None if code.end > unit.end else fence_of(self.reader, code)
        if fence is None:
            return self._cut_at(unit, starts, self.capacity)
        inside = [at for at in starts[:-1] if unit.start + at > (code.content_start or 0)]
        closing = self.meter.count(fence.closing) + 1
        reserved = self.reserved(self.meter.count(fence.opening) + 1 + closing)
        parts = self._cut_at(unit, [0, *inside], max(1, self.capacity - reserved))
        if not reserved:
            return parts
        return (part._replace(tokens=part.tokens + closing, header=reserved) for part in parts)

    def cut_html(self, unit: Unit) -> Iterator[Unit]:
        """Cut HTML in Markdown at line ends outside tags."""
        raw = self.meter.document.data[unit.start : unit.end]  # with its tags
        starts = markup_starts(raw, row_bytes=self.capacity * _ROW_BYTES)
        return self._cut_at(unit, starts, self.capacity)

    def _cut_at(self, unit: Unit, starts: Sequence[int], capacity: int) -> Iterator[Unit]:
        """Cut at offsets into the unit, and parts that are still too large anywhere.

        Heading lines, which only begin a unit, stay with the text after them.
        """
        headings, least = self.reader.headings_within(unit.start, unit.end), 0
        if headings:
            below = self.meter.document.data[headings[-1].end : unit.end]
            least = unit.end - unit.start - len(below.lstrip())
        starts = [0, *[at for at in starts if at > least]]
        starts = self.crumbs_joined(starts, unit.end - unit.start)
        for start, end in _ranges(unit, starts):
            part = self._fitting(unit, start, end, capacity=capacity)
            if part is None:
                yield from self._cut_finer(unit, Unit(start, end, end - start), capacity)
            else:
                yield part

    def _cut_finer(self, unit: Unit, part: Unit, capacity: int) -> Iterator[Unit]:
        """Cut a part that is still too large: plain text at starts of lines, then anywhere."""
        starts: Sequence[int] = [0]
        if self.reader.document.format == "text":
            starts = self._line_starts(part, capacity)
        limit = min(capacity, self.grain)
        find = partial(token_cuts, limit=limit, tokenizer=self.tokenizer)
        for start, end in _ranges(part, starts):
            line = self._fitting(unit, start, end, capacity=capacity) if len(starts) > 1 else None
            if line is not None:
                yield line
                continue
            line = Unit(start, end, end - start)
            for cut, next_cut in _ranges(line, self._find(line, find)):
                yield self.part(unit, cut, next_cut)

    def _line_starts(self, part: Unit, capacity: int) -> Sequence[int]:
        """Return the starts of lines of plain text; in code, not inside a definition that fits."""
        document = self.reader.document
        is_inside = partial(is_inside_code, document.path, document.data[part.start : part.end])
        lines = self._find(part, line_starts)
        starts: list[int] = []
        for first, end in _ranges(part, [0, *[at for at in lines[1:] if not is_inside(at)]]):
            at, after = first - part.start, end - part.start
            starts.append(at)
            inside = lines[bisect_right(lines, at) : bisect_left(lines, after)]
            if inside and not self.meter.fits(first, end, capacity):
                starts += inside
        return self.crumbs_joined(starts, part.end - part.start)

    def _fitting(self, unit: Unit, start: int, end: int, *, capacity: int) -> Unit | None:
        """Return a part of a unit if it is within the capacity."""
        if least_tokens(self.meter.size_bytes(start, end) - 2, self.tokenizer) > capacity:
            return None
        part = self.part(unit, start, end)
        start, end = part.start, part.end
        is_exact = self._counted(unit, start, end) == (start, end)
        is_within = part.tokens <= capacity and (is_exact or self.meter.fits(start, end, capacity))
        return part if is_within else None

    def _find(self, unit: Unit, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        return self.reader.places(unit.start, unit.end, find)


def _ranges(unit: Unit, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return the ranges of the source that begin at offsets into the unit, up to its end."""
    return pairwise([*[unit.start + at for at in starts], unit.end])


Place = tuple[int, Block | None]
"""The start of a unit, and its block."""

_place_of = itemgetter(0)


def along_headings(start: int, headings: Sequence[Heading], blocks: Sequence[Block]) -> list[Place]:
    """Return the units that begin at blocks; a heading line goes with the block after it.

    Heading lines in a body are those of discarded headings and of headings
    too deep to make a section.
    """
    marks: list[Place] = [(heading.start, None) for heading in headings]
    marks = sorted([*marks, *[(block.start, block) for block in blocks]], key=_place_of)
    places: list[Place] = []
    begin: int | None = start
    for at, block in marks:
        begin = at if begin is None else begin
        if block is not None and block.kind != "heading":
            places.append((begin, block))
            begin = None
    if begin is not None:
        places.append((begin, None))
    return places


def along_rows(
    places: Sequence[Place],
    tables: Iterable[MarkupTable],
    *,
    fits: Callable[[int, int], bool],
    row: Block,
) -> list[Place]:
    """Return the places of units with one unit for each row of the tables that fits.

    Its block is `row`; the first one includes the header. Other units begin at `places`, and
    where HTML continues after a table. All in order; linear in the places and rows.
    """
    starts = [at for at, _ in places]
    along: list[Place] = []
    behind: Place | None = None  # the table before, in the same HTML
    done = 0
    for table in tables:
        at = bisect_right(starts, table.start) - 1
        if at >= done:
            along += places[done:at]
            begin = starts[at]
        elif behind is not None:
            begin = along.pop()[0]
        else:
            continue
        for first, end in pairwise([begin, *table.rows[1:], table.end]):
            inside = places[bisect_left(starts, first) : bisect_left(starts, end)]
            if fits(first, end):
                along.append((first, row))
                continue
            if not inside or inside[0][0] > first:
                along.append((first, places[bisect_right(starts, first) - 1][1]))
            along += inside
        done = bisect_left(starts, table.end, max(done, at + 1))
        last, following = places[done - 1][1], starts[done : done + 1]
        goes_on = last is not None and table.after < min([last.end, *following])
        behind = (table.after, last) if goes_on else None
        along += [behind] if behind else []
    return [*along, *places[done:]]


_HEADER_SHARE = 2
"""A table's header is repeated if it takes at most one in this many of the capacity's tokens."""

_KEY_SHARE = 8
"""The same for the first cell of a cut row, with its header."""

_tokens_of: Callable[[Unit], int] = itemgetter(2)


class SplitAt(Protocol):
    """Splits a range, up to `end`, at places, each with the block that begins there."""

    def __call__(
        self, cutter: Cutter, starts: Sequence[int], blocks: Sequence[Block | None], *, end: int
    ) -> Iterable[Unit]: ...


_DEEPEST_TABLE = 60
"""Below this level, tables inside rows are ignored: Python's stack has a limit."""


def split_table(cutter: Cutter, unit: Unit, table: Block, *, split_at: SplitAt) -> Iterator[Unit]:
    """Keep the table whole if it fits, or cut it; `split_at` splits tables inside a row."""
    if cutter.is_within(unit, cutter.room()):
        return iter((unit._replace(whole=True),))
    header = whole_header(cutter.reader, table)
    tokens = 0 if header is None else cutter.meter.count(header.above)
    tokens = tokens if tokens * _HEADER_SHARE <= cutter.capacity else 0
    return _Table(cutter, table, tokens, split_at, {}).split(unit)


class _Table(NamedTuple):
    """A table to cut; `header` are the tokens of the header that its parts repeat.

    `heads` remembers the tokens of the header above some columns. Repeated text is in no body:
    it uses the room between the target and `max_tokens`.
    """

    cutter: Cutter
    block: Block
    header: int
    split_at: SplitAt
    heads: dict[tuple[tuple[int, int], ...], int]

    def split(self, unit: Unit) -> Iterator[Unit]:
        """Cut between rows; each part below the header counts it."""
        content = self.block.content_start or self.block.start
        reserved = self.cutter.reserved(self.header)
        room = self.cutter.capacity - reserved
        starts = [*self._row_starts(unit, max(content, unit.start)), unit.end]
        sizes = self.cutter.meter.counts(starts[:-1], starts[1:])
        for first, after in divide(sizes, capacity=room).groups:
            part = Unit(starts[first], starts[after], sum(sizes[first:after]))
            for piece in self._split_row(part) if part.tokens > room else [part]:
                is_below = not piece.header and piece.start >= content
                yield piece._replace(header=reserved) if is_below else piece

    def _row_starts(self, unit: Unit, above: int) -> Iterator[int]:
        """Yield the cuts below `above`: between tied rows only if they do not fit together."""
        cutter, end = self.cutter, unit.end
        rows = [row for row in cutter.reader.row_starts(self.block) if above < row < end]
        untied = untied_rows(cutter.meter.document, rows, end)
        limit, fits = cutter.capacity - cutter.reserved(self.header), cutter.meter.fits
        for start, after in pairwise([*cutter.crumbs_joined([unit.start, *untied], end), end]):
            if fits(start, after, limit):
                yield start
            else:
                inside = rows[bisect_right(rows, start) : bisect_left(rows, after)]
                yield from cutter.crumbs_joined([start, *inside], after)

    def _split_row(self, row: Unit) -> Iterable[Unit]:
        """Split a row at the tables inside it, as in pages with a table layout, or as text."""
        inside = [
            block
            for block in self.cutter.reader.blocks_within(row.start, row.end)
            if block.kind == "table" and block.level > self.block.level
        ]
        if not inside or self.block.level > _DEEPEST_TABLE:
            return self._split_text_row(row)
        places: dict[int, Block | None] = {row.start: None}
        for block in outermost(inside):
            places[block.start] = block
            places.setdefault(block.end, None)
        places.pop(row.end, None)
        return self.split_at(self.cutter, [*places], [*places.values()], end=row.end)

    def _split_text_row(self, row: Unit) -> Iterator[Unit]:
        """Keep a row that fits; otherwise separate it from a header before it, and cut it."""
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
        """Return the tokens of the header above each part of a row, and of the row's first cell.

        The parts begin at `starts`, the last of which is the end of the row. Text that is too
        large in relation to the part is not counted, since it is not repeated.
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
        """Return the tokens of the header above some cells, remembered by columns."""
        place = tuple([cell[:2] for cell in cells])
        tokens = self.heads.get(place)
        if tokens is None:
            text = head_text(self.cutter.reader, columns, cells)
            tokens = self.heads[place] = self.cutter.meter.count(text)
        return tokens

    def _pack_cells(
        self, row: Unit, cells: Sequence[Unit], heads: Sequence[int], *, shared: int
    ) -> Iterator[Unit]:
        """Yield parts of a row, made of its cells, each with the tokens that it repeats.

        `heads` are the tokens of the header above each cell, `shared` those that all parts repeat.
        """
        cutter = self.cutter
        if not cutter.reserved(sum(heads) + shared):
            heads, shared = [0] * len(cells), 0
        room = cutter.capacity - shared
        sizes = [*map(add, map(_tokens_of, cells), heads)]
        for first, after in divide(sizes, capacity=room).groups:
            part = cutter.part(row, cells[first].start, cells[after - 1].end)
            header = sum(heads[first:after])
            is_counted = cutter.meter.fits(part.start, part.end, room - header)
            if part.tokens + header <= room and is_counted:
                yield part._replace(header=header + shared)
            elif after - first > 1:
                for number in range(first, after):
                    yield from self._cut_cell(cells[number], heads[number], shared)
            else:
                yield from self._cut_cell(part, header, shared)

    def _cut_cell(self, cell: Unit, head: int, shared: int) -> Iterator[Unit]:
        """Cut a cell as prose if it does not fit; each part repeats the header above it."""
        room = self.cutter.capacity - shared - head
        fits = cell.tokens <= room and self.cutter.meter.fits(cell.start, cell.end, room)
        for piece in [cell] if fits else self.cutter.cut_prose(cell, room):
            yield piece._replace(header=head + shared)


_DEEPEST = 8
"""Blocks nested up to this level are cut before sentences; code stays whole at any depth."""

_SURELY_LARGE = 8
"""A block of more bytes than this for each token of the capacity is split without a count."""

_SOLID = frozenset(("code", "table", "list_item"))
"""Blocks that are not split if they fit."""

_ITEM = Block("list_item", 0, 0, 1)
"""Stands for any item of a list at the top: its unit has the place."""

_start_of: Callable[[Block], int] = itemgetter(1)


def split(cutter: Cutter, start: int, end: int) -> Units:
    """Return the units of `[start, end)`, which begins and ends between blocks."""
    reader = cutter.reader
    blocks, headings = reader.top_within(start, end), reader.headings_within(start, end)
    markup: Sequence[MarkupTable] = ()
    opening: Container[int] = ()
    if "html" in blocks.kinds:
        markup = reader.markup_tables(start, end)
        opening = _opening_tags(reader.document, blocks)
    tables = [table for table in markup if start <= table.start and table.end <= end]
    if tables or headings or not blocks or "heading" in blocks.kinds:
        places = along_headings(start, headings, blocks)
        if tables:
            fits = partial(cutter.meter.fits, limit=cutter.capacity)
            places = along_rows(places, tables, fits=fits, row=_ITEM)
        starts, placed = [at for at, _ in places], [block for _, block in places]
        return _units_at(cutter, starts, placed, end=end, opening=opening)
    return _units_at(cutter, [start, *blocks.starts[1:]], blocks, end=end, opening=opening)


def _opening_tags(document: Document, blocks: TopBlocks) -> set[int]:
    """Return the starts of Markdown blocks that consist of opening tags."""
    if document.format != "markdown":
        return set()
    data, columns = document.data, zip(blocks.kinds, blocks.starts, blocks.ends, strict=True)
    return {
        start
        for kind, start, end in columns
        if kind == "html" and are_opening_tags(data, start, end)
    }


def _split_at(
    cutter: Cutter, starts: Sequence[int], blocks: Sequence[Block | None], *, end: int
) -> Iterable[Unit]:
    """Return the units of `_units_at`, one by one."""
    return map(Unit._make, zip(*_units_at(cutter, starts, blocks, end=end), strict=True))


def _units_at(
    cutter: Cutter,
    starts: Sequence[int],
    blocks: Sequence[Block | None],
    *,
    end: int,
    opening: Container[int] = (),
) -> Units:
    """Return units that begin at some of `starts`; `blocks` has the block at each start.

    A unit begins at each of `opening`.
    """
    places, starts = starts, cutter.crumbs_joined(starts, end, kept_starts=opening)
    ends = [*starts[1:], end]
    most = cutter.capacity * _SURELY_LARGE
    sizes = cutter.meter.sizes(starts, end, most_bytes=most)
    ranges = zip(starts, ends, sizes, strict=True)
    if max(sizes) <= cutter.grain:
        return Units.plain(starts, ends, sizes)
    units = Units.plain([], [], [])
    for start, after, tokens in ranges:
        if tokens <= cutter.grain:
            units.add(start, after, tokens)
            continue
        block = blocks[bisect_right(places, start) - 1]
        solid = block is not None and block.kind in _SOLID
        if solid and after - start > most:
            before = starts[max(0, starts.index(start) - 1)]
            tokens = cutter.meter.sizes([before, start], after, most_bytes=after)[-1]
        if solid and tokens <= cutter.capacity:
            units.add(start, after, tokens)
        else:
            units.insert(len(units.starts), _refine(cutter, Unit(start, after, tokens), block))
    return units


def _refine(cutter: Cutter, unit: Unit, block: Block | None) -> Units:
    """Split a unit that is too large one level down."""
    kind = None if block is None else block.kind
    if block is not None and kind == "table":
        return Units.of(split_table(cutter, unit, block, split_at=_split_at))
    if kind == "html":
        return Units.of(cutter.cut_html(unit))
    starts, nested = _nested(cutter, unit, block)
    if nested:
        return _units_at(cutter, [unit.start, *starts[1:]], nested, end=unit.end)
    if block is not None and kind == "code":
        return Units.of(cutter.keep_code(unit, block))
    return Units.of(cutter.cut_prose(unit, cutter.capacity))


def _nested(cutter: Cutter, unit: Unit, block: Block | None) -> tuple[list[int], list[Block]]:
    """Return the starts of the blocks inside the unit's block, and these blocks.

    They are the blocks of the first level with several blocks, or with a single table.
    """
    if block is None:
        return [], []
    if block.kind == "list" and not block.level:
        starts = cutter.reader.item_starts(block)
        starts = [at for at in starts if unit.start <= at < unit.end]
        if starts:
            return starts, [_ITEM] * len(starts)
    inside = cutter.reader.blocks_within(unit.start, unit.end)
    levels: list[list[Block]] = [[] for _ in range(block.level + 1, _DEEPEST)]
    for inner in inside:
        if block.level < inner.level < _DEEPEST:
            levels[inner.level - block.level - 1].append(inner)
    for nested in levels:
        if len(nested) > 1 or (nested and nested[0].kind == "table"):
            return [*map(_start_of, nested)], nested
    return [], []
