"""`text`: a chunk for models, the context that it carries from elsewhere, and what it is made of.

Both are made when they are asked for. A piece carries the last complete sentences of the piece
before it under the same node; one that begins inside a table repeats its header. Nothing is carried
over a heading, after code or a table, or where it would break `max_tokens`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from leafmark.chunking.blocks import BodyReader, fence_of, narrow_header
from leafmark.chunking.cuts import sentence_starts
from leafmark.chunking.keep_with_next import is_code_by_name, is_unread
from leafmark.chunking.measuring import Meter, make_meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.tokens import Count, token_counter
from leafmark.chunking.tree import GAP, Spans, under_breadcrumb
from leafmark.model import (
    Block,
    BlockKind,
    Chunk,
    Content,
    ContentType,
    Document,
    Heading,
    HeadingColumns,
    Rendered,
)

_LEFT_OUT = "\u2026"
_BAR = re.compile(rb"\\.|(\|)", re.DOTALL)
_MAX_HEADER_BYTES = 65_536
"""Bytes beyond which a header is repeated by no piece."""


class Header(NamedTuple):
    """The header of a table: where it stands, and as `text` has it above rows."""

    span: tuple[int, int]
    text: str


def header_of(reader: BodyReader, table: Block) -> Header | None:
    """Return what pieces repeat of a table that begin below its header, if it has one."""
    span = table.start, table.content_start or table.start
    if not 0 < span[1] - span[0] <= _MAX_HEADER_BYTES:
        return None
    text = reader.normalise((span,))
    if reader.document.format in ("markdown", "notebook"):
        text = narrow_header(text)
    return Header(span, text)


def cells_before(reader: BodyReader, table: Block, at: int) -> str:
    """Return what stands for the cells before a piece that begins inside a row of Markdown."""
    data, rows = reader.document.data, reader.row_starts(table)
    number = bisect_right(rows, at) - 1
    if reader.document.format != "markdown" or number < 0 or rows[number] == at:
        return ""
    raw = data[rows[number] : at]
    begun = sum(1 for bar in _BAR.finditer(raw) if bar[1]) + (raw.lstrip(b" \t>*+-")[:1] != b"|")
    is_cell = data[at : at + 1] == b"|"  # else what is left of a cell would have no bar
    return f"| {_LEFT_OUT} " * (begun - (not is_cell)) + ("" if is_cell else "| ")


_WHITE_SPACE = b" \t\n\r\x0b\x0c"
_SHARE = 0.8
"""The share of a body's non-blank bytes that one type needs to name it."""

_TYPES: dict[str, ContentType] = {"code": "code", "table": "table", "list": "list"}
_UNCOUNTED: frozenset[BlockKind] = frozenset(("front_matter", "heading"))

_start_of, _end_of = attrgetter("start"), attrgetter("end")

_Part = tuple[BlockKind, int, int]
"""A block's kind, and where it begins and ends."""


def describe_content(reader: BodyReader, chunk: Chunk, *, deep: Sequence[Heading]) -> Content:
    """Return what the chunk's body is made of.

    `deep` are the headings, in order, that are content: too deep to make a section.
    """
    document = reader.document
    find = _of_script if document.format == "script" else _contents
    parts, code = find(reader, chunk.body_spans)
    kinds = {part[0] for part in parts}
    if not kinds.isdisjoint(_UNCOUNTED):
        parts = [part for part in parts if part[0] not in _UNCOUNTED]
        kinds -= _UNCOUNTED
    if deep:
        headings = [part for span in chunk.body_spans for part in _headings_in(deep, *span)]
        parts += headings
        kinds |= {part[0] for part in headings}
    content_type = _name(document, parts, kinds)
    languages = sorted(code - {""})
    return Content(content_type, tuple(sorted(kinds)), tuple(languages), bool(code))


