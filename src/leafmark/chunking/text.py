"""`text`: a chunk for models with the context that it repeats; and the content of its body.

Both are computed on demand. A piece repeats the last complete sentences of the previous piece of
the same node; one that begins inside a table repeats the table's header, or that of its columns.
No sentence is repeated across a heading, after code or a table, or beyond `max_tokens`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from leafmark.chunking.block_regions import BodyReader, fence_of, narrow_header
from leafmark.chunking.cuts import sentence_starts
from leafmark.chunking.keep_with_next import is_code_by_name, is_unread
from leafmark.chunking.measuring import Meter, make_meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.tables import Cell, Columns, Row
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
    merge,
)

_LEFT_OUT = "\u2026"

_MAX_KEY_CHARACTERS = 100
"""Maximum characters of a row's first cell; a longer one is a text, not the row's name."""

_MAX_CELL_BYTES, _MAX_HEADER_BYTES = 4096, 65_536
"""Maximum bytes of a cell, and of a whole header, that pieces repeat; larger ones are not read."""


class Repeated(NamedTuple):
    """Repeated ranges of the source, and their text: lines above the body, cells before it.

    `cut`: the body begins inside a row.
    """

    spans: tuple[tuple[int, int], ...]
    above: str
    before: str = ""
    cut: bool = False

    def over(self, body: str) -> str:
        """Return a normalised body below the text that it repeats.

        Without a blank line, after which the rows would be those of another table.
        """
        body = self.before + (body.lstrip(" \t") if self.cut else body)
        return f"{self.above}\n{body}" if self.above else body


def iter_repeated(reader: BodyReader, table: Block, span: tuple[int, int]) -> Iterator[Repeated]:
    """Yield the texts that a range below a table's header may repeat, the best first."""
    start, end = span
    row = None if table.info else _cut_row(reader, table, span)
    own = [] if row is None else _own_cells(reader, row, span)
    if row is None or not own:
        whole = whole_header(reader, table)
        yield from () if whole is None else (whole._replace(cut=row is not None),)
        return
    is_followed = row.end < min(end, table.end)
    key = key_of(reader, row) if start > row.start else None
    if key is not None and key.after > own[0].column:
        key = None
    for repeated_key in dict.fromkeys((key, None)):
        if is_followed:
            above = _above_rows(reader, table, row, first=own[0], key=repeated_key, start=start)
        else:
            above = _above_cells(reader, table, own, key=repeated_key, start=start)
        yield from filter(None, (above,))


def whole_header(reader: BodyReader, table: Block) -> Repeated | None:
    """Return the header for pieces that begin between rows, if there is one."""
    span = table.start, table.content_start or table.start
    if not 0 < span[1] - span[0] <= _MAX_HEADER_BYTES:
        return None
    text = reader.normalise((span,))
    if reader.document.format in ("markdown", "notebook") and not table.info:
        text = narrow_header(text)
    return Repeated((span,), text)


def key_of(reader: BodyReader, row: Row) -> Cell | None:
    """Return the first cell of a row, if it is not empty and short."""
    key = row.key
    return key if key is not None and 0 < len(_text(reader, key)) <= _MAX_KEY_CHARACTERS else None


def head_text(reader: BodyReader, columns: Columns, cells: Sequence[Cell]) -> str:
    """Return the header above cells, line by line; a cell above several of them occurs once."""
    seen: set[int] = set()
    lines: list[list[str]] = []
    for line in columns.above(cells):
        lines.append([])
        for heads in line:
            fresh = [head for head in heads if head.start not in seen]
            seen.update(head.start for head in fresh)
            lines[-1].append(" ".join(_text(reader, head) for head in fresh))
    if reader.document.format == "markdown":
        words, delimiters = lines
        return narrow_header(f"| {' | '.join(words)} |\n|{'|'.join(delimiters)}|")
    return "\n".join(filter(None, ("\t".join(line).rstrip() for line in lines)))


def _cut_row(reader: BodyReader, table: Block, span: tuple[int, int]) -> Row | None:
    """Return the row in which the range begins, if part of the row is outside the range."""
    start, end = span
    rows = reader.row_starts(table)
    after = bisect_right(rows, start)
    if after and rows[after - 1] == start and end >= (*rows[after : after + 1], table.end)[0]:
        return None
    columns = reader.columns(table)
    return None if columns is None else columns.row_at(start)


