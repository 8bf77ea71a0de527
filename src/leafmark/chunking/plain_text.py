"""Where a cut in plain text would be poor, told by the lines beside it.

Nothing marks a heading, a list or code there. These stay together:

- a title and its text: a short line that stands alone, is underlined, or begins a record
- a text that does not end like a sentence, and one below it that is indented more
- a text, and the name below it of who wrote it

Items of a list in lines right below each other are parts of one paragraph, and are cut between.
"""

from __future__ import annotations

import re
from itertools import islice

__all__ = ["is_unfinished", "item_starts", "last_paragraphs", "leads_in_text"]

_LONGEST_CHARACTER = 4

_GAP = re.compile(rb"\n(?:[ \t]*+\n)+")
_RECORD_TITLE = re.compile(rb"(?:\A|\n)%++[ \t\r]*+\n[^\n]{1,80}+\Z")
"""A line alone below a line of `%`, which parts records."""
_RECORD = re.compile(rb"%++[ \t]*+[\r\n]")
_LINE = re.compile(rb"([ \t]*+)(?!--|\xe2\x80)[^\n]{1,80}\Z")
_RULED = re.compile(
    rb"(?:[ \t]*+([-=~^*#_+.%])\1{2,}+[ \t]*+\n|(?!))?+([^\n]*+)\n"
    rb"[ \t]*+([-=~^*#_+.])\3{2,}+[ \t]*+\Z"
)
"""A line above a line of marks, and maybe below one, too."""
_MARKS = b"-=~^*#_+."
_NUMBERED = re.compile(
    rb"[ \t]*+(?:[0-9]{1,3}(?:\.[0-9]{1,3}|(?!))*+|[A-Z]|[IVX]{1,5})[.)][ \t]+[A-Z]"
)
_INDENTED = re.compile(rb"[ \t]*+")
_UNDER_LINE = re.compile(rb"([ \t]*+)[^\s][^\r\n]*+(?:\r\n?|\n|(?!))?+(?:([ \t]*+)([^\s])?)")
"""The indentation of a line of plain text, that of the next one, and what is in that."""

_BY = re.compile(
    rb"[ \t]*+(?:--|\xe2\x80[\x93-\x95])[ \t]++[^\s-][^\r\n]{0,120}+(?<![.!?,;:])[ \t]*+"
    rb"(?:\Z|(?:\r\n?+|\n)[ \t]*+(?:[\r\n]|\Z|%))"
)
"""Who wrote the text above, behind a dash and in one line."""

_REACH = 300
"""Bytes before a cut in which the break of a page is looked for."""

_PAGE_END = re.compile(rb"(?:[ \t\r]*\n){2,}[^\n\f]+\n(?:[ \t\r]*\n)*\f\s*[^\n\f]+\Z")
"""The foot of a printed page and the head of the next one."""

_ITEM = rb"(?:[-*+!]|\xe2\x80\xa2|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,4})[.)])[ \t]"  # or a bullet
_ITEM_LINE = re.compile(rb"^[ \t]*+%b" % _ITEM, re.MULTILINE)
_LINES = re.compile(rb"^([ \t]*+)(%b)?(?=[^\r\n])" % _ITEM, re.MULTILINE)
_LEAST_ITEMS = 2


def item_starts(text: bytes) -> list[int]:
    """Return where the items of a list in a paragraph begin, and what is indented less behind one.

    None for a single item, which may be a line of prose that begins so.

    >>> item_starts(b"News:\\n - one\\n   more\\n - two\\nMore:\\n - three\\n")
    [6, 21, 28, 34]
    """
    if sum(1 for _ in islice(_ITEM_LINE.finditer(text), _LEAST_ITEMS)) < _LEAST_ITEMS:
        return []
    starts: list[int] = []
    margin = 0  # of the item above
    for line in _LINES.finditer(text):
        width = _width(line[1])
        if line[2]:
            starts.append(line.start())
            margin = width
        elif width < margin:
            starts.append(line.start())
            margin = 0
    return starts


def leads_in_text(before: bytes, behind: bytes, *, whole: bool) -> bool:
    """Whether `before`, without the space at its end, should not be parted from `behind`.

    Both are what stands beside a cut; `whole`, if all that is before it is there.
    """
    if _BY.match(behind):
        return True
    if b"\f" in before[-_REACH:]:
        before = before[:-_REACH] + _PAGE_END.sub(b"", before[-_REACH:])
    *others, last = last_paragraphs(before)
    whole = whole or bool(others)
    ruled = _RULED.match(last) if whole and last[-1:] in _MARKS else None
    if ruled is not None:
        return not ruled[2].rstrip().endswith((b".", b",", b";"))
    if _RECORD.match(behind):
        return False
    if is_unfinished(before) and _RECORD_TITLE.search(before):
        return True
    is_numbered = whole and _NUMBERED.match(last) is not None
    is_open = is_unfinished(last.rstrip(b")"))
    following = _UNDER_LINE.match(behind) if is_open or is_numbered else None
    if following is None:
        return False
    if whole and _is_title(last, behind, following):
        return True
    return is_open and _introduces(last.rpartition(b"\n")[2], following)


def _is_title(last: bytes, behind: bytes, following: re.Match[bytes]) -> bool:
    """Whether a paragraph that ends no sentence, or has a number, is the title of what follows.

    It is one line, and what follows is indented or of several lines. A line that begins with a
    dash is none.
    """
    line = _LINE.match(last)
    if line is None:
        return False
    by = _width(following[1]) - _width(line[1])
    if by:
        return by > 0
    is_alone = following[3] is None
    return not is_alone and not (_NUMBERED.match(last) and _NUMBERED.match(behind))


def _introduces(line: bytes, following: re.Match[bytes]) -> bool:
    """Whether all that follows a line is indented more than it is."""
    indented = _INDENTED.match(line)
    margin = _width(indented[0]) if indented else 0
    if following[3] is not None and _width(following[2]) <= margin:
        return False
    return _width(following[1]) > margin


def _width(blank: bytes) -> int:
    return len(blank.expandtabs())


def last_paragraphs(before: bytes) -> list[bytes]:
    """Return the paragraphs that a stretch of text ends with, whose lines end in LF then."""
    return _GAP.split(before.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


def is_unfinished(text: bytes) -> bool:
    """Whether a text ends with a letter, a digit or a comma, which end no sentence."""
    last = text[-_LONGEST_CHARACTER:].decode("utf-8", "ignore")[-1:]
    return last.isalnum() or last == ","
