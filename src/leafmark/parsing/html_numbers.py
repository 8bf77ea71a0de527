"""The numbers of lines that pages put beside code: they are no part of it.

In: a page. Out: spans to drop. A column of numbers is a `pre` right before the `pre` whose
lines it counts, perhaps in a cell of its own. Doxygen, Pygments, Rouge and Javadoc draw a number
before each line of code, which would become one word with the first word of the line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leafmark.model import span_at
from leafmark.parsing.html_page import HtmlElement, HtmlPage

__all__ = ["drawn_numbers", "number_columns"]

_NUMBERS = re.compile(rb"(?:\s|<[^<>]*>|[0-9]{1,9}(?![0-9])|(?!))*+")
_BETWEEN = re.compile(rb"(?:\s|</?(?:td|div|figure|code)\b[^<>]*>|(?!))*+")
_TAG = re.compile(rb"<[^<>]*>")
_CELL = re.compile(rb"<td\b[^<>]*>((?:\s|<div\b[^<>]*>)*)\Z", re.IGNORECASE)
_CELL_END = re.compile(rb"((?:\s|</div\s*>)*)</td\s*>", re.IGNORECASE)
_LEAST_NUMBERS = 2
"""A single number before a single line of code may be anything."""

_LINE_END = re.compile(rb"\r\n?|\n")

_REACH = 400
"""Bytes before a column that are looked at for the cell that it stands in."""

_NUMBER = re.compile(
    rb"<span class=\"(?:linenos?|source-line-no|sourceLineNo)\">"
    rb"(?:<a [^<>]*+>|(?!))?+\s*+[0-9]++\s*+(?:</a>|(?!))?+\s*+</span>"
)


def number_columns(page: HtmlPage) -> Iterator[tuple[int, int]]:
    """Yield each `pre` that numbers the lines of the next one, which adjoins it, with its cell."""
    code = [element for element in page.elements if element.tag == "pre"]
    pairs = [
        (column, after)
        for column, after in pairwise(code)
        if column.end <= after.start and _adjoins(page.data, column, after)
    ]
    if not pairs:
        return
    line_ends = [found.start() for found in _LINE_END.finditer(page.data)]
    for column, after in pairs:
        if _counts(page, column, after, line_ends):
            yield _with_cell(page.data, column.start, column.end)


def _adjoins(data: bytes, column: HtmlElement, after: HtmlElement) -> bool:
    """Whether one `pre` is made of numbers, and nothing is to be read between it and the next."""
    if _NUMBERS.fullmatch(data, column.inner, column.close) is None:
        return False
    between = _BETWEEN.match(data, column.end)
    return between is not None and between.end() == after.start


def _counts(
    page: HtmlPage, column: HtmlElement, code: HtmlElement, line_ends: Sequence[int]
) -> bool:
    """Whether the numbers rise by one, and are as many as the lines of the code."""
    numbers = [*map(int, _TAG.sub(b" ", page.data[column.inner : column.close]).split())]
    lines = bisect_left(line_ends, code.close) - bisect_left(line_ends, code.inner)
    if len(numbers) < _LEAST_NUMBERS or abs(len(numbers) - lines) > 1:
        return False
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _with_cell(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of a cell that holds nothing but the element `[start, end)`, else of that."""
    first = max(0, start - _REACH)
    opening = _CELL.search(data[first:start])
    closing = _CELL_END.match(data, end)
    if opening is None or closing is None or opening[1].count(b"<") != closing[1].count(b"<"):
        return start, end
    return first + opening.start(), closing.end()


def drawn_numbers(page: HtmlPage, *, everywhere: bool) -> Iterator[tuple[int, int]]:
    """Yield the numbers before lines of code, which a `pre` holds unless they are `everywhere`."""
    code = [(each.inner, each.close) for each in page.elements if each.tag == "pre"]
    for found in _NUMBER.finditer(page.data):
        if everywhere or span_at(code, found.start()) is not None:
            yield found.span()
