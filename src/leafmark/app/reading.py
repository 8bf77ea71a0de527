"""Indexed sources read again, checked, for what is shown of them.

A file is opened below its tree's root (`files`), and nothing is read by span before
its hash was found to be the indexed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leafmark.app.configuration.project import Project
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.known_files import KnownFiles
from leafmark.forking import in_forked_child
from leafmark.model import ChunkedDocument, Document, DocumentEntry, ReadableText
from leafmark.model.span import subtract

__all__ = ["Sources"]

_KNOWN = KnownFiles()
in_forked_child(_KNOWN.begin_anew)


@dataclass(slots=True)
class _Read:
    """A source as it was read once: the file's bytes, and those that spans refer to."""

    raw: bytes
    data: bytes
    parsed: Document | None = None
    chunked: ChunkedDocument | None = None


class Sources:
    """The indexed sources of one answer, each read at most once."""

    def __init__(self, project: Project):
        self._project = project
        self._read: dict[str, _Read | None] = {}

    def data(self, document: DocumentEntry) -> bytes | None:
        """Return the bytes that the document's spans refer to; None if the file is another now."""
        read = self._get(document)
        return None if read is None else read.data

    def readable(
        self, document: DocumentEntry, data: bytes, spans: Sequence[tuple[int, int]]
    ) -> ReadableText | None:
        """Return what a person reads in the spans, None where their bytes are their text."""
        from leafmark.parsing.formats import reader_of

        reader = reader_of(document.format)  # imports a heavy parser where there is one
        return None if reader is None else reader(data, spans)

    def reading(
        self, document: DocumentEntry, ranges: Sequence[tuple[int, int]]
    ) -> ReadableText | None:
        """Return what a person reads in ranges of a source, without what the document drops.

        None where its bytes are their text, or the file is another now.
        """
        from leafmark.parsing.formats import reader_of

        reader = reader_of(document.format)
        parsed = None if reader is None else self._parsed(document)
        if reader is None or parsed is None:
            return None
        dropped = parsed.dropped_ranges
        kept = [part for each in ranges for part in subtract(*each, dropped)]
        return reader(parsed.data, kept)

    def chunked(self, document: DocumentEntry) -> ChunkedDocument | None:
        """Return the document parsed and chunked as it was for the index; None if stale.

        Counting its tokens takes far longer than reading it: only records and sizes need this.
        """
        parsed = self._parsed(document)
        read = self._get(document)
        tree = self._project.tree(document.tree)
        if parsed is None or read is None or tree is None:
            return None
        if read.chunked is None:
            from leafmark.chunking import chunk_document  # late: a listing of results needs none

            options = self._project.chunking_options(tree)
            read.chunked = chunk_document(parsed, tree=document.tree, options=options)
        return read.chunked

    def by_heading(self, document: DocumentEntry) -> ChunkedDocument | None:
        """Return the document with a chunk for each section, however small; None if stale."""
        parsed, tree = self._parsed(document), self._project.tree(document.tree)
        if parsed is None or tree is None:
            return None
        from leafmark.chunking import chunk_document

        options = replace(self._project.chunking_options(tree), strategy="heading")
        return chunk_document(parsed, tree=document.tree, options=options)

    def _parsed(self, document: DocumentEntry) -> Document | None:
        """Return the document parsed as it was for the index; None if stale."""
        read = self._get(document)
        tree = self._project.tree(document.tree)
        if read is None or tree is None:
            return None
        if read.parsed is None:
            from leafmark.parsing import parse  # late: a listing of results needs none

            outputs = self._project.chunking_options(tree).notebook_outputs
            read.parsed = parse(read.raw, document.path, notebook_outputs=outputs)
        return read.parsed

    def _get(self, document: DocumentEntry) -> _Read | None:
        doc_id = document.doc_id
        if doc_id not in self._read:
            raw = self._file(document)
            if raw is None:
                self._read[doc_id] = None
            elif document.encoding == "utf-8":
                self._read[doc_id] = _Read(raw, raw)
            else:
                from leafmark.parsing import parse  # it alone knows what the file says of itself

                self._read[doc_id] = _Read(raw, parse(raw, document.path).data)
        return self._read[doc_id]

    def _file(self, document: DocumentEntry) -> bytes | None:
        """Return the file's bytes if they are those that were indexed."""
        tree = self._project.tree(document.tree)
        if tree is None:
            return None
        try:
            raw, state = read_beneath(tree, document.path, _KNOWN)
        except OSError:
            return None
        return raw if state.digest == document.state.digest else None
