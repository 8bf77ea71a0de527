"""Compile words, phrases and prefixes to engine queries, in the text fields of one language.

Every word is looked for in every field; a word that the analyzer splits
(`snake_case`, a run of Chinese) is a phrase of its parts. `Looked` values record what was
looked for: they explain scores and find the matches in a text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from leafmark.index import (
    TEXT_FIELDS,
    IndexReader,
    Language,
    fold,
    is_solid,
    term_facts,
)
from leafmark.index.queries import BestOf, Constant, HasTerm, Query, any_of
from leafmark.query import Phrase, Prefix, Term
from leafmark.retrieval.corrections import Alternative, Begun, Corrector
from leafmark.retrieval.field_scores import FieldScores
from leafmark.retrieval.statistics import statistics_of
from leafmark.retrieval.weights import K1

__all__ = ["Around", "Leaves", "Looked"]

MOST_MENDED = 2
"""Unknown parts of one word that are corrected; more are no typing error (chosen by eye)."""

MOST_PHRASES = 64
"""Phrases that one phrase with several alternatives for its words may become."""


class Around(NamedTuple):
    """What the nodes above a node say of it.

    `field` is None for all text fields, `distance` None for the setting,
    `boost` the product of all boosts around the node.
    """

    field: str | None = None
    distance: int | None = None
    boost: float = 1.0
    negated: bool = False


class Looked(NamedTuple):
    """One thing that was looked for: a word, a phrase or a prefix.

    `label` is how it was typed, `number` its place in the query, from 0. `sequences` are
    the terms, or terms beside each other, that match it in a text; their words must begin
    with `prefix`. `queries` are its queries by field, `exact` the same without corrections
    of a word that occurs. `corrected` are the words looked for in its place if it occurs
    nowhere. `field` is the only field to look in (None: all). `definitions` is the part of
    the titles' query that matches definitions of that name.
    """

    label: str
    number: int
    sequences: frozenset[tuple[str, ...]]
    queries: tuple[tuple[str, Query], ...]
    exact: tuple[tuple[str, Query], ...]
    prefix: str = ""
    corrected: tuple[str, ...] = ()
    field: str | None = None
    definitions: tuple[Query, ...] = ()


class Leaves:
    """Compiles the leaves of one topic.

    `weights` are the factors of the fields, `derives` says whether to look for other forms
    of words, `is_one_word` whether the topic is a single word. `widened` says whether any
    word that occurs is corrected as well; with `with_corrections` off, none is.
    """

    def __init__(
        self,
        reader: IndexReader,
        language: Language,
        *,
        weights: Mapping[str, float],
        distance: int,
        derives: bool,
        is_one_word: bool,
    ):
        self._analyzer = language.analyzer
        self._names = {name: str(getattr(language, name)) for name in TEXT_FIELDS}
        self._others = [each for each in reader.languages if each.name != language.name]
        self._statistics = statistics_of(reader)
        self._corrector = Corrector(self._statistics, language, derives=derives)
        self._scores = FieldScores(self._statistics, self._names)
        self._weights = weights
        self._distance = distance
        self._is_one_word = is_one_word
        self._looked: dict[int, Looked] = {}
        self._compiled: dict[tuple[int, Around, bool], Query | None] = {}
        self.with_corrections = True
        self.widened = False

    @property
    def looked(self) -> tuple[Looked, ...]:
        """What was looked for, in order, without negated parts."""
        return tuple(self._looked.values())

    def find(self, node: Term | Phrase | Prefix) -> Looked | None:
        """Return what was looked for to find a node."""
        return self._looked.get(id(node))

    def occurs(self, node: Term) -> bool:
        """Whether a word that was looked for stands anywhere, or a definition is called so."""
        looked = self._looked.get(id(node))
        if looked is None or looked.definitions:
            return looked is not None
        frequency = self._statistics.phrase_frequency
        return any(
            frequency(name, terms) if len(terms) > 1 else self._statistics.frequency(name, terms[0])
            for name in self._names.values()
            for terms in looked.sequences
            if terms
        )

    def rarity(self, node: Term | Phrase) -> float:
        """Return the idf of a word in bodies; of a phrase, that of its rarest word.

        A word that was corrected occurs nowhere.
        """
        looked = self._looked.get(id(node))
        if looked is None or looked.corrected:
            return self._statistics.idf(0)
        counts = (self._frequency(each) for each in looked.sequences if each)
        return self._statistics.idf(max(counts, default=0))

    def _frequency(self, terms: Sequence[str]) -> int:
        """Return in how many bodies a word stands; for several terms, the rarest one.

        Characters of a script without spaces are counted beside each other: only together
        are they a word.
        """
        if len(terms) > 1 and all(map(is_solid, terms)):
            return self._statistics.phrase_frequency(self._names["body"], terms)
        return min(self._statistics.frequency(self._names["body"], term) for term in terms)

    def word(self, node: Term, around: Around) -> Query | None:
        """Return the query for a word, compiled once."""
        key = (id(node), around, self.with_corrections)
        if key not in self._compiled:
            self._compiled[key] = self._word(node, around)
        return self._compiled[key]

    def _word(self, node: Term, around: Around) -> Query | None:
        tokens = self._analyzer.tokens_of_word(node.text)
        named = term_facts(node.text, alone=self._is_one_word)
        if len(tokens) != 1:
            return self._phrase(node, around, mended=True, named=named)
        term = tokens[0].term
        choices = self._choices(fold(node.text[tokens[0].start : tokens[0].end]), term, around)
        definitions = self._definitions(named, [term], around)
        return self._look_for(
            node, around, [(choice,) for choice in choices], definitions=definitions
        )

    def _choices(self, typed: str, term: str, around: Around) -> list[Alternative]:
        """Return the indexed terms that a word stands for here."""
        asked = around.distance is not None
        distance = self._distance if around.distance is None else around.distance
        if not asked and (around.negated or self._occurs_in_others(typed)):
            distance = 0
        found = self._corrector.look_up(typed, term, self._fields(around), distance, asked=asked)
        widened = not around.negated and any(each.widens for each in found)
        self.widened = self.widened or widened
        if widened and not self.with_corrections:
            return [each for each in found if not each.widens]
        return found

    def _occurs_in_others(self, typed: str) -> bool:
        """Whether the word occurs in another language of the index: then it is no error."""
        return any(
            self._statistics.frequency(str(getattr(other, field)), term)
            for other in self._others
            for term in other.analyzer.terms(typed)
            for field in TEXT_FIELDS
        )

    def quoted(self, node: Phrase, around: Around) -> Query | None:
        """Return the query for text in quotes. A quoted `-x` is an option: else it would negate."""
        named = term_facts(node.text) if node.text.startswith("-") else ()
        return self._phrase(node, around, named=named)

    def _phrase(
        self,
        node: Term | Phrase,
        around: Around,
        *,
        named: Sequence[str],
        mended: bool = False,
    ) -> Query | None:
        """Return the query for words beside each other, corrected only if edits were asked for.

        With `mended`, words that occur nowhere are corrected too, unless there are many of
        them. Definitions called by the first of the facts `named` that occurs match as well.
        """
        tokens = self._analyzer.tokens_of_word(node.text)
        if not tokens:
            return None
        names = self._fields(around)
        unknown = {each.term for each in tokens if not self._corrector.frequency(each.term, names)}
        if not mended or len(unknown) > MOST_MENDED:
            unknown = set()
        exactly = around._replace(distance=around.distance or 0)
        words = [
            self._choices(
                fold(node.text[token.start : token.end]),
                token.term,
                around if token.term in unknown else exactly,
            )
            for token in tokens
        ]
        definitions = self._definitions(named, [token.term for token in tokens], around)
        return self._look_for(node, around, _combinations(words), definitions=definitions)

    def prefix(self, node: Prefix, around: Around) -> Query | None:
        tokens = self._analyzer.tokens_of_word(node.text)
        if not tokens:
            return None
        *before, last = tokens
        typed = fold(node.text[last.start : last.end]).lower()
        words = [[Alternative(token.term, token.term)] for token in before]
        begun = self._corrector.begun(typed, self._fields(around))
        sequences = _combinations([*words, begun.terms]) if begun.terms else []
        fields = [around.field] if around.field else TEXT_FIELDS
        rarer = [
            (field, self._rarer(field, tuple(word for (word,) in words), begun, around))
            for field in fields
            if begun.rarer.get(self._names[field])
        ]
        marked = () if before else itertools.chain.from_iterable(begun.rarer.values())
        return self._look_for(node, around, sequences, prefix=typed, rarer=rarer, marked=marked)

    def _rarer(
        self, field: str, before: tuple[Alternative, ...], begun: Begun, around: Around
    ) -> Query:
        """Return the query for words that are too rare to be scored one by one.

        One of them scores like one of the others that stands once in a text of usual length.
        """
        found = self._scores.rarer(field, before, begun, in_text=around.field == "body")
        level = self._scores.level(field, [(one,) for one in begun.terms])
        frequencies = [*(self._scores.weighed_frequency(field, one.term) for one in before), level]
        rarity = sum(map(self._statistics.idf, frequencies))
        weight = self._weights[field] * around.boost
        return Constant(found, weight * rarity)

    def _fields(self, around: Around) -> list[str]:
        """Return the index's names of the fields to look in."""
        return [self._names[around.field]] if around.field else list(self._names.values())

    def _look_for(
        self,
        node: Term | Phrase | Prefix,
        around: Around,
        sequences: Sequence[tuple[Alternative, ...]],
        *,
        prefix: str = "",
        rarer: Sequence[tuple[str, Query]] = (),
        marked: Iterable[str] = (),
        definitions: Query | None = None,
    ) -> Query:
        """Return the query for one leaf in its fields, and record what was looked for.

        `rarer` are more queries by field, whose terms are `marked` in texts.
        """
        queries = self._by_field(sequences, around)
        for field, query in rarer if definitions is None else [*rarer, ("title", definitions)]:
            queries = _with(queries, field, query)
        if not around.negated and id(node) not in self._looked:
            exact = queries
            if any(one.widens for each in sequences for one in each):
                typed = [each for each in sequences if not any(one.widens for one in each)]
                exact = self._by_field(typed, around)
            self._looked[id(node)] = Looked(
                node.text,
                len(self._looked),
                _terms_of(sequences).union((term,) for term in marked),
                queries,
                exact,
                prefix,
                _corrected(sequences),
                around.field,
                () if definitions is None else (definitions,),
            )
        return any_of([query for _, query in queries])

    def _by_field(
        self, sequences: Sequence[tuple[Alternative, ...]], around: Around
    ) -> tuple[tuple[str, Query], ...]:
        """Return the query for each field in which one of the sequences occurs."""
        found = []
        for field in [around.field] if around.field else TEXT_FIELDS:
            query = self._in_field(field, sequences, around)
            if query is not None:
                found.append((field, query))
        return tuple(found)

    def _definitions(
        self, named: Sequence[str], terms: Sequence[str], around: Around
    ) -> Query | None:
        """Return the query for definitions of a name; `terms` are the terms of the name.

        The title of a method lacks the name of its class: `def pop(self)` is `Cache.pop`. Such a
        definition scores like a body that holds only the name: no text can score more. Of a
        name with its module (`diskcache.Cache.pop`), the longest end that is a definition's
        name counts.
        """
        held = (name for name in named if self._statistics.frequency("facts", name))
        name = next(held, None)
        if name is None or around.field not in (None, "title"):
            return None
        rarity = sum(self._statistics.idf(self._frequency([term])) for term in terms)
        called = HasTerm("facts", name)
        return Constant(called, around.boost * (K1 + 1) * rarity)

    def _in_field(
        self, field: str, sequences: Sequence[tuple[Alternative, ...]], around: Around
    ) -> Query | None:
        """Return the query for the sequences that occur in one field; the best one scores."""
        name, weight = self._names[field], self._weights[field] * around.boost
        found = [each for each in sequences if self._may_occur(name, each)]
        if not found:
            return None
        level = self._scores.level(field, found)
        queries = [self._scores.scored(field, each, weight, level) for each in found]
        if around.field == "body":
            queries = list(map(self._scores.in_text, queries, found))
        return BestOf(tuple(queries)) if len(queries) > 1 else queries[0]

    def _may_occur(self, name: str, sequence: tuple[Alternative, ...]) -> bool:
        """Whether all terms of a sequence occur in a field, not counting deleted chunks."""
        frequency = self._statistics.frequency
        return all(frequency(name, one.term) for one in sequence)


