"""Compile an expression for one language of the index, to queries that require, score, and filter.

A topic has plain words, which need not all match unless the search is strict, and what the user
stated: quotes, fields, operators, filters, negations. Stop words count only where there is
nothing else. Filters admit chunks by facts about them and never score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from leafmark.index import Language, Snapshot
from leafmark.index.filter_terms import (
    canonical,
    fact,
    format_fact,
    language_fact,
    meta_prefix,
    tag_fact,
)
from leafmark.index.folding import fold, path_spellings
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    Constant,
    HasAny,
    HasMatch,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
    any_of,
    unscored,
)
from leafmark.index.roles import requested_role
from leafmark.index.words import Vocabulary as Words
from leafmark.model import Entry, encode_path
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
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
    Range,
    Term,
    admits,
    filters_only,
    iter_leaves,
    parts_of,
    plain_words,
)
from leafmark.search.lookup import find_chunks
from leafmark.search.names import Name, is_borne, name_terms, query_name
from leafmark.search.options import SearchOptions
from leafmark.search.stop_words import (
    detect_language,
    frequencies_in,
    query_language,
    split_words,
    stop_words,
    topic_text,
)
from leafmark.search.terms import CompiledTerm, QueryScope, TermCompiler
from leafmark.search.vocabulary import vocabulary_of

RELAXED_FROM = 5
"""The least length of a corrected word that a match may rest on alone.

