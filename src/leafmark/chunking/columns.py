"""Which cells of a table's header stand above which cells of a row.

A row that is too large is cut between its cells, and each part is to be read with the
header cells of its own columns. Rows of Markdown have a cell for each column; cells of
pages may take several columns, and reach into the rows below.
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

from leafmark.chunking.rows import ROWSPAN, columns_taken, rows_taken
from leafmark.model import Block, Document

__all__ = ["Cell", "Columns", "Row", "columns_of"]

_LINE_END = re.compile(rb"\r\n?|\n")
_MARGIN = re.compile(rb"(?:[ \t>]|[-+*][ \t]|[0-9]{1,9}[.)][ \t]|(?!))*+")
"""What stands before a row in Markdown: indentation, the marks of quotes and items."""

_BAR = re.compile(rb"\\.|(\|)", re.DOTALL)
_TAG = re.compile(rb"<(?:(tr)|(t[dh])|t(?:head|body|foot))\b([^<>]*)>", re.IGNORECASE)

_MOST_HIGH = 64
"""Cells that are followed into the rows below at once, so that no table takes long."""

_column_of, _after_of = attrgetter("column"), attrgetter("after")
_start_of, _end_of = attrgetter("start"), attrgetter("end")


class Cell(NamedTuple):
    """A cell, from its bar or tag on, and the columns from `column` up to `after` that it takes."""

    column: int
    after: int
    start: int
    end: int


class Row(NamedTuple):
    """A row with its own cells in order, and those that reach into it from above."""

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
    """The cells of one table: those of each line of its header, and of any row below.

    `rows` are where the rows below the header begin, and where the last one ends. Above
    the lines of a page's header stands its caption, up to `caption_end`.
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
        """Yield for each line of the header the cells that stand above each of `cells`."""
        for line in self.heads:
            places = [
                (bisect_right(line, cell.column, key=_after_of), cell.after) for cell in cells
            ]
            yield [line[at : bisect_left(line, after, key=_column_of)] for at, after in places]


def columns_of(document: Document, table: Block, rows: Sequence[int]) -> Columns | None:
    """Return the columns of a table that has a header, and no table inside, where they are known.

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
    """Yield the cells of a row of Markdown; what is behind the last bar is one if it has words."""
    margin = _MARGIN.match(data, start, end)
    first = start if margin is None else margin.end()
    bars = [bar.start() for bar in _BAR.finditer(data, first, end) if bar[1]]
    starts = bars if bars[:1] == [first] else [first, *bars]
    for column, (at, after) in enumerate(pairwise([*starts, end])):
        if after < end or data[at:after].strip(b"| \t\r\n"):
            yield Cell(column, column + 1, at, after)


def _in_page(data: bytes, start: int, end: int, *, reaching: Sequence[Cell] = ()) -> Iterator[Row]:
    """Yield the rows of a page; `reaching` reach into the first one, and no further."""
    high = [(cell, 1) for cell in reaching]
    at, own = -1, list[tuple[re.Match[bytes], int]]()
    for tag, following in pairwise(chain(_TAG.finditer(data, start, end), (None,))):
        assert tag is not None  # only the last one is
        if tag[2]:
            own.append((tag, end if following is None else following.start()))
        else:
            if at >= 0:
                cells, below = _placed(own, high)
                yield Row(at, tag.start(), cells, [cell for cell, _ in high])
                high = below
            high = high if tag[1] else []  # no cell reaches out of its part of the table
            at, own = tag.start() if tag[1] else -1, []
    if at >= 0:
        yield Row(at, end, _placed(own, high)[0], [cell for cell, _ in high])


def _placed(
    own: Sequence[tuple[re.Match[bytes], int]], high: Sequence[tuple[Cell, int]]
) -> tuple[list[Cell], list[tuple[Cell, int]]]:
    """Return the cells of a row, and those that reach into the next one.

    `own` are the tags of its cells, and where these end, `high` the cells that reach into
    it, with the number of rows, this one among them, that they still do.
    """
    taken = deque(sorted(cell for cell, _ in high))
    below = [(cell, rows - 1) for cell, rows in high if rows > 1]
    cells: list[Cell] = []
    column = 0
    for tag, end in own:
        while taken and taken[0].column <= column:
            column = max(column, taken.popleft().after)
        cell = Cell(column, column + columns_taken(tag[3]), tag.start(), end)
        cells.append(cell)
        column = cell.after
        rows = rows_taken(tag[3])
        if rows > 1:
            below.append((cell, rows - 1))
    return cells, below[:_MOST_HIGH]
