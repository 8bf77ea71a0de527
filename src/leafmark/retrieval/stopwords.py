"""Stop words of the index's languages: words that a question is put with, not about.

The lists stand in `data/stopwords.txt`, which is read when a query first asks.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["stop_words"]

_LISTS = Path(__file__).with_name("data") / "stopwords.txt"


@cache
def stop_words(language: str | None) -> frozenset[str]:
    """Return the stop words of `language` in lower case; none without a language.

    >>> "how" in stop_words("english"), stop_words(None)
    (True, frozenset())
    """
    if language is None:
        return frozenset()
    _, _, after = _LISTS.read_text("utf-8").partition(f"\n[{language}]\n")
    words, _, _ = after.partition("\n[")
    return frozenset(words.split()) - {"+"}
