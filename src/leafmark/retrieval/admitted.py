"""The chunks that filters alone admit, in order of id: they do not score, so ids order them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress

from leafmark.index import Handle, IndexReader
from leafmark.index.queries import Query, unscored
from leafmark.model import Entry
from leafmark.retrieval.section_members import SectionMembers

__all__ = ["admitted_entries", "may_be_first_by_id"]


def admitted_entries(
    reader: IndexReader, query: Query, limit: int, section: Sequence[str]
) -> tuple[list[Entry], int]:
    """Return a few more than the first `limit` matches by id, unsorted, and the number of all.

    With patterns of a `section`, all matches that one of them admits are returned.
    """
    if not section:
        refs, found = reader.first(query, limit)
        listed = [reader.entry(*ref) for ref in refs]
        return [entry for entry in listed if entry is not None], found
    (found,) = reader.count([query])
    (every,) = reader.search([(unscored(query), found)])
    chunks = [chunk for _, chunk in every]
    chosen = compress(chunks, SectionMembers(reader, section).choose(chunks))
    entries = reader.entries(list(chosen))
    return entries, len(entries)


def may_be_first_by_id(reader: IndexReader, chunks: Iterable[Handle], limit: int) -> list[bool]:
    """Return for each chunk whether it may be one of the first `limit` by id.

    Looks only at the ids of documents, which are a few times faster to read.
    """
    refs = reader.refs(list(chunks))
    counts = Counter(doc_id for doc_id, _ in refs)
    names = set(_first_documents(counts.items(), limit))
    return [doc_id in names for doc_id, _ in refs]


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
