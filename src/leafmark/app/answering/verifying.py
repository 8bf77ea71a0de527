"""Check the citations of a text against the sources as they are now.

The index has the names of the documents; the bytes are always read anew, so that an old index
cannot make a citation look right. A citation whose bytes are not in their place is searched by
its digest: in its own document first, then in one pass over all others. The cost does not grow
with the number of false citations.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from posixpath import basename
from typing import Generic, TypeVar

from leafmark.app.answering.opening import mending, open_reporting
from leafmark.app.answering.resolving import Resolver
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import indexed_bytes
from leafmark.app.requests import Progress, VerifyRequest
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.index import IndexReader
from leafmark.index.snapshot import require_whole
from leafmark.model import (
    Chunk,
    CitationStatus,
    DocumentEntry,
    DocumentKey,
    Entry,
    Place,
    Verified,
    VerifyReport,
    document_id,
    document_part,
    whole_range,
)
from leafmark.namedtuples import NamedTuple
from leafmark.search.citations import (
    DIGEST_DIGITS,
    Citation,
    citation_name,
    find_citations,
    format_citation,
)

MAX_CHUNKED = 10_000
"""Documents whose chunks are searched for lost citations: two or three seconds of work."""

MAX_NEAREST = 3
"""Lost names for which the nearest ids are searched, 0.1 s each among 5,000 ids."""


@mending
def verify_texts(
    project: Project, request: VerifyRequest, *, progress: Progress | None = None
) -> tuple[VerifyReport, ...]:
    """Return the status of each citation in each text, in order.

    Raises:
        NotFoundError: there is no index, and the request does not refresh it.
        ConfirmationError, LockedError, StorageError, DamagedError: see `open_index`.
    """
    reader = open_reporting(project, request, progress)
    trees = {tree for tree, _ in reader.manifest} | {tree.name for tree in project.trees}
    all_citations = [find_citations(text, trees) for _, text in request.texts]
    unplaced = dict.fromkeys(
        citation._replace(offset=0) for citations in all_citations for citation in citations
    )
    names = [name for name, _ in request.texts if name != "-" and "\0" not in name]
    checked = {key for name in names for key in project.keys_of(project.directory / name)}
    outcomes = _Checker(project, reader, checked).check(unplaced)
    require_whole(reader)  # else documents in a silent part of a cluster would seem gone
    return tuple(
        VerifyReport(name, tuple(_placed(text, citations, outcomes)))
        for (name, text), citations in zip(request.texts, all_citations, strict=True)
    )


def _placed(
    text: str, citations: Iterable[Citation], outcomes: Mapping[Citation, _Outcome]
) -> Iterator[Verified]:
    """Yield the status of each citation, with its 1-based line and column in the text."""
    line = start = 0
    for citation in citations:
        line += text.count("\n", start, citation.offset)
        start = max(start, text.rfind("\n", 0, citation.offset) + 1)
        yield outcomes[citation._replace(offset=0)].at(line + 1, citation.offset - start + 1)


class _Outcome(NamedTuple):
    """The status of one citation, without its position in the text."""

    citation: str
    status: CitationStatus
    place: Place | None = None
    current: str | None = None
    nearest: tuple[str, ...] = ()

    def at(self, line: int, column: int) -> Verified:
        return Verified(
            self.citation, self.status, line, column, self.place, self.current, self.nearest
        )


class _Checker:
    """Checks citations; reads each cited document once.

    `checked` are the documents that contain the citations, if they are indexed: the search for
    moved bytes skips these.
    """

    def __init__(self, project: Project, reader: IndexReader, checked: Collection[DocumentKey]):
        self._reader = reader
        self._is_here = project.remote is None
        self._checked = checked
        self._documents = CurrentDocuments(project, reader)
        self._read: dict[DocumentKey, CurrentDocument | None] = {}
        self._keys = {citation_name(document_id(*key)): key for key in reader.manifest}
        self._nearest: dict[str, tuple[str, ...]] = {}

    def check(self, citations: Iterable[Citation]) -> dict[Citation, _Outcome]:
        """Return the outcome of each citation."""
        outcomes: dict[Citation, _Outcome] = {}
        unlike: list[Citation] = []
        for citation in citations:
            outcome = self._where_it_says(citation)
            if outcome is None:
                unlike.append(citation)
            else:
                outcomes[citation] = outcome
        outcomes |= self._in_their_documents(unlike)
        outcomes |= self._in_others([citation for citation in unlike if citation not in outcomes])
        return outcomes | {
            citation: self._lost(citation) for citation in unlike if citation not in outcomes
        }

    def _document(self, citation: Citation) -> tuple[str, CurrentDocument | None]:
        """Return the first name of the citation with an indexed document, and that document."""
        for name in citation.names:
            for doc_name in (document_part(name), document_part(name).rpartition(".")[0]):
                key = self._keys.get(doc_name)
                if key is not None:
                    if key not in self._read:
                        self._read[key] = self._documents.read(key)
                    return name, self._read[key]
        return citation.names[0], None

    def _where_it_says(self, citation: Citation) -> _Outcome | None:
        name, document = self._document(citation)
        if document is None or not document.holds(citation):
            return None
        start, end = citation.start, citation.end
        chunk = document.by_name.get(name)
        if chunk is None or not covers(chunk, start, end):
            return _moved(citation, document, start, end) if document.chunks else None
        text = f"{name}@{citation.digest}:{start}-{end}"
        return _Outcome(text, "ok", document.place(start, end, chunk), text)

    def _in_their_documents(self, unlike: list[Citation]) -> dict[Citation, _Outcome]:
        """Search for the cited bytes in their own documents, near the cited place."""
        outcomes: dict[Citation, _Outcome] = {}
        finders: dict[int, _Finder] = {}
        for citation in unlike:
            _, document = self._document(citation)
            if document is None or not document.chunks or citation.start >= citation.end:
                continue
            finder = finders.setdefault(id(document), _Finder(document, MAX_NEAR // len(unlike)))
            span = finder.find(citation)
            if span is not None:
                outcomes[citation] = _moved(citation, document, *span)
        return outcomes

    def _in_others(self, lost: list[Citation]) -> dict[Citation, _Outcome]:
        """Search all documents once; a whole chunk is better than any other place."""
        digests_by_length: dict[int, set[str]] = {}
        for citation in lost:
            if citation.end > citation.start:
                digests_by_length.setdefault(citation.end - citation.start, set()).add(
                    citation.digest
                )
        if not digests_by_length:
            return {}
        keys = _likeliest_first(set(self._keys.values()) - set(self._checked), lost)
        least = min(digests_by_length)
        places: dict[tuple[str, int], list[Found[DocumentKey]]] = self._whole_chunks(
            keys, digests_by_length
        )
        left = {
            length: digests
            for length, all_digests in digests_by_length.items()
            if (digests := {digest for digest in all_digests if (digest, length) not in places})
        }
        sources = ((key, data) for key in keys if (data := self._documents.bytes_of(key, least)))
        places |= find_in_all(sources, left) if left else {}
        outcomes = {}
        for citation in lost:
            outcome = self._best_of(
                citation, places.get((citation.digest, citation.end - citation.start), ())
            )
            if outcome is not None:
                outcomes[citation] = outcome
        return outcomes

    def _whole_chunks(
        self, keys: Sequence[DocumentKey], digests_by_length: Wanted
    ) -> dict[tuple[str, int], list[Found[DocumentKey]]]:
        """Return whole chunks with the wanted digests, in the likeliest documents.

        Most citations are of whole chunks, and checking these costs the same for any length.
        """
        places: dict[tuple[str, int], list[Found[DocumentKey]]] = {}
        for key in keys[: MAX_CHUNKED if self._is_here else 0]:
            data = self._documents.bytes_of(key, min(digests_by_length))
            if data is not None:
                spans = spans_of(self._reader.chunks_of(document_id(*key)))
                for digest, start, end in find_among(data, spans, digests_by_length):
                    places.setdefault((digest, end - start), []).append(Found(key, start, end))
        return places

    def _best_of(self, citation: Citation, places: Iterable[Found[DocumentKey]]) -> _Outcome | None:
        best = None
        for place in places:
            if place.name not in self._read:
                self._read[place.name] = self._documents.read(place.name)
            document = self._read[place.name]
            if document is None or not document.chunks:
                continue
            outcome = _moved(citation, document, place.start, place.end)
            if (place.start, place.end) in spans_of(document.chunks):
                return outcome
            best = best or outcome
        return best

    def _lost(self, citation: Citation) -> _Outcome:
        """Return the outcome of a citation whose bytes are nowhere."""
        name, document = self._document(citation)
        text = f"{name}@{citation.digest}:{citation.start}-{citation.end}"
        chunk = None if document is None else document.by_name.get(name)
        if document is None or chunk is None:
            return _Outcome(text, "gone", nearest=self._nearest_to(name))
        start, end = chunk.byte_start, chunk.byte_end
        now = format_citation(chunk.id, document.digest(start, end), start, end)
        return _Outcome(text, "changed", current=now)

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._reader, self._reader.manifest)

    def _nearest_to(self, name: str) -> tuple[str, ...]:
        """Return the ids nearest to a lost name; only the first `MAX_NEAREST` names get any."""
        if name not in self._nearest and len(self._nearest) < MAX_NEAREST:
            self._nearest[name] = self._resolver.nearest(name)
        return self._nearest.get(name, ())


def _likeliest_first(keys: Iterable[DocumentKey], lost: Iterable[Citation]) -> list[DocumentKey]:
    """Return the documents sorted, those with a cited file name or folder first."""
    cited = {document_part(name).partition(":")[2] for citation in lost for name in citation.names}
    folders, names = {path.rpartition("/")[0] for path in cited}, set(map(basename, cited))

    def rank(key: DocumentKey) -> tuple[bool, bool, DocumentKey]:
        path = key[1]
        return basename(path) not in names, path.rpartition("/")[0] not in folders, key

    return sorted(keys, key=rank)


class _Finder:
    """Searches a document for its citations: whole chunks first, and the nearest places first.

    Each citation may hash up to `room` bytes.
    """

    def __init__(self, document: CurrentDocument, room: int):
        self._document = document
        self._room = room

    @cached_property
    def _chunks(self) -> dict[int, list[tuple[int, int]]]:
        spans: dict[int, list[tuple[int, int]]] = {}
        for start, end in spans_of(self._document.chunks):
            spans.setdefault(end - start, []).append((start, end))
        return spans

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self._document.data)

    def find(self, citation: Citation) -> tuple[int, int] | None:
        data, length = self._document.data, citation.end - citation.start
        digests_by_length = {length: (citation.digest,)}
        most = 1 + self._room // (length + 1)
        for starts in (
            (start for start, _ in self._chunks.get(length, ())),
            self._edges.windows(length),
        ):
            nearest = sorted(starts, key=lambda start: abs(start - citation.start))[:most]
            spans = ((start, start + length) for start in nearest)
            for _, start, end in find_among(data, spans, digests_by_length):
                return start, end
        return find_anywhere(
            data, citation.digest, length, near=citation.start, most_hashed=self._room
        )


def _moved(citation: Citation, document: CurrentDocument, start: int, end: int) -> _Outcome:
    chunk = document.chunk_around(start, end)
    current = format_citation(chunk.id, citation.digest, start, end)
    return _Outcome(citation.text, "moved", document.place(start, end, chunk), current)


# Documents as they are now, whatever their state in the index.


_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class CurrentDocument:
    """A document as it is now. `other_slugs` map further slugs to positions of chunks."""

    data: bytes
    chunks: tuple[Entry | Chunk, ...]
    other_slugs: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Entry | Chunk]:
        """The chunks by their names in citations: ids, ordinal ids, other slugs."""
        chunks_by_name: dict[str, Entry | Chunk] = {
            citation_name(f"{self.chunks[0].doc_id}#{slug}"): self.chunks[position]
            for slug, position in self.other_slugs.items()
        }
        chunks_by_name |= {citation_name(chunk.ordinal_id): chunk for chunk in self.chunks}
        return chunks_by_name | {citation_name(chunk.id): chunk for chunk in self.chunks}

    def holds(self, citation: Citation) -> bool:
        """Say whether the cited bytes are in the cited place."""
        start, end = citation.start, citation.end
        return start <= end <= len(self.data) and self.digest(start, end) == citation.digest

    def digest(self, start: int, end: int) -> str:
        return hashlib.sha256(self.data[start:end]).hexdigest()[:DIGEST_DIGITS]

    def chunk_around(self, start: int, end: int) -> Entry | Chunk:
        """Return the chunk with exactly this span, else the smallest one around it."""
        around = [chunk for chunk in self.chunks if covers(chunk, start, end)]
        exact = [chunk for chunk in around if (chunk.byte_start, chunk.byte_end) == (start, end)]
        return min(exact or around, key=_size, default=self.chunks[0])

    def place(self, start: int, end: int, chunk: Entry | Chunk) -> Place:
        return Place(chunk.id, start, end, self._line(start), self._line(max(start, end - 1)))

    def _line(self, offset: int) -> int:
        return 1 + sum(1 for _ in _LINE_END.finditer(self.data, 0, offset))


def spans_of(chunks: Iterable[Entry | Chunk]) -> Iterator[tuple[int, int]]:
    """Yield the spans that a citation of a chunk may have: without and with its heading."""
    for chunk in chunks:
        yield chunk.byte_start, chunk.byte_end
        if chunk.heading_start is not None:
            yield chunk.heading_start, chunk.byte_end


def covers(chunk: Entry | Chunk, start: int, end: int) -> bool:
    first, last = whole_range(chunk)
    return first <= start and end <= last


def _size(chunk: Entry | Chunk) -> tuple[int, int]:
    """Return a sort key: the smallest first, of equal ones the earlier, which has the other."""
    return chunk.byte_end - chunk.byte_start, chunk.position


class CurrentDocuments:
    """Reads documents as they are now, and chunks those that differ from the index."""

    def __init__(self, project: Project, reader: IndexReader):
        self._project = project
        self._reader = reader

    def bytes_of(self, key: DocumentKey, least: int) -> bytes | None:
        """Return the bytes that spans refer to; None if gone or fewer than `least`."""
        tree = self._project.tree(key[0])
        if tree is None:
            return None
        try:
            raw, _ = read_beneath(tree, key[1])
            raw.decode()
        except OSError:
            return None
        except UnicodeDecodeError:  # spans refer to the decoded text
            document = self.read(key)
            raw = b"" if document is None else document.data
        return raw if len(raw) >= least else None

    def read(self, key: DocumentKey) -> CurrentDocument | None:
        """Return the document; None if it is gone."""
        tree = self._project.tree(key[0])
        document = self._reader.document(document_id(*key))
        if tree is None or document is None:
            return None
        raw = self._bytes(tree, key[1], document)
        if raw is None:
            return None
        is_same = hashlib.sha256(raw).hexdigest() == document.state.digest
        if is_same and document.encoding == "utf-8":
            chunks = tuple(self._reader.chunks_of(document.doc_id))
            return CurrentDocument(raw, chunks, dict(document.slugs))
        from leafmark.app.sources.source_formats import parse_source  # late: few documents need it
        from leafmark.chunking import chunk_document

        options = self._project.chunking_options(tree)
        outputs = options.notebook_outputs
        parsed = parse_source(tree, key[1], raw, notebook_outputs=outputs)
        chunked = chunk_document(parsed, tree=key[0], options=options)
        return CurrentDocument(chunked.document.data, tuple(chunked.chunks), dict(chunked.slugs))

    def _bytes(self, tree: Tree, path: str, document: DocumentEntry) -> bytes | None:
        """Return the bytes of a source now: of its file, else of the cluster's copy."""
        try:
            return read_beneath(tree, path)[0]
        except OSError:
            return indexed_bytes(self._project, tree, document)