Nearly any three or four letters are one edit from some word, so a query about nothing would
match (measured on 188,000 chunks).
"""

MAX_PARTS = 6
"""A word of more parts is an address or a hash; its parts are not searched for."""

MAX_KEYWORDS = 4
"""A query of up to so many words without question words is a few keywords (by eye)."""

PARTS_SHARE = 0.3
"""The weight of a part of a compound name; the whole has 1 (measured: 0.2 to 0.5 do the same)."""

_REGEX_SIGNS = lazy_pattern(r"[\\.+*?()|\[\]{}^$]")
_NUMBER_LIKE = lazy_pattern(r"[+-]?[0-9.]")


def compile_topic(
    snapshot: Snapshot, topic: Expression, options: SearchOptions
) -> dict[str | None, CompiledTopic]:
    """Return the topic compiled for each language in which it has anything to look up."""
    leaves = [node.leaf for node in iter_leaves(topic)]
    compilers = [TermCompiler(snapshot, language, options) for language in snapshot.languages]
    for compiler in compilers:  # all before the first one asks
        for leaf in leaves:
            compiler.expect(leaf)
    compiled = (CompiledTopic(snapshot, options, one_language, topic) for one_language in compilers)
    return {
        one_language.language.name: one_language
        for one_language in compiled
        if not one_language.asks_nothing
    }


class CompiledTopic:
    """One topic in one language.

    `words` are the plain words to search for; `all_terms` has the terms of the other parts, too.
    `is_few_keywords` says that no word only asks a question. A topic with `filters_only` has no
    scores; `asks_nothing` says that no part of it can be looked up. A topic that `is_split` has a
    word whose parts are nowhere next to each other, so no text has all of it. `name` are the words
    of a query that may be a name. A topic that `is_foreign` is not in the main language.
    `requested_role` is the role of texts that the query is about, such as changelogs.
    """

    def __init__(
        self, snapshot: Snapshot, options: SearchOptions, terms: TermCompiler, topic: Expression
    ):
        self.language = language = terms.language
        self.filters_only = filters_only(topic)
        self.text = topic_text(topic)
        self._snapshot = snapshot
        self._options = options
        self._filters = Filters(snapshot)
        self._terms = terms
        shape = _shape_of(snapshot, topic, language)
        self.is_few_keywords = not shape.stops and len(shape.content) <= MAX_KEYWORDS
        self._topic = topic
        self.is_split = False
        others = self._clauses(shape.others, QueryScope())
        self._must = tuple(query for query, negated in others if not negated)
        self._without = tuple(query for query, negated in others if negated)
        texts = [part for part in shape.others if isinstance(part, Phrase)]
        self.quoted = tuple(term for part in texts if (term := self._terms.find(part)))
        content = [part for word in shape.content for part in self._occurring(word)]
        self.words = tuple(
            term
            for word in content
            if self._terms.word(word, QueryScope()) is not None and (term := self._terms.find(word))
        )
        self.name_written, self.name = ("", ()) if self._without else self._name_of(shape)
        for word in shape.stops:
            self._terms.word(word, QueryScope(distance=0))
        stops = [self._terms.find(word) for word in shape.stops]
        self.stops = frozenset(stop.number for stop in stops if stop)
        self.all_terms = self._terms.compiled
        self.asks_nothing = not self.words and not self._must

    def _name_of(self, shape: _Shape) -> tuple[str, Name]:
        """Return a possible name as typed, and as a `Name`; corrected if nothing has that name."""
        mended = {word.label: word.corrected[0] for word in self.words if word.corrected}
        if not mended or is_borne(self._snapshot, shape.name):
            return " ".join(shape.named), shape.name
        named = [mended.get(text, text) for text in shape.named]
        return " ".join(named), _name(self._snapshot, self.language, named)

    # -- whole queries ----------------------------------------------------------------

    @cached_property
    def is_foreign(self) -> bool:
        return not self.text.isascii() or query_language([self._topic]) not in (None, "english")

    @cached_property
    def requested_role(self) -> int:
        return requested_role(self.text)

    @cached_property
    def admitting(self) -> tuple[Query, ...]:
        """The filters of the options; they do not score."""
        queries = self._filters.of_options(self._options)
        if len(self._snapshot.languages) > 1:
            queries.append(self._filters.trees(self.language.trees))
        return tuple(map(unscored, queries))

    @cached_property
    def required(self) -> Query:
        """The query for what every chunk must match; plain words are not part of it."""
        must = (*self._must, *self.admitting)
        return AllOf(must or (unscored(AllChunks()),), without=self._without)

    @cached_property
    def every_word(self) -> Query:
        """The query for chunks that match all words."""
        words = tuple(word.query for word in self.words)
        return AllOf((*words, *self._must, *self.admitting), without=self._without)

    @cached_property
    def some_words(self) -> Query:
        """The query for chunks that match enough of the words, or all stated parts."""
        words = tuple(  # no match rests on a short word that was corrected
            scored
            for word, scored in zip(self.words, self.scored_words, strict=True)
            if word.queries and not (word.corrected and len(word.label) < RELAXED_FROM)
        )
        if not words:
            return self.every_word
        least = max(1, math.ceil(self._options.relax_share * len(self.words)))
        if least > len(words):
            return NoChunk()
        must = (AnyOf(words, least), *self._must, *self.admitting)
        return AllOf(must, without=self._without)

    @cached_property
    def scored_words(self) -> tuple[Query, ...]:
        """The scoring query of each word."""
        return tuple(map(self._scored, self.words))

    def _scored(self, word: CompiledTerm) -> Query:
        """Return the scoring query of a word; a compound name counts more than its parts."""
        if len(word.terms) < 2 or word.corrected or word.field:
            return word.query
        body = self.language.body
        parts = (Scaled(HasTerm(body, term), PARTS_SHARE) for term in dict.fromkeys(word.terms))
        return AnyOf((word.query, *parts))

    @property
    def word_list(self) -> Words:
        """The words of the language, without the texts that they stand in."""
        return self._terms.words

    # -- nodes ------------------------------------------------------------------------

    def _occurring(self, word: Term) -> list[Term]:
        """Return the word, or its parts if they never stand beside each other.

        `--bwlimit=500` and `plotly/bokeh` may occur in no text, while an option and its value, or
        two names, may be.
        """
        tokens = self.language.analyzer.tokens_of_word(word.text)
        if not 1 < len(tokens) <= MAX_PARTS:
            return [word]
        vocabulary = vocabulary_of(self._snapshot)
        terms = [token.term for token in tokens]
        language = self.language
        fields = (language.body, language.title, language.tags, language.path, language.links)
        if any(vocabulary.phrase_frequency(field, terms) for field in fields):
            return [word]
        if word.text.isalnum():
            return [word]
        stops = stop_words(self.language.name)
        parts = [word.text[token.start : token.end] for token in tokens]
        frequencies = {
            part: vocabulary.frequency(self.language.body, term)
            for part, term in zip(parts, terms, strict=True)
            if fold(part).lower() not in stops
        }
        known = [Term(part) for part, frequency in frequencies.items() if frequency]
        self.is_split |= bool(known)
        return known or [word]

    def _clauses(self, nodes: Iterable[Expression], scope: QueryScope) -> list[tuple[Query, bool]]:
        """Return the query of each node with anything to look up, and whether it is negated."""
        clauses = []
        for node in nodes:
            negated = isinstance(node, Not)
            inner = node.operand if isinstance(node, Not) else node
            query = self._node(inner, scope._replace(negated=scope.negated or negated))
            if query is not None:
                clauses.append((unscored(query) if filters_only(inner) else query, negated))
        return clauses

    def _node(self, node: Expression, scope: QueryScope) -> Query | None:  # noqa: C901 - a table
        match node:
            case Term():
                return self._terms.word(node, scope)
            case Phrase():
                return self._terms.phrase(node, scope)
            case Prefix():
                return self._terms.prefix(node, scope)
            case Filter():
                return unscored(self._filters.compile(node))
            case Field(name=name, operand=operand):
                return self._node(operand, scope._replace(field=name))
            case Boost(operand=operand, factor=factor):
                return self._node(operand, scope._replace(boost=scope.boost * factor))
            case Fuzzy(operand=operand, distance=distance):
                return self._node(operand, scope._replace(distance=distance))
            case Or(operands=operands):
                return self._alternatives(operands, scope)
            case And(operands=operands):
                return self._conjunction(operands, scope)
            case Not():
                return self._conjunction((node,), scope)

    def _alternatives(self, operands: Iterable[Expression], scope: QueryScope) -> Query | None:
        """Return the query for an OR; an operand that only filters scores 1.0, as it does alone."""
        alternatives = []
        for operand in operands:
            query = self._node(operand, scope)
            if query is not None:
                alternatives.append(
                    Constant(query, scope.boost) if filters_only(operand) else query
                )
        return AnyOf(tuple(alternatives)) if alternatives else None

    def _conjunction(self, operands: Iterable[Expression], scope: QueryScope) -> Query | None:
        clauses = self._clauses(operands, scope)
        must = tuple(query for query, negated in clauses if not negated)
        without = tuple(query for query, negated in clauses if negated)
        return AllOf(must, without=without) if must else None


def corrected_text(topic: Expression, compiled: Iterable[CompiledTopic]) -> str:
    """Return `topic_text` with misspelt words replaced by their corrections.

    Models do not know misspelt words. Short words are kept, since they can be corrected
    to anything (see `RELAXED_FROM`). A topic with a word without a correction is kept as
    it is: it is in another language, or about something else. `compiled` is the topic in
    each language.
    """
    instead = {
        term.label: term.corrected[0]
        for compiled in compiled
        if all(term.queries for term in compiled.all_terms)
        for term in compiled.all_terms
        if term.corrected and len(term.label) >= RELAXED_FROM
    }
    return topic_text(topic, instead)


# -- the shape of a topic -------------------------------------------------------------


class _Shape(NamedTuple):
    """A topic as one language reads it.

    `content` are the plain words to be found, `stops` those that need not be, `others` the
    other parts. `named` are all plain words, where there is nothing else that scores, and
    `name` are they as a name.
    """

    content: Sequence[Term]
    stops: Sequence[Term]
    others: Sequence[Expression]
    named: Sequence[str]
    name: Name


def _shape_of(snapshot: Snapshot, topic: Expression, language: Language) -> _Shape:
    written = plain_words(topic)
    plain = {id(word) for word in written}
    others = [part for part in parts_of(topic) if id(part) not in plain]
    named = _named(written, others)
    name = _name(snapshot, language, named)
    words, asking = _split(snapshot, written, language)
    words = _distinct(words, language)
    languages = _languages_of(snapshot, words, language)
    known_stops = [stop_words(name) for name in languages]
    stops = [
        word
        for word in words
        if word in asking
        or any(stop_terms.issuperset(_parts_of(word, language)) for stop_terms in known_stops)
    ]
    content = [word for word in words if word not in stops]
    if not content and all(map(filters_only, others)):
        content, stops = words, []
    return _Shape(content, stops, others, named, name)


def _name(snapshot: Snapshot, language: Language, words: Sequence[str]) -> Name:
    """Return the words as a `Name`; its forms are looked up together with the words."""
    name = query_name(language, words)
    vocabulary_of(snapshot).expect(("names", term) for term in name_terms(name))
    return name


def _named(written: Sequence[Term], others: Sequence[Expression]) -> list[str]:
    """Return the words that may be a name: plain ones or those of `title:`, if these are all."""
    scored = [part for part in others if not filters_only(part)]
    if not scored:
        return [word.text for word in written]
    if written or len(scored) > 1:
        return []
    match scored[0]:
        case Field(name="title", operand=Term(text=text) | Phrase(text=text)):
            return [text]
    return []


def _split(
    snapshot: Snapshot, written: Sequence[Term], language: Language
) -> tuple[list[Term], list[Term]]:
    """Return the words, with runs without spaces split, and the set of question words."""
    words: list[Term] = []
    asking: list[Term] = []
    if all(word.text.isascii() for word in written):
        return [*written], asking
    frequencies = frequencies_in(snapshot)
    for word in written:
        for piece in split_words(word.text, language.analyzer, frequencies):
            term = word if piece.text == word.text else Term(piece.text)
            words.append(term)
            if piece.asks:
                asking.append(term)
    return words, asking


def _distinct(words: Sequence[Term], language: Language) -> list[Term]:
    """Return the distinct words that have terms, each at its last place."""
    by_terms: dict[tuple[str, ...], Term] = {}
    for word in reversed(words):
        terms = tuple(token.term for token in language.analyzer.tokens_of_word(word.text))
        if terms:
            by_terms.setdefault(terms, word)
    return list(reversed(by_terms.values()))


def _languages_of(snapshot: Snapshot, words: Iterable[Term], language: Language) -> set[str | None]:
    """Return the languages whose stop words apply: the searched one, and the query's own.

    The stop words of a German question are rare in English texts, and would weigh much.
    """
    names = [language.name for language in snapshot.languages]
    parts = {part for word in words for part in _parts_of(word, language)}
    return {language.name, detect_language(parts, names)} if len(names) > 1 else {language.name}


def _parts_of(word: Term, language: Language) -> list[str]:
    tokens = language.analyzer.tokens_of_word(word.text)
    return [fold(word.text[token.start : token.end]).lower() for token in tokens]


# -- filters --------------------------------------------------------------------------


class Filters:
    """Compiles filters for one index; the scores of these queries mean nothing."""

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot

    def compile(self, node: Filter) -> Query:
        if node.key is not None:
            return self._meta(node.key, node.value)
        assert isinstance(node.value, str), "only metadata has ranges"
        return _BY_NAME[node.name](self, node.value)

    def of_options(self, options: SearchOptions) -> list[Query]:
        """Return the queries of all filters in the options; all must hold."""
        queries = [self.trees(options.trees)] if options.trees else []
        queries += [_has_fact(tag_fact(tag)) for tag in options.tags]
        if options.since is not None:
            queries.append(InRange("mtime", max(0, int(options.since)), None))
        return queries

    def trees(self, names: Iterable[str]) -> Query:
        """Return the query for the chunks of some trees."""
        return any_of([_has_fact(fact("tree", name)) for name in names])

    def _path(self, prefix: str) -> Query:
        """Return the query for paths that begin with `prefix`: document ids are `tree:path`."""
        begins = [_quote(encode_path(path)) + ".*" for path in path_spellings(prefix)]
        trees = sorted(self._snapshot.tree_names)
        return any_of(
            [HasMatch("doc_id", f"{_quote(tree)}:{path}") for tree in trees for path in begins]
        )

    def _id(self, value: str) -> Query:
        return any_of([span(chunk, chunk.position) for chunk in find_chunks(self._snapshot, value)])

    def _under(self, value: str) -> Query:
        return any_of(
            [span(chunk, chunk.last_position) for chunk in find_chunks(self._snapshot, value)]
        )

    def _meta(self, key: str, condition: str | Range) -> Query:
        prefix = meta_prefix(key)
        if isinstance(condition, str) and not _NUMBER_LIKE.match(condition):
            return _has_fact(prefix + canonical(condition))
        terms = self._snapshot.terms("facts", prefix)
        admitted = tuple(term for term, _ in terms if admits(condition, term[len(prefix) :]))
        return HasAny("facts", admitted) if admitted else NoChunk()


def span(entry: Entry, last: int) -> Query:
    """Return the query for the chunks from `entry` to the position `last`."""
    return AllOf((HasTerm("doc_id", entry.doc_id), InRange("position", entry.position, last)))


def _has_fact(term: str) -> Query:
    return HasTerm("facts", term)


def _quote(text: str) -> str:
    return _REGEX_SIGNS.sub(r"\\\g<0>", text)


_BY_NAME: Mapping[str, Callable[[Filters, str], Query]] = {
    "tree": lambda _, value: _has_fact(fact("tree", value)),
    "has": lambda _, value: _has_fact(fact("has", value)),
    "lang": lambda _, value: _has_fact(language_fact(value)),
    "format": lambda _, value: _has_fact(format_fact(value)),
    "path": Filters._path,
    "id": Filters._id,
    "under": Filters._under,
}
