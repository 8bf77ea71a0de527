"""A document in parts of a bounded size, each chunk in its colour, and the tree of its sections.

A document of any size is shown a part at a time. The text of a part is never broken by a cut:
where a chunk begins in the middle of a block, only a mark stands in it.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from leafmark.model import Block, Chunk, Document, Entry
from leafmark.parsing import parse
from leafmark.parsing.markdown_html import link_definitions
from leafmark.render.chunks import SourceRange, iter_source_ranges
from leafmark.server.web.blocks import BlockWriter, Piece, Written, iter_pieces
from leafmark.server.web.rendering import (
    COLORS,
    CUT,
    Cut,
    FindLink,
    Markings,
    MarkText,
    Section,
    cut_label,
    mark_text,
    render_html,
    render_markdown,
)

PART_BYTES = 48_000
"""A part has about so many bytes: a browser draws it within a frame or two."""

ROW_BYTES = 3_000
"""Source text stands in rows of about so many bytes; a browser skips those that are not seen."""

MAX_NODES = 1_200
"""Sections that a tree shows at once; the rest is folded, and opens on request."""

_BLANK = re.compile(rb"[\s>]*")
_INDENT = re.compile(rb"[ \t>]*")
_PIPES = re.compile(rb"\s*\|[| ]*")
_MARKERS = re.compile(
    rb"(?:[\s>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|(?=\n)))*[\s>]*"
    rb"(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+|\|[| ]*)?"
)
_TAGS = re.compile(rb"(?:\s*<[^<>]*>)+")
_ROW_TAGS = re.compile(rb"(?:\s*</?(?:table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>)+", re.IGNORECASE)
"""What begins a row: between rows of a table nothing can stand."""

_WHOLE_LINES = frozenset(("\n", "\r"))

Describe = Callable[[int], str]
"""From the number of a chunk to what its label says."""


class Fragment(NamedTuple):
    """A piece of a page: HTML that begins in the chunk `position`."""

    html: Markup
    position: int | None = None
    label: str = ""


class Node(NamedTuple):
    """A section in the tree; `hidden` ones below it are not listed. `here` is the one shown."""

    chunk: Entry | Chunk
    children: list[Node]
    hidden: int = 0
    is_open: bool = False
    here: bool = False


class DocumentText:
    """The text of one document, cut into parts.

    `parsed` is asked for the blocks of formats that are shown by these. With `within`
    only these bytes are shown; a reader sees none before `text_start`, which are front matter.
    """

    def __init__(  # noqa: PLR0913 - all but the first are given by name
        self,
        data: bytes,
        format_name: str,
        chunks: Sequence[Entry | Chunk],
        *,
        describe: Describe,
        find_link: FindLink = lambda _: None,
        find_title: FindLink = lambda _: None,
        mark: MarkText = lambda _: (),
        parsed: Callable[[], Document | None] = lambda: None,
        within: tuple[int, int] | None = None,
        text_start: int = 0,
    ):
        self._data = data
        self._format = format_name
        self._describe = describe
        self._find_link = find_link
        self._find_title = find_title
        self._mark = mark
        self._parsed = parsed
        self._seen: set[int] = set()
        self._nesting = _nesting(chunks)
        self._titles = {chunk.heading_start for chunk in chunks}
        self._text_start = text_start
        start, end = within or (0, len(data))
        self._parts = [*self._divide(_clipped(iter_source_ranges(chunks, len(data)), start, end))]

    @property
    def count(self) -> int:
        return len(self._parts)

    @cached_property
    def _definitions(self) -> str:
        return link_definitions(self._data)

    def part_of(self, offset: int) -> int:
        """Return the number of the part that holds a byte."""
        starts = [part[0].start for part in self._parts]
        return max(0, bisect_right(starts, offset) - 1)

    def lines(self, number: int) -> tuple[int, int]:
        """Return the first and the last line of a part, 1-based."""
        part = self._parts[number]
        first = self._data.count(b"\n", 0, part[0].start) + 1
        return first, first + self._data.count(b"\n", part[0].start, max(0, part[-1].end - 1))

    def _divide(self, ranges: Sequence[SourceRange]) -> Iterator[list[SourceRange]]:
        part: list[SourceRange] = []
        for range_ in ranges:
            for piece in self._pieces(range_):
                if part and piece.start - part[0].start >= PART_BYTES and self._is_line(piece):
                    yield part
                    part = []
                part.append(piece)
        if part:
            yield part

    def _pieces(self, range_: SourceRange) -> Iterator[SourceRange]:
        """Yield a range, a very long one in pieces that end with a paragraph or a line."""
        start = range_.start
        while range_.end - start > 2 * PART_BYTES:
            stop = start + PART_BYTES
            end = self._data.find(b"\n\n", stop, stop + PART_BYTES)
            end = end + 2 if end >= 0 else self._data.find(b"\n", stop, range_.end) + 1
            if not start < end < range_.end:
                break
            yield range_._replace(start=start, end=end)
            start = end
        yield range_._replace(start=start)

    def _is_line(self, range_: SourceRange) -> bool:
        return not range_.start or self._data[range_.start - 1 : range_.start] in (b"\n", b"\r")

    def shown(self, number: int, view: str) -> list[Fragment]:
        """Return a part as it is read, or under the view `source` as it is written."""
        return self.source(number) if view == "source" else self.rendered(number)

    # -- as source --------------------------------------------------------------------

    def source(self, number: int) -> list[Fragment]:
        """Return a part as its source: rows of lines, each chunk in its colour."""
        rows: list[Fragment] = []
        written: list[str] = []
        size = 0
        first = None
        for range_ in self._parts[number]:
            for text in self._lines_of(range_):
                first = range_.position if not written else first
                written.append(self._span(range_, text))
                size += len(text)
                if size >= ROW_BYTES and text[-1:] in _WHOLE_LINES:
                    rows.append(Fragment(_joined(written), first))
                    written, size = [], 0
        if written:
            rows.append(Fragment(_joined(written), first))
        return rows

    def _lines_of(self, range_: SourceRange) -> Iterator[str]:
        """Yield the text of a range, some lines at a time."""
        at = range_.start
        while at < range_.end:
            end = self._data.find(b"\n", min(at + ROW_BYTES, range_.end)) + 1
            end = end if 0 < end < range_.end else range_.end
            yield self._data[at:end].decode("utf-8", "replace")
            at = end

    def _span(self, range_: SourceRange, text: str) -> str:
        shown = mark_text(text, self._mark)
        position = range_.position
        if position is None:
            return f'<span class="none">{shown}</span>'
        shared = " shared" if range_.shared else ""
        label = "" if position in self._seen else self._label(range_)
        self._seen.add(position)
        return f'{label}<span class="k{position % COLORS}{shared}">{shown}</span>'

    def _label(self, range_: SourceRange) -> str:
        position = range_.position or 0
        cut = Cut(position, self._describe(position))
        return cut_label(cut, begins_line=self._is_line(range_))

    # -- as it is read ----------------------------------------------------------------

    def rendered(self, number: int, level: int = 3) -> list[Fragment]:
        """Return a part as a reader sees it; titles begin at `level`."""
        part = _clipped(self._parts[number], self._text_start, len(self._data))
        if not part:
            return []
        if self._format == "markdown":
            return [*self._markdown(part, level)]
        if self._format == "html":  # what is of no chunk is no text of the document
            read = [one for one in part if one.position is not None]
            return [*self._page(read or part, level)]
        document = None if self._format == "script" else self._parsed()
        if document is None:
            return [*self._code(part, level)]
        return [*self._blocks(document, part, level)]

    def _blocks(
        self, document: Document, part: Sequence[SourceRange], level: int
    ) -> Iterator[Fragment]:
        """Yield fragments of whole blocks; a chunk that begins within one is a cut in it."""
        start, end = part[0].start, part[-1].end
        pieces = [one for one in iter_pieces(document) if one.start < end and start < one.end]
        ranges = [(one.start, one.end) for one in part if one.position is not None]
        shown = [*_beginning(part)]
        begins = [one.start for one in shown]
        top = self._top(part)
        ranges = ranges or [(start, end)]
        written = Written(document, ranges)
        for run in _runs_of(pieces, begins):
            at = bisect_right(begins, run[0].start)
            first = shown[at - 1] if at else part[0]
            inside = shown[at : bisect_left(begins, run[-1].end)]
            cuts = [Cut(one.position or 0, self._describe(one.position or 0)) for one in inside]
            nested = self._nesting.get(first.position, top)
            markings = Markings(self._mark, cuts, max(level, level + nested - top), first.position)
            writer = BlockWriter(written, [one.start for one in inside], self._find_title)
            yield from self._fragments(render_html(writer.html(run), self._find_link, markings))

    def _top(self, part: Sequence[SourceRange]) -> int:
        """Return in how many sections the outermost title of a part stands."""
        titled = (one.position for one in part if one.start in self._titles)
        return min((self._nesting[position] for position in titled), default=1)

    def _fragments(self, sections: Sequence[Section]) -> Iterator[Fragment]:
        for one in sections:
            position = one.position
            is_new = one.is_new and position is not None and position not in self._seen
            label = self._describe(position) if is_new and position is not None else ""
            self._seen.update(() if position is None else (position,))
            yield Fragment(one.html, position, label)

    def _markdown(self, part: Sequence[SourceRange], level: int) -> Iterator[Fragment]:
        """Yield fragments of whole blocks, with the cuts inside them."""
        places = self._places_inside(part)
        top = self._top(part)
        for run in self._runs(part, places):
            text, cuts = self._with_cuts(run, places)
            nested = self._nesting.get(run[0].position, top)
            markings = Markings(self._mark, cuts, max(level, level + nested - top), run[0].position)
            if run[0].position is None and not text.strip():
                continue
            made = render_markdown(text, self._definitions, self._find_link, markings)
            yield from self._fragments(made)

    def _places_inside(self, part: Sequence[SourceRange]) -> dict[int, int]:
        """Return for ranges that begin inside a block where a mark of that can stand.

        Before the marker of an item, or before a fence, it would be another block.
        """
        base = part[0].start
        data = self._data[base : part[-1].end]
        blocks = deque(sorted(parse(data, "part.md").blocks, key=lambda one: one.start))
        around: list[Block] = []
        found = {}
        for range_ in part[1:]:
            at = range_.start - base
            first = _end_of(_BLANK, data, at)
            while blocks and blocks[0].start <= first:
                around.append(blocks.popleft())
            around = [one for one in around if one.end > first]
            if any(one.start < at for one in around):
                found[range_.start] = base + _mark_place(data, at, around[-1])
        return found

    def _runs(
        self, part: Sequence[SourceRange], within: Container[int]
    ) -> Iterator[list[SourceRange]]:
        run: list[SourceRange] = []
        for range_ in part:
            if run and range_.start not in within:
                yield run
                run = []
            run.append(range_)
        if run:
            yield run

    def _with_cuts(
        self, run: Sequence[SourceRange], places: Mapping[int, int]
    ) -> tuple[str, list[Cut]]:
        """Return the text of some ranges with a mark for each cut, and the cuts."""
        texts: list[str] = []
        cuts: list[Cut] = []
        last = None
        for range_ in run:
            place = min(places.get(range_.start, range_.start), range_.end)
            lead, text = self._text(range_.start, place), self._text(place, range_.end)
            if texts and range_.position not in (None, last):
                cuts.append(Cut(range_.position, self._describe(range_.position)))
                lead += CUT
            texts.append(lead + text)
            last = last if range_.position is None else range_.position
        return "".join(texts), cuts

    def _text(self, start: int, end: int) -> str:
        text = self._data[start:end].decode("utf-8", "replace")
        return text.replace(CUT, "").removeprefix("\ufeff")

    def _page(self, part: Sequence[SourceRange], level: int) -> Iterator[Fragment]:
        """Yield a part of a page, which is read as a whole, with all its cuts inside."""
        places = {one.start: _end_of(_ROW_TAGS, self._data, one.start) for one in part}
        text, cuts = self._with_cuts(part, places)
        markings = Markings(self._mark, cuts, level, part[0].position)
        yield from self._fragments(render_html(text, self._find_link, markings))

    def _code(self, part: Sequence[SourceRange], level: int) -> Iterator[Fragment]:
        """Yield a part that is code, divided at the lines where chunks begin."""
        within = {one.start for one in part if not self._is_line(one)}
        for run in self._runs(part, within):
            text, cuts = self._with_cuts(run, {})
            markings = Markings(self._mark, cuts, level, run[0].position)
            made = f"<pre><code>{html.escape(text.strip(chr(10)))}</code></pre>"
            yield from self._fragments(render_html(made, self._find_link, markings))


def _mark_place(data: bytes, at: int, inner: Block) -> int:
    """Return where a mark of a cut at a byte can stand; `inner` is the innermost block there."""
    if inner.start < at:
        return _end_of(_PIPES, data, at)
    if inner.kind == "code" and inner.content_start is not None:
        return _end_of(_INDENT, data, inner.content_start)
    place = _end_of(_MARKERS, data, at)
    return _end_of(_TAGS, data, place) if inner.kind == "html" else place


def _end_of(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    found = pattern.match(data, at)
    return found.end() if found else at


def _nesting(chunks: Sequence[Entry | Chunk]) -> dict[int | None, int]:
    """Return in how many sections each chunk stands, its own included; 0 for the document."""
    found: dict[int | None, int] = {}
    for chunk in chunks:
        above = found.get(chunk.parent_position, 0)
        found[chunk.position] = above + (chunk.kind == "section")
    return found


def _beginning(part: Sequence[SourceRange]) -> Iterator[SourceRange]:
    """Yield the ranges at which another chunk begins."""
    last = None
    for one in part:
        if one.position not in (None, last):
            yield one
            last = one.position


def _runs_of(pieces: Sequence[Piece], begins: Sequence[int]) -> Iterator[list[Piece]]:
    """Yield pieces that stand together: another run begins where a chunk does between two."""
    run: list[Piece] = []
    for piece in pieces:
        if run and bisect_right(begins, piece.start) > bisect_left(begins, run[-1].end):
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _clipped(ranges: Iterable[SourceRange], start: int, end: int) -> list[SourceRange]:
    """Return what of some ranges lies in a range."""
    return [
        one
        if start <= one.start and one.end <= end
        else one._replace(start=max(start, one.start), end=min(end, one.end))
        for one in ranges
        if max(start, one.start) < min(end, one.end)
    ]


def _joined(parts: Sequence[str]) -> Markup:
    return Markup("".join(parts))


def outline(chunks: Sequence[Entry | Chunk], current: int) -> list[Node]:
    """Return the sections of a document as a tree, of a large one those around `current`.

    Pieces are no sections. What is not listed is counted where it would stand.
    """
    sections = [chunk for chunk in chunks if chunk.kind != "piece"]
    below: dict[int, list[Entry | Chunk]] = {}
    for chunk in sections:
        below.setdefault(chunk.parent_position, []).append(chunk)
    shown = _listed(sections, below, current)
    by_position = {chunk.position: chunk for chunk in sections}

    def node(chunk: Entry | Chunk) -> Node:
        children = below.get(chunk.position, [])
        listed = [one for one in children if one.position in shown]
        is_near = chunk.position <= current <= chunk.last_position
        return Node(
            chunk,
            [node(one) for one in listed],
            hidden=len(children) - len(listed),
            is_open=is_near or len(by_position) <= 60,
            here=chunk.position == current,
        )

    return [node(chunk) for chunk in below.get(-1, [])]


def _listed(
    sections: Sequence[Entry | Chunk], below: dict[int, list[Entry | Chunk]], current: int
) -> set[int]:
    """Return which sections are listed: all of few; of many those above and beside, then by depth.

    Of many siblings those nearest to the one shown are.
    """
    if len(sections) <= MAX_NODES:
        return {chunk.position for chunk in sections}
    around = [c.position for c in sections if c.position <= current <= c.last_position]
    shown: set[int] = set(around)
    queue = [-1, *around, *(c.position for c in sections)]
    for parent in queue:
        children = sorted(below.get(parent, ()), key=lambda one: abs(one.position - current))
        room = MAX_NODES - len(shown)
        if room <= 0 or (parent >= 0 and parent not in shown):
            continue
        shown.update(one.position for one in children[: min(room, MAX_NODES // 3)])
    return shown
