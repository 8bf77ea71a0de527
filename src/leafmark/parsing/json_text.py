r"""The offsets of the values of a JSON text, and the text of its strings by character.

The reader returns offsets and builds nothing. Values are checked against the grammar on the
way. Each level is read again when its parts are wanted, so a source is read a few times. Nothing
here recurses, and every pattern is possessive, so the work is linear in any input.

The text between the quotes of a string is decoded: `\n`, `\u00e9` and pairs of surrogates are one
character each, a lone surrogate or an unknown escape is shown as U+FFFD or as it is. A
cut inside an escape damages that character only.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leafmark.model import ReadableText
from leafmark.parsing.readable import ReadableBuilder

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
    match = _NEXT.match(data, end)
    return match is not None and match.lastindex is None


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
        """Return where the character at `offset` begins in the source; at the end, its end."""
        run = bisect_right(self._starts, offset) - 1
        if run >= len(self._runs.places):
            return self.end_of(offset)
        return self._within(run, offset, self._runs.starts)

    def end_of(self, offset: int) -> int:
        """Return where the character before `offset` ends in the source."""
        run = max(0, bisect_left(self._starts, offset) - 1)
        return self._within(run, offset, self._runs.ends)

    def _within(self, run: int, offset: int, edges: Sequence[int]) -> int:
        """Return the offset in a verbatim run; for a run that is one unit, one of its edges."""
        first, start, end = self._starts[run], self._runs.starts[run], self._runs.ends[run]
        if self._starts[run + 1] - first == end - start:
            return start + offset - first
        return edges[run]


MAX_DEPTH = 1000
"""The deepest nesting of brackets; files of programs have some ten levels."""

_WS = rb"[ \t\n\r]*+"
_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+|(?!))*+"'
_SCALAR = (
    rb"(?:" + _STRING + rb"|-?+[0-9]++(?:\.[0-9]++|(?!))?+(?:[eE][-+]?+[0-9]++|(?!))?+"
    rb"|true|false|null|NaN|-?Infinity)"
)
_SPACE = re.compile(_WS)
_KEY = re.compile(_WS + rb"(" + _STRING + rb")" + _WS + rb":" + _WS)
_SCALAR_VALUE = re.compile(_SCALAR)
_AFTER = re.compile(_WS + rb"([,\]}])" + _WS)
_ITEMS = re.compile(rb"(?:" + _SCALAR + _WS + rb"," + _WS + rb"|(?!))++")
_MEMBERS = re.compile(
    rb"(?:" + _STRING + _WS + rb":" + _WS + _SCALAR + _WS + rb"," + _WS + rb"|(?!))++"
)
_OPENING = {ord("["): ord("]"), ord("{"): ord("}")}
_OBJECT_END = ord("}")


class BadJsonError(ValueError):
    """The bytes at `at` are not JSON; `reason` says what is expected."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def value_end(data: bytes, start: int) -> int:
    """Return where the value that begins at `start` ends.

    Raises:
        BadJsonError: there is no value, or it is not well-formed.
    """
    opened = bytearray()  # what closes each bracket that is open
    at = start
    while True:
        at, closed = _next_value(data, at, opened)
        while closed:
            if not opened:
                return at
            at, closed = _next_mark(data, at, opened)


def _next_value(data: bytes, at: int, opened: bytearray) -> tuple[int, bool]:
    """Pass a scalar, or a bracket that opens; say whether a value has ended."""
    if opened and opened[-1] == _OBJECT_END:
        run = _MEMBERS.match(data, at)
        key = _KEY.match(data, run.end() if run else at)
        if key is None:
            raise BadJsonError(run.end() if run else at, "a name in quotes is expected")
        at = key.end()
    elif opened:
        run = _ITEMS.match(data, at)
        at = run.end() if run else at
    scalar = _SCALAR_VALUE.match(data, at)
    if scalar:
        return scalar.end(), True
    closing = _OPENING.get(data[at]) if at < len(data) else None
    if closing is None:
        raise BadJsonError(at, "a value is expected" if at < len(data) else "it ends too early")
    if len(opened) == MAX_DEPTH:
        raise BadJsonError(at, f"it is nested more than {MAX_DEPTH} levels deep")
    at = _skip_space(data, at + 1)
    if data[at : at + 1] == bytes((closing,)):
        return at + 1, True
    opened.append(closing)
    return at, False


def _next_mark(data: bytes, at: int, opened: bytearray) -> tuple[int, bool]:
    """Pass the comma or the bracket after a value; say whether a value has ended with it."""
    mark = _AFTER.match(data, at)
    if mark is None:
        early = _skip_space(data, at) >= len(data)
        raise BadJsonError(at, "it ends too early" if early else "a comma or bracket is expected")
    if mark[1] == b",":
        return mark.end(), False
    if data[mark.start(1)] != opened[-1]:
        raise BadJsonError(mark.start(1), "another bracket is open")
    opened.pop()
    return mark.end(1), True


def _skip_space(data: bytes, at: int) -> int:
    match = _SPACE.match(data, at)
    return match.end() if match else at


def elements(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of an array's values; nothing if no array begins at `start`."""
    if data[start : start + 1] != b"[":
        return
    at = _skip_space(data, start + 1)
    while data[at : at + 1] != b"]":
        end = value_end(data, at)
        yield at, end
        at = _after_part(data, end)


def members(data: bytes, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names of an object's members and the ranges of their values."""
    if data[start : start + 1] != b"{":
        return
    at = _skip_space(data, start + 1)
    while data[at : at + 1] != b"}":
        key = _KEY.match(data, at)
        if key is None:
            raise BadJsonError(at, "a name in quotes is expected")
        end = value_end(data, key.end())
        yield string_value(data, *key.span(1)), (key.end(), end)
        at = _after_part(data, end)


def _after_part(data: bytes, at: int) -> int:
    """Return the offset of the next part, or of the closing bracket."""
    mark = _AFTER.match(data, at)
    if mark is None:
        raise BadJsonError(at, "a comma or bracket is expected")
    return mark.end() if mark[1] == b"," else mark.start(1)


def string_value(data: bytes, start: int, end: int) -> str:
    """Return the string at `[start, end)`, its quotes included; empty for any other value.

    >>> string_value(b'{"a": 1}', 1, 4)
    'a'
    """
    if data[start : start + 1] != b'"':
        return ""
    try:
        value = json.loads(data[start:end].decode("utf-8", "replace"))
    except ValueError:  # an escape that JSON has not
        return ""
    text: str = value.encode("utf-8", "replace").decode()
    return text
