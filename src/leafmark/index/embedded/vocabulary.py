"""The words that an index has, by their length: which of them are spelled nearly like a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from leafmark.likeness import edits_from

__all__ = ["Vocabulary", "bare", "within_distance", "without_marks"]

_STROKES = str.maketrans("đħıłøŧ", "dhilot")
"""Letters with a mark that Unicode does not part."""


class Vocabulary:
    """The terms of a few fields; `list_terms` gives those of each, deleted ones too."""

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
        """Return the terms that are one of the words but for their marks."""
        found: list[str] = []
        for word in dict.fromkeys(words):
            found += [word] if word in self._terms and word.isascii() else []
            found += self._marked.get(word, ())
        return found

    @cached_property
    def _by_length(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        for term in self._terms:
            found.setdefault(len(term), []).append(term)
        return found

    @cached_property
    def _marked(self) -> Mapping[str, Sequence[str]]:
        """The terms with letters past ASCII, by what they are without marks."""
        found: dict[str, list[str]] = {}
        for term in self._terms:
            if not term.isascii():
                found.setdefault(bare(term), []).append(term)
        return found


def without_marks(word: str) -> str:
    """Return a word without the marks on its letters.

    >>> without_marks("résumé"), without_marks("żółty")
    ('resume', 'zolty')
    """
    if word.isascii():
        return word
    parted = unicodedata.normalize("NFD", word)
    return "".join(each for each in parted if not unicodedata.combining(each)).translate(_STROKES)


def bare(word: str) -> str:
    """Return a word in the letters that stemmers make of it: without marks, and `ss` for `ß`.

    >>> bare("größe")
    'grosse'
    """
    return without_marks(word).replace("ß", "ss")


def within_distance(word: str, others: Iterable[str], distance: int) -> list[str]:
    """Return those of `others` that are within `distance` edits of `word`, in order.

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
