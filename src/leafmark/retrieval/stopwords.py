"""Stop words of the index's languages: words that ask a question, not what it is about.

Some are stop words only in questions: in "use cases", `use` is a word like any other. The
lists are in `data/stopwords.txt`, which is read when a query first needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

__all__ = ["asked_in", "asking_words", "stop_words"]

LEAST_STOPS = 2
"""Stop words that show that a question is in a language: a single one may be a name (`die`)."""

_LISTS = Path(__file__).with_name("data") / "stopwords.txt"


def stop_words(language: str | None) -> frozenset[str]:
    """Return the stop words of `language` in lower case; none without a language.

    >>> "how" in stop_words("english"), stop_words(None)
    (True, frozenset())
    """
    return frozenset() if language is None else _words(language)


def asking_words(language: str | None) -> frozenset[str]:
    """Return the words that are stop words only in questions; none for most languages.

    >>> "want" in asking_words("english"), "want" in stop_words("english")
    (True, False)
    """
    return frozenset() if language is None else _words(f"{language} questions")


def asked_in(words: Collection[str], languages: Iterable[str | None]) -> str | None:
    """Return the language of a question's words, given in lower case; None if it is not clear.

    It is the one of `languages` that most of the words are stop words of.

    >>> asked_in(["wie", "funktioniert", "die", "suche"], ["english", "german"])
    'german'
    >>> asked_in(["die", "cast"], ["english", "german"])
    """
    counts = {name: len(stop_words(name).intersection(words)) for name in languages}
    most = max(counts.values(), default=0)
    first = [name for name, count in counts.items() if count == most]
    return first[0] if most >= LEAST_STOPS and len(first) == 1 else None


@cache
def _words(section: str) -> frozenset[str]:
    _, _, after = _LISTS.read_text("utf-8").partition(f"\n[{section}]\n")
    words, _, _ = after.partition("\n[")
    return frozenset(words.split()) - {"+"}
