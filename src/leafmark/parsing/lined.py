"""A scanner of lines, and the `Document` of its blocks: for formats that are read line by line."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from leafmark.model import Block, BlockKind, Document, Format, Heading, Link, span_at
from leafmark.parsing.decoding import Decoded, decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, first_title, fold

# -- source_lines ------------------------------------------------------------
# A source as lines of text that know their bytes, for formats that are read line by line.

MAX_LINES = 1_000_000
"""Lines of a source that is read line by line; each takes some hundred bytes of memory."""

MAX_MARKS = 500_000
"""Characters that may begin a link; a link takes some four hundred bytes of memory."""

_BOM = "\ufeff"
_TAB = 8
_MAX_INDENT = 1000


class SourceLines:
    """`text` are the lines without their ends, tabs before the words made spaces.

    `starts` are the bytes at which they begin, and the size of the source; `data` is the source.
    LF, CRLF and a lone CR end a line. A byte order mark is before the first one.
    """

    def __init__(self, decoded: Decoded) -> None:
        self.data = decoded.data
        text = without_lone_returns(decoded.text)
        at = len(_BOM.encode()) if text.startswith(_BOM) else 0
        raw = text.removeprefix(_BOM).split("\n")
        self.starts: list[int] = []
        for line in raw:
            self.starts.append(at)
            at += (len(line) if line.isascii() else len(line.encode())) + 1
        self.starts.append(at - 1)
        self.text = [_expanded(line) if line[:1] in " \t" else line.rstrip() for line in raw]
        if len(self.text) > 1 and not raw[-1]:  # what follows the last line end is no line
            self.text.pop()
            self.starts.pop()

    def __len__(self) -> int:
        return len(self.text)

    def places(self, first: int, after: int) -> tuple[int, int]:
        """Return the bytes of lines `[first, after)`, with the last line end."""
        return self.starts[first], self.starts[after]

    def indent(self, index: int) -> int:
        """Return the width of a line's indentation."""
        line = self.text[index]
        return len(line) - len(line.lstrip())

    def after_blank(self, index: int, stop: int) -> int:
        """Return the first line from `index` on that is not blank."""
        while index < stop and not self.text[index]:
            index += 1
        return index

    def after_indented(self, index: int, stop: int, least: int) -> int:
        """Return the end of the lines that are blank or indented by `least`, the last not blank."""
        end = at = index
        while at < stop:
            line = self.text[at]
            if line:
                if len(line) - len(line.lstrip()) < least:
                    break
                end = at + 1
            at += 1
        return end


def find_excess(raw: bytes, marks: bytes) -> str:
    """Return why a source is too large to read line by line, "" if it is not.

    `marks` are the characters that begin a link in the format.
    """
    if raw.count(b"\n") + raw.count(b"\r") > MAX_LINES:
        return f"it has more than {MAX_LINES} lines"
    if sum(raw.count(bytes((mark,))) for mark in marks) > MAX_MARKS:
        return f"it has more than {MAX_MARKS} marks of links"
    return ""


def _expanded(line: str) -> str:
    """Return a line without trailing space, its leading tabs as spaces."""
    text = line.strip()
    before = line[: len(line) - len(line.lstrip())]
    return before[:_MAX_INDENT].expandtabs(_TAB) + text if text else ""


class Piece(NamedTuple):
    """`words` for the bytes `[start, end)`; None: the bytes themselves."""

    start: int
    end: int
    words: str | None = None


def words_of(data: bytes, pieces: Iterable[Piece]) -> str:
    """Return the visible text of pieces of `data`."""
    return "".join(
        data[start:end].decode("utf-8", "replace") if words is None else words
        for start, end, words in pieces
    )


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

    `title` and `tags` are the source's metadata, empty if there are none. No section
    has line `after` or a later one.

    What is scanned at a time, the document or the inside of a block, ends at line
    `_stop`, and its text begins at column `_edge`.
    """

    _deepest = 8
    """The deepest level at which blocks are scanned; each level is read once more."""

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
        """Take the block that begins on line `at`; return the line after it."""

    def _inside(self, first: int, after: int, level: int, edge: int = 0) -> None:
        """Scan lines with their own left edge for blocks."""
        if level > self._deepest:
            return
        outer = self._edge, self._stop
        self._edge, self._stop = edge, after
        at = first
        while at < after:
            at = self._next(at, level)
        self._edge, self._stop = outer

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
    """Adds to a block the lines right above it that describe or separate it.

    `_lead` is the first of these lines, -1 where there are none.
    """

    _alone: BlockKind
    """The kind of such lines if no block follows."""

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
        """Note a block of lines, with the lines kept for it."""
        if 0 <= self._lead < first:
            first = self._lead
        self._lead = -1
        return super()._add(kind, first, after, level, info, head)

    def _flush(self, at: int, level: int) -> None:
        """Note the kept lines if their block does not come before line `at`."""
        if self._lead >= 0:
            self._add(self._alone, self._lead, at, level)

    def _inside(self, first: int, after: int, level: int, edge: int = 0) -> None:
        super()._inside(first, after, level, edge)
        self._flush(after, level)


Scanner = TypeVar("Scanner", bound=LineScanner)


def outside_code(
    pattern: re.Pattern[bytes], data: bytes, blocks: Iterable[Block]
) -> Iterator[re.Match[bytes]]:
    """Yield the matches of a pattern in a source, outside of code."""
    code = [(block.start, block.end) for block in blocks if block.kind == "code"]
    for match in pattern.finditer(data):
        if span_at(code, match.start()) is None:
            yield match


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
    """Return the document of a source; its title is its own, its first h1, or its file's name.

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
