"""The words of a heading in a page, as its title and its slug have them."""

from __future__ import annotations

import re

from leafmark.parsing.html_page import HtmlElement, HtmlPage
from leafmark.parsing.html_text import BLOCK_TAGS, DRAWN_DOT, UNREAD_TAGS, is_permalink
from leafmark.parsing.html_tokens import RAW_TAGS, VOID_TAGS, iter_tokens, unescape
from leafmark.parsing.titles import fold

__all__ = ["heading_text", "is_credit"]

_CREDITS = frozenset(
    (
        *("author", "subtitle", "corpauthor", "editedby", "editor", "othercredit"),
        *("edition", "pubdate", "releaseinfo"),
    )
)
"""Classes of headings below a title, in R Markdown, Pandoc and DocBook, that head nothing."""

_HIDDEN = re.compile(
    rb"\baria-hidden\s*=\s*[\"']?true|\bclass\s*=\s*(?:[\"'][^\"']*(?<![\w-]))?"
    rb"(?:headerlink|header-anchor|hash-link|anchorjs-link|permalink|out-of-band|srclink"
    rb"|app-vsn|icon-action)(?![\w-])",
    re.IGNORECASE,
)


def heading_text(data: bytes, start: int, end: int) -> str:
    """Return the rendered text of the heading whose content is `[start, end)`, white space folded.

    Left out: images, permalinks, buttons, and what is hidden from being read
    aloud (`aria-hidden`) or stands beside the heading (rustdoc's `out-of-band`,
    gi-docgen's `srclink`, ExDoc's version and `icon-action`). A heading that is
    nothing but a button, which opens what is below it, is named by that.
    """
    if data.find(DRAWN_DOT, start, end) >= 0:
        data = data[start:end].replace(DRAWN_DOT, b".")
        start, end = 0, len(data)
    if data.find(b"<", start, end) < 0:
        return _folded([unescape(data[start:end])])
    title = _folded(_heading_parts(data, start, end))
    return title or _folded(_heading_parts(data, start, end, buttons=True))


def is_credit(page: HtmlPage, heading: HtmlElement) -> bool:
    """Whether a heading says who wrote the page, and when, by its class."""
    classes = (page.attribute(heading, b"class") or "").split()
    is_dated = "date" in classes and heading.tag > "h2"  # those of the days of a diary are larger
    return is_dated or not _CREDITS.isdisjoint(classes)


def _folded(parts: list[str]) -> str:
    return fold("".join(parts).replace("\0", ""))


def _heading_parts(data: bytes, start: int, end: int, *, buttons: bool = False) -> list[str]:
    parts: list[str] = []
    hidden, depth, skip_to = b"", 0, start
    for name, at, stop, closing in iter_tokens(data, start, end):
        if hidden:
            if name == hidden:
                depth += -1 if closing else 1
                hidden = hidden if depth else b""
        elif at < skip_to or name is None:
            continue
        elif not name:
            parts.append(unescape(data[at:stop]))
        elif name in BLOCK_TAGS or name == b"br":
            parts.append(" ")
        elif not closing:
            if name == b"a":
                skip_to = max(skip_to, is_permalink(data, at, stop))
            kept = name in VOID_TAGS or (buttons and name == b"button")
            if at >= skip_to and not kept and _is_hidden(name, data[at:stop]):
                hidden, depth = name, 1
    return parts


def _is_hidden(name: bytes, tag: bytes) -> bool:
    unread = name == b"button" or name in UNREAD_TAGS or name in RAW_TAGS
    return unread or (b"=" in tag and _HIDDEN.search(tag) is not None)
