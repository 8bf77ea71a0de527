"""The headings of a Markdown source, found without parsing all of it where that is certain.

A line whose first byte is a heading's mark ends whatever paragraph or container
is open, so it is a heading of the top level unless it stands in fenced code or
in HTML that began at the top level. It is enough to know those two. Where more
than that decides (a line that may underline a heading, a mark behind white space
or behind the sign of a container, HTML that may be something else) the answer
is None, and the parser's walk over all events decides. What is found here is
exactly what that walk finds; tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from leafmark.model import HeadingColumns
from leafmark.parsing.lines import with_line_feeds
from leafmark.parsing.markdown_walk import read_titles
from leafmark.parsing.titles import fold

__all__ = ["closing_fence", "scan_headings"]

_RAW = rb"[!?]|(?i:script|pre|style|textarea)[ \t>\n]"
_SIGNS = rb"[ \t>*+.)0-9\[\]xX-]"
"""White space, and what the signs of containers are made of."""

_LINES = re.compile(
    rb"\n(?=[#`~<=\-> \t*+0-9])"  # most lines fail here, at their first byte
    rb"(?=%b*+[#`~<=\n])(?:"  # and of the rest most here, at what follows white space and signs
    rb"#{1,6}( [^\\*~\[<&`#_\x00-\x1f]*+)(?=\n)"
    rb"|#{1,6}((?=[ \t\n])[^\n]*)"
    rb"|(```[^`\n]*+\n[^`]*+(?<=\n)```+ *+)(?=\n)"
    rb"| {0,3}(`{3,}+[^`\n]*(?=\n)|~{3,}+[^\n]*)"
    rb"| {0,3}(<(?!%b)[^\n]*+(?:\n(?:[^#`~<=\-> \t*+0-9\n]|<(?!%b))[^\n]*+|(?!))*+)"
    rb"| {0,3}(<)"
    rb"|([ \t>]*+(?:-++|=++)[ \t]*+(?=\n))"
    rb"|(%b++#{1,6}(?=[ \t\n]))"
    rb")" % (_SIGNS, _RAW, _RAW, _SIGNS)
)
"""The lines that make, may make or may hide headings; what a line is, the last group tells.

With the first line of code at the margin that has no backtick in it the rest of it is taken, and
with one of HTML those after it are taken that neither end it nor make, may make or hide any.
"""

_PLAIN, _MARKED, _CODE, _FENCE, _HTML, _RAW_HTML, _UNDERLINE = range(1, 8)


class _HeadingLines(NamedTuple):
    """Where heading lines begin, at the line feed before, and end, at the one after.

    `words` are what stands behind the marks; the text of a heading of kind
    `_MARKED` may be another than that.
    """

    begins: list[int]
    ends: list[int]
    levels: list[int]
    words: list[bytes]
    kinds: list[int]


_NONE = HeadingColumns()
_new = tuple.__new__  # half the cost of calling a named tuple's class

_BLANK_LINE = re.compile(rb"\n[ \t]*\n")
_IN_DEFINITION = re.compile(rb"\]:%b*+#{1,6}[ \t\n]" % _SIGNS)
"""A heading's mark in what is defined, on the first line of it."""

_LABEL_END = re.compile(rb"[\[\]>]([^\[\]>]*+)(?=\])")
_DEFINED_END = re.compile(rb"[\[\]>]([^\[\]>]*+)(?=\]:)")
"""How a label ends, in a heading and where it is defined; there it may go over lines of a quote."""

_MARKUP = re.compile(
    rb"\\|\*|~|<|`|\t|\x1c|\x1d|\x1e|\x1f"
    rb"|\]\(|&[#A-Za-z]|#(?= *\Z)|_(?<![A-Za-z0-9]_)|_(?![A-Za-z0-9])"
)
"""What makes the text of a heading differ from its bytes, if nothing is defined elsewhere.

Each begins with one certain byte, since those are looked for at once.
"""

_WORDS = rb"[A-Za-z0-9](?:[^\\*~<`\[\]&_\t\x1c-\x1f]*[A-Za-z0-9])?"
_SIMPLE = re.compile(
    rb"`(?<!``)([^`\s](?:[^`\t]*[^`\s])?)`(?!`)"
    rb"|\*(?<!\*\*)(?:(%b)|\*(%b)\*)\*(?!\*)"
    rb"|<(?:(?:a|span) (?:id|name)=\"[A-Za-z0-9_.:-]*\"|/(?:a|span))>"
    rb"|\\([-_.()])" % (_WORDS, _WORDS)
)
"""Code, emphasis, anchors and escapes that become text by dropping their marks."""