def _headings_in(deep: Sequence[Heading], start: int, end: int) -> list[_Part]:
    """Those of the headings that have bytes in `[start, end)`, and these bytes."""
    first = bisect_right(deep, start, key=_end_of)
    found = deep[first : bisect_left(deep, end, key=_start_of)]
    return [("heading", max(one.start, start), min(one.end, end)) for one in found]


def _of_script(
    reader: BodyReader, spans: Sequence[tuple[int, int]]
) -> tuple[list[_Part], set[str]]:
    """What `_contents` returns, for code: a piece may begin and end inside a block."""
    blocks = [block for start, end in spans for block in reader.blocks_within(start, end)]
    around = [code for start, end in spans for code in reader.code_within(start, end)]
    found = {block.info for block in (*blocks, *around) if block.kind == "code"}
    return [(code.kind, code.start, code.end) for code in around], found


def _contents(reader: BodyReader, spans: Sequence[tuple[int, int]]) -> tuple[list[_Part], set[str]]:
    """The blocks at the top that have bytes in the spans, and the languages of all code there.

    Of each block its kind, and those of its bytes that are in the spans. The language is "" of
    code that names none.
    """
    found: list[_Part] = []
    languages: set[str] = set()
    for start, end in spans:
        for part in reader.regions_within(start, end):
            kinds, starts, ends = part.top.kinds, part.top.starts, part.top.ends
            place = slice(bisect_left(ends, start + 1), bisect_left(starts, end))
            found += [
                (kind, first if first > start else start, last if last < end else end)
                for kind, first, last in zip(kinds[place], starts[place], ends[place], strict=True)
            ]
            if part.code:
                languages |= {code.info for code in part.code_between(start, end)}
    return found, languages


def _name(document: Document, parts: Sequence[_Part], kinds: Set[BlockKind]) -> ContentType:
    """The type that has most of the non-blank bytes."""
    data = document.data
    if document.is_rendered and "thematic_break" in kinds:  # nothing is read there
        parts = [part for part in parts if part[0] != "thematic_break"]
    if len(kinds) == 1 or kinds.isdisjoint(_TYPES):  # of most bodies: nothing is to be weighed
        is_empty = not any(data[start:end].strip() for _, start, end in parts)
        return "empty" if is_empty else _TYPES.get(next(iter(kinds)), "prose")
    weights: dict[ContentType, int] = {}
    for kind, start, end in parts:
        name = _TYPES.get(kind, "prose")
        raw = data[start:end].translate(None, _WHITE_SPACE)
        weights[name] = weights.get(name, 0) + len(raw)
    if not any(weights.values()):
        return "empty"
    name = max(weights, key=lambda content_type: weights[content_type])
    return name if weights[name] >= _SHARE * sum(weights.values()) else "mixed"


_MAX_OVERLAP_BYTES = 8192
"""Bytes at the end of a piece in which sentences to carry over are looked for."""

_SURELY_LARGE = 64
"""A header of more characters than this for each token is over the bound without being counted."""

_SENTENCE_BYTES, _NEXT_BYTES = 240, 64
"""Bytes before and behind a cut that tell whether a sentence ends there."""

_NOTHING = Rendered("", ())
_UNREPEATED = frozenset(("code", "table", "html", "thematic_break", "front_matter", "heading"))


