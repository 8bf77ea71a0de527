"""POD to a `Document`, by a scanner of our own.

In: the bytes of a manual page of Perl, or of a module or program that has its manual in it.
Out: its headings with exact lines, blocks, links and the names of items; the first words of
the section NAME name the document. Perl is code, parted by blank lines. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Anchor, Document, Heading, Link
from leafmark.parsing.lined_document import parse_lined
from leafmark.parsing.pod_blocks import PodScanner
from leafmark.parsing.pod_inline import page_and_part, references, shown
from leafmark.parsing.pod_text import read_pod
from leafmark.parsing.titles import fold

__all__ = ["parse_pod"]

_NAME = re.compile(r"[$@%&*]?[\w:.-]++")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^:\s]")
_PAGE = re.compile(r"(\S+)\((\d\w*)\)\Z")
_LONGEST_NAME = 200


def parse_pod(data: bytes, path: str) -> Document:
    """Return the document of a source that has POD."""
    items: list[tuple[str, int]] = []

    def links(source: bytes, _headings: Sequence[Heading], scanner: PodScanner) -> Iterator[Link]:
        items.extend(scanner.items)
        return _links(source, scanner)

    document = parse_lined(
        data,
        path,
        "pod",
        scanner=PodScanner,
        link_marks=b"<",
        title_text=_title_text,
        find_links=links,
    )
    if document.degraded:
        return document
    return document._replace(reader=read_pod, anchors=tuple(_anchors(items)))


def _title_text(source: str) -> str:
    """Return what is shown of a heading, white space folded: names for an index leave some.

    >>> _title_text("The C<open> function X<open> X<file>")
    'The open function'
    """
    return fold(shown(source))


def _anchors(items: Sequence[tuple[str, int]]) -> Iterator[Anchor]:
    """The names of items that links have: all their words, or the first one."""
    for source, at in items:
        words = _title_text(source)
        if not words or len(words) > _LONGEST_NAME or not words.strip("*-0123456789."):
            continue
        yield Anchor(words, at)
        first = _NAME.match(words)
        if first and first[0] != words:
            yield Anchor(first[0], at)


def _links(data: bytes, scanner: PodScanner) -> Iterator[Link]:
    for block in scanner.blocks:
        if block.kind == "paragraph" and data.find(b"L<", block.start, block.end) >= 0:
            for start, end, said in references(data, block.start, block.end):
                yield _link(start, end, said)


def _link(start: int, end: int, said: str) -> Link:
    page, part = page_and_part(said)
    if _ADDRESS.match(page):
        return Link(start, end, page, "link")
    named = _PAGE.match(page)
    path = f"{named[1]}.{named[2]}" if named else page.replace("::", "/")
    return Link(start, end, f"{path}#{part}" if part else path, "wiki" if path else "link")
