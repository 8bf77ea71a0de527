r"""The text of JSON strings, each character with the bytes it was written as.

What stands between the quotes is read: `\n`, `\u00e9` and pairs of surrogates
are one character each, a lone surrogate or an escape that JSON has not is shown
as U+FFFD or as it is. A cut inside an escape does no harm but to that character.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from leafmark.model import ReadableText
from leafmark.parsing.readable import ReadableBuilder

__all__ = ["SourceMap", "add_json_text", "is_continued", "line_ends"]

_PIECE = re.compile(
    rb'([^"\\]++)'
    rb"|\\([\"\\/bfnrt])"
    rb"|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u([0-9a-fA-F]{4})"
    rb'|["\\]'
)
_PLAIN, _SHORT, _HIGH, _LOW, _CODE = range(1, 6)
_ESCAPES = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))

_NEXT = re.compile(
    rb'"[ \t\n\r]*+,[ \t\n\r]*+"[^"\\]*+(?:\\[\s\S][^"\\]*+|(?!))*+(?:"[ \t\n\r]*+(?:(:)|)|\Z)'
)


_GAP = re.compile(rb'"(?:[ \t\n\r]*+,[ \t\n\r]*+""|(?!))*+[ \t\n\r]*+,[ \t\n\r]*+"')


def add_json_text(out: ReadableBuilder, data: bytes, start: int, end: int) -> None:
    """Append the text of the part of a string `[start, end)`, quotes not included."""
    for piece in _PIECE.finditer(data, start, end):
        at, stop = piece.span()
        kind = piece.lastindex
        if kind == _PLAIN:
            out.add_verbatim(data, at, stop)
        elif kind == _SHORT:
            out.add(_ESCAPES[data[at + 1]], at, stop)
        elif kind == _LOW:
            high, low = int(piece[_HIGH], 16), int(piece[_LOW], 16)
            out.add(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), at, stop)
        elif kind == _CODE:
            code = int(piece[_CODE], 16)
            out.add("\ufffd" if 0xD800 <= code < 0xE000 else chr(code), at, stop)
        else:
            out.add_verbatim(data, at, stop)


def is_continued(data: bytes, end: int) -> bool:
    """Whether the string that ends at `end`, before its quote, has another one after it in a list.

    The value of a member has a name after it instead, which a colon follows.
    """
    found = _NEXT.match(data, end)
    return found is not None and found.lastindex is None


def line_ends(data: bytes, start: int, end: int) -> str:
    r"""The line ends after the string `[start, end)` of a list of lines written without them.

    A line that has its own, or is the last one, has none; empty lines after it count.

    >>> line_ends(b'["a", "", "b"]', 2, 3), line_ends(b'["a\\n", "b"]', 2, 5)
    ('\n\n', '')
    """
    if data[max(start, end - 2) : end] in (b"\\n", b"\\r"):
        return ""
    gap = _GAP.match(data, end)
    return "" if gap is None else "\n" * gap[0].count(b",")


class SourceMap:
    """From offsets into a text's UTF-8 to offsets into the source that it was read from."""

    def __init__(self, readable: ReadableText) -> None:
        self._runs = readable.runs
        self._starts: list[int] = []
        at = 0
        places = [*readable.runs.places, len(readable.text)]
        for first, last in pairwise(places):
            self._starts.append(at)
            at += len(readable.text[first:last].encode())
        self._starts.append(at)

    def start_of(self, offset: int) -> int:
        """Where the character at `offset` begins in the source; at the end, where the text ends."""
        run = bisect_right(self._starts, offset) - 1
        if run >= len(self._runs.places):
            return self.end_of(offset)
        return self._within(run, offset, self._runs.starts)

    def end_of(self, offset: int) -> int:
        """Where the character before `offset` ends in the source."""
        run = max(0, bisect_left(self._starts, offset) - 1)
        return self._within(run, offset, self._runs.ends)

    def _within(self, run: int, offset: int, edges: Sequence[int]) -> int:
        """The place in a verbatim run; of one that stands as a whole, one of its edges."""
        first, start, end = self._starts[run], self._runs.starts[run], self._runs.ends[run]
        if self._starts[run + 1] - first == end - start:
            return start + offset - first
        return edges[run]
