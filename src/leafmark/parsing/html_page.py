"""The elements of an HTML source that matter to its structure, with exact byte extents.

`HtmlElement` and `HtmlPage` are what the two parsers make: `html_tree` builds
the tree a browser builds, `html_soup` pairs tags. Attributes are read from the
source when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from leafmark.parsing.html_tokens import attribute, unescape

__all__ = ["HEADING_LEVELS", "TRACKED", "HtmlElement", "HtmlPage"]

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
TRACKED = frozenset(
    (
        *HEADING_LEVELS,
        *("title", "base", "main", "article", "nav", "script", "style", "template"),
        *("p", "ul", "ol", "menu", "dir", "li", "dl", "dt", "table", "thead", "tr"),
        *("pre", "listing", "xmp", "blockquote", "hr", "a", "img"),
    )
)
"""The elements that a page lists; any other only when it has a `role`."""


@dataclass(slots=True, eq=False)
class HtmlElement:
    """An element that stands in the source: `[start, end)`, its content `[inner, close)`.

    Where no end tag closes it, `close == end` is where its content ends.
    `parents` yields the extents of the start tags around it, nearest first.
    """

    tag: str
    start: int
    inner: int
    close: int
    end: int
    parents: Callable[[], Iterator[tuple[int, int]]] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class HtmlPage:
    """The tracked elements of a source in order of start; `degraded` says why they are not exact.

    `has_roles` is false when no element has a `role`. `body_start` and
    `body_end` bound the content of `body`, whether or not its tags are written.
    """

    data: bytes
    elements: tuple[HtmlElement, ...]
    body_start: int
    body_end: int
    has_roles: bool
    degraded: str | None = None

    def attribute(self, element: HtmlElement, name: bytes) -> str | None:
        return attribute(self.data, element.start, element.inner, name)

    def raw_text(self, element: HtmlElement) -> str:
        """The content of an element that holds only text, white space folded."""
        return " ".join(unescape(self.data[element.inner : element.close]).split())

    def roles(self, element: HtmlElement) -> frozenset[str]:
        role = self.attribute(element, b"role") if self.has_roles else None
        return frozenset(role.lower().split()) if role else frozenset()
