"""The elements of an HTML source that matter to its structure, with exact byte extents.

`HtmlElement` and `HtmlPage` are what the two parsers make: `html_tree` builds
the tree a browser builds, `html_soup` pairs tags. Attributes are read from the
source when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from leafmark.parsing.html_tokens import attribute, tag_name

__all__ = [
    "HEADING_LEVELS",
    "HEADING_TAGS",
    "ROLE_CLASSES",
    "ROLE_IDS",
    "TRACKED",
    "HtmlElement",
    "HtmlPage",
    "roles_of",
]

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
HEADING_TAGS = frozenset(map(str.encode, HEADING_LEVELS))
TRACKED = frozenset(
    (
        *HEADING_LEVELS,
        *("title", "base", "main", "article", "header", "footer", "nav"),
        *("script", "noscript", "style", "template"),
        *("p", "ul", "ol", "menu", "dir", "li", "dl", "dt", "table", "thead", "tr"),
        *("pre", "listing", "xmp", "blockquote", "hr"),
    )
)
"""The elements that a page lists; it lists any other only if that has a role."""


@dataclass(slots=True, eq=False)
class HtmlElement:
    """An element that stands in the source: `[start, end)`, its content `[inner, close)`.

    Where no end tag closes it, `close == end` is where its content ends. `node`
    is the parser's own.
    """

    tag: str
    start: int
    inner: int
    close: int
    end: int
    node: Any = field(repr=False)
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class HtmlPage:
    """The tracked elements of a source in order of start; `degraded` says why they are not exact.

    `body_start` and `body_end` bound the content of `body`, whether or not its
    tags are written. `links` are the `a` elements with an address and the images
    with a source, in order of start. `parents` yields the start tags around an
    element's node, nearest first; `attribute` is an attribute's value, decoded.
    """

    data: bytes
    elements: tuple[HtmlElement, ...]
    links: tuple[HtmlElement, ...]
    body_start: int
    body_end: int
    parents: Callable[[Any], Iterator[tuple[int, int]]]
    attribute: Callable[[HtmlElement, bytes], str | None]
    degraded: str | None = None


ROLE_CLASSES: dict[str, tuple[str, ...]] = {
    # what generators of pages call the links to the pages around
    "navigation": (
        *("navheader", "navfooter", "docnav"),  # DocBook, Publican
        *("NAVHEADER", "NAVFOOTER"),  # DocBook by DSSSL
        *("nav-panel", "nav_table"),  # Texinfo, and LilyPond's manuals, which are made of it
        *("sphinxsidebar", "navpath"),  # Sphinx, Doxygen
        *("navigationbar", "t-navbar"),  # Qt, cppreference
        *("tocset", "navsettop", "navsetbottom"),  # Scribble
        *("chlinktop", "chlinkprevnexttop", "chlinkprevnextbot", "chlinkbot"),  # GAPDoc
        *("spirit-nav", "picker-header"),  # Boost, Node
        # PyData's theme, Sphinx Book's
        *("bd-sidebar-secondary", "bd-footer-content", "onlyprint"),
        *("theme-doc-toc-mobile", "theme-doc-toc-desktop"),  # Docusaurus
        "theme-doc-footer-edit-meta-row",
        *("has-results", "no-results"),  # GitBook, for a search that nobody made
        *("tsd-page-toolbar", "tsd-generator", "col-sidebar"),  # TypeDoc
        *("jp-InputPrompt", "jp-OutputPrompt", "input_prompt", "output_prompt"),  # nbconvert
        "legalCopy",  # Javadoc
        "method-click-advice",  # RDoc
        "sub-logo-container",  # rustdoc, for the logo above each page
        "annottext",  # Haddock, for the type of each name in the code of a module
        # Scaladoc, for the first words of a text before the whole of it, and for a filter
        *("documentableBrief", "documentableFilter"),
        "copy-popup-wrapper",  # Dokka, beside each name, for when it was copied
        "nosearch",  # SQLite, for its banner, its menus and the page's table of contents
    ),
    # what Bootstrap and MediaWiki do not print, and authors of what they like; the pages above
    "unprinted": ("d-print-none", "hidden-print", "noprint", "breadcrumbs"),
    # what Sphinx and GTK-Doc call theirs, and authors other things: it is looked at more closely
    "keyed": ("related", "navigation"),
    # what Texinfo called its links before 2022, and others the head of a page
    "header": ("header",),
    # what Doxygen calls the links to the parts of a page, what it shows of a name that the mouse
    # points at, the state of a search, and the foot of a page; authors may mean anything
    "doxygen": ("summary", "ttc", "SRStatus", "footer"),
    # what Doxygen calls the code that it draws line by line, and authors other things
    "listing": ("fragment",),
}
"""The classes that give an element a role, by the role."""

ROLE_IDS = {
    b"footer": "contentinfo",
    b"postamble": "contentinfo",  # Emacs' Org
    b"navigation": "lists",  # LuaDoc, LDoc, and authors for what they like: it is looked at
}
"""The ids that give a `div` a role."""


def roles_of(data: bytes, start: int, end: int) -> frozenset[str]:
    """The roles that the start tag `[start, end)` names, by its `role` or by its class."""
    roles = (attribute(data, start, end, b"role") or "").lower().split()
    classes = {*(attribute(data, start, end, b"class") or "").split()}
    roles += [role for role, names in ROLE_CLASSES.items() if not classes.isdisjoint(names)]
    if tag_name(data, start) == b"div":
        name = (attribute(data, start, end, b"id") or "").encode()
        roles += [ROLE_IDS[name]] if name in ROLE_IDS else []
    return frozenset(roles)
