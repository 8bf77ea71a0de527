"""Find the matches in a text: ranges of the query's terms, by the analyzer of the index.

The terms that made a chunk match mark its words here: stems, corrections, prefixes, parts of
words. A phrase marks its words only where they stand beside each other. A match includes the
combining marks after it, although the analyzer drops some: otherwise a highlight would split
is read as one character.

A stem begins like its words, so only words that begin like a wanted term need to be
analysed. That holds for the languages below (checked on 86,000 words of Markdown in each of
them); in other languages the whole text is analysed.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from leafmark.environment import memo
from leafmark.index.analysis import (
    BETWEEN,
    HYPHENATING_FORMATS,
    Analyzer,
    Token,
    has_signs,
    is_solid,
    iter_hyphenated,
    iter_names,
)
from leafmark.index.folding import bare, fold, is_folded
from leafmark.index.inline import INLINE_FORMATS, iter_read
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.search.snippets import FIRST_MARK, Match
from leafmark.search.terms import CompiledTerm


class Highlighter:
    """Finds the terms of a query in any number of texts."""

    def __init__(self, terms: Iterable[CompiledTerm], analyzer: Analyzer):
        self._analyzer = analyzer
        self._by_term: dict[str, list[CompiledTerm]] = {}
        self._phrases: list[tuple[int, PhraseFinder, CompiledTerm]] = []
        for term in terms:
            for sequence in term.sequences:
                if len(sequence) == 1:
                    self._by_term.setdefault(sequence[0], []).append(term)
                else:
                    finder = PhraseFinder(sequence, analyzer)
                    self._phrases.append((len(sequence), finder, term))
        self._words = WordFinder(self._by_term.keys(), analyzer)

    def find(self, text: str) -> list[Match]:
        """Return the matches in `text`, sorted by start; offsets count its characters."""
        simple = text.isascii()
        matches: set[Match] = set()
        scanned = scan(text, self._analyzer)
        for start, end, word in self._words.find(scanned):
            for term in self._by_term[word]:
                if not term.prefix or _begins(start, end, text, term.prefix):
                    last = end if simple else _after_marks(text, end)
                    matches.add((start, last, term.number))
        for length, finder, term in self._phrases:
            matches.update(_of_phrase(length, finder, scanned, term))
        return sorted(matches)

    def find_in(self, text: str, format_name: str) -> list[Match]:
        """Return the matches in a body of some format, including those of terms the index adds.

        These are the parts of names in source code, words that a line break splits, and phrases
        that links and tags interrupt.
        """
        if format_name == "script":
            return self._with(text, iter_names, " ")
        if format_name in HYPHENATING_FORMATS:
            return self._with(text, iter_hyphenated, "")
        if format_name in INLINE_FORMATS and self._phrases:
            return self._with(text, iter_read, " ")
        return self.find(text)

    def _with(self, text: str, words: _Words, joint: str) -> list[Match]:
        matches = set(self.find(text))
        apart, places = _written(words(text), joint, BETWEEN if self._phrases else "-")
        if not places:
            return sorted(matches)
        for start, end, number in self.find(apart):
            at, place = places[bisect_right(places, (start, len(text))) - 1]
            last_at, last = places[bisect_right(places, (end - 1, len(text))) - 1]
            matches.add((place + start - at, last + end - last_at, number))
        return sorted(matches)


_Words = Callable[[str], Iterator[list[tuple[int, str]]]]
"""Yields for each word the parts of it, each with the place where it begins."""


def _written(
    words: Iterable[list[tuple[int, str]]], joint: str, between: str
) -> tuple[str, list[tuple[int, int]]]:
    """Return a text of the parts of words, and where each part begins there and in the source.

    `joint` is put between the parts of a word, and `between` between words, so that no
    phrase matches across two of them.
    """
    written: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    for parts in words:
        for place, part in parts:
            places.append((at, place))
            written.append(part + joint)
            at += len(part) + len(joint)
        written.append(f" {between} ")
        at += len(between) + 2
    return "".join(written), places


def _of_phrase(
    length: int, finder: PhraseFinder, scanned: Scanned, term: CompiledTerm
) -> Iterable[Match]:
    text, places = scanned.text, finder.find(scanned)
    for at in range(0, len(places), length):
        here = places[at : at + length]
        if _begins(here[-1].start, here[-1].end, text, term.prefix):
            for place in here:
                yield place.start, _after_marks(text, place.end), term.number


def _after_marks(text: str, at: int) -> int:
    """Return the place after the combining marks that begin at `at`."""
    while text[at : at + 1] >= FIRST_MARK and unicodedata.category(text[at])[0] == "M":
        at += 1
    return at


def _begins(start: int, end: int, text: str, prefix: str) -> bool:
    """Whether a word begins with a prefix, marks apart: its stem may be shorter than the prefix."""
    return not prefix or bare(fold(text[start:end]).lower()).startswith(bare(prefix))


_IN_ASCII = frozenset(
    [None, "danish", "english", "finnish", "french", "hungarian", "italian", "norwegian"]
) | frozenset(["portuguese", "romanian", "russian", "spanish", "swedish", "turkish"])
"""Languages whose stemmers leave the beginning of ASCII words alone (Dutch drops `ge`)."""

_IN_ANY_TEXT = frozenset([None, "english"])
"""Languages whose stemmers leave other letters alone too (`árbol` has the stem `arbol`)."""

SAFE_LETTERS = 3
"""The words of a stem that is two letters longer than this begin with so many of its letters."""

_ASCII_WORD = lazy_pattern("[0-9a-z]*")
_ALNUM = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")

_UNSURE = frozenset(["Mn", "Mc", "Me", "Sm", "Sc", "Sk", "So", "Cn", "Co"])

_PHRASE_ROOM = 60
"""Characters of text that are analysed at first for each word of a phrase."""


class Place(NamedTuple):
    """Characters `[start, end)` of a text that make `term`."""

    start: int
    end: int
    term: str


class Scanned(NamedTuple):
    """A text to be searched; `safe` says that its words can be found by their beginnings.

    If so, the characters of `lowered` have the same offsets as those of `text`. Where a sign is
    part of a name, this holds only for words that signs do not change: see `_heeds_signs`.
    """

    text: str
    lowered: str
    safe: bool

    def is_safe_for(self, *, heeds_signs: bool) -> bool:
        return self.safe and not (heeds_signs and has_signs(self.text))


def scan(text: str, analyzer: Analyzer) -> Scanned:
    """Return a text ready to be searched any number of times."""
    lowered = text.lower()
    return Scanned(text, lowered, _is_safe(text, lowered, analyzer.language))


def _heeds_signs(terms: Iterable[str]) -> bool:
    """Whether a sign beside a word may make it a different term: `C++` is not `c`."""
    return any(len(term) == 1 or not term.isalnum() for term in terms)


class WordFinder:
    """Finds the words of given terms, in any number of texts."""

    def __init__(self, terms: Collection[str], analyzer: Analyzer):
        self._analyzer = analyzer
        self._all = frozenset(terms)
        self._solid = [term for term in terms if is_solid(term)]
        self._terms = self._all.difference(self._solid)
        self._beginnings = {_beginning(term) for term in self._terms}
        self._heeds_signs = _heeds_signs(self._terms)
        self._known: dict[str, str] = {}

    def find(self, scanned: Scanned) -> list[tuple[int, int, str]]:
        """Return the places of words that become one of the terms: `Place`s as tuples, unsorted."""
        text, lowered = scanned.text, scanned.lowered
        if not scanned.is_safe_for(heeds_signs=self._heeds_signs):
            tokens = self._analyzer.find(text, self._all.__contains__) if self._all else []
            return [(token.start, token.end, token.term) for token in tokens]
        words, runs = _candidates(lowered, self._beginnings)
        terms = self._known
        places = []
        for start, word in words.items():
            term = terms[word] if word in terms else self._learn(word)
            if term:
                places.append((start, start + len(word), term))
        for start, end in runs.items():
            tokens = self._analyzer.tokens(text[start:end])
            term_tokens = [token for token in tokens if token.term in self._terms]
            places += [
                (start + token.start, start + token.end, token.term) for token in term_tokens
            ]
        for term in self._solid:  # each of its characters is a word, whatever is beside it
            places += [(at, at + len(term), term) for at in _occurrences(text, term)]
        return places

    def _learn(self, word: str) -> str:
        """Return and remember the term of an ASCII word, "" if it is not one of the terms."""
        term = _term_of(self._analyzer, word)
        self._known[word] = term if term in self._terms else ""
        return self._known[word]


@memo(10_000)
def _term_of(analyzer: Analyzer, word: str) -> str:
    """Return the term of an ASCII word, "" if it is too long; remembered, since words repeat."""
    return (analyzer.terms(word) or [""])[0]


def _is_safe(text: str, lowered: str, language: str | None) -> bool:
    """Whether words can be found by their beginnings, and `lowered` equals the index's lower case.

    Python lowers `Σ` to a final sigma, and `İ` to two characters.
    """
    if text.isascii():
        return language in _IN_ASCII
    simple = language in _IN_ANY_TEXT and len(lowered) == len(text) and "Σ" not in text
    return simple and is_folded(text)


def _beginning(term: str) -> str:
    return term[: min(SAFE_LETTERS, max(1, len(term) - 2))]


def _candidates(lowered: str, beginnings: Collection[str]) -> tuple[dict[int, str], dict[int, int]]:
    """Return the ASCII words with these beginnings, by start, and runs to analyse, start to end.

    A run is a possible word with characters past ASCII beside it: only the analyzer knows
    whether they are part of the word.
    """
    words: dict[int, str] = {}
    runs: dict[int, int] = {}
    is_ascii, find, match = lowered.isascii(), lowered.find, _ASCII_WORD.match
    for beginning in beginnings:
        past_ascii = beginning > "\x7f"
        at = find(beginning)
        while at >= 0:
            if at and not past_ascii and lowered[at - 1] in _ALNUM:
                at = find(beginning, at + 1)
                continue
            prefix_match = match(lowered, at)
            start, end = at, prefix_match.end() if prefix_match else at
            if not is_ascii and _touches_others(lowered, start, end):
                start, end = _run_around(lowered, at)
            word = lowered[start:end]
            if word.isascii():
                words[start] = word
            else:
                runs[start] = end
            at = find(beginning, max(end, at + 1))
    return words, runs


def _occurrences(text: str, character: str) -> Iterator[int]:
    at = text.find(character)
    while at >= 0:
        yield at
        at = text.find(character, at + 1)


def _touches_others(text: str, start: int, end: int) -> bool:
    """Whether a character past ASCII stands directly before or after a range."""
    return (start > 0 and text[start - 1] > "\x7f") or text[end : end + 1] > "\x7f"


def _run_around(text: str, at: int) -> tuple[int, int]:
    """Return the range of characters around `at` that may be parts of words."""
    start = end = at
    while start and _may_be_word(text[start - 1]):
        start -= 1
    while end < len(text) and _may_be_word(text[end]):
        end += 1
    return start, end


def _may_be_word(character: str) -> bool:
    """Whether a character can stand in a token: letters, marks, a few symbols.

    The index may know newer letters than this Python, to which they are unassigned.
    """
    if character.isalnum():
        return True
    return character > "\x7f" and unicodedata.category(character) in _UNSURE


class PhraseFinder:
    """Finds the places where the terms of a phrase stand beside each other."""

    def __init__(self, phrase: Sequence[str], analyzer: Analyzer):
        self._phrase = list(phrase)
        self._analyzer = analyzer
        self._first = WordFinder({phrase[0]}, analyzer)
        self._second = _beginning(phrase[1])
        self._solid = all(map(is_solid, phrase))
        self._heeds_signs = _heeds_signs(phrase)

    def find(self, scanned: Scanned) -> list[Place]:
        """Return the words of every such place, in order of the places."""
        text, lowered = scanned.text, scanned.lowered
        safe = scanned.is_safe_for(heeds_signs=self._heeds_signs)
        if not safe and not is_folded(text):  # several words can stand in one place of it
            return self._among(self._analyzer.tokens(text))
        places_found: list[Place] = []
        for start, end, _ in sorted(self._first.find(scanned)):
            if safe and not _may_follow(lowered, end, self._second):
                continue
            places = self._solid_words(text, start) if safe and self._solid else None
            if places is None:
                places = self._words_at(text, start)
            if [place.term for place in places] == self._phrase:
                places_found += places
        return places_found

    def _words_at(self, text: str, start: int) -> list[Place]:
        """Return as many words as the phrase has, from the first one that may begin it.

        A word with signs is two: `c++`, and `c` behind it.
        """
        size = len(self._phrase)
        places = _words_from(text, start, size + 1, self._analyzer)
        is_other = len(places) > 1 and places[0].term != self._phrase[0]
        return places[1:] if is_other and places[1].start == start else places[:size]

    def _among(self, tokens: Sequence[Token]) -> list[Place]:
        """Return the words of every such place among all words of a text."""
        size = len(self._phrase)
        places_found: list[Place] = []
        for at, token in enumerate(tokens):
            if token.term == self._phrase[0]:
                words = tokens[at : at + size]
                if [word.term for word in words] == self._phrase:
                    places_found += [Place(word.start, word.end, word.term) for word in words]
        return places_found

    def _solid_words(self, text: str, start: int) -> list[Place] | None:
        """Return the phrase at `start`, [] if it is absent, None if only the analyzer can tell."""
        for at, term in enumerate(self._phrase, start):
            character = text[at : at + 1]
            if character != term:
                return [] if character.isalnum() and is_solid(character) else None
        return [Place(at, at + 1, term) for at, term in enumerate(self._phrase, start)]


def _may_follow(lowered: str, at: int, beginning: str) -> bool:
    """Whether the first word from `at` on may have this beginning; cheaper than analysis."""
    end = len(lowered)
    while at < end and not _may_be_word(lowered[at]):
        at += 1
    return lowered.startswith(beginning, at) or (at < end and not lowered[at].isalnum())


def _words_from(text: str, start: int, count: int, analyzer: Analyzer) -> list[Place]:
    """Return the first `count` words of the text from `start`, which begins one."""
    room = _PHRASE_ROOM * count
    while True:
        end = start + room
        while end < len(text) and _may_be_word(text[end]):
            end += 1
        tokens = analyzer.tokens(text[start:end])
        if len(tokens) >= count or end >= len(text):
            return [Place(start + t.start, start + t.end, t.term) for t in tokens[:count]]
        room *= 4
