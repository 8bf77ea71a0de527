"""The tags, comments and text of an HTML source, with exact byte offsets.

In: bytes whose markup is ASCII-compatible (UTF-8). Out: tokens as the HTML
Standard's tokenizer cuts them (section 13.2.5), without building a tree. Every
pattern is possessive or runs to a fixed mark, so a scan reads each byte a
bounded number of times, whatever the input.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["RAW_TAGS", "Tag", "attribute", "has_attribute", "iter_tokens", "tag_name", "unescape"]

_WS = rb"[ \t\n\r\f]"
_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*+(?:[^ \t\n\r\f/>=][^ \t\n\r\f/>=]*+|=[^ \t\n\r\f/>=]*+)"
    rb"(?:" + _WS + rb"*+=" + _WS + rb"*+"
    rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?![\"'])[^ \t\n\r\f>]*+))?+"
)
_TOKEN = re.compile(
    rb"<(/?)([A-Za-z][^ \t\n\r\f/>]*+)(?:" + _ATTRIBUTE + rb")*+[ \t\n\r\f/]*+(?:>|(\Z))"
    rb"|<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    rb"|<[!?][^>]*+(?:>|\Z)"
    rb"|</(?=[^A-Za-z])[^>]*+(?:>|\Z)"
    rb"|(<?[^<]++|<)"
)
_NAMED = re.compile(
    rb"[ \t\n\r\f/]*+([^ \t\n\r\f/>=][^ \t\n\r\f/>=]*+|=[^ \t\n\r\f/>=]*+)"
    rb"(?:" + _WS + rb"*+=" + _WS + rb"*+"
    rb"(?:\"([^\"]*+)\"|'([^']*+)'|(?![\"'])([^ \t\n\r\f>]*+)))?+"
)

RAW_TAGS = frozenset(
    (b"script", b"style", b"xmp", b"iframe", b"noembed", b"noframes", b"title", b"textarea")
)
"""Elements whose content is text up to their own end tag, whatever it holds."""

_RAW_END = {
    name: re.compile(rb"</" + name + rb"(?=[ \t\n\r\f/>])", re.IGNORECASE) for name in RAW_TAGS
}


class Tag(NamedTuple):
    """One token, bytes `[start, end)`.

    `name` is the tag's name in lower case, empty for text, None for comments and
    the like. `closing` tells an end tag. Text inside a raw element is a token of
    its own.
    """

    name: bytes | None
    start: int
    end: int
    closing: bool = False


def iter_tokens(data: bytes, start: int, end: int) -> Iterator[Tag]:
    """Yield the tokens of `data[start:end]`, which cover it without a gap.

    What lies in no finished tag at the end is left out, as in a browser.
    """
    match = _TOKEN.match
    while start < end:
        found = match(data, start, end)
        if found is None:  # "</" at the very end
            yield Tag(b"", start, end)
            return
        closing, name, unfinished, text = found.groups()
        stop = found.end()
        if text is not None:
            yield Tag(b"", start, stop)
        elif name is None or unfinished is not None:
            yield Tag(None, start, stop)
        else:
            name = name.lower()
            yield Tag(name, start, stop, bool(closing))
            if not closing and name in RAW_TAGS:
                raw_end = _RAW_END[name].search(data, stop, end)
                close = raw_end.start() if raw_end else end
                if stop < close:
                    yield Tag(b"", stop, close)
                stop = close
        start = stop


def tag_name(data: bytes, start: int) -> bytes:
    """Return the lower-case name of the tag at `start`, empty when there is none."""
    found = _TAG_NAME.match(data, start)
    return found[1].lower() if found else b""


_TAG_NAME = re.compile(rb"</?([A-Za-z][^ \t\n\r\f/>]*+)")


def attribute(data: bytes, start: int, end: int, name: bytes) -> str | None:
    """Return the value of the attribute `name` of the start tag `[start, end)`, or None.

    The first of several counts; character references are decoded.
    """
    raw = _raw_attribute(data, start, end, name)
    return None if raw is None else unescape(raw)


def has_attribute(data: bytes, start: int, end: int, name: bytes) -> bool:
    return _raw_attribute(data, start, end, name) is not None


def _raw_attribute(data: bytes, start: int, end: int, name: bytes) -> bytes | None:
    tag = data[start:end]
    if name not in tag and name not in tag.lower():
        return None
    opening = _TAG_NAME.match(tag)
    if opening is None:
        return None
    for found in _NAMED.finditer(tag, opening.end(), len(tag) - 1):
        if found[1].lower() == name:
            return found[2] or found[3] or found[4] or b""
    return None


def unescape(raw: bytes) -> str:
    """Return `raw` as text: UTF-8 decoded, character references resolved."""
    text = raw.decode("utf-8", "replace")
    return html.unescape(text) if "&" in text else text
