"""Tables for cutting: rows that belong together, cells and their columns, tables in HTML.

A row with an empty first cell continues the row above, like the lines below a name, and so do
the rows that a cell of the row above spans. A row of a single cell as wide as several columns
is the title of the rows below it. A row that is too large is cut between its cells, and each
part is to be read with the header cells of its own columns: rows of Markdown have a cell for each
column; cells of pages may take several columns, and reach into the rows below. Tables that Markdown
writes in HTML are told by the tags in one region between headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from leafmark.chunking.cuts import grapheme_boundary
from leafmark.model import Block, Document, TopBlocks

_GOES_ON_IN_MARKDOWN = re.compile(rb"[ \t]*\|[ \t]*\|")
_INLINE = rb"(?:\s|&nbsp;|&\#160;|\xc2\xa0|</?(?:a|b|br|div|em|i|p|span|strong)\b[^<>]*>|(?!))*+"
_GOES_ON_IN_PAGE = re.compile(
    rb"<tr\b[^<>]*>\s*+<t[dh]\b[^<>]*>%b(?:</?t[dhr]\b|\Z)" % _INLINE, re.IGNORECASE
)
_CELL = re.compile(rb"<t[dh]\b([^<>]*)>", re.IGNORECASE)
_CELL_BAR = re.compile(rb"\\.|((?<=[\r\n])\||\|(?![ \t]*+:?-*+:?[ \t]*+(?:[|\r\n]|\Z)))", re.DOTALL)
_CELL_TAG = re.compile(rb"<tr\b[^<>]*>\s*+<t[dh]\b|(<t[dh]\b)", re.IGNORECASE)
_CELLS = {"markdown": _CELL_BAR, "html": _CELL_TAG}
"""The beginnings of cells; not a bar after a backslash, or in a line of a cell without words."""

_JOINED = 8
"""A character that combines with a bar may begin so many bytes before it."""
_COLSPAN = re.compile(rb"\bcolspan\s*=\s*[\"']?0*([1-9][0-9]{0,3})", re.IGNORECASE)
ROWSPAN = re.compile(rb"\browspan\s*=\s*[\"']?0*([1-9][0-9]{0,4})", re.IGNORECASE)


def untied_rows(document: Document, rows: Sequence[int], end: int) -> list[int]:
    """Return the starts of rows, among `rows`, at which a table may be cut.

    The last row ends at `end`.
    """
    if document.format == "html":
        return [*_untied_in_page(document.data, rows, end)]
    if document.format == "markdown":
        goes_on = _GOES_ON_IN_MARKDOWN.match
        return [row for row in rows if goes_on(document.data, row) is None]
    return [*rows]


def cell_starts(document: Document, start: int, end: int) -> list[int]:
    """Return the starts of the cells of the rows in `[start, end)`, `start` first.

    Without a bar that is one character with the text before it.
    """
    cell = _CELLS.get(document.format)
    cells = cell.finditer(document.data, start, end) if cell else ()
    places = (match.start(1) for match in cells if match[1])
    return [start, *[at for at in places if at > start and not _is_torn(document.data, at)]]


def _is_torn(data: bytes, at: int) -> bool:
    """Whether the ASCII character at `at` is one grapheme with the character before it."""
    text = data[max(0, at - _JOINED) : at + 1].decode("utf-8", "ignore")
    return grapheme_boundary(text, len(text) - 1) < len(text) - 1


def columns_taken(attributes: bytes) -> int:
    """Return how many columns a cell of a page takes.

    >>> columns_taken(b' class="a" colspan="02"'), columns_taken(b""), columns_taken(b" colspan=0")
    (2, 1, 1)
    """
    match = _COLSPAN.search(attributes)
    return int(match[1]) if match else 1


def rows_taken(attributes: bytes) -> int:
    """Return how many rows a cell of a page takes, including its own."""
    match = ROWSPAN.search(attributes)
    return int(match[1]) if match else 1


def goes_on_in_page(data: bytes, row: int) -> bool:
    """Whether the row that begins at `row` continues the row above."""
    return _GOES_ON_IN_PAGE.match(data, row) is not None


def is_title_in_page(data: bytes, row: int, end: int) -> bool:
    """Whether `[row, end)` is a row of one wide cell that is not empty."""
    cells = [*_CELL.finditer(data, row, end)]
    return len(cells) == 1 and columns_taken(cells[0][1]) > 1 and not goes_on_in_page(data, row)


def _untied_in_page(data: bytes, rows: Sequence[int], end: int) -> Iterator[int]:
    tied = 0  # the number of next rows that belong to those before
    for row, after in pairwise([*rows, end]):
        if not tied and not goes_on_in_page(data, row):
            yield row
        below = max(map(rows_taken, _CELL.findall(data, row, after)), default=1) - 1
        tied = max(tied - 1, below, int(is_title_in_page(data, row, after)))


_LINE_END = re.compile(rb"\r\n?|\n")
_MARGIN = re.compile(rb"(?:[ \t>]|[-+*][ \t]|[0-9]{1,9}[.)][ \t]|(?!))*+")
"""The margin of a row in Markdown: indentation, the marks of quotes and items."""

_BAR = re.compile(rb"\\.|(\|)", re.DOTALL)
_TAG = re.compile(rb"<(?:(tr)|(t[dh])|t(?:head|body|foot))\b([^<>]*)>", re.IGNORECASE)

_MAX_REACHING = 64
"""The maximum of cells tracked into the rows below at the same time, to bound the cost."""

_column_of, _after_of = attrgetter("column"), attrgetter("after")
_start_of, _end_of = attrgetter("start"), attrgetter("end")


class Cell(NamedTuple):
    """A cell, from its bar or tag on; it takes the columns `[column, after)`."""

    column: int
    after: int
    start: int
    end: int


class Row(NamedTuple):
    """A row with its own cells, in order, and the cells that reach into it from above."""

    start: int
    end: int
    cells: Sequence[Cell]
    reaching: Sequence[Cell]

    @property
    def key(self) -> Cell | None:
        """The cell of the first column."""
        return next((cell for cell in (*self.reaching, *self.cells[:1]) if not cell.column), None)

    def cells_in(self, start: int, end: int) -> Sequence[Cell]:
        """Return its own cells that have bytes in `[start, end)`."""
        first = bisect_right(self.cells, start, key=_end_of)
        return self.cells[first : bisect_left(self.cells, end, key=_start_of)]


@dataclass(slots=True, eq=False)
class Columns:
    """The cells of one table: of each line of its header, and of any row below.

    `rows` are the starts of the rows below the header, and the end of the last one. In a
    page, the caption precedes the lines of the header, up to `caption_end`.
    """

    document: Document
    heads: Sequence[Sequence[Cell]]
    rows: Sequence[int]
    caption_end: int
    _reaching: Mapping[int, Sequence[Cell]]
    _last: Row | None = field(default=None, repr=False)

    def row_at(self, at: int) -> Row | None:
        """Return the row below the header that holds a byte of the table."""
        last = self._last
        if last is not None and last.start <= at < last.end:
            return last
        number = bisect_right(self.rows, at) - 1
        if not 0 <= number < len(self.rows) - 1:
            return None
        start, end = self.rows[number : number + 2]
        if self.document.format == "markdown":
            self._last = Row(start, end, [*_in_line(self.document.data, start, end)], ())
        else:
            reaching = self._reaching.get(start, ())
            self._last = next(_in_page(self.document.data, start, end, reaching=reaching), None)
        return self._last

    def above(self, cells: Sequence[Cell]) -> Iterator[list[Sequence[Cell]]]:
        """Yield for each line of the header the cells above each of `cells`."""
        for line in self.heads:
            places = [
                (bisect_right(line, cell.column, key=_after_of), cell.after) for cell in cells
            ]
            yield [line[at : bisect_left(line, after, key=_column_of)] for at, after in places]


def columns_of(document: Document, table: Block, rows: Sequence[int]) -> Columns | None:
    """Return the columns of a table with a header and no table inside, or None if unknown.

    Its rows begin at `rows`.
    """
    data, content = document.data, table.content_start
    if content is None or document.format not in ("markdown", "html"):
        return None
    rows = [*rows[bisect_left(rows, content) :], table.end]
    if document.format == "markdown":
        ends = [line.end() for line in _LINE_END.finditer(data, table.start, content)]
        lines = [[*_in_line(data, *line)] for line in pairwise([table.start, *ends])]
        return Columns(document, lines, rows, table.start, {})
    heads: list[list[Cell]] = []
    reaching: dict[int, Sequence[Cell]] = {}
    caption_end = table.start
    is_plain = ROWSPAN.search(data, table.start, table.end) is None
    for row in _in_page(data, table.start, content if is_plain else table.end):
        if row.start < content:
            caption_end = caption_end if heads else row.start
            heads.append(sorted([*row.cells, *row.reaching]))
        elif row.reaching:
            reaching[row.start] = row.reaching
    return Columns(document, heads, rows, caption_end, reaching) if heads else None


def _in_line(data: bytes, start: int, end: int) -> Iterator[Cell]:
    """Yield the cells of a row of Markdown; text after the last bar is a cell if it has words."""
    margin = _MARGIN.match(data, start, end)
    first = start if margin is None else margin.end()
    bars = [bar.start() for bar in _BAR.finditer(data, first, end) if bar[1]]
    starts = bars if bars[:1] == [first] else [first, *bars]
    for column, (at, after) in enumerate(pairwise([*starts, end])):
        if after < end or data[at:after].strip(b"| \t\r\n"):
            yield Cell(column, column + 1, at, after)


def _in_page(data: bytes, start: int, end: int, *, reaching: Sequence[Cell] = ()) -> Iterator[Row]:
    """Yield the rows of a page; the cells `reaching` reach into the first row only."""
    high = [(cell, 1) for cell in reaching]
    at, own = -1, list[tuple[re.Match[bytes], int]]()
    for tag, following in pairwise(chain(_TAG.finditer(data, start, end), (None,))):
        assert tag is not None  # only the last item is None
        if tag[2]:
            own.append((tag, end if following is None else following.start()))
        else:
            if at >= 0:
                cells, below = _placed(own, high)
                yield Row(at, tag.start(), cells, [cell for cell, _ in high])
                high = below
            high = high if tag[1] else []  # cells do not reach out of their part of the table
            at, own = tag.start() if tag[1] else -1, []
    if at >= 0:
        yield Row(at, end, _placed(own, high)[0], [cell for cell, _ in high])


def _placed(
    own: Sequence[tuple[re.Match[bytes], int]], high: Sequence[tuple[Cell, int]]
) -> tuple[list[Cell], list[tuple[Cell, int]]]:
    """Return the cells of a row, and those that reach into the next row.

    `own` are the tags of its cells with the ends of the cells; `high` the cells that reach
    into it, with the number of rows, including this one, that they still take.
    """
    spanning = deque(sorted(cell for cell, _ in high))
    below = [(cell, rows - 1) for cell, rows in high if rows > 1]
    cells: list[Cell] = []
    column = 0
    for tag, end in own:
        while spanning and spanning[0].column <= column:
            column = max(column, spanning.popleft().after)
        cell = Cell(column, column + columns_taken(tag[3]), tag.start(), end)
        cells.append(cell)
        column = cell.after
        rows = rows_taken(tag[3])
        if rows > 1:
            below.append((cell, rows - 1))
    return cells, below[:_MAX_REACHING]


_TABLE_TAG = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(/?)(table|thead|tr|t[hd])\b[^<>]*>", re.IGNORECASE | re.DOTALL
)
_ANY_TAG = re.compile(rb"<[^<>]*>")
_OPENED = re.compile(rb"<table\b", re.IGNORECASE)
_REST_OF_LINE = re.compile(rb"[^\r\n]*+(?:\s*[\r\n])?")
_INDENT = b" \t"


@dataclass(slots=True)
class MarkupTable:
    """A table, from its tag on; `rows` are the starts, at lines, of the rows below the header.

    `after` is the start of the next line that is not blank.

    `content_start` is the start of the first of `rows` if there is a header: the rows of a
    `thead`, or a first row of header cells, maybe after blank cells.
    """

    start: int
    end: int = 0
    after: int = 0
    rows: list[int] = field(default_factory=list)
    content_start: int | None = None

    @property
    def block(self) -> Block:
        """The table as a block; its language `html` distinguishes it from Markdown's tables."""
        return Block("table", self.start, self.end, 0, "html", self.content_start)


class _Row:
    """A row under construction: its start, its cells, and whether a `thead` holds it."""

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
    """Return the tables in the HTML at the top of a region, without tables inside others."""
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
    """Yield the tags of tables in the HTML, from the first opening tag of a table on."""
    is_open = False
    for kind, start, end in zip(top.kinds, top.starts, top.ends, strict=True):
        if kind == "html" and (is_open or _OPENED.search(data, start, end)):
            is_open = True
            yield from (tag for tag in _TABLE_TAG.finditer(data, start, end) if tag[2])


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
    """Return the start of the line if only space precedes `at`, otherwise `at`."""
    start = at
    while start and data[start - 1] in _INDENT:
        start -= 1
    return start if _begins_line(data, start) else at


def _begins_line(data: bytes, at: int) -> bool:
    return not at or data[at - 1] in b"\r\n"
