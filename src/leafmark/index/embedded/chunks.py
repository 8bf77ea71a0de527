"""Where chunks lie in the engine's files, and the records of sources that hold some words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import tantivy

from leafmark.index.embedded.generation import first_chunk_query
from leafmark.index.folding import fold
from leafmark.index.records import StoredDocument, deserialise_document, record_json
from leafmark.index.snapshot import Match

__all__ = ["addresses_of", "matches_at", "scan_records"]

_SEGMENT_BITS = 32
"""A chunk's handle is the number of its segment, then in so many bits its number in there."""


def matches_at(hits: Iterable[tuple[float, tantivy.DocAddress]]) -> list[Match]:
    """Return the engine's hits with handles of chunks, which can be hashed, unlike its addresses.

    >>> matches_at([(1.5, each) for each in addresses_of([5 << 32 | 7])]) == [(1.5, 5 << 32 | 7)]
    True
    """
    return [(score, hit.segment_ord << _SEGMENT_BITS | hit.doc) for score, hit in hits]


def addresses_of(places: Iterable[int]) -> list[tantivy.DocAddress]:
    """Return the engine's addresses of chunks."""
    last = (1 << _SEGMENT_BITS) - 1
    return [tantivy.DocAddress(place >> _SEGMENT_BITS, place & last) for place in places]


def scan_records(
    index: tantivy.Index, searcher: tantivy.Searcher, wanted: Sequence[Collection[str]]
) -> Iterator[StoredDocument]:
    """Yield the sources with chunks whose record holds all of one of the collections, and others.

    A record is inflated and searched as it is, without reading it: that takes a fifth of the time.
    So it may hold the words elsewhere than in its titles; nothing is missed. A later state is not
    read. The words are folded, in lower case by `str.casefold`, and parts of texts; they have no
    quotes, backslashes, white space or control characters. Linear in the size of all records.
    """
    heads = searcher.search(first_chunk_query(index, None), max(1, searcher.num_docs), count=False)
    for _, address in heads.hits:
        record: bytes | None = searcher.doc(address).get_first("source")
        if record is not None and _may_hold(record_json(record), wanted):
            yield deserialise_document(record)


def _may_hold(json: bytes, wanted: Sequence[Collection[str]]) -> bool:
    """Whether JSON holds all words of one of the collections, in any case and spelling.

    The quotes around texts compose with nothing, so all are folded at once.
    """
    text = json.decode("utf-8", "surrogatepass")
    folded = text.lower() if text.isascii() else fold(text).casefold()
    return any(all(word in folded for word in words) for words in wanted)