def _own_cells(reader: BodyReader, row: Row, span: tuple[int, int]) -> Sequence[Cell]:
    """Return the cells of the row in the range, or none if all are empty.

    In a page, begin with the first one that is not empty, since the text begins there.
    """
    start, end = span
    cells = row.cells_in(start, end)
    blank = 0
    for cell in cells:
        text = reader.body_text(((max(cell.start, start), min(cell.end, end)),))
        if text.strip("| \t\r\n"):
            break
        blank += 1
    return cells[blank:] if reader.document.format == "html" or blank == len(cells) else cells


def _above_rows(
    reader: BodyReader, table: Block, row: Row, *, first: Cell, key: Cell | None, start: int
) -> Repeated | None:
    """Return the whole header, and the placeholders for the row up to its cell `first`."""
    whole = whole_header(reader, table)
    if whole is None:
        return None
    left_out = sum(cell.start < first.start for cell in row.cells)
    left_out += sum(cell.column < first.column for cell in row.reaching)
    before, spans = [_LEFT_OUT] * left_out, whole.spans
    if key is not None:
        before[0], spans = _text(reader, key), (*spans, key[2:])
    return Repeated(spans, whole.above, _before(reader, before, first=first, start=start), cut=True)


def _above_cells(
    reader: BodyReader, table: Block, own: Sequence[Cell], *, key: Cell | None, start: int
) -> Repeated | None:
    """Return the header above some cells of a row, or the whole header if there is none."""
    columns = reader.columns(table)
    if columns is None or not any(map(any, columns.above(own))):
        return whole_header(reader, table)
    cells = own if key is None else [key, *own]
    spans = [head[2:] for line in columns.above(cells) for heads in line for head in heads]
    above, place = head_text(reader, columns, cells), (table.start, columns.caption_end)
    is_short = 0 < place[1] - place[0] <= _MAX_CELL_BYTES
    caption = reader.normalise((place,)) if is_short else ""
    if caption:
        spans.append(place)
        above = f"{caption}\n{above}" if above else caption
    keys = [] if key is None else [key]
    before = _before(reader, [_text(reader, key) for key in keys], first=own[0], start=start)
    is_page = reader.document.format == "html"
    margin = "" if is_page or start >= own[0].start else reader.body_text(((start, own[0].start),))
    if margin:  # in a quote or a list, where the body begins with the row's margin
        above = "\n".join(margin + line for line in above.split("\n"))
    spans = [*merge(spans), *[key[2:] for key in keys]]
    return Repeated((*spans,), above, before, cut=not margin)


def _before(reader: BodyReader, texts: Sequence[str], *, first: Cell, start: int) -> str:
    """Return cells before the body, which begins at `start`, before or in its cell `first`."""
    if reader.document.format != "markdown":
        return "".join(f"{text}\t" for text in texts)
    bar = "" if start <= first.start else "| "  # for the rest of a cut cell
    return "".join(f"| {text} " for text in texts) + bar


def _text(reader: BodyReader, cell: Cell) -> str:
    """Return the text of a cell, in one line."""
    if cell.end - cell.start > _MAX_CELL_BYTES:
        return ""
    text = reader.body_text((cell[2:],)).strip()
    if reader.document.format == "markdown":
        text = text.removeprefix("|")
    return " ".join(text.split())


_WHITE_SPACE = b" \t\n\r\x0b\x0c"
_SHARE = 0.8
"""The share of a body's non-blank bytes that one type needs to name it."""

_TYPES: dict[str, ContentType] = {"code": "code", "table": "table", "list": "list"}
_UNCOUNTED: frozenset[BlockKind] = frozenset(("front_matter", "heading"))

_start_of, _end_of = attrgetter("start"), attrgetter("end")

_Part = tuple[BlockKind, int, int]
"""A block's kind, start and end."""