_RAW_STARTS = re.compile(
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


def scan_headings(raw: bytes, start: int) -> HeadingColumns | None:
    """Return the headings that `walk` would find, or None where only the walk can tell.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`,
    where a line begins.
    """
    content = memoryview(raw)[start:] if start else raw
    # one line feed more than there are bytes before: it has the offset of the line that it precedes
    data = with_line_feeds(b"".join((b"\n" * (start + 1), content, b"\n")))
    if b"\0" in data or b"\x0b" in data or b"\x0c" in data:
        return None  # white space, perhaps
    # one byte is found twenty times as fast as two
    if b"^" in data and b"[^" in data and _IN_DEFINITION.search(data):
        return None  # in a footnote, perhaps
    lines = _heading_lines(data, start)
    return None if lines is None else _read_headings(data, lines, len(raw))


def _heading_lines(data: bytes, start: int) -> _HeadingLines | None:
    """The heading lines from the line feed at `start` on, if they are certain.

    `at` is where what has been seen ends; up to `doubtful` there may be HTML.
    """
    begins, ends, levels, words, kinds = found = _HeadingLines([], [], [], [], [])
    at = doubtful = start
    lines = _LINES.finditer(data, start)
    while line := next(lines, None):
        begin, kind = line.start(), line.lastindex or 0
        if begin < at:
            if line.end() > at:
                return None  # HTML that goes on after a comment
        elif kind <= _MARKED and begin >= doubtful:
            first, at = line.span(kind)
            begins.append(begin)
            ends.append(at)
            levels.append(first - begin - 1)
            words.append(data[first:at].strip(b" "))
            kinds.append(kind)
        elif kind in (_HTML, _RAW_HTML):
            at, doubtful = _pass_html(data, line, at, doubtful)
        elif begin < doubtful or (kind >= _UNDERLINE and _may_make_one(data, line, at)):
            return None
        elif kind == _CODE:
            at = line.end()
        elif kind == _FENCE:
            at = _pass_code(data, line)
            lines = _LINES.finditer(data, at)
        if at < 0:
            return None
    return found


def _may_make_one(data: bytes, line: re.Match[bytes], at: int) -> bool:
    """Whether a line may make a heading: it is no rule below a blank line or below `at`."""
    begin = line.start()
    if line.lastindex != _UNDERLINE:
        return True
    before = data[data.rfind(b"\n", 0, begin) + 1 : begin]
    return begin != at and bool(before) and not before.isspace()


def _blank_after(data: bytes, begin: int) -> int:
    """Where HTML ends at the latest that begins at `begin`, if it is any: at a blank line."""
    blank = _BLANK_LINE.search(data, begin)
    return blank.start() if blank else len(data)


def _pass_html(data: bytes, match: re.Match[bytes], at: int, doubtful: int) -> tuple[int, int]:
    """`at`, -1 where it is not certain, and `doubtful` after a line that may begin HTML.

    HTML of most kinds goes up to a blank line, if it is any. What stands in it
    is either hidden or not: it is doubtful. A comment and its like is certain
    at the margin, and else doubtful up to its end.
    """
    begin, sign = match.start(), match.start(match.lastindex or 0) + 1
    raw = _RAW_STARTS.match(data, sign) if match.lastindex == _RAW_HTML else None
    if raw is None or raw.lastindex is None:
        if begin >= doubtful:
            return at, _blank_after(data, sign)
        return at if match.end() <= doubtful else -1, doubtful
    is_inside, at_margin = begin < doubtful, sign == begin + 2
    limit = data.index(b"\n", sign) if is_inside else len(data)
    closing = _RAW_HTML_ENDS[raw.lastindex - 1].search(data, sign, limit)
    if closing is None:
        return len(data) if at_margin and not is_inside else -1, doubtful
    if raw[1] and closing[0] != b"</%b>" % raw[1].lower():
        return -1, doubtful  # the parser has its own idea of how such a block may end
    after = data.index(b"\n", closing.end())
    if is_inside:
        return at, doubtful
    return (after, doubtful) if at_margin else (at, after)


def _pass_code(data: bytes, opening: re.Match[bytes]) -> int:
    """Where fenced code ends that begins with a line; -1 where that is not certain.

    Code that is indented may belong to a list. Then it must not matter: nothing in
    it may make a heading, and no line may be indented less than its fence.
    """
    fence, mark = opening[_FENCE], opening[_FENCE][:1]
    after, indent = opening.end(), opening.start(_FENCE) - opening.start() - 1
    closing = closing_fence(mark, len(fence) - len(fence.lstrip(mark))).search(data, after)
    if closing is None:
        return -1 if indent else len(data)
    if b"\t" in closing[0]:
        return -1  # which ends the code, but not for the parser
    end = closing.end()
    if not indent:
        return end
    line = _LINES.search(data, after)
    is_plain = line is not None and line.end() == end
    return end if is_plain and not _is_outdented(data[after:end], indent) else -1


@lru_cache(64)
def closing_fence(mark: bytes, least: int) -> re.Pattern[bytes]:
    """Return the pattern of the line that ends code, with the line feed before it."""
    return re.compile(rb"\n {0,3}%b{%d,}+[ \t]*(?=\n)" % (mark, least))


def _is_outdented(code: bytes, indent: int) -> bool:
    """Whether a line begins with less than so much white space."""
    return any(line.strip() and line[:indent].strip() for line in code.split(b"\n"))


def _read_headings(data: bytes, lines: _HeadingLines, limit: int) -> HeadingColumns | None:
    """The headings on their lines, if what they say is certain."""
    starts, ends, levels, words, kinds = lines
    if not starts:
        return _NONE
    marked: Sequence[int] = ()
    if _MARKED in kinds:
        if _may_link(words, data):
            return None
        marked = [
            index
            for index, kind in enumerate(kinds)
            if kind == _MARKED and _MARKUP.search(words[index])
        ]
    unread = _drop_marks(words, marked)
    together = b"\n".join(words).decode()
    texts = together.split("\n")
    pictures: dict[int, str] = {}
    if unread:
        read = read_titles([data[starts[index] : ends[index]] for index in unread])
        for index, (text, picture) in zip(unread, read, strict=True):
            texts[index] = text
            if picture and not text.strip():
                pictures[index] = picture
    is_tidy = together.isascii() and "  " not in together
    titles = texts if is_tidy and not marked else _titles(texts, marked)
    for index, picture in pictures.items():
        titles[index] = fold(picture)
    if ends[-1] > limit:
        ends[-1] = limit
    count = len(starts)
    nothing = [None] * count
    constant = [limit] * count, [False] * count, nothing, nothing, nothing
    return _new(HeadingColumns, (levels, titles, texts, starts, ends, *constant))


def _titles(texts: list[str], marked: Sequence[int]) -> list[str]:
    """The texts as titles: those that were not marked may be so already."""
    titles = [text if text.isascii() and "  " not in text else fold(text) for text in texts]
    for index in marked:
        titles[index] = fold(texts[index])
    return titles


def _drop_marks(words: list[bytes], marked: Sequence[int]) -> list[int]:
    """Drop the marks of those words that are marked simply, and return which are not."""
    rest: list[int] = []
    for index in marked:
        parts = _SIMPLE.split(words[index])
        if _MARKUP.search(b" ".join(parts[:: _SIMPLE.groups + 1])):  # what is between
            rest.append(index)
        else:
            words[index] = b"".join(filter(None, parts))
    return rest


def _may_link(words: Sequence[bytes], data: bytes) -> bool:
    """Whether headings may hold a link or a note to what is defined elsewhere, by its label."""
    together = b"\n".join(words)
    if b"[" not in together or b"]:" not in data:
        return False
    said = _labelled_words(together)
    defined = _defined_words(data) if said else said
    return "" in defined or not defined.isdisjoint(said)


def _labelled_words(text: bytes) -> set[str]:
    """The last words of what may be labels: how a label begins may differ.

    >>> sorted(_labelled_words(b"See [the Notes][n] and [x]"))
    ['n', 'notes', 'x']
    """
    return _last_words(_LABEL_END.findall(text))


def _defined_words(data: bytes) -> set[str]:
    """The last words of the labels that a source may define.

    >>> _defined_words(b"[the Notes]: notes.md")
    {'notes'}
    """
    return _last_words(_DEFINED_END.findall(data)) if b"]:" in data else set()


def _last_words(texts: Sequence[bytes]) -> set[str]:
    return {"".join(text.decode().split()[-1:]).casefold() for text in texts}
