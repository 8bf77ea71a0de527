"""The indexed body of a chunk: its text with the titles of the sections that it is in.

A text seldom repeats its headings: "Windows › Auto-start › Turn it off" is above "Open the
settings …". If both are indexed as one text, short and long texts compare fairly, and a word
counts the same in either.

`body:x` searches the text alone. So the index also records the terms that a body has only from
its titles, and the phrases whose parts the text has, but not together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from leafmark.environment import memo
from leafmark.index.analysis import Analyzer, with_parts
from leafmark.namedtuples import NamedTuple

MAX_TITLES = 16
"""The most titles of a path, the innermost: with all, the work would be quadratic in depth."""

MAX_TITLE = 1000
"""The most characters of a title; a longer text would be repeated in each text below it."""

MAX_PHRASE = 3
"""The most terms of a phrase of a title that is compared with the text."""


class TitlesAbove(NamedTuple):
    """The titles above a body: their terms as one text, by title, and as a set.

    `text` has all of them; `titles` leaves out texts too long for a title. The indexed text of a
    body begins with the `titles`, a `BETWEEN` after each.
    """

    text: str
    titles: tuple[str, ...]
    terms: frozenset[str]
    pairs: tuple[tuple[str, str], ...] = ()
    """The adjacent terms of the titles, each pair once."""


def terms_from_titles(above: TitlesAbove, body: str) -> list[str]:
    """Return what a body has only from the titles above, sorted; `body` is its terms with spaces.

    These are terms, and the shortest phrases that it lacks although it has their parts.
    """
    if not above.titles:
        return []
    padded = f" {body} "  # a search for terms in it is faster than building a set of its terms
    shared = {term for term in above.terms if f" {term} " in padded}
    alone = [*(above.terms - shared)]
    if shared:
        alone += _phrases_from_titles(above, padded, shared)
    alone.sort()
    return alone


@memo(1024)
def titles_above(analyzer: Analyzer, section_path: tuple[str, ...]) -> TitlesAbove:
    """Return the titles of a path, cached: the sections below it and its pieces share them."""
    if not section_path:
        return TitlesAbove("", (), frozenset())
    above = titles_above(analyzer, section_path[:-1])
    text = title_terms(analyzer, section_path[-1][:MAX_TITLE])
    joined = f"{above.text} {text}" if len(section_path) > 1 else text
    if len(section_path[-1]) > MAX_TITLE:
        return above._replace(text=joined)
    words = text.split()
    pairs = dict.fromkeys((*above.pairs, *pairwise(words)))
    return TitlesAbove(joined, (*above.titles, text), above.terms.union(words), (*pairs,))


@memo(4096)
def title_terms(analyzer: Analyzer, title: str) -> str:
    """Return the terms of a title, cached: it repeats in many files."""
    return analyzer.for_index(with_parts(title))


def _phrases_from_titles(above: TitlesAbove, padded: str, shared: Set[str]) -> Iterable[str]:
    """Return the phrases of `terms_from_titles`; `shared` are the terms of both titles and body."""
    pairs = {(a, b): f" {a} {b} " for a, b in above.pairs if a in shared and b in shared}
    if not pairs:
        return ()
    present = {pair for pair, phrase in pairs.items() if phrase in padded}
    alone = {phrase[1:-1] for pair, phrase in pairs.items() if pair not in present}
    if present:
        threes = {
            " ".join(three)
            for title in above.titles
            for three in _phrases(title.split(), MAX_PHRASE)
            if three[:2] in present and three[1:] in present
        }
        alone |= {three for three in threes if f" {three} " not in padded}
    return alone


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each of these terms, and each phrase in them that `terms_from_titles` may return.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, MAX_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
