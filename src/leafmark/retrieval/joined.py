"""Words joined by punctuation that stand nowhere in the index as they were typed.

`--bwlimit=500`, `plotly/bokeh` and `user.group` are phrases of their parts, and where such a
phrase is nowhere, a match of some words may rest on the parts: an option and its value, two
names, a name and what belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from leafmark.index import Analyzer, fold
from leafmark.query import Term

__all__ = ["MOST_PARTS", "take_joined_apart"]

MOST_PARTS = 6
"""A word of more parts is an address or a hash, which nobody types to find its parts."""

_ASSIGNS = "="
_SEPARATORS = (_ASSIGNS, "/")
"""What parts a word first: what stands between two of them may be a word of parts itself."""


def take_joined_apart(
    word: Term,
    analyzer: Analyzer,
    occurs: Callable[[Term], bool],
    *,
    stops: Collection[str],
    is_alone: bool,
) -> list[Term]:
    """Return the word, or where it does not occur those of its parts that are no stop words.

    A value behind `=` that is nowhere is left out: what people set, a manual does not name.
    A word that is all that was asked for `is_alone`: it is only parted from such a value,
    since of a name that is nowhere no part is meant.
    """
    tokens = analyzer.tokens_of_word(word.text)
    if not 1 < len(tokens) <= MOST_PARTS or occurs(word):
        return [word]
    separators = (_ASSIGNS,) if is_alone else _SEPARATORS
    sign = next((each for each in separators if len(_split(word.text, each)) > 1), None)
    if sign is not None:
        name, *others = _split(word.text, sign)
        if sign == _ASSIGNS:
            others = [value for value in others if occurs(Term(value))]
        found = [
            part
            for text in (name, *others)
            for part in take_joined_apart(
                Term(text), analyzer, occurs, stops=stops, is_alone=is_alone
            )
        ]
    elif is_alone:
        return [word]
    else:
        found = [Term(word.text[token.start : token.end]) for token in tokens]
    return [part for part in found if fold(part.text).lower() not in stops] or [word]


def _split(text: str, sign: str) -> list[str]:
    """Return what stands between signs and has letters or digits."""
    return [part for part in text.split(sign) if any(map(str.isalnum, part))]
