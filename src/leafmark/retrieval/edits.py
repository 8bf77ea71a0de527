"""Typing errors: the words one edit away from a word.

An edit is an insertion, a deletion, a substitution, or a transposition of two neighbours.
Letters come from the alphabet of the word's own script. In any language, a letter may also
be replaced by itself with a mark (`e` by `é`), since names have such letters everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import product

from leafmark.index import without_marks

__all__ = [
    "alphabet_of",
    "edits_of",
    "respellings",
]

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_EXTRA = {
    "danish": "æøå",
    "dutch": "ëï",
    "finnish": "äöå",
    "french": "àâçèéêëîïôùûœ",
    "german": "äöüß",
    "hungarian": "áéíóöőúüű",
    "italian": "àèéìòù",
    "norwegian": "æøå",
    "portuguese": "áâãàçéêíóôõú",
    "romanian": "ăâîșşțţ",
    "spanish": "áéíñóúü",
    "swedish": "äöå",
    "turkish": "çğıöşü",
}
_DIGRAPHS = {"ae": "ä", "oe": "ö", "ue": "ü", "ss": "ß"}
_DIGRAPH = re.compile("(ae|oe|ue|ss)")
_MOST_DIGRAPHS = 3

_PAGE = 0x80
"""Other scripts than Latin fill one Unicode block of this many characters, or a few of them."""
_MARKED = range(0xC0, 0x180)
"""The Unicode range of the marked Latin letters of European languages."""


@lru_cache(maxsize=256)
def alphabet_of(letter: str, language: str | None = None) -> str:
    """Return the lower-case letters of the script that `letter` belongs to.

    >>> alphabet_of("x"), alphabet_of("ж")[:3]
    ('abcdefghijklmnopqrstuvwxyz', 'абв')
    """
    if letter < "\u0250":
        return _LATIN + _EXTRA.get(language or "", "")
    first = ord(letter) // _PAGE * _PAGE
    if 0x0370 <= ord(letter) < 0x0530:  # Greek and Cyrillic: without their archaic letters
        first = 0x03AC if ord(letter) < 0x0400 else 0x0430
        return "".join(map(chr, range(first, first + (0x23 if first < 0x0400 else 0x30))))
    found = (chr(number) for number in range(first, first + _PAGE))
    return "".join(each for each in found if _is_letter(each) and each.lower() == each)


def respellings(word: str) -> list[str]:
    """Return a word with letters of German in place of the two that stand for them, and back.

    >>> respellings("groesse"), respellings("größe")
    (['groeße', 'grösse', 'größe'], ['groesse'])
    """
    parts = _DIGRAPH.split(word)
    if len(parts) > 2 * _MOST_DIGRAPHS + 1:
        return []
    choices = [(part, _DIGRAPHS[part]) if part in _DIGRAPHS else (part,) for part in parts]
    found = ["".join(choice) for choice in product(*choices)]
    for pair, letter in _DIGRAPHS.items():
        word = word.replace(letter, pair)
    return [*found[1:], word] if word != found[0] else found[1:]


@lru_cache(maxsize=256)
def _with_a_mark(letter: str) -> str:
    """Return the lower-case letters that consist of `letter` and a mark."""
    found = (chr(number) for number in _MARKED)
    return "".join(
        each for each in found if each != letter == without_marks(each) and each.lower() == each
    )


def _is_letter(character: str) -> bool:
    """Whether a character is a letter, or a vowel sign, as scripts of India have them."""
    return character.isalpha() or unicodedata.category(character)[0] == "M"


def edits_of(word: str, language: str | None = None) -> list[str]:
    """Return all words one edit from `word`, without it, in order and without repeats.

    There are about 57 per letter in Latin script. A word of one letter has no edits, and is
    no edit of another word: see `leafmark.index.within_distance`.
    """
    if len(word) == 1:
        return []
    letters = "".join(dict.fromkeys("".join(alphabet_of(each, language) for each in word)))
    found: list[str] = []
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        rest = right[1:]
        if rest:
            found.append(left + rest[0] + right[0] + rest[1:])
        if right:
            found.append(left + rest)
            found += [left + letter + rest for letter in letters + _with_a_mark(right[0])]
        found += [left + letter + right for letter in letters]
    distinct = dict.fromkeys(found)
    distinct.pop(word, None)
    return [each for each in distinct if len(each) > 1]
