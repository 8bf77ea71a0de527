"""The sections of a page: its headings, its documented entries, and their ends.

In: a page, its region and its dropped spans. Out: `Heading`s in order. A heading inside a
container (a tab panel, a cell, a quote, `details`, a box, the text of an entry) ends with it and
is below the section around it; one that is alone in its cell or item is the heading of the rest
of the table or list. The title of a box, and lines of authors and dates, open no section. A
documented entry without a heading (`entries`) is a definition: it has no heading line, and its own
text begins with its signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from leafmark.model import Heading, span_at, subtract
from leafmark.parsing.html.dom import HEADING_LEVELS, LINKED, WORDS, Element, Page
from leafmark.parsing.html.entries import Entry
from leafmark.parsing.html.page_words import in_words, is_permalink, words_of
from leafmark.parsing.html.text import BLOCK_TAGS, DRAWN_DOT, UNREAD_TAGS, end_of_box
from leafmark.parsing.html.tokens import RAW_TAGS, VOID_TAGS, attribute, iter_tokens, unescape
from leafmark.parsing.titles import fold

Spans = list[tuple[int, int]]

_CONTAINERS = frozenset(
    ("blockquote", "details", "td", "th", "li", "dd", "figure", "aside", "fieldset")
)
_HEADED = frozenset(("td", "th", "li", "dd"))
"""Containers whose only content may be the heading of the following text."""

_OUTER = {"td": ("table",), "th": ("table",), "li": ("ul", "ol", "menu"), "dd": ("dl",)}
_LAID_OUT = frozenset(("table", "ul", "ol", "menu", "dl"))
"""Elements of which a heading that is alone in a cell or an item is the heading."""

_WRITTEN = re.compile(
    rb"\{:?\s?[#.][^{}<>\n]{1,200}+\}(?=\s*+(?:<a\b[^<>]*+>[^<>]*+</a\s*+>\s*+)?\Z)",
    re.IGNORECASE,
)
"""The name that an author gave a title for another program than the one that built the page."""

_EMPTY = re.compile(rb"\s*+(?:</(?:a|span)\s*+>)?\s*+", re.IGNORECASE)
_HIDDEN = re.compile(rb"\baria-hidden\s*=\s*[\"']?true", re.IGNORECASE)
_ANCHOR = re.compile(rb"<a[\s/]", re.IGNORECASE)
_NOTE = re.compile(r"\([0-9]+\)|\[[0-9]+\]")
"""The number of a note, which Texinfo writes as a heading."""

_UNSEEN = dict.fromkeys(map(ord, "\0\u00ad\u200b\u2060\ufeff"))
"""Characters that allow line breaks, which are dropped from titles."""

_ELEMENT = re.compile(rb"<([a-z][a-z0-9]*+)\b[^<>]*+>([^<]*+)</\1\s*+>", re.IGNORECASE)
"""An element in the text of a `title`, where a browser shows its tags."""


def find_headings(
    page: Page, limits: Spans, dropped: Spans, entries: Sequence[Entry], panels: Sequence[Element]
) -> tuple[Heading, ...]:
    """Return the headings and entries of the region whose spans are `limits`."""
    return tuple(_Outline(page, limits, dropped, entries, panels).headings())


def title_of(page: Page) -> str:
    """Return the text of a page's `title`, "" without one; titles of drawings do not count."""
    for element in page.having("title"):
        if not any(around.tag == "svg" for around in element.ancestors):
            raw = page.data[element.inner : element.close]
            title = _folded([unescape(_ELEMENT.sub(rb"\2", raw))])
            return "" if title.lower().startswith(tuple(words_of("heading", "untitled"))) else title
    return ""


def is_credit(heading: Element) -> bool:
    """Whether the class of a heading says that it names authors or dates."""
    classes = heading.open.classes
    is_dated = "date" in classes and heading.tag > "h2"  # those of the days of a diary are larger
    return is_dated or not words_of("heading", "credits").isdisjoint(classes)


