"""HTML to a `Document`: headings, blocks, links, and what is left out.

In: the bytes of a page. Out: a document whose spans are bytes of the page (of
its UTF-8 decoding, where it is in another encoding). The content region is the
first `main`, else every `article` or `role=main` (with the `header` that a section
has right before its article), else `body`; navigation, scripts, styles, templates
and line numbers inside it, and all outside, are `dropped_spans`.
Every heading in the region opens a section, however deep it stands in the
markup, but for the name of a box (a note, a warning), after which the section
goes on, and what names authors and dates below a title. `header`, `footer`,
`aside` and hidden elements are content: they hold titles, notes and the tabs that
are not on show.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from leafmark.model import (
    Anchor,
    Deferred,
    Diagnostic,
    Document,
    Heading,
    Link,
    Span,
    merge,
    span_at,
    subtract,
)
from leafmark.parsing.decoding import decode
from leafmark.parsing.html_anchors import anchors_of
from leafmark.parsing.html_blocks import find_blocks
from leafmark.parsing.html_headings import heading_text, is_credit
from leafmark.parsing.html_makers import made_title
from leafmark.parsing.html_page import HEADING_LEVELS, HtmlElement, HtmlPage
from leafmark.parsing.html_soup import read_soup
from leafmark.parsing.html_text import read_html
from leafmark.parsing.html_titles import as_headed, is_above_all, without_manual, without_site
from leafmark.parsing.html_tokens import attribute, iter_tokens, tag_name, unescape
from leafmark.parsing.html_tree import OffsetError, read_tree, refusal
from leafmark.parsing.html_unread import unread_spans
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, first_title, fold

__all__ = ["declared_charset", "parse_html", "read_html"]

Spans = list[tuple[int, int]]

_TAG_LIMIT = 1_000_000
"""Tags in a page that is read as HTML: its tree then takes about 500 MB at worst.

The largest pages that people publish (whole standards on one page) have about half as many.
"""

_BOXES = frozenset(
    (
        *("admonition", "alert", "attention", "callout", "caution", "danger"),
        *("hint", "important", "note", "tip", "warning"),
        "fun-types",  # the types of a function of Erlang, under a heading above the function's own
        "subs",  # the instances of a type of Haskell, in Haddock's pages
    )
)
"""Classes of boxes, as DocBook, Bootstrap, httpd's manual and others give them."""

_MEMBER = "documentableElement"
"""The class of what a page of Scala's tells of one member; none of its headings opens a section."""

_PARTS = frozenset(("data-types-body", "func"))
"""Classes of articles that are parts of a page, in Erlang's manual."""

_ADDRESSES = {"image": b"src", "link": b"href"}
_CHARSET = re.compile(
    rb"(?s:<!--.*?-->)"
    rb"|<meta[\s/][^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)"
    rb"|<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']+)",
    re.IGNORECASE,
)
_ANCHOR = re.compile(rb"<a[\s/]", re.IGNORECASE)
_ELEMENT = re.compile(rb"<([a-z][a-z0-9]*+)\b[^<>]*+>([^<]*+)</\1\s*+>", re.IGNORECASE)
"""An element in a title, where there are none: a browser shows the tags of Yodl's manuals."""

_DASH = re.compile(r"\s(?:-{1,3}|[\u2010-\u2015])\s")
_LONGEST_NAME = 80
"""Characters of the name of a manual page, before the dash."""

_CHARSET_REACH = 1024
"""Bytes in which a page must declare its encoding, by the HTML Standard."""


def parse_html(data: bytes, path: str) -> Document:
    """Return the document of an HTML source."""
    decoded = decode(data, path, declared=declared_charset(data))
    diagnostics = decoded.diagnostics
    tags = decoded.data.count(b"<")
    if tags > _TAG_LIMIT:
        reason = f"it has {tags} tags, more than {_TAG_LIMIT}"
        return degraded_document(decoded, path, "text", reason)
    page = _read_page(decoded.data)
    if page.degraded is not None:
        message = f"its tags were paired without a browser's repairs: {page.degraded}"
        diagnostics = (*diagnostics, Diagnostic(path, "degraded", message))
    outline = _Outline.of(page, path)
    headings = outline.headings()
    extents = [(heading.start, heading.end) for heading in headings if not heading.nested]
    base = outline.base()
    blocks = find_blocks(page, extents, outline.dropped, outline.limits)

    def anchors() -> tuple[Anchor, ...]:
        code = [(block.start, block.end) for block in blocks if block.kind == "code"]
        starts = [heading.start for heading in headings]
        return tuple(anchors_of(decoded.data, starts, merge([*outline.dropped, *code])))

    return Document(
        path,
        decoded.data,
        "html",
        outline.title(headings) or file_title(path),
        encoding=decoded.encoding,
        headings=headings,
        blocks=blocks,
        links=tuple(outline.links()),
        metadata={"base": base} if base else {},
        dropped_spans=tuple(Span(start, end) for start, end in outline.dropped),
        degraded=page.degraded is not None,
        diagnostics=diagnostics,
        reader=read_html,
        anchors=Deferred(anchors),
    )


