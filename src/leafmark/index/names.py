"""Words that are found by others than those they are written as.

Names in camel case are taken apart, so that `printRoutes` is found by "print routes" too.
Titles hold their parts, and source code does, whose words are names. Elsewhere texts say
the words themselves, beside the names. A word that the end of a line parts, as those of
manual pages do, is found whole.
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
"""Stands between texts that are indexed as one: a letter (Lycian) that nobody types, so that
no phrase goes over it."""

PARTING_FORMATS = ("text", "html")
"""Formats whose lines may part words: preformatted text is in no other but code."""

_INSIDE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
"""Where a part begins; the two small letters let `URLs` be one word."""

_WORD = re.compile(r"[^\W_]+")

_PARTED = re.compile(r"(?<![^\W_])([^\W\d_]+)[-\u2010\u00ad]\r?\n[ \t]*+(?=([^\W\d_]+))")
"""A word that goes on in the next line, by the hyphen behind its first part."""


def with_parts(title: str) -> str:
    """Return a title and, behind it, the parts of the names in it.

    >>> with_parts("printRoutes() of HTTPServer"), with_parts("List of URLs")
    ('printRoutes() of HTTPServer print Routes HTTP Server', 'List of URLs')
    """
    if not _INSIDE.search(title):
        return title
    names = (word for word in _WORD.findall(title) if _INSIDE.search(word))
    return " ".join([title, *(_INSIDE.sub(" ", name) for name in names)])


def split_names(title: str) -> str:
    """Return a title with the names in it taken apart.

    >>> split_names("printRoutes() of HTTPServer")
    'print Routes() of HTTP Server'
    """
    return _INSIDE.sub(" ", title)


def terms_of_names(analyzer: Analyzer, code: str) -> list[str]:
    """Return the terms of the parts of each name in source code, once a name, apart by `BETWEEN`.

    A name that is used ten times says no more of what the code is about.
    """
    terms: list[str] = []
    for word in dict.fromkeys(_WORD.findall(code)):
        if not word.islower():
            terms += _terms_of_name(analyzer, word)
    return terms


@lru_cache(20_000)
def _terms_of_name(analyzer: Analyzer, word: str) -> tuple[str, ...]:
    """Return what is indexed of a word beside itself: nothing, if it is no name."""
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
    """Return the terms of the words that lines part, once a word, apart by `BETWEEN`."""
    words = dict.fromkeys("".join(part for _, part in parts) for parts in iter_parted(text))
    return [term for word in words for term in (BETWEEN, *analyzer.terms(word))]


def iter_parted(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the two parts of each word that lines part, with the places where they begin.

    >>> list(iter_parted("exam-\\n  ple, re-\\n\\nset 1-\\n2"))
    [[(0, 'exam'), (8, 'ple')]]
    """
    if "-\n" in text or "\u2010" in text or "\u00ad" in text or "-\r" in text:
        for found in _PARTED.finditer(text):
            yield [(found.start(1), found[1]), (found.end(), found[2])]