@dataclass(slots=True)
class _Section:
    """An open section: its level, its start, and its latest end."""

    level: int
    start: int
    limit: int
    is_entry: bool = False


class _Outline:
    """Walks headings and entries in order, with the open sections."""

    def __init__(
        self,
        page: Page,
        limits: Spans,
        dropped: Spans,
        entries: Sequence[Entry],
        panels: Sequence[Element],
    ) -> None:
        self.page, self.limits, self.dropped = page, limits, dropped
        self.entries = entries
        self.panels = {*panels}
        self.posts = {*_posts(page)}
        self._open: list[_Section] = []
        self._shifts: dict[int, int] = {}
        """The levels that headings are shifted down, by the start of their container."""
        self._verdicts: dict[object, str] = {}

    def headings(self) -> Iterator[Heading]:
        """Yield the headings in order; a heading inside another is a part of that."""
        before: Element | None = None
        last_end = -1
        entries = iter(self.entries)
        entry = next(entries, None)
        for element in (*self.page.headings, None):
            start = element.start if element else len(self.page.data)
            while entry is not None and entry.start < start:
                if entry.start >= last_end:
                    yield self._entry(entry)
                entry = next(entries, None)
            if element is None:
                return
            is_shown = span_at(self.limits, start) and span_at(self.dropped, start) is None
            if is_shown and start >= last_end:
                heading = self._heading(element, before)
                last_end = heading.end
                yield heading
            before = element

    # -- entries -----------------------------------------------------------------

    def _entry(self, entry: Entry) -> Heading:
        self._leave(entry.start)
        level = self._open[-1].level + 1 if self._open else 1
        region = span_at(self.limits, entry.start)
        limit = min(entry.limit, region[1] if region else entry.limit)
        self._open.append(_Section(level, entry.start, limit, is_entry=True))
        return Heading(
            level,
            entry.title,
            entry.title,
            entry.start,
            entry.start,
            limit,
            anchor=entry.name,
            slug_path=entry.name,
        )

    def _leave(self, offset: int) -> None:
        """Close the sections that end before `offset`."""
        while self._open and self._open[-1].limit <= offset:
            self._open.pop()

    # -- headings ----------------------------------------------------------------

    def _heading(self, element: Element, before: Element | None) -> Heading:
        self._leave(element.start)
        region = span_at(self.limits, element.start)
        limit = region[1] if region else element.end
        title = heading_text(self.page.data, element.inner, min(element.close, limit), self.dropped)
        end = min(element.end, limit)
        own = HEADING_LEVELS[element.tag]
        around = [*_containers(self, element)]
        is_title = own > 1 and any(self._names_box(box, before) for box in around)
        nested = is_title or is_credit(element) or not title or _NOTE.fullmatch(title) is not None
        anchor = self._own_anchor(element) if nested else self._anchor(element, before)
        start = around[0].start if around and around[0].tag not in _LAID_OUT else -1
        stop = min([limit, *(container.end for container in around[:1])])
        level = own
        if not nested:
            level = self._level(own, start)
            self._open.append(_Section(level, element.start, max(end, stop)))
        ends = limit if nested else max(end, stop)
        return Heading(level, title, title, element.start, end, ends, nested, anchor)

    def _level(self, own: int, container: int) -> int:
        """Return the level of a heading in a container that begins at `container`.

        It is below the section around the container; all headings of a container are shifted
        equally. Also close the sections that the heading ends. An entry is a container, too.
        """
        outer = 0
        for entry in self._open:
            if entry.is_entry or entry.start < container:
                outer = entry.level
                container = max(container, entry.start if entry.is_entry else -1)
        shift = max(self._shifts.get(container, 0), outer + 1 - own)
        if shift:
            self._shifts[container] = shift
        level = own + shift
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        return level

    def kind_of(self, element: Element) -> str:
        """Return the kind of container that an element is by its name, "" if it is not one."""
        if element in self.panels:
            return "panel"
        if element in self.posts:
            return "post"
        verdict = self._verdicts.get(element.open)
        if verdict is None:
            verdict = self._verdicts[element.open] = _kind_of(element)
        return verdict

    def _names_box(self, box: Element, before: Element | None) -> bool:
        """Whether a heading is the title of a box: the first in it.

        A class around a whole page does not apply to its second heading, nor to its h1.
        """
        if self.kind_of(box) != "box":
            return False
        return before is None or before.start < box.start

    # -- anchors -----------------------------------------------------------------

    def _anchor(self, heading: Element, before: Element | None) -> str | None:
        """Return the page's own name for a heading: its id, an anchor's in it, or its element's.

        Its element is the nearest one in the region with an id that begins with the heading.
        Otherwise an empty anchor right before the heading names it, or a permalink in it.
        """
        own = self._own_anchor(heading)
        if own or _is_named_everywhere(heading):
            return own
        return self._outer_anchor(heading, before) or self._near_anchor(heading, before)

    def _outer_anchor(self, heading: Element, before: Element | None) -> str | None:
        region = span_at(self.limits, heading.start)
        heading_words = self.page.data[heading.inner : heading.close].decode("utf-8", "replace")
        least = max(before.start if before else -1, region[0] - 1 if region else -1)
        for around in heading.ancestors:
            if around.start <= least or self._has_text_between(around.inner, heading.start):
                return None
            if around.open.id and not _is_generic(around.open.id, heading_words):
                return around.open.id
        return None

    def _near_anchor(self, heading: Element, before: Element | None) -> str | None:
        """Return the first empty anchor right before a heading, or the name of a permalink."""
        data, start, anchor = self.page.data, heading.start, None
        for named in reversed(self.page.named_in(before.end if before else 0, start)):
            if named.tag not in ("a", "span") or not _EMPTY.fullmatch(data, named.end, start):
                break
            start, anchor = named.start, named.name
        if anchor:
            return anchor
        for link in self.page.links_in(heading.inner, heading.close):
            name = unquote(link.open.attribute("href").removeprefix("#"))
            if name in self.page.names and is_permalink(data, link.start, link.inner) >= 0:
                return name
        return None

    def _has_text_between(self, start: int, end: int) -> bool:
        """Whether words stand in a range; numbers and signs, as `1.0.0 ·`, are none."""
        page = self.page
        parts = subtract(start, max(start, end), self.dropped)
        return any(page.text_size(kind, *part) for part in parts for kind in (LINKED, WORDS))

    def _own_anchor(self, heading: Element) -> str | None:
        """Return the id of a heading or of an anchor in it, unless it is that of a box."""
        own = "" if _is_named_everywhere(heading) else heading.open.id
        return own or self._inner_anchor(heading) or None

    def _inner_anchor(self, heading: Element) -> str | None:
        data = self.page.data
        if _ANCHOR.search(data, heading.inner, heading.close) is None:
            return None
        return next(
            (
                named.name
                for named in self.page.named_in(heading.inner, heading.close)
                if named.tag == "a"
            ),
            None,
        )


