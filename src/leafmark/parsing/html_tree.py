"""HTML to elements, as a browser builds its tree: the adapter to turbohtml.

turbohtml parses by the HTML Standard's tree construction and tells where each
tag stands. It is given the bytes as Latin-1 characters, so that its character
offsets are byte offsets (HTML's syntax is ASCII; text and attributes are read
from the source), with each line end made spaces, so that the column it tells is
an offset too. Every offset that is used is checked against the source first.
Raw elements that XHTML closes at once (`<script src="x"/>`) are not shown to it.

What it cannot do in linear time is refused before: an ever growing list of open
formatting elements, which the Standard says to repeat in every paragraph, and
attributes merged into `html` from many tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

import turbohtml
from turbohtml import Namespace

from leafmark.parsing.decoding import BOM
from leafmark.parsing.html_page import (
    HEADING_LEVELS,
    HEADING_TAGS,
    ROLE_CLASSES,
    ROLE_IDS,
    TRACKED,
    HtmlElement,
    HtmlPage,
    roles_of,
)
from leafmark.parsing.html_tokens import SELF_CLOSED, VOID_TAGS, attribute, iter_tokens, match_tag

__all__ = ["OffsetError", "read_tree", "refusal"]

_LATIN = "latin-1"
_start_of: Callable[[HtmlElement], int] = attrgetter("start")
_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")
_FORMATTING = re.compile(
    rb"<(/?)(?:b|i|u|s|em|tt|big|code|font|small|strike|strong|nobr)[ \t\n\r\f/>]"
)
_OPEN_FORMATTING_LIMIT = 256
"""Formatting elements left open at once; a paragraph after 500 different ones costs 200 µs."""
_ROOT_TAG = re.compile(rb"<html[ \t\n\r\f/]")
_ROOT_LIMIT = 64
_SMALL = 16_384
"""Bytes of a source that is fast to parse whatever it holds."""

_CLASS = re.compile(rb"class\s*+=\s*+(\"[^\"]*+|'[^']*+|[^\s>]*+)")
_UNQUOTED = bytes.maketrans(b"\"'", b"  ")
"""The values of what may be classes, in lower case: what they select is compared exactly."""

_LINK_TAG = re.compile(rb"<(/?)a(?=[\s/>])(?(1)[^>]*>)", re.IGNORECASE)
_MARKUP = re.compile(rb"<!--(?s:.*?)(?:--!?>|\Z)|<[^>]*(?:>|\Z)")


class OffsetError(Exception):
    """turbohtml named a place where its tag does not stand."""


def refusal(data: bytes) -> str | None:
    """Return why `data` would take more than linear time to parse, or None."""
    if len(data) <= _SMALL:
        return None
    data = data.lower()
    opened = most = 0
    for closing in _FORMATTING.findall(data):
        opened = max(0, opened - 1) if closing else opened + 1
        most = max(most, opened)
    if most > _OPEN_FORMATTING_LIMIT:
        return f"{most} formatting elements are open at once"
    roots = sum(1 for _ in _ROOT_TAG.finditer(data))
    return f"it has {roots} html tags" if roots > _ROOT_LIMIT else None


def read_tree(data: bytes) -> HtmlPage:
    """Return the elements of `data`, whose markup is ASCII-compatible.

    Raises:
        OffsetError: an offset does not hold; nothing that depends on it is returned.
    """
    text = data.translate(_LINE_ENDS)
    if text.startswith(BOM):
        text = b"   " + text[len(BOM) :]
    text = SELF_CLOSED.sub(lambda tag: b" " * len(tag[0]), text)
    document = turbohtml.parse(text.decode(_LATIN), source_locations=True)
    return _Adapter(data, document).page()


class _Adapter:
    """Reads one tree. Ends that the source implies are worked out once each."""

    def __init__(self, data: bytes, document: Any) -> None:
        self.data = data
        self.document = document
        self._lower = data.lower()
        self._ends: dict[Any, int] = {}
        self._has_foreign = b"<svg" in self._lower or b"<math" in self._lower

    def page(self) -> HtmlPage:
        elements: dict[int, HtmlElement] = {}
        for node in self.document.iter_elements(TRACKED):
            self._add(elements, node)
        for selector in self._selectors():
            for node in self.document.select(selector):
                added = self._add(elements, node)
                if added is not None:
                    added.roles = roles_of(self.data, added.start, added.inner)
        in_order = tuple(sorted(elements.values(), key=_start_of))
        links = sorted(self._links(), key=_start_of)
        body_start, body_end = self._body()
        return HtmlPage(
            self.data, in_order, tuple(links), body_start, body_end, self._parents, self._attribute
        )

    def _selectors(self) -> Iterator[str]:
        """What selects the elements that have a role."""
        if b"role" in self._lower:
            yield "[role]"
        values = b" ".join({*_CLASS.findall(self._lower)})
        classes = {*values.translate(_UNQUOTED).split()}
        names = chain.from_iterable(ROLE_CLASSES.values())
        yield from (f".{name}" for name in names if name.lower().encode() in classes)
        yield from (f"div#{name.decode()}" for name in ROLE_IDS if name in self.data)

    def _links(self) -> Iterator[HtmlElement]:
        """The links and images. They are many, so their tags are found in the source.

        A link ends with the next end tag of a link or where another begins, for
        they do not nest.
        """
        data = self.data
        for node in self.document.select("a[href], img[src]"):
            place = node.position
            if place is None:
                continue
            tag, start = node.tag, place[1]
            found = match_tag(data, start)
            if found is None or not self._lower.startswith(_marks(tag)[0], start):
                message = f"no {tag} tag at {start}"
                raise OffsetError(message)
            inner = close = end = found.end()
            if tag == "a":
                after = _LINK_TAG.search(data, inner)
                close = after.start() if after else len(data)
                end = after.end() if after and after[1] else close
            yield HtmlElement(tag, start, inner, close, end, node)

    def _attribute(self, element: HtmlElement, name: bytes) -> str | None:
        """An attribute's value; the tree's own where it is ASCII, and so not in Latin-1."""
        value = element.node.attr(name.decode(_LATIN))
        if value is None or value.isascii():
            return value  # type: ignore[no-any-return]
        return attribute(self.data, element.start, element.inner, name)

    def _add(self, elements: dict[int, HtmlElement], node: Any) -> HtmlElement | None:
        """Add the element of `node`, unless no tag of the source stands for it."""
        location = node.source_location
        if location is None or (self._has_foreign and self._is_foreign(node)):
            return None
        tag = node.tag
        opening, closing = _marks(tag)
        start_tag, end_tag = location.start_tag, location.end_tag
        start, inner = start_tag.start_offset, start_tag.end_offset
        self._check(opening, start, inner)
        if end_tag is None:
            close = end = self._implied_end(node, tag, inner)
        else:
            close, end = end_tag.start_offset, end_tag.end_offset
            self._check(closing, close, end)
        if not inner <= close <= end:
            message = f"{tag} ends at {close} before it begins at {inner}"
            raise OffsetError(message)
        element = elements[start] = HtmlElement(tag, start, inner, close, end, node)
        return element

    def _is_foreign(self, node: Any) -> bool:
        """Whether an element is part of a drawing or a formula, where only scripts are scripts."""
        return node.namespace is not Namespace.HTML and node.tag not in ("script", "style")

    def _check(self, mark: bytes, start: int, end: int) -> None:
        lower = self._lower
        if not (lower.startswith(mark, start) and lower[end - 1 : end] == b">"):
            message = f"no {mark.decode(_LATIN)}> at [{start}, {end})"
            raise OffsetError(message)

    def _parents(self, node: Any) -> Iterator[tuple[int, int]]:
        for parent in node.ancestors:
            location = getattr(parent, "source_location", None)
            if location is not None:
                tag = location.start_tag
                self._check(_marks(parent.tag)[0], tag.start_offset, tag.end_offset)
                yield tag.start_offset, tag.end_offset

    def _implied_end(self, node: Any, tag: str, inner: int) -> int:
        """Where an element without an end tag of its own ends, at `inner` or after."""
        if tag.encode() in VOID_TAGS:
            return inner
        end = max(inner, self._end_of(node, inner))
        if tag in HEADING_LEVELS:
            closed = self._heading_ends.get(inner, end)
            return min(closed, end)
        return end

    @cached_property
    def _heading_ends(self) -> dict[int, int]:
        """Where each heading is closed by an end tag of any level, by where its content starts."""
        ends: dict[int, int] = {}
        opened: list[int] = []
        for name, _, end, closing in iter_tokens(self.data, 0, len(self.data)):
            if name not in HEADING_TAGS:
                continue
            if not closing:
                opened.append(end)
            elif opened:
                ends[opened.pop()] = end
        return ends

    def _end_of(self, node: Any, after: int) -> int:
        """The start of the next element that stands behind `node`, or the end of what it is in.

        Cost: each node and each gap between siblings is looked at once, over all calls.
        """
        waiting: list[Any] = []
        outer: Any = node
        known: int | None = None
        while known is None:
            node = outer
            known = self._ends.get(node)
            if known is None:
                waiting.append(node)
                known, outer, after = self._step_out(node, after)
        for seen in waiting:
            self._ends[seen] = known
        return known

    def _step_out(self, node: Any, after: int) -> tuple[int | None, Any, int]:
        """The end of `node` as far as it shows in itself and its siblings, else what it is in.

        A table's contents that do not belong there stand before it in the tree:
        a sibling that begins before `after` is what `node` stands in.
        """
        if not isinstance(node, turbohtml.Element):
            return len(self.data), None, after
        location = node.source_location
        if location is not None:
            if location.end_tag is not None:
                return location.end_tag.start_offset, None, after
            after = location.start_tag.end_offset
        for sibling in node.next_siblings:
            place = sibling.source_location if isinstance(sibling, turbohtml.Element) else None
            if place is not None:
                start = place.start_tag.start_offset
                return (start, None, after) if start >= after else (None, sibling, after)
        return None, node.parent, after

    def _body(self) -> tuple[int, int]:
        """The bounds of the body's content; what a browser moves into it counts."""
        size = len(self.data)
        body = self.document.select_one("body")
        if body is None:
            return size, size
        location = body.source_location
        if location is None:
            return self._head_end(), size
        start = location.start_tag.end_offset
        self._check(b"<body", location.start_tag.start_offset, start)
        if location.end_tag is None:
            return start, size
        end = location.end_tag.start_offset
        self._check(b"</body", end, location.end_tag.end_offset)
        late = _MARKUP.sub(b"", self.data[end:]).strip()
        return start, size if late else end

    def _head_end(self) -> int:
        """Where a head ends that no body tag follows: after the last of its elements."""
        elements: dict[int, HtmlElement] = {}
        head = self.document.select_one("head")
        for child in head.children if head is not None else ():
            if isinstance(child, turbohtml.Element):
                self._add(elements, child)
        return max((element.end for element in elements.values()), default=0)


@lru_cache(maxsize=256)
def _marks(tag: str) -> tuple[bytes, bytes]:
    """What the start tag and the end tag of an element begin with; `<image>` makes an `img`.

    The parser replaces the zero bytes of a name; nothing else in Latin-1 makes U+FFFD.
    """
    name = b"im" if tag == "img" else tag.replace("\ufffd", "\0").encode(_LATIN)
    return b"<" + name, b"</" + name
