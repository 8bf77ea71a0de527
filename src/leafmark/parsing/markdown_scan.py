"""The headings of a Markdown source without a walk over all that is in it, where that is certain.

A line whose first byte is a heading's mark ends whatever paragraph or container
is open, so it is a heading of the top level unless it stands in fenced code or
in HTML that began at the top level. To know those two is enough. Where more
than that decides (a line that may underline a heading, a mark behind white space
or behind the sign of a container, HTML that may be something else) the answer
is None, and the parser's walk over all events tells. What is found here is what
that walk finds, to the byte; tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from leafmark.model import Heading
from leafmark.parsing.markdown_walk import walk

__all__ = ["scan_headings"]

_LINES = re.compile(
    rb"\n(?=[#`~<=\-> \t*+0-9])(?:"  # most lines fail here, at their first byte
    rb"(#{1,6}(?=[ \t\n])[^\n]*)"
    rb"|( {0,3}(?:```|~~~)[^\n]*)"
    rb"|( {0,3}<)"
    rb"|([ \t>]*+(?:-++|=++)[ \t]*+(?=\n))"
    rb"|([ \t>*+.)0-9\[\]xX-]++#{1,6}(?=[ \t\n]))"
    rb")"
)
"""The lines that make, may make or may hide headings. What a line is, is the group's number."""

_HEADING, _FENCE, _HTML, _UNDERLINE = range(1, 5)

