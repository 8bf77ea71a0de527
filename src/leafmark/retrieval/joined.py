"""Words joined by punctuation that stand nowhere in the index as they were typed.

`--bwlimit=500`, `plotly/bokeh` and `user.group` are phrases of their parts, and where such a
phrase is nowhere, a match of some words may rest on the parts: an option and its value, two
names, a name and what belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

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
    sign, texts = _divided(word.text, (_ASSIGNS,) if is_alone else _SEPARATORS)
    if sign == _ASSIGNS:
        texts[1:] = [value for value in texts[1:] if occurs(Term(value))]
    if texts:
        take = partial(take_joined_apart, stops=stops, is_alone=is_alone)
        found = [part for text in texts for part in take(Term(text), analyzer, occurs)]
    elif is_alone:
        return [word]
    else:
        found = [Term(word.text[token.start : token.end]) for token in tokens]
    return [part for part in found if fold(part.text).lower() not in stops] or [word]


def _divided(text: str, signs: Sequence[str]) -> tuple[str, list[str]]:
    """Return the first sign that parts the text, and its parts with letters or digits; or none."""
    for sign in signs:
        parts = [part for part in text.split(sign) if any(map(str.isalnum, part))]
        if len(parts) > 1:
            return sign, parts
    return "", []
