"""Plain text: paragraphs parted by blank lines, in one document node, or below numbered titles.

The foot and the head of printed pages, as RFCs have them around a form feed, belong to the
paragraph before them, and part no sentence. A line of nothing but `%` begins one, too, as in the
files of `fortune`: most of them have no blank line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from pathlib import PurePosixPath

from leafmark.model import Block, Diagnostic, Document, Format, Heading, subtract
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import without_mark
from leafmark.parsing.text_numbers import NumberedTitle, numbered_titles
from leafmark.parsing.titles import file_title, fold

__all__ = [
    "BLANK_LINES",
    "degraded_document",
    "document_of_text",
    "paragraphs",
    "parse_text",
]

BLANK_LINES = re.compile(rb"\n(?:[ \t\r\f\v]*\n)+")
"""A line end and the blank lines after it."""

_PAGE_BREAK = re.compile(
    rb"(?<=\S)[ \t\r]*+\n(?:[ \t\r]*+\n|(?!))++(?P<foot>[^\n\f]++)\n"
    rb"(?:[ \t\r]*+\n|(?!))*+\f[ \t\r]*+(?:\n[ \t\r]*+|(?!))*+(?P<head>[^\n\f]++)"
    rb"(?:\n[ \t\r]*+|(?!)){2,}+"
)
"""A line that stands alone, a form feed, and a line that stands alone, with the blank ones."""

_NUMBER = re.compile(rb"[0-9\s]++")
_SENTENCE_ENDS = b".:;!?)]|+-=_}>"


_RECORD = re.compile(rb"^(%++)[ \t\r]*+\n(?=[ \t]*+[^%\s])", re.MULTILINE)
_LEAST_RECORDS = 2


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
    return starts if len(starts) >= _LEAST_RECORDS else []


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
