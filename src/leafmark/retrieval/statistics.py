"""What the index knows of a term: in how many live chunks it stands, and its idf.

Tantivy counts deleted chunks until their segments are merged, so its document frequencies
depend on the history of the index. If chunks were deleted, they are counted again here, and
`factor` gives the factor by which a term's score becomes that of a fresh index.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import tantivy

from leafmark.index import IndexReader, Recent, count_matches

__all__ = ["Statistics", "statistics_of"]

T = TypeVar("T")

_REMEMBERED = 200
"""How many results `remembered` keeps; a few hundred bytes each."""

_REMEMBERED_TERMS = 10_000
"""How many counts of terms are kept; about 200 bytes each."""

_WIDER = 4
"""How many times more terms are listed where deleted chunks may have changed their order."""

_known: WeakKeyDictionary[IndexReader, Statistics] = WeakKeyDictionary()


def statistics_of(reader: IndexReader) -> Statistics:
    """Return the statistics of a reader, remembered as long as it lives."""
    found = _known.get(reader)
    if found is None:
        found = _known[reader] = Statistics(reader)
    return found


class Statistics:
    """Counts of one commit, for threads too. Use `statistics_of`.

    Holds the searcher, never the reader.
    """

    def __init__(self, reader: IndexReader):
        self._searcher = reader.searcher
        self._schema = reader.schema
        self._records = reader.counts
        self._live: Recent[tuple[str, str], int] = Recent(_REMEMBERED_TERMS)
        self._rough: Recent[tuple[str, str], int] = Recent(_REMEMBERED_TERMS)
        self._terms: dict[tuple[str, ...], Mapping[int, Sequence[str]]] = {}
        self._made: Recent[Hashable, tuple[Any]] = Recent(_REMEMBERED)

    def frequency(self, field: str, term: str) -> int:
        """Return in how many live chunks `term` stands in `field`.

        Linear in the result if chunks were deleted, else constant.
        """
        found = self.rough_frequency(field, term)
        if not found or not self._records.deleted:
            return found
        key = (field, term)
        live = self._live.get(key)
        if live is None:
            query = tantivy.Query.term_query(self._schema, field, term, "basic")
            live = self._count(key, query)
        return live

    def phrase_frequency(self, field: str, terms: Sequence[str]) -> int:
        """Return in how many live chunks the terms stand beside each other in `field`."""
        if not all(self._searcher.doc_freq(field, term) for term in terms):
            return 0
        key = (field, " ".join(terms))
        live = self._live.get(key)
        if live is None:
            live = self._count(key, tantivy.Query.phrase_query(self._schema, field, list(terms)))
        return live

    def _count(self, key: tuple[str, str], query: tantivy.Query) -> int:
        """Return how many live chunks match, and remember it."""
        live = count_matches(self._searcher, query)
        self._live.put(key, live)
        return live

    def rough_frequency(self, field: str, term: str) -> int:
        """Return `frequency` with deleted chunks counted: an upper bound in constant time.

        A query asks for the same word a dozen times.
        """
        key = (field, term)
        found = self._rough.get(key)
        if found is None:
            found = self._searcher.doc_freq(field, term)
            self._rough.put(key, found)
        return found

    def occurring(
        self,
        field: str,
        terms: Collection[str],
        alike: Collection[str],
        *,
        beginning: str,
    ) -> Iterator[str]:
        """Yield those of `terms` and of `alike` that occur in `field`, in deleted chunks too.

        All of `alike` begin with `beginning`, so that one look-up finds them all.
        """
        if alike:
            listed = self._searcher.terms_with_prefix(field, beginning)
            yield from (term for term, _ in listed if term in alike)
        frequency = self._searcher.doc_freq
        yield from (term for term in terms if frequency(field, term))

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, which depends only on the key; remembered for a while."""
        made: tuple[T] | None = self._made.get(key)
        if made is None:
            made = (make(),)
            self._made.put(key, made)
        return made[0]

    def terms(self, fields: tuple[str, ...]) -> Mapping[int, Sequence[str]]:
        """Return all terms of the fields by length, deleted ones too; remembered."""
        if fields not in self._terms:
            listed = (self._searcher.terms_with_prefix(field, "") for field in fields)
            by_length: dict[int, list[str]] = {}
            for term in {term: None for each in listed for term, _ in each}:
                by_length.setdefault(len(term), []).append(term)
            self._terms[fields] = by_length
        return self._terms[fields]

    def beginning_with(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return the `limit` most frequent terms that begin with `prefix`, with their frequencies.

        Ties by term. The engine lists them by its own counts, which include deleted chunks; so
        more are listed until none of the rest can be among the first.
        """
        asked = limit
        while True:
            listed = self._searcher.terms_with_prefix(field, prefix, limit=asked)
            live = [(term, self.frequency(field, term)) for term, _ in listed]
            best = sorted([each for each in live if each[1]], key=_most_frequent_first)[:limit]
            is_all = len(listed) < asked
            last_is_later = len(best) == limit and (
                _most_frequent_first(best[-1]) <= _most_frequent_first(listed[-1])
            )
            if is_all or last_is_later:
                return best
            asked *= _WIDER

    def all_beginning_with(self, field: str, prefix: str) -> list[str]:
        """Return all terms that begin with `prefix`, deleted ones too."""
        return [term for term, _ in self._searcher.terms_with_prefix(field, prefix)]

    def idf(self, frequency: int, total: int | None = None) -> float:
        """Return the inverse document frequency of a term in that many of all live chunks."""
        return _idf(self._records.live if total is None else total, frequency)

    def factor(self, field: str, term: str, *, as_frequent_as: int) -> float:
        """Return the idf of a term in `as_frequent_as` live chunks, divided by the engine's.

        The engine's is that which it scores `term` with.
        """
        stored = self.rough_frequency(field, term)
        if not as_frequent_as or (as_frequent_as == stored and not self._records.deleted):
            return 1.0
        return self.idf(as_frequent_as) / _idf(self._records.stored, stored)

    def phrase_factor(
        self, field: str, terms: Sequence[str], *, as_frequent_as: Sequence[int]
    ) -> float:
        """Return the same for a phrase, whose idf is the sum of the idfs of its terms."""
        live = sum(map(self.idf, as_frequent_as))
        return live / sum(self._engine_idf(field, term) for term in terms)

    def _engine_idf(self, field: str, term: str) -> float:
        return _idf(self._records.stored, self.rough_frequency(field, term))


def _most_frequent_first(counted: tuple[str, int]) -> tuple[int, str]:
    """Sort key for a term with its count, as the engine lists them."""
    term, count = counted
    return -count, term


def _idf(total: int, frequency: int) -> float:
    return math.log(1 + max(0.5, total - frequency + 0.5) / (frequency + 0.5))
