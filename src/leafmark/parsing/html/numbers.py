"""The numbers of lines that pages put beside code: they are no part of it.

In: a page. Out: spans to drop. A number is one of a line where its element is called so
(`words.toml`) and stands in code, or beside it in a column of its own; where it is hidden from
being read aloud; and where a `pre` counts the lines of the next one. With a column goes the table
that puts it beside the code, so that the code is a block like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from leafmark.parsing.html.dom import Element, Page, start_of

__all__ = ["number_spans"]

_NUMBERS = re.compile(rb"(?:\s|<[^<>]*+>|[0-9]{1,9}(?![0-9])|&nbsp;|&#160;|\xc2\xa0|(?!))*+")
_BETWEEN = re.compile(rb"(?:\s|</?(?:td|div|figure|code|span)\b[^<>]*>|(?!))*+")
_TAG = re.compile(rb"<[^<>]*>")
_LINE_END = re.compile(rb"\r\n?|\n")
_DIGIT = re.compile(rb"[0-9]")
_LINE_TAG = re.compile(
    rb"<(?:pre|code|div|li|tr|td|br|[a-z]+\b[^<>]*\bclass\s*=\s*[\"']?[^\"'<>]*\bline\b)",
    re.IGNORECASE,
)
_LEAST_NUMBERS = 2
"""A single number before a single line of code may be anything."""

_LONGEST = 200_000
_NO_NUMBERS = frozenset(("a", "table", "tr", "tbody"))
_BLOCKS = frozenset(("td", "th", "div", "pre", "ul", "ol", "figure", "aside"))
_AROUND = frozenset(("td", "tr", "tbody", "table", "div", "code"))


def number_spans(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the spans, in no order."""
    code = page.having("pre", "listing")
    columns = [*_named(page, code), *_counting(page, page.having("pre"))]
    for element in columns:
        yield from _with_table(page, element, code)


def _named(page: Page, code: list[Element]) -> Iterator[Element]:
    """Yield the elements that hold numbers and are called so, or hidden, and stand at code."""
    hidden = {o for o in page.openings if o.attribute("aria-hidden").lower() == "true"}
    named = page.called("numbers.classes") | hidden
    starts = [each.start for each in code]
    seen = -1
    for element in page.elements if named else ():
        if element.open not in named or element.start < seen or element.tag in _NO_NUMBERS:
            continue
        if _is_numbers(page, element) and _is_at_code(page, element, starts):
            seen = element.end
            yield element


def _is_numbers(page: Page, element: Element) -> bool:
    inner, close = element.inner, element.close
    if close - inner > _LONGEST or _DIGIT.search(page.data, inner, close) is None:
        return False
    return _NUMBERS.fullmatch(page.data, inner, close) is not None


def _is_at_code(page: Page, element: Element, code: list[int]) -> bool:
    """Whether an element stands in code, or is a column beside it."""
    for around in element.ancestors:
        if around.tag in ("pre", "code", "listing") or "line" in around.open.classes:
            return element.tag in _BLOCKS or _begins_line(page, element)
    if element.tag not in _BLOCKS:
        return False
    around = element
    for outer in element.ancestors:
        if outer.tag not in _AROUND:
            break
        around = outer
    first = bisect_left(code, around.start)
    return first < len(code) and code[first] < around.end


def _begins_line(page: Page, element: Element) -> bool:
    """Whether an element stands first in a line of code: numbers elsewhere are code."""
    data, start = page.data, element.start
    at = bisect_left(page.text_starts, start) - 1
    if at < 0:
        return True
    before = data[page.text_ends[at] : start]
    if b"\n" in before or _LINE_TAG.search(before):
        return True
    return data[page.text_starts[at] : page.text_ends[at]].rstrip(b" \t").endswith((b"\n", b"\r"))


def _counting(page: Page, code: list[Element]) -> Iterator[Element]:
    """Yield each `pre` of numbers that counts the lines of the next one, which adjoins it."""
    line_ends: list[int] | None = None
    for column, after in pairwise(code):
        if column.end > after.start or not _adjoins(page.data, column, after):
            continue
        if line_ends is None:
            line_ends = [found.start() for found in _LINE_END.finditer(page.data)]
        numbers = [*map(int, _TAG.sub(b" ", page.data[column.inner : column.close]).split())]
        lines = bisect_left(line_ends, after.close) - bisect_left(line_ends, after.inner)
        if len(numbers) < _LEAST_NUMBERS or abs(len(numbers) - lines) > 1:
            continue
        if numbers == [*range(numbers[0], numbers[0] + len(numbers))]:
            yield column


def _adjoins(data: bytes, column: Element, after: Element) -> bool:
    """Whether one `pre` is made of numbers, and nothing is to be read between it and the next."""
    if _NUMBERS.fullmatch(data, column.inner, column.close) is None:
        return False
    between = _BETWEEN.match(data, column.end)
    return between is not None and between.end() == after.start


def _with_table(page: Page, column: Element, code: list[Element]) -> Iterator[tuple[int, int]]:
    """Yield a column, and what is left of a table of nothing but it and one block of code."""
    yield column.start, column.end
    if column.tag not in ("td", "th", "pre", "div"):
        return
    table = next((each for each in column.ancestors if each.tag == "table"), None)
    if table is None or any(each.tag == "pre" for each in table.ancestors):
        return
    at = bisect_left(code, column.end, key=start_of)
    if at == len(code) or code[at].start >= table.end:
        return
    listing = code[at]
    before = page.has_text(table.start, column.start) or page.has_text(column.end, listing.start)
    if not before and not page.has_text(listing.end, table.end):
        yield table.start, listing.start
        yield listing.end, table.end