# Search for bytes by length and digest, to find where cited passages moved.
#
# A citation does not contain the cited text, so the only way to find that text again is to hash
# spans of its length. The search tries spans of chunks, and spans between edges, where passages
# begin and end: edges of lines, tags and sentences. Near the cited place it tries every span,
# elsewhere as many as the budget allows. The whole budget is fixed and shared by the citations.


Wanted = Mapping[int, Collection[str]]
"""Prefixes of hex sha256 digests, all equally long, by the length of the hashed bytes."""

MAX_NEAR = 1 << 28
"""Bytes hashed near the cited places: about a tenth of a second of work."""

MAX_ELSEWHERE = 1 << 29
"""Bytes hashed in all documents: so many between edges of blocks, as many between other edges,
and as many at any place."""

MAX_LENGTHS = 200
"""Lengths that are searched in all documents: each costs a pass over all of their edges."""

MAX_PLACES = 16
"""Places of the same bytes that are collected at most."""

_EACH = 2048
"""The cost of a try without its hashing, in bytes hashed (measured)."""

_BATCH_BYTES = 1 << 20
"""Sources are searched in batches up to this size, which saves work for each length."""

_FULL_STOP = b"\xe3\x80\x82"
"""The ideographic full stop."""


def _signs(signs: bytes) -> bytes:
    """Return the table that translates the given bytes to the digit 1, all others to 0."""
    return bytes(ord("1") if byte in signs else ord("0") for byte in range(256))


