"""Tell the source of a chunk by its place in the engine's files.

The chunks of nearly every source are side by side: they are written one after the other, and
merging joins whole segments. Only the end of a segment may separate them. Looking up a place
takes a tenth of the time of reading a chunk's document id.
"""

from __future__ import annotations

from threading import Lock
from typing import Generic, TypeVar

import tantivy

from leafmark.index.records import StoredDocument

__all__ = ["Recent", "Runs", "doc_id_at"]

K = TypeVar("K")
V = TypeVar("V")

_MOST_CHUNKS = 1_000
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
        if first < 0 or count > _MOST_CHUNKS:
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
