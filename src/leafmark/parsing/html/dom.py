"""HTML to a tree of elements with exact byte extents, in one pass over the tags.

In: bytes whose markup is ASCII-compatible. Out: a `Page`: its elements in order of start, each
with its parent, its links, the names that tags give places, and where text stands. An end tag
closes the nearest open element of its name and all that is open inside it; a heading's closes any
heading. Paragraphs, items, rows, cells and terms end where the next begins. That is the tree that a
browser builds but for formatting elements out of order, which hold no structure, and text that
stands in a table outside its cells, which stays where it is written. Each tag looks at a bounded
number of open elements, so reading is linear whatever the input.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from leafmark.parsing.decoding import BOM
from leafmark.parsing.html.tokens import (
    RAW_TAGS,
    RUN,
    SELF_CLOSED,
    VOID_TAGS,
    attributes_of,
    raw_end,
)
from leafmark.parsing.html.vocabulary import MAX_SIGN, class_lists, is_sign

__all__ = ["HEADING_LEVELS", "Element", "Named", "Page", "StartTag", "read_page"]

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
_HEADINGS = frozenset(HEADING_LEVELS)

_FRAME = frozenset(("html", "body", "head"))
_FORMATTING = frozenset(
    (
        *("b", "i", "u", "s", "em", "tt", "big", "code", "font"),
        *("strike", "strong", "nobr", "sup", "sub", "wbr"),
    )
)
"""Elements that hold no structure, whose end tags may stand anywhere."""

_CLOSES_P = frozenset(
    (
        *("address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div"),
        *("dl", "dd", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1"),
        *("h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "li"),
        *("listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search"),
        *("section", "summary", "table", "ul", "xmp"),
    )
)
_TABLE = frozenset(("table", "template"))
_AROUND_ITEM = frozenset(
    (
        *("ul", "ol", "menu", "dir", "dl", "table", "td", "th", "template"),
        *("button", "object"),
    )
)
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_CELLS = frozenset(("td", "th"))
_TERMS = frozenset(("dt", "dd"))
_SIBLINGS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _AROUND_ITEM),
    **dict.fromkeys(_TERMS, (_TERMS, _AROUND_ITEM)),
    "tr": (frozenset(("tr",)), _TABLE),
    **dict.fromkeys(_CELLS, (_CELLS, _TABLE | {"tr"})),
    **dict.fromkeys(_SECTIONS, (_SECTIONS, _TABLE)),
    "option": (frozenset(("option",)), frozenset(("select",))),
}
"""Which open elements a start tag ends, and how far out it looks for them."""

_FENCES = frozenset(("table", "td", "th", "caption", "template", "button", "object"))
"""Elements that an end tag or an implied end inside them does not reach out of."""

_IN_CELLS = frozenset(("td", "th", "caption"))
_AROUND_CELLS = frozenset(("tr", "thead", "tbody", "tfoot"))
"""Elements whose end tags end the cells in them."""

_IN_HEAD = frozenset(("title", "base", "link", "meta", "script", "style", "basefont", "bgsound"))

_REACH = 64
"""How many open elements out a tag looks for the one it ends, so that each tag costs little."""

_UNSHOWN = frozenset(("script", "style", "title", "iframe", "noembed", "noframes"))
"""Raw elements whose content is no text of the page."""

_VOID = frozenset(name.decode() for name in VOID_TAGS)
_RAW = frozenset(name.decode() for name in RAW_TAGS)

_NAMING = re.compile(rb"\b(?:class|id|role|aria-hidden|name)\s*=", re.IGNORECASE)
_TAGS = re.compile(rb"</?[A-Za-z][^<>]*+>")
_BLANK = re.compile(rb"(?:[\s\0]|&nbsp;|&#160;|&#xa0;|\xc2\xa0|\xe2\x80\x8b|(?!))++", re.IGNORECASE)
_MAYBE_BLANK = 64
"""Bytes of a text that is looked at for being nothing but space that is written as entities."""

LINKED, SIGNS, WORDS = 0, 1, 2
"""What a text is: in a link, nothing but signs, or words outside links."""


class StartTag:
    """What a start tag says; tags that are written in the same way share one.

    `is_plain` says that it names nothing by which a page tells its parts: neither class nor id,
    nor role, nor that it is hidden.
    """

    __slots__ = ("_attributes", "_raw", "classes", "id", "is_inline", "is_plain", "name", "role")

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = name
        self._raw = raw
        self._attributes: dict[str, str] | None = None
        names = _NAMING.search(raw)
        self.is_plain = names is None
        self.id = self.attribute("id") if names else ""
        self.role = self.attribute("role").lower() if names else ""
        self.classes = tuple(self.attribute("class").split()) if names else ()
        self.is_inline = name in _FORMATTING or (name == "span" and self._says_nothing())

    def _says_nothing(self) -> bool:
        """Whether a span only has a colour, as those of code have."""
        if self.is_plain:
            return True
        is_named = self.id or self.role or "aria-hidden" in self.attributes
        return not is_named and not any(
            name == "line" or class_lists(name) for name in self.classes
        )

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes by their names in lower case; the first of several counts."""
        found = self._attributes
        if found is None:
            found = self._attributes = attributes_of(self._raw)
        return found

    def attribute(self, name: str) -> str:
        """The value of an attribute, empty where there is none."""
        return self.attributes.get(name, "")


