"""A text with the titles of the sections that it stands in, as the index takes it.

A text seldom repeats what its headings say: "Windows › Auto-start › Turn it off" stands
above "Open the settings …". Read as one, short texts are compared with long ones fairly,
and a word counts once, wherever it stands. The document's title is left out, which all
texts of a document share.

`body:x` asks for the text alone, so what it has from its titles only is kept beside it:
terms, and terms beside each other whose parts the text does have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from leafmark.index.analyzer import Analyzer

__all__ = ["BETWEEN", "headed", "phrases_within"]

BETWEEN = " \U00010280 "
"""Stands after each title: a letter (Lycian) that nobody types, so that no phrase goes over it."""

MOST_TITLES = 16
"""Of more sections inside each other, the innermost count; else nesting would be read n times."""

LONGEST_TITLE = 1000
"""Characters; what is longer is no title, and would be read once for each text below it."""

LONGEST_PHRASE = 3
"""Terms beside each other that are compared with the text."""


def headed(analyzer: Analyzer, section_path: Sequence[str], body: str) -> tuple[str, list[str]]:
    """Return what the index takes for a body that is not empty, and what its titles alone say.

    `body` is as `Analyzer.for_index` gives it. `section_path` begins with the document's title.
    """
    above = [title for title in section_path[1:][-MOST_TITLES:] if len(title) <= LONGEST_TITLE]
    if not above:
        return body, []
    titles = analyzer.for_index(BETWEEN.join((*above, "")))
    terms = analyzer.distinct_terms(titles) - {BETWEEN.strip()}
    shared = terms & analyzer.distinct_terms(body)
    phrases = _phrases_alone(analyzer, titles, body, shared) if shared else ()
    return titles + body, sorted([*(terms - shared), *phrases])


def _phrases_alone(analyzer: Analyzer, titles: str, body: str, shared: set[str]) -> Iterator[str]:
    """Yield the shortest phrases of the titles that the body lacks, while it has their parts."""
    words = _terms(analyzer, titles)
    text: list[str] = []
    held: set[tuple[str, ...]] = {(term,) for term in shared}
    for length in range(2, LONGEST_PHRASE + 1):
        asked = {
            phrase
            for phrase in _phrases(words, length)
            if phrase[1:] in held and phrase[:-1] in held
        }
        if not asked:
            return
        text = text or analyzer.terms(body)
        held = asked.intersection(_phrases(text, length))
        yield from map(" ".join, asked - held)


@lru_cache(64)
def _terms(analyzer: Analyzer, titles: str) -> list[str]:
    """Return the terms of titles, which the pieces of a section share."""
    return analyzer.terms(titles)


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each term and each phrase in these terms that `headed` may have told of.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, LONGEST_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
