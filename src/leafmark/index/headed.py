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

from leafmark.index.analysis import BETWEEN, Analyzer, with_parts

__all__ = ["Headed", "headed", "phrases_within"]

MOST_TITLES = 16
"""Of more nested sections only the innermost count: else the work would be quadratic in depth."""

LONGEST_TITLE = 1000
"""Characters. Anything longer is no title, and would be read again for each text below it."""

LONGEST_PHRASE = 3
"""The longest phrases of titles, in terms, that are compared with the text."""


class _Phrase(NamedTuple):
    """Terms beside each other, with spaces between, and the two phrases that make it up."""

    text: str
    begin: str
    end: str


class _Title(NamedTuple):
    """A title as it is indexed, its terms, and its phrases by length, the shortest first."""

    text: str
    terms: frozenset[str]
    phrases: tuple[list[_Phrase], ...]


class Headed(NamedTuple):
    """The indexed text of a body, in two parts, and `above`: what only its titles say.

    The parts are not joined: the titles end in a character outside the Basic Multilingual
    Plane, so the joined text would take four bytes per character.
    """

    titles: str
    body: str
    above: Sequence[str] = ()


def headed(analyzer: Analyzer, section_path: Sequence[str], terms: Sequence[str]) -> Headed:
    """Return the indexed text of a body with these terms.

    `section_path` begins with the document's title.
    """
    body = " ".join(terms)
    above = section_path[-MOST_TITLES:]
    titles = [_title(analyzer, title) for title in above if len(title) <= LONGEST_TITLE]
    if not titles:
        return Headed("", body)
    text = "".join([f"{title.text} {BETWEEN} " for title in titles])
    asked = set[str]().union(*[title.terms for title in titles])
    shared = asked.intersection(terms)
    phrases = _phrases_alone(titles, body, shared) if shared else ()
    return Headed(text, body, sorted([*(asked - shared), *phrases]))


@lru_cache(256)
def _title(analyzer: Analyzer, title: str) -> _Title:
    """Return a title, analysed once: pieces and all sections below have it too."""
    terms = analyzer.terms(with_parts(title))
    phrases = (_phrases(terms, length) for length in range(2, LONGEST_PHRASE + 1))
    return _Title(
        " ".join(terms),
        frozenset(terms),
        tuple([_Phrase(*map(" ".join, (p, p[:-1], p[1:]))) for p in each] for each in phrases),
    )


def _phrases_alone(titles: Sequence[_Title], body: str, shared: Set[str]) -> Iterator[str]:
    """Yield the shortest phrases of the titles that the body lacks although it has their parts."""
    held = shared
    body = f" {body} "
    for phrases in zip(*[title.phrases for title in titles], strict=True):
        asked = {
            text for each in phrases for text, begin, end in each if begin in held and end in held
        }
        if not asked:
            return
        held = {text for text in asked if f" {text} " in body}
        yield from asked - held


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each term and each phrase in these terms that may be in `Headed.above`.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, LONGEST_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
