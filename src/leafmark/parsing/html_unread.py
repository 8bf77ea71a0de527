"""What stands in a page's content and is no part of it: navigation, scripts, feet.

In: a page's elements. Out: spans to drop. These are dropped:

- scripts, what is shown without them, styles and templates, and what a tag, a role or a
  generator's class calls navigation
- what has a class that authors use too, only on further evidence: `related` and `navigation`
  with a link that has an access key, as in Sphinx; `header` with no heading and a link whose
  `rel` names a neighbouring page, the contents or the index, as in Texinfo; some classes
  of Doxygen's in its own pages
- menus (`html_menus`), and bars of links to the pages before, after and above (`html_steps`)
- the heading of a table of contents with nothing else under it, unless a deeper heading is
  next: then it is the title of a chapter
- a `div` called `navigation` right before one called `content`, as LDoc writes it
- the foot of a page, by its tag, its role or its id, where it is short and has no heading
- numbers of lines (`html_numbers`)
- what else the makers of pages add (`html_makers`)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from leafmark.parsing.html_headings import is_credit
from leafmark.parsing.html_makers import is_of_doxygen, made_spans
from leafmark.parsing.html_menus import is_wordless, link_bars, menus_of
from leafmark.parsing.html_numbers import number_columns
from leafmark.parsing.html_page import HEADING_LEVELS, HtmlElement, HtmlPage
from leafmark.parsing.html_steps import step_bars
from leafmark.parsing.html_tokens import iter_tokens, tag_name

__all__ = ["unread_spans"]

_DROPPED_TAGS = frozenset(("nav", "script", "noscript", "style", "template"))
_UNREAD_TAGS = (b"script", b"style")
_DROPPED_ROLES = frozenset(("navigation", "doc-toc"))
_REGIONS = frozenset(("body", "main", "article"))
_SECTIONING = frozenset(
    (b"article", b"aside", b"blockquote", b"figure", b"fieldset", b"main", b"section", b"td")
)
"""Elements that have feet of their own."""

_LISTED = re.compile(rb"\s*+(?:<!-- id=\"navigation\" -->|<div id=\"content\">)")
"""What stands behind the lists that LuaDoc and LDoc put on each page."""

_LONGEST_FOOT = 1_000
"""Bytes of text. What is longer says more than who made the page, and when."""

_ACCESS_KEY = re.compile(rb"<a\s[^<>]*\baccesskey\s*=", re.IGNORECASE)
_RELATION = re.compile(
    rb"<a\s[^<>]*\brel\s*=\s*[\"']?(?:prev|previous|next|up|contents|index)\b", re.IGNORECASE
)

_LEAST_PLACES = 3
_TARGET = re.compile(rb"<a\s[^<>]*\bhref\s*=\s*[\"']?(#?)", re.IGNORECASE)
_REACH = 400
"""Bytes before a menu that are looked at for the paragraph that names it."""

_NAMED_CONTENTS = re.compile(
    rb"<div\b[^<>]*\bclass=\"(?:toc|list-of-[a-z]++)\"[^<>]*>\s*+"
    rb"(<p\b[^<>]*>\s*+(?:<(?:b|strong)>)?[^<>]*+(?:</(?:b|strong)>)?\s*+</p\s*>)\s*+\Z",
    re.IGNORECASE,
)
"""The paragraph above a table of contents that names it, as DocBook writes it."""


def unread_spans(page: HtmlPage, path: str) -> Iterator[tuple[int, int]]:
    """Yield the spans to drop, in no order; `path` is that of the page."""
    yield from link_bars(page)
    yield from step_bars(page)
    yield from number_columns(page)
    yield from made_spans(page)
    holds, menus = _Holding.of(page), menus_of(page, path)
    yield from _titles_of_contents(page, menus, holds)
    after = 0
    for element in page.elements:
        if element.start in menus:
            named = _NAMED_CONTENTS.search(page.data, max(0, element.start - _REACH), element.start)
            yield named.start(1) if named else element.start, element.end
        elif holds.is_apart(element):
            yield element.start, element.end
        elif element.start >= after and (element.tag == "footer" or "contentinfo" in element.roles):
            after = element.end
            if _is_foot(page, element, holds.headings):
                yield element.start, element.end


class _Holding(NamedTuple):
    """Where links with an access key, links to neighbouring pages, and headings begin.

    `is_of_doxygen` says who made the page, and `data` is that.
    """

    data: bytes
    keys: Sequence[int]
    relations: Sequence[int]
    headings: Sequence[int]
    is_of_doxygen: bool

    @classmethod
    def of(cls, page: HtmlPage) -> _Holding:
        keys = [found.start() for found in _ACCESS_KEY.finditer(page.data)]
        relations = [found.start() for found in _RELATION.finditer(page.data)]
        headings = [element.start for element in page.elements if element.tag in HEADING_LEVELS]
        return cls(page.data, keys, relations, headings, is_of_doxygen(page))

    def is_apart(self, element: HtmlElement) -> bool:
        """Whether an element is navigation, a script or a style."""
        roles = element.roles
        if element.tag in _DROPPED_TAGS or not roles.isdisjoint(_DROPPED_ROLES):
            return True
        if "unprinted" in roles and element.tag not in _REGIONS:
            return not _is_any_in(element, self.headings)
        if "lists" in roles and _LISTED.match(self.data, element.end):
            return True
        if "doxygen" in roles and self.is_of_doxygen:
            return True
        if "keyed" in roles and _is_any_in(element, self.keys):
            return True
        has_links = "header" in roles and _is_any_in(element, self.relations)
        return has_links and not _is_any_in(element, self.headings)


def _is_any_in(element: HtmlElement, places: Sequence[int]) -> bool:
    at = bisect_left(places, element.inner)
    return at < len(places) and places[at] < element.close


def _is_foot(page: HtmlPage, element: HtmlElement, headings: Sequence[int]) -> bool:
    """Whether an element says of the whole page who made it, and when."""
    if _is_any_in(element, headings):
        return False
    around = (tag_name(page.data, start) for start, _ in page.parents(element.node))
    if any(name in _SECTIONING for name in around):
        return False
    return _size_of_text(page.data, element.inner, element.close) <= _LONGEST_FOOT


def _size_of_text(data: bytes, start: int, end: int) -> int:
    """The bytes of text between two places, scripts and styles left out."""
    size, is_raw = 0, False
    for name, at, stop, closing in iter_tokens(data, start, end):
        if name == b"":
            size += 0 if is_raw else stop - at
        is_raw = name in _UNREAD_TAGS and not closing
    return size


@dataclass(slots=True)
class _OpenTitle:
    """A heading under which nothing was read so far, but perhaps a table of contents."""

    heading: HtmlElement
    is_first: bool
    has_menu: bool = False

    def ends_at(self, heading: HtmlElement) -> bool:
        """Whether the next heading of the page is none of a section below this one."""
        own = self.heading.tag
        return heading.tag < own or (heading.tag == own and not self.is_first)


def _titles_of_contents(
    page: HtmlPage, menus: Set[int], holds: _Holding
) -> Iterator[tuple[int, int]]:
    """Yield the headings, but for an h1, that have a table of contents under them and no more.

    One with a deeper heading next is a chapter's, whose table names its own sections. So is the
    first of a page with one of its own level next: Texinfo has no deeper one than h4.
    """
    title: _OpenTitle | None = None
    seen = -1  # up to where nothing is to be read under the title
    for element in page.elements:
        if element.start < seen:
            continue
        if element.tag in HEADING_LEVELS and not is_credit(page, element):
            is_alone = title is not None and title.has_menu and title.ends_at(element)
            if title and is_alone and is_wordless(page.data, seen, element.start):
                yield title.heading.start, title.heading.end
            title = None if element.tag == "h1" else _OpenTitle(element, is_first=seen < 0)
            seen = element.end
        elif title and (element.start in menus or holds.is_apart(element)):
            if not is_wordless(page.data, seen, element.start):
                title = None
            elif element.start in menus or _is_contents(page, element):
                title.has_menu = True
            seen = element.end
    is_alone = title is not None and title.has_menu and not title.is_first
    if title and is_alone and is_wordless(page.data, seen, page.body_end):
        yield title.heading.start, title.heading.end


def _is_contents(page: HtmlPage, element: HtmlElement) -> bool:
    """Whether an element is navigation to places in the page itself."""
    if element.tag != "nav":
        return False
    targets = _TARGET.findall(page.data, element.inner, element.close)
    return len(targets) >= _LEAST_PLACES and all(targets)
