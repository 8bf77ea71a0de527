"""Compile words, phrases and prefixes to engine queries, in the text fields of one language.

A plain word is looked for in the text of a chunk (which its titles are part of), in the line of
its titles, in its tags and its path. A word that the analyzer splits (`snake_case`, a run of
Chinese) is a phrase of its parts. `CompiledTerm` records what was looked for: that explains
scores and finds the matches in a text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from leafmark.index import Language, Snapshot
from leafmark.index.analysis import has_signs, is_solid
from leafmark.index.filter_terms import fact
from leafmark.index.folding import fold
from leafmark.index.queries import (
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasPhrase,
    HasPhraseMatch,
    HasTerm,
    NoChunk,
    Query,
    Scaled,
    unscored,
)
from leafmark.index.schema import TEXT_FIELDS
from leafmark.index.snapshot import Lookup
from leafmark.index.text_with_titles import phrases_within
from leafmark.index.words import Vocabulary as Words
from leafmark.namedtuples import NamedTuple
from leafmark.query import Expression, Phrase, Prefix, Term
from leafmark.search.names import chunk_terms, query_name
from leafmark.search.options import SearchOptions
from leafmark.search.spelling import (
    EDIT_SHARE,
    Alternative,
    Begun,
    Speller,
    is_to_be_corrected,
)
from leafmark.search.vocabulary import vocabulary_of

MAX_MENDED = 2
"""The most unknown parts of one word that are corrected; more are no typing error (by eye)."""

BEGUN_FROM = 3
"""The least length of a word that counts as a prefix if it occurs nowhere itself."""

MAX_BEGUN = 8
"""The most words to which such a prefix is expanded, the most frequent ones."""

MAX_PHRASES = 64
"""Phrases that one phrase with several alternatives for its words may become."""

NAMED_FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 3.0, "tags": 2.5, "path": 2.0, "body": 1.0}
)
"""Factors of fields that the query names: the founding ones."""

Sequences = Sequence[tuple[Alternative, ...]]


class QueryScope(NamedTuple):
    """What the nodes above a node say of it.

    `field` is None for all text fields, `distance` None for the setting,
    `boost` the product of all boosts around the node.
    """

    field: str | None = None
    distance: int | None = None
    boost: float = 1.0
    negated: bool = False


class CompiledTerm(NamedTuple):
    """One thing that was looked for: a word, a phrase or a prefix.

    `label` is how it was typed, `number` its place in the query, from 0. `sequences` are
    the terms, or terms beside each other, that match it in a text; their words must begin
    with `prefix`. `queries` are its queries by field, `query` is their sum: nothing for what
    occurs nowhere. `corrected` are the words looked for in
    its place if it occurs nowhere; with `begun`, what begins with it, or it is part of, is.
    `instead` are the sequences in order, the best first. `field` is the only field to look in
    (None: all). `idf` is its rarity; `terms` are the terms that were typed.
    """

    label: str
    number: int
    sequences: frozenset[tuple[str, ...]]
    queries: tuple[tuple[str, Query], ...]
    query: Query
    idf: float
    terms: tuple[str, ...] = ()
    prefix: str = ""
    corrected: tuple[str, ...] = ()
    begun: bool = False
    instead: tuple[tuple[str, ...], ...] = ()
    field: str | None = None


def _sum_of(queries: tuple[Query, ...]) -> Query:
    if not queries:
        return NoChunk()
    return queries[0] if len(queries) == 1 else AnyOf(queries)


class TermCompiler:
    """Compiles the leaves of one topic in one language."""

    def __init__(self, snapshot: Snapshot, language: Language, options: SearchOptions):
        self.language = language
        self._analyzer = language.analyzer
        self._names = {name: str(getattr(language, name)) for name in (*TEXT_FIELDS, "titles")}
        self._others = [other for other in snapshot.languages if other.name != language.name]
        self._vocabulary = vocabulary_of(snapshot)
        self._speller = Speller(self._vocabulary, language)
        self.words = Words(
            language.analyzer,
            partial(self._vocabulary.frequency, language.body),
            partial(snapshot.terms, language.body),
            holding=partial(snapshot.holding, language.body),
        )
        self._titles = language.titles
        self._distance = options.fuzzy_distance
        self._weights = {
            "body": 1.0,
            "titles": options.titles_weight,
            "tags": options.tags_weight,
            "path": options.path_weight,
        }
        self._compiled: dict[int, CompiledTerm] = {}

    @property
    def compiled(self) -> tuple[CompiledTerm, ...]:
        """The compiled terms, in order, without negated parts."""
        return tuple(self._compiled.values())

    def find(self, node: Term | Phrase | Prefix) -> CompiledTerm | None:
        """Return the compiled term of a node, if any."""
        return self._compiled.get(id(node))

    def expect(self, leaf: Expression) -> None:
        """Announce the look-ups for a prefix, or for a word in case that it occurs nowhere."""
        if isinstance(leaf, Prefix):
            typed = self._beginning(leaf)
            fields = self._fields(QueryScope())
            self._vocabulary.expect(*self._speller.expected_of_beginning(typed, fields))
        elif isinstance(leaf, Term):
            text = leaf.text
            self._vocabulary.expect(self._expected_terms(text), self._expected_lookups(text))

    def _expected_terms(self, text: str) -> Iterator[tuple[str, str]]:
        unknown = self._unknown(text)
        fields = self._fields(QueryScope())
        for typed, _ in unknown:
            yield from itertools.product(fields, self._speller.expected_terms(typed))
        if len(unknown) == 1:
            parts = self.words.parts_of(unknown[0][0])
            yield from itertools.product(self.language.fields, parts)

    def _expected_lookups(self, text: str) -> Iterator[Lookup]:
        unknown = self._unknown(text)
        fields = self._fields(QueryScope())
        for typed, term in unknown:
            yield from self._speller.expected_lookups(typed, term, fields, self._distance)
        if len(unknown) == 1 and (compound := self.words.inner_stem(unknown[0][0])):
            yield Lookup("holds", (self.language.body,), (compound,))

    def _unknown(self, text: str) -> list[tuple[str, str]]:
        """Return the words of a text that will be corrected or completed, with their stems."""
        if not self._distance:
            return []
        fields = self._fields(QueryScope())
        unknown = [
            (fold(text[token.start : token.end]), token.term)
            for token in self._analyzer.tokens_of_word(text)
        ]
        return [
            (typed, term)
            for typed, term in unknown
            if is_to_be_corrected(typed, self._speller.frequency(term, fields))
            and not self._occurs_in_others(typed)
        ]

    # -- leaves -----------------------------------------------------------------------

    def word(self, node: Term, scope: QueryScope) -> Query | None:
        """Return the query for a word in each way it may be written; None if it has no term.

        `UTF-8` is `utf8`, too, and `readCsv` is `read csv`. Of a word that stands nowhere, what
        begins so, what it is part of, or what it may be written as; else it is corrected.
        """
        first, *others = self._analyzer.readings(node.text) or [()]
        if not first:
            return None
        if has_signs(node.text) and self._occurs(first, scope):
            others = []  # `.NET` is no net
        written = [
            tuple(Alternative(term, term) for term in terms)
            for terms in others
            if scope.distance is None and self._occurs(terms, scope)
        ]
        if len(first) == 1:
            token = self._analyzer.tokens_of_word(node.text)[0]
            typed = fold(node.text[token.start : token.end])
            known = self._speller.frequency(first[0], self._fields(scope))
            instead = () if written or known else self._instead(typed, scope)
            if instead:
                return self._compile(node, scope, instead, first, begun=True)
            choices = self._choices(typed, first[0], scope, known)
            sequences: list[tuple[Alternative, ...]] = [
                (choice,) for choice in choices if not (written and _is_mended(choice))
            ]
        else:
            sequences = [] if written else self._phrases(node, scope, mended=True)
            if not sequences:
                sequences = [tuple(Alternative(term, term) for term in first)]
        return self._compile(node, scope, [*sequences, *written], first)

    def _occurs(self, terms: Sequence[str], scope: QueryScope) -> bool:
        count = self._vocabulary.phrase_frequency
        fields = [name for name in self._fields(scope) if name != self._titles]
        return any(count(name, terms) for name in (*fields, self.language.links))

    def _instead(self, typed: str, scope: QueryScope) -> Sequences:
        """Return the replacements of a word that occurs nowhere itself: `auth`, `dropdown`.

        These are its parts as separate words, else the names that contain it, else the words that
        begin with it.
        """
        if scope.distance is not None or scope.negated or not self._distance:
            return ()
        fields = self._fields(scope)
        if len(typed) < BEGUN_FROM or not typed.isalnum():
            return ()
        if self._occurs_in_others(typed):
            return ()
        apart = (split for split in self.words.splits(typed) if self._occurs(split, scope))
        split = next(apart, None)
        if split is not None:
            return [tuple(Alternative(word, word, kind="begun") for word in split)]
        names = self.words.names_with(typed, MAX_BEGUN)
        if names:
            return [(Alternative(word, word, kind="begun"),) for word in names]
        if not typed.isalpha():
            return ()
        begun = self._speller.begun(typed.lower(), fields).terms
        return [(begun_word,) for begun_word in begun if begun_word.term.startswith(typed.lower())][
            :MAX_BEGUN
        ]

    def phrase(self, node: Phrase, scope: QueryScope) -> Query | None:
        """Return the query for adjacent words, corrected only if the query requests edits."""
        terms = tuple(token.term for token in self._analyzer.tokens_of_word(node.text))
        if not terms:
            return None
        return self._compile(node, scope, self._phrases(node, scope), terms)

    def _phrases(
        self, node: Term | Phrase, scope: QueryScope, *, mended: bool = False
    ) -> list[tuple[Alternative, ...]]:
        """Return the sequences of terms that adjacent words may mean.

        With `mended`, words that occur nowhere are corrected too, unless there are many of them.
        """
        tokens = self._analyzer.tokens_of_word(node.text)
        names = self._fields(scope)
        unknown = {token.term for token in tokens if not self._speller.frequency(token.term, names)}
        if not mended or len(unknown) > MAX_MENDED:
            unknown = set()
        exactly = scope._replace(distance=scope.distance or 0)
        words = [
            self._choices(
                fold(node.text[token.start : token.end]),
                token.term,
                scope if token.term in unknown else exactly,
                self._speller.frequency(token.term, names),
            )
            for token in tokens
        ]
        return _combinations(words)

    def _beginning(self, node: Prefix) -> str:
        """Return the last typed word, which is the prefix of others."""
        tokens = self._analyzer.tokens_of_word(node.text)
        return fold(node.text[tokens[-1].start : tokens[-1].end]).lower() if tokens else ""

    def prefix(self, node: Prefix, scope: QueryScope) -> Query | None:
        tokens = self._analyzer.tokens_of_word(node.text)
        if not tokens:
            return None
        *before, _ = tokens
        typed = self._beginning(node)
        words = [[Alternative(token.term, token.term)] for token in before]
        begun = self._speller.begun(typed, self._fields(scope))
        sequences = _combinations([*words, begun.terms]) if begun.terms else []
        fields = [scope.field] if scope.field else list(self._weights)
        rarer = [
            (field, self._rarer(field, tuple(word for (word,) in words), begun, scope))
            for field in fields
            if begun.rarer.get(self._names[field])
        ]
        marked = () if before else itertools.chain.from_iterable(begun.rarer.values())
        return self._compile(node, scope, sequences, (), prefix=typed, rarer=rarer, marked=marked)

    def _choices(self, typed: str, term: str, scope: QueryScope, known: int) -> list[Alternative]:
        """Return the indexed terms that a word may mean; it occurs in `known` chunks."""
        is_asked = scope.distance is not None
        distance = self._distance if scope.distance is None else scope.distance
        exact = Alternative(term, typed)
        if not distance or not (is_asked or is_to_be_corrected(typed, known)):
            return [exact]
        if not is_asked and (scope.negated or self._occurs_in_others(typed)):
            return [exact]
        near = self._speller.near(typed, term, self._fields(scope), distance, is_asked=is_asked)
        share = EDIT_SHARE if known else 1.0
        return [exact, *(Alternative(term, how, share, "corrected") for term, how in near)]

    def _occurs_in_others(self, typed: str) -> bool:
        """Whether the word occurs in another language of the index: then it is no error."""
        return any(
            self._vocabulary.frequency(str(getattr(other, field)), term)
            for other in self._others
            for term in other.analyzer.terms(typed)
            for field in TEXT_FIELDS
        )

    def _fields(self, scope: QueryScope) -> list[str]:
        """Return the index's names of the fields to look in; the first tells how rare it is."""
        if scope.field:
            return [self._names[scope.field]]
        return [self._names[name] for name in ("body", "titles", "tags", "path")]

    def _compile(  # noqa: PLR0913 - what was typed, and what it is looked for as
        self,
        node: Term | Phrase | Prefix,
        scope: QueryScope,
        sequences: Sequences,
        terms: tuple[str, ...],
        *,
        prefix: str = "",
        rarer: Sequence[tuple[str, Query]] = (),
        marked: Iterable[str] = (),
        begun: bool = False,
    ) -> Query:
        """Return the query for one leaf, and record its compiled term.

        `rarer` are more queries by field, whose terms are `marked` in texts.
        """
        fields = [scope.field] if scope.field else list(self._weights)
        queries = {
            field: query
            for field in fields
            if (query := self._in_field(field, sequences, scope)) is not None
        }
        if scope.field == "title" and not prefix and (defined := self._defined(node.text, scope)):
            queries["names"] = defined
        if scope.field is None and len(terms) > 2 and "/" in node.text:
            queries |= self._links(terms)
        for field, query in rarer:
            queries[field] = BestOf((queries[field], query)) if field in queries else query
        term = CompiledTerm(
            node.text,
            len(self._compiled),
            frozenset([tuple([choice.term for choice in sequence]) for sequence in sequences])
            | {(term,) for term in marked},
            tuple(queries.items()),
            _sum_of(tuple(queries.values())),
            self._idf(sequences, is_known=bool(queries) and not begun),
            terms,
            prefix,
            _corrected(sequences),
            begun,
            tuple(tuple(choice.term for choice in sequence) for sequence in sequences),
            scope.field,
        )
        if not scope.negated:
            self._compiled.setdefault(id(node), term)
        return term.query

    def _links(self, terms: tuple[str, ...]) -> dict[str, Query]:
        """Return the query for chunks that link to an address; they get its rarity."""
        frequency = self._vocabulary.phrase_frequency(self.language.links, terms)
        if not frequency:
            return {}
        phrase = HasPhrase(self.language.links, terms)
        return {"links": Constant(phrase, self._vocabulary.idf(frequency))}

    def _defined(self, text: str, scope: QueryScope) -> Query | None:
        """Return the query for chunks that define a name; it counts like a title."""
        name = query_name(self.language, [text])
        known = [term for term in chunk_terms(name) if self._vocabulary.frequency("names", term)]
        if not known:
            return None
        rarity = self._vocabulary.idf(self._text_frequency([word.stem for word in name]))
        return Constant(HasAny("names", tuple(known)), self._weight("title", scope) * rarity)

    # -- scores -----------------------------------------------------------------------

    def _idf(self, sequences: Sequences, *, is_known: bool) -> float:
        """Return the rarity of the typed words; corrected words get the highest rarity."""
        if not is_known or _corrected(sequences):
            return self._vocabulary.idf(0)
        counts = (
            self._text_frequency([choice.term for choice in sequence]) for sequence in sequences
        )
        return self._vocabulary.idf(max(counts, default=0))

    def _text_frequency(self, terms: Sequence[str]) -> int:
        """Return the number of texts with a word; of several terms, that of the rarest one.

        Characters of a script without spaces must be adjacent: only together are they a word.
        """
        body = self._names["body"]
        if len(terms) > 1 and all(map(is_solid, terms)):
            return self._vocabulary.phrase_frequency(body, terms)
        return min([self._vocabulary.frequency(body, term) for term in terms])

    def _in_field(self, field: str, sequences: Sequences, scope: QueryScope) -> Query | None:
        """Return the query for the sequences that occur in one field; the best one scores."""
        weight = self._weight(field, scope)
        if not weight and not scope.field:
            return None
        name, frequency = self._names[field], self._vocabulary.frequency
        occurring = [
            sequence
            for sequence in sequences
            if 0 not in [frequency(name, choice.term) for choice in sequence]
        ]
        if not occurring:
            return None
        level = self._level(field, occurring)
        queries = [self._scored(field, sequence, weight, level) for sequence in occurring]
        if scope.field == "body":
            queries = [
                self._in_text(query, sequence)
                for query, sequence in zip(queries, occurring, strict=True)
            ]
        return BestOf(tuple(queries)) if len(queries) > 1 else queries[0]

    def _weight(self, field: str, scope: QueryScope) -> float:
        weights = NAMED_FIELD_WEIGHTS if scope.field else self._weights
        return weights[field] * scope.boost

    def _level(self, field: str, sequences: Sequences) -> int:
        """Return the frequency for the idf of all terms that one word may mean: their highest.

        Otherwise the rarest term, which is the least likely one, would score best.
        """
        others = [
            sequence[0].term
            for sequence in sequences
            if len(sequence) == 1 and sequence[0].kind != "typed"
        ]
        if not others:
            return 0
        return max([self._weighed_frequency(field, term) for term in others])

    def _weighed_frequency(self, field: str, term: str) -> int:
        """Return the number of chunks that sets a term's idf in a field.

        It is that in texts, if that is higher: titles and paths have few words, so nearly
        every one is rare there, and common words would weigh most.
        """
        frequency = self._vocabulary.frequency
        own = frequency(self._names[field], term)
        return own if field == "tags" else max(own, frequency(self._names["body"], term))

    def _scored(
        self, field: str, sequence: tuple[Alternative, ...], weight: float, level: int
    ) -> Query:
        """Return the query for one sequence in one field.

        A tag counts by its rarity alone. BM25 would compare the number of a chunk's tags with
        the average of all chunks; if few documents have tags, that is near 0.
        """
        name = self._names[field]
        share = weight * math.prod([choice.share for choice in sequence])
        terms = tuple([choice.term for choice in sequence])
        is_typed = len(terms) > 1 or sequence[0].kind == "typed"
        least = min([self._weighed_frequency(field, term) for term in terms]) if is_typed else level
        idf = self._vocabulary.idf(least)
        if len(terms) == 1:
            query: Query = HasTerm(name, terms[0])
        elif field == "titles":  # has no positions: they are those of the text read with titles
            stands = AnyOf(
                tuple(HasPhrase(self._names[field_name], terms) for field_name in ("title", "body"))
            )
            query = AllOf((*(HasTerm(name, term) for term in terms), unscored(stands)))
        else:
            query = HasPhrase(name, terms)
        if field == "tags":
            return Constant(query, share * idf)
        frequency, rarity = self._vocabulary.frequency, self._vocabulary.idf
        factor = share * idf / sum([rarity(frequency(name, term)) for term in terms])
        return query if factor == 1 else Scaled(query, factor)

    def _in_text(self, query: Query, sequence: tuple[Alternative, ...]) -> Query:
        """Leave out chunks that have the sequence, or a part of it, only from the titles above."""
        above = tuple(
            fact("above", part) for part in phrases_within([choice.term for choice in sequence])
        )
        return AllOf((query,), without=(HasAny("facts", above),))

    def _rarer(
        self, field: str, before: tuple[Alternative, ...], begun: Begun, scope: QueryScope
    ) -> Query:
        """Return the query for words that are too rare to be scored one by one.

        One of them scores like one of the others that stands once in a text of usual length.
        """
        rarer = self._rarer_in(field, before, begun, in_text=scope.field == "body")
        level = self._level(field, [(choice,) for choice in begun.terms])
        frequencies = [*(self._weighed_frequency(field, choice.term) for choice in before), level]
        rarity = sum(map(self._vocabulary.idf, frequencies))
        return Constant(rarer, self._weight(field, scope) * rarity)

    def _rarer_in(
        self, field: str, before: tuple[Alternative, ...], begun: Begun, *, in_text: bool
    ) -> Query:
        name = self._names[field]
        if before:
            terms = [choice.term for choice in before]
            query: Query = HasPhraseMatch(name, (*terms, f"({'|'.join(begun.beginnings)}).*"))
            return self._in_text(query, before) if in_text else query
        rarer = set(begun.rarer[name])
        above = self._from_titles(begun) & rarer if in_text else set()
        alone = [
            self._in_text(HasTerm(name, term), (Alternative(term, term),)) for term in sorted(above)
        ]
        return AnyOf((HasAny(name, tuple(sorted(rarer - above))), *alone))

    def _from_titles(self, begun: Begun) -> set[str]:
        """Return the terms that begin so and that some text has only from its titles."""
        every = (
            self._vocabulary.all_beginning_with("facts", fact("above", beginning))
            for beginning in begun.beginnings
        )
        return {term.removeprefix(fact("above", "")) for listed in every for term in listed}


def _corrected(sequences: Iterable[tuple[Alternative, ...]]) -> tuple[str, ...]:
    """Return the corrections of a word that occurs nowhere, best first.

    The parts of a word of several parts are joined by spaces.
    """
    mended = (sequence for sequence in sequences if any(map(_is_mended, sequence)))
    return tuple(" ".join(choice.word for choice in sequence) for sequence in mended)


def _is_mended(choice: Alternative) -> bool:
    return choice.kind == "corrected" and choice.share == 1.0


def _combinations(words: Sequence[Sequence[Alternative]]) -> list[tuple[Alternative, ...]]:
    """Return the sequences of one alternative for each word, at most `MAX_PHRASES`."""
    several = sum(1 for choices in words if len(choices) > 1)
    most = max(2, int(MAX_PHRASES ** (1 / several))) if several else 1
    return list(
        itertools.islice(itertools.product(*(choices[:most] for choices in words)), MAX_PHRASES)
    )
