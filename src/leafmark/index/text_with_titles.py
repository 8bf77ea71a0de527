"""The indexed body of a chunk: its text with the titles of the sections that it is in.

A text seldom repeats its headings: "Windows › Auto-start › Turn it off" stands above "Open
the settings …". Indexing them as one text compares short and long texts fairly, and counts a
word once, wherever it stands.

`body:x` asks for the text alone. So the index also records what a body has only from its
titles: terms, and phrases whose parts the text has, but not together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from leafmark.index.analysis import Analyzer, with_parts

__all__ = ["TextWithTitles", "phrases_within", "text_with_titles", "title_terms", "titles_above"]

MAX_TITLES = 16
"""Of more nested sections only the innermost count: else the work would be quadratic in depth."""

MAX_TITLE = 1000
"""Characters. Anything longer is no title, and would be read again for each text below it."""

MAX_PHRASE = 3
"""The longest phrases of titles, in terms, that are compared with the text."""


class TitlesAbove(NamedTuple):
    """The titles that a body stands below: their terms as one text, one by one, and each once.

    `text` has all of them; those that are too long to be a title stand in no body.
    """

    text: str
    titles: tuple[str, ...]
    terms: frozenset[str]


class TextWithTitles(NamedTuple):
    """The indexed text of a body: the titles above it, `BETWEEN` after each, and its own.

    `above` is what only the titles say.
    """

    titles: Sequence[str]
    body: str
    above: Sequence[str] = ()


def text_with_titles(analyzer: Analyzer, section_path: Sequence[str], body: str) -> TextWithTitles:
    """Return the indexed text of a body, given as its terms with spaces between.

    `section_path` begins with the document's title.
    """
    above = titles_above(analyzer, tuple(section_path[-MAX_TITLES:]))
    if not above.titles:
        return TextWithTitles((), body)
    padded = f" {body} "  # to look for terms in it is faster than to make a set of its own
    shared = {term for term in above.terms if f" {term} " in padded}
    phrases = _phrases_alone(above.titles, padded, shared) if shared else ()
    return TextWithTitles(above.titles, body, sorted([*(above.terms - shared), *phrases]))


@lru_cache(1024)
def titles_above(analyzer: Analyzer, section_path: tuple[str, ...]) -> TitlesAbove:
    """Return the titles of a path, analysed once: sections below it and pieces have them too."""
    if not section_path:
        return TitlesAbove("", (), frozenset())
    above = titles_above(analyzer, section_path[:-1])
    text = title_terms(analyzer, section_path[-1][:MAX_TITLE])
    joined = f"{above.text} {text}" if len(section_path) > 1 else text
    if len(section_path[-1]) > MAX_TITLE:
        return above._replace(text=joined)
    return TitlesAbove(joined, (*above.titles, text), above.terms.union(text.split()))


@lru_cache(4096)
def title_terms(analyzer: Analyzer, title: str) -> str:
    """Return the terms of a title, analysed once: it repeats in many files."""
    return analyzer.for_index(with_parts(title))


def _phrases_alone(titles: Sequence[str], padded: str, shared: Set[str]) -> Iterator[str]:
    """Yield the shortest phrases of the titles that the body lacks although it has their parts."""
    words = [title.split() for title in titles]
    pairs = {
        (one, two)
        for terms in words
        for one, two in pairwise(terms)
        if one in shared and two in shared
    }
    held = {pair for pair in pairs if f" {pair[0]} {pair[1]} " in padded}
    yield from map(" ".join, pairs - held)
    if held:
        threes = {
            " ".join(three)
            for terms in words
            for three in _phrases(terms, MAX_PHRASE)
            if three[:2] in held and three[1:] in held
        }
        yield from (three for three in threes if f" {three} " not in padded)


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each term and each phrase in these terms that may be in `TextWithTitles.above`.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, MAX_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
