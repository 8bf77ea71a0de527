"""Compiling queries to the engine's objects, and the engine's frequencies and terms.

Scores equal those of a fresh index. The engine counts deleted chunks until their segments are
merged, so its document frequencies depend on the history of the index. If chunks were deleted,
each scored term is counted again, and its score is corrected by the ratio of the two rarities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import tantivy

from leafmark.index.embedded.generation import RecordCounts, count_matches, every_chunk
from leafmark.index.folding import bare
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasMatch,
    HasPhrase,
    HasPhraseMatch,
    HasPhrasePrefix,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
)
from leafmark.index.schema import RAW_FIELDS
from leafmark.model import Recent
from leafmark.suggest import edits_from

_REMEMBERED_TERMS = 10_000
"""How many term counts are cached; about 200 bytes each."""

_REMEMBERED_PATTERNS = 50
"""How many regular expressions are cached; building one takes about a millisecond."""

_FEW_TERMS = 100
"""Up to this many terms are looked up one by one: the engine's set query scans the dictionary,
which takes a millisecond even for one term (measured)."""

_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


class Frequencies:
    """Counts the chunks that contain a term; threads may share it.

    It refers to the searcher, never to the reader.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, counts: RecordCounts):
        self._searcher = searcher
        self._schema = schema
        self._counts = counts
        self._live: Recent[tuple[str, str], int] = Recent(_REMEMBERED_TERMS)
        self._corrections: Recent[tuple[str, tuple[str, ...]], float] = Recent(_REMEMBERED_TERMS)

    def live(self, field: str, term: str) -> int:
        """Return how many chunks contain a term.

        Linear in the result if chunks were deleted, else constant.
        """
        frequency = self.stored(field, term)
        if not frequency or not self._counts.deleted:
            return frequency
        key = (field, term)
        live = self._live.get(key)
        if live is None:
            query = tantivy.Query.term_query(self._schema, field, term, "basic")
            live = count_matches(self._searcher, query)
            self._live.put(key, live)
        return live

    def stored(self, field: str, term: str) -> int:
        """Return how many chunks, deleted ones included, contain a term; constant time."""
        return self._searcher.doc_freq(field, term)

    def correction(self, field: str, terms: tuple[str, ...]) -> float:
        """Return the ratio of the terms' true rarity, summed, to the engine's."""
        if not self._counts.deleted:
            return 1.0
        key = (field, terms)
        correction = self._corrections.get(key)
        if correction is None:
            live, stored = self._counts.live, self._counts.stored
            true = sum(_idf(live, self.live(field, term)) for term in terms)
            correction = true / sum(_idf(stored, self.stored(field, term)) for term in terms)
            self._corrections.put(key, correction)
        return correction


def _idf(total: int, frequency: int) -> float:
    """Return the inverse document frequency as the engine computes it."""
    return math.log(1 + max(0.5, total - frequency + 0.5) / (frequency + 0.5))


class Compiler:
    """Compiles for one searcher."""

    def __init__(self, schema: tantivy.Schema, frequencies: Frequencies):
        self.schema = schema
        self.frequencies = frequencies
        self.patterns: Recent[HasMatch, tantivy.Query] = Recent(_REMEMBERED_PATTERNS)

    def compile(self, query: Query, *, scored: bool = True) -> tantivy.Query:
        """Return the engine's query; if its scores are of no interest, without them."""
        return Compilation(self).compile(query, scored=scored)


