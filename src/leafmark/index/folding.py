"""Fold spellings that are read as the same text: é as one character or two, Ａ and A.

In: text as it is written or typed. Out: the same text with letters and marks composed (NFC;
macOS separates them), letters and digits of full width made narrow, and kana and Hangul of
half width made wide; and the places of its characters in the text as given. Other signs keep
their width.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import product

__all__ = ["Places", "fold", "id_spellings", "is_folded", "spellings"]

_WIDTHS = re.compile(
    "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff65-\uffbe"
    "\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc]+"
)
"""Letters and digits of unusual width, without the unassigned characters between them."""

_ENCODED_WIDTHS = re.compile(
    b"\xef(?:\xbc[\x90-\x99\xa1-\xba]|\xbd[\x81-\x9a\xa5-\xbf]|\xbe[\x80-\xbe]"
    b"|\xbf[\x82-\x87\x8a-\x8f\x92-\x97\x9a-\x9c])"
)
"""The same in UTF-8: a search for the first byte, which few characters have, is fast."""

_MAY_CHANGE = re.compile(".?[^\0-\u02ff]+", re.DOTALL)
"""What folding may change: characters from the first mark on, and the one before them."""


def is_folded(text: str) -> bool:
    """Whether `fold` changes nothing; a few nanoseconds a character past ASCII."""
    if text.isascii():
        return True
    if not unicodedata.is_normalized("NFC", text):
        return False
    return _ENCODED_WIDTHS.search(text.encode("utf-8", "surrogatepass")) is None


def fold(text: str) -> str:
    """Return the text in its one spelling.

    >>> fold("cafe\u0301 ＡＢＣ ｶﾞ")
    'café ABC ガ'
    """
    if is_folded(text):
        return text
    usual = _WIDTHS.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    return unicodedata.normalize("NFC", usual)


def spellings(name: str) -> tuple[str, ...]:
    """Return a name as given, with letters and marks composed, and with them separated.

    The names of files are kept as they are on disk, which may be either way.

    >>> [len(one) for one in spellings("é")]
    [1, 2]
    """
    if name.isascii():
        return (name,)
    forms = (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    return tuple(dict.fromkeys((name, *forms)))


def id_spellings(name: str) -> Iterator[str]:
    """Yield an id, `path#section`, in each spelling of its two parts; first as given."""
    path, sign, section = name.partition("#")
    for head, tail in product(spellings(path), spellings(section)):
        yield f"{head}{sign}{tail}"


class Places:
    """Maps places in `fold(text)` to places in `text`; linear in the text."""

    def __init__(self, text: str):
        self._starts: list[int] = []
        self._changes: list[tuple[int, int, int]] = []
        shift = 0
        for start, end, folded in _changes(text):
            self._starts.append(start + shift)
            self._changes.append((start + shift + len(folded), start, end))
            shift += len(folded) - (end - start)

    def given(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the given text that becomes `[start, end)` of the folded text."""
        first = self._given(start, at_end=False)
        return first, self._given(end - 1, at_end=True) if end > start else first

    def _given(self, place: int, *, at_end: bool) -> int:
        at = bisect_right(self._starts, place) - 1
        if at < 0:
            return place + at_end
        folded_end, start, end = self._changes[at]
        if place < folded_end:
            return end if at_end else start
        return place - folded_end + end + at_end


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the smallest ranges that folding changes, and what each becomes."""
    for run in _MAY_CHANGE.finditer(text):
        if is_folded(run[0]):
            continue
        clusters = list(_clusters(run[0]))
        folded = [fold(run[0][start:end]) for start, end in clusters]
        whole = fold(run[0])
        if "".join(folded) != whole:  # characters that compose though neither is a mark
            clusters, folded = [(0, len(run[0]))], [whole]
        for (start, end), new in zip(clusters, folded, strict=True):
            if new != run[0][start:end]:
                yield run.start() + start, run.start() + end, new


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of each character with the marks after it."""
    start = 0
    for at in range(1, len(text)):
        if not _follows(text[at]):
            yield start, at
            start = at
    yield start, len(text)


def _follows(character: str) -> bool:
    """Whether a character may compose with the one before it: a mark, or a part of Hangul."""
    return (
        unicodedata.category(character)[0] == "M"
        or "\u1160" <= character <= "\u11ff"
        or "\uff9e" <= character <= "\uffdc"
    )
