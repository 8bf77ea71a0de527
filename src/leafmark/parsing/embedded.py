"""Data embedded in a source, such as images in base64: its bytes are kept, but nobody reads them.

In: the bytes of a source that is its own text, and spans of it. Out: `ReadableText` in
which each `data:` address has one sign in place of its data; what it is data of stays.
Such an address is never cut, since it stands for its bytes as a whole. A source without
one has no reader, so that nothing is made for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from leafmark.model import ReadableText, Reader
from leafmark.parsing.readable import ReadableBuilder

__all__ = ["add_without_data", "data_reader", "read_source"]

_MARK = b";base64,"
_DATA = re.compile(rb"(data:[A-Za-z0-9!#$&^_.+/;=-]{0,120}?;base64,)[A-Za-z0-9+/_%-]{100,}+={0,2}")
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

    def add(start: int, end: int) -> None:
        out.add_verbatim(data, start, end)

    for start, end in spans:
        add_without_data(out, data, start, end, add)
    return out.build(spans)


read_source.is_as_written = True  # type: ignore[attr-defined]


def add_without_data(
    out: ReadableBuilder, data: bytes, start: int, end: int, add: Callable[[int, int], None]
) -> None:
    """Append what is read in `[start, end)`: `add` appends ranges that have no embedded data."""
    if data.find(_MARK, start, end) >= 0:
        for found in _DATA.finditer(data, start, end):
            first, after = found.span()
            add(start, first)
            out.add(found[1].decode() + _SIGN, first, after)
            start = after
    add(start, end)
