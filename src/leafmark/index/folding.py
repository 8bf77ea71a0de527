"""Fold spellings that read as the same text: é as one character or two, Ａ and A.

In: text as it is written or typed. Out: the same text with letters and marks composed (NFC;
macOS separates them), letters and digits of full width made narrow, and kana and Hangul of
half width made wide; without characters that are mostly omitted (soft hyphens, vowel signs of
Hebrew and Arabic, the line that stretches Arabic words); digits of any script as ASCII's, two
Persian letters as the Arabic ones, the Turkish İ as I; and the offsets of its characters in the
original text. Other signs keep their width.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import product

from leafmark.patterns import lazy_pattern

_WIDTHS = lazy_pattern(
    "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff65-\uffbe"
    "\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc]+"
)
"""Letters and digits of unusual width, without the unassigned characters between them."""

_LEFT_OUT = (
    *range(0x0591, 0x05BE), 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7,
    *range(0x0610, 0x061B), 0x0640, *range(0x064B, 0x0660), 0x0670,
    *range(0x06D6, 0x06DD), *range(0x06DF, 0x06E5), 0x06E7, 0x06E8, *range(0x06EA, 0x06EE),
    0x00AD,
)  # fmt: skip
"""Points and accents of Hebrew, vowel signs of Arabic and its tatweel, the soft hyphen."""

_ZEROS = (
    "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u0f20"
    "\u1040\u17e0"
)
"""The digit zero of each script that has its own digits in use."""

_FOLDED: dict[int, str | None] = {
    **dict.fromkeys(_LEFT_OUT),
    **{ord(zero) + value: str(value) for zero in _ZEROS for value in range(10)},
    0x06A9: "\u0643",
    0x06CC: "\u064a",
    0x0130: "I",
}
"""Translation of omitted characters, digits, Persian keheh and yeh, and the dotted capital I."""

_ENCODED_FOLDED = lazy_pattern(
    b"\xc2\xad|\xc4\xb0|\xd6[\x91-\xbd\xbf]|\xd7[\x81\x82\x84\x85\x87]|\xd8[\x90-\x9a]"
    b"|\xd9[\x80\x8b-\xa9\xb0]|\xda\xa9|\xdb[\x8c\x96-\x9c\x9f-\xa4\xa7\xa8\xaa-\xad\xb0-\xb9]"
    b"|\xdf[\x80-\x89]|\xe0(?:[\xa5\xa7\xa9\xab\xad\xaf\xb1\xb3\xb5][\xa6-\xaf]"
    b"|[\xb9\xbb][\x90-\x99]|\xbc[\xa0-\xa9])|\xe1(?:\x81[\x80-\x89]|\x9f[\xa0-\xa9])"
)
"""The keys of `_FOLDED` in UTF-8."""

_ENCODED_WIDTHS = lazy_pattern(
    b"\xef(?:\xbc[\x90-\x99\xa1-\xba]|\xbd[\x81-\x9a\xa5-\xbf]|\xbe[\x80-\xbe]"
    b"|\xbf[\x82-\x87\x8a-\x8f\x92-\x97\x9a-\x9c])"
)
"""The same in UTF-8: a search for the first byte, which few characters have, is fast."""

_MAY_CHANGE = lazy_pattern(".?[^\0-\xac\xae-\u012f\u0131-\u02ff]+", re.DOTALL)
"""Runs that folding may change: some characters, all from the first mark on, and the one before."""


def is_folded(text: str) -> bool:
    """Whether `fold` changes nothing; takes a few nanoseconds per character past ASCII."""
    if text.isascii():
        return True
    if not unicodedata.is_normalized("NFC", text):
        return False
    encoded = text.encode("utf-8", "surrogatepass")
    return not (_ENCODED_WIDTHS.search(encoded) or _ENCODED_FOLDED.search(encoded))


def fold(text: str) -> str:
    """Return the text in its folded spelling.

    >>> fold("cafe\u0301 ＡＢＣ ｶﾞ")
    'café ABC ガ'
    """
    if is_folded(text):
        return text
    usual = _WIDTHS.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    # an omitted character may have been between a letter and its mark
    return fold(unicodedata.normalize("NFC", usual).translate(_FOLDED))


def spellings(name: str) -> tuple[str, ...]:
    """Return a name as it is, with letters and marks composed, and with them separated.

    The names of files are stored as on disk, which may be either way.

    >>> [len(one) for one in spellings("é")]
    [1, 2]
    """
    if name.isascii():
        return (name,)
    forms = (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    return tuple(dict.fromkeys((name, *forms)))


def path_spellings(path: str) -> tuple[str, ...]:
    r"""Return the beginning of a path in each spelling, without the `./` that shells complete.

    Windows writes `\` for `/`; on other systems the name of a file may contain it.

    >>> path_spellings("./guides/"), path_spellings("./"), path_spellings(r".\guides\a")
    (('guides/',), ('',), ('.\\guides\\a', 'guides/a'))
    """
    forms = dict.fromkeys((path, path.replace("\\", "/")))
    return tuple(
        dict.fromkeys(spelling for form in forms for spelling in spellings(_without_dot(form)))
    )


def _without_dot(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path


def id_spellings(name: str) -> Iterator[str]:
    """Yield an id, `path#section`, in each spelling of its two parts; first as it is."""
    path, sign, section = name.partition("#")
    for head, tail in product(spellings(path), spellings(section)):
        yield f"{head}{sign}{tail}"


class Places:
    """Maps offsets in `fold(text)` to offsets in `text`; linear in the text."""

    def __init__(self, text: str):
        self._starts: list[int] = []
        self._changes: list[tuple[int, int, int]] = []
        shift = 0
        for start, end, folded in _changes(text):
            self._starts.append(start + shift)
            self._changes.append((start + shift + len(folded), start, end))
            shift += len(folded) - (end - start)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that becomes `[start, end)` of the folded text."""
        first = self._original(start, at_end=False)
        return first, self._original(end - 1, at_end=True) if end > start else first

    def _original(self, place: int, *, at_end: bool) -> int:
        at = bisect_right(self._starts, place) - 1
        if at < 0:
            return place + at_end
        folded_end, start, end = self._changes[at]
        if place < folded_end:
            return end if at_end else start
        return place - folded_end + end + at_end


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the smallest ranges that folding changes, each with its folded text."""
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
    """Yield the range of each character with the marks after it and omitted characters before."""
    start = 0
    for at in range(1, len(text)):
        if not _follows(text[at]) and (start or fold(text[:at])):
            yield start, at
            start = at
    yield start, len(text)


def _follows(character: str) -> bool:
    """Whether a character may compose with the one before it: a mark, or a part of Hangul.

    A soft hyphen and a tatweel count, too.
    """
    return (
        unicodedata.category(character)[0] == "M"
        or character in "\u00ad\u0640"
        or "\u1160" <= character <= "\u11ff"
        or "\uff9e" <= character <= "\uffdc"
    )


_STROKES = str.maketrans("đħıłøŧ", "dhilot")
"""Letters with a mark that Unicode does not decompose."""


def without_marks(word: str) -> str:
    """Return a word without the marks on its letters.

    >>> without_marks("résumé"), without_marks("żółty")
    ('resume', 'zolty')
    """
    if word.isascii():
        return word
    parted = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in parted if not unicodedata.combining(sign)).translate(_STROKES)


def bare(word: str) -> str:
    """Return a word in the letters of stems: without marks, and with `ss` for `ß`.

    >>> bare("größe")
    'grosse'
    """
    return without_marks(word).replace("ß", "ss")
