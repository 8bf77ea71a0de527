"""Blocks of a document by their place, and the readable and the normalised text of bodies.

A `BodyReader` serves one document and reads its blocks on demand, since chunking by headings
needs none. It finds nested blocks (items in lists, code in items) only when they are needed, and
code inside other blocks only where their bytes have a mark of code. Front matter is part of
bodies, but not of the text. Lines of a normalised text end with LF.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from operator import attrgetter, itemgetter
from typing import NamedTuple

from leafmark.chunking.tables import Columns, MarkupTable, columns_of, markup_tables
from leafmark.model import (
    MAX_REGIONS,
    Block,
    BlockRegion,
    BlockRegions,
    Document,
    Heading,
    HeadingColumns,
    ReadableText,
    Reader,
    TopBlocks,
    subtract,
)

_BLANK_LINES = re.compile(r"\n{3,}")
_FENCES = b"`~"
_WHITE_SPACE = b" \t\r\n"
_MAX_FENCE_BYTES = 1024
"""The first line of code is searched in so many bytes if the parser did not record its end."""

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*")
_COLUMN_SPACE = re.compile(r"(?<!\\\|)(?<=\|)[ \t]{2,}+|(?<![ \t])[ \t]{2,}+(?=\|)")
"""Space around the bars of a table that only aligns its columns."""
_DASHES = re.compile(r"-{4,}+")


def tidy_prose(text: str) -> str:
    """Remove trailing white space, and all but one of neighbouring blank lines.

    >>> tidy_prose("a  \\n\\n \\n\\nb")
    'a\\n\\nb'
    """
    # Line by line: a regular expression for trailing space takes quadratic time
    # on a long run of spaces inside a line.
    text = "\n".join(map(str.rstrip, text.split("\n")))
    if text[:2] == "\n\n":
        text = "\n" + text.lstrip("\n")
    return _BLANK_LINES.sub("\n\n", text) if "\n\n\n" in text else text


def dedent_code(text: str, *, fenced: bool) -> str:
    """Remove the indentation that all lines share; fences lose their own.

    >>> dedent_code("  ```py\\n    if x:\\n      y\\n  ```\\n", fenced=True)
    '```py\\nif x:\\n  y\\n```\\n'
    >>> dedent_code("  ```\\n  a\\n    b", fenced=True), dedent_code("```\\n", fenced=True)
    ('```\\na\\n  b', '```\\n')
    """
    lines = text.split("\n")
    if not fenced:
        return "\n".join(_dedent(lines))
    closing = next((i for i in range(len(lines) - 1, 0, -1) if lines[i].strip()), 0)
    if not closing or not _FENCE.fullmatch(lines[closing]):
        closing = len(lines)
    opening, content, rest = lines[0].lstrip(), lines[1:closing], lines[closing:]
    return "\n".join([opening, *_dedent(content), *[line.strip() for line in rest]])


def narrow_header(text: str) -> str:
    """Remove the padding that aligns columns from the header of a table in Markdown.

    >>> narrow_header("| Name      | Means |\\n|-----------|:-----:|\\n")
    '| Name | Means |\\n|---|:---:|\\n'
    """
    words, line, delimiters = text.rstrip("\n").rpartition("\n")
    below = text[len(words) + len(line) + len(delimiters) :]
    return (
        _COLUMN_SPACE.sub(" ", words)
        + line
        + _DASHES.sub("---", _COLUMN_SPACE.sub(" ", delimiters))
        + below
    )


def is_dedented(data: bytes, code: Block) -> bool:
    """Whether the fences of a code block are at the margin, and so is the first line between them.

    Then `dedent_code` changes only blank lines.
    """
    content = code.content_start
    if content is None or not code.start < content < code.end or data[code.start] not in _FENCES:
        return False
    last = data.rfind(b"\n", 0, code.end - 1) + 1
    return data[content] not in _WHITE_SPACE and data[last] not in _WHITE_SPACE


def _dedent(lines: list[str]) -> list[str]:
    worded = [*filter(str.strip, lines)]
    # a prefix that the least and the greatest line share is shared by all
    pairs = zip(min(worded), max(worded), strict=False) if worded else ()
    width = sum(1 for _ in takewhile(_is_indent, pairs))
    if len(worded) + lines.count("") < len(lines):
        lines = ["" if line.isspace() else line for line in lines]
    return [*map(itemgetter(slice(width, None)), lines)] if width else lines


def _is_indent(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1] and pair[0] in " \t"


_CLOSING = re.compile(
    rb"(?:[ \t\n\r\f]*+</[A-Za-z][A-Za-z0-9:-]*+[ \t\n\r\f]*+>|(?!))*+[ \t\n\r\f]*+"
)
"""End tags right after a word."""


class DocumentText:
    """The readable text of one document whose bytes are markup or escapes, or hold data."""

    def __init__(self, document: Document, reader: Reader) -> None:
        self._data = document.data
        self._reader = reader
        self._is_rendered = document.is_rendered
        front = document.front_matter
        self.dropped = document.dropped_ranges if front is None else [(0, front.end)]
        self._places: dict[int, int] = {}
        """Characters by byte offset: most offsets end one range and begin the next."""

    @cached_property
    def _whole(self) -> ReadableText:
        return self._reader(self._data, [*subtract(0, len(self._data), self.dropped)])

    @property
    def text(self) -> str:
        return self._whole.text

    def within(self, start: int, end: int) -> str:
        """Return the readable text of the bytes `[start, end)`."""
        return self._whole.text[self._place(start) : self._place(end)]

    def _place(self, offset: int) -> int:
        place = self._places.get(offset)
        if place is None:
            place = self._places[offset] = self._whole.text_at(offset)
        return place

    def joined(self, spans: Iterable[tuple[int, int]]) -> str:
        """Return the readable text of several ranges.

        In a page or notebook, a range that is not adjacent to the one before it begins a line;
        the ranges of a source have their own line ends.
        """
        parts: list[str] = []
        last = 0
        for start, end in spans:
            first, after = self._place(start), self._place(end)
            if self._is_rendered and parts and first > last and not parts[-1].endswith("\n"):
                parts.append("\n")
            if first < after:
                parts.append(self._whole.text[first:after])
            last = after
        return "".join(parts)

    def cut_before(self, at: int) -> tuple[int, int]:
        """Return the last character, up to `at`, that the source can be cut before, and where.

        Never in a tag, an entity or an escape, and after the tags that end an element. A line
        break stays with the text that it ends: then the character is the one after it.
        """
        at, first, last = self._whole.cut_before(at)
        closing = _CLOSING.match(self._data, first, last)
        return at, closing.end() if closing else first

    def step(self, at: int) -> int:
        """Return the character after `at`, or after the text that is not cut from it."""
        return self._whole.step(at)

    def places(self, start: int, end: int, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        """Return the offsets of `find` in the text of `[start, end)`, mapped to the source.

        They count from `start`, 0 first, and the source can be cut at each. `find` takes
        the text in UTF-8 and returns offsets into it.
        """
        before, after = self._place(start), self._place(end)
        raw, places = self._whole.text[before:after].encode(), [0]
        at, character, passed = 0, before, before
        for offset in find(raw):
            character += len(raw[at:offset].decode())
            at = offset
            if 0 < offset < len(raw) and character >= passed:
                cut, place = self.cut_before(character)
                passed = self.step(character) if cut < character else character
                if start + places[-1] < place < end:
                    places.append(place - start)
        return places

    def outside_dropped(self, at: int) -> tuple[int, int]:
        """Return the range of dropped bytes around `at`; it is empty at `at` if there are none."""
        number = bisect_right(self.dropped, (at, at)) - 1
        for start, end in self.dropped[max(0, number) : number + 2]:
            if start <= at <= end:
                return start, end
        return at, at


_ONLY = range(1)
"""The numbers of the regions of a document without regions: one."""

_CODE_MARKS = (b"```", b"~~~", b"    ", b"\t")
"""Without one of these there is no code in Markdown: no fence, and no indent wide enough."""

_WITH_CODE = frozenset(("code", "list", "quote", "definition"))
"""Blocks of Markdown that are code or may contain code."""

_start_of: Callable[[Block], int] = itemgetter(1)
_end_of: Callable[[Block], int] = itemgetter(2)


class PlacedBlocks:
    """The blocks of one region of a document."""

    def __init__(self, region: BlockRegion, document: Document) -> None:
        self.blocks, self.top = region.blocks, region.top
        self.inside = region.inside
        self._document = document

    def within(self, start: int, end: int) -> Sequence[Block]:
        """Return the blocks that start in `[start, end)`."""
        first = bisect_left(self.blocks, start, key=_start_of)
        return self.blocks[first : bisect_left(self.blocks, end, first, key=_start_of)]

    @cached_property
    def code(self) -> list[Block]:
        code: list[Block] = []
        is_markdown = self._document.format == "markdown"
        for number, kind in enumerate(self.top.kinds):
            if is_markdown and kind not in _WITH_CODE:
                continue
            top = self.top[number]
            if kind == "code":  # code nested in code, as in scripts, is part of it
                code.append(top)
            elif may_have_code(self._document, self._document.data[top.start : top.end]):
                code += [block for block in self.inside(top) if block.kind == "code"]
        return outermost(code)

    def code_between(self, start: int, end: int) -> Sequence[Block]:
        """Return the code that has bytes in `[start, end)`."""
        at = bisect_left(self.code, start + 1, key=_end_of)
        return self.code[at : bisect_left(self.code, end, key=_start_of)]

    @cached_property
    def tables(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "table"]

    @cached_property
    def markup_tables(self) -> list[MarkupTable]:
        """The tables in HTML of a Markdown document."""
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


def outermost(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that do not lie in another one."""
    outer: list[Block] = []
    for block in blocks:
        if not outer or block.start >= outer[-1].end:
            outer.append(block)
    return outer


