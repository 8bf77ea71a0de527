"""Score words, and words beside each other, in the text fields of one language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import tantivy

from leafmark.index import fact, phrases_within
from leafmark.retrieval.corrections import Alternative
from leafmark.retrieval.statistics import Statistics

__all__ = ["FieldScores"]


class FieldScores:
    """Makes the queries of sequences of terms that score; `names` are the index's by field."""

    def __init__(self, schema: tantivy.Schema, statistics: Statistics, names: Mapping[str, str]):
        self._schema = schema
        self._statistics = statistics
        self._names = names

    def in_text(self, query: tantivy.Query, sequence: tuple[Alternative, ...]) -> tantivy.Query:
        """Leave out chunks that have the sequence, or a part of it, only from the titles above."""
        above = [fact("above", part) for part in phrases_within([one.term for one in sequence])]
        alone = tantivy.Query.term_set_query(self._schema, "facts", above)
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, query), (tantivy.Occur.MustNot, alone)]
        )

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
    ) -> tantivy.Query:
        """Return the query for one sequence in one field.

        A tag counts by its rarity alone. BM25 would compare the number of a chunk's tags with
        the average of all chunks. If few documents have tags, that is near 0, and any tags
        would seem too many to count.
        """
        query, name = tantivy.Query, self._names[field]
        share = weight * math.prod([each.share for each in sequence])
        terms = [each.term for each in sequence]
        if len(terms) > 1:
            found = query.phrase_query(self._schema, name, list(terms))
            frequencies = [self.weighed_frequency(field, term) for term in terms]
            factor = self._statistics.phrase_factor(name, terms, as_frequent_as=frequencies)
        else:
            found = query.term_query(self._schema, name, terms[0], "freq")
            typed = sequence[0].kind == "typed"
            frequencies = [self.weighed_frequency(field, terms[0]) if typed else level]
            factor = self._statistics.factor(name, terms[0], as_frequent_as=frequencies[0])
        if field == "tags":
            rarity = sum(map(self._statistics.idf, frequencies))
            return query.const_score_query(found, share * rarity)
        return query.boost_query(found, share * factor)
