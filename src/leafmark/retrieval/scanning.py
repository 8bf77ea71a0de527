"""Words of a text that an analyzer turns into certain terms, found without analysing all of it.

A stem begins like its words do, so that only words which begin like a wanted
term need to be analysed. That holds for the languages below (checked on 86,000
words of Markdown in every one of them); elsewhere the whole text is analysed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from leafmark.index import Analyzer, is_folded

__all__ = ["Place", "WordFinder", "find_phrase"]

_IN_ASCII = frozenset(
    [None, "danish", "english", "finnish", "french", "hungarian", "italian", "norwegian"]
) | frozenset(["portuguese", "romanian", "russian", "spanish", "swedish", "turkish"])
"""Languages whose stemmers leave the beginning of ASCII words alone (Dutch drops `ge`)."""

_IN_ANY_TEXT = frozenset([None, "english"])
"""Languages whose stemmers leave other letters alone too (`árbol` has the stem `arbol`)."""

SAFE_LETTERS = 3
"""Letters at the beginning of a stem that its words have too, if it has two more."""

_ASCII_WORD = re.compile("[0-9a-z]*")
_ALNUM = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")

_UNSURE = frozenset(["Mn", "Mc", "Me", "Sm", "Sc", "Sk", "So", "Cn", "Co"])

_PHRASE_ROOM = 60
"""Characters of text that are looked at for each word of a phrase, at first."""


class Place(NamedTuple):
    """Characters `[start, end)` of a text that make `term`."""

    start: int
    end: int
    term: str


class WordFinder:
    """Finds the words that make one of some terms, in one text after the other."""

    def __init__(self, terms: Collection[str], analyzer: Analyzer):
        self._terms = terms
        self._analyzer = analyzer
        self._beginnings = {_beginning(term) for term in terms}
        self._known: dict[str, str] = {}

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Return where words of `text` make one of the terms: `Place`s as tuples, in any order."""
        terms, analyzer = self._terms, self._analyzer
        if not terms:
            return []
        lowered = text.lower()
        if not _is_safe(text, lowered, analyzer.language):
            tokens = analyzer.find(text, terms.__contains__)
            return [(token.start, token.end, token.term) for token in tokens]
        words, runs = _candidates(lowered, self._beginnings)
        places = [
            (start, start + len(word), term)
            for start, word in words.items()
            if (term := self._term_of(word))
        ]
        for start, end in runs.items():
            found = [token for token in analyzer.tokens(text[start:end]) if token.term in terms]
            places += [(start + each.start, start + each.end, each.term) for each in found]
        return places

    def _term_of(self, word: str) -> str:
        """Return the term of an ASCII word, "" for one that is none of ours."""
        found = self._known.get(word)
        if found is None:
            term = _term_of(self._analyzer, word)
            found = self._known[word] = term if term in self._terms else ""
        return found


@lru_cache(maxsize=10_000)
def _term_of(analyzer: Analyzer, word: str) -> str:
    """Return the term of an ASCII word, "" for one that is too long. Words repeat."""
    return (analyzer.terms(word) or [""])[0]


def _is_safe(text: str, lowered: str, language: str | None) -> bool:
    """Whether words can be told by their beginnings, and `lowered` is as the index lowers it.

    Python makes a final sigma of `Σ`, and two characters of `İ`.
    """
    if text.isascii():
        return language in _IN_ASCII
    simple = language in _IN_ANY_TEXT and len(lowered) == len(text) and "Σ" not in text
    return simple and is_folded(text)


def _beginning(term: str) -> str:
    return term[: min(SAFE_LETTERS, max(1, len(term) - 2))]


def _candidates(lowered: str, beginnings: Collection[str]) -> tuple[dict[int, str], dict[int, int]]:
    """Return the ASCII words that begin so, by start, and runs to be analysed: start to end.

    A run holds characters past ASCII next to a possible word: whether they are
    part of it only the analyzer knows.
    """
    words: dict[int, str] = {}
    runs: dict[int, int] = {}
    if lowered.isascii():
        return _ascii_candidates(lowered, beginnings), runs
    for beginning in beginnings:
        past_ascii = beginning > "\x7f"
        at = lowered.find(beginning)
        while at >= 0:
            end = at + 1
            if past_ascii or not at or lowered[at - 1] not in _ALNUM:
                start, end = _word_at(lowered, at)
                word = lowered[start:end]
                if word.isascii():
                    words[start] = word
                else:
                    runs[start] = end
            at = lowered.find(beginning, max(end, at + 1))
    return words, runs


def _ascii_candidates(lowered: str, beginnings: Iterable[str]) -> dict[int, str]:
    words: dict[int, str] = {}
    find, match = lowered.find, _ASCII_WORD.match
    for beginning in beginnings:
        at = find(beginning)
        while at >= 0:
            if at and lowered[at - 1] in _ALNUM:
                at = find(beginning, at + 1)
                continue
            found = match(lowered, at)
            end = found.end() if found else at
            words[at] = lowered[at:end]
            at = find(beginning, max(end, at + 1))
    return words


def _word_at(lowered: str, at: int) -> tuple[int, int]:
    """Return the range of the ASCII word that begins at `at`, or of the run that it is part of."""
    found = _ASCII_WORD.match(lowered, at)
    end = found.end() if found else at
    if (at and lowered[at - 1] > "\x7f") or lowered[end : end + 1] > "\x7f":
        return _run_around(lowered, at)
    return at, end


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


def find_phrase(text: str, phrase: Sequence[str], analyzer: Analyzer) -> list[Place]:
    """Return the words of every place where the terms of `phrase` stand beside each other."""
    found: list[Place] = []
    lowered = text.lower()
    safe = _is_safe(text, lowered, analyzer.language)
    second = _beginning(phrase[1])
    for start, end, _ in sorted(WordFinder({phrase[0]}, analyzer).find(text)):
        if safe and not _may_follow(lowered, end, second):
            continue
        places = _words_from(text, start, len(phrase), analyzer)
        if [place.term for place in places] == list(phrase):
            found += places
    return found


def _may_follow(lowered: str, at: int, beginning: str) -> bool:
    """Whether the first word from `at` on may begin so: a look that spares most analyses."""
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