class Compilation:
    """Compiles the queries of one batch; a subquery that several of them share is compiled once."""

    def __init__(self, compiler: Compiler):
        self._compiler = compiler
        self._schema = compiler.schema
        self._compiled: dict[tuple[int, bool], tuple[Query, tantivy.Query]] = {}

    def compile(self, query: Query, *, scored: bool = True) -> tantivy.Query:
        """Return the engine's query; if its scores are of no interest, without them."""
        key = (id(query), scored)
        known = self._compiled.get(key)
        if known is None:
            compiled = _BY_TYPE[type(query)](self, query, scored)
            self._compiled[key] = (query, compiled)  # a living query's id is not given to others
            return compiled
        return known[1]

    def _compile_all(self, queries: Iterable[Query], scored: bool) -> list[tantivy.Query]:
        return [self.compile(query, scored=scored) for query in queries]

    def _nothing(self, _query: NoChunk, _scored: bool) -> tantivy.Query:
        return tantivy.Query.empty_query()

    def _everything(self, _query: AllChunks, _scored: bool) -> tantivy.Query:
        return every_chunk()

    def _term(self, query: HasTerm, scored: bool) -> tantivy.Query:
        return self._corrected(query, 1.0) if scored else self._uncorrected(query)

    def _phrase(self, query: HasPhrase, scored: bool) -> tantivy.Query:
        return self._corrected(query, 1.0) if scored else self._uncorrected(query)

    def _corrected(self, query: HasTerm | HasPhrase, factor: float) -> tantivy.Query:
        """Return the query with `factor` times the score of a fresh index."""
        terms = (query.term,) if isinstance(query, HasTerm) else query.terms
        factor *= self._compiler.frequencies.correction(query.field, terms)
        compiled = self._uncorrected(query, "freq")
        return compiled if factor == 1 else tantivy.Query.boost_query(compiled, factor)

    def _uncorrected(self, query: HasTerm | HasPhrase, option: str = "basic") -> tantivy.Query:
        if isinstance(query, HasPhrase):
            terms: list[Any] = [*query.terms]
            return tantivy.Query.phrase_query(self._schema, query.field, terms, query.slop)
        option = "basic" if query.field in RAW_FIELDS else option
        return tantivy.Query.term_query(self._schema, query.field, query.term, option)

    def _any(self, query: HasAny, scored: bool) -> tantivy.Query:
        schema, field, terms = self._schema, query.field, query.terms
        if len(terms) > _FEW_TERMS:
            return tantivy.Query.term_set_query(schema, field, list(terms))
        queries = [tantivy.Query.term_query(schema, field, term, "basic") for term in terms]
        union = _any_of(queries)
        return tantivy.Query.const_score_query(union, 1.0) if scored else union

    def _match(self, query: HasMatch, _scored: bool) -> tantivy.Query:
        patterns = self._compiler.patterns
        compiled = patterns.get(query)
        if compiled is None:
            compiled = tantivy.Query.regex_query(self._schema, query.field, query.pattern)
            patterns.put(query, compiled)
        return compiled

    def _phrase_match(self, query: HasPhraseMatch, _scored: bool) -> tantivy.Query:
        return tantivy.Query.regex_phrase_query(self._schema, query.field, list(query.patterns))

    def _phrase_prefix(self, query: HasPhrasePrefix, _scored: bool) -> tantivy.Query:
        words: list[Any] = [*query.terms, query.prefix]
        return tantivy.Query.phrase_prefix_query(self._schema, query.field, words)

    def _range(self, query: InRange, _scored: bool) -> tantivy.Query:
        first, last = query.first or 0, query.last
        if last is not None and last < max(0, first):
            return tantivy.Query.empty_query()
        number = tantivy.FieldType.Unsigned
        return tantivy.Query.range_query(self._schema, query.field, number, max(0, first), last)

    def _scaled(self, query: Scaled, scored: bool) -> tantivy.Query:
        inner = query.query
        if not scored:
            return self.compile(inner, scored=False)
        if isinstance(inner, HasTerm | HasPhrase):
            return self._corrected(inner, query.factor)
        return tantivy.Query.boost_query(self.compile(inner), query.factor)

    def _constant(self, query: Constant, scored: bool) -> tantivy.Query:
        inner = self.compile(query.query, scored=False)
        return tantivy.Query.const_score_query(inner, query.score) if scored else inner

    def _any_of(self, query: AnyOf, scored: bool) -> tantivy.Query:
        return _any_of(self._compile_all(_summands(query), scored), query.least)

    def _all_of(self, query: AllOf, scored: bool) -> tantivy.Query:
        must = self._compile_all(query.must, scored)
        should = self._compile_all(query.should, scored) if scored else []
        without = self._compile_all(query.without, False)
        if len(must) == 1 and not should and not without:
            return must[0]
        if not must:
            must = [tantivy.Query.const_score_query(every_chunk(), 0.0)]
        clauses = [(_MUST, clause) for clause in must]
        clauses += [(_SHOULD, clause) for clause in should]
        clauses += [(_NOT, clause) for clause in without]
        return tantivy.Query.boolean_query(clauses)

    def _best_of(self, query: BestOf, scored: bool) -> tantivy.Query:
        queries = self._compile_all(query.queries, scored)
        if not scored:
            return _any_of(queries)
        if len(queries) == 1:
            return queries[0]
        return tantivy.Query.disjunction_max_query(queries) if queries else _any_of(queries)


