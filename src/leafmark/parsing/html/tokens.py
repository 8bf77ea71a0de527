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

_WS = rb"[ \t\n\r\f]"
_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*+(?:[^ \t\n\r\f/>=][^ \t\n\r\f/>=]*+|=[^ \t\n\r\f/>=]*+)"
    rb"(?:" + _WS + rb"*+=" + _WS + rb"*+"
    rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?![\"'])[^ \t\n\r\f>]*+)|(?!))?+"
)
_TOKEN = re.compile(
    rb"</?([A-Za-z][^ \t\n\r\f/>]*+)(?:" + _ATTRIBUTE + rb"|(?!))*+[ \t\n\r\f/]*+(?:>|(\Z))"
    rb"|<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    rb"|<[!?][^>]*+(?:>|\Z)"
    rb"|</(?=[^A-Za-z])[^>]*+(?:>|\Z)"
    rb"|(<?[^<]++|<)"
)
_FORMATTING = rb"(?:b|i|u|s|em|tt|big|code|font|strike|strong|nobr|sup|sub|wbr|var|kbd|samp)"
_QUOTED = rb"(?:[^<>\"']|\"[^\"<>]*+\"|'[^'<>]*+'|(?!))*+"
RUN = re.compile(
    rb"((?:[^<]++|<(?:/?%(formatting)b(?:\s(?![^<>]*\b(?:id|role|aria-hidden)\s*=)%(quoted)b|(?!))?+>"
    rb"|span class=\"(?:pre|hljs-[a-z_-]++|(?!ln\b)[a-z][a-z0-9]?)\">[^<]*+</span>)|(?!))*+)"
    rb"(?:(<(?:/?[A-Za-z][^ \t\n\r\f/>]*+(?:%(attribute)b|(?!))*+[ \t\n\r\f/]*+(?:>|(\Z))"
    rb"|!--(?:-?>|(?s:.*?)(?:--!?>|\Z))|[!?][^>]*+(?:>|\Z)|/(?=[^A-Za-z])[^>]*+(?:>|\Z)))|<|\Z)"
    % {b"formatting": _FORMATTING, b"quoted": _QUOTED, b"attribute": _ATTRIBUTE}
)
"""Text, with formatting without attributes, and the tag, comment or declaration behind it,
with an empty group if a tag is not finished; a `<` that begins no tag ends a text, too."""

_NAMED = (
    r"[ \t\n\r\f/]*+([^ \t\n\r\f/>=][^ \t\n\r\f/>=]*+|=[^ \t\n\r\f/>=]*+)"
    r"(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    r"(?:\"([^\"]*+)\"|'([^']*+)'|(?![\"'])([^ \t\n\r\f>]*+))|(?!))?+"
)
_ATTRIBUTES = re.compile(_NAMED)
_RAW_ATTRIBUTES = re.compile(_NAMED.encode())

_NAME, _TEXT = 1, 3  # groups of _TOKEN; the second marks a tag that is not finished
_SLASH = ord("/")

RAW_TAGS = frozenset(
    (b"script", b"style", b"xmp", b"iframe", b"noembed", b"noframes", b"title", b"textarea")
)
"""Elements whose content is text up to their own end tag."""

VOID_TAGS = frozenset(
    b"area base br col embed hr image img input link meta param source track wbr".split()
)
"""Elements without content and end tag; `<image>` makes an `img`."""

TAGS = re.compile(rb"<[^<>]*+>")
"""Tags, and text that looks like one; enough for leaving them out."""

SELF_CLOSED = re.compile(
    rb"<(?:" + b"|".join(sorted(RAW_TAGS)) + rb")(?:\s(?:[^<>]*[\"'\s])?)?/>", re.IGNORECASE
)
"""A raw element that XHTML writes as one tag; as HTML it would take in the rest of the page."""

_RAW_END = {
    name: re.compile(rb"</" + name + rb"(?=[ \t\n\r\f/>])", re.IGNORECASE) for name in RAW_TAGS
}


Token = tuple[bytes | None, int, int, bool]
"""`(name, start, end, closing)`: one token, bytes `[start, end)`.

`name` is a tag's name in lower case, empty for text, None for comments and the
like; `closing` tells an end tag. Text inside a raw element is one token.
"""


def iter_tokens(data: bytes, start: int, end: int) -> Iterator[Token]:
    """Yield the tokens of `data[start:end]`, which cover it without a gap.

    A tag that is not finished at the end is text, as in a browser.
    """
    match = _TOKEN.match
    while start < end:
        token = match(data, start, end)
        assert token is not None, "any byte is text, if nothing else"
        stop, kind = token.end(), token.lastindex
        if kind == _TEXT:
            yield b"", start, stop, False
        elif kind != _NAME:
            yield None, start, stop, False
        else:
            name = token[_NAME].lower()
            closing = data[start + 1] == _SLASH
            yield name, start, stop, closing
            if name in RAW_TAGS and not closing and not SELF_CLOSED.match(data, start, stop):
                raw_end = _RAW_END[name].search(data, stop, end)
                close = raw_end.start() if raw_end else end
                if stop < close:
                    yield b"", stop, close, False
                stop = close
        start = stop


def raw_end(data: bytes, name: bytes, start: int) -> tuple[int, int]:
    """Return the end of a raw element's content, and that of its end tag."""
    match = _RAW_END[name].search(data, start)
    if match is None:
        return len(data), len(data)
    tag = _TOKEN.match(data, match.start())
    return match.start(), tag.end() if tag else len(data)


def tag_name(data: bytes, start: int) -> bytes:
    """Return the lower-case name of the tag at `start`, "" if there is none."""
    match = _TAG_NAME.match(data, start)
    return match[1].lower() if match else b""


_TAG_NAME = re.compile(rb"</?([A-Za-z][^ \t\n\r\f/>]*+)")


def attribute(data: bytes, start: int, end: int, name: bytes) -> str | None:
    """Return the value of the attribute `name` of the start tag `[start, end)`, or None.

    The first of several counts; character references are decoded.
    """
    raw = _raw_attribute(data, start, end, name)
    return None if raw is None else unescape(raw)


def _raw_attribute(data: bytes, start: int, end: int, name: bytes) -> bytes | None:
    tag = data[start:end]
    opening = _TAG_NAME.match(tag) if name in tag or name in tag.lower() else None
    if opening is not None:
        for own, *values in _RAW_ATTRIBUTES.findall(tag, opening.end(), len(tag) - 1):
            if own.lower() == name:
                return b"".join(values)  # one of them at most is not empty
    return None


def attributes_of(tag: bytes) -> dict[str, str]:
    """Return the attributes of a start tag by their names in lower case, values decoded.

    >>> attributes_of(b'<a HREF="x?a&amp;b" hidden href=y>')
    {'href': 'x?a&b', 'hidden': ''}
    """
    opening = _TAG_NAME.match(tag)
    if opening is None:
        return {}
    text = tag[opening.end() : -1].decode("utf-8", "replace")
    attributes = {  # the first of several is set last
        name.lower(): quoted or single or bare
        for name, quoted, single, bare in reversed(_ATTRIBUTES.findall(text))
    }
    if "&" in text:
        return {name: html.unescape(value) for name, value in attributes.items()}
    return attributes


def unescape(raw: bytes) -> str:
    """Return `raw` as text: UTF-8 decoded, character references resolved."""
    text = raw.decode("utf-8", "replace")
    return html.unescape(text) if "&" in text else text
