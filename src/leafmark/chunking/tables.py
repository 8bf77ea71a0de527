"""Where tables are cut: between rows that do not belong together, and between cells.

A row whose first cell is empty goes on with the row above, as the lines below a name do, and so do
the rows that a cell of the row above reaches into. A row of a single cell as wide as others
together is the title of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leafmark.chunking.cuts import grapheme_boundary
from leafmark.model import Document

_GOES_ON_IN_MARKDOWN = re.compile(rb"[ \t]*\|[ \t]*\|")
_INLINE = rb"(?:\s|&nbsp;|&\#160;|\xc2\xa0|</?(?:a|b|br|div|em|i|p|span|strong)\b[^<>]*>|(?!))*+"
_GOES_ON_IN_PAGE = re.compile(
    rb"<tr\b[^<>]*>\s*+<t[dh]\b[^<>]*>%b(?:</?t[dhr]\b|\Z)" % _INLINE, re.IGNORECASE
)
_CELL = re.compile(rb"<t[dh]\b([^<>]*)>", re.IGNORECASE)
_CELL_BAR = re.compile(rb"\\.|((?<=[\r\n])\||\|(?![ \t]*+:?-*+:?[ \t]*+(?:[|\r\n]|\Z)))", re.DOTALL)
_CELL_TAG = re.compile(rb"<tr\b[^<>]*>\s*+<t[dh]\b|(<t[dh]\b)", re.IGNORECASE)
_CELLS = {"markdown": _CELL_BAR, "html": _CELL_TAG}
"""What cells begin with; no bar behind a backslash, or inside a line of a cell without words."""

_JOINED = 8
"""Bytes before a bar in which a character may stand that takes it in."""
_COLSPAN = re.compile(rb"\bcolspan\s*=\s*[\"']?0*([1-9][0-9]{0,3})", re.IGNORECASE)
_ROWSPAN = re.compile(rb"\browspan\s*=\s*[\"']?0*([1-9][0-9]{0,4})", re.IGNORECASE)


def untied_rows(document: Document, rows: Sequence[int], end: int) -> list[int]:
    """Return those of `rows`, the places where the rows of a table begin, at which it may be cut.

    The last row ends at `end`.
    """
    if document.format == "html":
        return [*_untied_in_page(document.data, rows, end)]
    if document.format == "markdown":
        goes_on = _GOES_ON_IN_MARKDOWN.match
        return [row for row in rows if goes_on(document.data, row) is None]
    return [*rows]


def cell_starts(document: Document, start: int, end: int) -> list[int]:
    """Return where the cells of the rows in `[start, end)` begin, `start` first.

    What a bar would be one character with is not cut from it.
    """
    cell = _CELLS.get(document.format)
    found = cell.finditer(document.data, start, end) if cell else ()
    places = (one.start(1) for one in found if one[1])
    return [start, *[at for at in places if at > start and not _is_torn(document.data, at)]]


def _is_torn(data: bytes, at: int) -> bool:
    """Whether the character at `at`, which is ASCII, is one with that before it."""
    text = data[max(0, at - _JOINED) : at + 1].decode("utf-8", "ignore")
    return grapheme_boundary(text, len(text) - 1) < len(text) - 1


def _taken(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    """How many columns or rows a cell of a page takes.

    >>> [_taken(_COLSPAN, cell) for cell in (b' class="a" colspan="02"', b"", b" colspan=0")]
    [2, 1, 1]
    """
    found = pattern.search(attributes)
    return int(found[1]) if found else 1


def goes_on_in_page(data: bytes, row: int) -> bool:
    """Whether a row begins there that goes on with what is above."""
    return _GOES_ON_IN_PAGE.match(data, row) is not None


def is_title_in_page(data: bytes, row: int, end: int) -> bool:
    """Whether `[row, end)` is a row of one wide cell that says something."""
    cells = [*_CELL.finditer(data, row, end)]
    return len(cells) == 1 and _taken(_COLSPAN, cells[0][1]) > 1 and not goes_on_in_page(data, row)


def _untied_in_page(data: bytes, rows: Sequence[int], end: int) -> Iterator[int]:
    tied = 0  # rows to come that belong to those before
    for row, after in pairwise([*rows, end]):
        if not tied and not goes_on_in_page(data, row):
            yield row
        cells = _CELL.findall(data, row, after)
        below = max((_taken(_ROWSPAN, cell) for cell in cells), default=1) - 1
        tied = max(tied - 1, below, int(is_title_in_page(data, row, after)))
