"""Where chunks lie in the engine's files, and of which source they are.

The chunks of nearly every source are side by side: they are written one after the other, and
merging joins whole segments. Only the end of a segment may separate them. Looking up a place
takes a tenth of the time of reading a chunk's document id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from threading import Lock
from typing import Generic, TypeVar

import tantivy

from leafmark.index.embedded.generation import first_chunk_query
from leafmark.index.folding import fold
from leafmark.index.records import StoredDocument, deserialise_document, record_json

__all__ = ["Place", "Recent", "Runs", "doc_id_at", "scan_records"]

K = TypeVar("K")
V = TypeVar("V")

_MAX_CHUNKS = 1_000
"""Sources with more chunks are not remembered: checking them would cost more than it saves."""


class Recent(Generic[K, V]):
    """Keeps the last `most` values that were put; threads may share it."""

    __slots__ = ("_lock", "_most", "_values", "get")

    def __init__(self, most: int):
        self._most = most
        self._values: dict[K, V] = {}
        self._lock = Lock()
        self.get = self._values.get

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            if len(self._values) >= self._most:
                self._values.pop(next(iter(self._values)))
            self._values[key] = value


def doc_id_at(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> str:
    """Return the document id of the chunk at an address."""
    return str(searcher.doc(address).get_first("doc_id"))


_SEGMENT = 1 << 32
"""More than the chunks of any segment."""


class Place:
    """Where a chunk lies in the engine's files: what a `Handle` is here.

    The engine's own address cannot be hashed, and asking it for its numbers takes as long as
    making it. So that is done for the few that are compared.
    """

    __slots__ = ("_number", "address")

    def __init__(self, address: tantivy.DocAddress):
        self.address = address
        self._number = -1

    @property
    def key(self) -> tuple[int, int]:
        """The number of the segment, and the number in it."""
        return divmod(hash(self), _SEGMENT)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and hash(self) == hash(other)

    def __hash__(self) -> int:
        if self._number < 0:
            self._number = self.address.segment_ord * _SEGMENT + self.address.doc
        return self._number

    def __repr__(self) -> str:
        return f"Place{self.key}"


class Runs:
    """Remembers up to `most` sources by the place of their first chunk."""

    def __init__(self, searcher: tantivy.Searcher, most: int):
        self._searcher = searcher
        self._known: Recent[tuple[int, int], StoredDocument] = Recent(most)

    def find(self, address: tantivy.DocAddress, position: int) -> StoredDocument | None:
        """Return the source of the chunk at an address and position, None if it is not known."""
        stored = self._known.get((address.segment_ord, address.doc - position))
        if stored is None or not 0 <= position < stored.entry.chunk_count:
            return None
        return stored

    def learn(self, address: tantivy.DocAddress, position: int, stored: StoredDocument) -> None:
        """Remember the source of a chunk if all its chunks are side by side, in their order.

        Every chunk is checked: if the ends of segments separate a source twice, chunks of
        another source can lie between them.
        """
        segment, first = address.segment_ord, address.doc - position
        count = stored.entry.chunk_count
        if first < 0 or count > _MAX_CHUNKS:
            return
        places = [tantivy.DocAddress(segment, first + at) for at in range(count)]
        doc_id = stored.entry.doc_id
        try:
            if any(doc_id_at(self._searcher, place) != doc_id for place in reversed(places)):
                return
        except ValueError:  # past the end of the segment
            return
        if self._searcher.fast_field_values("position", places) == list(range(count)):
            self._known.put((segment, first), stored)


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
