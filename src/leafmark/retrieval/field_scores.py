"""Find and score words, and words beside each other, in the text fields of one language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from leafmark.index import fact, phrases_within
from leafmark.index.queries import (
    AllOf,
    Constant,
    HasAny,
    HasPhrase,
    HasPhraseMatch,
    HasPhrasePrefix,
    HasTerm,
    Query,
    Scaled,
    any_of,
)
from leafmark.retrieval.corrections import Alternative, Begun
from leafmark.retrieval.statistics import Statistics

__all__ = ["FieldScores"]

MOST_AFTER = 10_000
"""Words of one beginning that may stand after others; the engine takes about 16,000."""


class FieldScores:
    """Makes the queries of sequences of terms that score; `names` are the index's by field."""

    def __init__(self, statistics: Statistics, names: Mapping[str, str]):
        self._statistics = statistics
        self._names = names

    def in_text(self, query: Query, sequence: tuple[Alternative, ...]) -> Query:
        """Leave out chunks that have the sequence, or a part of it, only from the titles above."""
        above = [fact("above", part) for part in phrases_within([one.term for one in sequence])]
        return AllOf((query,), without=(HasAny("facts", tuple(above)),))

    def level(self, field: str, sequences: Sequence[tuple[Alternative, ...]]) -> int:
        """Return the frequency that sets the idf of all terms that one word stands for.

        It is the highest of theirs: else the rarest term, the least likely to be meant,
        would score best.
        """
        others = [one[0].term for one in sequences if len(one) == 1 and one[0].kind != "typed"]
        return max([self.weighed_frequency(field, term) for term in others], default=0)

    def weighed_frequency(self, field: str, term: str) -> int:
        """Return the number of chunks that sets a term's idf in a field.

        In titles it is that in bodies, if that is higher: titles have few words, so nearly
        every one is rare there, and common words would weigh most.
        """
        frequency = self._statistics.frequency
        own = frequency(self._names[field], term)
        return max(own, frequency(self._names["body"], term)) if field == "title" else own

    def scored(
        self, field: str, sequence: tuple[Alternative, ...], weight: float, level: int
    ) -> Query:
        """Return the query for one sequence in one field.

        A tag counts by its rarity alone. BM25 would compare the number of a chunk's tags with
        the average of all chunks. If few documents have tags, that is near 0, and any tags
        would seem too many to count.
        """
        name = self._names[field]
        share = weight * math.prod([each.share for each in sequence])
        terms = tuple(each.term for each in sequence)
        found: Query
        if len(terms) > 1:
            found = HasPhrase(name, terms)
            frequencies = [self.weighed_frequency(field, term) for term in terms]
            factor = self._statistics.phrase_factor(name, terms, as_frequent_as=frequencies)
        else:
            found = HasTerm(name, terms[0])
            typed = sequence[0].kind == "typed"
            frequencies = [self.weighed_frequency(field, terms[0]) if typed else level]
            factor = self._statistics.factor(name, terms[0], as_frequent_as=frequencies[0])
        if field == "tags":
            rarity = sum(map(self._statistics.idf, frequencies))
            return Constant(found, share * rarity)
        return Scaled(found, share * factor)

    def rarer(
        self, field: str, before: tuple[Alternative, ...], begun: Begun, *, in_text: bool
    ) -> Query:
        """Return the query for the rarer terms of a beginning, in one field; it has no score.

        They stand after the terms `before`. With `in_text`, chunks that have them only from
        the titles above are left out.
        """
        name = self._names[field]
        if before:
            found = self._rarer_after(name, before, begun)
            return self.in_text(found, before) if in_text else found
        terms = set(begun.rarer[name])
        above = self._from_titles(begun) & terms if in_text else set()
        alone = [
            self.in_text(HasTerm(name, term), (Alternative(term, term),)) for term in sorted(above)
        ]
        others = HasAny(name, tuple(sorted(terms - above)))
        return any_of([others, *alone])

    def _rarer_after(self, name: str, before: Sequence[Alternative], begun: Begun) -> Query:
        """Return the query for such words after others: `error_co*`."""
        terms = tuple(one.term for one in before)
        if len(begun.rarer[name]) > MOST_AFTER:  # the engine refuses the other query then
            return HasPhrasePrefix(name, terms, begun.beginnings[-1])
        return HasPhraseMatch(name, (*terms, f"({'|'.join(begun.beginnings)}).*"))

    def _from_titles(self, begun: Begun) -> set[str]:
        """Return the terms that begin so and that some body has only from its titles."""
        every = (
            self._statistics.all_beginning_with("facts", fact("above", each))
            for each in begun.beginnings
        )
        return {term.removeprefix(fact("above", "")) for each in every for term in each}
