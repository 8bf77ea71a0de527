"""What a piece that begins inside a table repeats of it: the header, or that of its columns.

In: a range of bytes that begins below a table's header. Out: the ranges of the source
that are repeated, and how `text` shows them. Between rows that is the whole header.
Inside a row that is cut it is what stands above the cells of the range, with the first
cell of the row, which mostly says what the row is about. Where other rows follow, the
header is whole, and a mark stands for each cell that is left out before the range.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leafmark.chunking.bodies import BodyReader
from leafmark.chunking.columns import Cell, Columns, Row
from leafmark.chunking.normalising import narrow_header
from leafmark.model import Block, merge

__all__ = ["Repeated", "head_text", "iter_repeated", "key_of", "whole_header"]

_LEFT_OUT = "\u2026"

_LONGEST_KEY = 100
"""Characters of a row's first cell; a longer one is a text and no name of what the row is about."""

_LONGEST_CELL, _LONGEST_HEADER = 4096, 65_536
"""Bytes beyond which a cell, or a whole header, is repeated by no piece, nor read for each."""


class Repeated(NamedTuple):
    """Ranges of the source, and how `text` has them: lines above the body, cells before it.

    `cut`: the body begins inside a row.
    """

    spans: tuple[tuple[int, int], ...]
    above: str
    before: str = ""
    cut: bool = False

    def over(self, body: str) -> str:
        """Return a body, normalised, below what it repeats.

        Right below: behind a blank line the rows would be those of another table.
        """
        body = self.before + (body.lstrip(" \t") if self.cut else body)
        return f"{self.above}\n{body}" if self.above else body


def iter_repeated(reader: BodyReader, table: Block, span: tuple[int, int]) -> Iterator[Repeated]:
    """Yield what a range that begins below the header may repeat, the best first."""
    start, end = span
    row = None if table.info else _cut_row(reader, table, span)
    own = [] if row is None else _own_cells(reader, row, span)
    if row is None or not own:
        whole = whole_header(reader, table)
        yield from () if whole is None else (whole._replace(cut=row is not None),)
        return
    is_followed = row.end < min(end, table.end)
    key = key_of(reader, row) if start > row.start else None
    if key is not None and key.after > own[0].column:
        key = None
    for repeated_key in dict.fromkeys((key, None)):
        if is_followed:
            found = _above_rows(reader, table, row, first=own[0], key=repeated_key, start=start)
        else:
            found = _above_cells(reader, table, own, key=repeated_key, start=start)
        yield from filter(None, (found,))


def whole_header(reader: BodyReader, table: Block) -> Repeated | None:
    """Return the header as pieces repeat it that begin between rows, if there is one."""
    span = table.start, table.content_start or table.start
    if not 0 < span[1] - span[0] <= _LONGEST_HEADER:
        return None
    text = reader.normalise((span,))
    if reader.document.format in ("markdown", "notebook") and not table.info:
        text = narrow_header(text)
    return Repeated((span,), text)


def key_of(reader: BodyReader, row: Row) -> Cell | None:
    """Return the first cell of a row, if it says something in few words."""
    key = row.key
    return key if key is not None and 0 < len(_text(reader, key)) <= _LONGEST_KEY else None


def head_text(reader: BodyReader, columns: Columns, cells: Sequence[Cell]) -> str:
    """Return what stands above cells, line by line; what reaches over several of them once."""
    seen: set[int] = set()
    lines: list[list[str]] = []
    for line in columns.above(cells):
        lines.append([])
        for heads in line:
            fresh = [head for head in heads if head.start not in seen]
            seen.update(head.start for head in fresh)
            lines[-1].append(" ".join(_text(reader, head) for head in fresh))
    if reader.document.format == "markdown":
        words, delimiters = lines
        return narrow_header(f"| {' | '.join(words)} |\n|{'|'.join(delimiters)}|")
    return "\n".join(filter(None, ("\t".join(line).rstrip() for line in lines)))