def describe_content(reader: BodyReader, chunk: Chunk, *, deep: Sequence[Heading]) -> Content:
    """Return the kinds of content in the chunk's body.

    `deep` are the headings, in order, that are content: too deep to make a section.
    """
    document = reader.document
    find = _script_contents if document.format == "script" else _contents
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
    """Return the parts of headings that lie in `[start, end)`."""
    first = bisect_right(deep, start, key=_end_of)
    headings = deep[first : bisect_left(deep, end, key=_start_of)]
    return [("heading", max(heading.start, start), min(heading.end, end)) for heading in headings]


def _script_contents(
    reader: BodyReader, spans: Sequence[tuple[int, int]]
) -> tuple[list[_Part], set[str]]:
    """Return the same as `_contents` for source code: a piece may begin and end inside a block."""
    blocks = [block for start, end in spans for block in reader.blocks_within(start, end)]
    around = [code for start, end in spans for code in reader.code_within(start, end)]
    languages = {block.info for block in (*blocks, *around) if block.kind == "code"}
    return [(code.kind, code.start, code.end) for code in around], languages


def _contents(reader: BodyReader, spans: Sequence[tuple[int, int]]) -> tuple[list[_Part], set[str]]:
    """Return the parts of top-level blocks in the spans, and the languages of all code there.

    The language of code that names none is "".
    """
    parts: list[_Part] = []
    languages: set[str] = set()
    for start, end in spans:
        for part in reader.regions_within(start, end):
            kinds, starts, ends = part.top.kinds, part.top.starts, part.top.ends
            place = slice(bisect_left(ends, start + 1), bisect_left(starts, end))
            parts += [
                (kind, first if first > start else start, last if last < end else end)
                for kind, first, last in zip(kinds[place], starts[place], ends[place], strict=True)
            ]
            if part.code:
                languages |= {code.info for code in part.code_between(start, end)}
    return parts, languages


def _name(document: Document, parts: Sequence[_Part], kinds: Set[BlockKind]) -> ContentType:
    """Return the type that has most of the non-blank bytes."""
    data = document.data
    if document.is_rendered and "thematic_break" in kinds:  # it has no text
        parts = [part for part in parts if part[0] != "thematic_break"]
    if len(kinds) == 1 or kinds.isdisjoint(_TYPES):  # most bodies need no weights
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
"""Sentences to repeat are searched in so many bytes at the end of a piece."""

_SURELY_LARGE = 64
"""A header of more characters than this for each token is over the bound, without a count."""

_SENTENCE_BYTES, _NEXT_BYTES = 240, 64
"""Bytes before and after a cut that decide whether a sentence ends there."""

_NOTHING = Rendered("", ())
_UNREPEATED = frozenset(("code", "table", "html", "thematic_break", "front_matter", "heading"))


