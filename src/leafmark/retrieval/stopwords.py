"""Stop words of the index's languages: words that a question is put with, not about.

Some of them are that in a question alone: in "use cases", `use` is a word like others.
The lists stand in `data/stopwords.txt`, which is read when a query first asks.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["asking_words", "stop_words"]

_LISTS = Path(__file__).with_name("data") / "stopwords.txt"


def stop_words(language: str | None) -> frozenset[str]:
    """Return the stop words of `language` in lower case; none without a language.

    >>> "how" in stop_words("english"), stop_words(None)
    (True, frozenset())
    """
    return frozenset() if language is None else _words(language)


def asking_words(language: str | None) -> frozenset[str]:
    """Return more stop words, of questions only; none for most languages.

    >>> "want" in asking_words("english"), "want" in stop_words("english")
    (True, False)
    """
    return frozenset() if language is None else _words(f"{language} questions")


@cache
def _words(section: str) -> frozenset[str]:
    _, _, after = _LISTS.read_text("utf-8").partition(f"\n[{section}]\n")
    words, _, _ = after.partition("\n[")
    return frozenset(words.split()) - {"+"}
