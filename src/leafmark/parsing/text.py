"""Plain text: paragraphs parted by blank lines, in one document node, or below numbered titles.

The foot and the head of printed pages, as RFCs have them around a form feed, belong to the
paragraph before them, and part no sentence. A line of nothing but `%` begins one, too, as in the
files of `fortune`: most of them have no blank line.

Manuals, specifications and RFCs have numbered titles (`2.1 Scope`). A number at the left edge
begins lists, steps and dates as well. So titles are taken only where all of a text bears them
out: each stands alone or above a line of marks, is short and ends no sentence; there are at least
four, the first of them in the first half; their numbers run in order without a gap; and text
stands below each. Otherwise there are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from leafmark.model import Block, Diagnostic, Document, Format, Heading, subtract
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import without_mark
from leafmark.parsing.titles import file_title, fold
from leafmark.patterns import late_pattern

BLANK_LINES = late_pattern(rb"\n(?:[ \t\r\f\v]*\n)+")
"""A line end and the blank lines after it."""

_PAGE_BREAK = late_pattern(
    rb"(?<=\S)[ \t\r]*+\n(?:[ \t\r]*+\n|(?!))++(?P<foot>[^\n\f]++)\n"
    rb"(?:[ \t\r]*+\n|(?!))*+\f[ \t\r]*+(?:\n[ \t\r]*+|(?!))*+(?P<head>[^\n\f]++)"
    rb"(?:\n[ \t\r]*+|(?!)){2,}+"
)
"""A line that stands alone, a form feed, and a line that stands alone, with the blank ones."""

_NUMBER = late_pattern(rb"[0-9\s]++")
_SENTENCE_ENDS = b".:;!?)]|+-=_}>"


_RECORD = late_pattern(rb"^(%++)[ \t\r]*+\n(?=[ \t]*+[^%\s])", re.MULTILINE)
_MIN_RECORDS = 2


_PROSE = frozenset(("", ".text", ".txt"))
"""Suffixes of texts that may have numbered titles; others are those of code and data."""


def parse_text(data: bytes, path: str) -> Document:
    """Return the document of a plain text source."""
    document = document_of_text(decode(data, path), path)
    if PurePosixPath(path).suffix.lower() not in _PROSE:
        return document
    titles = numbered_titles(without_mark(without_lone_returns(document.data)))
    return _with_titles(document, titles) if titles else document


def _with_titles(document: Document, titles: Sequence[NumberedTitle]) -> Document:
    """Return a document with a section for each title; their lines are in no block."""
    size, lines = len(document.data), [(title.start, title.end) for title in titles]
    headings = tuple(
        Heading(len(title.number), fold(title.words), title.words, title.start, title.end, size)
        for title in titles
    )
    blocks = tuple(
        Block("paragraph", start, end)
        for block in document.blocks
        for start, end in subtract(block.start, block.end, lines)
        if document.data[start:end].strip()
    )
    return document._replace(headings=headings, blocks=blocks)


def document_of_text(decoded: Decoded, path: str) -> Document:
    """Return what has been decoded as plain text, whatever it is."""
    return Document(
        path,
        decoded.data,
        "text",
        file_title(path),
        encoding=decoded.encoding,
        blocks=tuple(paragraphs(decoded.data)),
        diagnostics=decoded.diagnostics,
    )


def degraded_document(
    decoded: Decoded,
    path: str,
    format: Format,
    reason: str,
    line: int | None = None,
    *,
    code: str = "degraded",
) -> Document:
    """Return as plain text what is of another format but cannot be parsed, and why not."""
    found = Diagnostic(path, code, f"read as plain text: {reason}", line)
    document = document_of_text(decoded, path)
    diagnostics = (*document.diagnostics, found)
    return document._replace(format=format, degraded=True, diagnostics=diagnostics)


def paragraphs(data: bytes) -> Iterator[Block]:
    """Yield the stretches of lines between blank lines and records, as blocks of level 0."""
    lines = without_lone_returns(data)
    start = len(BOM) if data.startswith(BOM) else 0
    first = start + len(lines[start:]) - len(lines[start:].lstrip())
    start = lines.rfind(b"\n", start, first) + 1 or start
    joined = _joined_gaps(lines, start) if b"\f" in lines else frozenset[int]()
    gaps = ((gap.start() + 1, gap.end()) for gap in BLANK_LINES.finditer(lines, start))
    records = ((at, at) for at in _record_starts(lines, start))
    for end, after in merge(gaps, records):
        if end > start and end - 1 not in joined:
            yield Block("paragraph", start, end)
            start = after
    if lines[start:].strip():
        yield Block("paragraph", start, len(lines))


def _record_starts(lines: bytes, start: int) -> list[int]:
    """Where the lines of `%` are that part records: as long as the first, and no frame around text.

    >>> _record_starts(b"One\\n%\\nTwo\\n%\\nThree\\n%%%\\n% A\\n%%%\\nb\\n", 0)
    [4, 10]
    """
    if b"\n%" not in lines:
        return []
    marks = _RECORD.finditer(lines, start)
    found = [mark for mark in marks if not _is_below_mark(lines, mark.start())]
    starts = [mark.start() for mark in found if mark[1] == found[0][1]]
    return starts if len(starts) >= _MIN_RECORDS else []


def _is_below_mark(lines: bytes, start: int) -> bool:
    """Whether the line above the one at `start` begins with `%`."""
    return start > 0 and lines.startswith(b"%", lines.rfind(b"\n", 0, start - 1) + 1)


def _joined_gaps(lines: bytes, start: int) -> frozenset[int]:
    """Where the blank lines begin that only the break of a page makes, in a text that has several.

    Its foot and its head say the same on another page, but for numbers.
    """
    breaks = [*_PAGE_BREAK.finditer(lines, start)]
    said = Counter(_NUMBER.sub(b"", found[name]) for found in breaks for name in ("foot", "head"))
    gaps: set[int] = set()
    for found in breaks:
        if all(said[_NUMBER.sub(b"", found[name])] > 1 for name in ("foot", "head")):
            inside = [gap.start() for gap in BLANK_LINES.finditer(lines, *found.span())]
            is_ended = lines[found.start() - 1] in _SENTENCE_ENDS
            gaps.update(inside[:-1] if is_ended else inside)
    return frozenset(gaps)


_LEAST = 4
_LONGEST = 72
"""Characters of a title; a line of text has as many and goes on."""

_MAX_WORDS = 12
_MAX_BEFORE = 2
"""The first title stands in the first of so many parts of a text."""

_LINE = late_pattern(
    rb"^(?P<number>[0-9]{1,3}+(?:\.[0-9]{1,3}+|(?!)){0,7}+)(?P<dot>\.?+)[ \t]++"
    rb"(?P<words>\S[^\n]*+)",
    re.MULTILINE,
)
_RULE = late_pattern(rb"([-=~*^\"'+#])\1{2,}+")
_LEADER = late_pattern(r"\.{3}|\t|\s{3}|(?:\. ){3}")
"""What stands between a title and the number of its page in a table of contents."""

_WORD = late_pattern(r"[^\W\d_]{2}")
_ENDS = (".", ",", ";", ":")


class NumberedTitle(NamedTuple):
    """The number and the words of a title, and the bytes of its lines."""

    number: tuple[int, ...]
    words: str
    start: int
    end: int


def numbered_titles(data: bytes) -> list[NumberedTitle]:
    """Return the titles of a text with LF or CRLF at the ends of its lines, none if in doubt.

    >>> text = b"1. Use\\n\\na\\n\\n1.1 On\\n\\nb\\n\\n1.2 Off\\n\\nc\\n\\n2. Sale\\n\\nd\\n"
    >>> [(title.number, title.words) for title in numbered_titles(text)]
    [((1,), '1. Use'), ((1, 1), '1.1 On'), ((1, 2), '1.2 Off'), ((2,), '2. Sale')]
    >>> numbered_titles(text + b"\\n4. Rent\\n\\ne\\n")
    []
    """
    if not (data.startswith((b"0", b"1")) or b"\n0" in data or b"\n1" in data):
        return []
    found = [*_titles(data)]
    if len(found) < _LEAST or found[0].start * _MAX_BEFORE > len(data):
        return []
    in_order = found[0].number in ((0,), (1,)) and all(
        _follows(before.number, after.number) for before, after in pairwise(found)
    )
    return found if in_order and _have_text(data, found) else []


def _titles(data: bytes) -> Iterator[NumberedTitle]:
    """Yield the lines that may be titles."""
    below = 0
    for line in _LINE.finditer(data):
        start, end = line.span()
        if start < below or not _is_blank_before(data, start):
            continue
        written, is_chapter = line[0].rstrip(), b"." not in line["number"]
        if len(written) > 4 * _LONGEST or (is_chapter and not line["dot"]):
            continue
        words = written.decode("utf-8", "replace")
        if not _is_title(words, words[line.start("words") - start :]):
            continue
        after = min(end + 1, len(data))
        following = _line(data, after)
        is_ruled = _RULE.fullmatch(following.strip()) is not None
        if is_ruled:
            after = min(after + len(following) + 1, len(data))
        if is_ruled or not following.strip():
            number = tuple(map(int, line["number"].split(b".")))
            yield NumberedTitle(number, words, start, after)
            below = after


def _line(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]


def _is_blank_before(data: bytes, start: int) -> bool:
    """Whether the line above is blank, or there is none; a form feed is blank."""
    return not data[data.rfind(b"\n", 0, max(start - 1, 0)) + 1 : start].strip()


def _is_title(line: str, words: str) -> bool:
    words = words.rstrip()
    if len(line) > _LONGEST or len(words.split()) > _MAX_WORDS or words.endswith(_ENDS):
        return False
    return bool(_WORD.search(words)) and not _LEADER.search(words)


def _follows(before: Sequence[int], number: Sequence[int]) -> bool:
    """Whether a number is the first one below another, or the next beside it or what is above it.

    >>> _follows((1, 2), (1, 2, 1)), _follows((1, 2, 3), (1, 3)), _follows((1, 2), (2,))
    (True, True, True)
    >>> _follows((1,), (3,)), _follows((1,), (1, 1, 1)), _follows((1, 2), (1, 2))
    (False, False, False)
    """
    above, last = number[:-1], number[-1]
    if number == (*before, 1):
        return True
    deep = len(above)
    return deep < len(before) and above == before[:deep] and last == before[deep] + 1


def _have_text(data: bytes, titles: Sequence[NumberedTitle]) -> bool:
    """Whether something stands below each title: text, or a title that is deeper."""
    ends = [*(title.start for title in titles[1:]), len(data)]
    depths = [*(len(title.number) for title in titles[1:]), 0]
    return all(
        depth > len(title.number) or data[title.end : end].strip()
        for title, end, depth in zip(titles, ends, depths, strict=True)
    )
