"""The chunks that filters alone admit, in order of id: they do not score, so ids order them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress

import tantivy

from leafmark.index import IndexReader
from leafmark.model import Entry
from leafmark.retrieval.section_members import SectionMembers

__all__ = ["admitted_entries", "may_be_first_by_id"]

FEW_MATCHES = 2000
"""Up to this many matches, looking at each is faster than listing 26,000 documents (measured)."""

_MUST = tantivy.Occur.Must


def admitted_entries(
    reader: IndexReader, query: tantivy.Query, limit: int, section: Sequence[str]
) -> tuple[list[Entry], int]:
    """Return a few more than the first `limit` matches by id, unsorted, and the number of all.

    With patterns of a `section`, all matches that one of them admits are returned.
    """
    found = reader.live_count(query)
    if not section:
        return reader.entries(_first_by_id(reader, query, found, limit)), found
    every = reader.searcher.search(query, max(1, found), count=False).hits
    addresses = [at for _, at in every]
    chosen = compress(addresses, SectionMembers(reader, section).choose(addresses))
    entries = reader.entries(chosen)
    return entries, len(entries)


def _first_by_id(
    reader: IndexReader, query: tantivy.Query, count: int, limit: int
) -> list[tantivy.DocAddress]:
    """Return a few more than the first `limit` of `count` matches by id, unsorted."""
    if not count:
        return []
    searcher = reader.searcher
    if count <= FEW_MATCHES:
        addresses = [at for _, at in searcher.search(query, count, count=False).hits]
        return list(compress(addresses, may_be_first_by_id(reader, addresses, limit)))
    listed = searcher.terms_with_prefix("doc_id", "", filter_query=query)
    first = _first_documents(listed, limit)
    taken = set(first)
    documents = tantivy.Query.term_set_query(reader.schema, "doc_id", first)
    both = tantivy.Query.boolean_query([(_MUST, query), (_MUST, documents)])
    total = sum(number for name, number in listed if name in taken)
    return [address for _, address in searcher.search(both, total, count=False).hits]


def may_be_first_by_id(
    reader: IndexReader, addresses: Iterable[tantivy.DocAddress], limit: int
) -> list[bool]:
    """Return for each chunk whether it may be one of the first `limit` by id.

    Looks only at the ids of documents, which are a few times faster to read.
    """
    places = reader.places(addresses)
    counts = Counter(doc_id for doc_id, _ in places)
    names = set(_first_documents(counts.items(), limit))
    return [doc_id in names for doc_id, _ in places]


def _first_documents(counts: Iterable[tuple[str, int]], limit: int) -> list[str]:
    """Return the ids of the documents that hold the first `limit` matches by id.

    If a document's id begins with that of one before it, its chunks may come between that
    one's chunks; so it is taken too.
    """
    names: list[str] = []
    total = 0
    for name, count in sorted(counts):
        if total >= limit and not any(name.startswith(taken) for taken in names):
            break
        names.append(name)
        total += count
    return names
