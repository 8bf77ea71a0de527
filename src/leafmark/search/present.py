"""The texts of results, and candidates as results: text, matches, snippet, citation.

Texts are read from their sources, whose hashes are checked: a changed source has no text.
Nothing here changes the order or the number of results.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from leafmark.index import Snapshot
from leafmark.index.analysis import with_parts
from leafmark.model import (
    Candidate,
    Deferred,
    DocumentEntry,
    DocumentKey,
    Entry,
    ReadableText,
    Result,
    Snippet,
    bytes_in,
    subtract,
)
from leafmark.namedtuples import NamedTuple
from leafmark.search.citations import format_citation
from leafmark.search.compile import CompiledTopic
from leafmark.search.highlight import Highlighter
from leafmark.search.order import document_of, key_of
from leafmark.search.snippets import (
    Match,
    as_read,
    byte_ranges,
    join_ranges,
    join_snippets,
    make_snippet,
)

Spans = tuple[tuple[int, int], ...]

ReadSource = Callable[[DocumentEntry], bytes | None]
"""Returns the bytes that a document's spans refer to; None if the file has changed."""

MakeReadable = Callable[[DocumentEntry, bytes, Sequence[tuple[int, int]]], ReadableText | None]
"""Returns the readable text of some spans, None for formats whose bytes are their text."""


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
        """All of `data` as text; bytes that are not UTF-8 become U+FFFD."""
        if self.readable is None and not self.skipped and self.text.isascii():
            return self.text
        return self.data.decode("utf-8", "replace")

    @property
    def shown(self) -> str:
        """The text with characters that cannot be shown replaced one by one."""
        return self.text if self.text.isascii() else _SURROGATES.sub("\ufffd", self.text)

    def byte_ranges(self, ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Turn ranges of characters of `text` into ranges of bytes of `data`."""
        if self.readable is not None:
            # several words can come from the same bytes: those of the text for an image
            ranges_in_file = tuple(join_ranges(self.readable.body_range(*span) for span in ranges))
        else:
            ranges_in_file = byte_ranges(self.text, ranges)
        if not self.skipped:
            return ranges_in_file
        return tuple((start + self.skipped, end + self.skipped) for start, end in ranges_in_file)


_SURROGATES = re.compile("[\ud800-\udfff]")


def _line_ends(source: bytes, at: int, stop: int) -> int:
    """Count the line ends (LF, CRLF, lone CR) that begin in `[at, stop)`."""
    before = max(at - 1, 0)
    feeds = source.count(b"\n", at, stop)
    if source.find(b"\r", before, stop) < 0:
        return feeds
    return feeds + source.count(b"\r", at, stop) - source.count(b"\r\n", before, stop)


def _line_start(source: bytes, stop: int) -> int:
    """Return the offset before that at which the line that reaches `stop` begins."""
    feed = source.rfind(b"\n", 0, stop)
    return max(feed, source.rfind(b"\r", feed + 1, stop))


def _in_line_end(source: bytes, at: int) -> bool:
    """Whether `at` is between CR and LF, within a line end."""
    return source[at - 1 : at + 1] == b"\r\n"


class Texts:
    """Reads each source of one answer, and each body, at most once."""

    def __init__(
        self,
        snapshot: Snapshot,
        read_source: ReadSource,
        make_readable: MakeReadable | None = None,
    ):
        self._snapshot = snapshot
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
            self._documents[key] = self._snapshot.get_document(entry.doc_id)
        return self._documents[key]

    def titles(self, entry: Entry) -> list[str]:
        """Return the titles of all chunks of a chunk's document."""
        stored = self._snapshot.stored(entry.doc_id)
        return [] if stored is None else [stored.title(at) for at in range(len(stored))]

    def source(self, entry: Entry) -> bytes | None:
        """Return the source of a chunk, None if it has changed."""
        key = document_of(entry)
        if key not in self._sources:
            self._sources[key] = self._read_source(self.document(entry))
        return self._sources[key]

    def body(self, entry: Entry) -> Body | None:
        """Return the own text of a chunk, None if its source has changed.

        An introduction has less text than the chunk at the same position.
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
        skipped = sum(min(end, front) - start for start, end in spans if start < front)
        if self._make_readable is not None:
            read = [part for span in spans for part in subtract(*span, [(0, front or 0)])]
            readable = self._make_readable(document, source, read)
            if readable is not None:
                return Body(data, readable.text, skipped, readable)
        return Body(data, data[skipped:].decode("utf-8", "surrogateescape"), skipped)

    def readable(self, entry: Entry, start: int, end: int) -> str | None:
        """Return the readable text of bytes of a chunk's source; None if it has changed."""
        source = self.source(entry)
        if source is None:
            return None
        if self._make_readable is not None:
            readable = self._make_readable(self.document(entry), source, [(start, end)])
            if readable is not None:
                return readable.text
        return source[start:end].decode("utf-8", "replace")

    def whole(self, entry: Entry) -> str | None:
        """Return the readable text of the whole span of a chunk; None if the source has changed."""
        span = (entry.byte_start, entry.byte_end)
        if tuple(entry.body_spans) != (span,):
            return self.readable(entry, *span)
        body = self.body(entry)  # which is read for its snippet, too
        return body.shown if body else None

    def digest(self, entry: Entry) -> str | None:
        """Return the sha256 of a chunk's whole span, hex; None if the source has changed."""
        key = (entry.tree, entry.path, entry.byte_start, entry.byte_end)
        if key not in self._digests:
            source = self.source(entry)
            self._digests[key] = (
                None
                if source is None
                else hashlib.sha256(source[entry.byte_start : entry.byte_end]).hexdigest()
            )
        return self._digests[key]

    def cited(self, entry: Entry) -> tuple[str, ...]:
        """Return the digest and the citation of a chunk, () if the source has changed."""
        digest = self.digest(entry)
        if digest is None:
            return ()
        return digest, format_citation(entry.id, digest, entry.byte_start, entry.byte_end)

    def comparable_digest(self, entry: Entry) -> str | None:
        """Return `digest`, also None for a blank span: blanks are no duplicates."""
        source = self.source(entry)
        if source is None or not source[entry.byte_start : entry.byte_end].strip():
            return None
        return self.digest(entry)

    def places(self, entry: Entry) -> Deferred[tuple[int, int]]:
        """Return the 1-based line and byte column at which each span of the body begins.

        Computed on access: most forms of an answer show none.
        """
        return Deferred(lambda: self._places(entry, self.source(entry)))

    @staticmethod
    def _places(entry: Entry, source: bytes | None) -> tuple[tuple[int, int], ...]:
        if source is None:
            return ()
        known = entry.byte_start if entry.kind == "piece" else 0
        at = known if entry.heading_start is None else entry.heading_start
        ends = entry.line_start - 1 + _in_line_end(source, at) if at else 0
        places = []
        for start, _ in entry.body_spans:
            inside = _in_line_end(source, start)
            ends += _line_ends(source, at, start)
            places.append((ends + 1 - inside, start - _line_start(source, start - inside)))
            at = start
        return tuple(places)


class Presenter:
    """Makes the results of one answer.

    `topics` are the compiled queries of each topic, by the name of the language.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        texts: Texts,
        topics: Sequence[Mapping[str | None, CompiledTopic]],
    ):
        self._snapshot = snapshot
        self._texts = texts
        self._topics = topics
        self._constituents: dict[int, Result] = {}
        self._cache: dict[tuple[object, ...], list[list[Match]]] = {}
        self._highlighters: dict[tuple[int, bool], Highlighter] = {}

    def _has_matches(self, candidate: Candidate) -> bool:
        """Whether the own text of a candidate matches; False if the source has changed."""
        body = self._texts.body(candidate.entry)
        return body is not None and any(self._matches(candidate, body))

    def present(self, candidate: Candidate, rank: int = 0) -> Result:
        """Return the result at a 1-based rank, with constituents (without rank and citation)."""
        entry, texts, parts = candidate.entry, self._texts, candidate.constituents
        body = texts.body(entry)
        matches = self._matches(candidate, body) if body else []
        ranges = join_ranges([(start, end) for topic in matches for start, end, _ in topic])
        whole = body is not None and self._is_whole(candidate, ranges)
        if whole:
            parts = ()
        return Result(
            entry,
            texts.document(entry),
            candidate.score,
            rank,
            candidate.relaxed,
            body is None,
            whole,
            body.source_text if body else None,
            Deferred(lambda: texts.cited(entry)) if body and rank else (),
            self._excerpt(candidate, body, matches, whole=whole) if body else Snippet(),
            Deferred(lambda: body.byte_ranges(ranges)) if body else (),
            Deferred(lambda: tuple(map(self._constituent, parts))) if parts else (),
            candidate.also_in,
            body_bytes=body.data if body else None,
            body_places=texts.places(entry) if body else (),
            introduction=candidate.introduction,
            other_versions=candidate.other_versions,
            more=candidate.more,
        )

    def _constituent(self, candidate: Candidate) -> Result:
        """Return the result for a constituent, made once and on access."""
        key = id(candidate)
        if key not in self._constituents:
            self._constituents[key] = self.present(candidate)
        return self._constituents[key]

    def _matches(self, candidate: Candidate, body: Body) -> list[list[Match]]:
        """Return the matches in the body for each topic that the candidate matched."""
        key = (*key_of(candidate.entry), candidate.entry.body_spans, candidate.topics)
        if key not in self._cache:
            self._cache[key] = list(self._find(candidate, body))
        return self._cache[key]

    def _find(self, candidate: Candidate, body: Body) -> Iterator[list[Match]]:
        for topic in candidate.topics:
            compiled = self._compiled(topic, candidate.entry)
            if compiled is not None:
                highlighter = self._highlighter(compiled)
                written_in = self._texts.document(candidate.entry).format
                yield highlighter.find_in(body.shown, written_in)

    def _highlighter(self, compiled: CompiledTopic, *, of_titles: bool = False) -> Highlighter:
        """Return the highlighter for a topic's matches in bodies, or in titles.

        In titles it finds stop words, too, which need not match: in a text they would mark
        half of it.
        """
        key = (id(compiled), of_titles)  # it lives as long as we do
        highlighter = self._highlighters.get(key)
        if highlighter is None:
            stops = frozenset[int]() if of_titles else compiled.stops
            fields = (None, "title" if of_titles else "body")
            terms = [
                term
                for term in compiled.all_terms
                if term.number not in stops and term.field in fields
            ]
            highlighter = Highlighter(terms, compiled.language.analyzer)
            self._highlighters[key] = highlighter
        return highlighter

    def _compiled(self, topic: int, entry: Entry) -> CompiledTopic | None:
        language = self._snapshot.language_of(entry.tree)
        return None if language is None else self._topics[topic].get(language.name)

    def _excerpt(
        self, candidate: Candidate, body: Body, matches: Sequence[Sequence[Match]], *, whole: bool
    ) -> Snippet:
        """Return the snippet of a result; a whole document has its beginning.

        For most documents, that is the text under their first heading.
        """
        if not whole:
            return self._snippet(candidate, body, matches)
        own = self._snippet(candidate._replace(constituents=()), body, matches)
        if own.text:
            return own
        parts = sorted(candidate.with_constituents(), key=lambda part: part.entry.position)
        texts = (self._snippet_of(part._replace(constituents=())) for part in parts)
        return next((text for text in texts if text.text), own)

    def _snippet(
        self,
        candidate: Candidate,
        body: Body,
        matches: Sequence[Sequence[Match]],
    ) -> Snippet:
        """Return an excerpt of the own match, else of the best constituent's, else the lead."""
        own = [matches for matches in matches if matches]
        if candidate.constituents and (candidate.direct_score is None or not own):
            best = _best_snippet(map(self._snippet_of, candidate.constituents))
            if best.ranges or (best.text and not own):
                return best
        written_in = self._texts.document(candidate.entry).format
        return join_snippets(
            make_snippet(*as_read(body.shown, matches, written_in), is_code=written_in == "script")
            for matches in own or [[]]
        )

    def _snippet_of(self, part: Candidate) -> Snippet:
        body = self._texts.body(part.entry)
        return self._snippet(part, body, self._matches(part, body)) if body else Snippet()

    def _is_whole(self, candidate: Candidate, ranges: Sequence[tuple[int, int]]) -> bool:
        """Whether a document matched by its title, path or tags, and none of its sections did.

        Sections share its path and tags: a match by these alone does not count for a section.
        A document that is near in meaning as a whole needs no matches.
        """
        if candidate.whole and not candidate.constituents:
            return True
        if ranges:
            return False
        entry = candidate.entry
        if entry.kind != "document" or entry.last_position == entry.position:
            return False
        compiled = (self._compiled(topic, entry) for topic in candidate.topics)
        if not any(topic.all_terms for topic in compiled if topic):
            return False
        below = (part for part in candidate.with_constituents() if part is not candidate)
        return not any(
            self._has_matches(part) or self._has_title(candidate, part.entry) for part in below
        )

    def _has_title(self, candidate: Candidate, entry: Entry) -> bool:
        """Whether a section's own title matches, apart from the document's."""
        if entry.title == self._texts.document(entry).title or entry.kind == "document":
            return False
        compiled = (self._compiled(topic, entry) for topic in candidate.topics)
        text = with_parts(entry.title)
        return any(
            self._highlighter(topic, of_titles=True).find(text) for topic in compiled if topic
        )

    def with_sections(
        self, results: Sequence[Result], candidates: Sequence[Candidate]
    ) -> tuple[Result, ...]:
        """Return the results; a document with a section that stands out is not `whole`."""
        wholes = {result.entry.doc_id for result in results if result.whole}
        if not wholes:
            return tuple(results)
        standing_out = {
            result.entry.doc_id
            for result, candidate in zip(results, candidates, strict=True)
            if result.entry.doc_id in wholes
            and not result.whole
            and (result.match_ranges or self._has_title(candidate, result.entry))
        }
        return tuple(
            result._replace(whole=False)
            if result.whole and result.entry.doc_id in standing_out
            else result
            for result in results
        )


def _best_snippet(snippets: Iterable[Snippet]) -> Snippet:
    """Return the first snippet with matches, else the first one."""
    lead = Snippet()
    for snippet in snippets:
        if snippet.ranges:
            return snippet
        lead = lead if lead.text else snippet
    return lead
