"""HTML to a `Document`: headings, blocks, links, and what is left out.

In: the bytes of a page. Out: a document whose spans are bytes of the page (of
its UTF-8 decoding, where it is in another encoding). What is outside the content region, and
what in it only serves the site, are `dropped_spans`. What a page says of itself as a whole is in
`metadata`: the `base` of its links, its language (`lang`), `noindex` where it wants to be in no
search, and the `canonical` address where that is another page's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from leafmark.model import Anchor, Deferred, Document, Heading, Link, Span, merge, span_at, subtract
from leafmark.parsing.decoding import decode
from leafmark.parsing.html.blocks import find_blocks
from leafmark.parsing.html.boilerplate import boilerplate_spans
from leafmark.parsing.html.dom import Page, read_page
from leafmark.parsing.html.entries import find_entries
from leafmark.parsing.html.marks import find_tabs, labels_of_panels
from leafmark.parsing.html.outline import find_headings, heading_text
from leafmark.parsing.html.region import content_region
from leafmark.parsing.html.text import read_html
from leafmark.parsing.html.titles import own_title
from leafmark.parsing.html.tokens import unescape
from leafmark.parsing.named_places import NamedTag, named_places
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, first_title, fold

__all__ = ["declared_charset", "parse_html"]

Spans = list[tuple[int, int]]

_TAG_LIMIT = 1_000_000
"""Tags in a page that is read as HTML: its tree then takes about 500 MB at worst.

The largest pages that people publish (whole standards on one page) have about half as many.
"""

_ADDRESSES: dict[str, str] = {"image": "src", "link": "href"}
_CHARSET = re.compile(
    rb"(?s:<!--.*?-->)"
    rb"|<meta[\s/][^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)"
    rb"|<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']+)",
    re.IGNORECASE,
)
_ELEMENT = re.compile(rb"<([a-z][a-z0-9]*+)\b[^<>]*+>([^<]*+)</\1\s*+>", re.IGNORECASE)
"""An element in a title, where there are none: a browser shows its tags."""

_DASH = re.compile(r"\s(?:-{1,3}|[\u2010-\u2015])\s")
_LONGEST_NAME = 80
"""Characters of the name of a manual page, before the dash."""

_CHARSET_REACH = 1024
"""Bytes in which a page must declare its encoding, by the HTML Standard."""


_COMMENT = rb"<!--(?:[^-]++|-(?!->)|(?!))*+(?:-->|\Z)"
_NO_WORDS = re.compile(
    rb"(?:\s++|%b|</?(?:a|div|p|section|span|[hb]r)(?=[\s/>])[^<>]*+>|(?!))*+" % _COMMENT,
    re.IGNORECASE,
)
"""What may stand between a name and its heading."""

_INDEX = frozenset(("", "index", "readme", "default"))
"""What the page of a folder is called."""


def parse_html(data: bytes, path: str) -> Document:
    """Return the document of an HTML source."""
    decoded = decode(data, path, declared=declared_charset(data))
    tags = decoded.data.count(b"<")
    if tags > _TAG_LIMIT:
        reason = f"it has {tags} tags, more than {_TAG_LIMIT}"
        return degraded_document(decoded, path, "text", reason)
    page = read_page(decoded.data)
    parts = _Parts.of(page, path)
    headings = parts.headings
    extents = [(heading.start, heading.end) for heading in headings if not heading.nested]
    blocks = find_blocks(page, extents, parts.dropped, parts.limits)

    def anchors() -> tuple[Anchor, ...]:
        code = [(block.start, block.end) for block in blocks if block.kind == "code"]
        starts = [heading.start for heading in headings]
        return tuple(_anchors(page, starts, merge([*parts.dropped, *code])))

    return Document(
        path,
        decoded.data,
        "html",
        parts.title() or file_title(path),
        encoding=decoded.encoding,
        headings=headings,
        blocks=blocks,
        links=tuple(parts.links()),
        metadata=_metadata(page, path),
        dropped_spans=tuple(Span(start, end) for start, end in parts.dropped),
        diagnostics=decoded.diagnostics,
        reader=read_html,
        anchors=Deferred(anchors),
    )


def declared_charset(data: bytes) -> str | None:
    """Return the encoding that the page names for itself, as written, or None."""
    for found in _CHARSET.finditer(data, 0, _CHARSET_REACH):
        if found.lastindex:  # no comment
            return str(found[found.lastindex], "latin-1")
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """A page with what is read of it: `limits` are the region's spans, `dropped` the rest."""

    page: Page
    limits: Spans
    dropped: Spans
    headings: tuple[Heading, ...]

    @classmethod
    def of(cls, page: Page, path: str) -> _Parts:
        limits = content_region(page)
        size = len(page.data)
        tabs = find_tabs(page)
        labels_of_panels.keep(page.data, tabs.labels)
        labels = [(each.start, each.end) for each in tabs.lists]
        unread = boilerplate_spans(page, limits, path)
        dropped = merge([*subtract(0, size, limits), *unread, *labels])
        entries = find_entries(page, limits, dropped)
        headings = find_headings(page, limits, dropped, entries, tabs.panels)
        return cls(page, limits, dropped, headings)

    def title(self) -> str:
        """The page's title, else the first h1 of the region that has one, else any h1's.

        The name of the site or the manual is no part of it, where a heading says what else it is.
        """
        page, headings = self.page, self.headings
        opening = [(h.level, h.title) for h in headings if not h.nested and h.end > h.start]
        for element in page.having("title"):
            if any(around.tag == "svg" for around in element.ancestors):
                continue
            raw = page.data[element.inner : element.close]
            text = fold(unescape(_ELEMENT.sub(rb"\2", raw)))
            if text:
                head = page.data[: page.body_start]
                return own_title(text, opening, {*self._outer_titles()}, self._shown(), head)
            break
        found = first_title([heading for heading in headings if heading.end > heading.start])
        is_manual = found == "NAME" == headings[0].title if headings else False
        return (self._manual_name() if is_manual else found) or next(self._outer_titles(), "")

    def _manual_name(self) -> str:
        """What a manual page says under its first heading, NAME, before a dash; else NAME."""
        headings = self.headings
        start, end = headings[0].end, headings[1].start if len(headings) > 1 else headings[0].limit
        kept = [*subtract(start, max(start, end), self.dropped)]
        said = read_html(self.page.data, kept).text.strip().partition("\n")[0]
        name = fold(_DASH.split(said, maxsplit=1)[0])
        return name if 0 < len(name) <= _LONGEST_NAME else headings[0].title

    def _outer_titles(self) -> Iterator[str]:
        for element in self.page.having("h1"):
            if span_at(self.dropped, element.start) is not None:
                text = heading_text(self.page.data, element.inner, element.close, [])
                if text:
                    yield text

    def _shown(self) -> str:
        """What the page shows as its title in an element that is no heading, if it does."""
        first = min([h.start for h in self.headings[:1]], default=len(self.page.data))
        named = self.page.called("heading.shown")
        for element in self.page.elements if named else ():
            if element.start >= first:
                break
            is_shown = element.open in named and element.tag in ("div", "p", "span")
            if is_shown and element.close > element.inner:
                text = self.page.texts_in(element.inner, element.close)[:1]
                return fold(unescape(text[0])) if text else ""
        return ""

    def links(self) -> Iterator[Link]:
        for element in self.page.links:
            if span_at(self.dropped, element.start) is None:
                kind: Literal["image", "link"] = "image" if element.tag == "img" else "link"
                target = element.open.attribute(_ADDRESSES[kind])
                yield Link(element.start, element.end, target.strip(), kind)


