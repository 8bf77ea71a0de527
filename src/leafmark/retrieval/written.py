"""Tell in which language the texts of an index are written, by its stop words.

The commonest stop words of a language stand in a fifth to a half of all chunks in that
language, and in nearly no others. Stop words of several languages (`die`, `in`) are not
counted, so Danish, which shares nearly all of them with Norwegian, is seldom told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from leafmark.index import IndexReader, Language
from leafmark.index.analysis import LANGUAGES
from leafmark.retrieval.statistics import Statistics, statistics_of
from leafmark.retrieval.stopwords import stop_words

__all__ = ["written_in"]

COMMONEST = 20
"""How many stop words of a language count: those that most chunks have."""

LEAST_CHUNKS = 10
"""Fewer chunks than this tell nothing."""

LEAST_SHARE = 0.1
"""The share of chunks with such a word, on average over the words, that tells a language.

Of 44 folders in 16 languages, manuals and pages, English ones have at most 0.05 for any other
language, and others at least 0.12 for their own, but for Danish.
"""

CLEARLY = 1.25
"""By what factor the share of another language must exceed that of the stemmed one."""


def written_in(reader: IndexReader, language: Language) -> str | None:
    """Return the language that most texts stemmed as `language` are really in.

    None if they are in that language, if they are not stemmed, or if it is not clear.
    """
    chunks = sum(reader.trees[tree].chunks for tree in language.trees if tree in reader.trees)
    if language.name is None or chunks < LEAST_CHUNKS:
        return None
    statistics = statistics_of(reader)
    shares = {
        name: _common(name, language, statistics) / (COMMONEST * chunks) for name in LANGUAGES
    }
    most = max(sorted(shares), key=shares.__getitem__)
    clear = shares[most] >= max(LEAST_SHARE, CLEARLY * shares[language.name])
    return most if clear and most != language.name else None


def _common(name: str, language: Language, statistics: Statistics) -> int:
    """Return in how many chunks the commonest stop words of only `name` stand, added up."""
    counts = [
        statistics.rough_frequency(language.body, term)
        for word in _own_words()[name]
        for term in language.analyzer.terms(word)
    ]
    return sum(sorted(counts, reverse=True)[:COMMONEST])


@cache
def _own_words() -> Mapping[str, frozenset[str]]:
    """Return the stop words of each language that no other language has."""
    lists = Counter(word for name in LANGUAGES for word in stop_words(name))
    alone = {word for word, count in lists.items() if count == 1}
    return {name: stop_words(name) & alone for name in LANGUAGES}
