"""Blocks of a document by their place, and bodies as models get them.

A `BodyReader` serves one document and looks at its blocks only when it is asked, since
chunking by headings needs none. Front matter stands in bodies, but is not in the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from leafmark.chunking.columns import Columns, columns_of
from leafmark.chunking.document_text import DocumentText
from leafmark.chunking.markup_tables import MarkupTable
from leafmark.chunking.normalising import (
    TABLE_PADDING,
    dedent_code,
    is_dedented,
    narrow_ends,
    tidy_prose,
)
from leafmark.chunking.placed import (
    OneStretch,
    PlacedBlocks,
    has_any,
    may_have_code,
)
from leafmark.model import (
    MOST_STRETCHES,
    Block,
    Document,
    Heading,
    HeadingColumns,
    Stretches,
    TopBlocks,
)

__all__ = ["BodyReader"]

_ABNORMAL = (b"\r", b" \n", b"\t\n", b"\n\n\n", b"\x0b", b"\x0c", b"\xc2\xa0\n", b"\xe3\x80\x80\n")
"""White space that `text` does not have. Rarer kinds at line ends weigh no more than a token."""

_PADDING = TABLE_PADDING.encode()

_start_of, _end_of = attrgetter("start"), attrgetter("end")


@dataclass(eq=False)
class BodyReader:
    """Reads the bodies of one document's chunks."""

    document: Document
    _seen: dict[int, PlacedBlocks] = field(default_factory=dict, repr=False)
    """Blocks by the number of the stretch they lie in."""

    _items: dict[int, Sequence[int]] = field(default_factory=dict, repr=False)
    """Where items begin, by where their list does."""

    _rows: dict[tuple[int, int], Sequence[int]] = field(default_factory=dict, repr=False)
    _columns: dict[tuple[int, int], Columns | None] = field(default_factory=dict, repr=False)
    """Where rows begin, and the columns, by where their table does and its level."""

    @cached_property
    def dropped(self) -> list[tuple[int, int]]:
        """The ranges that are in no body, in order."""
        return self.document.dropped_ranges

    @cached_property
    def document_text(self) -> DocumentText | None:
        """What is read where that is not the bytes themselves; None where it is."""
        reader = self.document.reader
        return None if reader is None else DocumentText(self.document, reader)

    @cached_property
    def _stretches(self) -> Stretches:
        blocks = self.document.blocks
        return blocks if isinstance(blocks, Stretches) else OneStretch(blocks)

    def stretches_within(self, start: int, end: int) -> list[PlacedBlocks]:
        """The stretches that have bytes in `[start, end)`, in order."""
        return [self._placed(number) for number in self._stretches.stretches_of(start, end)]

    def _placed(self, number: int) -> PlacedBlocks:
        """The blocks of a stretch."""
        found = self._seen.get(number)
        if found is None:
            if len(self._seen) >= MOST_STRETCHES:
                for memory in (self._seen, self._items, self._rows, self._columns):
                    memory.clear()
            found = self._seen[number] = PlacedBlocks(self._stretches, number, self.document)
        return found

    def blocks_within(self, start: int, end: int) -> Sequence[Block]:
        """The blocks that start in `[start, end)`, nested ones too, in order."""
        found: list[Block] = []
        for part in self.stretches_within(start, end):
            found += part.within(start, end)
        return found

    def top_within(self, start: int, end: int) -> TopBlocks:
        """The blocks of level 0 that start in `[start, end)`, in order."""
        stretches = self._stretches
        numbers = stretches.stretches_of(start, end)
        tops = [stretches.top(number).starting_within(start, end) for number in numbers]
        return tops[0] if len(tops) == 1 else TopBlocks.joined(tops)

    def last_top_within(self, start: int, end: int) -> Block | None:
        """The last block of level 0 that starts in `[start, end)`."""
        for number in reversed(self._stretches.stretches_of(start, end)):
            top = self._stretches.top(number)
            at = bisect_left(top.starts, end) - 1
            if at >= 0:
                return top[at] if top.starts[at] >= start else None
        return None

    def item_starts(self, block: Block) -> Sequence[int]:
        """Where the items of a list of level 0 begin, in order."""
        if block.start not in self._items:
            self._items[block.start] = self._stretches.item_starts(block)
        return self._items[block.start]

    def begins_item(self, at: int) -> bool:
        """Whether an item of a list of level 0 begins at a byte."""
        for part in self.stretches_within(at, at + 1):
            number = bisect_right(part.top.starts, at) - 1
            if number >= 0 and part.top.kinds[number] == "list":
                starts = self.item_starts(part.top[number])
                found = bisect_left(starts, at)
                return found < len(starts) and starts[found] == at
        return False

    @cached_property
    def _headings(self) -> list[Heading]:
        return [heading for heading in self.document.headings if not heading.nested]

    @cached_property
    def _heading_starts(self) -> Sequence[int]:
        columns = HeadingColumns.of(self.document.headings)
        return columns.only([not nested for nested in columns.nested]).starts

    def headings_within(self, start: int, end: int) -> list[Heading]:
        """The headings at the top level whose lines start in `[start, end)`."""
        starts = self._heading_starts
        first, after = bisect_left(starts, start), bisect_left(starts, end)
        return self._headings[first:after] if first < after else []

    def heading_after(self, start: int) -> Heading | None:
        """The next heading at the top level whose line starts after `start`."""
        at = bisect_left(self._heading_starts, start + 1)
        return self._headings[at] if at < len(self._heading_starts) else None

    def code_within(self, start: int, end: int) -> list[Block]:
        """The code blocks that have bytes in `[start, end)`, at any depth."""
        found: list[Block] = []
        for part in self.stretches_within(start, end):
            if part.code:
                found += part.code_between(start, end)
        return found

    def table_around(self, at: int) -> Block | None:
        """The innermost table between whose rows `at` is, if any."""
        for table in self._tables_over(at):
            if table.start < at and (table.content_start or at) <= at:
                return table
        return None

    def is_padding(self, start: int, end: int) -> bool:
        """Whether a range of Markdown is in a table and has nothing but space, bars and dashes."""
        document = self.document
        if document.format != "markdown" or document.data[start] not in _PADDING:
            return False
        text = document.data[start:end].decode("utf-8", "replace")
        return not text.strip(TABLE_PADDING) and self._is_in_table(start)

    def narrowed(self, text: str, start: int, end: int) -> Iterator[str]:
        """Yield the text of a range, then with less and less padding at ends in a table."""
        yield text
        if self.document.format != "markdown" or end <= start:
            return
        last = start + len(self.document.data[start:end].rstrip()) - 1
        if self._is_in_table(start) or self._is_in_table(max(start, last)):
            yield from narrow_ends(text)

    def _is_in_table(self, at: int) -> bool:
        return next(self._tables_over(at), None) is not None

    def _tables_over(self, at: int) -> Iterator[Block]:
        """Yield the tables that have a byte, the innermost first."""
        (part,) = self.stretches_within(at, at + 1)
        number = bisect_right(part.tables, at, key=_start_of) - 1
        while number >= 0:
            if at < part.tables[number].end:
                yield part.tables[number]
            number = part.table_holders[number]

    def markup_tables(self, start: int, end: int) -> list[MarkupTable]:
        """The tables of Markdown written in HTML that have bytes in `[start, end)`."""
        found: list[MarkupTable] = []
        for part in self.stretches_within(start, end):
            tables = part.markup_tables
            first = bisect_left(tables, start + 1, key=_end_of)
            found += tables[first : bisect_left(tables, end, key=_start_of)]
        return found

    def markup_table_around(self, at: int) -> Block | None:
        """The table written in HTML below whose header `at` is, if any."""
        for table in self.markup_tables(at, at + 1):
            if table.content_start is not None and at >= table.content_start:
                return table.block
        return None

    def row_starts(self, table: Block) -> Sequence[int]:
        """Where the rows of a table begin, in order."""
        place = table.start, table.level
        if place not in self._rows:
            inside = self.blocks_within(table.start, table.end)
            rows = [block for block in inside if block.kind == "table_row"]
            self._rows[place] = [row.start for row in rows if row.level == table.level + 1]
        return self._rows[place]

    def columns(self, table: Block) -> Columns | None:
        """The columns of a table, where they are known: not those of tables with tables inside."""
        place = table.start, table.level
        if place not in self._columns:
            inside = self.blocks_within(table.start, table.end)
            is_plain = not any(b.kind == "table" and b.level > table.level for b in inside)
            rows = self.row_starts(table)
            self._columns[place] = columns_of(self.document, table, rows) if is_plain else None
        return self._columns[place]

    def normalise(self, spans: tuple[tuple[int, int], ...]) -> str:
        """Return ranges as `text` has them, blank lines around them removed."""
        if self.document.is_rendered:
            return tidy_prose(self.body_text(spans)).strip("\n")
        if self.document.format == "script":
            code = "".join([self._decode(start, end) for start, end in spans])
            return dedent_code(tidy_prose(code), fenced=False).strip("\n")
        parts = [part for start, end in spans for part in self._parts(start, end)]
        return "".join(parts).strip("\n")

    def places(self, start: int, end: int, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        """Return what `find` finds in `[start, end)`, as offsets from `start`.

        It is shown the bytes, or what is read there where that is something else, so that no
        tag, entity, escape or embedded data is cut.
        """
        if self.document_text is not None:
            return self.document_text.places(start, end, find)
        return find(self.document.data[start:end])

    def body_text(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return ranges as they are read, front matter apart."""
        if self.document_text is not None:
            return self.document_text.joined(spans)
        data, front = self.document.data, self.document.front_matter
        skip = 0 if front is None else front.end
        if len(spans) == 1 and spans[0][0] >= skip:
            return data[slice(*spans[0])].decode("utf-8", "replace")
        return b"".join([data[max(start, skip) : end] for start, end in spans]).decode(
            "utf-8", "replace"
        )

    def is_normal(self, start: int, end: int) -> bool:
        """Whether normalising would change nothing but the ends; may say no when it would not.

        The range begins and ends between blocks.
        """
        if self.document.is_rendered:
            return False
        raw = self.document.data[start:end]
        if has_any(raw, _ABNORMAL):
            return False
        if not may_have_code(self.document, raw):
            return True
        return all(
            start <= code.start and code.end <= end and is_dedented(self.document.data, code)
            for code in self.code_within(start, end)
        )

    def _parts(self, start: int, end: int) -> Iterator[str]:
        """The normalised stretches of prose and code in `[start, end)`."""
        front = self.document.front_matter
        if front is not None and start < front.end:
            start = min(front.end, end)
        for block in self.code_within(start, end):
            if start < block.start:
                yield tidy_prose(self._decode(start, block.start))
            start, stop = max(start, block.start), min(block.end, end)
            is_whole = start == block.start and stop == block.end
            is_fenced = is_whole and (block.content_start or 0) > block.start
            yield dedent_code(self._decode(start, stop), fenced=is_fenced)
            start = stop
        if start < end:
            yield tidy_prose(self._decode(start, end))

    def _decode(self, start: int, end: int) -> str:
        if self.document_text is not None:
            text = self.document_text.within(start, end)
        else:
            text = self.document.data[start:end].decode("utf-8", "replace")
        if not start:
            text = text.removeprefix("\ufeff")
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