_BLANK_LINE = re.compile(rb"\n[ \t]*\n")
_MARKUP = re.compile(rb"[\\*~\[<&`#\t]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""What makes the text of a heading another than its bytes; an underscore in a word does not."""

_MARKS = re.compile(rb"[\\*~\[<&`#\t_]")
"""What `_MARKUP` finds and perhaps not is: one set of bytes, to be looked for at a glance."""

_CODE = re.compile(rb"(?<!`)`[^`\s](?:[^`\t]*[^`\s])?`(?!`)")
"""Code of which nothing but the marks is dropped."""

_RAW_HTML = re.compile(
    rb"(?:(script|pre|style|textarea)(?=[ \t>\n])|(!--)|(\?)|(!\[CDATA\[)|(![a-z]))", re.IGNORECASE
)
_RAW_HTML_ENDS = (
    re.compile(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    re.compile(rb"-->"),
    re.compile(rb"\?>"),
    re.compile(rb"\]\]>"),
    re.compile(rb">"),
)
"""HTML that goes on over blank lines, by what follows its first sign; and what it ends with."""

_new = tuple.__new__  # half the cost of calling a named tuple's class


def scan_headings(raw: bytes, start: int) -> list[Heading] | None:
    """Return what `walk` returns for headings, or None where it takes the walk to tell.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`,
    where a line begins.
    """
    data = b"\n%b\n" % raw[start:]
    if b"\r" in data:
        data = data.replace(b"\r\n", b" \n")
    if b"\0" in data or b"\x0b" in data or b"\x0c" in data:
        return None  # white space, perhaps
    # one byte is found twenty times as fast as two
    if b"^" in data and b"[^" in data and b"]:" in data:
        return None  # a footnote may hold headings
    lines = _heading_lines(data)
    return None if lines is None else _read_headings(data, lines, start, len(raw))


def _heading_lines(data: bytes) -> list[tuple[int, int]] | None:
    """Where heading lines are, from the line feed before to the one after, if that is certain.

    `at` is where what has been seen ends; up to `doubtful` there may be HTML.
    """
    found: list[tuple[int, int]] = []
    at = doubtful = 0
    match = _LINES.search(data)
    while match is not None:
        begin, kind = match.start(), match.lastindex
        if kind == _HTML:
            passed = _pass_html(data, match, at, doubtful)
            if passed is None:
                return None
            at, doubtful = passed
        elif begin < doubtful:
            return None
        elif kind == _HEADING:
            at = match.end()
            found.append((begin, at))
        elif kind == _FENCE:
            at = _fence_end(data, match)
            if at < 0:
                return None
        elif kind != _UNDERLINE or (begin != at and _follows_text(data, begin)):
            return None
        match = _LINES.search(data, max(at, begin + 1))
    return found


def _follows_text(data: bytes, begin: int) -> bool:
    """Whether the line before the line feed at `begin` is not blank."""
    before = data[data.rfind(b"\n", 0, begin) + 1 : begin]
    return bool(before) and not before.isspace()


def _pass_html(
    data: bytes, match: re.Match[bytes], at: int, doubtful: int
) -> tuple[int, int] | None:
    """`at` and `doubtful` after a line that begins with the first sign of HTML.

    HTML of most kinds goes up to a blank line, if it is any. What stands in it
    is either hidden or not: it is doubtful. A comment and its like is certain
    at the margin, and else doubtful up to its end.
    """
    begin, sign = match.span()
    raw = _RAW_HTML.match(data, sign)
    if raw is None or raw.lastindex is None:
        if begin < doubtful:
            return at, doubtful
        blank = _BLANK_LINE.search(data, sign)
        return at, blank.start() if blank else len(data)
    is_inside = begin < doubtful
    limit = data.index(b"\n", sign) if is_inside else len(data)
    closing = _RAW_HTML_ENDS[raw.lastindex - 1].search(data, sign, limit)
    if closing is None:
        return None if is_inside else (len(data), doubtful)
    if raw[1] and closing[0] != b"</%b>" % raw[1].lower():
        return None  # the parser has its own idea of how such a block may end
    after = data.index(b"\n", closing.end())
    if is_inside:
        return at, doubtful
    return (after, doubtful) if sign == begin + 2 else (at, after)


def _fence_end(data: bytes, match: re.Match[bytes]) -> int:
    """Where fenced code ends that opens with the line matched; -1 where that is not certain.

    Code that is indented may belong to a list. Then it must not matter: nothing
    in it may make a heading, and no line may be indented less than its fence.
    """
    begin, line_end = match.span()
    line = match[_FENCE].lstrip(b" ")
    words = line.lstrip(line[:1])
    if line[:1] == b"`" and b"`" in words:
        return begin  # code in a paragraph
    closing = _closing_fence(line[:1], len(line) - len(words)).search(data, line_end)
    if closing and b"\t" in closing[0]:
        return -1  # which ends the code, but not for the parser
    indent = line_end - begin - 1 - len(line)
    if not indent:
        return closing.end() if closing else len(data)
    if not closing or _LINES.search(data, line_end, closing.start()):
        return -1
    lines = data[line_end : closing.end()].split(b"\n")
    return -1 if any(line.strip() and line[:indent].strip() for line in lines) else closing.end()


@lru_cache(64)
def _closing_fence(mark: bytes, least: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n {0,3}%b{%d,}+[ \t]*(?=\n)" % (mark, least))


def _read_headings(
    data: bytes, lines: Sequence[tuple[int, int]], start: int, limit: int
) -> list[Heading] | None:
    """The headings on their lines."""
    headings: list[Heading] = []
    marked: list[int] = []
    for begin, end in lines:
        line = data[begin + 1 : end]
        words = line.lstrip(b"#")
        level = len(line) - len(words)
        if _MARKS.search(words) and _MARKUP.search(words):
            if b"[" in words and b"]:" in data:
                return None  # it may be a link to what is defined elsewhere
            if b"`" in words and not _MARKUP.search(_CODE.sub(b" ", words)):
                words = words.replace(b"`", b"")
            else:
                marked.append(len(headings))
        text = words.strip(b" ").decode()
        title = " ".join(text.split())
        row = (level, title, text, begin + start, end + start, limit, False, None, None, None)
        headings.append(_new(Heading, row))
    if headings and headings[-1].end > limit:
        headings[-1] = headings[-1]._replace(end=limit)
    if marked:
        parts = b"".join([data[slice(*lines[index])] for index in marked])
        for index, heading in zip(marked, walk(parts.decode(), parts, 0)[0], strict=True):
            title, text = heading.title, heading.slug_text
            headings[index] = headings[index]._replace(title=title, slug_text=text)
    return headings
