"""Words that the index adds to a text, so that its names and hyphenated words are found.

Names in camel case are split, so that `printRoutes` is found by "print routes" too. This is
done in titles and in source code, whose words are names; other texts use the words
themselves beside the names. A word that a line break splits, as in manual pages, is found as
a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from leafmark.index.analyzer import Analyzer

__all__ = [
    "BETWEEN",
    "PARTING_FORMATS",
    "iter_names",
    "iter_parted",
    "split_names",
    "terms_of_names",
    "terms_of_parted",
    "with_parts",
]

BETWEEN = "\U00010280"
"""Put between texts that are indexed as one: a letter (Lycian) that nobody types, so that no
phrase matches across it."""

PARTING_FORMATS = ("text", "html")
"""Formats whose line breaks may split words: others have preformatted text only as code."""

_INSIDE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
"""Where a part of a name begins; the two lower-case letters keep `URLs` one word."""

_WORD = re.compile(r"[^\W_]+")

_PARTED = re.compile(r"(?<![^\W_])([^\W\d_]+)[-\u2010\u00ad]\r?\n[ \t]*+(?=([^\W\d_]+))")
"""A word that continues in the next line, after a hyphen."""


def with_parts(title: str) -> str:
    """Return a title followed by the parts of the names in it.

    >>> with_parts("printRoutes() of HTTPServer"), with_parts("List of URLs")
    ('printRoutes() of HTTPServer print Routes HTTP Server', 'List of URLs')
    """
    if not _INSIDE.search(title):
        return title
    names = (word for word in _WORD.findall(title) if _INSIDE.search(word))
    return " ".join([title, *(_INSIDE.sub(" ", name) for name in names)])


def split_names(title: str) -> str:
    """Return a title with the names in it split.

    >>> split_names("printRoutes() of HTTPServer")
    'print Routes() of HTTP Server'
    """
    return _INSIDE.sub(" ", title)


def terms_of_names(analyzer: Analyzer, code: str) -> list[str]:
    """Return the terms of the parts of each name in source code, separated by `BETWEEN`.

    Each name counts once: ten uses of a name do not say more of what the code is about.
    """
    terms: list[str] = []
    for word in dict.fromkeys(_WORD.findall(code)):
        if not word.islower():
            terms += _terms_of_name(analyzer, word)
    return terms


@lru_cache(20_000)
def _terms_of_name(analyzer: Analyzer, word: str) -> tuple[str, ...]:
    """Return the terms indexed beside a word: none if it is no name."""
    return (BETWEEN, *analyzer.terms(_INSIDE.sub(" ", word))) if _INSIDE.search(word) else ()


def iter_names(code: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the parts of each name in a text, each part with the place where it begins.

    >>> list(iter_names("go printRoutes"))
    [[(3, 'print'), (8, 'Routes')]]
    """
    for word in _WORD.finditer(code):
        inside = [at.start() for at in _INSIDE.finditer(word[0])]
        if inside:
            cuts = pairwise([0, *inside, len(word[0])])
            yield [(word.start() + start, word[0][start:end]) for start, end in cuts]


def terms_of_parted(analyzer: Analyzer, text: str) -> list[str]:
    """Return the terms of the words that line breaks split, each once, after `BETWEEN`."""
    words = dict.fromkeys("".join(part for _, part in parts) for parts in iter_parted(text))
    return [term for word in words for term in (BETWEEN, *analyzer.terms(word))]


def iter_parted(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the two parts of each word that a line break splits, with their places.

    >>> list(iter_parted("exam-\\n  ple, re-\\n\\nset 1-\\n2"))
    [[(0, 'exam'), (8, 'ple')]]
    """
    if "-\n" in text or "\u2010" in text or "\u00ad" in text or "-\r" in text:
        for found in _PARTED.finditer(text):
            yield [(found.start(1), found[1]), (found.end(), found[2])]
