"""Manual pages in roff to a `Document`, by a scanner of our own.

In: the bytes of a page that is written with the macros `man` or `mdoc`. Out: its sections
with exact lines, blocks and links to other pages. The page is named by its head and by what
stands under NAME. Nothing is included or run, and no macro that a page defines is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Document, Heading, Link
from leafmark.parsing.lined_document import outside_code, parse_lined
from leafmark.parsing.roff_blocks import RoffScanner
from leafmark.parsing.roff_text import read_roff
from leafmark.parsing.titles import fold

__all__ = ["parse_roff"]

_LINK = re.compile(
    rb"\((?P<section>[1-9][a-zA-Z]{0,6}+)\)|(?P<address>https?://[^\s\[\]<>{}\"|\\]{0,1000}[\w/=#&])"
    rb"|^\.Xr[ \t]++(?P<named>[^\s\"]{1,100}+)[ \t]++(?P<part>[1-9n][a-zA-Z]{0,6}+)(?=\s|\Z)",
    re.MULTILINE,
)
_PAGE = re.compile(rb"(?:\\f[BI])?(?P<name>\w(?:[\w+:.@-]|\\-|(?!)){0,100}+)(?:\\f[RP])?[ ]?\Z")
"""The name of a page, right before its section."""

_BEFORE = re.compile(rb"[\s\",(\[|/=]")
_LONGEST_NAME = 120


def parse_roff(data: bytes, path: str) -> Document:
    """Return the document of a manual page."""
    document = parse_lined(
        data,
        path,
        "roff",
        scanner=RoffScanner,
        link_marks=b"(",
        title_text=fold,
        find_links=_links,
    )
    return document if document.degraded else document._replace(reader=read_roff)


def _links(data: bytes, _headings: Sequence[Heading], scanner: RoffScanner) -> Iterator[Link]:
    for found in outside_code(_LINK, data, scanner.blocks):
        start, end = found.span()
        name, section = found["named"], found["part"] or found["section"]
        if found["address"]:
            yield Link(start, end, found["address"].decode("utf-8", "replace"), "link")
            continue
        if name is None:
            name, start = _page_before(data, start)
        if name:
            page = name.replace(b"\\-", b"-").decode("utf-8", "replace")
            yield Link(start, end, f"{page}.{section.decode('ascii')}", "wiki")


def _page_before(data: bytes, end: int) -> tuple[bytes, int]:
    """The name of a page that ends at a byte, and where it begins; empty if there is none."""
    start = max(0, end - _LONGEST_NAME)
    first = start
    for parting in _BEFORE.finditer(data, start, end - 1):
        first = parting.end()
    found = _PAGE.match(data, first, end)
    return (found["name"], first) if found else (b"", end)
