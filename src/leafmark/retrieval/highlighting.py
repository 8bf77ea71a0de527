"""Find where a text matches: ranges of what was looked for, by the analyzer of the index.

The terms that made a chunk match mark its words here: stems, corrections, prefixes, parts of
words. A phrase marks its words only where they stand beside each other. A match includes the
combining marks after it, although the analyzer drops some: else a highlight would split what
is read as one character.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from leafmark.index import BETWEEN, PARTING_FORMATS, Analyzer, fold, iter_names, iter_parted
from leafmark.retrieval.edits import bare
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.scanning import PhraseFinder, Scanned, WordFinder, scan
from leafmark.retrieval.snippets import FIRST_MARK, Match

__all__ = ["Highlighter"]


class Highlighter:
    """Finds what was looked for in one text after the other."""

    def __init__(self, looked: Iterable[Looked], analyzer: Analyzer):
        self._analyzer = analyzer
        self._by_term: dict[str, list[Looked]] = {}
        self._phrases: list[tuple[int, PhraseFinder, Looked]] = []
        for each in looked:
            for sequence in each.sequences:
                if len(sequence) == 1:
                    self._by_term.setdefault(sequence[0], []).append(each)
                else:
                    finder = PhraseFinder(sequence, analyzer)
                    self._phrases.append((len(sequence), finder, each))
        self._words = WordFinder(self._by_term.keys(), analyzer)

    def find(self, text: str) -> list[Match]:
        """Return the matches in `text`, sorted by start; offsets count its characters."""
        simple = text.isascii()
        found: set[Match] = set()
        scanned = scan(text, self._analyzer)
        for start, end, term in self._words.find(scanned):
            for looked in self._by_term[term]:
                if not looked.prefix or _begins(start, end, text, looked.prefix):
                    last = end if simple else _after_marks(text, end)
                    found.add((start, last, looked.number))
        for length, finder, looked in self._phrases:
            found.update(_of_phrase(length, finder, scanned, looked))
        return sorted(found)

    def find_in(self, text: str, format_name: str) -> list[Match]:
        """Return the matches in a body of some format, including those of terms the index adds.

        These are the parts of names in source code, and words that a line break splits.
        """
        if format_name == "script":
            return self._with(text, iter_names, " ")
        if format_name in PARTING_FORMATS:
            return self._with(text, iter_parted, "")
        return self.find(text)

    def _with(self, text: str, words: _Words, joint: str) -> list[Match]:
        found = set(self.find(text))
        apart, places = _written(words(text), joint, BETWEEN if self._phrases else "-")
        if not places:
            return sorted(found)
        for start, end, number in self.find(apart):
            at, place = places[bisect_right(places, (start, len(text))) - 1]
            last_at, last = places[bisect_right(places, (end - 1, len(text))) - 1]
            found.add((place + start - at, last + end - last_at, number))
        return sorted(found)


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
    length: int, finder: PhraseFinder, scanned: Scanned, looked: Looked
) -> Iterable[Match]:
    text, places = scanned.text, finder.find(scanned)
    for at in range(0, len(places), length):
        here = places[at : at + length]
        if _begins(here[-1].start, here[-1].end, text, looked.prefix):
            for place in here:
                yield place.start, _after_marks(text, place.end), looked.number


def _after_marks(text: str, at: int) -> int:
    """Return the place after the combining marks that begin at `at`."""
    while text[at : at + 1] >= FIRST_MARK and unicodedata.category(text[at])[0] == "M":
        at += 1
    return at


def _begins(start: int, end: int, text: str, prefix: str) -> bool:
    """Whether a word begins with a prefix, marks apart: its stem may be shorter than the prefix."""
    return not prefix or bare(fold(text[start:end]).lower()).startswith(bare(prefix))