_LINES, _ENDS, _BEGINS, _STOPS, _SPACES = map(_signs, (b"\n\r", b"\n\r>", b"<", b".!?", b" \t"))


class Edges:
    """The edges of a text as bits: begins and ends of lines and tags, ends of sentences.

    So all edges with a given distance are found at once. The last place has the lowest bit.
    Edges of blocks are those next to an empty line.
    """

    def __init__(self, data: bytes, ends: Iterable[int] = ()):
        self._size = len(data) + 1
        marks = bytearray(b"0") * self._size
        for at in (0, *ends, len(data)):
            marks[at] = ord("1")
        bits = blocks = int(bytes(marks), 2)
        if data:
            lines = _bits(data, _LINES)
            blocks |= lines & lines << 1 | lines & lines >> 1
            bits |= _bits(data, _ENDS) | _bits(data, _BEGINS) << 1
            bits |= _bits(data, _STOPS) >> 1 & _bits(data, _SPACES)
        if _FULL_STOP in data:
            first, second, third = (_bits(data, _signs(bytes([sign]))) for sign in _FULL_STOP)
            bits |= first >> 2 & second >> 1 & third
        self._blocks = blocks
        self._others = bits | blocks

    def windows(self, length: int) -> Iterator[int]:
        """Yield the starts of spans of a length between two edges, in order."""
        return self._places(self._others & self._others << length)

    def block_windows(self, length: int) -> Iterator[int]:
        """Yield the starts of those between two edges of blocks."""
        return self._places(self._blocks & self._blocks << length)

    def other_windows(self, length: int) -> Iterator[int]:
        """Yield the starts of the other spans between two edges."""
        windows = self._blocks & self._blocks << length
        return self._places(self._others & self._others << length & ~windows)

    def _places(self, windows: int) -> Iterator[int]:
        whole = (self._size + 7) // 8
        padding = whole * 8 - self._size
        keep = (1 << self._size) - 1
        for match in re.finditer(rb"[^\0]", (windows & keep).to_bytes(whole, "big")):
            byte = match[0][0]
            for bit in range(8):
                if byte & 0x80 >> bit:
                    yield match.start() * 8 + bit - padding


