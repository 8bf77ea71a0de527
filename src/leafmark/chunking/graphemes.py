"""Where a text may be cut without tearing apart what a reader sees as one character.

The rules of Unicode's extended grapheme clusters (UAX 29) as far as general
categories and a few ranges tell them: line ends, marks, joiners, emoji
modifiers and tags, flags, Hangul syllables, Indic conjuncts.
"""

from __future__ import annotations

import unicodedata

__all__ = ["extends", "grapheme_boundary", "next_boundary"]

_JOINING = frozenset(
    "\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u1cf5\u1cf6"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a84"
    "\U00011a3a\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)
"""What belongs to the character after it: the joiner, and signs that stand before a number."""

_VIRAMA = 9
"""Unicode's combining class of the marks that join two consonants."""

_FARTHEST = 64
"""How many characters back a boundary is looked for; longer clusters are cut all the same."""


def grapheme_boundary(text: str, at: int) -> int:
    """Return the last boundary at or before `at`, 0 where there is none above it.

    >>> grapheme_boundary("e\\u0301e\\u0301", 3), grapheme_boundary("abc", 2)
    (2, 2)
    """
    for cut in range(at, max(0, at - _FARTHEST), -1):
        if cut >= len(text) or _is_boundary(text, cut):
            return cut
    return 0 if at < _FARTHEST else at


def next_boundary(text: str, at: int) -> int:
    """Return the first boundary at or after `at`.

    >>> next_boundary("e\u0301\u0301x", 1)
    3
    """
    for cut in range(at, min(len(text), at + _FARTHEST)):
        if _is_boundary(text, cut):
            return cut
    return min(len(text), at + _FARTHEST)


def extends(character: str) -> bool:
    """Whether it belongs to what stands before it: marks, joiners, emoji modifiers and tags.

    At the beginning of a line there is nothing that it could belong to.
    """
    return (
        unicodedata.category(character)[0] == "M"
        # Thai and Lao AM, and the sound marks of narrow Katakana, follow their letter
        or character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_boundary(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if extends(after) or before in _JOINING or _is_conjunct(text, at):
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not _same_syllable(before, after)


def _is_conjunct(text: str, at: int) -> bool:
    """A virama joins the consonant after it, other marks between them or not."""
    if unicodedata.category(text[at]) != "Lo":
        return False
    for place in range(at - 1, max(-1, at - _FARTHEST), -1):
        if unicodedata.combining(text[place]) == _VIRAMA:
            return True
        if not extends(text[place]):
            return False
    return False


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < _FARTHEST and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _same_syllable(before: str, after: str) -> bool:
    """Hangul: leading consonant, vowel, trailing consonant, or a composed syllable and its tail."""
    vowel_next, tail_next = _is_vowel(after), _is_tail(after)
    if _is_leading(before):
        return vowel_next or _is_leading(after) or "\uac00" <= after <= "\ud7a3"
    if "\uac00" <= before <= "\ud7a3":
        open_syllable = (ord(before) - 0xAC00) % 28 == 0
        return tail_next or (vowel_next and open_syllable)
    return (_is_vowel(before) and (vowel_next or tail_next)) or (_is_tail(before) and tail_next)


def _is_leading(character: str) -> bool:
    return "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c"


def _is_vowel(character: str) -> bool:
    return "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6"


def _is_tail(character: str) -> bool:
    return "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb"
