"""Where a text matches: ranges for what was looked for, by the analyzer of the index.

Whatever made a chunk match marks its words here by the same terms: stems,
corrections, prefixes, parts of words. A phrase marks its words only where they
stand beside each other. The marks after a letter are its own, though the analyzer
drops some of them: else a highlight would tear apart what is read as one character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from leafmark.index import Analyzer
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.scanning import Place, find_phrase, find_words
from leafmark.retrieval.snippets import Match

__all__ = ["find_matches"]

FIRST_MARK = "\u0300"
"""No combining mark comes before it."""


def find_matches(text: str, looked: Iterable[Looked], analyzer: Analyzer) -> list[Match]:
    """Return the matches in `text`, sorted by start; offsets count its characters."""
    wanted = [each for each in looked if each.sequences]
    terms = {sequence[0] for each in wanted for sequence in each.sequences if len(sequence) == 1}
    places = find_words(text, terms, analyzer)
    found: list[Match] = []
    for each in wanted:
        matched = _of_looked(each, places, text, analyzer)
        found += [
            Match(place.start, _after_marks(text, place.end), each.number) for place in matched
        ]
    return sorted(set(found))


def _after_marks(text: str, at: int) -> int:
    """Return the place after the combining marks that begin at `at`."""
    while text[at : at + 1] >= FIRST_MARK and unicodedata.category(text[at])[0] == "M":
        at += 1
    return at


def _of_looked(
    looked: Looked, places: Iterable[Place], text: str, analyzer: Analyzer
) -> Iterable[Place]:
    """Yield the words that match one word, phrase or prefix; `places` are those of all words."""
    words = {sequence[0] for sequence in looked.sequences if len(sequence) == 1}
    for place in places:
        if place.term in words and _begins(place, text, looked):
            yield place
    for phrase in looked.sequences:
        if len(phrase) < 2:
            continue
        found = find_phrase(text, phrase, analyzer)
        for at in range(0, len(found), len(phrase)):
            here = found[at : at + len(phrase)]
            if _begins(here[-1], text, looked):
                yield from here


def _begins(place: Place, text: str, looked: Looked) -> bool:
    """Whether a word begins as a prefix asks: stems may be shorter than what was typed."""
    if not looked.prefix:
        return True
    return text[place.start : place.end].lower().startswith(looked.prefix)
