"""Check the citations of a text against the sources as they are now.

The index says which documents there are and what they are called; the bytes
are always read anew, so that an old index cannot make a citation look right. A
citation that does not hold where it says is looked for by its content: in its
own document first, then in all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from leafmark.app.answering.current import CurrentDocument, CurrentDocuments, covers, spans_of
from leafmark.app.answering.opening import open_telling
from leafmark.app.answering.resolving import Resolver
from leafmark.app.configuration.project import Project
from leafmark.app.requests import Progress, VerifyRequest
from leafmark.index import IndexReader
from leafmark.index.manifest import Key
from leafmark.model import CitationStatus, Place, Verified, VerifyReport, document_id, document_part
from leafmark.search.citations import (
    Citation,
    citation_name,
    find_citations,
    format_citation,
)
from leafmark.search.relocation import (
    MOST_HASHED,
    effort,
    find_among,
    find_anywhere,
    find_at_edges,
    line_edges,
)

__all__ = ["verify_texts"]

MOST_NEAREST = 20
"""Names that are gone for which the nearest are looked for; of 5,000 ids that takes 0.1 s each."""


def verify_texts(
    project: Project, request: VerifyRequest, *, progress: Progress | None = None
) -> tuple[VerifyReport, ...]:
    """Return what became of each citation in each text, in order.

    Raises:
        NotFoundError: there is no index, and none was to be made.
        ConfirmationError, LockedError, StorageError, DamagedError: see `open_index`.
    """
    reader = open_telling(project, request, progress)
    trees = {tree for tree, _ in reader.manifest} | {tree.name for tree in project.trees}
    found = [find_citations(text, trees) for _, text in request.texts]
    unplaced = dict.fromkeys(one._replace(offset=0) for each in found for one in each)
    names = [name for name, _ in request.texts if name != "-" and "\0" not in name]
    checked = {key for name in names for key in project.keys_of(project.directory / name)}
    outcomes = _Checker(project, reader, checked).check(unplaced)
    return tuple(
        VerifyReport(name, tuple(_placed(text, citations, outcomes)))
        for (name, text), citations in zip(request.texts, found, strict=True)
    )


def _placed(
    text: str, citations: Iterable[Citation], outcomes: Mapping[Citation, _Outcome]
) -> Iterator[Verified]:
    """Yield what became of the citations, each with its 1-based line and column in the text."""
    line = start = 0
    for citation in citations:
        line += text.count("\n", start, citation.offset)
        start = max(start, text.rfind("\n", 0, citation.offset) + 1)
        yield outcomes[citation._replace(offset=0)].at(line + 1, citation.offset - start + 1)


class _Outcome(NamedTuple):
    """What became of one citation, wherever in the text it stands."""

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
    """Checks citations; each document that they name is read once.

    `checked` are the texts that hold them, where these are documents themselves:
    what is quoted there has not moved there.
    """

    def __init__(self, project: Project, reader: IndexReader, checked: Collection[Key]):
        self._reader = reader
        self._checked = checked
        self._documents = CurrentDocuments(project, reader)
        self._read: dict[Key, CurrentDocument | None] = {}
        self._keys = {citation_name(document_id(*key)): key for key in reader.manifest}
        self._nearest: dict[str, tuple[str, ...]] = {}

    def check(self, citations: Iterable[Citation]) -> dict[Citation, _Outcome]:
        """Return what became of each citation."""
        found: dict[Citation, _Outcome] = {}
        lost: list[Citation] = []
        for citation in citations:
            outcome = self._where_it_says(citation) or self._in_its_document(citation)
            if outcome is None:
                lost.append(citation)
            else:
                found[citation] = outcome
        found |= self._in_others([one for one in lost if one.end > one.start])
        return found | {one: self._lost(one) for one in lost if one not in found}

    def _document(self, citation: Citation) -> tuple[str, CurrentDocument | None]:
        """Return the first of the citation's names whose document is known, and that document."""
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

    def _in_its_document(self, citation: Citation) -> _Outcome | None:
        _, document = self._document(citation)
        if document is None or not document.chunks or citation.start >= citation.end:
            return None
        span = _find_in(document, citation)
        return None if span is None else _moved(citation, document, *span)

    def _in_others(self, lost: list[Citation]) -> dict[Citation, _Outcome]:
        """Look through all documents; a whole chunk is better than other bytes anywhere."""
        search = _Search(lost)
        keys = sorted(set(self._keys.values()) - set(self._checked)) if lost else []
        lengths = {one.end - one.start for one in lost}
        for key in keys:
            if not search.is_over and self._has_chunk_of(key, lengths):
                self._look(key, search.look_at_chunks)
        least = min(lengths, default=0)
        for key in keys:
            if not search.is_over:
                self._look(key, search.look_in, least=least)
        return search.partly | search.found

    def _has_chunk_of(self, key: Key, lengths: Collection[int]) -> bool:
        """Whether a chunk of the document was as long as one of the lengths when indexed."""
        chunks = self._reader.chunks_of(document_id(*key))
        return any(end - start in lengths for start, end in spans_of(chunks))

    def _look(self, key: Key, look: Callable[[CurrentDocument], None], *, least: int = 0) -> None:
        document = self._documents.read(key, least=least)
        if document is not None and document.chunks:
            look(document)

    def _lost(self, citation: Citation) -> _Outcome:
        """What is to be said of a citation whose bytes stand nowhere."""
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
        """Return the ids that may be meant by a name that is gone: of the first names only."""
        if name not in self._nearest and len(self._nearest) < MOST_NEAREST:
            self._nearest[name] = self._resolver.nearest(name)
        return self._nearest.get(name, ())


