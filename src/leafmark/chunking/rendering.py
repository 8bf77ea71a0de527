"""`text`: a chunk for models, and the context that it carries from elsewhere.

Both are made when they are asked for. A piece carries the last complete
sentences of the piece before it under the same node; one that begins between
the rows of a table carries the table's header instead. Nothing is carried over
a heading, after code or a table, or where it would break `max_tokens`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from leafmark.chunking.breadcrumbs import BREADCRUMB_SHARE, GAP, under_breadcrumb
from leafmark.chunking.measuring import Meter, make_meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.sentences import SOLID_STOPS, STOPS, sentence_starts
from leafmark.chunking.tokens import Count, token_counter
from leafmark.chunking.tree import Spans
from leafmark.model import Chunk, Content, Document

__all__ = ["Renderer"]

_LONGEST_OVERLAP = 8192
"""Bytes at the end of a piece in which sentences to carry over are looked for."""

_SENTENCE_END = re.compile(
    rb"(?: [.!?:] | %b | %b ) [\"')\]*_`]* \s* \Z" % (STOPS, SOLID_STOPS), re.VERBOSE
)
_UNREPEATED = frozenset(("code", "table", "html", "thematic_break", "front_matter"))


@dataclass(eq=False)
class Renderer:
    """Renders the chunks of one document."""

    document: Document
    options: ChunkingOptions

    @property
    def count_tokens(self) -> Count:
        return token_counter(self.options.tokenizer)

    @cached_property
    def reader(self) -> BodyReader:
        return BodyReader(self.document)

    @cached_property
    def meter(self) -> Meter:
        return make_meter(self.reader, self.count_tokens)

    def read_body(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return ranges as they are read, front matter apart."""
        return self.reader.body_text(spans)

    def describe_content(self, chunk: Chunk) -> Content:
        """Return what the chunk's body is made of."""
        return self.reader.describe_content(chunk)

    def render_text(self, chunk: Chunk) -> str:
        """Return breadcrumb line, context and normalised body, a blank line between them.

        The header of a table stands right above its rows: with a blank line it would be another.
        """
        parts = [self.reader.normalise((span,)) for span in chunk.context_spans]
        is_header = bool(parts) and self.reader.table_around(chunk.byte_start) is not None
        parts.append(self.reader.normalise(chunk.body_spans))
        rest = ("\n" if is_header else GAP).join(part for part in parts if part)
        limit = None if self.options.strategy == "heading" else self.options.max_tokens
        return under_breadcrumb(chunk.section_path, rest, limit=limit, count=self.meter.count)

    def find_context(self, chunk: Chunk) -> tuple[tuple[int, int], ...]:
        """Return the ranges of the source that the chunk carries before its body."""
        if chunk.kind != "piece" or self.options.strategy == "fixed":
            return ()
        table = self.reader.table_around(chunk.byte_start)
        if table is not None:
            header = table.content_start
            candidates = [] if header is None else [(table.start, header)]
        else:
            candidates = self._overlaps(chunk)
        room = self._room(chunk, is_header=table is not None) if candidates else 0
        return next(((span,) for span in candidates if self.meter.fits(*span, room)), ())

    def _room(self, chunk: Chunk, *, is_header: bool) -> int:
        """The tokens that `max_tokens` leaves beside breadcrumb, body and two gaps.

        For the header of a table the breadcrumb is shortened, as it is for a body.
        """
        body = self.reader.normalise(chunk.body_spans)
        shown = len(chunk.breadcrumb.encode()) + len(body.encode()) + 2 * len(GAP)
        limit = self.options.max_tokens
        if shown * 2 <= limit:
            return limit - shown
        room = limit - self.meter.count(chunk.breadcrumb + GAP + body) - len(GAP)
        if not is_header:
            return room
        crumb = min(self.meter.count(chunk.breadcrumb + GAP), limit // BREADCRUMB_SHARE)
        return max(room, limit - crumb - self.meter.count(body + GAP))

    def _overlaps(self, chunk: Chunk) -> Spans:
        """The last sentences of the piece before, first as many as are wanted, then fewer.

        Never the whole piece: one that repeats all of another is found wherever that one is.
        """
        before = chunk.owner.chunks[chunk.position - 1]
        follows = (
            before.kind == "piece"
            and before.parent_position == chunk.parent_position
            and before.byte_end == chunk.byte_start
        )
        if not follows or not self._is_clean_cut(chunk.byte_start):
            return []
        starts = self._sentences(before)
        wanted = starts[-self.options.overlap_sentences :] if self.options.overlap_sentences else []
        return [(start, before.byte_end) for start in wanted if self._says_something(before, start)]

    def _says_something(self, piece: Chunk, end: int) -> bool:
        """Whether the piece has words before `end`, not the mark of an item alone."""
        return any(map(str.isalpha, self.reader.body_text(((piece.byte_start, end),))))

    def _is_clean_cut(self, at: int) -> bool:
        """Whether a block or sentence ends at `at`, and no heading begins there."""
        if self.reader.headings_within(at, at + 1):
            return False
        data = self.reader.document.data
        begins_block = bool(self.reader.blocks_within(at, at + 1))
        return begins_block or _SENTENCE_END.search(data, max(0, at - 64), at) is not None

    def _sentences(self, piece: Chunk) -> list[int]:
        """Where the complete sentences at the end of a piece begin, up to what is not repeated."""
        start = max(piece.byte_start, piece.byte_end - _LONGEST_OVERLAP)
        blocks = self.reader.blocks_within(piece.byte_start, piece.byte_end)
        headings = self.reader.headings_within(piece.byte_start, piece.byte_end)
        stops = [block.end for block in blocks if block.kind in _UNREPEATED]
        stops += [block.end for block in blocks if block.kind == "heading"]
        stops += [heading.end for heading in headings]
        cut = self.reader.table_around(piece.byte_start)
        stops += [] if cut is None else [cut.end]
        stops += [code.end for code in self.reader.code_within(piece.byte_start, piece.byte_end)]
        start = min(max([start, *stops]), piece.byte_end)
        prose = self.reader.document.data[start : piece.byte_end]
        if not prose.strip():
            return []
        found = self.reader.places(start, piece.byte_end, sentence_starts)
        starts = {start + at for at in found}
        starts |= {block.start for block in blocks if block.start >= start}
        if not self._begins_sentence(start):
            starts.discard(start)
        return sorted(at for at in starts if prose[at - start :].strip())

    def _begins_sentence(self, at: int) -> bool:
        return not at or self._is_clean_cut(at) or bool(self.reader.headings_within(at, at + 1))
