"""`text`: a chunk for models, and the context that it carries from elsewhere.

Both are made when they are asked for. A piece carries the last complete
sentences of the piece before it under the same node; one that begins between
the rows of a table carries the table's header instead. Nothing is carried over
a heading, after code or a table, or where it would break `max_tokens`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from leafmark.chunking.bodies import BodyReader
from leafmark.chunking.breadcrumbs import GAP, under_breadcrumb
from leafmark.chunking.contents import describe_content
from leafmark.chunking.lone_tags import is_unread
from leafmark.chunking.measuring import Meter, make_meter
from leafmark.chunking.normalising import TABLE_PADDING
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.repeating import Repeated, iter_repeated
from leafmark.chunking.sentences import SOLID_STOPS, STOPS, sentence_starts
from leafmark.chunking.tokens import Count, token_counter
from leafmark.chunking.tree import Spans
from leafmark.model import Block, Chunk, Content, Document, Heading, HeadingColumns, Rendered

__all__ = ["Renderer"]

_LONGEST_OVERLAP = 8192
"""Bytes at the end of a piece in which sentences to carry over are looked for."""

_SURELY_LARGE = 64
"""A header of more characters than this for each token is over the bound without being counted."""

_SENTENCE_END = re.compile(
    rb"(?: [.!?:] | %b | %b ) [\"')\]*_`]* \s* \Z" % (STOPS, SOLID_STOPS), re.VERBOSE
)
_NOTHING = Rendered("", 0, ())
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
        return token_counter(self.options.tokenizer)

    @cached_property
    def reader(self) -> BodyReader:
        return BodyReader(self.document)

    @cached_property
    def meter(self) -> Meter:
        return make_meter(self.reader, self.count_tokens)

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
        if self.document.format == "markdown":
            body = self._without_padding(chunk, body)
        if not self._may_carry(chunk):
            return self._rendered(chunk, body, ())
        table = self._table_around(chunk.byte_start)
        if table is not None:
            repeated = self._find_repeated(chunk, table, body)
            if repeated is None:
                return self._rendered(chunk, body, ())
            return self._rendered(chunk, repeated.over(body), repeated.spans)
        carried = self._sentences_before(chunk, body)
        parts = [self.reader.normalise((span,)) for span in carried]
        return self._rendered(chunk, GAP.join(filter(None, (*parts, body))), carried)

    def _without_padding(self, chunk: Chunk, body: str) -> str:
        """Return a body without the padding of a table at its ends, if it would be too large."""
        limit = self.options.max_tokens
        if self.options.strategy in ("heading", "fixed") or len(chunk.body_spans) != 1:
            return body
        if len(chunk.breadcrumb.encode()) + len(GAP) + len(body.encode()) <= limit:
            return body
        if body[:1] not in TABLE_PADDING and body[-1:] not in TABLE_PADDING:
            return body
        for shown in self.reader.narrowed(body, *chunk.body_spans[0]):
            if self.meter.count_once(self._under_breadcrumb(chunk, shown)) <= limit:
                return shown
        return body

    def _rendered(
        self, chunk: Chunk, rest: str, context_spans: tuple[tuple[int, int], ...]
    ) -> Rendered:
        text = self._under_breadcrumb(chunk, rest)
        return Rendered(text, self.meter.count_once(text), context_spans)

    def _under_breadcrumb(self, chunk: Chunk, rest: str) -> str:
        """Return `rest` below its breadcrumb, a blank line between them."""
        limit = None if self.options.strategy == "heading" else self.options.max_tokens
        count = self.meter.count_once
        return under_breadcrumb(chunk.section_path, rest, limit=limit, count=count)

    def _may_carry(self, chunk: Chunk) -> bool:
        return chunk.kind == "piece" and self.options.strategy != "fixed"

    def _table_around(self, at: int) -> Block | None:
        """The table that a byte stands in, below its header."""
        return self.reader.table_around(at) or self.reader.markup_table_around(at)

    def _sentences_before(self, chunk: Chunk, body: str) -> tuple[tuple[int, int], ...]:
        """The last sentences of the piece before, as many as there is room for above the body."""
        candidates = self._overlaps(chunk)
        room = self._room(chunk, body) if candidates else 0
        return next(((span,) for span in candidates if self.meter.fits(*span, room)), ())

    def _find_repeated(self, chunk: Chunk, table: Block, body: str) -> Repeated | None:
        """What the chunk repeats of the table that it begins in, as far as `max_tokens` allows."""
        found = iter_repeated(self.reader, table, (chunk.byte_start, chunk.byte_end))
        return next((each for each in found if self._can_repeat(chunk, each, body)), None)

    def _can_repeat(self, chunk: Chunk, repeated: Repeated, body: str) -> bool:
        """Whether it is within the bound; the breadcrumb is shortened for it, as for a body."""
        limit, shown = self.options.max_tokens, repeated.over(body)
        if len(chunk.breadcrumb.encode()) + len(GAP) + len(shown.encode()) <= limit:
            return True
        if len(repeated.above) > limit * _SURELY_LARGE:
            return False
        return self.meter.count_once(self._under_breadcrumb(chunk, shown)) <= limit

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
            before.kind == "piece"
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
        data = self.reader.document.data
        begins_block = bool(self.reader.blocks_within(at, at + 1))
        return begins_block or _SENTENCE_END.search(data, max(0, at - 64), at) is not None

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
        start = max(piece.byte_start, end - _LONGEST_OVERLAP)
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
        found = self.reader.places(start, end, sentence_starts)
        starts = {start + at for at in found}
        starts |= {block.start for block in blocks if block.start >= start}
        if not self._begins_sentence(start):
            starts.discard(start)
        return sorted(at for at in starts if prose[at - start :].strip())

    def _begins_sentence(self, at: int) -> bool:
        return not at or self._is_clean_cut(at) or bool(self.reader.headings_within(at, at + 1))