def _cut_row(reader: BodyReader, table: Block, span: tuple[int, int]) -> Row | None:
    """Return the row in which the range begins, if a part of the row is outside."""
    start, end = span
    rows = reader.row_starts(table)
    after = bisect_right(rows, start)
    if after and rows[after - 1] == start and end >= (*rows[after : after + 1], table.end)[0]:
        return None
    columns = reader.columns(table)
    return None if columns is None else columns.row_at(start)


def _own_cells(reader: BodyReader, row: Row, span: tuple[int, int]) -> Sequence[Cell]:
    """Return the cells of the row in the range, if one says something.

    In a page from that one on, since its text begins there.
    """
    start, end = span
    cells = row.cells_in(start, end)
    blank = 0
    for cell in cells:
        text = reader.body_text(((max(cell.start, start), min(cell.end, end)),))
        if text.strip("| \t\r\n"):
            break
        blank += 1
    return cells[blank:] if reader.document.format == "html" or blank == len(cells) else cells


def _above_rows(
    reader: BodyReader, table: Block, row: Row, *, first: Cell, key: Cell | None, start: int
) -> Repeated | None:
    """Return the whole header, and what fills the row up to its cell `first`."""
    whole = whole_header(reader, table)
    if whole is None:
        return None
    left_out = sum(cell.start < first.start for cell in row.cells)
    left_out += sum(cell.column < first.column for cell in row.reaching)
    before, spans = [_LEFT_OUT] * left_out, whole.spans
    if key is not None:
        before[0], spans = _text(reader, key), (*spans, key[2:])
    return Repeated(spans, whole.above, _before(reader, before, first=first, start=start), cut=True)


def _above_cells(
    reader: BodyReader, table: Block, own: Sequence[Cell], *, key: Cell | None, start: int
) -> Repeated | None:
    """Return what stands above some cells of a row; the whole header, where nothing does."""
    columns = reader.columns(table)
    if columns is None or not any(map(any, columns.above(own))):
        return whole_header(reader, table)
    cells = own if key is None else [key, *own]
    spans = [head[2:] for line in columns.above(cells) for heads in line for head in heads]
    above, place = head_text(reader, columns, cells), (table.start, columns.caption_end)
    is_short = 0 < place[1] - place[0] <= _LONGEST_CELL
    caption = reader.normalise((place,)) if is_short else ""
    if caption:
        spans.append(place)
        above = f"{caption}\n{above}" if above else caption
    keys = [] if key is None else [key]
    before = _before(reader, [_text(reader, key) for key in keys], first=own[0], start=start)
    margin = _margin(reader, start, own[0])
    if margin:  # in a quote or a list, and the row is there from its margin on
        above = "\n".join(margin + line for line in above.split("\n"))
    spans = [*merge(spans), *[key[2:] for key in keys]]
    return Repeated((*spans,), above, before, cut=not margin)


def _margin(reader: BodyReader, start: int, first: Cell) -> str:
    """Return what stands in Markdown between the beginning of a range and its first cell."""
    is_page = reader.document.format == "html"
    return "" if is_page or start >= first.start else reader.body_text(((start, first.start),))


def _before(reader: BodyReader, texts: Sequence[str], *, first: Cell, start: int) -> str:
    """Return cells before the body, which begins at `start`, with its cell `first` or inside it."""
    if reader.document.format != "markdown":
        return "".join(f"{text}\t" for text in texts)
    bar = "" if start <= first.start else "| "  # else what is left of a cell would have none
    return "".join(f"| {text} " for text in texts) + bar


def _text(reader: BodyReader, cell: Cell) -> str:
    """Return what a cell says, in one line."""
    if cell.end - cell.start > _LONGEST_CELL:
        return ""
    text = reader.body_text((cell[2:],)).strip()
    if reader.document.format == "markdown":
        text = text.removeprefix("|")
    return " ".join(text.split())