def _containers(outline: _Outline, heading: Element) -> Iterator[Element]:
    """Yield the containers that a heading ends with, nearest first."""
    page = outline.page
    skip: tuple[str, ...] | None = None
    for around in heading.ancestors:
        if skip is not None:
            if around.tag in skip:
                if page.has_text(heading.end, around.close):
                    yield around
                skip = None
            continue
        if not outline.kind_of(around):
            continue
        is_alone = not page.has_text(heading.end, around.close)
        if around.tag in _HEADED and is_alone and not page.has_text(around.inner, heading.start):
            skip = _OUTER[around.tag]
            continue
        yield around


def _is_named_everywhere(heading: Element) -> bool:
    """Whether an h1 has an id that the h1 of each page has."""
    return heading.tag == "h1" and heading.open.id in words_of("ids", "titles")


def _posts(page: Page) -> Iterator[Element]:
    """Yield the articles beside others: text in one before its heading belongs to it."""
    beside: dict[Element | None, list[Element]] = {}
    for article in page.having("article"):
        beside.setdefault(article.parent, []).append(article)
    for articles in beside.values():
        if len(articles) > 1:
            yield from articles


def _kind_of(element: Element) -> str:
    opening = element.open
    roles = opening.role.split()
    if "box.classes" in opening.lists or not words_of("box", "roles").isdisjoint(roles):
        return "box"
    if "tabpanel" in roles or "tabs.panels" in opening.lists:
        return "panel"
    if "text.classes" in opening.lists:
        return "text"
    return "container" if element.tag in _CONTAINERS else ""


