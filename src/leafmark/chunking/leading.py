"""Which texts lead on to what stands behind them, so that a cut between the two is a poor one.

A sentence that ends with a colon introduces the list, the code or the table after
it, a line of nothing but bold type is a heading in all but name, an anchor names
what follows, and the tag that opens a box belongs to what is in it. All of it is
told by the last few bytes.
"""

from __future__ import annotations

import re

from leafmark.chunking.reading import BodyReader
from leafmark.chunking.spans import subtract

__all__ = ["leads_on"]

_REACH = 240
"""Bytes before a cut that are looked at: the end of a sentence, or a whole line."""

_LAST = frozenset(b":*_`\"')]>" + "：’”»".encode())
"""What a text that leads on may end with, a full stop behind it or not."""

_CLOSING = rb"""(?:[*_`"')\]]|\xe2\x80[\x99\x9d]|\xc2\xbb|\s*</(?!pre\b)[a-z]+[0-9]?>|(?!))*+"""
_COLON = re.compile(  # each way to begin is one byte, since such bytes are looked for at once
    rb"(?::(?<![:\s]:):?|\xef\xbc\x9a(?<![:\s]\xef\xbc\x9a))%b\Z" % _CLOSING, re.IGNORECASE
)
_SHORTCODE = re.compile(rb"(?<![\w:]):[a-z0-9_+-]++:\Z")
_GAP = re.compile(rb"\n(?:[ \t]*+\n)+")
_BREAK = re.compile(rb"[ \t]*+(?:\*[* \t]{2,}|-[- \t]{2,}|_[_ \t]{2,})\Z")
_LINE = re.compile(
    rb"""\s*+(?:
      (\*\*|__)(?=\S)(?:(?!\1)[^\n])+\1[.]?               # bold type
    | <p\b[^>]*+>\s*+<(b|strong)\b[^>]*+>[^<]++</\2>[.]?\s*+</p>
    | <a\b[^>]*+>\s*+</a>                                   # an anchor
    | <(?!br\b|hr\b|img\b|input\b|a\b)([a-z][\w.-]*+)(?=[\s>])(?:(?!</\3\b)[^\0])*(?<=>)(?<!/>)
    )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_INDENTED = re.compile(rb"(?:\A|\n)(?: {4}|\t)[^\n]*+\Z")


def leads_on(reader: BodyReader, start: int, at: int) -> bool:
    """Whether `[start, at)`, which ends between blocks, leads on to what begins at `at`."""
    raw = _tail(reader, start, at)
    last = raw.removesuffix(b".")[-1:]
    if not last or last[0] not in _LAST:
        return False
    parts = _GAP.split(raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    if len(parts) > 1 and _BREAK.match(parts[-1]):
        parts.pop()
    is_whole = len(parts) > 1 or len(raw) < _REACH
    return (
        (_has_colon(parts[-1]) or (is_whole and _LINE.match(parts[-1]) is not None))
        and not reader.headings_within(at, at + 1)
        and not _ends_with_code(reader, parts[-1], (start, at))
    )


def _tail(reader: BodyReader, start: int, at: int) -> bytes:
    """The end of a range without the space behind it; of a notebook, as it is read."""
    document = reader.document
    if document.format == "notebook" and document.reader is not None:
        kept = list(subtract(start, at, reader.dropped))
        return document.reader(document.data, kept).text[-_REACH:].encode().rstrip()
    return document.data[max(start, at - _REACH) : at].rstrip()


def _has_colon(text: bytes) -> bool:
    return _COLON.search(text) is not None and _SHORTCODE.search(text) is None


def _ends_with_code(reader: BodyReader, text: bytes, span: tuple[int, int]) -> bool:
    """Whether a range that ends with `text` ends with code, which may have any last line."""
    document = reader.document
    if document.format == "script" or not (document.reader or _INDENTED.search(text)):
        return False
    start, at = span
    end = start + len(document.data[start:at].rstrip())
    return bool(reader.code_within(end - 1, end))
