"""Chunks to the fields of the index: which text goes where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from leafmark.index.facts import fact, language_fact, meta_facts, tag_fact
from leafmark.index.headed import headed
from leafmark.index.names import with_parts
from leafmark.index.records import document_entry, pack_document
from leafmark.index.schema import Language, language_fields
from leafmark.model import ChunkedDocument, ChunkKind, DocumentEntry, FileState

__all__ = ["PreparedSource", "prepare_source"]

_HAS = ("code", "table", "list")
"""The block types that `has:` knows."""


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source as the writer takes it: its entry, and the fields of each chunk.

    Plain data, so that it can be made in another process.
    """

    entry: DocumentEntry
    stemmer: str | None
    rows: tuple[dict[str, Any], ...]


def prepare_source(
    chunked: ChunkedDocument, state: FileState, *, stemmer: str | None, named: bool = False
) -> PreparedSource:
    """Return all that the index will hold of a source; the writer has little left to do.

    `stemmer` is the language of its tree.
    """
    entry = document_entry(chunked, state, named=named)
    rows = _rows(chunked, entry, _language(stemmer))
    return PreparedSource(entry, stemmer, tuple(rows))


@cache
def _language(stemmer: str | None) -> Language:
    return language_fields(stemmer)


def _rows(
    chunked: ChunkedDocument, entry: DocumentEntry, language: Language
) -> Iterator[dict[str, Any]]:
    """Yield the fields of every chunk, the source's record among the first one's."""
    for_index = language.analyzer.for_index
    path = entry.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    shared: dict[str, Any] = {
        language.path: for_index(path),
        "doc_id": entry.doc_id,
        "mtime": max(0, entry.state.modified_ns // 1_000_000_000),
    }
    if entry.tags:
        shared[language.tags] = for_index(" ".join(entry.tags))
    facts = [fact("tree", entry.tree), *map(tag_fact, entry.tags)]
    facts += meta_facts(entry.metadata)
    chunks = tuple(chunked.chunks)
    contents = [chunk.content for chunk in chunks]
    for chunk, content, titles in zip(chunks, contents, chunked.section_paths, strict=True):
        fields: dict[str, Any] = {
            **shared,
            language.title: for_index(with_parts(chunk.title)),
            "position": chunk.position,
            "facts": [*facts, *_own_facts(chunk.kind, content[1:])],
        }
        body = chunk.readable_body
        if body:
            terms = language.analyzer.terms(body)
            fields[language.body], above = headed(language.analyzer, titles, terms)
            fields["facts"] += [fact("above", term) for term in above]
        if not chunk.position:
            fields["source"] = pack_document(
                entry, chunks, contents, folded_position=chunked.folded_position
            )
        yield fields


@lru_cache(4096)
def _own_facts(
    kind: ChunkKind, made_of: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[str, ...]:
    """The facts of a chunk with these block types and languages."""
    block_types, languages = made_of
    found = [f"kind={kind}", *(f"has={each}" for each in _HAS if each in block_types)]
    return (*found, *dict.fromkeys(map(language_fact, languages)))
