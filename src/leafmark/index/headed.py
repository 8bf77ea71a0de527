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
from typing import NamedTuple

from leafmark.index.analysis import Analyzer, with_parts

__all__ = ["Headed", "headed", "phrases_within", "title_terms"]

MAX_TITLES = 16
"""Of more nested sections only the innermost count: else the work would be quadratic in depth."""

MAX_TITLE = 1000
"""Characters. Anything longer is no title, and would be read again for each text below it."""

MAX_PHRASE = 3
"""The longest phrases of titles, in terms, that are compared with the text."""


class Title(NamedTuple):
    """A title as it is indexed, its terms, and its phrases by length, from two terms on.

    Each phrase is given with the two shorter ones that it begins and ends with.
    """

    text: str
    terms: tuple[str, ...]
    phrases: tuple[tuple[tuple[str, str, str], ...], ...]


class Headed(NamedTuple):
    """The indexed text of a body: the titles above it, `BETWEEN` after each, and its own.

    `above` is what only the titles say.
    """

    titles: Sequence[str]
    body: str
    above: Sequence[str] = ()


def headed(analyzer: Analyzer, section_path: Sequence[str], body: str) -> Headed:
    """Return the indexed text of a body, given as its terms with spaces between.

    `section_path` begins with the document's title.
    """
    above = section_path[-MAX_TITLES:]
    titles = [title_terms(analyzer, title) for title in above if len(title) <= MAX_TITLE]
    if not titles:
        return Headed((), body)
    asked = set[str]().union(*[title.terms for title in titles])
    padded = f" {body} "  # to look for terms in it is faster than to make a set of its own
    shared = {term for term in asked if f" {term} " in padded}
    phrases = _phrases_alone(titles, padded, shared) if shared else ()
    return Headed([title.text for title in titles], body, sorted([*(asked - shared), *phrases]))


@lru_cache(4096)
def title_terms(analyzer: Analyzer, title: str) -> Title:
    """Return a title, analysed once: pieces and all sections below have it too."""
    text = analyzer.for_index(with_parts(title))
    terms = shorter = text.split()
    phrases = []
    for length in range(2, MAX_PHRASE + 1):
        longer = [*map(" ".join, _phrases(terms, length))]
        phrases.append((*zip(longer, shorter, shorter[1:], strict=False),))
        shorter = longer
    return Title(text, tuple(terms), (*phrases,))


def _phrases_alone(titles: Sequence[Title], padded: str, shared: Set[str]) -> Iterator[str]:
    """Yield the shortest phrases of the titles that the body lacks although it has their parts."""
    held = shared
    for length in range(MAX_PHRASE - 1):
        asked = {
            phrase
            for title in titles
            for phrase, begin, end in title.phrases[length]
            if begin in held and end in held
        }
        if not asked:
            return
        held = {phrase for phrase in asked if f" {phrase} " in padded}
        yield from asked - held


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each term and each phrase in these terms that may be in `Headed.above`.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, MAX_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
