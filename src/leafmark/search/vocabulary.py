"""Statistics of words in the index: frequency, rarity, and completions."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, proxy

from leafmark.index import Snapshot
from leafmark.index.queries import HasPhrase
from leafmark.index.snapshot import Lookup
from leafmark.model import Recent

T = TypeVar("T")

MAX_REMEMBERED = 400
"""The results that `remembered` keeps; a few hundred bytes each."""

MAX_REMEMBERED_TERMS = 10_000
"""The counts of terms that are kept; about 200 bytes each."""

_known: WeakKeyDictionary[Snapshot, Vocabulary] = WeakKeyDictionary()


def vocabulary_of(snapshot: Snapshot) -> Vocabulary:
    """Return the vocabulary of a snapshot, remembered as long as that lives."""
    vocabulary = _known.get(snapshot)
    if vocabulary is None:
        vocabulary = _known[snapshot] = Vocabulary(proxy(snapshot))
    return vocabulary


class Vocabulary:
    """Counts of one commit, thread-safe. Use `vocabulary_of`: the snapshot is not kept alive."""

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot
        self._counts: Recent[tuple[str, str], int] = Recent(MAX_REMEMBERED_TERMS)
        self._cache: Recent[Hashable, tuple[Any]] = Recent(MAX_REMEMBERED)

    def frequency(self, field: str, term: str) -> int:
        """Return the number of chunks with `term` in `field`; a query calls this a dozen times."""
        key = (field, term)
        frequency = self._counts.get(key)
        if frequency is None:
            (frequency,) = self._snapshot.frequencies([key])
            self._counts.put(key, frequency)
        return frequency

    def frequencies(self, field: str, terms: Sequence[str]) -> list[int]:
        """Return the same for several terms, in one call of the engine."""
        counts = {term: self._counts.get((field, term)) for term in terms}
        new = [(field, term) for term, count in counts.items() if count is None]
        if new:
            for key, count in zip(new, self._snapshot.frequencies(new), strict=True):
                self._counts.put(key, count)
                counts[key[1]] = count
        return [counts[term] or 0 for term in terms]

    def expect(self, keys: Iterable[tuple[str, str]], lookups: Iterable[Lookup] = ()) -> None:
        """Announce frequencies and look-ups that will be needed: see `Snapshot.expect`."""
        self._snapshot.expect(keys, lookups)

    def phrase_frequency(self, field: str, terms: Sequence[str]) -> int:
        """Return the number of chunks with the terms beside each other in `field`."""
        if len(terms) == 1:
            return self.frequency(field, terms[0])
        (counts,) = self.phrase_frequencies([(field, terms)])
        return counts

    def phrase_frequencies(self, phrases: Sequence[tuple[str, Sequence[str]]]) -> list[int]:
        """Return the same for several phrases of two or more terms, in one call."""
        known = {}
        new = []
        for field, terms in phrases:
            key = (field, " ".join(terms))
            if key in known:
                continue
            known[key] = self._counts.get(key)
            if known[key] is None and all(self.frequency(field, term) for term in terms):
                new.append((key, HasPhrase(field, tuple(terms))))
        counts = self._snapshot.count([query for _, query in new]) if new else []
        for (key, _), count in zip(new, counts, strict=True):
            self._counts.put(key, count)
            known[key] = count
        return [known[field, " ".join(terms)] or 0 for field, terms in phrases]

    def occurring(
        self, field: str, terms: Collection[str], alike: Collection[str], *, beginning: str
    ) -> Iterator[str]:
        """Yield the terms in `terms` and in `alike` that occur in `field`.

        All of `alike` begin with `beginning`, so that one look-up finds them all.
        """
        if alike:
            listed = self._snapshot.terms(field, beginning)
            yield from (term for term, _ in listed if term in alike)
        others = list(terms)
        counts = self._snapshot.frequencies([(field, term) for term in others])
        yield from (term for term, count in zip(others, counts, strict=True) if count)

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of `make`, which depends only on the key; remembered for a while."""
        remembered_values: tuple[T] | None = self._cache.get(key)
        if remembered_values is None:
            remembered_values = (make(),)
            self._cache.put(key, remembered_values)
        return remembered_values[0]

    def beginning_with(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return the `limit` most frequent terms with this beginning, with their frequencies."""
        return self._snapshot.terms(field, prefix, limit=limit)

    def near(self, fields: Sequence[str], words: Sequence[str], distance: int) -> list[str]:
        return self._snapshot.near(fields, words, distance)

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        return self._snapshot.alike(fields, words)

    def all_beginning_with(self, field: str, prefix: str) -> list[str]:
        return [term for term, _ in self._snapshot.terms(field, prefix)]

    def idf(self, frequency: int, total: int | None = None) -> float:
        """Return the inverse document frequency of a term in so many of all chunks."""
        chunks = self._snapshot.scored_count if total is None else total
        return math.log(1 + max(0.5, chunks - frequency + 0.5) / (frequency + 0.5))
