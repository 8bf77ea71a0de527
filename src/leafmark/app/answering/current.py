"""Documents as they are now, whatever the index last saw of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import indexed_bytes
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.trees import Tree
from leafmark.index import IndexReader
from leafmark.index.manifest import Key
from leafmark.model import Chunk, DocumentEntry, Entry, Place, document_id, whole_range
from leafmark.search.citations import DIGEST_DIGITS, Citation, citation_name

__all__ = ["CurrentDocument", "CurrentDocuments", "covers", "spans_of"]

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class CurrentDocument:
    """A document as it is now. `other_slugs` lead to the positions of chunks without them."""

    data: bytes
    chunks: tuple[Entry | Chunk, ...]
    other_slugs: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Entry | Chunk]:
        """The chunks by their names in citations: ids, ordinal ids, other slugs."""
        found: dict[str, Entry | Chunk] = {
            citation_name(f"{self.chunks[0].doc_id}#{slug}"): self.chunks[position]
            for slug, position in self.other_slugs.items()
        }
        found |= {citation_name(chunk.ordinal_id): chunk for chunk in self.chunks}
        return found | {citation_name(chunk.id): chunk for chunk in self.chunks}

    def holds(self, citation: Citation) -> bool:
        """Whether the cited bytes stand where the citation says."""
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
    """Yield what a citation of a chunk covers: its span, with its heading or without."""
    for chunk in chunks:
        yield chunk.byte_start, chunk.byte_end
        if chunk.heading_start is not None:
            yield chunk.heading_start, chunk.byte_end


def covers(chunk: Entry | Chunk, start: int, end: int) -> bool:
    first, last = whole_range(chunk)
    return first <= start and end <= last


def _size(chunk: Entry | Chunk) -> tuple[int, int]:
    """Smallest first; of equal ones the one further up, which is not a piece of the other."""
    return chunk.byte_end - chunk.byte_start, chunk.position


class CurrentDocuments:
    """Reads documents as they are now; those that are not what was indexed are chunked anew."""

    def __init__(self, project: Project, reader: IndexReader):
        self._project = project
        self._reader = reader

    def bytes_of(self, key: Key, least: int) -> bytes | None:
        """Return the bytes that spans refer to; None if the source is gone, or has not `least`."""
        tree = self._project.tree(key[0])
        if tree is None:
            return None
        try:
            raw, _ = read_beneath(tree, key[1])
            raw.decode()
        except OSError:
            return None
        except UnicodeDecodeError:  # spans are of the text as it was decoded
            document = self.read(key)
            raw = b"" if document is None else document.data
        return raw if len(raw) >= least else None

    def read(self, key: Key) -> CurrentDocument | None:
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
        from leafmark.app.sources.formats import parse_source  # late: few documents need it
        from leafmark.chunking import chunk_document

        options = self._project.chunking_options(tree)
        outputs = options.notebook_outputs
        parsed = parse_source(tree, key[1], raw, notebook_outputs=outputs)
        chunked = chunk_document(parsed, tree=key[0], options=options)
        return CurrentDocument(chunked.document.data, tuple(chunked.chunks), dict(chunked.slugs))

    def _bytes(self, tree: Tree, path: str, document: DocumentEntry) -> bytes | None:
        """Return a source as it is now: its file, or what a cluster has where there is none."""
        try:
            return read_beneath(tree, path)[0]
        except OSError:
            return indexed_bytes(self._project, tree, document)
