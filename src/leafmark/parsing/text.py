"""Plain text: paragraphs parted by blank lines, in one document node."""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.model import Block, Diagnostic, Document, Format
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.titles import file_title
from leafmark.patterns import lazy_pattern

BLANK_LINES = lazy_pattern(rb"\n(?:[ \t\r\f\v]*\n)+")
"""A line end and the blank lines after it."""


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
    diagnostic = Diagnostic(path, code, f"read as plain text: {reason}", line)
    document = document_of_text(decoded, path)
    diagnostics = (*document.diagnostics, diagnostic)
    return document._replace(format=format, degraded=True, diagnostics=diagnostics)


def paragraphs(data: bytes) -> Iterator[Block]:
    """Yield the stretches of lines between blank lines, as blocks of level 0."""
    lines = without_lone_returns(data)
    start = len(BOM) if data.startswith(BOM) else 0
    first = start + len(lines[start:]) - len(lines[start:].lstrip())
    start = lines.rfind(b"\n", start, first) + 1 or start
    for gap in BLANK_LINES.finditer(lines, start):
        if gap.start() + 1 > start:
            yield Block("paragraph", start, gap.start() + 1)
            start = gap.end()
    if lines[start:].strip():
        yield Block("paragraph", start, len(lines))
