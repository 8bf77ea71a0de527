"""Where a text may be cut without tearing apart what a reader sees as one character.

The rules of Unicode's extended grapheme clusters (UAX 29) as far as general
categories and a few ranges tell them: line ends, marks, joiners, emoji
modifiers and tags, flags, Hangul syllables, Indic conjuncts.
"""

from __future__ import annotations

import unicodedata

__all__ = ["grapheme_boundary", "next_boundary"]

_JOINER = "\u200d"
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


def _is_boundary(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _JOINER or _links(before, after):
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not _same_syllable(before, after)


def _extends(character: str) -> bool:
    """Marks, joiners, and the emoji modifiers and tags that change what stands before them."""
    return (
        unicodedata.category(character)[0] == "M"
        or character in "\u200c\u200d\u0e33\u0eb3"  # Thai and Lao AM follow their consonant
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _links(before: str, after: str) -> bool:
    """A virama joins the consonant after it."""
    return unicodedata.combining(before) == 9 and unicodedata.category(after) == "Lo"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < _FARTHEST and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _same_syllable(before: str, after: str) -> bool:
    """Hangul: leading consonant, vowel, trailing consonant, or a composed syllable and its tail."""
    leading, composed = "\u1100" <= before <= "\u115f", "\uac00" <= before <= "\ud7a3"
    vowel_next, tail_next = "\u1160" <= after <= "\u11a7", "\u11a8" <= after <= "\u11ff"
    if leading:
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    if composed:
        open_syllable = (ord(before) - 0xAC00) % 28 == 0
        return tail_next or (vowel_next and open_syllable)
    return "\u1160" <= before <= "\u11ff" and (tail_next or (vowel_next and before <= "\u11a7"))
