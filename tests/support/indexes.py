"""Small indexes: Markdown sources in, the logical content of an index out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.index import IndexMeta, IndexOptions, IndexReader, open_reader, open_writer
from leafmark.index.queries import AllChunks, HasPhrase, HasTerm, Query
from leafmark.index.snapshot import Handle
from leafmark.model import ChunkedDocument, FileState
from leafmark.parsing import parse

SETTINGS = IndexOptions("settings-1", {"t": "english"})
_STRATEGY = ChunkingOptions(strategy="heading")

Sources = Mapping[str, str | bytes]


def as_bytes(source: str | bytes) -> bytes:
    return source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source


def chunk(
    path: str, source: str | bytes, *, tree: str = "t", cutting: ChunkingOptions = _STRATEGY
) -> ChunkedDocument:
    return chunk_document(parse(as_bytes(source), path), tree=tree, options=cutting)


def state_of(source: str | bytes, *, modified_s: int = 1_700_000_000, inode: int = 7) -> FileState:
    data = as_bytes(source)
    digest = hashlib.sha256(data).hexdigest()
    return FileState(
        len(data), modified_s * 1_000_000_000, modified_s * 1_000_000_000, inode, digest
    )


def index(
    root: Path,
    sources: Sources = MappingProxyType({}),
    *,
    remove: tuple[str, ...] = (),
    settings: IndexOptions = SETTINGS,
    tree: str = "t",
    cutting: ChunkingOptions = _STRATEGY,
) -> IndexMeta:
    """Put the sources into the index in `root`, take some out, and commit."""
    with open_writer(root, settings, timeout_s=0) as writer:
        for path in remove:
            writer.remove(tree, path)
        for path, source in sources.items():
            writer.put(chunk(path, source, tree=tree, cutting=cutting), state_of(source))
        return writer.commit(started_ns=5)


def chunks(reader: IndexReader, query: Query = AllChunks(), limit: int = 1000) -> list[Handle]:  # noqa: B008 - frozen
    """The chunks that match, best first."""
    return [chunk for _, chunk in reader.search([(query, limit)])[0]]


def ids_of(reader: IndexReader, query: Query = AllChunks()) -> list[str]:  # noqa: B008 - frozen
    """The ids of the chunks that match, sorted."""
    return sorted(entry.id for entry in reader.entries(chunks(reader, query)))


def search(reader: IndexReader, text: str, *, field: str = "body") -> list[str]:
    """The ids of the chunks with the words of `text` in a row, in any language, sorted."""
    found: set[str] = set()
    for language in reader.languages:
        terms = tuple(language.analyzer.terms(text))
        name = getattr(language, field)
        if terms:
            many = len(terms) > 1
            found.update(
                ids_of(reader, HasPhrase(name, terms) if many else HasTerm(name, terms[0]))
            )
    return sorted(found)


def facts(reader: IndexReader, term: str) -> list[str]:
    """The ids of the chunks that have a fact."""
    return ids_of(reader, HasTerm("facts", term))


def contents(root: Path) -> dict[str, Any]:
    """All that an index says, whatever the history that led to it."""
    reader = open_reader(root)
    everything = ids_of(reader)
    words = {
        term: search(reader, term)
        for language in reader.languages
        for term, _ in reader.terms(language.body, "")
    }
    return {
        "documents": [entry._asdict() for entry in reader.documents()],
        "chunks": {
            e.doc_id: [each._asdict() for each in reader.chunks_of(e.doc_id)]
            for e in reader.documents()
        },
        "found": everything,
        "words": {term: ids for term, ids in words.items() if ids},
        "manifest": dict(reader.manifest),
        "counts": (reader.meta.documents, reader.meta.chunks),
    }


def put_in_place(path: Path, data: bytes) -> None:
    """Give `path` other bytes in a new file: the old one may be mapped, and must keep its size."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