@dataclass(eq=False)
class Renderer:
    """Renders the chunks of one document."""

    document: Document
    options: ChunkingOptions
    _last: tuple[int, Rendered] = field(default=(-1, _NOTHING), init=False, repr=False)
    """The position of the last rendered chunk, and its rendering."""

    @property
    def count_tokens(self) -> Count:
        """The function that counts a text, with a memory of recent ones."""
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
            heading
            for heading in headings
            if heading.level > limit and not heading.nested and heading.slug_path is None
        ]

    def read_body(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return the readable text of ranges, without front matter."""
        return self.reader.body_text(spans)

    def describe_content(self, chunk: Chunk) -> Content:
        """Return the kinds of content in the chunk's body."""
        return describe_content(self.reader, chunk, deep=self._deep_headings)

    def render(self, chunk: Chunk) -> Rendered:
        """Return the input of a model: breadcrumb line, context and normalised body.

        The last one is remembered, since callers need its tokens after its text.
        """
        position, rendered = self._last
        if position != chunk.position:
            rendered = self._render(chunk)
            self._last = chunk.position, rendered
        return rendered

    def _render(self, chunk: Chunk) -> Rendered:
        body = self.reader.normalise(chunk.body_spans)
        if chunk.kind != "piece" or self.options.strategy == "fixed":
            return self._rendered(chunk, body, ())
        table = self._table_around(chunk.byte_start)
        if table is not None:
            candidates = iter_repeated(self.reader, table, (chunk.byte_start, chunk.byte_end))
            repeated = next(
                (candidate for candidate in candidates if self._can_repeat(chunk, candidate, body)),
                None,
            )
            if repeated is None:
                return self._rendered(chunk, body, ())
            return self._rendered(chunk, repeated.over(body), repeated.spans)
        body, fence = self._with_fences(chunk, body)
        carried = fence or self._sentences_before(chunk, body)
        if fence or not carried:
            return self._rendered(chunk, body, fence)
        parts = [self.reader.normalise((span,)) for span in carried]
        return self._rendered(chunk, GAP.join(filter(None, (*parts, body))), carried)

    def _with_fences(self, chunk: Chunk, body: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return a body with the fences of the code that it is part of, and the fences' spans."""
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
        """Return `rest` below its breadcrumb, with a blank line between them."""
        limit = None if self.options.strategy == "heading" else self.options.max_tokens
        count = self.meter.count_once
        return under_breadcrumb(chunk.section_path, rest, limit=limit, count=count)

    def _table_around(self, at: int) -> Block | None:
        """Return the table that has the byte at `at` below its header, if any."""
        return self.reader.table_around(at) or self.reader.markup_table_around(at)

    def _sentences_before(self, chunk: Chunk, body: str) -> tuple[tuple[int, int], ...]:
        """Return the span of the previous piece's last sentences that fit above the body."""
        candidates = self._overlaps(chunk)
        room = self._room(chunk, body) if candidates else 0
        return next(((span,) for span in candidates if self.meter.fits(*span, room)), ())

    def _can_repeat(self, chunk: Chunk, repeated: Repeated, body: str) -> bool:
        """Whether the text with `repeated` is within the bound, maybe with a shorter breadcrumb."""
        limit, shown = self.options.max_tokens, repeated.over(body)
        if len(chunk.breadcrumb.encode()) + len(GAP) + len(shown.encode()) <= limit:
            return True
        if len(repeated.above) > limit * _SURELY_LARGE:
            return False
        return self.meter.count_once(self._under_breadcrumb(chunk, shown)) <= limit

    def _room(self, chunk: Chunk, body: str) -> int:
        """Return the tokens that `max_tokens` leaves after breadcrumb, body and two gaps."""
        shown = len(chunk.breadcrumb.encode()) + len(body.encode()) + 2 * len(GAP)
        limit = self.options.max_tokens
        if shown * 2 <= limit:
            return limit - shown
        return limit - self.meter.count(chunk.breadcrumb + GAP + body) - len(GAP)

    def _overlaps(self, chunk: Chunk) -> Spans:
        """Return spans of the previous piece's last sentences: as many as configured, then fewer.

        Never the whole piece, since then every match of that piece would match this one, too.
        Nor text without words, such as the mark of an item, a rule or a picture.
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
        last = starts[-self.options.overlap_sentences :] if self.options.overlap_sentences else []
        has_words = self._has_words
        return [(at, end) for at in last if has_words(first, at) and has_words(at, end)]

    def _has_words(self, start: int, end: int) -> bool:
        """Whether a range has words."""
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
        """Return the end of a piece without comments and opening tags at its end."""
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
        """Return the starts of complete sentences at the end of a piece, which ends at `end`."""
        start = max(piece.byte_start, end - _MAX_OVERLAP_BYTES)
        blocks = self.reader.blocks_within(piece.byte_start, end)
        headings = self.reader.headings_within(piece.byte_start, end)
        stops = [block.end for block in blocks if block.kind in _UNREPEATED]
        stops += [heading.end for heading in headings]
        cut = self._table_around(piece.byte_start)
        stops += [] if cut is None else [cut.end]
        stops += [code.end for code in self.reader.code_within(piece.byte_start, end)]
        start = min(max([start, *stops]), end)
        prose = self.reader.document.data[start:end]
        if not prose.strip():
            return []
        places = self.reader.places(start, end, sentence_starts)
        starts = {start + at for at in places}
        starts |= {block.start for block in blocks if block.start >= start}
        if not self._begins_sentence(start):
            starts.discard(start)
        return sorted(at for at in starts if prose[at - start :].strip())

    def _begins_sentence(self, at: int) -> bool:
        return not at or self._is_clean_cut(at) or bool(self.reader.headings_within(at, at + 1))
