"""Find the sources whose records hold some words: one pass over all records.

A record is inflated and searched as it is, without reading it: that takes a fifth of the time.
So what is found may hold the words elsewhere than in its titles, too; nothing is missed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import tantivy

from leafmark.index.embedded.generation import first_chunk_query
from leafmark.index.embedded.runs import doc_id_at
from leafmark.index.folding import fold
from leafmark.index.records import StoredDocument, deserialise_document
from leafmark.index.serialising import record_json

__all__ = ["Holder", "chunk_addresses", "iter_holders"]


class Holder(NamedTuple):
    """What is stored of a source, without a later state, and the address of its first chunk."""

    first: tantivy.DocAddress
    stored: StoredDocument


def iter_holders(
    index: tantivy.Index, searcher: tantivy.Searcher, wanted: Sequence[Collection[str]]
) -> Iterator[Holder]:
    """Yield the sources with chunks whose record holds all of one of the collections, and others.

    The words are folded, in lower case by `str.casefold`, and parts of texts; they have no
    quotes, backslashes, white space or control characters. Linear in the size of all records.
    """
    heads = searcher.search(first_chunk_query(index, None), max(1, searcher.num_docs), count=False)
    for _, address in heads.hits:
        record: bytes | None = searcher.doc(address).get_first("source")
        if record is not None and _may_hold(record_json(record), wanted):
            yield Holder(address, deserialise_document(record))


def _may_hold(json: bytes, wanted: Sequence[Collection[str]]) -> bool:
    """Whether JSON holds all words of one of the collections, in any case and spelling.

    The quotes around texts compose with nothing, so all are folded at once.
    """
    text = json.decode("utf-8", "surrogatepass")
    folded = text.lower() if text.isascii() else fold(text).casefold()
    return any(all(word in folded for word in words) for words in wanted)


def chunk_addresses(
    index: tantivy.Index, searcher: tantivy.Searcher, holder: Holder, positions: Sequence[int]
) -> list[tantivy.DocAddress]:
    """Return the addresses of the chunks of a source at these positions, in their order.

    Its chunks are side by side, but for what the end of a segment separates.
    """
    first, doc_id = holder.first, holder.stored.entry.doc_id
    beside = [tantivy.DocAddress(first.segment_ord, first.doc + at) for at in positions]
    if _are_chunks(searcher, beside, doc_id, positions):
        return beside
    chunks = tantivy.Query.term_query(index.schema, "doc_id", doc_id, "basic")
    found = searcher.search(chunks, max(1, len(holder.stored)), count=False).hits
    addresses = [address for _, address in found]
    places = dict(zip(searcher.fast_field_values("position", addresses), addresses, strict=True))
    return [places[at] for at in positions if at in places]


def _are_chunks(
    searcher: tantivy.Searcher,
    addresses: list[tantivy.DocAddress],
    doc_id: str,
    positions: Sequence[int],
) -> bool:
    """Whether the chunks of a source at these positions are at these addresses."""
    try:
        if any(doc_id_at(searcher, address) != doc_id for address in addresses):
            return False
    except ValueError:  # past the end of the segment
        return False
    return searcher.fast_field_values("position", addresses) == list(positions)