def may_have_code(document: Document, raw: bytes) -> bool:
    """Whether `raw` may contain a code block: it has the bytes of a mark of code."""
    if document.format != "markdown":
        return True
    return has_any(raw, _CODE_MARKS)


def has_any(raw: bytes, marks: Sequence[bytes]) -> bool:
    """Whether one of the marks is in `raw`; a search for one byte is twenty times faster."""
    return any(mark[:1] in raw and mark in raw for mark in marks)


_ABNORMAL = (b"\r", b" \n", b"\t\n", b"\n\n\n", b"\x0b", b"\x0c", b"\xc2\xa0\n", b"\xe3\x80\x80\n")
"""White space that is never in `text`. Rarer kinds at line ends count at most a token."""

_table_start, _table_end = attrgetter("start"), attrgetter("end")


@dataclass(eq=False)
class BodyReader:
    """Reads the bodies of one document's chunks."""

    document: Document
    _seen: dict[int, PlacedBlocks] = field(default_factory=dict, repr=False)
    """Blocks by the number of their region."""

    _items: dict[int, Sequence[int]] = field(default_factory=dict, repr=False)
    """The starts of items, by the start of their list."""

    _rows: dict[tuple[int, int], Sequence[int]] = field(default_factory=dict, repr=False)
    _columns: dict[tuple[int, int], Columns | None] = field(default_factory=dict, repr=False)
    """The starts of rows, and the columns, by the start and the level of their table."""

    @cached_property
    def dropped(self) -> list[tuple[int, int]]:
        """The ranges that are in no body, in order."""
        return self.document.dropped_ranges

    @cached_property
    def document_text(self) -> DocumentText | None:
        """The readable text if it differs from the bytes, otherwise None."""
        reader = self.document.reader
        return None if reader is None else DocumentText(self.document, reader)

    def regions_within(self, start: int, end: int) -> list[PlacedBlocks]:
        """Return the regions that have bytes in `[start, end)`, in order."""
        return [self._placed(number) for number in self._numbers(start, end)]

    def _numbers(self, start: int, end: int) -> range:
        blocks = self.document.blocks
        return blocks.regions_of(start, end) if isinstance(blocks, BlockRegions) else _ONLY

    def _placed(self, number: int) -> PlacedBlocks:
        placed = self._seen.get(number)
        if placed is None:
            if len(self._seen) >= MAX_REGIONS:
                for memory in (self._seen, self._items, self._rows, self._columns):
                    memory.clear()
            blocks = self.document.blocks
            if isinstance(blocks, BlockRegions):
                region = blocks.region(number)
            else:
                region = BlockRegion(blocks)
            placed = self._seen[number] = PlacedBlocks(region, self.document)
        return placed

    def blocks_within(self, start: int, end: int) -> Sequence[Block]:
        """Return the blocks that start in `[start, end)`, including nested ones, in order."""
        parts = self.regions_within(start, end)
        if len(parts) == 1:
            return parts[0].within(start, end)
        return [block for part in parts for block in part.within(start, end)]

    def top_within(self, start: int, end: int) -> TopBlocks:
        """Return the blocks of level 0 that start in `[start, end)`, in order."""
        parts = self.regions_within(start, end)
        tops = [part.top.starting_within(start, end) for part in parts]
        return tops[0] if len(tops) == 1 else TopBlocks.joined(tops)

    def last_top_within(self, start: int, end: int) -> Block | None:
        """Return the last block of level 0 that starts in `[start, end)`."""
        for number in reversed(self._numbers(start, end)):
            top = self._placed(number).top
            at = bisect_left(top.starts, end) - 1
            if at >= 0:
                return top[at] if top.starts[at] >= start else None
        return None

    def item_starts(self, block: Block) -> Sequence[int]:
        """Return the starts of the items of a list of level 0, in order."""
        if block.start not in self._items:
            self._items[block.start] = self._find_items(block)
        return self._items[block.start]

    def _find_items(self, block: Block) -> list[int]:
        (part,) = self.regions_within(block.start, block.start + 1)
        return [start for _, start, _, level, *_ in part.inside(block) if level == 1]

    def begins_item(self, at: int) -> bool:
        """Whether an item of a list of level 0 begins at a byte."""
        for part in self.regions_within(at, at + 1):
            number = bisect_right(part.top.starts, at) - 1
            if number >= 0 and part.top.kinds[number] == "list":
                starts = self.item_starts(part.top[number])
                nearest = bisect_left(starts, at)
                return nearest < len(starts) and starts[nearest] == at
        return False

    @cached_property
    def _headings(self) -> HeadingColumns:
        """The headings at the top level."""
        columns = HeadingColumns.of(self.document.headings)
        return columns.only([not nested for nested in columns.nested])

    def begins_heading(self, at: int) -> bool:
        """Whether the line of a heading at the top level starts at a byte."""
        starts = self._headings.starts
        number = bisect_left(starts, at)
        return number < len(starts) and starts[number] == at

    def headings_within(self, start: int, end: int) -> Sequence[Heading]:
        """Return the headings at the top level whose lines start in `[start, end)`."""
        columns = self._headings
        first, after = bisect_left(columns.starts, start), bisect_left(columns.starts, end)
        return columns.between(first, after).headings() if first < after else ()

    def heading_after(self, start: int) -> Heading | None:
        """The next heading at the top level whose line starts after `start`."""
        at = bisect_left(self._headings.starts, start + 1)
        return next(iter(self._headings.between(at, at + 1).headings()), None)

    def code_within(self, start: int, end: int) -> list[Block]:
        """Return the code blocks that have bytes in `[start, end)`, at any depth."""
        code: list[Block] = []
        for part in self.regions_within(start, end):
            if part.code:
                code += part.code_between(start, end)
        return code

    def table_around(self, at: int) -> Block | None:
        """Return the innermost table with `at` among its rows, if any."""
        (part,) = self.regions_within(at, at + 1)
        number = bisect_right(part.tables, at, key=_table_start) - 1
        while number >= 0:
            table = part.tables[number]
            if table.start < at < table.end and (table.content_start or at) <= at:
                return table
            number = part.table_holders[number]
        return None

    def markup_tables(self, start: int, end: int) -> list[MarkupTable]:
        """Return the tables in HTML of a Markdown document that have bytes in `[start, end)`."""
        inside: list[MarkupTable] = []
        for part in self.regions_within(start, end):
            tables = part.markup_tables
            first = bisect_left(tables, start + 1, key=_table_end)
            inside += tables[first : bisect_left(tables, end, key=_table_start)]
        return inside

    def markup_table_around(self, at: int) -> Block | None:
        """Return the table in HTML that has `at` below its header, if any."""
        for table in self.markup_tables(at, at + 1):
            if table.content_start is not None and at >= table.content_start:
                return table.block
        return None

    def row_starts(self, table: Block) -> Sequence[int]:
        """Return the starts of the rows of a table, in order."""
        place = table.start, table.level
        if place not in self._rows:
            inside = self.blocks_within(table.start, table.end)
            own = table.level + 1
            self._rows[place] = [
                start
                for kind, start, _, level, *_ in inside
                if kind == "table_row" and level == own
            ]
        return self._rows[place]

    def columns(self, table: Block) -> Columns | None:
        """Return the columns of a table; None for a table with tables inside, or if unknown."""
        place = table.start, table.level
        if place not in self._columns:
            inside = self.blocks_within(table.start, table.end)
            is_plain = not any(b.kind == "table" and b.level > table.level for b in inside)
            rows = self.row_starts(table)
            self._columns[place] = columns_of(self.document, table, rows) if is_plain else None
        return self._columns[place]

    def normalise(self, spans: tuple[tuple[int, int], ...]) -> str:
        """Return the normalised text of ranges, without blank lines around it."""
        if self.document.is_rendered:
            return tidy_prose(self.body_text(spans)).strip("\n")
        if self.document.format == "script":
            code = "".join([self._decode(start, end) for start, end in spans])
            return dedent_code(tidy_prose(code), fenced=False).strip("\n")
        parts = [part for start, end in spans for part in self._parts(start, end)]
        return "".join(parts).strip("\n")

    def places(self, start: int, end: int, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        """Return the places that `find` returns for `[start, end)`, as offsets from `start`.

        `find` gets the bytes, or the readable text where it differs, so that no tag, entity,
        escape or embedded data is cut.
        """
        if self.document_text is not None:
            return self.document_text.places(start, end, find)
        return find(self.document.data[start:end])

    def body_text(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return the readable text of ranges, without front matter."""
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
        """Whether normalising changes at most the ends; may be False although it does not.

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
        """Yield the normalised prose and code in `[start, end)`, part by part."""
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


class Fence(NamedTuple):
    """The lines around code, and the span of the first one in the source."""

    opening: str
    closing: str
    span: tuple[int, int]


def fence_of(reader: BodyReader, code: Block) -> Fence | None:
    """Return the fence around code, if it has one."""
    content = code.content_start or code.start
    after = content if content > code.start else min(code.end, code.start + _MAX_FENCE_BYTES)
    line = reader.body_text(((code.start, after),)).lstrip().partition("\n")[0].rstrip()
    mark = _FENCE.match(line)
    return None if mark is None else Fence(line, mark[1], (code.start, content))