def _anchors(page: Page, starts: list[int], unread: Spans) -> list[Anchor]:
    """The names in a page beside the slugs of its headings, in order of where they stand.

    A name right before a heading is that heading's, as in Markdown; names in `unread` are none.
    `starts` are those of headings.
    """
    tags = [
        NamedTag(start, end, name)
        for start, end, name, _, _ in page.named
        if span_at(unread, start) is None
    ]
    return [anchor for _, anchor in reversed(named_places(page.data, tags, starts, _NO_WORDS))]


def _metadata(page: Page, path: str) -> dict[str, Any]:
    """What a page says of itself as a whole."""
    found: dict[str, Any] = {}
    base = next((each for each in page.having("base") if "href" in each.open.attributes), None)
    if base is not None and base.open.attribute("href").strip():
        found["base"] = base.open.attribute("href").strip()
    language = page.root.attribute("lang").strip() if page.root else ""
    if language:
        found["lang"] = language
    if any(_says_noindex(each.open.attributes) for each in page.having("meta")):
        found["noindex"] = True
    for link in page.having("link"):
        address = link.open.attribute("href").strip()
        is_canonical = "canonical" in link.open.attribute("rel").lower().split()
        if is_canonical and address and not _is_same_page(address, path):
            found["canonical"] = address
            break
    return found


def _says_noindex(attributes: dict[str, str]) -> bool:
    is_for_all = attributes.get("name", "").lower() in ("robots", "googlebot")
    said = attributes.get("content", "").lower().replace(",", " ").split()
    return is_for_all and ("noindex" in said or "none" in said)


def _is_same_page(address: str, path: str) -> bool:
    """Whether an address may be that of the page at `path`, wherever it is published.

    >>> _is_same_page("https://e.org/docs/lamp/", "lamp/index.html")
    True
    >>> _is_same_page("https://e.org/docs/bulb.html", "docs/lamp.html")
    False
    """
    try:
        own = unquote(urlsplit(address).path)
    except ValueError:
        return True
    return _page_name(own) == _page_name(path) or "" in (_page_name(own), _page_name(path))


def _page_name(path: str) -> str:
    """The name of a page without its suffix, of a folder for the page of that."""
    parts = [part for part in path.split("/") if part]
    if parts and parts[-1].partition(".")[0].lower() in _INDEX:
        parts.pop()
    return parts[-1].rpartition(".")[0] or parts[-1] if parts else ""
