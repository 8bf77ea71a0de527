"""All terms of some fields, to be asked which of them may be misspelt for each other.

Most words lack too many letters of another to be meant for it. That is seen from
the letters that each word has, as 32 bits in four bytes, and for all words of a
length at once: the bytes are looked up in tables and added as one long number.
So a hundred thousand words are gone through in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import compress

from leafmark.retrieval.edits import share_letters

__all__ = ["Vocabulary"]

_BYTES = range(4)


class Vocabulary:
    """The words given, by length. What was found out about a length is remembered."""

    def __init__(self, words: Iterable[str]):
        self._words: dict[int, list[str]] = {}
        self._letters: dict[int, list[bytes]] = {}
        for word in words:
            self._words.setdefault(len(word), []).append(word)

    def share_letters(self, forms: Sequence[str], distance: int) -> list[str]:
        """Return what `edits.share_letters` does; linear in the words of about that length."""
        lengths = range(max(1, len(forms[0]) - distance), len(forms[-1]) + distance + 1)
        near = [
            word
            for length in lengths
            if length in self._words
            for word in self._with_letters(length, forms[0], distance)
        ]
        return share_letters(forms, near, distance)

    def _with_letters(self, length: int, needed: str, most: int) -> Iterable[str]:
        """Return the words that lack at most so many of the needed letters, and a few others."""
        words = self._words[length]
        if length not in self._letters:
            self._letters[length] = _letters(words, length)
        lacking = 0
        for number, column in zip(_BYTES, self._letters[length], strict=True):
            bits = sum({1 << (ord(each) & 7) for each in needed if _byte_of(each) == number})
            lacking += int.from_bytes(column.translate(_lacking(bits)), "little")
        counts = lacking.to_bytes(len(words), "little")
        return compress(words, counts.translate(_at_most(most)))


def _byte_of(letter: str) -> int:
    """Return which of the four bytes has the bit of a letter; `a` to `z` have one each."""
    return (ord(letter) & 31) >> 3


def _letters(words: Sequence[str], length: int) -> list[bytes]:
    """Return four columns of bytes: the letters of each of the words, all of one length."""
    low = "".join(words).encode("utf-32-le", "surrogatepass")[::4]
    columns = []
    for number in _BYTES:
        found = 0
        for at in range(length):
            found |= int.from_bytes(low[at::length].translate(_bits_in(number)), "little")
        columns.append(found.to_bytes(len(words), "little"))
    return columns


@cache
def _bits_in(number: int) -> bytes:
    """A table from a letter's lowest byte to its bit in one of the four bytes, or 0."""
    return bytes(1 << (low & 7) if (low & 31) >> 3 == number else 0 for low in range(256))


@cache
def _lacking(bits: int) -> bytes:
    """A table from letters as a byte to how many of `bits` are not among them."""
    return bytes((bits & ~letters).bit_count() for letters in range(256))


@cache
def _at_most(most: int) -> bytes:
    return bytes(count <= most for count in range(256))
