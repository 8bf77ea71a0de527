"""HTML to a tree of elements with exact byte extents, in one pass over the tags.

In: bytes whose markup is ASCII-compatible. Out: a `Page`: its elements in order of start, each
with its parent, its links, the names that tags give to places, and the ranges of text. An end tag
closes the nearest open element of its name and everything open inside it; a heading's closes any
heading. Paragraphs, items, rows, cells and terms end where the next begins. This is the tree of a
browser, except for formatting elements out of order, which have no structure, and text in a table
outside of its cells, which stays in its place. Each tag checks a bounded number of open elements,
so reading is linear for any input.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple

from leafmark.environment import memo
from leafmark.parsing.decoding import BOM
from leafmark.parsing.html.page_words import MAX_SIGN, is_permalink, is_sign, lists_of
from leafmark.parsing.html.tokens import (
    RAW_TAGS,
    RUN,
    SELF_CLOSED,
    VOID_TAGS,
    attributes_of,
    raw_end,
    tag_name,
)

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
_HEADINGS = frozenset(HEADING_LEVELS)

_FRAME = frozenset(("html", "body", "head"))
_FORMATTING = frozenset("b i u s em tt big code font strike strong nobr sup sub wbr".split())
"""Elements without structure, whose end tags may stand anywhere."""

_CLOSES_P = frozenset(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext"
    " pre search section summary table ul xmp".split()
)
_TABLE = frozenset(("table", "template"))
_AROUND_ITEM = frozenset("ul ol menu dir dl table td th template button object".split())
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
"""The open elements that a start tag ends, and the elements at which the search for them stops."""

_FENCES = frozenset(("table", "td", "th", "caption", "template", "button", "object"))
"""Elements whose bounds no end tag or implied end inside them crosses."""

_IN_CELLS = frozenset(("td", "th", "caption"))
_AROUND_CELLS = frozenset(("tr", "thead", "tbody", "tfoot"))
"""Elements whose end tags end the cells in them."""

_IN_HEAD = frozenset(("title", "base", "link", "meta", "script", "style", "basefont", "bgsound"))

_REACH = 64
"""The open elements among which a tag searches the one it ends, so that each tag costs little."""

_UNSHOWN = frozenset(("script", "style", "title", "iframe", "noembed", "noframes"))
"""Raw elements whose content is not text of the page."""

_NAMING = re.compile(
    rb"\b(?:class|id|role|aria-hidden|name)\s*=|\buser-select\s*:\s*none", re.IGNORECASE
)
_NAMES = (b"class", b"id", b"role", b"aria-hidden", b"name", b"user-select")
"""Attributes that may name something: searching them is faster than a pattern."""
_UNSELECTED = re.compile(r"\buser-select\s*:\s*none", re.IGNORECASE)
_TAGS = re.compile(rb"</?[A-Za-z][^<>]*+>")
_BLANK = re.compile(rb"(?:[\s\0]|&nbsp;|&#160;|&#xa0;|\xc2\xa0|\xe2\x80\x8b|(?!))++", re.IGNORECASE)
_MAYBE_BLANK = 64
"""The longest text, in bytes, that is checked for being only space written as entities."""

_SURE_WORD = re.compile(rb"(?:\s|</?[A-Za-z][^<>]*+>|(?!))*+[^\s\0&<\xc2\xe2]")
"""The beginning of a text that is certainly not blank."""

_NO_LISTS: frozenset[str] = frozenset()
_NO_TEXT, LINKED, SIGNS, WORDS = -1, 0, 1, 2
"""The kinds of texts: none, in a link, only signs, or words outside links."""


class StartTag:
    """The contents of a start tag; equal tags share one.

    `is_plain` says that it has no class, id or role, and is not hidden. `place` is the name that it
    gives to its place, if any; `lists` are the lists of words that contain its classes.
    """

    __slots__ = (
        *("_attributes", "_raw", "classes", "closes_p", "id", "is_inline", "is_plain", "lists"),
        *("name", "place", "role"),
    )

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = "img" if name == "image" else name
        self._raw = raw
        self._attributes: dict[str, str] | None = None
        self.closes_p = name in _CLOSES_P
        written = raw.lower()
        may_name = any(name in written for name in _NAMES)
        self.is_plain = not may_name or _NAMING.search(raw) is None
        self.id = self.role = self.place = ""
        self.classes: tuple[str, ...] = ()
        self.lists: frozenset[str] = _NO_LISTS
        if not self.is_plain:
            attributes = self.attributes
            self.id = attributes.get("id", "")
            self.role = attributes.get("role", "").lower()
            self.classes = tuple(attributes.get("class", "").split())
            if self.classes:
                self.lists = lists_of(self.classes)
            self.place = self.id or (attributes.get("name", "") if name == "a" else "")
        self.is_inline = name in _FORMATTING or (name == "span" and self._says_nothing())

    def _says_nothing(self) -> bool:
        """Whether a span only has a colour, as in code."""
        if self.is_plain:
            return True
        is_named = self.id or self.role or self.is_hidden or "aria-hidden" in self.attributes
        return not (is_named or self.lists or "line" in self.classes)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes by name in lower case; the first of several counts."""
        attributes = self._attributes
        if attributes is None:
            attributes = self._attributes = attributes_of(self._raw)
        return attributes

    @property
    def is_hidden(self) -> bool:
        """Whether it is not to be read aloud, or not copied."""
        attributes = self.attributes
        return (
            attributes.get("aria-hidden", "").lower() == "true"
            or _UNSELECTED.search(attributes.get("style", "")) is not None
        )

    def attribute(self, name: str) -> str:
        """Return the value of an attribute, "" if there is none."""
        return self.attributes.get(name, "")


