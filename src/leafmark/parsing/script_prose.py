"""Prose in source code: the lines at which a long comment or docstring can be parted.

A comment is read without its markers. A paragraph begins below a line that is
blank then, a section above its underline, an item at a bullet, at a tag
(`@param`, `:param`) or where the indentation goes back. A heading, and a line that
announces something, stay with what follows. Code between fences stays whole. Sentences
and then lines are the last places to cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Grade", "is_prose", "prose_places"]

Grade = int
"""How well a line parts prose; the lower, the better."""

PARAGRAPH: Grade = 0
ITEM: Grade = 1
SENTENCE: Grade = 2
LINE: Grade = 3

_MARKER = re.compile(rb"[ \t]*(?:/{2,}!?|/\*+!?|\*+/?|#+[!:]?|--+)?[ \t]*")
_INDENT = re.compile(rb"[ \t]*")
_ITEM = re.compile(rb"(?:[-*+]|\xe2\x80\xa2|\(?[0-9]{1,3}[.)])[ \t]|[@:\\][a-zA-Z]")
_HEADING = re.compile(rb"#{1,6}[ \t]|<h[1-6]>")
_FENCES = b"```", b"~~~"
_SENTENCE_END = re.compile(rb"[.!?;][\"'`)\]*]*\Z")
_WORD = re.compile(
    rb"[\"'`(*]{0,4}(?:[A-Za-z]?[a-z]{0,20}(?:['-][a-z]{1,20})?|[\x80-\xff]+)[\"'`)*.,;:!?]{0,4}"
)
_RULERS = b"=-~^*#+_:./<>"
_SIGNS = b" \t\r\"'`*/=-#]"
_BLANKS = b" \t\r\n"

_TAB = 8

_WORDS_SHARE = 0.75
"""How much of prose, at least, words are: not in capitals, and with no signs inside."""

_LEAST_LINES = 4


class _Line(NamedTuple):
    """A line without its marker; `column` is where its text begins."""

    at: int
    column: int
    text: bytes

    @property
    def is_ruler(self) -> bool:
        """Whether it is one sign again and again, as above and below headings."""
        text = self.text
        return len(text) > 2 and text[:1] in _RULERS and text == text[:1] * len(text)


def is_prose(raw: bytes) -> bool:
    """Whether a string reads like prose of several lines, and not like code, data or markup."""
    if raw.count(b"\n") < _LEAST_LINES:
        return False
    parts = raw.split()
    words = sum([_WORD.fullmatch(part) is not None for part in parts])
    return words >= max(1, _WORDS_SHARE * len(parts))


def prose_places(raw: bytes, *, marked: bool) -> Iterator[tuple[int, Grade]]:
    """Yield where lines begin at which prose can be parted, and how well; never at its first.

    `raw` begins anywhere in a line. With `marked`, its lines have the markers of
    a comment.
    """
    lines = list(_lines(raw, _MARKER if marked else _INDENT))
    base = min([line.column for line in lines[1:] if line.text], default=0)
    solid = _fenced(lines)
    begun = [number for number, line in enumerate(lines) if line.text.strip(_SIGNS)]
    if not begun:
        return
    last = lines[begun[0]]
    for number in range(begun[0] + 1, len(lines)):
        above, line = lines[number - 1 : number + 1]
        last = above if above.text else last
        following = lines[number + 1 : number + 2]
        if not line.text or number in solid or number > begun[-1]:
            continue
        if above.text:
            yield line.at, _grade_inside(last, line, following)
        else:
            yield line.at, _grade_below_blank(last, line, base)


def _lines(raw: bytes, marker: re.Pattern[bytes]) -> Iterator[_Line]:
    at = 0
    for line in raw.rstrip(_BLANKS).split(b"\n"):
        found = marker.match(line)
        lead = found.group() if found else b""
        yield _Line(at, len(lead.expandtabs(_TAB)), line[len(lead) :].rstrip(_BLANKS))
        at += len(line) + 1


def _fenced(lines: Sequence[_Line]) -> set[int]:
    """The numbers of lines below an opening fence, its closing one included."""
    fences = [number for number, line in enumerate(lines) if line.text.startswith(_FENCES)]
    pairs = zip(fences[::2], fences[1::2], strict=False)
    return {number for first, last in pairs for number in range(first + 1, last + 1)}


def _grade_below_blank(last: _Line, line: _Line, base: int) -> Grade:
    if last.is_ruler or _HEADING.match(last.text):
        return LINE
    announced = last.text.endswith(b":")
    return ITEM if announced or line.column > base else PARAGRAPH


def _grade_inside(last: _Line, line: _Line, following: Sequence[_Line]) -> Grade:
    """The grade of a line with no blank one above it."""
    if last.is_ruler or line.is_ruler:
        return LINE
    if _HEADING.match(line.text) or any(below.is_ruler for below in following):
        return PARAGRAPH
    if _ITEM.match(line.text) or line.column < last.column:
        return ITEM
    return SENTENCE if _SENTENCE_END.search(last.text) else LINE
