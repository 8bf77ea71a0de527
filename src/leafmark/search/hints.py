"""Hints: what the user may want to know about an answer or do next, as codes with values.

Front ends word them. A hint about an empty answer claims nothing that was not tried: it names a
filter if there are matches without it, and a word if the index has it. That takes a few more
searches, but only for empty answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any

from leafmark.index import Language, Snapshot
from leafmark.index.filter_terms import (
    canonical,
    fact,
    format_fact,
    language_fact,
    meta_prefix,
    tag_fact,
)
from leafmark.index.folding import path_spellings
from leafmark.index.queries import AllChunks, AnyOf, HasTerm
from leafmark.index.schema import TEXT_FIELDS
from leafmark.index.snapshot import Handle, Lookup
from leafmark.index.words import Vocabulary as Words
from leafmark.model import Hint, Result, encode_path
from leafmark.namedtuples import NamedTuple
from leafmark.query import (
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Not,
    Or,
    Phrase,
    Prefix,
    Range,
    Term,
    admits,
    all_of,
    filters_only,
    format_query,
    iter_leaves,
    iter_terms,
    parts_of,
    plain_words,
)
from leafmark.search.candidates import TopicMatches, Trace, find_in_topic
from leafmark.search.compile import CompiledTopic, compile_topic
from leafmark.search.doubt import is_doubtful
from leafmark.search.lookup import find_chunks
from leafmark.search.options import SearchOptions
from leafmark.search.order import topics_of
from leafmark.search.present import Texts
from leafmark.search.spelling import Speller
from leafmark.search.stop_words import stop_words, topic_text
from leafmark.search.terms import CompiledTerm
from leafmark.search.versions import are_of_one_page, other_version_filter
from leafmark.search.vocabulary import vocabulary_of
from leafmark.suggest import MAX_SUGGESTED, nearest

if TYPE_CHECKING:
    from leafmark.search.fuse import Meaning

MAX_NAMED = 3
"""The most words that one hint names."""

MAX_TEXTS = 5
"""The number of texts that are read to find the words of a stem."""

MIN_WORD = 3
"""Shorter words resemble too many others."""

FILTERS: Mapping[str, Any] = {"trees": (), "tags": (), "since": None, "section": ()}
"""The filtering options, each with the value that admits everything."""


def hints_about(
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions,
    trace: Trace,
    results: Sequence[Result],
    meaning: Meaning | None,
    texts: Texts,
) -> tuple[Hint, ...]:
    """Return the hints about an answer; doubt comes first."""
    compiled = [list(compiled.values()) for compiled in trace.compiled]
    documents = _Documents(snapshot, texts)
    hints = (
        *_about_doubt(snapshot, trace, options, meaning),
        *_about_topics(topics, trace, results),
        *_about_fields(snapshot, topics),
        *_about_words(
            compiled, documents, is_name=any(candidate.named for candidate in trace.joined)
        ),
        *_about_relaxing(topics, trace, results),
        *_about_options(snapshot, topics, options, trace, results),
        *_about_versions(results),
        *_about_rest(options, trace),
        *_about_stale(results),
    )
    if results or options.offset:
        return hints
    why = _explain_nothing(snapshot, topics, options, meaning, documents)
    return why if any(hint.code == "nothing-indexed" for hint in why) else (*hints, *why)


def unfiltered(options: SearchOptions) -> SearchOptions:
    """Return the options without those that filter."""
    return options._replace(**FILTERS)


def without_parts(topic: Expression, parts: Iterable[Expression]) -> Expression | None:
    """Return a topic without some of its parts; None if nothing to look up would be left."""
    left_out = {id(part) for part in parts}
    remaining = [part for part in parts_of(topic) if id(part) not in left_out]
    return None if all(isinstance(part, Not) for part in remaining) else all_of(remaining)


# -- about any answer -------------------------------------------------------------------


def _about_doubt(
    snapshot: Snapshot, trace: Trace, options: SearchOptions, meaning: Meaning | None
) -> Iterator[Hint]:
    answered = [topic for topic in trace.matches if topic.candidates]
    if answered and all(is_doubtful(snapshot, topic, options, meaning) for topic in answered):
        yield Hint("doubtful")


def _about_topics(
    topics: Sequence[Expression], trace: Trace, results: Sequence[Result]
) -> Iterator[Hint]:
    """Yield hints on the topics that were recognised, and on topics without results."""
    if len(topics) < 2:
        return
    if all(isinstance(topic, Term) for topic in topics):
        yield Hint("topics")
    else:
        for topic in filter(filters_only, topics):
            yield Hint("filter-topic", values={"topic": format_query(topic)})
    if not results:
        return
    shown, ranked = topics_of(trace.shown), topics_of(trace.ranked)
    for number, topic in enumerate(topics):
        if number not in shown and not filters_only(topic):
            values = {"topic": format_query(topic), "outranked": number in ranked}
            yield Hint("missing-topic", values=values)


def _about_fields(snapshot: Snapshot, topics: Sequence[Expression]) -> Iterator[Hint]:
    """Yield hints on text that looks like a field, where there is no such field.

    After the name of a tree it is a pasted id, or meant for that tree.
    """
    words: dict[str, str] = {}
    for topic in topics:
        for node in iter_leaves(topic):
            if isinstance(node.leaf, Term | Prefix) and node.leaf.no_field:
                words.setdefault(node.leaf.no_field, format_query(node.leaf))
    if words:
        names = list(words)[:MAX_NAMED]
        tree = next((name for name in names if name in snapshot.tree_names), None)
        values = {"names": names, "words": [words[name] for name in names], "tree": tree}
        yield Hint("unknown-field", values=values)


class _Documents:
    """The words of documents, since the index holds stems only."""

    def __init__(self, snapshot: Snapshot, texts: Texts):
        self._snapshot = snapshot
        self._texts = texts

    def words(self, language: Language, fields: Sequence[str], terms: Iterable[str]) -> Words:
        """Return the words in some fields; texts with each of `terms` are found in one search."""
        known = self._chunks_with(fields, [*dict.fromkeys(terms)])

        def texts_with(term: str) -> Iterator[str]:
            if term not in known:
                known.update(self._chunks_with(fields, [term]))
            return self._texts_of(known[term])

        return Words(
            language.analyzer,
            lambda term: vocabulary_of(self._snapshot).frequency(language.body, term),
            lambda prefix: self._snapshot.terms(language.body, prefix),
            texts_with,
        )

    def instead(self, topic: Sequence[CompiledTopic], term: CompiledTerm) -> list[str]:
        """Return the words that the search used in place of a term."""
        language = next(compiled.language for compiled in topic if term in compiled.all_terms)
        others = [terms for terms in term.instead if terms != term.terms]
        named_first = chain.from_iterable(others[:MAX_NAMED])
        words = self.words(language, _fields(language, term.field), named_first)
        named = (" ".join(map(words.word_of, terms)) for terms in others)
        return list(dict.fromkeys(islice(named, MAX_NAMED)))

    def _chunks_with(self, fields: Sequence[str], terms: Sequence[str]) -> dict[str, list[Handle]]:
        """Return a few chunks of each term; their records are read together."""
        having = (AnyOf(tuple(HasTerm(field, term) for field in fields)) for term in terms)
        match_lists = self._snapshot.search([(query, MAX_TEXTS) for query in having])
        chunks = [[chunk for _, chunk in match_list] for match_list in match_lists]
        self._snapshot.entries([chunk for match_list in chunks for chunk in match_list])
        return dict(zip(terms, chunks, strict=True))

    def _texts_of(self, chunks: Sequence[Handle]) -> Iterator[str]:
        for entry in self._snapshot.entries(chunks):
            body = self._texts.body(entry)
            tags = " ".join(self._texts.document(entry).tags)
            yield f"{entry.title} {entry.path} {tags} {body.shown if body else ''}"


def _fields(language: Language, field: str | None) -> list[str]:
    """Return the fields of a language in which a word is searched."""
    return [str(getattr(language, name)) for name in ([field] if field else TEXT_FIELDS)]


def _about_words(
    compiled: Sequence[Sequence[CompiledTopic]], documents: _Documents, *, is_name: bool
) -> Iterator[Hint]:
    """Yield hints on words that were corrected, completed, or do not occur.

    With `is_name`, a result has the query as its name, which need not occur in its text.
    """
    if not any(compiled):
        yield Hint("no-words")
        return
    for topic in compiled:
        if all(_occurs(term) for compiled in topic for term in compiled.all_terms):
            continue
        known = {
            (term.label, term.field)
            for compiled in topic
            for term in compiled.all_terms
            if _occurs(term)
        }
        for term, others in _unknown(topic):
            if (term.label, term.field) not in known:
                values = {"word": term.label, "field": term.field, "is_prefix": bool(term.prefix)}
                suggested = documents.instead(topic, term)
                if term.begun:
                    yield Hint("begun", values=values | {"words": suggested})
                elif others:
                    yield Hint(
                        "corrected", values=values | {"words": suggested or others[:MAX_NAMED]}
                    )
                elif parts := _parts_of_compound(topic, term):
                    yield Hint("compound", values=values | {"words": list(parts)})
                elif not is_name:
                    yield Hint("unknown-word", values=values)


def _parts_of_compound(topic: Sequence[CompiledTopic], term: CompiledTerm) -> tuple[str, ...]:
    """Return the words of the documents that make up a word that does not occur."""
    owner = next(compiled for compiled in topic if term in compiled.all_terms)
    return owner.word_list.compound(term.label) if term.label.isalpha() else ()


def _occurs(term: CompiledTerm) -> bool:
    return bool(term.queries) and not term.corrected and not term.begun


def _unknown(topic: Sequence[CompiledTopic]) -> list[tuple[CompiledTerm, list[str]]]:
    """Return the terms that do not occur in a language, each with its corrections.

    Stop words are skipped, also those of another language, which only this one searched.
    """
    unknown: dict[tuple[str, str | None], tuple[CompiledTerm, dict[str, None]]] = {}
    names = {compiled.language.name for compiled in topic}
    for compiled in topic:
        others = names - {compiled.language.name}
        for term in compiled.all_terms:
            if _occurs(term) or term.number in compiled.stops:
                continue
            if any(term.label.lower() in stop_words(name) for name in others):
                continue
            _, words = unknown.setdefault((term.label, term.field), (term, {}))
            words.update(dict.fromkeys(term.corrected))
    return [(term, list(words)) for term, words in unknown.values()]


def _about_relaxing(
    topics: Sequence[Expression], trace: Trace, results: Sequence[Result]
) -> Iterator[Hint]:
    relaxed = [result.relaxed for result in results]
    if not any(relaxed):
        return
    if not all(result.relaxed for result in trace.ranked):
        are_last = relaxed == sorted(relaxed) and not all(relaxed)
        yield Hint("relaxed", values={"which": "last" if are_last else "some"})
        return
    leaves = [node for topic in topics for node in iter_leaves(topic)]
    quoted = any(isinstance(node.leaf, Phrase) and not node.negated for node in leaves)
    yield Hint("relaxed", values={"which": "all", "quoted": quoted})


def _about_options(
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions,
    trace: Trace,
    results: Sequence[Result],
) -> Iterator[Hint]:
    """Yield a hint on letters that look like options of a command (`-e`) and excluded matches.

    A deliberate exclusion has more letters.
    """
    leaves = [node for topic in topics for node in iter_leaves(topic)]
    out = [node.leaf for node in leaves if node.negated and not node.field]
    texts = dict.fromkeys(leaf.text for leaf in out if isinstance(leaf, Term))
    letters = [text for text in texts if len(text) == 1 and text.isalnum()]
    if results and letters:
        left_out = set(_left_out(snapshot, topics, options))
        named = [letter for letter in letters if letter in left_out]
        if named:
            yield Hint("option", values={"words": named[:MAX_NAMED]})


def _left_out(
    snapshot: Snapshot, topics: Sequence[Expression], options: SearchOptions
) -> Iterator[str]:
    """Yield the negated words that occur in some chunk together with the rest of their topic."""
    for topic in topics:
        parts = parts_of(topic)
        for part in parts:
            if isinstance(part, Not) and isinstance(part.operand, Term):
                other_topic = all_of([part.operand if other is part else other for other in parts])
                if _matched(snapshot, other_topic, options._replace(strict=True), None):
                    yield part.operand.text


def _about_versions(results: Sequence[Result]) -> Iterator[Hint]:
    """Yield the filter that keeps a search to the other versions of the first such result."""
    for joined in results:
        others = [
            other_version
            for other_version in joined.other_versions
            if are_of_one_page(joined.entry, other_version)
        ]
        if others:
            filters = (other_version_filter(joined.entry, other) for other in others)
            yield Hint("versions", values={"filters": list(dict.fromkeys(filters))[:MAX_NAMED]})
            return


def _about_rest(options: SearchOptions, trace: Trace) -> Iterator[Hint]:
    """Yield hints on the number of further results, and on the matches before the cutoff."""
    after = options.offset + len(trace.shown)
    more = len(trace.ranked) - after
    if more > 0:
        yield Hint("more", values={"count": more, "offset": after})
        return
    total = sum(topic.total for topic in trace.matches)
    joined = len(trace.joined)
    if trace.shown and total > joined and len(trace.shown) < options.limit:
        yield Hint("cut", values={"count": total - joined})


def _about_stale(results: Sequence[Result]) -> Iterator[Hint]:
    stale = sum(result.stale for result in results)
    if stale:
        yield Hint("stale", values={"count": stale})


# -- names that nothing has -------------------------------------------------------------

_META = "meta."
"""The beginning of the facts of all metadata keys."""


def unknown_names(
    snapshot: Snapshot, topics: Iterable[Expression], options: SearchOptions
) -> Iterator[Hint]:
    """Yield a hint for each name in topics and options that nothing has, with the nearest."""
    for name in options.trees:
        yield from _tree(snapshot, name)
    tags = _facts(snapshot, fact("tag", "")) if options.tags else []
    for tag in options.tags:
        if tag_fact(tag) not in (fact("tag", known_value) for known_value in tags):
            yield _unknown_name("unknown-tag", tag, tags)
    for topic in topics:
        for node in iter_leaves(topic):
            if isinstance(node.leaf, Filter) and not node.negated:
                yield from _unknown_value(snapshot, node.leaf)


_NAMED_FACTS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "lang": ("unknown-language", language_fact),
    "format": ("unknown-format", format_fact),
}
"""Filters by a fact with a name: the code of their hint, and the fact of a value."""


def _unknown_value(snapshot: Snapshot, node: Filter) -> Iterator[Hint]:
    value = str(node.value)
    if node.key is not None:
        yield from _metadata(snapshot, node, node.key)
    if node.name == "tree":
        yield from _tree(snapshot, value)
    if node.name == "path":
        yield from _path(snapshot, value)
    if node.name in ("id", "under") and not find_chunks(snapshot, value):
        yield _id(snapshot, value)
    if node.name in _NAMED_FACTS:
        code, spelt = _NAMED_FACTS[node.name]
        known = _facts(snapshot, fact(node.name, ""))
        if spelt(value) not in (fact(node.name, known_value) for known_value in known):
            yield _unknown_name(code, value, known)
    if node.name == "has" and value not in _facts(snapshot, fact("has", "")):
        yield Hint("unknown-kind", values={"name": value})


def _facts(snapshot: Snapshot, begin: str) -> list[str]:
    """Return the facts of all live chunks that begin with `begin`, without this beginning."""
    terms = snapshot.terms("facts", begin, within=AllChunks())
    return [term[len(begin) :] for term, _ in terms]


def _tree(snapshot: Snapshot, name: str) -> Iterator[Hint]:
    if name not in snapshot.tree_names:
        yield _unknown_name("unknown-tree", name, snapshot.tree_names)
    elif name not in snapshot.trees or not snapshot.trees[name].chunks:
        yield Hint("empty-tree", values={"name": name})


def _path(snapshot: Snapshot, value: str) -> Iterator[Hint]:
    paths = [path for _, path in snapshot.manifest]
    begins = tuple(map(encode_path, path_spellings(value)))
    if not any(encode_path(path).startswith(begins) for path in paths):
        near = {*paths, *(f"{path.rpartition('/')[0]}/" for path in paths if "/" in path)}
        yield _unknown_name("unknown-path", value, sorted(near))


def _id(snapshot: Snapshot, value: str) -> Hint:
    folder = value.rstrip("/") + "/"
    if any(path.startswith(folder) for _, path in snapshot.manifest):
        return Hint("unknown-id", values={"name": value, "folder": folder})
    names = [f"{tree}:{encode_path(path)}" for tree, path in snapshot.manifest]
    return _unknown_name("unknown-id", value, names)


def _metadata(snapshot: Snapshot, node: Filter, key: str) -> Iterator[Hint]:
    values = _facts(snapshot, meta_prefix(key))
    if not values:
        keys = {fact_text.partition("=")[0] for fact_text in _facts(snapshot, _META)}
        near = nearest(key.casefold(), sorted(keys), MAX_SUGGESTED)
        yield Hint("unknown-key", values={"name": key, "near": list(near)})
    elif not any(admits(node.value, known_value) for known_value in values):
        spelt_value = "" if isinstance(node.value, Range) else canonical(node.value)
        near = nearest(spelt_value, values, MAX_SUGGESTED)
        yield Hint("unknown-value", values={"name": format_query(node), "near": list(near)})


def _unknown_name(code: str, name: str, known: Iterable[str]) -> Hint:
    return Hint(code, values={"name": name, "near": list(nearest(name, known, MAX_SUGGESTED))})


# -- empty answers ----------------------------------------------------------------------


class _FilterPart(NamedTuple):
    """A filter, named as the user wrote it, and the search without it."""

    filter: Mapping[str, Any]
    topics: tuple[Expression, ...]
    options: SearchOptions


def _explain_nothing(
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions,
    meaning: Meaning | None,
    documents: _Documents,
) -> tuple[Hint, ...]:
    """Return hints on what emptied the answer, and on what would find more.

    `meaning` is that of the search, if it used any.
    """
    if not snapshot.chunk_count:
        return (Hint("nothing-indexed"),)
    inquiry = _Inquiry(snapshot, tuple(topics), options, meaning, documents)
    names = list(unknown_names(snapshot, topics, options))
    if meaning is not None and options.mode == "semantic":  # words do not count
        hints = [*names, *inquiry.without()]
        return tuple(hints or ([] if meaning.damaged else [Hint("far")]))
    hints = [
        *names,
        *inquiry.spellings(),
        *inquiry.torn(),
        *inquiry.without(),
        *inquiry.strictness(),
    ]
    return tuple(hints or inquiry.apart())


def _matched(
    snapshot: Snapshot, topic: Expression, options: SearchOptions, meaning: Meaning | None
) -> TopicMatches | None:
    """Return the matches of a topic, None if there are none."""
    compiled = list(compile_topic(snapshot, topic, options).values())
    find = find_in_topic(snapshot, topic, compiled, options, meaning=meaning)
    matches = find(options.keep_count)
    return matches if matches.total else None


class _Spelling(NamedTuple):
    """A word to find among the words of some fields, within a number of edits."""

    speller: Speller
    word: str
    term: str
    fields: Sequence[str]
    edits: int

    def near(self) -> list[tuple[str, str]]:
        """Return the terms near the word, with the spelling of each."""
        return self.speller.near(self.word, self.term, self.fields, self.edits, is_asked=True)

    def expected_terms(self) -> Iterator[tuple[str, str]]:
        return product(self.fields, self.speller.expected_terms(self.word))

    def expected_lookups(self) -> Iterator[Lookup]:
        return self.speller.expected_lookups(self.word, self.term, self.fields, self.edits)


class _Inquiry:
    def __init__(
        self,
        snapshot: Snapshot,
        topics: tuple[Expression, ...],
        options: SearchOptions,
        meaning: Meaning | None,
        documents: _Documents,
    ):
        self._documents = documents
        self._snapshot = snapshot
        self._topics = topics
        self._options = options
        self._meaning = meaning
        self._texts = {"", *map(topic_text, topics)}
        compiled = (compile_topic(snapshot, topic, options) for topic in topics)
        self._compiled = [list(topic.values()) for topic in compiled]

    # -- words that do not occur -------------------------------------------------------

    def spellings(self) -> Iterator[Hint]:
        """Yield words of the index that resemble words of the query that do not occur."""
        vocabulary = vocabulary_of(self._snapshot)
        for compiled in self._compiled:
            known = _occurring(compiled)
            words_and_fields = dict.fromkeys(
                (term.label, term.field)
                for topic in compiled
                for term in topic.all_terms
                if not term.prefix
            )
            unknown = [
                pair for pair in words_and_fields if pair not in known and len(pair[0]) >= MIN_WORD
            ]
            for word, field in unknown:
                for spelling in self._spellings(word, field, compiled):
                    vocabulary.expect(spelling.expected_terms(), spelling.expected_lookups())
            for word, field in unknown:
                near = self._near(word, field, compiled)
                if near:
                    yield Hint("spelling", values={"word": word, "words": near})

    def _near(self, word: str, field: str | None, compiled: Iterable[CompiledTopic]) -> list[str]:
        """Return words of a field (None: of any) within two edits; within one of a short word.

        Among the words with the same stem, each is the most similar one.
        """
        spellings = list(self._spellings(word, field, compiled))
        near = [{written: term for term, written in spelling.near()} for spelling in spellings]
        first = nearest(word, chain.from_iterable(near), MAX_SUGGESTED)
        suggestions: list[str] = []
        for candidate, terms_of in zip(spellings, near, strict=True):
            terms = [terms_of[written] for written in first if written in terms_of]
            words = self._documents.words(candidate.speller.language, candidate.fields, terms)
            suggestions += [like for term in terms for like in nearest(word, words.words_of(term))]
        return list(nearest(word, suggestions, MAX_SUGGESTED))

    def _spellings(
        self, word: str, field: str | None, compiled: Iterable[CompiledTopic]
    ) -> Iterator[_Spelling]:
        """Yield the spelling of a word of one term for each language."""
        for topic in compiled:
            language = topic.language
            terms = language.analyzer.terms(word)
            if len(terms) == 1:
                speller = Speller(vocabulary_of(self._snapshot), language)
                fields, edits = _fields(language, field), 2 if len(word) > 4 else 1
                yield _Spelling(speller, word, terms[0], fields, edits)

    def torn(self) -> Iterator[Hint]:
        """Yield hints on phrases and compound words that do not occur although their parts do."""
        for at, (topic, compiled) in enumerate(zip(self._topics, self._compiled, strict=True)):
            known = _occurring(compiled)
            for node in iter_terms(topic):
                leaf = node.leaf
                if not isinstance(leaf, Phrase | Term) or (leaf.text, node.field) not in known:
                    continue
                tokens = compiled[0].language.analyzer.tokens(leaf.text)
                words = [leaf.text[token.start : token.end] for token in tokens]
                alone = Field(node.field, leaf) if node.field else leaf
                options = unfiltered(self._options)._replace(strict=True)
                if len(words) > 1 and _matched(self._snapshot, alone, options, None) is None:
                    loose = _replaced(topic, leaf, all_of(Term(word) for word in words))
                    by_words = self._options._replace(strict=self._meaning is None)
                    matches = self._would_match(self._with(at, loose), by_words)
                    values = {"text": leaf.text, "is_phrase": isinstance(leaf, Phrase)}
                    yield Hint("phrase", values=values | {"field": node.field, "matches": matches})

    # -- what asks for too much --------------------------------------------------------

    def without(self) -> Iterator[Hint]:
        """Yield hints on the parts without which there are matches.

        First stated parts that no chunk has, then filters: each alone, or if that is
        not enough, all together.
        """
        yield from self._alone(self._of_others())
        yield from self._below()
        parts = [*self._of_options(), *self._of_parts(lambda _, part: filters_only(part))]
        alone = list(self._alone(parts))
        yield from alone
        if alone or len(parts) < 2:
            return
        topics = [
            without_parts(topic, filter(filters_only, parts_of(topic))) for topic in self._topics
        ]
        remaining = tuple(topic for topic in topics if topic is not None)
        matches = self._would_match(remaining, unfiltered(self._options))
        if matches:
            yield Hint(
                "filter", values={"filters": [part.filter for part in parts], "matches": matches}
            )

    def _alone(self, parts: Iterable[_FilterPart]) -> Iterator[Hint]:
        for part in parts:
            matches = self._would_match(part.topics, part.options)
            if matches:
                yield Hint("filter", values={"filters": [part.filter], "matches": matches})

    def _below(self) -> Iterator[Hint]:
        """Yield deeper patterns of sections, if these have matches."""
        deeper = tuple(f"{pattern} > **" for pattern in self._options.section)
        if deeper:
            matches = self._would_match(self._topics, self._options._replace(section=deeper))
            if matches:
                yield Hint("section-below", values={"patterns": list(deeper), "matches": matches})

    def _of_options(self) -> Iterator[_FilterPart]:
        for name, everything in FILTERS.items():
            value = getattr(self._options, name)
            if value != everything:
                values = list(value) if isinstance(value, tuple) else []
                options = self._options._replace(**{name: everything})
                yield _FilterPart({"option": name, "values": values}, self._topics, options)

    def _of_others(self) -> Iterator[_FilterPart]:
        def is_dead(topic: Expression, part: Expression) -> bool:
            if filters_only(part) or any(part is word for word in plain_words(topic)):
                return False
            return not self._stands(part)

        return self._of_parts(is_dead)

    def _of_parts(
        self, is_meant: Callable[[Expression, Expression], bool]
    ) -> Iterator[_FilterPart]:
        """Yield the search without each part for which `is_meant` holds, topic by topic."""
        for at, topic in enumerate(self._topics):
            for part in parts_of(topic):
                rest = without_parts(topic, [part])
                if rest is not None and is_meant(topic, part):
                    named = {"query": format_query(part)}
                    yield _FilterPart(named, self._with(at, rest), self._options)

    def strictness(self) -> Iterator[Hint]:
        if self._options.strict:
            matches = self._would_match(self._topics, self._options._replace(strict=False))
            if matches:
                yield Hint(
                    "strict", values={"matches": matches, "some_words": self._meaning is None}
                )

    def apart(self) -> Iterator[Hint]:
        """Yield a hint if every part occurs somewhere, but not together."""
        for topic in self._topics:
            parts = [part for part in parts_of(topic) if not filters_only(part)]
            if len(parts) > 1 and all(map(self._stands, parts)):
                yield Hint("apart")

    def _stands(self, part: Expression) -> bool:
        """Whether a part matches by its words in any chunk that the filters admit."""
        return _matched(self._snapshot, part, self._options, None) is not None

    def _with(self, at: int, topic: Expression) -> tuple[Expression, ...]:
        """Return the topics with the one at `at` replaced."""
        return (*self._topics[:at], topic, *self._topics[at + 1 :])

    def _would_match(
        self, topics: Sequence[Expression], options: SearchOptions
    ) -> dict[str, Any] | None:
        """Return how many chunks match one of the topics, and whether there may be more.

        None if none does or it is unknown. Only the words of the query have a vector. Other
        words are searched without meaning, which gives a lower bound; in the mode `semantic`,
        where words do not count, the number is unknown.
        """
        known = [self._meaning is None or topic_text(topic) in self._texts for topic in topics]
        if not all(known) and options.mode == "semantic":
            return None
        total = 0
        for topic, is_known in zip(topics, known, strict=True):
            meaning = self._meaning if is_known else None
            matches = _matched(self._snapshot, topic, options, meaning)
            total += matches.total if matches else 0
        if not total:
            return None
        is_least = not all(known) or total >= options.candidates
        return {"count": min(total, options.candidates), "or_more": is_least}


def _occurring(compiled: Iterable[CompiledTopic]) -> set[tuple[str, str | None]]:
    """Return the words that occur, each with the field in which it was searched."""
    return {
        (term.label, term.field)
        for compiled in compiled
        for term in compiled.all_terms
        if term.queries
    }


def _replaced(topic: Expression, leaf: Expression, other: Expression) -> Expression:
    """Return a topic with a leaf replaced, except below a negation."""
    if topic is leaf:
        return other
    if isinstance(topic, And | Or):
        operands = [_replaced(operand, leaf, other) for operand in topic.operands]
        return all_of(operands) if isinstance(topic, And) else Or(tuple(operands))
    if isinstance(topic, Field | Boost):
        return topic._replace(operand=_replaced(topic.operand, leaf, other))
    return topic