class Element:
    """An element that stands in the source: `[start, end)`, its content `[inner, close)`.

    Where no end tag closes it, `close == end` is where its content ends.
    """

    __slots__ = ("close", "end", "inner", "open", "parent", "start", "tag")

    def __init__(self, opening: StartTag, start: int, inner: int, parent: Element | None) -> None:
        self.open = opening
        self.tag = opening.name
        self.start, self.inner = start, inner
        self.close = self.end = inner
        self.parent = parent

    def __repr__(self) -> str:
        return f"<{self.tag} [{self.start}, {self.end})>"

    @property
    def ancestors(self) -> Iterator[Element]:
        """The elements around it, nearest first, so many that each costs little."""
        around = self.parent
        for _ in range(_REACH):
            if around is None:
                return
            yield around
            around = around.parent


class Named(NamedTuple):
    """A name that a tag `[start, end)` gives its place; `parent` is the element around it."""

    start: int
    end: int
    name: str
    tag: str
    parent: Element | None


class Page:
    """The elements of a source, and what is asked of them.

    `elements` are in order of start, without formatting; `links` are the `a` elements with an
    address and the images with a source. `body_start` and `body_end` bound the content of `body`,
    whether or not its tags are written. Texts, with the formatting in them, are in three columns:
    where each starts and ends, and what it is.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.elements: list[Element] = []
        self.links: list[Element] = []
        self.named: list[Named] = []
        self.root: StartTag | None = None
        self.body_start, self.body_end = 0, len(data)
        self.text_starts: list[int] = []
        self.text_ends: list[int] = []
        self.text_kinds: list[int] = []

    def having(self, *tags: str) -> list[Element]:
        """The elements of some tags, in order."""
        found = [element for tag in tags for element in self._by_tag.get(tag, ())]
        if len(tags) > 1:
            found.sort(key=lambda element: element.start)
        return found

    @cached_property
    def _by_tag(self) -> dict[str, list[Element]]:
        found: dict[str, list[Element]] = {}
        for element in self.elements:
            found.setdefault(element.tag, []).append(element)
        return found

    @cached_property
    def headings(self) -> list[Element]:
        return self.having(*_HEADINGS)

    @cached_property
    def heading_starts(self) -> list[int]:
        return [heading.start for heading in self.headings]

    @cached_property
    def link_starts(self) -> list[int]:
        return [link.start for link in self.links]

    def links_in(self, start: int, end: int) -> list[Element]:
        """The links and images that begin in `[start, end)`."""
        starts = self.link_starts
        return self.links[bisect_left(starts, start) : bisect_left(starts, end)]

    def headings_in(self, start: int, end: int) -> list[Element]:
        starts = self.heading_starts
        return self.headings[bisect_left(starts, start) : bisect_left(starts, end)]

    @cached_property
    def _named_starts(self) -> list[int]:
        return [named.start for named in self.named]

    def named_in(self, start: int, end: int) -> list[Named]:
        """The names that tags in `[start, end)` give."""
        starts = self._named_starts
        return self.named[bisect_left(starts, start) : bisect_left(starts, end)]

    @cached_property
    def _sizes(self) -> tuple[list[int], list[int], list[int]]:
        """The bytes of text before each text: of those in links, of signs, of words."""
        columns = []
        for kind in (LINKED, SIGNS, WORDS):
            texts = zip(self.text_starts, self.text_ends, self.text_kinds, strict=True)
            sizes = (end - start if own == kind else 0 for start, end, own in texts)
            columns.append([*accumulate(sizes, initial=0)])
        return columns[0], columns[1], columns[2]

    def text_size(self, kind: int, start: int, end: int) -> int:
        """The bytes of texts of a kind that begin in `[start, end)`."""
        sizes, starts = self._sizes[kind], self.text_starts
        return sizes[bisect_left(starts, end)] - sizes[bisect_left(starts, start)]

    def first_text(self, start: int, end: int) -> int:
        """Where the first text in `[start, end)` begins, -1 where there is none."""
        at = bisect_left(self.text_starts, start)
        return (
            self.text_starts[at]
            if at < len(self.text_starts) and self.text_starts[at] < end
            else -1
        )

    def has_text(self, start: int, end: int) -> bool:
        return self.first_text(start, end) >= 0

    def texts_in(self, start: int, end: int, kind: int | None = None) -> list[bytes]:
        """The texts that begin in `[start, end)`, all or those of a kind, as written."""
        first, last = bisect_left(self.text_starts, start), bisect_left(self.text_starts, end)
        starts, ends, kinds = self.text_starts, self.text_ends, self.text_kinds
        chosen = (at for at in range(first, last) if kind is None or kinds[at] == kind)
        return [_TAGS.sub(b"", self.data[starts[at] : ends[at]]) for at in chosen]


def read_page(data: bytes) -> Page:
    """Return the elements of `data`."""
    return _Builder(data).read()


class _Builder:
    """Pairs start and end tags; `_counts` tells what is open without a search."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.page = Page(data)
        self._tags: dict[bytes, StartTag] = {}
        self._names: dict[bytes, str] = {}
        self._signs: dict[bytes, bool] = {}
        self._open: list[Element] = []
        self._counts: dict[str, int] = {}
        self._spans: list[bool] = []
        """Of each open span whether it is an element."""

        self._link: Element | None = None
        self._in_body = False
        self._in_head = True
        """Whether nothing was read yet that stands in a body."""

    def read(self) -> Page:
        data, page = self.data, self.page
        size = len(data)
        last = at = len(BOM) if data.startswith(BOM) else 0
        match, names = RUN.match, self._names
        while at < size and (found := match(data, at)) is not None:
            text, slash, raw_name, unfinished, sign = found.groups()
            start, at = found.end(1), found.end()
            if sign is not None:  # it begins no tag
                continue
            if last < start:
                self._text(text if start - last == len(text) else data[last:start], last, start)
            last = at
            if raw_name is None or unfinished is not None:  # a comment, or not finished
                continue
            name = names.get(raw_name)
            if name is None:
                name = names[raw_name] = raw_name.lower().decode("utf-8", "replace")
            if slash:
                self._end(name, start, at)
            else:
                last = at = self._start(name, start, at)
        if last < size:
            self._text(data[last:], last, size)
        self._finish(size)
        return page

    def _finish(self, size: int) -> None:
        while self._open:
            self._end_top(size, size)
        if self._link is not None:
            self._end_link(size, size)
        page = self.page
        page.body_end = max(page.body_start, page.body_end)

    # -- text --------------------------------------------------------------------

    def _text(self, text: bytes, start: int, end: int) -> None:
        if text.isspace():
            return
        page = self.page
        page.body_end = len(self.data)
        self._in_head = False
        if b"<" in text:
            said = _TAGS.sub(b"", text)
            if not said or said.isspace():
                return
        else:
            said = text
        if len(said) < _MAYBE_BLANK and _BLANK.fullmatch(said):
            return
        if self._counts.get("svg") and self._open[-1].tag == "title":
            return
        kind = LINKED
        if self._link is None:
            kind = SIGNS if len(said) <= MAX_SIGN and self._is_sign(said) else WORDS
        page.text_starts.append(start)
        page.text_ends.append(end)
        page.text_kinds.append(kind)

    def _is_sign(self, text: bytes) -> bool:
        found = self._signs.get(text)
        if found is None:
            found = self._signs[text] = is_sign(text)
        return found

    # -- start tags --------------------------------------------------------------

    def _start(self, name: str, start: int, end: int) -> int:
        """Read a start tag; return where it, or its raw content, ends."""
        raw = self.data[start:end]
        opening = self._tags.get(raw)
        if opening is None:
            opening = self._tags[raw] = StartTag(name, raw)
        if opening.is_inline and not opening.id:
            if name == "span":
                self._spans.append(False)
            return end
        if opening.id or (name == "a" and not opening.is_plain and opening.attribute("name")):
            self._name_place(opening, start, end)
        if name in _FRAME:
            self._frame(opening, start, end)
            return end
        self.page.body_end = len(self.data)
        if name == "a":
            self._start_link(opening, start, end)
        elif not opening.is_inline:
            return self._begin(opening, start, end)
        return end

    def _name_place(self, opening: StartTag, start: int, end: int) -> None:
        parent = self._open[-1] if self._open else None
        name = opening.id or opening.attribute("name")
        self.page.named.append(Named(start, end, name, opening.name, parent))

    def _frame(self, opening: StartTag, start: int, end: int) -> None:
        if opening.name == "body" and not self._in_body:
            self.page.body_start, self._in_body = end, True
        elif opening.name == "html" and self.page.root is None:
            self.page.root = opening

    def _start_link(self, opening: StartTag, start: int, end: int) -> None:
        if self._link is not None:
            self._end_link(start, start)
        parent = self._open[-1] if self._open else None
        link = Element(opening, start, end, parent)
        if "href" in opening.attributes:
            self._link = link
            self.page.links.append(link)
        self.page.elements.append(link)

    def _end_link(self, close: int, end: int) -> None:
        assert self._link is not None
        self._link.close, self._link.end = close, end
        self._link = None

    def _begin(self, opening: StartTag, start: int, end: int) -> int:
        """Add an element, and end what it ends; return where to read on."""
        name = opening.name
        if name in _CLOSES_P and self._counts.get("p"):
            self._close("p", start, start)
        if name in _SIBLINGS:
            self._end_sibling(*_SIBLINGS[name], start)
        elif name in _HEADINGS and not self._spans:  # which may stand in the heading
            self._end_heading(start)
        if name == "image":
            opening = self._tags[self.data[start:end]] = StartTag("img", self.data[start:end])
        element = Element(opening, start, end, self._open[-1] if self._open else None)
        self.page.elements.append(element)
        if opening.name == "img" and "src" in opening.attributes:
            self.page.links.append(element)
        self._in_head = self._in_head and name in _IN_HEAD
        is_raw = name in _RAW and not self._counts.get("svg")
        if name in _VOID or is_raw:
            stop = self._raw(element) if is_raw else end
            if self._in_head and not self._in_body:
                self.page.body_start = stop
            return stop
        if name == "span":
            self._spans.append(True)
        self._open.append(element)
        self._counts[name] = self._counts.get(name, 0) + 1
        return end

    def _end_heading(self, at: int) -> None:
        if self._open and self._open[-1].tag in _HEADINGS:
            self._end_top(at, at)

    def _raw(self, element: Element) -> int:
        """Take in the content of a raw element; return where its content ends."""
        data, start, inner = self.data, element.start, element.inner
        if SELF_CLOSED.match(data, start, inner):
            return inner
        close, end = raw_end(data, element.tag.encode(), inner)
        element.close, element.end = close, end
        text = data[inner:close]
        if element.tag not in _UNSHOWN and text.strip():
            self._text(text, inner, close)
        return end

    def _end_sibling(self, ended: frozenset[str], limits: frozenset[str], at: int) -> None:
        """End the nearest open element of `ended`, unless one of `limits` is open inside it."""
        if not any(self._counts.get(name) for name in ended):
            return
        for element in reversed(self._open[-_REACH:]):
            if element.tag in ended:
                self._end_down_to(element, at, at)
                return
            if element.tag in limits:
                return

    # -- end tags ----------------------------------------------------------------

    def _end(self, name: str, start: int, end: int) -> None:
        if name == "span":
            if self._spans and self._spans.pop():
                self._close(name, start, end)
            return
        if name in _FRAME:
            if name == "body":
                self.page.body_end = start
            elif name == "head" and not self._in_body:
                self.page.body_start = end
            return
        self.page.body_end = len(self.data)
        if name == "a":
            if self._link is not None:
                self._end_link(start, end)
        elif name not in _FORMATTING:
            self._close(name, start, end)

    def _close(self, name: str, at: int, end: int) -> None:
        is_heading = name in _HEADINGS
        if not is_heading and not self._counts.get(name):
            return
        if is_heading and not any(self._counts.get(each) for each in _HEADINGS):
            return
        for element in reversed(self._open[-_REACH:]):
            if element.tag == name or (is_heading and element.tag in _HEADINGS):
                self._end_down_to(element, at, end)
                return
            is_through = name in _AROUND_CELLS and element.tag in _IN_CELLS
            if element.tag in _FENCES and name not in _FENCES and not is_through:
                return

    def _end_down_to(self, last: Element, at: int, end: int) -> None:
        """End `last` and all that is open inside it; those inside end without a tag."""
        while self._open[-1] is not last:
            self._end_top(at, at)
        self._end_top(at, end)

    def _end_top(self, close: int, end: int) -> None:
        element = self._open.pop()
        self._counts[element.tag] -= 1
        element.close, element.end = close, end
