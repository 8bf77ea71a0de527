"""A scanner of lines, and a `Document` of what it found: for formats that are read by lines."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from leafmark.model import Block, BlockKind, Document, Format, Heading, Link, span_at
from leafmark.parsing.decoding import decode
from leafmark.parsing.source_lines import SourceLines, find_excess
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, first_title, fold

__all__ = ["LeadingLineScanner", "LineScanner", "Title", "outside_code", "parse_lined"]


class Title(NamedTuple):
    """A title: lines `[first, after)`, its words as written; `nested` ones open no section."""

    level: int
    source: str
    first: int
    after: int
    anchor: str
    nested: bool = False


class LineScanner(ABC):
    """Scans `lines` once; `titles` and `blocks` are in order then.

    `title` and `tags` are what the source says of itself, empty if nothing. No section
    has line `after` or a later one.

    What is scanned at a time, the document or the inside of a block, ends at line
    `_stop`, and its text begins at column `_edge`.
    """

    _deepest = 8
    """Levels of nesting in which blocks are looked for; each is read once more for it."""

    def __init__(self, lines: SourceLines) -> None:
        self.lines = lines
        self.title = ""
        self.tags: list[str] = []
        self.titles: list[Title] = []
        self.blocks: list[Block] = []
        self.after = len(lines)
        self._stop = len(lines)
        self._edge = 0

    def scan(self) -> None:
        at = 0
        while at < self._stop:
            at = self._next(at, 0)

    @abstractmethod
    def _next(self, at: int, level: int) -> int:
        """Take what begins on line `at`; return the line after it."""

    def _inside(self, first: int, after: int, level: int, edge: int = 0) -> None:
        """Look for blocks in lines that have their own left edge."""
        if level > self._deepest:
            return
        kept = self._edge, self._stop
        self._edge, self._stop = edge, after
        at = first
        while at < after:
            at = self._next(at, level)
        self._edge, self._stop = kept

    def _line(self, index: int) -> str:
        return self.lines.text[index][self._edge :]

    def _until_blank(self, at: int) -> int:
        while at < self._stop and self._line(at):
            at += 1
        return at

    def _add(
        self, kind: BlockKind, first: int, after: int, level: int, info: str = "", head: int = 0
    ) -> int:
        """Note a block of lines, whose content begins on line `head`; return the line after it."""
        start, end = self.lines.places(first, after)
        content = self.lines.starts[head] if head else None
        self.blocks.append(Block(kind, start, end, level, info, content))
        return after


class LeadingLineScanner(LineScanner):
    """Adds to a block the lines right above it that say something of it, or only part it.

    `_lead` is the first of these lines, -1 where there are none.
    """

    _alone: BlockKind
    """What such lines are where no block comes."""

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self._lead = -1

    def _keep(self, at: int) -> int:
        """Keep line `at` for the block below it; return the line after it."""
        if self._lead < 0:
            self._lead = at
        return at + 1

    def _add(
        self, kind: BlockKind, first: int, after: int, level: int, info: str = "", head: int = 0
    ) -> int:
        """Note a block of lines, those that were kept for it included."""
        if 0 <= self._lead < first:
            first = self._lead
        self._lead = -1
        return super()._add(kind, first, after, level, info, head)

    def _flush(self, at: int, level: int) -> None:
        """Note the lines that were kept for a block that does not come before line `at`."""
        if self._lead >= 0:
            self._add(self._alone, self._lead, at, level)

    def _inside(self, first: int, after: int, level: int, edge: int = 0) -> None:
        super()._inside(first, after, level, edge)
        self._flush(after, level)


Scanner = TypeVar("Scanner", bound=LineScanner)


def outside_code(
    pattern: re.Pattern[bytes], data: bytes, blocks: Iterable[Block]
) -> Iterator[re.Match[bytes]]:
    """Yield what a pattern finds in a source where there is no code."""
    code = [(block.start, block.end) for block in blocks if block.kind == "code"]
    for found in pattern.finditer(data):
        if span_at(code, found.start()) is None:
            yield found


def parse_lined(
    data: bytes,
    path: str,
    format: Format,
    *,
    scanner: Callable[[SourceLines], Scanner],
    link_marks: bytes,
    title_text: Callable[[str], str],
    find_links: Callable[[bytes, Sequence[Heading], Scanner], Iterable[Link]],
) -> Document:
    """Return the document of a source, called after what names it, its first h1, or its file.

    Each of `link_marks` may begin a link. `title_text` leaves out the marks of formatting.
    """
    decoded = decode(data, path)
    excess = find_excess(decoded.data, link_marks)
    if excess:
        return degraded_document(decoded, path, "text", excess)
    lines = SourceLines(decoded)
    scanned = scanner(lines)
    scanned.scan()
    limit = lines.starts[scanned.after]
    headings = []
    for title in scanned.titles:
        words = decoded.shown(title_text(title.source))
        start, end = lines.places(title.first, title.after)
        row = (title.level, fold(words), words, start, end, limit, title.nested)
        headings.append(Heading(*row, anchor=title.anchor or None))
    return Document(
        path,
        decoded.data,
        format,
        fold(decoded.shown(title_text(scanned.title))) or first_title(headings) or file_title(path),
        encoding=decoded.encoding,
        tags=tuple(dict.fromkeys(scanned.tags)),
        headings=tuple(headings),
        blocks=tuple(scanned.blocks),
        links=tuple(find_links(decoded.data, headings, scanned)),
        diagnostics=decoded.diagnostics,
    )
