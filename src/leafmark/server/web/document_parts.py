"""A document in parts of a bounded size, each chunk in its colour, and the tree of its sections.

A document of any size is shown a part at a time. A cut never breaks the text of a part: where a
chunk begins in the middle of a block, the block only gets a mark.
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
from leafmark.server.web.block_html import BlockWriter, Piece, SourceText, iter_pieces
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
"""The size of a part, about: a browser draws it within a frame or two."""

ROW_BYTES = 3_000
"""The size of a row of source text, about; a browser skips rows outside its window."""

MAX_NODES = 1_200
"""Most sections that a tree shows at once; the rest is folded and opens on request."""

_BLANK = re.compile(rb"[\s>]*")
_INDENT = re.compile(rb"[ \t>]*")
_PIPES = re.compile(rb"\s*\|[| ]*")
_MARKERS = re.compile(
    rb"(?:[\s>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|(?=\n)))*[\s>]*"
    rb"(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+|\|[| ]*)?"
)
_TAGS = re.compile(rb"(?:\s*<[^<>]*>)+")
_ROW_TAGS = re.compile(rb"(?:\s*</?(?:table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>)+", re.IGNORECASE)
"""The tags that begin a row: nothing can stand between the rows of a table."""

_WHOLE_LINES = frozenset(("\n", "\r"))

Describe = Callable[[int], str]
"""From the number of a chunk to the text of its label."""


class Fragment(NamedTuple):
    """A piece of a page: HTML that begins in the chunk `position`."""

    html: Markup
    position: int | None = None
    label: str = ""


class Node(NamedTuple):
    """A section in the tree; `hidden` counts unlisted children, `here` is the section shown."""

    chunk: Entry | Chunk
    children: list[Node]
    hidden: int = 0
    is_open: bool = False
    here: bool = False


class DocumentText:
    """The text of one document, cut into parts.

    `parsed` returns the parsed document for formats that are shown by their blocks. With `within`
    only these bytes are shown. The bytes before `text_start` are front matter, and only the source
    view shows them.
    """

    def __init__(  # noqa: PLR0913 - most are keyword-only
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
        self._parts = [*self._divide(_clip(iter_source_ranges(chunks, len(data)), start, end))]

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
        """Yield a range; a very long one in pieces that end with a paragraph or a line."""
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
        """Return a part as rendered HTML, or under the view `source` as its source text."""
        return self.source(number) if view == "source" else self.rendered(number)

    # -- as source --------------------------------------------------------------------

    def source(self, number: int) -> list[Fragment]:
        """Return a part as source text: rows of lines, each chunk in its colour."""
        rows: list[Fragment] = []
        texts: list[str] = []
        size = 0
        first = None
        for range_ in self._parts[number]:
            for text in self._lines_of(range_):
                first = range_.position if not texts else first
                texts.append(self._span(range_, text))
                size += len(text)
                if size >= ROW_BYTES and text[-1:] in _WHOLE_LINES:
                    rows.append(Fragment(_join(texts), first))
                    texts, size = [], 0
        if texts:
            rows.append(Fragment(_join(texts), first))
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
        markup = mark_text(text, self._mark)
        position = range_.position
        if position is None:
            return f'<span class="none">{markup}</span>'
        shared = " shared" if range_.shared else ""
        label = "" if position in self._seen else self._label(range_)
        self._seen.add(position)
        return f'{label}<span class="k{position % COLORS}{shared}">{markup}</span>'

    def _label(self, range_: SourceRange) -> str:
        position = range_.position or 0
        cut = Cut(position, self._describe(position))
        return cut_label(cut, begins_line=self._is_line(range_))

    # -- rendered ---------------------------------------------------------------------

    def rendered(self, number: int, level: int = 3) -> list[Fragment]:
        """Return a part as rendered HTML; its titles begin at `level`."""
        part = _clip(self._parts[number], self._text_start, len(self._data))
        if not part:
            return []
        if self._format == "markdown":
            return [*self._markdown(part, level)]
        if self._format == "html":  # bytes outside of all chunks are not text of the document
            in_chunks = [range_ for range_ in part if range_.position is not None]
            return [*self._page(in_chunks or part, level)]
        document = None if self._format == "script" else self._parsed()
        if document is None:
            return [*self._code(part, level)]
        return [*self._blocks(document, part, level)]

    def _blocks(
        self, document: Document, part: Sequence[SourceRange], level: int
    ) -> Iterator[Fragment]:
        """Yield fragments of whole blocks; a chunk that begins inside a block is a cut in it."""
        start, end = part[0].start, part[-1].end
        pieces = [
            piece for piece in iter_pieces(document) if piece.start < end and start < piece.end
        ]
        ranges = [(range_.start, range_.end) for range_ in part if range_.position is not None]
        starts = [*_iter_chunk_starts(part)]
        begins = [range_.start for range_ in starts]
        top = self._top(part)
        ranges = ranges or [(start, end)]
        source = SourceText(document, ranges)
        for run in _group_pieces(pieces, begins):
            at = bisect_right(begins, run[0].start)
            first = starts[at - 1] if at else part[0]
            inside = starts[at : bisect_left(begins, run[-1].end)]
            cuts = [
                Cut(range_.position or 0, self._describe(range_.position or 0)) for range_ in inside
            ]
            nested = self._nesting.get(first.position, top)
            markings = Markings(self._mark, cuts, max(level, level + nested - top), first.position)
            writer = BlockWriter(source, [range_.start for range_ in inside], self._find_title)
            yield from self._fragments(render_html(writer.html(run), self._find_link, markings))

    def _top(self, part: Sequence[SourceRange]) -> int:
        """Return the depth of the outermost title of a part, in sections; 1 without titles."""
        titled = (range_.position for range_ in part if range_.start in self._titles)
        return min((self._nesting[position] for position in titled), default=1)

    def _fragments(self, sections: Sequence[Section]) -> Iterator[Fragment]:
        for section in sections:
            position = section.position
            is_new = section.is_new and position is not None and position not in self._seen
            label = self._describe(position) if is_new and position is not None else ""
            self._seen.update(() if position is None else (position,))
            yield Fragment(section.html, position, label)

    def _markdown(self, part: Sequence[SourceRange], level: int) -> Iterator[Fragment]:
        """Yield fragments of whole Markdown blocks, with the cuts inside them."""
        places = self._places_inside(part)
        top = self._top(part)
        for run in self._group_ranges(part, places):
            text, cuts = self._with_cuts(run, places)
            nested = self._nesting.get(run[0].position, top)
            markings = Markings(self._mark, cuts, max(level, level + nested - top), run[0].position)
            if run[0].position is None and not text.strip():
                continue
            sections = render_markdown(text, self._definitions, self._find_link, markings)
            yield from self._fragments(sections)

    def _places_inside(self, part: Sequence[SourceRange]) -> dict[int, int]:
        """Return the byte where a cut can be marked, by the start of a range inside a block.

        A mark before the marker of an item, or before a fence, would make another block of it.
        """
        base = part[0].start
        data = self._data[base : part[-1].end]
        blocks = deque(sorted(parse(data, "part.md").blocks, key=lambda block: block.start))
        open_blocks: list[Block] = []
        places = {}
        for range_ in part[1:]:
            at = range_.start - base
            first = _match_end(_BLANK, data, at)
            while blocks and blocks[0].start <= first:
                open_blocks.append(blocks.popleft())
            open_blocks = [block for block in open_blocks if block.end > first]
            if any(block.start < at for block in open_blocks):
                places[range_.start] = base + _mark_place(data, at, open_blocks[-1])
        return places

    def _group_ranges(
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
        """Return the text of a run of ranges with a mark for each cut, and the cuts."""
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
        """Yield a part of an HTML page, which is rendered as a whole, with its cuts inside."""
        places = {range_.start: _match_end(_ROW_TAGS, self._data, range_.start) for range_ in part}
        text, cuts = self._with_cuts(part, places)
        markings = Markings(self._mark, cuts, level, part[0].position)
        yield from self._fragments(render_html(text, self._find_link, markings))

    def _code(self, part: Sequence[SourceRange], level: int) -> Iterator[Fragment]:
        """Yield a part of code, divided at the lines where chunks begin."""
        within = {range_.start for range_ in part if not self._is_line(range_)}
        for run in self._group_ranges(part, within):
            text, cuts = self._with_cuts(run, {})
            markings = Markings(self._mark, cuts, level, run[0].position)
            code = f"<pre><code>{html.escape(text.strip(chr(10)))}</code></pre>"
            yield from self._fragments(render_html(code, self._find_link, markings))


def _mark_place(data: bytes, at: int, inner: Block) -> int:
    """Return where a cut at a byte can be marked; `inner` is the innermost block there."""
    if inner.start < at:
        return _match_end(_PIPES, data, at)
    if inner.kind == "code" and inner.content_start is not None:
        return _match_end(_INDENT, data, inner.content_start)
    place = _match_end(_MARKERS, data, at)
    return _match_end(_TAGS, data, place) if inner.kind == "html" else place


def _match_end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    return match.end() if match else at


def _nesting(chunks: Sequence[Entry | Chunk]) -> dict[int | None, int]:
    """Return the depth of each chunk in sections, its own included; 0 for the document."""
    depths: dict[int | None, int] = {}
    for chunk in chunks:
        parent_depth = depths.get(chunk.parent_position, 0)
        depths[chunk.position] = parent_depth + (chunk.kind == "section")
    return depths


def _iter_chunk_starts(part: Sequence[SourceRange]) -> Iterator[SourceRange]:
    """Yield the ranges where another chunk begins."""
    last = None
    for range_ in part:
        if range_.position not in (None, last):
            yield range_
            last = range_.position


def _group_pieces(pieces: Sequence[Piece], begins: Sequence[int]) -> Iterator[list[Piece]]:
    """Yield runs of pieces; another run begins where a chunk begins between two pieces."""
    run: list[Piece] = []
    for piece in pieces:
        if run and bisect_right(begins, piece.start) > bisect_left(begins, run[-1].end):
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _clip(ranges: Iterable[SourceRange], start: int, end: int) -> list[SourceRange]:
    """Return the parts of ranges that lie in `[start, end)`."""
    return [
        range_
        if start <= range_.start and range_.end <= end
        else range_._replace(start=max(start, range_.start), end=min(end, range_.end))
        for range_ in ranges
        if max(start, range_.start) < min(end, range_.end)
    ]


def _join(parts: Sequence[str]) -> Markup:
    return Markup("".join(parts))


def outline(chunks: Sequence[Entry | Chunk], current: int) -> list[Node]:
    """Return the sections of a document as a tree; of a large document those around `current`.

    Pieces are not sections. Each node counts its children that are not listed.
    """
    sections = [chunk for chunk in chunks if chunk.kind != "piece"]
    below: dict[int, list[Entry | Chunk]] = {}
    for chunk in sections:
        below.setdefault(chunk.parent_position, []).append(chunk)
    listed_positions = _choose_listed(sections, below, current)
    by_position = {chunk.position: chunk for chunk in sections}

    def node(chunk: Entry | Chunk) -> Node:
        children = below.get(chunk.position, [])
        listed = [child for child in children if child.position in listed_positions]
        is_near = chunk.position <= current <= chunk.last_position
        return Node(
            chunk,
            [node(child) for child in listed],
            hidden=len(children) - len(listed),
            is_open=is_near or len(by_position) <= 60,
            here=chunk.position == current,
        )

    return [node(chunk) for chunk in below.get(-1, [])]


def _choose_listed(
    sections: Sequence[Entry | Chunk], below: dict[int, list[Entry | Chunk]], current: int
) -> set[int]:
    """Return the positions of the listed sections: all, if they are at most `MAX_NODES`.

    Of more sections: the ancestors of `current`, then children of these and of other listed
    sections; of many siblings those nearest to `current`.
    """
    if len(sections) <= MAX_NODES:
        return {chunk.position for chunk in sections}
    ancestors = [c.position for c in sections if c.position <= current <= c.last_position]
    listed: set[int] = set(ancestors)
    queue = [-1, *ancestors, *(c.position for c in sections)]
    for parent in queue:
        children = sorted(below.get(parent, ()), key=lambda child: abs(child.position - current))
        room = MAX_NODES - len(listed)
        if room <= 0 or (parent >= 0 and parent not in listed):
            continue
        listed.update(child.position for child in children[: min(room, MAX_NODES // 3)])
    return listed
