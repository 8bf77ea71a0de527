"""HTML to elements, as a browser builds its tree: the adapter to turbohtml.

turbohtml parses by the HTML Standard's tree construction and tells where each
tag stands. It is given the bytes as Latin-1 characters, so that its character
offsets are byte offsets (HTML's syntax is ASCII; text and attributes are read
from the source, never from the tree), with each carriage return made a space,
so that it has no line end to normalise. Every offset that is used is checked
against the source first.

What it cannot do in linear time is refused before: an ever growing list of open
formatting elements, which the Standard says to repeat in every paragraph, and
attributes merged into `html` from many tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import turbohtml

from leafmark.parsing.html_page import TRACKED, HtmlElement, HtmlPage

__all__ = ["OffsetError", "read_tree", "refusal"]

_BOM = b"\xef\xbb\xbf"
_LATIN = "latin-1"
_FORMATTING = re.compile(
    rb"<(/?)(?:b|i|u|s|em|tt|big|code|font|small|strike|strong|nobr)[ \t\n\r\f/>]", re.IGNORECASE
)
_OPEN_FORMATTING_LIMIT = 256
"""Formatting elements left open at once; a paragraph after 500 different ones costs 200 µs."""
_ROOT_TAG = re.compile(rb"<html[ \t\n\r\f/]", re.IGNORECASE)
_ROOT_LIMIT = 64
_SMALL = 16_384
"""Bytes of a source that is fast to parse whatever it holds."""

_HEADING_END = re.compile(rb"</h[1-6][^>]*>", re.IGNORECASE)
_MARKUP = re.compile(rb"<!--(?s:.*?)(?:--!?>|\Z)|<[^>]*(?:>|\Z)")
_ALIASES = {"img": "image"}


class OffsetError(Exception):
    """turbohtml named a place where its tag does not stand."""


def refusal(data: bytes) -> str | None:
    """Return why `data` would take more than linear time to parse, or None."""
    if len(data) <= _SMALL:
        return None
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
    text = data.replace(b"\r", b" ")
    if text.startswith(_BOM):
        text = b"   " + text[len(_BOM) :]
    document = turbohtml.parse(text.decode(_LATIN), source_locations=True)
    return _Adapter(data, document).page()


class _Adapter:
    """Reads one tree. Ends that the source implies are worked out once each."""

    def __init__(self, data: bytes, document: Any) -> None:
        self.data = data
        self.document = document
        self._lower = data.lower()
        self._ends: dict[Any, int] = {}

    def page(self) -> HtmlPage:
        nodes = list(self.document.iter_elements(TRACKED))
        elements = [found for node in nodes if (found := self._element(node)) is not None]
        has_roles = b"role" in self._lower
        if has_roles:
            others = self.document.select("[role]")
            roles = (self._element(node) for node in others if node.tag not in TRACKED)
            elements += [found for found in roles if found is not None]
        elements.sort(key=_start)
        start, end = self._body()
        return HtmlPage(self.data, tuple(elements), start, end, has_roles)

    def _element(self, node: Any) -> HtmlElement | None:
        """The element of `node`, or None where no tag of the source stands for it."""
        location = node.source_location
        if location is None:
            return None
        tag = node.tag
        start_tag, end_tag = location.start_tag, location.end_tag
        start, inner = start_tag.start_offset, start_tag.end_offset
        self._check(b"<", tag, start, inner)
        if end_tag is None:
            close = end = self._implied_end(node, tag, inner)
        else:
            close, end = end_tag.start_offset, end_tag.end_offset
            self._check(b"</", tag, close, end)
        if not inner <= close <= end:
            message = f"{tag} ends at {close} before it begins at {inner}"
            raise OffsetError(message)
        return HtmlElement(tag, start, inner, close, end, lambda: self._parents(node))

    def _check(self, opening: bytes, tag: str, start: int, end: int) -> None:
        expected = opening + tag.encode(_LATIN)
        lower = self._lower
        if not (lower.startswith(expected, start) and lower[end - 1 : end] == b">"):
            alias = opening + _ALIASES.get(tag, tag).encode(_LATIN)
            if not (lower.startswith(alias, start) and lower[end - 1 : end] == b">"):
                message = f"no {tag} tag at [{start}, {end})"
                raise OffsetError(message)

    def _parents(self, node: Any) -> Iterator[tuple[int, int]]:
        for parent in node.ancestors:
            location = getattr(parent, "source_location", None)
            if location is not None:
                tag = location.start_tag
                self._check(b"<", parent.tag, tag.start_offset, tag.end_offset)
                yield tag.start_offset, tag.end_offset

    def _implied_end(self, node: Any, tag: str, inner: int) -> int:
        """Where an element without an end tag of its own ends, at `inner` or after."""
        if tag in _VOID:
            return inner
        end = max(inner, self._end_of(node))
        if tag[0] == "h" and tag[1:].isdigit():
            closing = _HEADING_END.search(self.data, inner, end)
            return closing.end() if closing else end
        return end

    def _end_of(self, node: Any) -> int:
        """The start of the next element that stands after `node`, or the end of what it is in.

        Cost: each node and each gap between siblings is looked at once, over all calls.
        """
        waiting: list[Any] = []
        while True:
            known = self._ends.get(node)
            if known is None:
                waiting.append(node)
                known = self._own_end(node)
            if known is not None:
                break
            node = node.parent
        for seen in waiting:
            self._ends[seen] = known
        return known

    def _own_end(self, node: Any) -> int | None:
        """The end of `node` as far as it shows in itself and its siblings."""
        if node is None or not isinstance(node, turbohtml.Element):
            return len(self.data)
        location = node.source_location
        if location is not None and location.end_tag is not None:
            return int(location.end_tag.start_offset)
        for sibling in node.next_siblings:
            if isinstance(sibling, turbohtml.Element):
                place = sibling.source_location
                if place is not None:
                    return int(place.start_tag.start_offset)
        return None

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
        self._check(b"<", "body", location.start_tag.start_offset, start)
        if location.end_tag is None:
            return start, size
        end = location.end_tag.start_offset
        self._check(b"</", "body", end, location.end_tag.end_offset)
        late = _MARKUP.sub(b"", self.data[end:]).strip()
        return start, size if late else end

    def _head_end(self) -> int:
        """Where a head ends that no body tag follows: after the last of its elements."""
        end = 0
        head = self.document.select_one("head")
        for child in head.children if head is not None else ():
            if isinstance(child, turbohtml.Element) and child.source_location is not None:
                found = self._element(child)
                end = max(end, found.end if found is not None else 0)
        return end


_VOID = frozenset(("hr", "img", "base", "link", "meta", "input", "br"))


def _start(element: HtmlElement) -> int:
    return element.start
