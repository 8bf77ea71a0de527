"""The bounds of lines, for offsets in ascending order, and the normalisation of line ends."""

from __future__ import annotations

from typing import AnyStr

from leafmark.patterns import lazy_pattern

_LINE_FEED = 10
_LONE_RETURN = lazy_pattern(r"\r(?!\n)")
_LONE_RETURN_BYTE = lazy_pattern(rb"\r(?!\n)")


class Lines:
    """The lines of `raw`, which end in LF or CRLF; the first one begins at byte `start`.

    The last bounds are remembered: many blocks on one long line, or many containers before a
    long run of blank lines, would else search it again and again.
    """

    __slots__ = ("_blank", "_line", "_raw", "_seen")

    def __init__(self, raw: bytes, start: int) -> None:
        self._raw = raw
        self._line = self._seen = start
        self._blank = (0, 0)

    def start_of(self, offset: int) -> int:
        """Return the beginning of the line of `offset`, which must not decrease between calls."""
        raw = self._raw
        if raw[offset - 1] == _LINE_FEED:
            return offset
        line_end = raw.rfind(b"\n", self._seen, offset)
        if line_end >= 0:
            self._line = line_end + 1
        self._seen = offset
        return self._line

    def end_of(self, offset: int) -> int:
        """Return the end, with its line feed, of the line that holds the byte before `offset`."""
        raw = self._raw
        if raw[offset - 1] == _LINE_FEED:
            return offset
        return raw.find(b"\n", offset) + 1 or len(raw)

    def before_blank(self, offset: int) -> int:
        """Return `offset` minus the white space right before it."""
        raw = self._raw
        low, high = self._blank
        if low <= offset <= high:
            return low
        width = 16
        while width < offset and raw[offset - width : offset].isspace():
            width *= 2
        low = max(offset - width, 0)
        low += len(raw[low:offset].rstrip())
        self._blank = low, offset
        return low


def with_line_feeds(raw: bytes) -> bytes:
    """Return UTF-8 with LF in place of each CRLF, and a space before it: offsets stay."""
    return raw.replace(b"\r\n", b" \n") if b"\r" in raw else raw


def without_lone_returns(text: AnyStr) -> AnyStr:
    """Return a text, or UTF-8, with LF in place of each CR that no LF follows: offsets stay."""
    if isinstance(text, str):
        return _LONE_RETURN.sub("\n", text) if "\r" in text else text
    return _LONE_RETURN_BYTE.sub(b"\n", text) if b"\r" in text else text
