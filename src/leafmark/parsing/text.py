"""Plain text: one document node, whose blocks are paragraphs parted by blank lines.

The foot and the head of printed pages, as RFCs have them around a form feed, belong to the
paragraph before them, and part no sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from leafmark.model import Block, Diagnostic, Document, Format
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.titles import file_title

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


def parse_text(data: bytes, path: str) -> Document:
    """Return the document of a plain text source."""
    return document_of_text(decode(data, path), path)


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
    """Yield the stretches of lines between blank lines, as blocks of level 0."""
    lines = without_lone_returns(data)
    start = len(BOM) if data.startswith(BOM) else 0
    first = start + len(lines[start:]) - len(lines[start:].lstrip())
    start = lines.rfind(b"\n", start, first) + 1 or start
    joined = _joined_gaps(lines, start) if b"\f" in lines else frozenset[int]()
    for gap in BLANK_LINES.finditer(lines, start):
        if gap.start() not in joined:
            yield Block("paragraph", start, gap.start() + 1)
            start = gap.end()
    if lines[start:].strip():
        yield Block("paragraph", start, len(lines))


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
