"""Prepare answers for showing: add chunks around results, and pack them for a budget.

A packing holds what can be shown, in the order in which it is added under a budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from leafmark.app.indexed_sources import Sources
from leafmark.chunking import token_counter
from leafmark.index import IndexReader
from leafmark.model import (
    DocumentEntry,
    Entry,
    Item,
    Packing,
    Related,
    Relation,
    Result,
    Shown,
    Snippet,
    bytes_in,
    whole_range,
)
from leafmark.search.packing import Structure, expand, make_item, own_passages, own_ranges, pack
from leafmark.search.snippets import as_read, make_snippet

ResultOrShown = TypeVar("ResultOrShown", Result, Shown)


def expand_found(
    results: Sequence[ResultOrShown],
    relations: Sequence[Relation],
    reader: IndexReader,
    sources: Sources,
    *,
    whole: bool,
) -> tuple[ResultOrShown, ...]:
    """Return results, or chunks shown by id, each with the chunks around it.

    `whole` says that each is shown with all below it, which then is not added.
    """
    entries = [_entries(result) for result in results]
    added = expand(entries, relations, lambda entry: reader.chunks_of(entry.doc_id), whole=whole)
    return tuple(
        result._replace(expanded=_read(around, result.document, sources))
        for result, around in zip(results, added, strict=True)
    )


def _entries(result: Result | Shown) -> list[Entry]:
    """Return the entries of a result with those merged into it, or of a shown chunk."""
    if isinstance(result, Result):
        return [part.entry for part in result.with_constituents()]
    return [result.entry]


def _read(
    related: Sequence[tuple[Relation, Entry]], document: DocumentEntry, sources: Sources
) -> tuple[Related, ...]:
    """Return related chunks with their texts; none if the source has changed."""
    data = sources.data(document)
    if data is None:
        return ()
    return tuple(
        Related(
            name,
            entry,
            own_passages(entry, data, sources.reading(document, own_ranges(entry))),
            _lead(entry, document, data, sources),
        )
        for name, entry in related
    )


def _lead(entry: Entry, document: DocumentEntry, data: bytes, sources: Sources) -> Snippet:
    """Return the beginning of a chunk's own readable text."""
    readable = sources.readable(document, data, entry.body_spans)
    body = bytes_in(data, entry.body_spans).decode("utf-8", "replace")
    text = body if readable is None else readable.text
    return make_snippet(*as_read(text, [], document.format))


def pack_found(
    results: Sequence[Result] | Sequence[Shown],
    reader: IndexReader,
    sources: Sources,
    tokenizer: str,
) -> Packing:
    """Return the packing of results, or of chunks shown by id, and of the chunks around them.

    Of a chunk its whole text, or its own where that was asked for alone.
    """
    count = token_counter(tokenizer)
    items: list[Item] = []
    added: list[Item] = []
    for shown in results:
        owner = None if shown.stale else _structure(shown.document, reader, sources)
        if owner is None:
            items.append(Item(shown.entry.id, b"", (0, 0)))
            continue
        result = shown if isinstance(shown, Result) else None
        own = shown.own_ranges if isinstance(shown, Shown) else None
        parts = [whole_range(shown.entry)] if own is None else list(own)
        reading = sources.reading(shown.document, parts)
        items.append(make_item(shown.entry, owner, parts, count, result, reading))
        for related in shown.expanded:
            parts = own_ranges(related.entry)
            reading = sources.reading(shown.document, parts)
            added.append(make_item(related.entry, owner, parts, count, reading=reading))
    return pack(items, added)


def _structure(document: DocumentEntry, reader: IndexReader, sources: Sources) -> Structure | None:
    """Return a document with its chunks in the index; None if its file has changed.

    Under the settings of now it may have others: an index that is older answers, too.
    """
    parsed = sources.parsed(document)
    if parsed is None:
        return None
    chunks = reader.chunks_of(document.doc_id)
    return Structure(parsed, chunks, {*document.slugs, *[chunk.slug for chunk in chunks]})
