"""The indexed body of a chunk: its text with the titles of the sections that it is in.

A text seldom repeats its headings: "Windows › Auto-start › Turn it off" stands above "Open
the settings …". Indexing them as one text compares short and long texts fairly, and counts a
word once, wherever it stands.

`body:x` asks for the text alone. So the index also records what a body has only from its
titles: terms, and phrases whose parts the text has, but not together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise

from leafmark.environment import memo
from leafmark.index.analysis import Analyzer, with_parts
from leafmark.namedtuples import NamedTuple

MAX_TITLES = 16
"""Of more nested sections only the innermost count: else the work would be quadratic in depth."""

MAX_TITLE = 1000
"""Characters. Anything longer is no title, and would be read again for each text below it."""

MAX_PHRASE = 3
"""The longest phrases of titles, in terms, that are compared with the text."""


class TitlesAbove(NamedTuple):
    """The titles that a body stands below: their terms as one text, one by one, and each once.

    `text` has all of them; those that are too long to be a title stand in no body. In the indexed
    text of a body the `titles` stand before its own, `BETWEEN` after each.
    """

    text: str
    titles: tuple[str, ...]
    terms: frozenset[str]
    pairs: tuple[tuple[str, str], ...] = ()
    """The terms beside each other in a title, each pair once."""


def from_titles_alone(above: TitlesAbove, body: str) -> list[str]:
    """Return what a body has only from the titles above it; it is given as its terms with spaces.

    These are terms, and the shortest phrases that it lacks although it has their parts.
    """
    if not above.titles:
        return []
    padded = f" {body} "  # to look for terms in it is faster than to make a set of its own
    shared = {term for term in above.terms if f" {term} " in padded}
    alone = [*(above.terms - shared)]
    if shared:
        alone += _phrases_alone(above, padded, shared)
    alone.sort()
    return alone


@memo(1024)
def titles_above(analyzer: Analyzer, section_path: tuple[str, ...]) -> TitlesAbove:
    """Return the titles of a path, analysed once: sections below it and pieces have them too."""
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
    """Return the terms of a title, analysed once: it repeats in many files."""
    return analyzer.for_index(with_parts(title))


def _phrases_alone(above: TitlesAbove, padded: str, shared: Set[str]) -> Iterable[str]:
    """Return the phrases that `from_titles_alone` does; `shared` are the terms of both."""
    pairs = {(a, b): f" {a} {b} " for a, b in above.pairs if a in shared and b in shared}
    if not pairs:
        return ()
    held = {pair for pair, phrase in pairs.items() if phrase in padded}
    alone = {phrase[1:-1] for pair, phrase in pairs.items() if pair not in held}
    if held:
        threes = {
            " ".join(three)
            for title in above.titles
            for three in _phrases(title.split(), MAX_PHRASE)
            if three[:2] in held and three[1:] in held
        }
        alone |= {three for three in threes if f" {three} " not in padded}
    return alone


def phrases_within(terms: Sequence[str]) -> list[str]:
    """Return each term and each phrase in these terms that may be in `TextWithTitles.above`.

    >>> phrases_within(["set", "up"])
    ['set', 'up', 'set up']
    """
    lengths = range(1, MAX_PHRASE + 1)
    return [" ".join(phrase) for length in lengths for phrase in _phrases(terms, length)]


def _phrases(terms: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(length)), strict=False)
