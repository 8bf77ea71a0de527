"""Cuts inside a text with nothing better to cut at: at line ends, or by tokens.

Offsets are bytes into the text given, in order, 0 first.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from leafmark.chunking.graphemes import extends, grapheme_boundary, next_boundary
from leafmark.chunking.tokens import LONGEST_TOKEN, Prefixes

__all__ = [
    "byte_length",
    "coalesce",
    "count_ready",
    "decode_for_cutting",
    "line_starts",
    "markup_starts",
    "token_cuts",
]

_OPENED = re.compile(rb"[ \t]*+<t([dhr])\b", re.IGNORECASE)
_OTHER = 2  # the rank of what is neither a row nor a cell
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(rb"(?:\r\n?|\n)(?:[ \t\f\v]*+(?:\r\n?|\n)|(?!))*+")
_UNCUT = re.compile(
    rb"(?:(?<=\n)|\A)[ \t]*+(?:<(?!(?:area|br|hr|img|input)\b)[A-Za-z][^<>]*+(?<!/)>\s*+|(?!))++"
    rb"|<[A-Za-z/!][^<>]*+>(?:\s*+</[^<>]*+>|(?!))*+",
    re.IGNORECASE,
)
"""Start tags with lines of their own and the space behind them; other tags, with end tags."""


def line_starts(raw: bytes) -> list[int]:
    """Return where lines begin; blank ones belong to the line before.

    >>> line_starts(b"a\\r\\nb\\r\\n \\r\\nc\\n")
    [0, 3, 9]
    """
    ends = (match.end() for match in _LINE_END.finditer(raw))
    filled = len(raw.rstrip())
    return [0, *[end for end in ends if end < filled]]


def markup_starts(raw: bytes, *, kept: int) -> list[int]:
    """Return where lines of HTML begin; not in a tag, before an end tag or behind a start tag.

    Nor in a row or a cell of at most `kept` bytes.

    >>> markup_starts(b'<td>\\n<img\\n src="a"\\n>\\n</td>\\n<td>', kept=0)
    [0, 27]
    >>> markup_starts(b"<TR>\\n<td>a\\n<td>b\\n<tr>\\n<td>c", kept=20)
    [0, 17]
    """
    places = [*_untorn(raw), (len(raw), 0)]
    starts: list[int] = []
    at = 0
    while at < len(places) - 1:
        start, rank = places[at]
        starts.append(start)
        at += 1
        if rank < _OTHER:
            after = next(number for number in range(at, len(places)) if places[number][1] <= rank)
            at = after if places[after][0] - start <= kept else at
    return starts


def _untorn(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield the lines at which a part may begin, each with a rank: 0 a row, 1 a cell, 2 others."""
    torn = [found.span() for found in _UNCUT.finditer(raw)]
    at = 0
    for start in line_starts(raw):
        while at < len(torn) and torn[at][1] < start:
            at += 1
        if not start or at == len(torn) or start <= torn[at][0]:
            opened = _OPENED.match(raw, start)
            yield start, _OTHER if opened is None else opened[1].lower() != b"r"


def coalesce(
    starts: Sequence[int], end: int, size: int, *, kept_starts: Container[int] = ()
) -> list[int]:
    """Leave out starts, so that neighbours of at most `size` bytes together become one.

    Those among `kept_starts` are not left out.

    >>> coalesce([0, 2, 4, 20, 22], 24, 5)
    [0, 4, 20]
    >>> coalesce([0, 2, 4, 20, 22], 24, 5, kept_starts=[2, 22])
    [0, 2, 4, 20, 22]
    """
    last = starts[0]
    kept = [last]
    for start, after in pairwise([*starts, end]):
        if start > last and (after - last > size or start in kept_starts):
            kept.append(start)
            last = start
    return kept


def decode_for_cutting(raw: bytes) -> str:
    """Decode so that every byte that is not UTF-8 stays one character of its own."""
    return raw.decode("utf-8", "surrogateescape")


def count_ready(text: str) -> str:
    """The same characters as tokenizers take them: U+FFFD for each undecodable byte."""
    return text if text.isascii() else _UNDECODABLE.sub("\ufffd", text)


def byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def token_cuts(raw: bytes, limit: int, tokenizer: str) -> list[int]:
    """Cut into parts of at most `limit` tokens, after white space where there is some.

    A part is never less than one grapheme, whatever its tokens.

    >>> token_cuts(b"one two three", 5, "characters")
    [0, 4, 8]
    """
    text = decode_for_cutting(raw)
    shown = count_ready(text)
    cuts, at, offset = [0], 0, 0
    prefixes = Prefixes(tokenizer)
    while at < len(text):
        taken = prefixes.take(shown[at : at + limit * LONGEST_TOKEN], limit)
        length = _settle(text, at, taken)
        offset += byte_length(text[at : at + length])
        at += length
        cuts.append(offset)
    return cuts[:-1]


def _settle(text: str, at: int, length: int) -> int:
    """Shorten a part to the last line end or space in its second half, else to whole graphemes."""
    end = at + length
    if end >= len(text):
        return length
    for stop in ("\n", " "):
        found = text.rfind(stop, at + length // 2, end)
        if found >= 0 and (stop == "\n" or not extends(text[found + 1])):
            return found + 1 - at
    boundary = grapheme_boundary(text, end)
    return (boundary if boundary > at else next_boundary(text, end)) - at
