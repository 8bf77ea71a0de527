"""Chunks to the engine's documents: which text goes into which field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tantivy

from leafmark.index.facts import fact, language_fact, meta_facts
from leafmark.index.records import pack_document
from leafmark.index.schema import Language
from leafmark.model import Chunk, ChunkedDocument, Content, DocumentEntry

__all__ = ["engine_documents", "indexed_text"]

_HAS = ("code", "table", "list")
"""The block types that `has:` knows."""


def engine_documents(
    chunked: ChunkedDocument, entry: DocumentEntry, language: Language, schema: tantivy.Schema
) -> Iterator[tantivy.Document]:
    """Yield the engine's document of every chunk, the source's record on the first."""
    for_index = language.analyzer.for_index
    path = entry.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    shared: dict[str, Any] = {
        language.path: for_index(path),
        "doc_id": entry.doc_id,
        "mtime": max(0, entry.state.modified_ns // 1_000_000_000),
    }
    if entry.tags:
        shared[language.tags] = for_index(" ".join(entry.tags))
    facts = [fact("tree", entry.tree), *(fact("tag", tag.casefold()) for tag in entry.tags)]
    facts += meta_facts(entry.metadata)
    contents = [chunk.content for chunk in chunked.chunks]
    for chunk, content in zip(chunked.chunks, contents, strict=True):
        fields = {
            **shared,
            language.title: for_index(chunk.title),
            "position": chunk.position,
            "facts": [*facts, *_own_facts(chunk, content)],
        }
        body = indexed_text(chunk)
        if body:
            fields[language.body] = for_index(body)
        if not chunk.position:
            fields["source"] = pack_document(entry, chunked, contents)
        yield tantivy.Document.from_dict(fields, schema)


def _own_facts(chunk: Chunk, content: Content) -> list[str]:
    found = [f"kind={chunk.kind}"]
    found += [f"has={kind}" for kind in _HAS if kind in content.block_types]
    if content.languages:
        found += {language_fact(each) for each in content.languages}
    return found


def indexed_text(chunk: Chunk) -> str:
    """Return the body as it is searched: as it is read, without front matter."""
    document = chunk.owner.document
    data, spans = document.data, chunk.body_spans
    if document.reader is not None:
        return document.reader(data, spans).text
    skip = 0 if document.front_matter is None else document.front_matter.end
    if len(spans) == 1 and spans[0][0] >= skip:
        return data[spans[0][0] : spans[0][1]].decode("utf-8", "replace")
    return b"".join([data[max(start, skip) : end] for start, end in spans]).decode(
        "utf-8", "replace"
    )