class Element:
    """An element of the source: bytes `[start, end)`, its content `[inner, close)`.

    If no end tag closes it, `close == end`.
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
        """The elements around it, nearest first, up to a fixed number."""
        around = self.parent
        for _ in range(_REACH):
            if around is None:
                return
            yield around
            around = around.parent


start_of: Callable[[Element], int] = attrgetter("start")


class Named(NamedTuple):
    """A name that a tag `[start, end)` gives its place; `parent` is the element around it."""

    start: int
    end: int
    name: str
    tag: str
    parent: Element | None


class Page:
    """The elements of a source, with look-ups by place and kind.

    `elements` are in order of start, without formatting; `links` are the `a` elements with an
    address and the images with a source. `body_start` and `body_end` bound the content of `body`,
    whether or not its tags are written. Texts, with their formatting, are in three columns:
    start, end, and kind.
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
        """Return the elements of some tags, in order."""
        elements = [element for tag in tags for element in self._by_tag.get(tag, ())]
        if len(tags) > 1:
            elements.sort(key=start_of)
        return elements

    @cached_property
    def _by_tag(self) -> dict[str, list[Element]]:
        by_tag: defaultdict[str, list[Element]] = defaultdict(list)
        for element in self.elements:
            by_tag[element.tag].append(element)
        return dict(by_tag)

    @cached_property
    def openings(self) -> set[StartTag]:
        """The distinct start tags of elements, except plain ones."""
        return {element.open for element in self.elements if not element.open.is_plain}

    def tags_in_list(self, table: str) -> set[StartTag]:
        """Return the start tags with a class in a list."""
        return {opening for opening in self.openings if table in opening.lists}

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
        """Return the links and images that begin in `[start, end)`."""
        starts = self.link_starts
        return self.links[bisect_left(starts, start) : bisect_left(starts, end)]

    def headings_in(self, start: int, end: int) -> list[Element]:
        starts = self.heading_starts
        return self.headings[bisect_left(starts, start) : bisect_left(starts, end)]

    @cached_property
    def _named_starts(self) -> list[int]:
        return [named.start for named in self.named]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(named.name for named in self.named)

    def named_in(self, start: int, end: int) -> list[Named]:
        """Return the names that tags in `[start, end)` give."""
        starts = self._named_starts
        return self.named[bisect_left(starts, start) : bisect_left(starts, end)]

    @cached_property
    def _sizes(self) -> list[tuple[list[int], list[int]]]:
        """For each kind of text, the starts of its texts, and the sum of bytes before each."""
        starts: tuple[list[int], ...] = ([], [], [])
        sizes: tuple[list[int], ...] = ([], [], [])
        for start, end, kind in zip(self.text_starts, self.text_ends, self.text_kinds, strict=True):
            starts[kind].append(start)
            sizes[kind].append(end - start)
        return [
            (own, [*accumulate(size, initial=0)]) for own, size in zip(starts, sizes, strict=True)
        ]

    def text_size(self, kind: int, start: int, end: int) -> int:
        """Return the bytes of texts of a kind that begin in `[start, end)`."""
        starts, sizes = self._sizes[kind]
        return sizes[bisect_left(starts, end)] - sizes[bisect_left(starts, start)]

    def first_text(self, start: int, end: int) -> int:
        """Return the start of the first text in `[start, end)`, -1 if there is none."""
        at = bisect_left(self.text_starts, start)
        return (
            self.text_starts[at]
            if at < len(self.text_starts) and self.text_starts[at] < end
            else -1
        )

    def has_text(self, start: int, end: int) -> bool:
        return self.first_text(start, end) >= 0

    def texts_in(self, start: int, end: int, kind: int | None = None) -> list[bytes]:
        """Return the texts that begin in `[start, end)`, all or those of a kind, as written."""
        first, last = bisect_left(self.text_starts, start), bisect_left(self.text_starts, end)
        starts, ends, kinds = self.text_starts, self.text_ends, self.text_kinds
        chosen = (at for at in range(first, last) if kind is None or kinds[at] == kind)
        return [_TAGS.sub(b"", self.data[starts[at] : ends[at]]) for at in chosen]


