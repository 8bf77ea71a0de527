"""What a scanner of lines has found, to a `Document`: the same for every such format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from leafmark.model import Block, Document, Format, Heading, Link
from leafmark.parsing.decoding import Decoded
from leafmark.parsing.source_lines import SourceLines
from leafmark.parsing.titles import file_title, first_title, fold

__all__ = ["Title", "build_document", "build_headings"]


class Title(NamedTuple):
    """A title: lines `[first, after)`, its words as written; `nested` ones open no section."""

    level: int
    source: str
    first: int
    after: int
    anchor: str
    nested: bool = False


def build_headings(
    titles: Iterable[Title], lines: SourceLines, decoded: Decoded, shown: Callable[[str], str]
) -> tuple[Heading, ...]:
    """Return the headings of titles in order; `shown` leaves out the marks of formatting."""
    size = len(decoded.data)
    headings = []
    for title in titles:
        words = decoded.restore(shown(title.source))
        start, end = lines.places(title.first, title.after)
        row = (title.level, fold(words), words, start, end, size, title.nested)
        headings.append(Heading(*row, anchor=title.anchor or None))
    return tuple(headings)


def build_document(
    decoded: Decoded,
    path: str,
    format: Format,
    headings: tuple[Heading, ...],
    blocks: Sequence[Block],
    links: Iterable[Link],
) -> Document:
    """Return the document, called after its first title of level 1, else after its file."""
    return Document(
        path,
        decoded.data,
        format,
        first_title(headings) or file_title(path),
        encoding=decoded.encoding,
        headings=headings,
        blocks=tuple(blocks),
        links=tuple(links),
        diagnostics=decoded.diagnostics,
    )