def declared_charset(data: bytes) -> str | None:
    """Return the encoding that the page names for itself, as written, or None."""
    for found in _CHARSET.finditer(data, 0, _CHARSET_REACH):
        if found.lastindex:  # no comment
            return str(found[found.lastindex], "latin-1")
    return None


def _read_page(data: bytes) -> HtmlPage:
    reason = refusal(data)
    if reason is None:
        try:
            return read_tree(data)
        except OffsetError as error:
            reason = f"a tag was misplaced: {error}"
    return read_soup(data, reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Outline:
    """A page with its content region: `kept` and `dropped` part the source, each in order.

    `limits` are the region's own spans, what is dropped inside them included. `has_members`
    says whether the page may be one of Scala's.
    """

    page: HtmlPage
    limits: Spans
    kept: Spans
    dropped: Spans
    has_members: bool

    @classmethod
    def of(cls, page: HtmlPage, path: str) -> _Outline:
        limits = _region(page)
        size = len(page.data)
        dropped = merge([*subtract(0, size, limits), *unread_spans(page, path)])
        kept = [*subtract(0, size, dropped)]
        return cls(page, limits, kept, dropped, _MEMBER.encode() in page.data)

    def keeps(self, offset: int) -> bool:
        return span_at(self.kept, offset) is not None

    def headings(self) -> tuple[Heading, ...]:
        """The headings of the region; one inside another is a part of that."""
        found: list[Heading] = []
        before = -1
        for element in self.page.elements:
            if element.tag not in HEADING_LEVELS:
                continue
            inside = bool(found) and element.start < found[-1].end
            if self.keeps(element.start) and not inside:
                found.append(self._heading(element, before))
            before = element.start
        return tuple(found)

    def _heading(self, element: HtmlElement, before: int) -> Heading:
        limit = span_at(self.limits, element.start)
        end = limit[1] if limit else element.end
        title = heading_text(self.page.data, element.inner, min(element.close, end))
        stop = min(element.end, end)
        level = HEADING_LEVELS[element.tag]
        boxed = (level > 1 and self._is_boxed(element, before)) or is_credit(self.page, element)
        anchor = self._own_anchor(element) if boxed else self._anchor(element, before)
        return Heading(level, title, title, element.start, stop, end, boxed, anchor)

    def _is_boxed(self, heading: HtmlElement, before: int) -> bool:
        """Whether an element around the heading is a note or the like, by its class.

        It has to begin after the heading `before`: a box is named once, and a class around
        a whole page says nothing of its second heading. A member is no whole page.
        """
        data = self.page.data
        for start, end in self.page.parents(heading.node):
            if start <= before and not self.has_members:
                return False
            names = (attribute(data, start, end, b"class") or "").split()
            if _MEMBER in names:
                return True
            if start > before and not _BOXES.isdisjoint(map(str.lower, names)):
                return True
        return False

    def _anchor(self, heading: HtmlElement, before: int) -> str | None:
        """The page's own name for a heading: its id, an anchor's in it, or that of what it heads.

        What it heads is the nearest element with an id whose first heading it is:
        one that begins after the heading `before` it.
        """
        data = self.page.data
        own = self._own_anchor(heading)
        if own:
            return own
        for start, end in self.page.parents(heading.node):
            if start <= before:
                return None
            name = attribute(data, start, end, b"id")
            if name:
                return name
        return None

    def _own_anchor(self, heading: HtmlElement) -> str | None:
        """The id of a heading or of an anchor in it; a box's own id is the place of the box."""
        return self.page.attribute(heading, b"id") or self._inner_anchor(heading)

    def _inner_anchor(self, heading: HtmlElement) -> str | None:
        data = self.page.data
        if _ANCHOR.search(data, heading.inner, heading.close) is None:
            return None
        for name, start, end, closing in iter_tokens(data, heading.inner, heading.close):
            if name == b"a" and not closing:
                anchor = attribute(data, start, end, b"id") or attribute(data, start, end, b"name")
                if anchor:
                    return anchor
        return None

    def title(self, headings: tuple[Heading, ...]) -> str:
        """The page's title, else the first h1 of the region that has one, else any h1's.

        The name of the site or the manual is no part of it, where a heading says what else it is.
        """
        page = self.page
        for element in page.elements:
            if element.tag == "title":
                raw = page.data[element.inner : element.close]
                text = fold(unescape(_ELEMENT.sub(rb"\2", raw)))
                if text:
                    return made_title(page, text) or self._own_title(text, headings)
                break
        found = first_title(headings)
        is_manual = found == "NAME" == headings[0].title
        return (self._manual_name(headings) if is_manual else found) or next(
            self._outer_titles(), ""
        )

    def _manual_name(self, headings: tuple[Heading, ...]) -> str:
        """What a manual page says under its first heading, NAME, before a dash; else NAME."""
        start, end = headings[0].end, headings[1].start if len(headings) > 1 else headings[0].limit
        kept = [*subtract(start, max(start, end), self.dropped)]
        said = read_html(self.page.data, kept).text.strip().partition("\n")[0]
        name = fold(_DASH.split(said, maxsplit=1)[0])
        return name if 0 < len(name) <= _LONGEST_NAME else headings[0].title

    def _own_title(self, text: str, headings: tuple[Heading, ...]) -> str:
        opening = [(heading.level, heading.title) for heading in headings if not heading.nested]
        first = opening[0][1] if opening else ""
        text = without_manual(text, first, self.page.data[: self.page.body_start])
        named = {heading.title for heading in headings}
        text = without_site(text, named, {*self._outer_titles()}, first)
        return as_headed(text, first) if is_above_all(opening) else text

    def _outer_titles(self) -> Iterator[str]:
        for element in self.page.elements:
            if element.tag == "h1" and not self.keeps(element.start):
                text = heading_text(self.page.data, element.inner, element.close)
                if text:
                    yield text

    def base(self) -> str | None:
        """The address that the page's links are relative to, where it says so."""
        for element in self.page.elements:
            if element.tag == "base":
                address = self.page.attribute(element, b"href")
                if address is not None:
                    return address.strip()
        return None

    def links(self) -> Iterator[Link]:
        for element in self.page.links:
            if self.keeps(element.start):
                kind: Literal["image", "link"] = "image" if element.tag == "img" else "link"
                target = self.page.attribute(element, _ADDRESSES[kind]) or ""
                yield Link(element.start, element.end, target.strip(), kind)


def _region(page: HtmlPage) -> Spans:
    """The spans of the content region; an element that shows nothing is not one."""
    mains = (e for e in page.elements if e.tag == "main")
    found = [(main.inner, main.close) for main in [next(mains, None)] if main is not None]
    if not _has_words(page.data, found):
        articles = [
            e
            for e in page.elements
            if "main" in e.roles or (e.tag == "article" and not _is_part(page, e))
        ]
        found = merge([*((e.inner, e.close) for e in articles), *_headed(page, articles)])
    if not _has_words(page.data, found):
        found = merge([(page.body_start, page.body_end)])
    return found


def _is_part(page: HtmlPage, article: HtmlElement) -> bool:
    """Whether an article explains one function or type of the module that its page is about."""
    classes = page.attribute(article, b"class")
    return classes is not None and not _PARTS.isdisjoint(classes.split())


def _headed(page: HtmlPage, articles: Sequence[HtmlElement]) -> Iterator[tuple[int, int]]:
    """Yield each `header` in a `section` with the article that follows at once, as in JSDoc."""
    starts = [article.start for article in articles]
    for element in page.elements if starts else ():
        after = bisect_left(starts, element.end)
        if element.tag == "header" and after < len(starts):
            around = next(iter(page.parents(element.node)), None)
            in_section = around is not None and tag_name(page.data, around[0]) == b"section"
            if in_section and not page.data[element.end : starts[after]].strip():
                yield element.inner, articles[after].close


def _has_words(data: bytes, spans: Spans) -> bool:
    """Whether there is text in `spans` that is no script or style; reads up to the first word."""
    for start, end in spans:
        raw = False
        for name, at, stop, closing in iter_tokens(data, start, end):
            if name:
                raw = name in (b"script", b"style") and not closing
            elif name is not None and not raw and data[at:stop].strip():
                return True
    return False
