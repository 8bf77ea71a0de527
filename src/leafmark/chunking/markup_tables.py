"""The tables that Markdown writes in HTML: their rows and their header.

To Markdown such a table is HTML, and where blank lines stand in it, as before text that
is to be Markdown, it is several blocks and paragraphs. Told by the tags in the HTML of one
stretch between headings: a table that is not closed there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from leafmark.model import Block, TopBlocks

__all__ = ["MarkupTable", "markup_tables"]

_TAG = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(/?)(table|thead|tr|t[hd])\b[^<>]*>", re.IGNORECASE | re.DOTALL
)
_ANY_TAG = re.compile(rb"<[^<>]*>")
_OPENED = re.compile(rb"<table\b", re.IGNORECASE)
_REST_OF_LINE = re.compile(rb"[^\r\n]*+(?:\s*[\r\n])?")
_INDENT = b" \t"


@dataclass(slots=True)
class MarkupTable:
    """A table, from its tag on; `rows` are where those below the header begin, at lines.

    `after` is where the next line with anything on it begins.

    `content_start` is where the first of them does, if there is a header: the rows of a
    `thead`, or a first row of header cells, before which blank cells may stand.
    """

    start: int
    end: int = 0
    after: int = 0
    rows: list[int] = field(default_factory=list)
    content_start: int | None = None

    @property
    def block(self) -> Block:
        """The table as a block, whose language tells it from those of Markdown."""
        return Block("table", self.start, self.end, 0, "html", self.content_start)


class _Row:
    """A row that is being read: where it begins, its cells, and whether a `thead` holds it."""

    def __init__(self, start: int, is_in_head: bool) -> None:
        self.start = start
        self.is_in_head = is_in_head
        self.cells: list[tuple[bytes, int]] = []

    def is_header(self, data: bytes) -> bool:
        if self.is_in_head:
            return True
        names = [name for name, _ in self.cells]
        if b"th" not in names:
            return False
        first = names.index(b"th")
        before = data[self.start : self.cells[first][1]]
        return b"td" not in names[first:] and not _ANY_TAG.sub(b"", before).strip()


def markup_tables(data: bytes, top: TopBlocks) -> list[MarkupTable]:
    """Return the tables in the HTML at the top of a stretch, those inside others apart."""
    return [*_iter_tables(data, top)] if "html" in top.kinds else []


def _iter_tables(data: bytes, top: TopBlocks) -> Iterator[MarkupTable]:
    depth, is_in_head = 0, False
    table, rows = MarkupTable(0), list[_Row]()
    for tag in _tags(data, top):
        name, opens = tag[2].lower(), not tag[1]
        if name == b"table":
            depth = max(0, depth + (1 if opens else -1))
            if opens and depth == 1:
                table, rows, is_in_head = MarkupTable(_line_start(data, tag.start())), [], False
            elif not opens and not depth and rows:
                table.end = tag.end()
                yield _filled(data, table, rows)
                rows = []
        elif depth != 1:
            continue
        elif name == b"thead":
            is_in_head = opens
        elif name == b"tr" and opens:
            rows.append(_Row(_line_start(data, tag.start()), is_in_head))
        elif opens and rows:
            rows[-1].cells.append((name, tag.start()))


def _tags(data: bytes, top: TopBlocks) -> Iterator[re.Match[bytes]]:
    """The tags of tables in the HTML, from the first one that opens a table on."""
    is_open = False
    for kind, start, end in zip(top.kinds, top.starts, top.ends, strict=True):
        if kind == "html" and (is_open or _OPENED.search(data, start, end)):
            is_open = True
            yield from (tag for tag in _TAG.finditer(data, start, end) if tag[2])


def _filled(data: bytes, table: MarkupTable, rows: Sequence[_Row]) -> MarkupTable:
    count = 0
    while count < len(rows) and rows[count].is_header(data):
        count += 1
        if not rows[count - 1].is_in_head:
            break
    if 0 < count < len(rows):
        table.content_start = rows[count].start
    rest = _REST_OF_LINE.match(data, table.end)
    table.after = rest.end() if rest else table.end
    table.rows = [row.start for row in rows[count:] if _begins_line(data, row.start)]
    return table


def _line_start(data: bytes, at: int) -> int:
    """Where the line begins, if nothing but space stands before."""
    start = at
    while start and data[start - 1] in _INDENT:
        start -= 1
    return start if _begins_line(data, start) else at


def _begins_line(data: bytes, at: int) -> bool:
    return not at or data[at - 1] in b"\r\n"