@dataclass(eq=False)
class Renderer:
    """Renders the chunks of one document."""

    document: Document
    options: ChunkingOptions
    _last: tuple[int, Rendered] = field(default=(-1, _NOTHING), init=False, repr=False)
    """A position, and what was rendered of the chunk there."""

    @property
    def count_tokens(self) -> Count:
        """What counts a text, and remembers the last ones."""
        return self.meter.count_once

    @cached_property
    def reader(self) -> BodyReader:
        return BodyReader(self.document)

    @cached_property
    def meter(self) -> Meter:
        return make_meter(self.reader, token_counter(self.options.tokenizer))

    @cached_property
    def _deep_headings(self) -> Sequence[Heading]:
        """The headings, in order, that are too deep to make a section."""
        headings, limit = self.document.headings, self.options.heading_levels
        if max(HeadingColumns.of(headings).levels, default=0) <= limit:
            return ()
        return [
            one
            for one in headings
            if one.level > limit and not one.nested and one.slug_path is None
        ]

    def read_body(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return ranges as they are read, front matter apart."""
        return self.reader.body_text(spans)

    def describe_content(self, chunk: Chunk) -> Content:
        """Return what the chunk's body is made of."""
        return describe_content(self.reader, chunk, deep=self._deep_headings)

    def render(self, chunk: Chunk) -> Rendered:
        """Return what a model is given: breadcrumb line, context and normalised body.

        The last one is kept, since who asks for the text asks for its tokens, too.
        """
        position, rendered = self._last
        if position != chunk.position:
            rendered = self._render(chunk)
            self._last = chunk.position, rendered
        return rendered

    def _render(self, chunk: Chunk) -> Rendered:
        body = self.reader.normalise(chunk.body_spans)
        if not self._may_carry(chunk):
            return self._rendered(chunk, body, ())
        table = self.reader.table_around(chunk.byte_start)
        if table is not None:
            return self._below_header(chunk, table, body)
        body, fence = self._with_fences(chunk, body)
        carried = fence or self._sentences_before(chunk, body)
        if fence or not carried:
            return self._rendered(chunk, body, fence)
        parts = [self.reader.normalise((span,)) for span in carried]
        return self._rendered(chunk, GAP.join(filter(None, (*parts, body))), carried)

    def _with_fences(self, chunk: Chunk, body: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return a body with the fences of the code that it is a part of, and where these stand."""
        if self.options.oversize_code != "split":
            return body, ()
        start, end = chunk.byte_start, chunk.byte_end
        shown, spans = body, list[tuple[int, int]]()
        for code in self.reader.code_within(start, end):
            is_cut = code.start < start or code.end > end
            fence = fence_of(self.reader, code) if is_cut else None
            if fence is not None and code.start < start:
                shown = f"{fence.opening}\n{shown}"
                spans.append(fence.span)
            if fence is not None and code.end > end:
                shown = f"{shown}\n{fence.closing}"
        if (
            shown == body
            or self.meter.count(self._under_breadcrumb(chunk, shown)) > self.options.max_tokens
        ):
            return body, ()
        return shown, tuple(span for span in spans if span[0] < span[1])

    def _rendered(
        self, chunk: Chunk, rest: str, context_spans: tuple[tuple[int, int], ...]
    ) -> Rendered:
        return Rendered(self._under_breadcrumb(chunk, rest), context_spans)

    def _under_breadcrumb(self, chunk: Chunk, rest: str) -> str:
        """Return `rest` below its breadcrumb, a blank line between them."""
        limit = None if self.options.strategy == "heading" else self.options.max_tokens
        count = self.meter.count_once
        return under_breadcrumb(chunk.section_path, rest, limit=limit, count=count)

    def _may_carry(self, chunk: Chunk) -> bool:
        return chunk.kind == "piece" and self.options.strategy != "fixed"

    def _sentences_before(self, chunk: Chunk, body: str) -> tuple[tuple[int, int], ...]:
        """The last sentences of the piece before, as many as there is room for above the body."""
        candidates = self._overlaps(chunk)
        room = self._room(chunk, body) if candidates else 0
        return next(((span,) for span in candidates if self.meter.fits(*span, room)), ())

    def _below_header(self, chunk: Chunk, table: Block, body: str) -> Rendered:
        """Return a body below the header of the table that it begins in, if that is in bounds.

        Right below: behind a blank line the rows would be those of another table. The
        breadcrumb is shortened for it, as for a body.
        """
        header, limit = header_of(self.reader, table), self.options.max_tokens
        if header is None or len(header.text) > limit * _SURELY_LARGE:
            return self._rendered(chunk, body, ())
        before = cells_before(self.reader, table, chunk.byte_start)
        rows = before + body.lstrip(" \t") if before else body
        shown = f"{header.text}\n{rows}"
        text = self._under_breadcrumb(chunk, shown)
        is_small = len(chunk.breadcrumb.encode()) + len(GAP) + len(shown.encode()) <= limit
        if is_small or self.meter.count_once(text) <= limit:
            return Rendered(text, (header.span,))
        return self._rendered(chunk, body, ())

    def _room(self, chunk: Chunk, body: str) -> int:
        """The tokens that `max_tokens` leaves beside breadcrumb, body and two gaps."""
        shown = len(chunk.breadcrumb.encode()) + len(body.encode()) + 2 * len(GAP)
        limit = self.options.max_tokens
        if shown * 2 <= limit:
            return limit - shown
        return limit - self.meter.count(chunk.breadcrumb + GAP + body) - len(GAP)

    def _overlaps(self, chunk: Chunk) -> Spans:
        """The last sentences of the piece before, first as many as are wanted, then fewer.

        Never the whole piece: one that repeats all of another is found wherever that one is.
        Nor what has no words, such as the mark of an item, a rule or a picture.
        """
        before = chunk.owner.chunks[chunk.position - 1]
        follows = (
            not is_code_by_name(self.document)
            and before.kind == "piece"
            and before.parent_position == chunk.parent_position
            and before.byte_end == chunk.byte_start
        )
        if not follows or not self._is_clean_cut(chunk.byte_start):
            return []
        first, end = before.byte_start, self._read_end(before)
        starts = self._sentences(before, end)
        wanted = starts[-self.options.overlap_sentences :] if self.options.overlap_sentences else []
        says = self._says_something
        return [(at, end) for at in wanted if says(first, at) and says(at, end)]

    def _says_something(self, start: int, end: int) -> bool:
        """Whether there are words in a range."""
        return any(map(str.isalpha, self.reader.body_text(((start, end),))))

    def _is_clean_cut(self, at: int) -> bool:
        """Whether a block or sentence ends at `at`, and no heading begins there."""
        if self.reader.headings_within(at, at + 1):
            return False
        if self.reader.blocks_within(at, at + 1):
            return True
        start, end = max(0, at - _SENTENCE_BYTES), min(len(self.document.data), at + _NEXT_BYTES)
        return at - start in self.reader.places(start, end, sentence_starts)

    def _read_end(self, piece: Chunk) -> int:
        """Where a piece ends without comments and tags behind it that open what follows."""
        start, end = piece.byte_start, piece.byte_end
        if self.document.format != "markdown":
            return end
        last = self.reader.last_top_within(start, end)
        while last is not None and last.kind == "html":
            if not is_unread(self.document.data, last.start, min(last.end, end)):
                break
            end = last.start
            last = self.reader.last_top_within(start, end)
        return end

    def _sentences(self, piece: Chunk, end: int) -> list[int]:
        """Where the complete sentences of a piece begin that end at `end`, up to other blocks."""
        start = max(piece.byte_start, end - _MAX_OVERLAP_BYTES)
        blocks = self.reader.blocks_within(piece.byte_start, end)
        headings = self.reader.headings_within(piece.byte_start, end)
        stops = [block.end for block in blocks if block.kind in _UNREPEATED]
        stops += [heading.end for heading in headings]
        cut = self.reader.table_around(piece.byte_start)
        stops += [] if cut is None else [cut.end]
        stops += [code.end for code in self.reader.code_within(piece.byte_start, end)]
        start = min(max([start, *stops]), end)
        prose = self.reader.document.data[start:end]
        if not prose.strip():
            return []
        found = self.reader.places(start, end, sentence_starts)
        starts = {start + at for at in found}
        starts |= {block.start for block in blocks if block.start >= start}
        if not self._begins_sentence(start):
            starts.discard(start)
        return sorted(at for at in starts if prose[at - start :].strip())

    def _begins_sentence(self, at: int) -> bool:
        return not at or self._is_clean_cut(at) or bool(self.reader.headings_within(at, at + 1))