def _summands(query: AnyOf) -> Iterable[Query]:
    """Yield the operands of a sum, with nested sums flattened: the engine is faster with one."""
    for operand in query.queries:
        if query.least == 1 and isinstance(operand, AnyOf) and operand.least == 1:
            yield from _summands(operand)
        else:
            yield operand


def _any_of(queries: Sequence[tantivy.Query], least: int = 1) -> tantivy.Query:
    if not queries:
        return tantivy.Query.empty_query()
    if len(queries) == 1 and least == 1:
        return queries[0]
    clauses = [(_SHOULD, query) for query in queries]
    return tantivy.Query.boolean_query(clauses, minimum_number_should_match=least)


_BY_TYPE: Mapping[type[Query], Callable[[Compilation, Any, bool], tantivy.Query]] = {
    NoChunk: Compilation._nothing,
    AllChunks: Compilation._everything,
    HasTerm: Compilation._term,
    HasPhrase: Compilation._phrase,
    HasAny: Compilation._any,
    HasMatch: Compilation._match,
    HasPhraseMatch: Compilation._phrase_match,
    HasPhrasePrefix: Compilation._phrase_prefix,
    InRange: Compilation._range,
    Scaled: Compilation._scaled,
    Constant: Compilation._constant,
    AnyOf: Compilation._any_of,
    AllOf: Compilation._all_of,
    BestOf: Compilation._best_of,
}


class Vocabulary:
    """The terms of a few fields; `list_terms` lists a field's terms, of deleted chunks too."""

    def __init__(self, list_terms: Callable[[str], Iterable[str]], fields: Sequence[str]):
        self._terms = dict.fromkeys(term for field in fields for term in list_terms(field))

    def near(self, word: str, distance: int) -> list[str]:
        """Return the terms within `distance` edits of a word: see `within_distance`."""
        letters = set(word)
        lengths = range(len(word) - distance, len(word) + distance + 1)
        some = [
            term
            for length in lengths
            for term in self._by_length.get(length, ())
            if len(letters.difference(term)) <= distance and len(set(term) - letters) <= distance
        ]
        return within_distance(word, some, distance)

    def alike(self, words: Iterable[str]) -> list[str]:
        """Return the terms that equal one of the words, or do so without their marks."""
        terms: list[str] = []
        for word in dict.fromkeys(words):
            terms += [word] if word in self._terms and word.isascii() else []
            terms += self._marked.get(word, ())
        return terms

    def holding(self, text: str) -> list[str]:
        """Return the terms that contain a text: a search in one text that joins all of them."""
        terms, at = [], self._joined.find(text)
        while at >= 0:
            start, end = self._joined.rfind("\n", 0, at) + 1, self._joined.find("\n", at)
            terms.append(self._joined[start:end])
            at = self._joined.find(text, end)
        return terms

    @cached_property
    def _joined(self) -> str:
        return "\n".join([*self._terms, ""])

    @cached_property
    def _by_length(self) -> Mapping[int, Sequence[str]]:
        by_length: dict[int, list[str]] = {}
        for term in self._terms:
            by_length.setdefault(len(term), []).append(term)
        return by_length

    @cached_property
    def _marked(self) -> Mapping[str, Sequence[str]]:
        """The terms with letters past ASCII, by their form without marks."""
        by_bare_form: dict[str, list[str]] = {}
        for term in self._terms:
            if not term.isascii():
                by_bare_form.setdefault(bare(term), []).append(term)
        return by_bare_form


def within_distance(word: str, others: Iterable[str], distance: int) -> list[str]:
    """Return the words among `others` within `distance` edits of `word`, in order.

    There must be fewer edits than the shorter word has letters, as in Lucene: with as many,
    any word becomes any other (`a` becomes `zax`).

    >>> within_distance("recieve", ["receive", "relieved", "deceive"], 2)
    ['receive', 'relieved', 'deceive']
    >>> within_distance("zax", ["a", "ab", "max"], 2)
    ['max']
    """
    edits = edits_from(word)
    return [
        other
        for other in others
        if abs(len(other) - len(word)) <= distance
        and edits(other) <= min(distance, len(word) - 1, len(other) - 1)
    ]
