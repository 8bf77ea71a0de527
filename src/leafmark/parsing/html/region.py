"""Which part of a page is read, and pages of which nothing is.

The region is the first `main`, else every `article` or `role=main` (with the `section` that it is
all of), else `body`. Articles are parts of a page instead, and the page is its body, where most of
its words stand outside of them, or headings of its text.
"""

from __future__ import annotations

import re

from leafmark.model.span import merge
from leafmark.parsing.html.dom import WORDS, Element, Page
from leafmark.parsing.html.tokens import attribute, iter_tokens
from leafmark.parsing.html.vocabulary import class_lists

__all__ = ["content_region", "leads_away"]

Spans = list[tuple[int, int]]

_SITE = frozenset(("drop.classes", "linked.classes", "foot.classes"))
_OUTSIDE = frozenset(("nav", "header", "footer", "aside"))

_LONGEST = 8192
"""Bytes of a page that only leads away; a longer one may hold more than that."""

_AT_ONCE = re.compile(
    r"\s*+0*+(?:\.0*+|(?!))?+\s*+[;,]\s*+(?:url\s*+=\s*+|(?!))?+[\"']?+\s*+[^\s\"'#]", re.IGNORECASE
)
"""To another page without delay; not to the page itself or a place in it."""


def content_region(page: Page) -> Spans:
    """The spans of the content region; an element that shows nothing is not one."""
    found = [(main.inner, main.close) for main in page.having("main")[:1]]
    if not _has_text(page, found):
        found = _articles(page)
    if not _has_text(page, found):
        found = merge([(page.body_start, page.body_end)])
    return found


def _articles(page: Page) -> Spans:
    mains = {opening for opening in page.openings if "main" in opening.role.split()}
    articles = page.having("article")
    if mains:
        is_one = ((each, each.tag == "article" or each.open in mains) for each in page.elements)
        articles = [each for each, is_article in is_one if is_article]
    found = merge((_outer(each).inner, _outer(each).close) for each in articles)
    if not found or all(each.tag != "article" for each in articles):
        return found
    if any(_is_of_page(heading, found) for heading in page.headings):
        return []
    inside = sum(page.text_size(WORDS, *span) for span in found)
    outside = page.text_size(WORDS, page.body_start, page.body_end) - inside
    outside -= sum(
        page.text_size(WORDS, each.start, each.end)
        for each in page.elements
        if each.tag in _OUTSIDE and not any(start <= each.start < end for start, end in found)
    )
    return found if outside <= inside else []


def _is_of_page(heading: Element, articles: Spans) -> bool:
    """Whether a heading is of the text around articles: no title, in nothing of the site."""
    if heading.tag == "h1" or any(start <= heading.start < end for start, end in articles):
        return False
    return not any(_is_of_site(around) for around in heading.ancestors)


def _is_of_site(element: Element) -> bool:
    lists = {each for name in element.open.classes for each in class_lists(name)}
    return element.tag in _OUTSIDE or not lists.isdisjoint(_SITE)


def _outer(article: Element) -> Element:
    """The section that an article is the text of, below a header of its own, else the article."""
    around = article.parent
    return around if around is not None and around.tag == "section" else article


def _has_text(page: Page, spans: Spans) -> bool:
    return any(page.has_text(start, end) for start, end in spans)


def leads_away(data: bytes) -> bool:
    """Whether a page's head leads to another page at once, also where scripts run.

    Texinfo writes such a page for each old name of a section; rustdoc, mdBook and Jekyll write one
    for each page that moved. A reader never sees their words.

    >>> leads_away(b'<meta http-equiv="Refresh" content="0; url=new.html#x"><p>It is there.')
    True
    >>> leads_away(b'<meta http-equiv="refresh" content="30; url=new.html">')
    False
    """
    if len(data) > _LONGEST or b"refresh" not in data.lower():
        return False
    unscripted = False
    for name, start, end, closing in iter_tokens(data, 0, len(data)):
        if name == b"body":
            return False
        if name == b"noscript":
            unscripted = not closing
        elif name == b"meta" and not unscripted and _is_refresh(data, start, end):
            return True
    return False


def _is_refresh(data: bytes, start: int, end: int) -> bool:
    equivalent = attribute(data, start, end, b"http-equiv") or ""
    content = attribute(data, start, end, b"content") or ""
    return equivalent.strip().lower() == "refresh" and _AT_ONCE.match(content) is not None
