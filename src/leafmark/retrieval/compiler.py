"""Compile an expression to engine queries, for one language of the index.

This module decides what must match and what need not: the parts that the user stated, the
plain words, stop words (see `shape`), and how many of the plain words are enough. Tantivy's
own query parser has other rules, and its fuzzy query has no scores, so neither is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from typing import TypeAlias

from leafmark.index import IndexReader, Language
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    Constant,
    NoChunk,
    Query,
    any_of,
    unscored,
)
from leafmark.query import (
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Or,
    Phrase,
    Prefix,
    Term,
    filters_only,
)
from leafmark.retrieval.filters import Filters
from leafmark.retrieval.joined import take_joined_apart
from leafmark.retrieval.leaves import Around, Leaves, Looked
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.shape import shape_of
from leafmark.retrieval.stopwords import stop_words
from leafmark.retrieval.weights import RELAXED_FROM

__all__ = ["Compile", "Compiled", "compile_for_languages", "compiling"]


def compile_for_languages(
    reader: IndexReader, topic: Expression, params: SearchParams
) -> dict[str | None, Compiled]:
    """Return the topic compiled for each language, those left out in which it asks nothing."""
    made = (Compiled(reader, params, language, topic) for language in reader.languages)
    return {each.language.name: each for each in made if not each.asks_nothing}


Compile: TypeAlias = Callable[[Expression], Mapping[str | None, "Compiled"]]
"""Returns a topic compiled for each language: see `compile_for_languages`."""


def compiling(reader: IndexReader, params: SearchParams) -> Compile:
    """Return a function that compiles the topics of one search, and remembers each."""

    @cache
    def compiled(topic: Expression) -> Mapping[str | None, Compiled]:
        with reader.guard("search the index"):
            return compile_for_languages(reader, topic, params)

    return compiled


class Compiled:
    """One topic in one language.

    `strict` is the query for chunks that match all words; `asks_nothing` is true if nothing in
    the topic can be looked up. `exact` is `strict` without corrections of words that occur
    (None: there are none). `stops` numbers those of `looked` that need not match, `parts`
    those that were looked for as parts of a word (see `joined`). A topic with `filters_only`
    has no scores. `word_count` counts the plain words without stop words, but with words
    that only ask, and parts in place of their word. The other queries are made when first
    used: most searches need only some of them.
    """

    def __init__(
        self, reader: IndexReader, params: SearchParams, language: Language, topic: Expression
    ):
        self.language = language
        self._reader = reader
        self._params = params
        self._filters = Filters(reader)
        self._admitting = self._filters.of_params(params)
        if len(reader.languages) > 1:
            self._admitting.append(self._filters.trees(language.trees))
        shape = shape_of(reader, topic, language, asking_count=params.asking_words)
        self._plain, self._stops, self._stated = shape.plain, shape.stops, shape.stated
        self.word_count = shape.word_count
        self._leaves = Leaves(
            reader,
            language,
            weights=params.weights(shape.kind),
            distance=params.fuzzy_distance,
            derives=params.derived_words,
            is_one_word=shape.word_count == 1,
        )
        self.filters_only = filters_only(topic)
        strict = self._strict()
        self.asks_nothing = strict is None
        self.strict: Query = NoChunk() if strict is None else strict
        self.exact: Query | None = None
        if self._leaves.widened:
            self._leaves.with_corrections = False
            self.exact = self._strict()
            self._leaves.with_corrections = True
        self._tried: list[Term] = []  # leaves know words by their identity
        self._some = self._taken_apart()
        self.word_count += len(self._some) - len(self._plain)
        self.looked = self._leaves.looked
        self.stops = self._numbers(self._stops)
        self.parts = self._numbers((*self._tried, *self._some)) - self._numbers(self._plain)

    # -- whole queries ----------------------------------------------------------------

    def _strict(self) -> Query | None:
        """Return the query that all plain words and all stated parts must match."""
        stated = self._stated_clauses()
        words = [self._leaves.word(word, Around()) for word in self._plain]
        must = (*stated.must, *(query for query in words if query is not None))
        if not must:
            return None
        stops = [self._leaves.word(word, Around(distance=0)) for word in self._stops]
        should = tuple(query for query in stops if query is not None)
        return self._admitted(AllOf(must, should, stated.without))

    @cached_property
    def relaxed(self) -> Query | None:
        """The query for chunks that match enough of the plain words; None: all must match."""
        words = [word for word in self._some if self._may_be_relaxed(word)]
        is_whole = len(self._some) < 2 and self._some == self._plain
        if self._params.strict or is_whole or not words:
            return None
        least = max(1, math.ceil(self._params.relax_share * len(self._some)))
        if least > len(words):
            return None
        queries = [self._leaves.word(word, Around()) for word in words]
        some = AnyOf(tuple(query for query in queries if query is not None), least)
        stated = self._stated_clauses()
        return self._admitted(AllOf((*stated.must, some), (), stated.without))

    @cached_property
    def required(self) -> Query:
        """The query for all but the plain words: what a chunk found by meaning must match.

        With `SearchParams.strict` it is `strict`.
        """
        if self._params.strict:
            return self.strict
        stated = self._stated_clauses()
        return self._admitted(AllOf((unscored(AllChunks()), *stated.must), (), stated.without))

    @cached_property
    def body_words(self) -> tuple[Query, ...]:
        """A query in bodies for each plain word that a relaxed match may rest on."""
        looked = (self._leaves.find(word) for word in self._some if self._may_be_relaxed(word))
        return tuple(
            query
            for each in looked
            if each is not None
            for field, query in each.queries
            if field == "body"
        )

    # -- what was looked for ------------------------------------------------------------

    @cached_property
    def asked(self) -> tuple[tuple[Looked | None, float], ...]:
        """What was looked for to find each word of `relaxed`, with the word's rarity."""
        return tuple((self._leaves.find(word), self._leaves.rarity(word)) for word in self._some)

    @cached_property
    def quoted(self) -> tuple[tuple[Looked, float], ...]:
        """What was looked for to find each text in quotes, with its rarity."""
        texts = [part for part in self._stated if isinstance(part, Phrase)]
        found = ((self._leaves.find(text), self._leaves.rarity(text)) for text in texts)
        return tuple((looked, rarity) for looked, rarity in found if looked is not None)

    @cached_property
    def unrelaxed(self) -> frozenset[int]:
        """The numbers of those of `looked` that are not part of `relaxed`."""
        words = [word for word in self._some if not self._may_be_relaxed(word)]
        joined = [word for word in self._plain if word not in self._some]
        return self._numbers((*words, *joined, *self._stops))

    def _taken_apart(self) -> list[Term]:
        """Return the plain words, those that are joined and occur nowhere by their parts."""
        stops = stop_words(self.language.name)
        take = partial(take_joined_apart, stops=stops, is_alone=len(self._plain) == 1)
        found = [
            part
            for word in self._plain
            for part in take(word, self.language.analyzer, self._occurs)
        ]
        for word in found:
            self._leaves.word(word, Around())
        return found

    def _occurs(self, word: Term) -> bool:
        self._tried.append(word)
        self._leaves.word(word, Around())
        return self._leaves.occurs(word)

    def _numbers(self, words: Iterable[Term]) -> frozenset[int]:
        found = map(self._leaves.find, words)
        return frozenset(looked.number for looked in found if looked is not None)

    def _may_be_relaxed(self, word: Term) -> bool:
        """Whether a match may rest on the word alone: not on a short one that was corrected."""
        looked = self._leaves.find(word)
        return looked is not None and not (looked.corrected and len(word.text) < RELAXED_FROM)

    def _stated_clauses(self) -> AllOf:
        return self._clauses(self._stated, Around())

    def _admitted(self, clauses: AllOf) -> Query:
        admitting = (*clauses.must, *map(unscored, self._admitting))
        return AllOf(admitting, clauses.should, clauses.without)

    # -- nodes ------------------------------------------------------------------------

    def _clauses(self, nodes: Iterable[Expression], around: Around) -> AllOf:
        must: list[Query] = []
        without: list[Query] = []
        for node in nodes:
            negated = isinstance(node, Not)
            inner = node.operand if isinstance(node, Not) else node
            query = self._node(inner, around._replace(negated=around.negated or negated))
            if query is None:
                continue
            if not negated and filters_only(inner):
                query = unscored(query)
            (without if negated else must).append(query)
        return AllOf(tuple(must), (), tuple(without))

    def _node(self, node: Expression, around: Around) -> Query | None:
        match node:
            case Term() | Phrase() | Prefix():
                return self._leaf(node, around)
            case Filter():
                return unscored(self._filters.compile(node))
            case Field(name=name, operand=operand):
                return self._node(operand, around._replace(field=name))
            case Boost(operand=operand, factor=factor):
                return self._node(operand, around._replace(boost=around.boost * factor))
            case Fuzzy(operand=operand, distance=distance):
                return self._node(operand, around._replace(distance=distance))
            case Or(operands=operands):
                return self._alternatives(operands, around)
            case And(operands=operands):
                return self._conjunction(operands, around)
            case Not():
                return self._conjunction((node,), around)

    def _leaf(self, node: Term | Phrase | Prefix, around: Around) -> Query | None:
        if isinstance(node, Term):
            return self._leaves.word(node, around)
        if isinstance(node, Phrase):
            return self._leaves.quoted(node, around)
        return self._leaves.prefix(node, around)

    def _alternatives(self, operands: Iterable[Expression], around: Around) -> Query | None:
        """Return the query for an OR; an operand that only filters scores 1.0, as it does alone."""
        found = []
        for operand in operands:
            query = self._node(operand, around)
            if query is None:
                continue
            if filters_only(operand):
                query = Constant(query, around.boost)
            found.append(query)
        return any_of(found) if found else None

    def _conjunction(self, operands: Iterable[Expression], around: Around) -> Query | None:
        clauses = self._clauses(operands, around)
        return clauses if clauses.must else None
