"""Cuts inside a text with nothing better to cut at: at line ends, or by tokens.

Offsets are bytes into the text given, in order, 0 first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from leafmark.chunking.graphemes import extends, grapheme_boundary, next_boundary
from leafmark.chunking.tokens import take_tokens

__all__ = [
    "byte_length",
    "coalesce",
    "count_ready",
    "decode_for_cutting",
    "line_starts",
    "token_cuts",
]

_LONGEST_TOKEN = 64
"""Characters per token beyond which a cut is not looked for."""

_UNDECODABLE = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(rb"\r\n?|\n")


def line_starts(raw: bytes) -> list[int]:
    """Return where lines begin."""
    ends = (match.end() for match in _LINE_END.finditer(raw))
    return [0, *[end for end in ends if end < len(raw)]]


def coalesce(starts: Sequence[int], end: int, size: int) -> list[int]:
    """Leave out starts so that neighbours of at most `size` together become one.

    >>> coalesce([0, 2, 4, 20, 22], 24, 5)
    [0, 4, 20]
    """
    last = starts[0]
    kept = [last]
    for start, after in pairwise([*starts, end]):
        if after - last > size and start > last:
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
    """
    text = decode_for_cutting(raw)
    shown = count_ready(text)
    cuts, at, offset = [0], 0, 0
    while at < len(text):
        length = take_tokens(shown[at : at + limit * _LONGEST_TOKEN], limit, tokenizer)
        length = _settle(text, at, length)
        offset += byte_length(text[at : at + length])
        at += length
        cuts.append(offset)
    return cuts[:-1]


def _settle(text: str, at: int, length: int) -> int:
    """Shorten to the last line end or space in the second half, else to a grapheme."""
    end = at + length
    if end >= len(text):
        return length
    for stop in ("\n", " "):
        found = text.rfind(stop, at + length // 2, end)
        if found >= 0 and (stop == "\n" or not extends(text[found + 1])):
            return found + 1 - at
    boundary = grapheme_boundary(text, end)
    return (boundary if boundary > at else next_boundary(text, end)) - at
