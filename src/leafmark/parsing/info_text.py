"""The readable text of Info: what a reader of it shows, without the menus of nodes.

In: a source and spans of it. Out: `ReadableText`. Nobody reads what stands before the first node,
the lines that begin nodes, and the tables behind the last one. A menu repeats the titles of the
sections below it, and an index what stands elsewhere. What a span begins in is told by the last
separator before it, so that no more than the span is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import ReadableText
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import ReadableBuilder, without_mark

__all__ = ["NODE", "REFERENCE", "SEPARATOR", "read_info", "unread_in"]

SEPARATOR = re.compile(rb"^\x1f\f?+[ \t\r]*+(?:\n|\Z)", re.MULTILINE)
"""A line that parts nodes."""

NODE = re.compile(rb"\x1f\f?+[ \t\r]*+\n(?P<head>File:[^\n]*?Node:[^\n]*+)(?:\n|\Z)")
"""The lines that begin a node."""

_ENTRY = rb"\*[ ](?=\S)[^\n]*?(?:::|:(?=\s))"
_MENU = re.compile(
    rb"^%b[^\n]*+(?:\n|\Z)(?:[ \t]++(?=\S)[^\n]*+(?:\n|\Z)|(?!))*+" % _ENTRY
    + rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?:[ ]{0,2}+(?=[^\s*])[^\n]*+\n|(?!)){1,2}+"
    + rb"(?:[ \t\r]*+\n|(?!))*+(?=(?!\*[ ]Menu:)%b)" % _ENTRY
    + rb"|^[ ]?(?:-{2,3}|\xe2\x80\x94)[ ][^\n]*?[ ](?:-{2,3}|\xe2\x80\x94)[ \t\r]*+\n"
    + rb"(?:[ ]?-++[ \t\r]*+\n|(?!))?+|^\x00\x08\[index\x00\x08\][ \t\r]*+(?:\n|\Z)",
    re.MULTILINE,
)
"""An entry of a menu with the lines set in below it, `* Menu:`, a title right above entries, the
title of the listing of all nodes, or the mark of an index."""

REFERENCE = re.compile(
    rb"\*[Nn]ote[ \t\r\n]{1,40}(?P<shown>[^:\x1f]{1,300})"
    rb"(?:::|:[ \t\r\n]{1,40}(?P<node>(?:\([^()\n]{1,100}\))?[^.,\t\x1f]{0,300})(?=[.,\t]))"
)
"""`*note Node::`, or `*note words: (file)Node` before a mark."""

_INLINE = re.compile(rb"%b|\x00\x08\[(?P<picture>[^\x00]*+)\x00\x08\]" % REFERENCE.pattern)
_WORDS = re.compile(rb"(?:^|\s)(text|alt)=\"((?:[^\"\\]|\\.|(?!))*+)\"", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")

_LINE, _PARAGRAPH = 1, 2


def read_info(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


def unread_in(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what nobody reads of `data[start:end]`, in order: whole lines if the range is."""
    last = data.rfind(b"\n\x1f", 0, start) + 1
    node = NODE.match(data, last)
    at = start
    if node and node.end() > start:
        at = min(node.end(), end)
        yield start, at
    while at < end:
        parting = SEPARATOR.search(data, at, end)
        stop = parting.start() if parting else end
        if node:
            yield from (found.span() for found in _MENU.finditer(data, at, stop))
        elif at < stop:
            yield at, stop
        if parting is None:
            return
        node = NODE.match(data, stop)
        at = min((node or parting).end(), end)
        yield stop, at


class _Reader:
    """Reads spans in order; before words it writes the line breaks that are due."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._breaks = _LINE

    def read(self, start: int, end: int) -> None:
        at = start
        for first, after in unread_in(self.data, start, end):
            self._text(at, first)
            at = after
        self._text(at, end)

    def _text(self, start: int, end: int) -> None:
        """Lines as they are, without the blank ones around them, but for what stands in them."""
        data = self.data
        stop = start + len(data[start:end].rstrip())
        words = stop - len(data[start:stop].lstrip())
        at = max(start, data.rfind(b"\n", start, words) + 1)
        if at >= stop:
            return
        self.out.add_break(self._breaks)
        self._breaks = _PARAGRAPH
        for found in _INLINE.finditer(data, at, stop):
            self.out.add_verbatim(data, at, found.start())
            at = found.end()
            if found["picture"] is None:
                self.out.add_verbatim(data, *found.span("shown"))
            else:
                self.out.add(_words_of(found["picture"]), *found.span())
        self.out.add_verbatim(data, at, stop)


def _words_of(picture: bytes) -> str:
    r"""Return what stands for a picture where none can be shown.

    >>> _words_of(b'image src="a.png" alt="A" text="\\"a\\"\n-->"')
    '"a"\n-->'
    """
    said: dict[bytes, bytes] = dict(_WORDS.findall(picture))
    words = said.get(b"text") or said.get(b"alt") or b""
    return _ESCAPE.sub(r"\1", words.decode("utf-8", "replace"))