class _Search:
    """Looks for what some citations cite in one document after the other.

    A whole chunk (`found`) is better than lines or other bytes (`partly`).
    """

    def __init__(self, lost: list[Citation]):
        self._lost = lost
        self._room = MOST_HASHED
        self.found: dict[Citation, _Outcome] = {}
        self.partly: dict[Citation, _Outcome] = {}

    @property
    def is_over(self) -> bool:
        return len(self.found) == len(self._lost)

    def look_at_chunks(self, document: CurrentDocument) -> None:
        missing = [one for one in self._lost if one not in self.found]
        self._note(self.found, document, missing, _in_chunks(document, missing))

    def look_in(self, document: CurrentDocument) -> None:
        self.look_at_chunks(document)
        missing = [one for one in self._lost if one not in self.found and one not in self.partly]
        if missing:
            self._note(self.partly, document, missing, _at_edges(document, missing))
        for one in missing:
            length = one.end - one.start
            cost = effort(document.data, length)
            if one in self.partly or cost > self._room:
                continue
            self._room -= cost
            span = find_anywhere(document.data, one.digest, length, near=one.start)
            if span is not None:
                self.partly[one] = _moved(one, document, *span)

    def _note(
        self,
        noted: dict[Citation, _Outcome],
        document: CurrentDocument,
        missing: Iterable[Citation],
        places: Iterable[tuple[str, int, int]],
    ) -> None:
        by_content: dict[tuple[str, int], list[Citation]] = {}
        for one in missing:
            by_content.setdefault((one.digest, one.end - one.start), []).append(one)
        for digest, start, end in places:
            for one in by_content.get((digest, end - start), ()):
                noted.setdefault(one, _moved(one, document, start, end))


def _wanted(citations: Iterable[Citation]) -> dict[int, set[str]]:
    wanted: dict[int, set[str]] = {}
    for one in citations:
        wanted.setdefault(one.end - one.start, set()).add(one.digest)
    return wanted


def _in_chunks(
    document: CurrentDocument, citations: Iterable[Citation]
) -> Iterator[tuple[str, int, int]]:
    return find_among(document.data, spans_of(document.chunks), _wanted(citations))


def _at_edges(
    document: CurrentDocument, citations: Iterable[Citation]
) -> Iterator[tuple[str, int, int]]:
    return find_at_edges(document.data, line_edges(document.data), _wanted(citations))


def _find_in(document: CurrentDocument, citation: Citation) -> tuple[int, int] | None:
    """Return the nearest span of the document that holds what is cited, whole chunks first."""
    for found in (_in_chunks(document, [citation]), _at_edges(document, [citation])):
        spans = [(start, end) for _, start, end in found]
        if spans:
            return min(spans, key=lambda span: abs(span[0] - citation.start))
    length = citation.end - citation.start
    return find_anywhere(document.data, citation.digest, length, near=citation.start)


def _moved(citation: Citation, document: CurrentDocument, start: int, end: int) -> _Outcome:
    chunk = document.chunk_around(start, end)
    current = format_citation(chunk.id, citation.digest, start, end)
    return _Outcome(citation.text, "moved", document.place(start, end, chunk), current)
