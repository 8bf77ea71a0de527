"""The lists, tables and bars of links in a page that lead around instead of saying something.

In: a page. Out: where they are. These are menus:

- a list of nothing but links: if all lead to places in the page (a table of contents), if it
  stands above the page's h1, or if it is long and one link leads to the page itself (the tree
  of a whole manual)
- three links or more in an element of their own, with bars, angles or brackets between them,
  and a table of such links, or of links to places in the page
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import zip_longest
from urllib.parse import unquote

from leafmark.parsing.html_page import HEADING_TAGS, HtmlElement, HtmlPage
from leafmark.parsing.html_tokens import attribute, iter_tokens

__all__ = ["is_wordless", "link_bars", "menus_of"]

_WORDLESS = re.compile(rb"(?:\s|<(?!img\b)[^<>]*>|(?!))*+", re.IGNORECASE)
_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_CONTENT = HEADING_TAGS | {b"img"}
_CONTENT_OF_CELLS = _CONTENT | {b"code"}
_LEAST_LINKS = 3
_LEAST_PAGES = 8
"""Links of a list that leads to the page itself: shorter ones are chains of classes."""

_TEXTS = frozenset(("p", "pre"))
_BOXED = frozenset(("table", "blockquote", *_LISTS))
_SIGNS = b" \t\r\n\f0123456789.,|"
"""What may stand between the links of a list: white space, numbers and what parts them."""

_REACH = 400
"""Bytes before a list that are looked at for what introduces it."""

_INTRODUCED = re.compile(rb":(?:\s|</?[a-z][^<>]*>|(?!))*+\Z", re.IGNORECASE)
"""A sentence that says what a list is: then it is content."""

_INLINE = rb"</?(?:span|b|i|em|strong|small|font|img)\b[^<>]*>"
_SPACE = rb"\s|&nbsp;|&\#160;|\xc2\xa0|%b" % _INLINE
_ANGLE = rb"&lt;|&gt;|[<>](?=\s)|&[lr]s?aquo;|\xc2[\xab\xbb]|\xe2\x80[\xb9\xba]"
_BAR = rb"\||&\#124;|&\#x7c;|\]\s*\["
_MENU = re.compile(
    rb"<(?:p|div|td|center)\b[^<>]*>(%(ends)b(?P<link>%(link)b)"
    rb"(?:%(space)b(?:%(bar)b|%(angle)b)%(space)b%(link)b|(?!)){2,}+%(ends)b)</(?:p|div|td|center)\b"
    % {
        b"link": rb"<a\b[^<>]*>[^<>]*+(?:%b[^<>]*+|(?!))*+</a\s*>" % _INLINE,
        b"ends": rb"(?:[\[\]]|%b|%b|(?!))*+" % (_SPACE, _ANGLE),
        b"space": rb"(?:%b|(?!))*+" % _SPACE,
        b"bar": _BAR,
        b"angle": _ANGLE,
    },
    re.IGNORECASE,
)
"""An element of nothing but links with signs between them; the names of code are no menu."""

_SPACES = re.compile(_SPACE)
_SIGN = re.compile(rb"[\[\]|]|&\#124;|&\#x7c;|%b" % _ANGLE)


def link_bars(page: HtmlPage) -> Iterator[tuple[int, int]]:
    """Yield the content of elements of nothing but links with signs between them."""
    menus = [*_MENU.finditer(page.data)]
    if menus:
        links = {link.start for link in page.links}  # not those in comments and scripts
        yield from (menu.span(1) for menu in menus if menu.start("link") in links)


def menus_of(page: HtmlPage, path: str) -> set[int]:
    """Where the lists begin, in no other list, that are tables of contents or navigation."""
    name = posixpath.basename(path)
    top = next((one.start for one in page.elements if one.tag == "h1"), 0)
    found: set[int] = set()
    pages: list[HtmlElement] = []
    after = 0
    for element in page.elements:
        if element.tag in _LISTS and element.start >= after:
            after = element.end
            if _INTRODUCED.search(page.data, max(0, element.start - _REACH), element.start):
                continue
            targets, _ = _linked(page.data, element, _CONTENT, _parts_items)
            if _is_menu(targets, name, elsewhere=element.end <= top):
                found.add(element.start)
            elif _leads_here(targets, path):
                pages.append(element)
    return found | _menu_tables(page, name) | _trees(page, pages)


def _menu_tables(page: HtmlPage, name: str) -> set[int]:
    """Where the tables begin, with no other in them, that texi2html and others make of menus."""
    tables = [element for element in page.elements if element.tag == "table"]
    found: set[int] = set()
    for table, after in zip_longest(tables, tables[1:]):
        if after is None or after.start >= table.end:
            targets, texts = _linked(page.data, table, _CONTENT_OF_CELLS, _parts_cells)
            signs = sum(1 for text in texts if _SPACES.sub(b"", text))
            if _is_menu(targets, name, elsewhere=signs >= len(targets) - 1):
                found.add(table.start)
    return found


def _is_menu(targets: Sequence[str], name: str, *, elsewhere: bool) -> bool:
    """Whether links are enough for a menu, and lead to places in the page where they have to."""
    is_local = all(target.startswith(("#", f"{name}#")) for target in targets)
    return len(targets) >= _LEAST_LINKS and (is_local or elsewhere)


def _trees(page: HtmlPage, lists: Sequence[HtmlElement]) -> set[int]:
    """Where those lists begin that have words of the page beside them: others are its content."""
    starts = {each.start for each in lists}
    texts = [text for text in _texts(page) if text.start not in starts] if lists else []
    if not texts:
        return set()
    first = min(text.end for text in texts)
    last = max(text.start for text in texts)
    return {each.start for each in lists if first <= each.start or each.end <= last}


def _leads_here(targets: Sequence[str], path: str) -> bool:
    """Whether there are many links, and one leads to the page at `path` as a whole."""
    folder, name = posixpath.split(path)
    return len(targets) >= _LEAST_PAGES and any(
        posixpath.normpath(posixpath.join(folder, target)) == posixpath.normpath(path)
        for target in map(unquote, targets)
        if target.endswith(name)
    )


def _texts(page: HtmlPage) -> list[HtmlElement]:
    """The paragraphs, code, outermost lists and tables that have words."""
    found: list[HtmlElement] = []
    after = 0
    for element in page.elements:
        if element.tag in _BOXED and element.start >= after:
            after = element.end
        elif element.tag not in _TEXTS:
            continue
        if not is_wordless(page.data, element.inner, element.close):
            found.append(element)
    return found


def _linked(
    data: bytes, element: HtmlElement, content: Set[bytes], may_part: Callable[[bytes], bool]
) -> tuple[list[str], list[bytes]]:
    """What the links of an element lead to, and the texts that part them.

    Nothing where it has more than these: tags of `content`, or other texts.
    """
    targets: list[str] = []
    texts: list[bytes] = []
    in_link = False
    for name, start, end, closing in iter_tokens(data, element.inner, element.close):
        if name == b"a":
            in_link = not closing
            target = None if closing else attribute(data, start, end, b"href")
            targets += [] if target is None else [target.strip()]
        elif name in content:
            return [], []
        elif name == b"" and not in_link:
            if not may_part(data[start:end]):
                return [], []
            texts.append(data[start:end])
    return targets, texts


def _parts_items(text: bytes) -> bool:
    return not text.translate(None, _SIGNS)


def _parts_cells(text: bytes) -> bool:
    return not _SIGN.sub(b"", _SPACES.sub(b"", text))


def is_wordless(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing to be read between two places."""
    return _WORDLESS.fullmatch(data, start, end) is not None
