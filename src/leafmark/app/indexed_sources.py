"""Read indexed sources again, checked, for the texts to show.

A file is opened below its tree's root (`files`), and its spans are read only if its hash is the
indexed one.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.app.configuration.project import Project
from leafmark.app.sources.files import KnownFiles, read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.environment import reset_after_fork
from leafmark.index import IndexReader
from leafmark.model import (
    ChunkedDocument,
    Document,
    DocumentEntry,
    ReadableText,
    Reader,
    Recent,
    subtract,
)

MAX_KEPT = 256
"""The number of documents whose dropped ranges and readers are cached for the next answers."""

_KNOWN = KnownFiles()
_DROPPED: Recent[tuple[str, str, bool], Sequence[tuple[int, int]]] = Recent(MAX_KEPT)
_READERS: Recent[tuple[str, str], tuple[Reader | None]] = Recent(MAX_KEPT)


@reset_after_fork
def _reset() -> None:
    global _DROPPED, _READERS  # their locks may have been held in the parent
    _KNOWN.reset()
    _DROPPED, _READERS = Recent(MAX_KEPT), Recent(MAX_KEPT)


class _Read:
    """A source as it was read once: the file's bytes, and those that spans refer to."""

    def __init__(self, tree: Tree, raw: bytes):
        self.tree = tree
        self.raw = self.data = raw
        self.parsed: Document | None = None
        self.chunked: ChunkedDocument | None = None


class Sources:
    """The indexed sources of one answer, each read at most once."""

    def __init__(self, project: Project):
        self._project = project
        self._read: dict[str, _Read | None] = {}
        self._outputs: dict[str, bool] = {}
        self._fingerprint: str | None = None

    def data(self, document: DocumentEntry) -> bytes | None:
        """Return the bytes that the document's spans refer to; None if the file has changed."""
        read = self._get(document)
        return None if read is None else read.data

    def readable(
        self, document: DocumentEntry, data: bytes, spans: Sequence[tuple[int, int]]
    ) -> ReadableText | None:
        """Return the readable text of the spans, None if their bytes are the text."""
        reader = self._reader(document, data)
        return None if reader is None else reader(data, spans)

    def reading(
        self, document: DocumentEntry, ranges: Sequence[tuple[int, int]]
    ) -> ReadableText | None:
        """Return the readable text of ranges of a source, without the document's dropped ranges.

        None where its bytes are their text, or the file is another now.
        """
        read = self._get(document)
        reader = None if read is None else self._reader(document, read.data)
        if reader is None or read is None:
            return None
        dropped = self._dropped(read, document)
        parts = [part for span in ranges for part in subtract(*span, dropped)]
        return reader(read.data, parts)

    def _dropped(self, read: _Read, document: DocumentEntry) -> Sequence[tuple[int, int]]:
        """Return the ranges that no text shows; parsing a page takes far longer than its search."""
        key = document.state.digest, document.format, self._shows_outputs(read.tree)
        dropped = _DROPPED.get(key)
        if dropped is None:
            dropped = self._parsed(read, document).dropped_ranges
            _DROPPED.put(key, dropped)
        return dropped

    def _reader(self, document: DocumentEntry, data: bytes) -> Reader | None:
        """Return the reader of a source's text; imports a heavy parser for some formats."""
        key = document.state.digest, document.format
        known = _READERS.get(key)
        if known is None:
            from leafmark.parsing.formats import reader_of

            known = (reader_of(document.format, data),)
            _READERS.put(key, known)
        return known[0]

    def parsed(self, document: DocumentEntry) -> Document | None:
        """Return the document parsed as for the index; None if the file has changed."""
        read = self._get(document)
        return None if read is None else self._parsed(read, document)

    def chunked(self, document: DocumentEntry, reader: IndexReader) -> ChunkedDocument | None:
        """Return the document parsed and chunked as it was for the index of `reader`.

        None if the file is another now, or that index was made under other settings: it
        answers until there is one that was made under these. None, too, where the document is
        parsed otherwise now: there was no process or no memory for it, then or now.
        Counting its tokens takes far longer than reading it: only records and sizes need this.
        """
        read = self._get(document) if self._is_current(document, reader) else None
        if read is not None and read.chunked is None:
            from leafmark.chunking import chunk_document  # late: a listing of results needs none

            options = self._project.chunking_options(read.tree)
            parsed = self._parsed(read, document)
            read.chunked = chunk_document(parsed, tree=document.tree, options=options)
        if read is None or read.chunked is None:
            return None
        same = len(read.chunked.chunks) == document.chunk_count and _is_same(
            read.chunked.document, document
        )
        return read.chunked if same else None

    def by_heading(self, document: DocumentEntry, reader: IndexReader) -> ChunkedDocument | None:
        """Return the document with a chunk for each section; None as in `chunked`."""
        read = self._get(document) if self._is_current(document, reader) else None
        if read is None:
            return None
        from leafmark.chunking import chunk_document

        options = self._project.chunking_options(read.tree)._replace(strategy="heading")
        parsed = self._parsed(read, document)
        if not _is_same(parsed, document):
            return None
        return chunk_document(parsed, tree=document.tree, options=options)

    def _is_current(self, document: DocumentEntry, reader: IndexReader) -> bool:
        """Say whether the current settings give the chunks that the index has of a document."""
        if self._fingerprint is None:
            self._fingerprint = self._project.index_options().fingerprint
        return reader.fingerprint_of(document.tree) == self._fingerprint

    def _parsed(self, read: _Read, document: DocumentEntry) -> Document:
        """Return the document parsed as it was for the index."""
        if read.parsed is None:
            from leafmark.app.sources.source_formats import (
                parse_source,  # late: a listing needs none
            )

            read.parsed = parse_source(
                read.tree, document.path, read.raw, notebook_outputs=self._shows_outputs(read.tree)
            )
        return read.parsed

    def _shows_outputs(self, tree: Tree) -> bool:
        if tree.name not in self._outputs:
            self._outputs[tree.name] = self._project.chunking_options(tree).notebook_outputs
        return self._outputs[tree.name]

    def _get(self, document: DocumentEntry) -> _Read | None:
        doc_id = document.doc_id
        if doc_id not in self._read:
            self._read[doc_id] = self._read_now(document)
        return self._read[doc_id]

    def _read_now(self, document: DocumentEntry) -> _Read | None:
        """Return the source if its file has not changed since it was indexed."""
        tree = self._project.tree(document.tree)
        if tree is None:
            return None
        raw = indexed_bytes(self._project, tree, document, _KNOWN)
        if raw is None:
            return None
        read = _Read(tree, raw)
        if document.encoding != "utf-8":  # a parser alone knows what the file says of that
            read.data = self._parsed(read, document).data
        return read


def indexed_bytes(
    project: Project, tree: Tree, document: DocumentEntry, known: KnownFiles | None = None
) -> bytes | None:
    """Return the indexed bytes: the file's if it has not changed, else the cluster's."""
    try:
        raw, state = read_beneath(tree, document.path, known)
        if state.digest == document.state.digest:
            return raw
    except OSError:
        pass
    return None if project.remote is None else project.remote.source(document.state.digest)


def _is_same(parsed: Document, document: DocumentEntry) -> bool:
    """Say whether a document was parsed in the same way as for the index."""
    return (parsed.format, parsed.degraded) == (document.format, document.degraded)