def read_page(data: bytes) -> Page:
    """Return the elements of `data`."""
    return _Builder(data).read()


class _Builder:
    """Pairs start and end tags; `_counts` has the open elements by name.

    The action of a tag is determined once for all equal tags.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.page = Page(data)
        self._known: dict[bytes, _Action] = {}
        self._open: list[Element] = []
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._spans: list[bool] = []
        """For each open span, whether it is an element."""

        self._link: Element | None = None
        self._in_body = False
        self._in_head = True
        """Whether nothing of a body was read yet."""

        self._body_end = -1
        """Where the last end tag of a body begins, and where it ends."""

        self._behind_body = -1

    def read(self) -> Page:
        size = len(self.data)
        at = len(BOM) if self.data.startswith(BOM) else 0
        while at < size:
            at = self._run(at)
        while self._open:
            self._end_top(size, size)
        if self._link is not None:
            self._end_link("a", size, size)
        page = self.page
        is_over = self._body_end >= 0 and self._is_over(self._behind_body)
        page.body_end = max(page.body_start, self._body_end if is_over else size)
        return page

    def _run(self, last: int) -> int:
        """Read from `last` to behind the next raw content, or to the end; return the offset."""
        data, known = self.data, self._known
        for match in RUN.finditer(data, last):
            text, tag, unfinished = match.groups()
            if tag is None:  # a sign, or the end
                continue
            start, end = match.span(2)
            if last < start:
                if start - last != len(text):
                    text = data[last:start]
                if not text.isspace():
                    self._text(text, last, start)
            last = end
            act, argument = known.get(tag) or self._learn(tag, unfinished)
            if act is not None:
                stop = act(self, argument, start, end)
                if stop is not None:
                    return stop
        if last < len(data) and not data[last:].isspace():
            self._text(data[last:], last, len(data))
        return len(data)

    def _learn(self, tag: bytes, unfinished: bytes | None) -> _Action:
        """Return the action of a tag; a comment, or an unfinished tag, has none."""
        closing = tag.startswith(b"</")
        if unfinished is not None or not tag[1 + closing : 2 + closing].isalpha():
            return None, ""
        action = self._known[tag] = _end_action(tag) if closing else _start_action(tag)
        return action

    def _is_over(self, last: int) -> bool:
        """Whether nothing behind `last` belongs to a body."""
        match = RUN.match(self.data, last)
        while match is not None and match[2] is not None:
            act, _ = self._known.get(match[2]) or self._learn(match[2], match[3])
            if (match[1] and not match[1].isspace()) or not (act is None or act in _OUTSIDE_BODY):
                return False
            last = match.end()
            match = RUN.match(self.data, last)
        return not self.data[last:].strip()

    # -- text --------------------------------------------------------------------

    def _text(self, text: bytes, start: int, end: int) -> None:
        self._in_head = False
        kind = LINKED if self._link is not None else WORDS
        is_sure = self._link is not None or (len(text) > MAX_SIGN and b"<" not in text)
        if not is_sure or _SURE_WORD.match(text) is None:
            kind = _kind_of(text) if len(text) <= MAX_SIGN else _kind_of.__wrapped__(text)
            if kind == _NO_TEXT:
                return
            if self._link is not None:
                if kind == SIGNS and self._is_permalink(self._link):
                    return
                kind = LINKED
        if self._counts["svg"] and self._open[-1].tag == "title":
            return
        page = self.page
        page.text_starts.append(start)
        page.text_ends.append(end)
        page.text_kinds.append(kind)

    def _is_permalink(self, link: Element) -> bool:
        return is_permalink(self.data, link.start, link.inner) >= 0

    # -- start tags --------------------------------------------------------------

    def _start_named(self, opening: StartTag, start: int, end: int) -> int | None:
        parent = self._open[-1] if self._open else None
        self.page.named.append(Named(start, end, opening.place, opening.name, parent))
        act = _start_act(opening)
        return act(self, opening, start, end) if act else None

    def _start_frame(self, opening: StartTag, start: int, end: int) -> None:
        if opening.place:
            parent = self._open[-1] if self._open else None
            self.page.named.append(Named(start, end, opening.place, opening.name, parent))
        if opening.name == "body" and not self._in_body:
            self.page.body_start, self._in_body = end, True
        elif opening.name == "html" and self.page.root is None:
            self.page.root = opening

    def _start_link(self, opening: StartTag, start: int, end: int) -> None:
        if self._link is not None:
            self._end_link("a", start, start)
        link = Element(opening, start, end, self._open[-1] if self._open else None)
        if "href" in opening.attributes:
            self._link = link
            self.page.links.append(link)
        elif opening.role == "button":  # a script makes it one
            self._link = link
        self.page.elements.append(link)

    def _start_element(self, opening: StartTag, start: int, end: int) -> None:
        if opening.closes_p and self._counts["p"]:
            self._close("p", start, start)
        opened, name = self._open, opening.name
        element = Element(opening, start, end, opened[-1] if opened else None)
        self.page.elements.append(element)
        if self._in_head:
            self._in_head = name in _IN_HEAD
        opened.append(element)
        self._counts[name] += 1

    def _start_sibling(self, opening: StartTag, start: int, end: int) -> None:
        if opening.closes_p and self._counts["p"]:
            self._close("p", start, start)
        if opening.name in _SIBLINGS:
            self._end_sibling(*_SIBLINGS[opening.name], start)
        self._start_element(opening, start, end)

    def _start_tabled(self, opening: StartTag, start: int, end: int) -> None:
        """Start a row or a cell, unless it is outside of a table."""
        if self._counts["table"] or self._counts["template"]:
            self._start_sibling(opening, start, end)

    def _start_heading(self, opening: StartTag, start: int, end: int) -> None:
        if self._counts["p"]:
            self._close("p", start, start)
        if self._open and self._open[-1].tag in _HEADINGS and not self._spans:
            self._end_top(start, start)  # but for a span around this one
        self._start_element(opening, start, end)

    def _start_span(self, opening: StartTag, start: int, end: int) -> None:
        self._start_element(opening, start, end)
        self._spans.append(True)

    def _start_coloured(self, opening: StartTag, start: int, end: int) -> None:
        self._spans.append(False)

    def _start_void(self, opening: StartTag, start: int, end: int) -> None:
        if opening.closes_p and self._counts["p"]:
            self._close("p", start, start)
        name = opening.name
        element = Element(opening, start, end, self._open[-1] if self._open else None)
        self.page.elements.append(element)
        if name == "img" and "src" in opening.attributes:
            self.page.links.append(element)
        if self._in_head:
            self._in_head = name in _IN_HEAD
            if self._in_head and not self._in_body:
                self.page.body_start = end

    def _start_raw(self, opening: StartTag, start: int, end: int) -> int | None:
        """Read an element with its raw content; return where that ends."""
        if self._counts["svg"]:
            self._start_element(opening, start, end)
            return None
        self._start_void(opening, start, end)
        if SELF_CLOSED.match(self.data, start, end):
            return end
        element, is_in_head = self.page.elements[-1], self._in_head
        close, stop = raw_end(self.data, element.tag.encode(), end)
        element.close, element.end = close, stop
        text = self.data[end:close]
        if element.tag not in _UNSHOWN and text.strip():
            self._text(text.replace(b"<", b"&lt;"), end, close)  # what looks like a tag is text
        elif is_in_head and not self._in_body:
            self.page.body_start = stop
        return stop

    def _end_sibling(self, ended: frozenset[str], limits: frozenset[str], at: int) -> None:
        """End the nearest open element of `ended`, unless one of `limits` is open inside it."""
        counts = self._counts
        for name in ended:
            if counts[name]:
                break
        else:
            return
        for element in reversed(self._open[-_REACH:]):
            if element.tag in ended:
                self._end_down_to(element, at, at)
                return
            if element.tag in limits:
                return

    # -- end tags ----------------------------------------------------------------

    def _end_frame(self, name: str, start: int, end: int) -> None:
        if name == "body":
            self._body_end, self._behind_body = start, end
        elif name == "head" and not self._in_body:
            self.page.body_start = end

    def _end_formatting(self, name: str, start: int, end: int) -> None:
        """End formatting, which is not an element."""

    def _end_span(self, name: str, start: int, end: int) -> None:
        if self._spans and self._spans.pop():
            self._close(name, start, end)

    def _end_link(self, name: str, start: int, end: int) -> None:
        if self._link is not None:
            self._link.close, self._link.end = start, end
            self._link = None

    def _end_element(self, name: str, start: int, end: int) -> None:
        opened = self._open
        if opened and opened[-1].tag == name:
            element = opened.pop()
            self._counts[name] -= 1
            element.close, element.end = start, end
        else:
            self._close(name, start, end)

    def _close(self, name: str, at: int, end: int) -> None:
        is_heading = name in _HEADINGS
        if not self._counts[name] and not (is_heading and any(map(self._counts.get, _HEADINGS))):
            return
        for element in reversed(self._open[-_REACH:]):
            if element.tag == name or (is_heading and element.tag in _HEADINGS):
                self._end_down_to(element, at, end)
                return
            is_through = name in _AROUND_CELLS and element.tag in _IN_CELLS
            if element.tag in _FENCES and name not in _FENCES and not is_through:
                return

    def _end_down_to(self, last: Element, at: int, end: int) -> None:
        """End `last` and the open elements inside it, which end without a tag."""
        while self._open[-1] is not last:
            self._end_top(at, at)
        self._end_top(at, end)

    def _end_top(self, close: int, end: int) -> None:
        element = self._open.pop()
        self._counts[element.tag] -= 1
        element.close, element.end = close, end


_Act = Callable[[_Builder, Any, int, int], int | None]
_Action = tuple[_Act | None, StartTag | str]
"""The action of a tag, if any, and its contents; for an end tag, its name."""

_OUTSIDE_BODY = frozenset(
    (_Builder._start_frame, _Builder._end_frame, _Builder._start_coloured, _Builder._end_span)
)
_STARTS: dict[str, _Act] = {
    **dict.fromkeys(_SIBLINGS, _Builder._start_sibling),
    **dict.fromkeys(("tr", *_CELLS, *_SECTIONS, "caption"), _Builder._start_tabled),
    **dict.fromkeys(_HEADINGS, _Builder._start_heading),
    **dict.fromkeys((name.decode() for name in VOID_TAGS), _Builder._start_void),
    **dict.fromkeys((name.decode() for name in RAW_TAGS), _Builder._start_raw),
    **dict.fromkeys(_FRAME, _Builder._start_frame),
    "a": _Builder._start_link,
    "span": _Builder._start_span,
}
_ENDS: dict[str, _Act] = {
    **dict.fromkeys(_FRAME, _Builder._end_frame),
    **dict.fromkeys(_FORMATTING, _Builder._end_formatting),
    "a": _Builder._end_link,
    "span": _Builder._end_span,
}


def _start_act(opening: StartTag) -> _Act | None:
    if opening.is_inline:
        return _Builder._start_coloured if opening.name == "span" else None
    return _STARTS.get(opening.name, _Builder._start_element)


@memo(4096)
def _start_action(tag: bytes) -> _Action:
    opening = StartTag(tag_name(tag, 0).decode("utf-8", "replace"), tag)
    if opening.place and opening.name not in _FRAME:
        return _Builder._start_named, opening
    return _start_act(opening), opening


@memo(512)
def _end_action(tag: bytes) -> _Action:
    name = tag_name(tag, 0).decode("utf-8", "replace")
    return _ENDS.get(name, _Builder._end_element), name


@memo(8192)
def _kind_of(text: bytes) -> int:
    """Return the kind of a text outside links, which may contain formatting."""
    shown = _TAGS.sub(b"", text) if b"<" in text else text
    if not shown or shown.isspace() or (len(shown) < _MAYBE_BLANK and _BLANK.fullmatch(shown)):
        return _NO_TEXT
    return SIGNS if is_sign(shown) else WORDS
