"""Building a `ReadableText` piece by piece, for the formats whose bytes are markup.

Data embedded in a source that is its own text, such as images in base64, is read by nobody: each
`data:` address has one sign in place of its data, and what it is data of stays. Such an address
is never cut, since it stands for its bytes as a whole. A source without one has no reader, so
that nothing is made for it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial

from leafmark.model import ReadableText, Reader, Runs
from leafmark.parsing.decoding import BOM
from leafmark.patterns import lazy_pattern

_MAX_RUN = 1024
"""Characters in one verbatim run at most, because looking up an offset reads its run."""

_VALID = lazy_pattern(
    rb"(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]"
    rb"|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|(?!))++"
)


class ReadableBuilder:
    """Collects text in order; each piece names the bytes it comes from."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._places, self._starts, self._ends = array("Q"), array("Q"), array("Q")
        self._size = 0

    def __bool__(self) -> bool:
        """Whether there is any text yet."""
        return self._size > 0

    def add(self, text: str, start: int, end: int) -> None:
        """Append `text`, which stands for the bytes `[start, end)` as a whole (empty: inserted)."""
        if text:
            self._places.append(self._size)
            self._starts.append(start)
            self._ends.append(end)
            self._parts.append(text)
            self._size += len(text)

    def add_break(self, lines: int, mark: str = "") -> None:
        """Append so many line breaks, if there is text yet; they belong to the bytes before.

        So does a `mark` that stands on the new line.
        """
        if self._size:
            self.add("\n" * lines + mark, self._ends[-1], self._ends[-1])

    def add_verbatim(self, data: bytes, start: int, end: int) -> None:
        """Append the bytes `[start, end)` decoded; those that are not UTF-8 become U+FFFD."""
        try:
            text = data[start:end].decode("utf-8")
        except UnicodeDecodeError:
            self._add_damaged(data, start, end)
            return
        if len(text) > _MAX_RUN:
            self._add_long(text, start)
        else:
            self.add(text, start, end)

    def _add_long(self, text: str, start: int) -> None:
        for at in range(0, len(text), _MAX_RUN):
            part = text[at : at + _MAX_RUN]
            end = start + len(part.encode("utf-8"))
            self.add(part, start, end)
            start = end

    def _add_damaged(self, data: bytes, start: int, end: int) -> None:
        while start < end:
            valid = _VALID.match(data, start, end)
            if valid is None:
                self.add("\ufffd", start, start + 1)
                start += 1
            else:
                self._add_long(valid[0].decode("utf-8"), start)
                start = valid.end()

    def build(self, spans: Sequence[tuple[int, int]]) -> ReadableText:
        runs = Runs(self._places, self._starts, self._ends)
        return ReadableText("".join(self._parts), runs, tuple(spans))


def without_mark(data: bytes) -> bytes:
    """Return UTF-8 with line feeds in place of a byte order mark at its start: offsets stay."""
    return b"\n" * len(BOM) + data[len(BOM) :] if data.startswith(BOM) else data


_MARK = b";base64,"
_DATA = lazy_pattern(
    rb"(data:[A-Za-z0-9!#$&^_.+/;=-]{0,120}?;base64,)[A-Za-z0-9+/_%-]{100,}+={0,2}"
)
"""An address with its data. Shorter ones cost as little as a link, and may be written by hand."""

_SIGN = "…"
"""What is read in place of data."""


def data_reader(data: bytes) -> Reader | None:
    """Return what reads a source that is its own text but for embedded data; None without any."""
    return read_source if _MARK in data and _DATA.search(data) else None


def read_source(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the text of `spans` without embedded data; none of them begins inside such an address.

    >>> read_source(b"![](data:image/png;base64," + b"iVBO" * 50 + b")", [(0, 227)]).text
    '![](data:image/png;base64,…)'
    """
    out = ReadableBuilder()
    add = as_written(out, data)
    for start, end in spans:
        add(start, end)
    return out.build(spans)


read_source.is_as_written = True  # type: ignore[attr-defined]


def as_written(out: ReadableBuilder, data: bytes) -> Callable[[int, int], None]:
    """Return what appends ranges as they are written, but for embedded data."""
    add = partial(out.add_verbatim, data)
    return partial(add_without_data, out, data, add=add) if _MARK in data else add


def add_without_data(
    out: ReadableBuilder, data: bytes, start: int, end: int, add: Callable[[int, int], None]
) -> None:
    """Append what is read in `[start, end)`: `add` appends ranges that have no embedded data."""
    if data.find(_MARK, start, end) >= 0:
        for match in _DATA.finditer(data, start, end):
            first, after = match.span()
            add(start, first)
            out.add(match[1].decode() + _SIGN, first, after)
            start = after
    add(start, end)
