"""What stands in a page's content and is no part of it: navigation, scripts, numbers of lines.

In: a page's elements. Out: spans to drop. What a generator calls navigation is told
by its tag, role or class; `related` is a word that authors use too, so what is called
so must hold a link with an access key, as Sphinx's bars have. A column of line numbers
is told by its words: a `pre` of numbers that count the lines of the `pre` after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leafmark.parsing.html_page import HtmlElement, HtmlPage

__all__ = ["unread_spans"]

_DROPPED_TAGS = frozenset(("nav", "script", "style", "template"))
_ACCESS_KEY = re.compile(rb"<a\s[^<>]*\baccesskey\s*=", re.IGNORECASE)
_NUMBERS = re.compile(rb"(?:\s|<[^<>]*>|[0-9]{1,9}(?![0-9]))*+")
_BETWEEN = re.compile(rb"(?:\s|</?(?:td|div|figure|code)\b[^<>]*>)*+")
_TAG = re.compile(rb"<[^<>]*>")
_CELL_REACH = 400
_CELL = re.compile(rb"<td\b[^<>]*>((?:\s|<div\b[^<>]*>)*)\Z", re.IGNORECASE)
_CELL_END = re.compile(rb"((?:\s|</div\s*>)*)</td\s*>", re.IGNORECASE)
_LEAST_NUMBERS = 2
"""A single number before a single line of code may be anything."""

_LINE_END = re.compile(rb"\r\n?|\n")


def unread_spans(page: HtmlPage) -> Iterator[tuple[int, int]]:
    """Yield the spans of the elements that are not read, in order of start."""
    keys = [found.start() for found in _ACCESS_KEY.finditer(page.data)]
    numbers = _line_numbers(page)
    for element in page.elements:
        if element.start in numbers:
            yield _with_cell(page.data, element.start, element.end)
        elif _is_apart(element, keys):
            yield element.start, element.end


def _with_cell(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of a cell that holds nothing but the element `[start, end)`, else of that."""
    first = max(0, start - _CELL_REACH)
    opening = _CELL.search(data[first:start])
    closing = _CELL_END.match(data, end)
    if opening is None or closing is None or opening[1].count(b"<") != closing[1].count(b"<"):
        return start, end
    return first + opening.start(), closing.end()


def _is_apart(element: HtmlElement, keys: list[int]) -> bool:
    if element.tag in _DROPPED_TAGS or "navigation" in element.roles:
        return True
    if "related" not in element.roles:
        return False
    at = bisect_left(keys, element.inner)
    return at < len(keys) and keys[at] < element.close


def _line_numbers(page: HtmlPage) -> set[int]:
    """Where each `pre` begins that numbers the lines of the next one, which adjoins it."""
    code = [element for element in page.elements if element.tag == "pre"]
    pairs = [
        (column, after)
        for column, after in pairwise(code)
        if column.end <= after.start and _adjoins(page.data, column, after)
    ]
    if not pairs:
        return set()
    line_ends = [found.start() for found in _LINE_END.finditer(page.data)]
    return {column.start for column, after in pairs if _counts(page, column, after, line_ends)}


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