def _with(
    queries: Sequence[tuple[str, Query]], field: str, query: Query
) -> tuple[tuple[str, Query], ...]:
    """Return the queries by field with one more for a field; the better of the two scores."""
    there = [each for name, each in queries if name == field]
    both = BestOf((*there, query)) if there else query
    return (*[each for each in queries if each[0] != field], (field, both))


def _corrected(sequences: Iterable[tuple[Alternative, ...]]) -> tuple[str, ...]:
    """Return the corrections of a word that occurs nowhere, best first.

    The parts of a word of several parts are joined by spaces.
    """
    mended = (each for each in sequences if any(map(_is_mended, each)))
    return tuple(" ".join(one.word for one in each) for each in mended)


def _is_mended(one: Alternative) -> bool:
    return one.kind == "corrected" and one.share == 1.0


def _terms_of(sequences: Iterable[tuple[Alternative, ...]]) -> frozenset[tuple[str, ...]]:
    return frozenset([tuple([each.term for each in sequence]) for sequence in sequences])


def _combinations(words: Sequence[Sequence[Alternative]]) -> list[tuple[Alternative, ...]]:
    """Return the sequences of one alternative for each word, at most `MOST_PHRASES`."""
    several = sum(1 for each in words if len(each) > 1)
    most = max(2, int(MOST_PHRASES ** (1 / several))) if several else 1
    return list(itertools.islice(itertools.product(*(each[:most] for each in words)), MOST_PHRASES))
