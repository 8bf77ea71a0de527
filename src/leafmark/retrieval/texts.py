"""The texts of results, read from their sources after these were checked.

Nothing is shown of a source that is not what was indexed: then there is no text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from leafmark.index import IndexReader
from leafmark.model import Deferred, DocumentEntry, Entry, ReadableText, bytes_in, subtract
from leafmark.retrieval.ordering import DocumentKey, document_of
from leafmark.retrieval.snippets import byte_ranges, join_ranges

__all__ = ["Body", "MakeReadable", "ReadSource", "Texts"]

Spans = tuple[tuple[int, int], ...]

ReadSource = Callable[[DocumentEntry], bytes | None]
"""Gives the bytes that a document's spans refer to; None where the file is another now."""

MakeReadable = Callable[[DocumentEntry, bytes, Sequence[tuple[int, int]]], ReadableText | None]
"""Gives the readable text of some spans, None for formats whose bytes are their text."""


class Body(NamedTuple):
    """A chunk's own text. `text` is what was indexed, each bad byte a surrogate escape.

    `data` are the body's bytes; `skipped` bytes of them, front matter, stand
    before `text`. `readable` maps where bytes are markup.
    """

    data: bytes
    text: str
    skipped: int = 0
    readable: ReadableText | None = None

    @property
    def source_text(self) -> str:
        """All of `data` as text, bytes that are not UTF-8 made U+FFFD."""
        if self.readable is None and not self.skipped and self.text.isascii():
            return self.text
        return self.data.decode("utf-8", "replace")

    @property
    def shown(self) -> str:
        """The text with what cannot be shown replaced, character by character."""
        return self.text if self.text.isascii() else _SURROGATES.sub("\ufffd", self.text)

    def byte_ranges(self, ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Turn ranges of characters of `text` into ranges of bytes of `data`."""
        if self.readable is not None:
            # several words can come from the same bytes: those of the text for an image
            found = tuple(join_ranges(self.readable.body_range(*each) for each in ranges))
        else:
            found = byte_ranges(self.text, ranges)
        if not self.skipped:
            return found
        return tuple((start + self.skipped, end + self.skipped) for start, end in found)


_SURROGATES = re.compile("[\ud800-\udfff]")


def _bytes_before(offset: int, spans: Iterable[tuple[int, int]]) -> int:
    """Return how many bytes of the spans stand before `offset`."""
    return sum(min(end, offset) - start for start, end in spans if start < offset)


def _line_ends(source: bytes, at: int, stop: int) -> int:
    """Count the line ends (LF, CRLF, lone CR) that begin before `stop`, those before `at` apart."""
    before = max(at - 1, 0)
    found = source.count(b"\n", at, stop)
    if source.find(b"\r", before, stop) < 0:
        return found
    return found + source.count(b"\r", at, stop) - source.count(b"\r\n", before, stop)


def _line_start(source: bytes, stop: int) -> int:
    """Return one less than the offset at which the line that reaches `stop` begins."""
    found = source.rfind(b"\n", 0, stop)
    return max(found, source.rfind(b"\r", found + 1, stop))


def _in_line_end(source: bytes, at: int) -> bool:
    """Whether `at` is between CR and LF, where the line has not ended yet."""
    return source[at - 1 : at + 1] == b"\r\n"


def _known_line(entry: Entry) -> int:
    """Return a byte before the body, or at its beginning, whose line the index knows, or 0."""
    if entry.heading_start is not None:
        return entry.heading_start
    return entry.byte_start if entry.kind == "piece" else 0


class Texts:
    """Reads each source of one answer, and each body, at most once."""

    def __init__(
        self,
        reader: IndexReader,
        read_source: ReadSource,
        make_readable: MakeReadable | None = None,
    ):
        self._reader = reader
        self._read_source = read_source
        self._make_readable = make_readable
        self._documents: dict[DocumentKey, DocumentEntry] = {}
        self._sources: dict[DocumentKey, bytes | None] = {}
        self._bodies: dict[tuple[str, str, Spans], Body | None] = {}
        self._digests: dict[tuple[str, str, int, int], str | None] = {}

    def document(self, entry: Entry) -> DocumentEntry:
        """Return the entry of a chunk's document."""
        key = document_of(entry)
        if key not in self._documents:
            document = self._reader.document(entry.doc_id)
            assert document is not None, "a chunk's document is indexed with it"
            self._documents[key] = document
        return self._documents[key]

    def source(self, entry: Entry) -> bytes | None:
        """Return the source of a chunk, None where it is not what was indexed."""
        key = document_of(entry)
        if key not in self._sources:
            self._sources[key] = self._read_source(self.document(entry))
        return self._sources[key]

    def body(self, entry: Entry) -> Body | None:
        """Return the own text of a chunk, None where the source is not what was indexed.

        That of an introduction is less than that of the chunk at the same position.
        """
        key = (entry.tree, entry.path, entry.body_spans)
        if key not in self._bodies:
            self._bodies[key] = self._body(entry)
        return self._bodies[key]

    def _body(self, entry: Entry) -> Body | None:
        source = self.source(entry)
        if source is None:
            return None
        document, spans = self.document(entry), entry.body_spans
        data = bytes_in(source, spans)
        front = document.front_matter_end
        skipped = _bytes_before(front, spans) if front else 0
        if self._make_readable is not None:
            read = [part for span in spans for part in subtract(*span, [(0, front or 0)])]
            made = self._make_readable(document, source, read)
            if made is not None:
                return Body(data, made.text, skipped, made)
        return Body(data, data[skipped:].decode("utf-8", "surrogateescape"), skipped)

    def readable(self, entry: Entry, start: int, end: int) -> str | None:
        """Return what a person reads in bytes of a chunk's source; None where it is another."""
        source = self.source(entry)
        if source is None:
            return None
        if self._make_readable is not None:
            made = self._make_readable(self.document(entry), source, [(start, end)])
            if made is not None:
                return made.text
        return source[start:end].decode("utf-8", "replace")

    def whole(self, entry: Entry) -> str | None:
        """Return what a person reads in the whole span of a chunk; None as for a body."""
        span = (entry.byte_start, entry.byte_end)
        if tuple(entry.body_spans) != (span,):
            return self.readable(entry, *span)
        body = self.body(entry)  # which is read for its snippet, too
        return body.shown if body else None

    def digest(self, entry: Entry) -> str | None:
        """Return the sha256 of a chunk's whole span, hex; None where the source is another."""
        key = (entry.tree, entry.path, entry.byte_start, entry.byte_end)
        if key not in self._digests:
            source = self.source(entry)
            self._digests[key] = (
                None
                if source is None
                else hashlib.sha256(source[entry.byte_start : entry.byte_end]).hexdigest()
            )
        return self._digests[key]

    def comparable_digest(self, entry: Entry) -> str | None:
        """Return `digest`, None for a blank span too: blanks are nobody's duplicates."""
        source = self.source(entry)
        if source is None or not source[entry.byte_start : entry.byte_end].strip():
            return None
        return self.digest(entry)

    def places(self, entry: Entry) -> Deferred[tuple[int, int]]:
        """Return the 1-based line and byte column at which each span of the body begins.

        They are found when they are looked at: most forms of an answer show none.
        """
        return Deferred(lambda: self._places(entry, self.source(entry)))

    @staticmethod
    def _places(entry: Entry, source: bytes | None) -> tuple[tuple[int, int], ...]:
        if source is None:
            return ()
        at = _known_line(entry)
        ends = entry.line_start - 1 + _in_line_end(source, at) if at else 0
        found = []
        for start, _ in entry.body_spans:
            inside = _in_line_end(source, start)
            ends += _line_ends(source, at, start)
            found.append((ends + 1 - inside, start - _line_start(source, start - inside)))
            at = start
        return tuple(found)