def _bits(data: bytes, signs: bytes) -> int:
    """Return a bit for each byte, set for the signs; it is the bit of the place after the byte."""
    return int(data.translate(signs), 2)


def find_among(
    data: bytes, spans: Iterable[tuple[int, int]], digests_by_length: Wanted
) -> Iterator[tuple[str, int, int]]:
    """Yield digest, start and end of the spans with a wanted digest."""
    for start, end in dict.fromkeys(spans):
        digests = digests_by_length.get(end - start)
        if digests and 0 <= start <= end <= len(data):
            digest = _digest(data, start, end, digests)
            if digest in digests:
                yield digest, start, end


def find_anywhere(
    data: bytes, digest: str, length: int, *, near: int, most_hashed: int = MAX_NEAR
) -> tuple[int, int] | None:
    """Return the span with this digest nearest to `near`; None if there is none.

    The nearest places are tried first, as many as hash at most `most_hashed` bytes.
    """
    tried = _nearest_windows(data, length, near, max(1, most_hashed // (length + _EACH)))
    match = next(find_among(data, tried, {length: (digest,)}), None)
    return None if match is None else match[1:]


def _nearest_windows(data: bytes, length: int, near: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of whole characters, the nearest first."""
    last = len(data) - length
    near = max(0, min(near, last))
    for distance in range(max(near, last - near) + 1 if last >= 0 else 0):
        for start in dict.fromkeys((near - distance, near + distance)):
            is_whole = _begins_character(data, start) and _begins_character(data, start + length)
            if 0 <= start <= last and is_whole:
                yield start, start + length
                most -= 1
        if most <= 0:
            return


def _begins_character(data: bytes, at: int) -> bool:
    return not 0 <= at < len(data) or data[at] & 0xC0 != 0x80


Name = TypeVar("Name")
"""The name of a source."""


class Found(NamedTuple, Generic[Name]):
    """A place of wanted bytes."""

    name: Name
    start: int
    end: int


def find_in_all(
    sources: Iterable[tuple[Name, bytes]], digests_by_length: Wanted
) -> dict[tuple[str, int], list[Found[Name]]]:
    """Return places of wanted bytes, by digest and length; each source is read once."""
    lengths = sorted(digests_by_length)[:MAX_LENGTHS]
    share = MAX_ELSEWHERE // max(1, len(lengths))
    room = {length: [share, share, share] for length in lengths}
    places: dict[tuple[str, int], list[Found[Name]]] = {}
    for batch in _batches(sources):
        for length in lengths:
            edges, left = batch.edges, room[length]
            kinds = edges.block_windows, edges.other_windows, batch.any_windows
            for kind, windows in enumerate(kinds):
                if left[kind] > 0:
                    tried = batch.within(windows(length), length)
                    some = islice(tried, 1 + left[kind] // (length + _EACH))
                    left[kind] -= _note(batch, some, length, digests_by_length[length], places)
    return places


def _note(
    batch: _Batch[Name],
    tried: Iterable[int],
    length: int,
    digests: Collection[str],
    all_places: dict[tuple[str, int], list[Found[Name]]],
) -> int:
    """Add the spans with a wanted digest to `all_places`; return the cost in bytes."""
    cost = 0
    for start in tried:
        cost += length + _EACH
        digest = _digest(batch.data, start, start + length, digests)
        if digest in digests:
            places = all_places.setdefault((digest, length), [])
            if len(places) < MAX_PLACES:
                places.append(batch.place(start, length))
    return cost


class _Batch(Generic[Name]):
    """Several sources joined by line ends."""

    def __init__(self, sources: Sequence[tuple[Name, bytes]]):
        self._names = [name for name, _ in sources]
        self.data = b"\n".join(data for _, data in sources)
        self._starts: list[int] = []
        self._ends: list[int] = []
        at = 0
        for _, data in sources:
            self._starts.append(at)
            self._ends.append(at + len(data))
            at += len(data) + 1
        self.edges = Edges(self.data, (*self._starts, *self._ends))

    def any_windows(self, length: int) -> Iterator[int]:
        """Yield the starts of all spans of whole characters that are not between two edges."""
        known = {*self.edges.windows(length)}
        for start in range(len(self.data) - length + 1):
            if start not in known and all(
                _begins_character(self.data, at) for at in (start, start + length)
            ):
                yield start

    def within(self, starts: Iterable[int], length: int) -> Iterator[int]:
        """Yield the starts of spans that lie within one source."""
        for start in starts:
            if start + length <= self._ends[bisect_right(self._starts, start) - 1]:
                yield start

    def place(self, start: int, length: int) -> Found[Name]:
        at = bisect_right(self._starts, start) - 1
        first = start - self._starts[at]
        return Found(self._names[at], first, first + length)


def _batches(sources: Iterable[tuple[Name, bytes]]) -> Iterator[_Batch[Name]]:
    batch: list[tuple[Name, bytes]] = []
    size = 0
    for name, data in sources:
        batch.append((name, data))
        size += len(data)
        if size >= _BATCH_BYTES:
            yield _Batch(batch)
            batch, size = [], 0
    if batch:
        yield _Batch(batch)


def _digest(data: bytes, start: int, end: int, like: Collection[str]) -> str:
    digits = max(map(len, like))
    return hashlib.sha256(memoryview(data)[start:end]).hexdigest()[:digits]
