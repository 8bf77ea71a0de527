"""The blocks of an HTML page: paragraphs, lists, tables, code and the text between them.

In: a page's elements, its headings and what is dropped. Out: `Block`s, properly
nested. An element with a heading inside is not a block: its contents belong
to several sections, so its parts are blocks. Text that stands in no block element (in
a `div`, say) is a paragraph of its own, so every word of the content is in a
heading or in a block of level 0. A long `pre` that reads like prose, as manual pages
and old handbooks have it, is no code: what stands between its blank lines are paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from leafmark.model import Block, BlockKind, merge, span_at, subtract
from leafmark.parsing.html.code import code_language, is_prose_pre
from leafmark.parsing.html.dom import Element, Page
from leafmark.parsing.html.text import BLOCK_TAGS, CODE_LINE
from leafmark.parsing.html.tokens import iter_tokens
from leafmark.parsing.text import BLANK_LINES

Spans = list[tuple[int, int]]

_TAGS: dict[BlockKind, str] = {
    "paragraph": "p",
    "list": "ul ol menu dir",
    "list_item": "li",
    "definition": "dl dt",
    "table": "table",
    "table_row": "tr",
    "code": "pre listing xmp",
    "quote": "blockquote",
    "thematic_break": "hr",
}
_KINDS = {tag: kind for kind, tags in _TAGS.items() for tag in tags.split()}
_LISTED = re.compile(rb"\s*" + CODE_LINE.pattern)
"""The beginning of code with an element for each line. A whole file, whose lines have anchors, is
not a block of code: it could not be cut."""

_ALONE: dict[BlockKind, BlockKind] = {"list_item": "list", "table_row": "table"}
"""The kind of an item or a row whose list or table is not a block."""

_BLANK_CELL = re.compile(
    rb"<td\b[^<>]*>(?:\s|&nbsp;|&#160;|\xc2\xa0|</?(?:p|br|span)\b[^<>]*>|(?!))*+(?=</td\b|<t[dh]\b)"
)

_NESTED = frozenset((*_KINDS, "thead"))

_WORD = re.compile(rb"\s*[^<\s]")
_LATER_WORD = re.compile(rb">\s*[^<\s]|<(?:im|te|xm)|<(?![a-z/!?])|</\Z", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class _Draft:
    """A block whose inner elements are still being read."""

    tag: str
    kind: BlockKind
    start: int
    end: int
    level: int
    info: str = ""
    content_start: int | None = None
    inner: int = 0
    close: int = 0
    has_rows: bool = False
    term_end: int = 0

    def block(self) -> Block:
        return Block(self.kind, self.start, self.end, self.level, self.info, self.content_start)


def find_blocks(
    page: Page, headings: Sequence[tuple[int, int]], dropped: Spans, limits: Spans
) -> tuple[Block, ...]:
    """Return the blocks outside `headings` and `dropped`; a block ends in its span of `limits`.

    All three are in order and disjoint; text outside of `limits` is dropped.
    """
    drafts = _Nesting(page, headings, dropped, limits).drafts()
    for draft in drafts:  # what is left out at its end is no part of it
        left_out = span_at(dropped, draft.end - 1)
        draft.end = draft.end if left_out is None else max(draft.start + 1, left_out[0])
    top = ((draft.start, draft.end) for draft in drafts if not draft.level)
    taken = merge([*headings, *dropped, *top])
    blocks = [block for draft in drafts for block in _blocks_of(page.data, draft)]
    for start, end in subtract(0, len(page.data), taken):
        if page.has_text(start, end) or page.links_in(start, end):
            blocks += [Block("paragraph", *span) for span in _loose_text(page.data, start, end)]
    blocks.sort(key=attrgetter("start", "level"))
    return tuple(blocks)


_MAX_HEADER = 50_000
"""The largest row, in bytes, that is checked for a header, since nested tables are read again."""


class _Nesting:
    """Turns elements into nested drafts; an inner one never extends beyond the outer."""

    def __init__(
        self, page: Page, headings: Sequence[tuple[int, int]], dropped: Spans, limits: Spans
    ) -> None:
        end = len(page.data) + 1
        self.page = page
        self._closed = [*merge([*headings, *dropped]), (end, end)]
        self._headings = [*(start for start, _ in headings), end]
        self._limits = limits
        self._open: list[_Draft] = []

    def drafts(self) -> list[_Draft]:
        drafts: list[_Draft] = []
        closed = heading = limit = 0
        for element in self.page.elements:
            tag = element.tag
            if tag not in _NESTED and not (tag == "div" and self._is_listing(element)):
                continue
            start = element.start
            while self._closed[closed][1] <= start:
                closed += 1
            while self._headings[heading] <= start:
                heading += 1
            if self._closed[closed][0] <= start or self._headings[heading] < element.end:
                continue
            while self._limits[limit][1] <= start:
                limit += 1
            draft = self._enter(element, self._limits[limit][1])
            if draft is not None:
                drafts.append(draft)
        return drafts

    def _is_listing(self, element: Element) -> bool:
        """Whether a `div` is code with an element for each line."""
        is_named = "fragment" in element.open.classes
        return is_named and bool(_LISTED.match(self.page.data, element.inner, element.close))

    def _enter(self, element: Element, limit: int) -> _Draft | None:
        opened = self._open
        while opened and opened[-1].end <= element.start:
            opened.pop()
        if element.tag == "thead":
            if opened and opened[-1].tag == "table" and opened[-1].content_start is None:
                opened[-1].content_start = min(element.end, opened[-1].end)
            return None
        if element.tag == "dt":
            return self._term(element)
        draft = self._draft(element, min(element.end, opened[-1].end if opened else limit))
        if draft is not None:
            opened.append(draft)
        return draft

    def _draft(self, element: Element, end: int) -> _Draft | None:
        kind, opened = _KINDS.get(element.tag, "code"), self._open
        outer = opened[-1] if opened else None
        if outer is not None and outer.kind == "code":
            return None  # what is in code is its text
        if kind == "paragraph" and outer is not None and outer.kind == "table_row":
            return None
        if kind == "table_row" and outer is not None and outer.kind == "table":
            self._mark_header(outer, element)
        elif outer is None:
            kind = _ALONE.get(kind, kind)
        info = ""
        close = inner = min(element.close, end)
        if kind == "code":
            info = code_language(self.page.data, element.start, element.inner)
            inner = element.inner
        level = len(opened)
        return _Draft(element.tag, kind, element.start, end, level, info, inner=inner, close=close)

    def _mark_header(self, table: _Draft, row: Element) -> None:
        """If there is no `thead`, a first row of header cells is the header.

        Before a header cell, there may be blank cells of another kind.
        """
        is_short = row.close - row.inner <= _MAX_HEADER
        if is_short and not table.has_rows and table.content_start is None:
            raw = self.page.data[row.inner : row.close].lower()
            if raw.rfind(b"<th") > raw.rfind(b"<td") and b"<td" not in _BLANK_CELL.sub(b"", raw):
                table.content_start = min(row.end, table.end)
        table.has_rows = True

    def _term(self, element: Element) -> _Draft | None:
        """Return the entry of a list that begins with a term and ends before the next one."""
        opened = self._open
        outer = next((d for d in reversed(opened[-8:]) if d.tag == "dl"), None)
        if outer is None:
            return None
        while opened[-1] is not outer:
            entry = opened[-1]
            if entry.tag == "dt" and entry.level == outer.level + 1:
                between = self.page.data[entry.term_end : element.start]
                if not between.strip():
                    entry.term_end = element.end
                    return None
                entry.end = element.start
            opened.pop()
        level = outer.level + 1
        entry = _Draft("dt", "definition", element.start, outer.close, level, term_end=element.end)
        opened.append(entry)
        return entry


def _blocks_of(data: bytes, draft: _Draft) -> Iterator[Block]:
    """Yield the block of a draft, or the paragraphs of preformatted prose."""
    is_code = draft.kind != "code" or draft.info or draft.tag not in ("pre", "listing", "xmp")
    if is_code or not is_prose_pre(data, draft.start, draft.inner, draft.close):
        yield draft.block()
        return
    starts, words = [draft.start], False
    for name, at, stop, _ in iter_tokens(data, draft.start, draft.end):
        if name != b"":
            continue
        for gap in BLANK_LINES.finditer(data, at, stop):
            if words or data[at : gap.start()].strip():
                starts.append(gap.end())
                words = False
            at = gap.end()
        words = words or bool(data[at:stop].strip())
    if not words:
        starts.pop()
    for start, end in pairwise([*starts, draft.end]):
        yield Block("paragraph", start, end, draft.level)


def _loose_text(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of text, images and inline tags in `[start, end)` between block tags."""
    if not (_WORD.match(data, start, end) or _LATER_WORD.search(data, start, end)):
        return
    first = last = -1
    words = hidden = False
    for name, at, stop, closing in iter_tokens(data, start, end):
        if name == b"title":  # of a drawing
            hidden = not closing
        if name is not None and name in BLOCK_TAGS:
            if words:
                yield first, last
            first, words = -1, False
        elif name is None or (not name and not data[at:stop].strip()):
            continue
        else:
            first = at if first < 0 else first
            last = stop
            words = words or (not name and not hidden) or name == b"img"
    if words:
        yield first, last
