"""Other forms of a typed word that have another stem: `wrote`, `parser`, `colour`.

A stemmer only cuts endings. It does not join irregular forms (`write`, `wrote`), `parse` and
`parser`, or British and American spellings, and it separates some words from their plurals
(`alias`, `aliases`; `menu`, `menus`). Rules make candidates here, and the index tells which of
them occur. English only: other languages get rules when there are sets to measure them on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from leafmark.index import analyzer_for
from leafmark.retrieval.stopwords import stop_words

__all__ = ["derived_terms"]

_FORMS = Path(__file__).with_name("data") / "irregular.txt"

_RULES = tuple(
    (re.compile(pattern), form)
    for pattern, form in (
        # the word for who or what does it: `parser`, `runner`, `carrier`, `editor`
        (r"(.{3,})er", r"\1e"),
        (r"(.*[^aeiou][aeiou])([bdgmnpt])\2er", r"\1\2"),
        (r"(.{2,}[^aeiou])ier", r"\1y"),
        (r"(.{3,}[st])or", r"\1e"),
        (r"(.{3,}e)", r"\1r"),
        (r"(.{0,2}[^aeiou][aeiou])([bdgmnpt])", r"\1\2\2er"),
        (r"(.{2,}[^aeiou])y", r"\1ier"),
        (r"(.{3,}[^aeiouyrs])", r"\1er"),
        (r"(.{3,}[st])e?", r"\1or"),
        # the other spelling: `serialise`, `analyse`, `colour`, `centre`, `catalogue`, `licence`
        (r"(.{3,}i)z(e[drs]?|ing|ations?)", r"\1s\2"),
        (r"(.{3,}i)s(e[drs]?|ing|ations?)", r"\1z\2"),
        (r"(.{3,})yz(e[ds]?|ing)", r"\1ys\2"),
        (r"(.{3,})ys(e[ds]?|ing)", r"\1yz\2"),
        (r"(.{2,}[^st])or(s|ed|ing)?", r"\1our\2"),
        (r"(.{2,})our(s|ed|ing)?", r"\1or\2"),
        (r"(.{2,}[bt])er", r"\1re"),
        (r"(.{2,}[bt])re", r"\1er"),
        (r"(.{2,}o)g", r"\1gue"),
        (r"(.{2,}o)gue", r"\1g"),
        (r"(.*[cf]en)s(e[ds]?)", r"\1c\2"),
        (r"(.*[cf]en)c(e[ds]?)", r"\1s\2"),
        # forms that the stemmer separates: it cuts `reference` to `refer`, and keeps `s` after `u`
        # (`menus`) and in words without a vowel before their last letter (`sdks`, `clis`)
        (r"(.{3,}en)c(?:ed|ing)", r"\1ce"),
        (r"(.{2,}u)", r"\1s"),
        (r"(.{2,}u)s", r"\1"),
        (r"(?!http|smtp)([^aeiouy]{3,}|[^aeiouy]{2,}[aeio])", r"\1s"),
        (r"(?!http|smtp)([^aeiouy]{3,}|[^aeiouy]{2,}[aeio])s", r"\1"),
    )
)
"""A pattern of whole words, and another form of a word that it matches.

A wrong `e` at the end does no harm: the stemmer cuts it (`reade` becomes `read`). Most rules
need more than three letters: a `user` does not "us".
"""


@lru_cache(maxsize=10_000)
def derived_terms(word: str, language: str | None) -> tuple[tuple[str, str], ...]:
    """Return the stems of other forms of `word`, each with the form; most forms are no real word.

    >>> derived_terms("wrote", "english")
    (('write', 'write'), ('written', 'written'), ('wroter', 'wroter'), ('wrotor', 'wrotor'))
    """
    typed = word.lower()
    if language != "english" or not (typed.isascii() and typed.isalpha()):
        return ()
    analyzer, stops = analyzer_for(language), stop_words(language)
    (own,) = analyzer.terms(typed) or [""]
    found: dict[str, str] = {}
    for form in dict.fromkeys([*_irregular().get(typed, ()), *_by_rule(typed)]):
        if form not in stops:
            found.update((stem, form) for stem in analyzer.terms(form) if stem not in found)
    found.pop(own, None)
    return tuple(found.items())


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    """Return the other forms of each word: those on the same line of the list."""
    lines = [line.split() for line in _FORMS.read_text("utf-8").splitlines()]
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        for word in line:
            others = (other for other in line if other != word)
            found[word] = (*found.get(word, ()), *others)
    return found


def _by_rule(word: str) -> Iterator[str]:
    for pattern, form in _RULES:
        found = pattern.fullmatch(word)
        if found:
            yield found.expand(form)
