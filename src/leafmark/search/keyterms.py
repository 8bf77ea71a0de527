"""The key terms of a text, and the query for similar texts.

A term counts by its frequency and places in the text (TF × weight), and by how few
chunks have it (IDF): a word of every chunk says nothing, a word of no chunk finds nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from leafmark.index import Language, Snapshot
from leafmark.index.folding import fold
from leafmark.index.queries import AllOf, AnyOf, HasPhrase, HasTerm, Query
from leafmark.index.schema import TEXT_FIELDS
from leafmark.model import KeyTerm, WeightedText
from leafmark.query import Boost, Expression, Filter, Not, Term, all_of, any_of
from leafmark.search.compile import Filters
from leafmark.search.stop_words import frequencies_in, split_words, stop_words
from leafmark.search.vocabulary import vocabulary_of

SPARE_TERMS = 4
"""If only some trees are chosen, this many candidates for each key term are counted in them."""

MIN_CHARS = 3
"""Shorter words say little (chosen by eye)."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER = re.compile(r"[\d\W_]+")


_Terms = tuple[str, ...]
"""What a word is in the index: one term, or the characters of a word without spaces."""


@dataclass(slots=True)
class _Seen:
    """The frequency of a term by part of the text, and its spellings."""

    words: Counter[str] = field(default_factory=Counter)
    parts: Counter[WeightedText] = field(default_factory=Counter)

    @property
    def weight(self) -> float:
        return sum(part.weight * (1 + math.log(count)) for part, count in self.parts.items())


def find_key_terms(
    snapshot: Snapshot,
    texts: Iterable[WeightedText],
    *,
    limit: int,
    trees: Collection[str] = (),
    without: Collection[str] = (),
    ignored: Collection[str] = frozenset(),
) -> list[KeyTerm]:
    """Return the `limit` key terms of the texts, best first; linear in the texts.

    A term must occur in `trees` (none: in any), outside of the ids in `without`. `ignored` are
    words in lower case to leave out.
    """
    best_by_word: dict[str, KeyTerm] = {}
    parts = list(texts)
    for language in snapshot.languages:
        chosen = [tree for tree in language.trees if not trees or tree in trees]
        if not chosen:
            continue
        ranking = _Ranking(snapshot, language, chosen, without, ignored)
        for term in ranking.best(parts, limit):
            other = best_by_word.get(term.word)
            if other is None or term.score > other.score:
                best_by_word[term.word] = term
    return sorted(best_by_word.values(), key=_best_first)[:limit]


def _best_first(term: KeyTerm) -> tuple[float, str]:
    return -term.score, term.word


class _Ranking:
    """The terms of one language of the index."""

    def __init__(
        self,
        snapshot: Snapshot,
        language: Language,
        trees: Sequence[str],
        without: Collection[str],
        ignored: Collection[str],
    ):
        self._snapshot = snapshot
        self._language = language
        self._trees = trees
        self._without = without
        self._ignored = ignored
        self._names = [str(getattr(language, name)) for name in TEXT_FIELDS]
        self._vocabulary = vocabulary_of(snapshot)
        self._together = frequencies_in(snapshot)
        counts = snapshot.trees
        self._total = sum(counts[tree].chunks for tree in trees if tree in counts)

    def best(self, texts: Iterable[WeightedText], limit: int) -> list[KeyTerm]:
        seen = self._count(texts)
        rough = {
            term: self._key_term(occurrence, self._frequency(term))
            for term, occurrence in seen.items()
        }
        ranked = sorted(
            (term for term, key_term in rough.items() if key_term.chunks),
            key=lambda term: _best_first(rough[term]),
        )
        if not self._without and set(self._trees) == set(self._language.trees):
            return [rough[term] for term in ranked[:limit]]
        exact = [
            self._key_term(seen[term], self._frequency_elsewhere(term))
            for term in ranked[: SPARE_TERMS * limit]
        ]
        return sorted((key_term for key_term in exact if key_term.chunks), key=_best_first)[:limit]

    def _count(self, texts: Iterable[WeightedText]) -> dict[_Terms, _Seen]:
        """Return the terms of the texts; a name in camel case counts whole and in its parts."""
        stops = stop_words(self._language.name)
        seen: dict[_Terms, _Seen] = {}
        for part in texts:
            for word, count in Counter(_WORD.findall(fold(part.text))).items():
                read: Iterable[str] = {word, *_CAMEL.findall(word)}
                if not word.isascii():
                    pieces = split_words(word, self._language.analyzer, self._together)
                    read = dict.fromkeys(piece.text for piece in pieces if not piece.asks)
                for read_word in read:
                    low = read_word.lower()
                    if low in stops or low in self._ignored or _says_nothing(low):
                        continue
                    terms = tuple(self._language.analyzer.terms(read_word))
                    if terms:
                        occurrence = seen.setdefault(terms, _Seen())
                        occurrence.words[low] += count
                        occurrence.parts[part] += count
        return seen

    def _key_term(self, seen: _Seen, chunks: int) -> KeyTerm:
        score = seen.weight * self._vocabulary.idf(chunks, self._total) if chunks else 0.0
        word = min(seen.words, key=lambda word: (-seen.words[word], len(word), word))
        sources = dict.fromkeys(part.source for part in seen.parts)
        return KeyTerm(word, score, seen.weight, chunks, tuple(sources))

    def _frequency(self, terms: _Terms) -> int:
        if len(terms) > 1:
            return max(self._vocabulary.phrase_frequency(name, terms) for name in self._names)
        return max(self._vocabulary.frequency(name, terms[0]) for name in self._names)

    def _frequency_elsewhere(self, terms: _Terms) -> int:
        """Return the number of chunks of the chosen trees, outside of `without`, with a word."""
        fields: list[Query] = [
            HasPhrase(name, terms) if len(terms) > 1 else HasTerm(name, terms[0])
            for name in self._names
        ]
        filters = Filters(self._snapshot)
        own = tuple(filters.compile(Filter("under", name)) for name in self._without)
        elsewhere = AllOf((AnyOf(tuple(fields)), filters.trees(self._trees)), without=own)
        return self._snapshot.count([elsewhere])[0]


def _says_nothing(word: str) -> bool:
    """Whether a word is too short or a number; one character beyond ASCII may say much."""
    return (len(word) < MIN_CHARS and word.isascii()) or _NUMBER.fullmatch(word) is not None


def query_for(
    terms: Sequence[KeyTerm], *, without: Iterable[str] = (), apart: Iterable[str] = ()
) -> Expression:
    """Return the query for chunks with any of the terms; there must be at least one.

    Leaves out the ids in `without` with all below them, and the single chunks in `apart`. A
    term is boosted by its weight in the text; the search itself counts its rarity.
    """
    most = max(term.weight for term in terms)
    words = [Boost(Term(term.word), round(max(0.05, term.weight / most), 3)) for term in terms]
    left_out: list[Expression] = [Not(Filter("under", name)) for name in without]
    left_out += [Not(Filter("id", name)) for name in apart]
    return all_of([any_of(words), *left_out])
