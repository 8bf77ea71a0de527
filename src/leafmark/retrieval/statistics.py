"""What the index knows of a term: in how many chunks it stands, and its rarity."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, proxy

from leafmark.index import IndexReader, Recent
from leafmark.index.queries import HasPhrase

__all__ = ["Statistics", "statistics_of"]

T = TypeVar("T")

_REMEMBERED = 200
"""How many results `remembered` keeps; a few hundred bytes each."""

_REMEMBERED_TERMS = 10_000
"""How many counts of terms are kept; about 200 bytes each."""

_known: WeakKeyDictionary[IndexReader, Statistics] = WeakKeyDictionary()


def statistics_of(reader: IndexReader) -> Statistics:
    """Return the statistics of a reader, remembered as long as it lives."""
    found = _known.get(reader)
    if found is None:
        found = _known[reader] = Statistics(reader)
    return found


class Statistics:
    """Counts of one commit, for threads too. Use `statistics_of`; it does not keep the reader."""

    def __init__(self, reader: IndexReader):
        self._reader: IndexReader = proxy(reader)
        self._total = reader.scored_count
        self._counts: Recent[tuple[str, str], int] = Recent(_REMEMBERED_TERMS)
        self._made: Recent[Hashable, tuple[Any]] = Recent(_REMEMBERED)

    def frequency(self, field: str, term: str) -> int:
        """Return in how many chunks `term` stands in `field`; a query asks a dozen times."""
        key = (field, term)
        found = self._counts.get(key)
        if found is None:
            (found,) = self._reader.frequencies([key])
            self._counts.put(key, found)
        return found

    def phrase_frequency(self, field: str, terms: Sequence[str]) -> int:
        """Return in how many chunks the terms stand beside each other in `field`."""
        if not all(self.frequency(field, term) for term in terms):
            return 0
        if len(terms) == 1:
            return self.frequency(field, terms[0])
        key = (field, " ".join(terms))
        found = self._counts.get(key)
        if found is None:
            (found,) = self._reader.count([HasPhrase(field, tuple(terms))])
            self._counts.put(key, found)
        return found

    def occurring(
        self,
        field: str,
        terms: Collection[str],
        alike: Collection[str],
        *,
        beginning: str,
    ) -> Iterator[str]:
        """Yield those of `terms` and of `alike` that occur in `field`.

        All of `alike` begin with `beginning`, so that one look-up finds them all.
        """
        if alike:
            listed = self._reader.terms(field, beginning)
            yield from (term for term, _ in listed if term in alike)
        asked = list(terms)
        counts = self._reader.frequencies([(field, term) for term in asked])
        yield from (term for term, count in zip(asked, counts, strict=True) if count)

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, which depends only on the key; remembered for a while."""
        made: tuple[T] | None = self._made.get(key)
        if made is None:
            made = (make(),)
            self._made.put(key, made)
        return made[0]

    def near(self, fields: Sequence[str], word: str, distance: int) -> list[str]:
        """Return the terms of the fields within `distance` edits of a word."""
        return self._reader.near(fields, word, distance)

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return the terms of the fields that are a word but for their marks."""
        return self._reader.alike(fields, words)

    def beginning_with(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return the `limit` most frequent terms that begin with `prefix`, with their frequencies.

        Ties by term.
        """
        return self._reader.terms(field, prefix, limit=limit)

    def all_beginning_with(self, field: str, prefix: str) -> list[str]:
        """Return all terms that begin with `prefix`, deleted ones too."""
        return [term for term, _ in self._reader.terms(field, prefix)]

    def idf(self, frequency: int, total: int | None = None) -> float:
        """Return the inverse document frequency of a term in that many of all chunks."""
        return _idf(self._total if total is None else total, frequency)

    def factor(self, field: str, term: str, *, as_frequent_as: int) -> float:
        """Return the rarity of a term in `as_frequent_as` chunks, divided by that of `term`."""
        own = self.frequency(field, term)
        if not as_frequent_as or as_frequent_as == own:
            return 1.0
        return self.idf(as_frequent_as) / self.idf(own)

    def phrase_factor(
        self, field: str, terms: Sequence[str], *, as_frequent_as: Sequence[int]
    ) -> float:
        """Return the same for a phrase, whose rarity is the sum of those of its terms."""
        own = sum(self.idf(self.frequency(field, term)) for term in terms)
        return sum(map(self.idf, as_frequent_as)) / own


def _idf(total: int, frequency: int) -> float:
    return math.log(1 + max(0.5, total - frequency + 0.5) / (frequency + 0.5))
