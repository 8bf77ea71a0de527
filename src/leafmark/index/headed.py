"""A text with the titles of the sections that it stands in, as the index takes it.

A text seldom repeats what its headings say: "Windows › Auto-start › Turn it off" stands
above "Open the settings …". Read as one, short texts are compared with long ones fairly,
and a word counts once, wherever it stands. The document's title is left out, which all
texts of a document share.

`body:x` asks for the text alone, so what it has from its titles only is kept beside it:
terms, and terms beside each other whose parts the text does have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from leafmark.index.analyzer import Analyzer
from leafmark.index.names import BETWEEN, with_parts

__all__ = ["Headed", "headed", "phrases_within"]

MOST_TITLES = 16
"""Of more sections inside each other, the innermost count; else nesting would be read n times."""

LONGEST_TITLE = 1000
"""Characters; what is longer is no title, and would be read once for each text below it."""

LONGEST_PHRASE = 3
"""Terms beside each other that are compared with the text."""


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
    """What the index takes for a text, in two parts that follow each other, and `above`.

    `above` is what its titles alone say. The parts are not one: the titles end in a
    character that would make a long body take four times its size.
    """

    titles: str
    body: str
    above: Sequence[str] = ()


def headed(analyzer: Analyzer, section_path: Sequence[str], terms: Sequence[str]) -> Headed:
    """Return what the index takes for a body with these terms.

    `section_path` begins with the document's title.
    """
    body = " ".join(terms)
    above = section_path[1:][-MOST_TITLES:]
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
    """Return a title, read; those of a section's pieces and of all sections below it share it."""
    terms = analyzer.terms(with_parts(title))
    phrases = (_phrases(terms, length) for length in range(2, LONGEST_PHRASE + 1))
    return _Title(
        " ".join(terms),
        frozenset(terms),
        tuple([_Phrase(*map(" ".join, (p, p[:-1], p[1:]))) for p in each] for each in phrases),
    )


def _phrases_alone(titles: Sequence[_Title], body: str, shared: Set[str]) -> Iterator[str]:
    """Yield the shortest phrases of the titles that the body lacks, while it has their parts."""
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
    """Return each term and each phrase in these terms that `headed` may have told of.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, LONGEST_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
