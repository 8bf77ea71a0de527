"""Rows of the walk to blocks: levels, whole lines, languages.

Done when a document's blocks are looked at, which chunking by headings does not
do; and then for the whole, or for a stretch of it. A heading at the top level
ends all that stands before it, so the stretch from one to the next is a document
of its own. So is a container at the top level: what is in it is looked for only
when it is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, pairwise
from typing import Any, NamedTuple

from leafmark.model import (
    MAX_REGIONS,
    Block,
    BlockKind,
    BlockRegions,
    Deferred,
    Heading,
    HeadingColumns,
    Span,
    TopBlocks,
)
from leafmark.parsing.lines import Lines
from leafmark.parsing.markdown_outline import (
    fence_language,
    item_starts,
    outline,
    plain_lines,
    plain_parts,
)
from leafmark.parsing.markdown_walk import Row, walk

__all__ = ["MarkdownBlocks", "blocks_of", "front_block"]

_KINDS: dict[str, BlockKind] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "List": "list",
    "Item": "list_item",
    "Table": "table",
    "TableRow": "table_row",
    "CodeBlock": "code",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "Rule": "thematic_break",
    "FootnoteDefinition": "definition",
}
_CONTAINERS = frozenset(("List", "Item", "Table", "BlockQuote", "FootnoteDefinition"))
_CONTAINING = frozenset(("list", "table", "quote"))
_BLANK_LINES = re.compile(rb"(?:[ \t]*+\r?\n|(?!))*+(?:[ \t]*+\Z)?")
_LINK_DEFINITION = re.compile(rb"\n {0,3}\[[^\n\]]")  # a literal first byte makes it fast
_FIRST_DEFINITION = re.compile(rb" {0,3}\[")
_new = tuple.__new__  # half the cost of calling a named tuple's class


class _Stretch:
    """The blocks at the top of a stretch, and those in them that were looked for.

    `inner` has blocks by the start of the block that holds them. `whole` are all blocks, if
    definitions in the stretch made the parser read all of it.
    """

    __slots__ = ("inner", "top", "whole")

    def __init__(self) -> None:
        self.top = TopBlocks([], [], [], {})
        self.inner: dict[int, Sequence[Block]] = {}
        self.whole: Sequence[Block] | None = None


class _Places(NamedTuple):
    """Where the content of each stretch begins and ends, and where the heading after it ends."""

    starts: list[int]
    ends: list[int]
    closed: list[int]


class MarkdownBlocks(Deferred[Block], BlockRegions):
    """All blocks, which `make` returns, or those of one stretch between headings.

    `raw` is UTF-8 whose lines end in LF or CRLF; content begins at byte `start`.
    """

    __slots__ = ("_front", "_headings", "_places", "_raw", "_regions", "_start")

    def __init__(
        self,
        make: Callable[[], tuple[Block, ...]],
        raw: bytes,
        front: Span | None,
        start: int,
        headings: Sequence[Heading],
    ) -> None:
        super().__init__(make)
        self._raw = raw
        self._front = front
        self._headings = headings
        self._start = start
        self._places: _Places | None = None
        self._regions: dict[int, _Stretch] = {}  # by number

    def _find_places(self) -> _Places:
        if self._places is None:
            headings = HeadingColumns.of(self._headings)
            top = headings.only([not nested for nested in headings.nested])
            starts = [self._start, *top.ends]
            # a byte between two of them is a blank line
            apart = [after - end > 1 for end, after in zip(starts[:-1], top.starts, strict=True)]
            apart.append(True)
            size = len(self._raw)
            columns = starts, [*top.starts, size], [*top.ends, size]
            self._places = _Places(*[[*compress(column, apart)] for column in columns])
        return self._places

    def regions_of(self, start: int, end: int) -> range:
        """The numbers of the stretches that have bytes in `[start, end)`.

        A stretch begins with a heading line, the first one with the source.
        """
        ends = self._find_places().ends
        first = self._number_at(start)
        return range(first, max(first, bisect_left(ends, end, 0, len(ends) - 1)) + 1)

    def _number_at(self, place: int) -> int:
        """The number of the stretch that has the byte at `place`."""
        ends = self._find_places().ends
        return bisect_right(ends, place, 0, len(ends) - 1)

    def top(self, number: int) -> TopBlocks:
        """The blocks of one stretch that lie in no other."""
        return self._stretch(number).top

    def inside(self, block: Block) -> Sequence[Block]:
        """The blocks that lie in one of those at the top."""
        number, stretch = self._stretch_of(block)
        found = stretch.inner.get(block.start)
        if found is None and block.kind in _CONTAINING:
            found = plain_parts(block, self._raw[block.start : block.end])
            if found is None:
                blank = _BLANK_LINES.match(self._raw, block.end)  # which code inside may take in
                after = blank.end() if blank else block.end
                found = self._read(number, stretch, block.start, after)[1:]
            stretch.inner[block.start] = found
        return found or ()

    def around(self, places: Sequence[int]) -> Iterator[Block]:
        """Yield the blocks that these places lie in, which are in order, and others beside them."""
        for number in dict.fromkeys(map(self._number_at, places)):
            for outer in self.top(number):
                yield outer
                at = bisect_left(places, outer.start)
                if at < len(places) and places[at] < outer.end:
                    yield from self.inside(outer)

    def item_starts(self, block: Block) -> Sequence[int]:
        if block.start in self._stretch_of(block)[1].inner:
            return super().item_starts(block)
        return item_starts(self._raw, block.start, block.end)

    def _stretch_of(self, block: Block) -> tuple[int, _Stretch]:
        """The stretch that a block lies in, and its number."""
        number = self._number_at(block.start)
        return number, self._stretch(number)

    def _stretch(self, number: int) -> _Stretch:
        found = self._regions.get(number)
        if found is None:
            if len(self._regions) >= MAX_REGIONS:
                self._regions.clear()
            found = self._regions[number] = self._outline(number)
        return found

    def _outline(self, number: int) -> _Stretch:
        places, size = self._find_places(), len(self._raw)
        first, after = places.starts[number], places.ends[number]
        stretch = _Stretch()
        tops, at = outline(plain_lines(self._raw[first:after]), first)
        if tops and tops.ends[-1] > size:
            last = tops[-1]
            content = None if last.content_start is None else min(last.content_start, size)
            tops.pop()
            tops.add(last._replace(end=size, content_start=content))
        if at < after:
            rest = self._read(number, stretch, at, after)
            starts = [index for index, block in enumerate(rest) if not block.level]
            for index, following in pairwise([*starts, len(rest)]):
                tops.add(rest[index])
                stretch.inner[rest[index].start] = rest[index + 1 : following]
        if not number and self._front:
            tops = TopBlocks.of([*front_block(self._front), *tops])
        stretch.top = tops
        return stretch

    def _read(self, number: int, stretch: _Stretch, first: int, after: int) -> Sequence[Block]:
        """All blocks of a range in a stretch that begins and ends between blocks at the top."""
        raw = self._raw[first:after]
        if b"]:" not in raw:
            _, rows = walk(raw.decode(), raw, 0)
            return tuple(_blocks(rows, raw, 0, offset=first))
        # To the parser, where a list before a definition ends depends on what follows.
        whole = stretch.whole
        if whole is None:
            whole = stretch.whole = self._read_whole(number)
        return whole[_place_of(first, whole) : _place_of(after, whole)]

    def _read_whole(self, number: int) -> Sequence[Block]:
        """All blocks of a stretch, as they are before the heading that ends it."""
        places = self._find_places()
        offset = places.starts[number]
        raw = self._raw[offset : places.closed[number]]
        headings, rows = walk(raw.decode(), raw, 0)
        return [
            block._replace(
                start=block.start + offset,
                end=block.end + offset,
                content_start=None if block.content_start is None else block.content_start + offset,
            )
            for block in blocks_of(rows, headings, raw, 0)
        ]


def _place_of(start: int, blocks: Sequence[Block]) -> int:
    return bisect_left(blocks, start, key=_start_of)


def _start_of(block: Block) -> int:
    return block.start


def front_block(span: Span | None) -> tuple[Block, ...]:
    """The block of front matter, if there is any."""
    return () if span is None else (Block("front_matter", span.start, span.end),)


def blocks_of(
    rows: Sequence[Row], headings: Sequence[Heading], raw: bytes, start: int
) -> tuple[Block, ...]:
    """Return the blocks of a document whose content begins at byte `start`."""
    blocks = _blocks(rows, raw, start)
    if _LINK_DEFINITION.search(raw) or _FIRST_DEFINITION.match(raw, start):
        _end_lists(blocks)
        definitions = list(_link_definitions(blocks, headings, raw, start))
        if definitions:
            blocks = sorted(blocks + definitions, key=lambda block: block.start)
    return tuple(blocks)


_LINE_ENDS = b"\r\n"
_LISTED = frozenset(("list", "list_item"))


def _end_lists(blocks: list[Block]) -> None:
    """Let each list end with its last item: the parser stretches it over definitions behind it."""
    lists: list[int] = []  # that are open, by where they stand, the outer ones first
    ends: dict[int, int] = {}
    for index, block in enumerate(blocks):
        if block.kind not in _LISTED:
            continue
        while lists and blocks[lists[-1]].level >= block.level:
            lists.pop()
        if block.kind == "list":
            lists.append(index)
        elif lists:
            ends[lists[-1]] = max(ends.get(lists[-1], 0), block.end)
    for index, end in ends.items():
        if end < blocks[index].end:
            blocks[index] = blocks[index]._replace(end=end)


def _blocks(rows: Sequence[Row], raw: bytes, first: int, *, offset: int = 0) -> list[Block]:
    """The blocks of content that begins at byte `first`; `offset` is added to all places."""
    lines = Lines(raw, first)
    open_ends = [len(raw) + 1]  # of the document and of the containers around
    blocks: list[Block] = []
    footnotes: dict[int, int] = {}  # where the last one of each level stands among them
    for tag, start, end in rows:
        name = tag if tag.__class__ is str else next(iter(tag))
        kind = _KINDS.get(name)
        if kind is None:
            continue
        if raw[start] in _LINE_ENDS:  # before a tab that is a part of the indent above
            start += 2 if raw[start : start + 2] == b"\r\n" else 1
        while start >= open_ends[-1]:
            open_ends.pop()
        level = len(open_ends) - 1
        if name in _CONTAINERS:
            open_ends.append(end)
            end = lines.before_blank(end)
        end = lines.end_of(end)
        info, content = "", None
        if name == "CodeBlock":
            info, content = _code(tag["CodeBlock"], lines, start)
        elif name == "Table":
            content = min(lines.end_of(lines.end_of(start + 1) + 1), end)
        if content is not None:
            content += offset
        start, end = lines.start_of(start) + offset, end + offset
        block = _new(Block, (kind, start, end, level, info, content))
        if name != "FootnoteDefinition" or not _is_joined(block, blocks, footnotes):
            blocks.append(block)
    return blocks


def _is_joined(block: Block, blocks: list[Block], footnotes: dict[int, int]) -> bool:
    """Make one block of two footnotes on one line; False where this begins a line of its own."""
    at = footnotes.get(block.level, -1)
    if at < 0 or block.start >= blocks[at].end:
        footnotes[block.level] = len(blocks)
        return False
    blocks[at] = blocks[at]._replace(end=max(block.end, blocks[at].end))
    return True


def _code(code: Any, lines: Lines, start: int) -> tuple[str, int | None]:
    """A code block's language, and where its content begins if it has a fence."""
    if code == "Indented":
        return "", None
    return fence_language(code["Fenced"]), lines.end_of(start + 1)


def _link_definitions(
    blocks: Sequence[Block], headings: Sequence[Heading], raw: bytes, start: int
) -> Iterator[Block]:
    """What stands at the top level and is in no block: link reference definitions."""
    taken = [(block.start, block.end) for block in blocks if not block.level]
    taken += [(heading.start, heading.end) for heading in headings if not heading.nested]
    lines = Lines(raw, start)
    for after, end in [*sorted(taken), (len(raw), len(raw))]:
        gap = raw[start:after]
        if gap and not gap.isspace():
            first = lines.start_of(start + len(gap) - len(gap.lstrip()))
            yield Block("definition", first, lines.end_of(start + len(gap.rstrip())))
        start = end