def _is_generic(name: str, heading: str) -> bool:
    """Whether an id is on every page of a generator, and not in the words of the heading.

    >>> _is_generic("__docusaurus_skipToContent_fallback", "Lamp"), _is_generic("main-lamp", "Lamp")
    (True, False)
    >>> _is_generic("description", "5.1 Description")
    False
    """
    words = [word for word in in_words(name) if not word.isdigit()]
    if not words or not words_of("ids", "generic").issuperset(words):
        return False
    return not {*words}.issubset(in_words(heading))


def heading_text(data: bytes, start: int, end: int, dropped: Spans) -> str:
    """Return the rendered text of the heading whose content is `[start, end)`, white space folded.

    Left out: images, permalinks, buttons, dropped spans, and text hidden from screen readers
    (`aria-hidden`). A heading that is only a button, which opens the text below it, has its text;
    one that is only an image has its alternative text.
    """
    if data.find(DRAWN_DOT, start, end) >= 0:
        data = data[start:end].replace(DRAWN_DOT, b".")
        start, end, dropped = 0, len(data), []
    named = _WRITTEN.search(data, start, end) if data.find(b"{", start, end) >= 0 else None
    if named is not None and data[start : named.start()].strip():
        end = named.start()
    if data.find(b"<", start, end) < 0:
        return _folded([unescape(data[start:end])])
    spans = [*subtract(start, end, dropped)] if dropped else [(start, end)]
    title = _folded([part for span in spans for part in _heading_parts(data, *span)])
    return (
        title or _folded(_heading_parts(data, start, end, buttons=True)) or _shown(data, start, end)
    )


def _shown(data: bytes, start: int, end: int) -> str:
    """Return the alternative texts of the images in a heading."""
    images = (
        attribute(data, at, stop, b"alt")
        for name, at, stop, closing in iter_tokens(data, start, end)
        if name == b"img" and not closing
    )
    return _folded([f" {alt}" for alt in images if alt])


def _folded(parts: list[str]) -> str:
    return fold("".join(parts).translate(_UNSEEN))


def _heading_parts(data: bytes, start: int, end: int, *, buttons: bool = False) -> list[str]:
    parts: list[str] = []
    hidden, depth, skip_to, box_end = b"", 0, start, -1
    for name, at, stop, closing in iter_tokens(data, start, end):
        if hidden:
            if name == hidden:
                depth += -1 if closing else 1
                hidden = hidden if depth else b""
        elif at < skip_to or name is None:
            continue
        elif not name:
            parts.append(unescape(data[at:stop]))
        elif name in BLOCK_TAGS or name == b"br" or at == box_end:
            parts.append(" ")
        elif not closing:
            box_end = end_of_box(data, name, at, stop)
            parts.append(" " if box_end >= 0 else "")
            if name == b"a":
                skip_to = max(skip_to, is_permalink(data, at, stop))
            is_kept = name in VOID_TAGS or (buttons and name == b"button")
            if at >= skip_to and not is_kept and _is_hidden(name, data[at:stop]):
                hidden, depth = name, 1
    return parts


def _is_hidden(name: bytes, tag: bytes) -> bool:
    unread = name == b"button" or name in UNREAD_TAGS or name in RAW_TAGS
    return unread or (b"=" in tag and _HIDDEN.search(tag) is not None)
