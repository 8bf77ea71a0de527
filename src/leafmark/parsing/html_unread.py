"""What stands in a page's content and is no part of it: navigation, scripts, numbers of lines.

In: a page's elements. Out: spans to drop. These are dropped:

- scripts, what is shown without them, styles and templates, and what a tag, a role or a
  generator's class calls navigation
- what has a class that authors use too, only on further evidence: `related` and `navigation`
  with a link that has an access key, as in Sphinx; `header` with no heading and a link whose
  `rel` names a neighbouring page, the contents or the index, as in Texinfo; some classes
  of Doxygen's in its own pages
- a list of nothing but links: if all lead to places in the page (a table of contents), if it
  stands above the page's h1, or if it is long and one link leads to the page itself (the tree
  of a whole manual)
- the heading of a table of contents with nothing else under it, unless a deeper heading is
  next: then it is the title of a chapter
- three links or more in an element of their own, with bars, angles or brackets between them
  (a menu), and a table of such links, or of links to places in the page
- a `div` called `navigation` right before one called `content`, as LDoc writes it
- the foot of a page, by its tag, its role or its id, where it is short and has no heading
- a `pre` of numbers that count the lines of the `pre` after it

What else the makers of pages add is in `html_makers`.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise, zip_longest
from typing import NamedTuple
from urllib.parse import unquote

from leafmark.parsing.html_makers import is_of_doxygen, made_spans
from leafmark.parsing.html_page import HEADING_LEVELS, HEADING_TAGS, HtmlElement, HtmlPage
from leafmark.parsing.html_tokens import attribute, iter_tokens, tag_name

__all__ = ["unread_spans"]

_DROPPED_TAGS = frozenset(("nav", "script", "noscript", "style", "template"))
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
_NUMBERS = re.compile(rb"(?:\s|<[^<>]*>|[0-9]{1,9}(?![0-9])|(?!))*+")
_BETWEEN = re.compile(rb"(?:\s|</?(?:td|div|figure|code)\b[^<>]*>|(?!))*+")
_TAG = re.compile(rb"<[^<>]*>")
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
"""Bytes before an element that are looked at for what stands right before it."""

_INTRODUCED = re.compile(rb":(?:\s|</?[a-z][^<>]*>|(?!))*+\Z", re.IGNORECASE)
"""A sentence that says what a list is: then it is content."""

_NAMED_CONTENTS = re.compile(
    rb"<div\b[^<>]*\bclass=\"(?:toc|list-of-[a-z]++)\"[^<>]*>\s*+"
    rb"(<p\b[^<>]*>\s*+(?:<(?:b|strong)>)?[^<>]*+(?:</(?:b|strong)>)?\s*+</p\s*>)\s*+\Z",
    re.IGNORECASE,
)
"""The paragraph above a table of contents that names it, as DocBook writes it."""

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

_CELL = re.compile(rb"<td\b[^<>]*>((?:\s|<div\b[^<>]*>)*)\Z", re.IGNORECASE)
_CELL_END = re.compile(rb"((?:\s|</div\s*>)*)</td\s*>", re.IGNORECASE)
_LEAST_NUMBERS = 2
"""A single number before a single line of code may be anything."""

_LINE_END = re.compile(rb"\r\n?|\n")


def unread_spans(page: HtmlPage, path: str) -> Iterator[tuple[int, int]]:
    """Yield the spans to drop, in no order; `path` is that of the page."""
    yield from _link_bars(page)
    yield from made_spans(page)
    holds = _Holding.of(page)
    numbers, menus = _line_numbers(page), _menus(page, path)
    yield from _titles_of_contents(page, menus, holds)
    after = 0
    for element in page.elements:
        if element.start in menus:
            named = _NAMED_CONTENTS.search(page.data, max(0, element.start - _REACH), element.start)
            yield named.start(1) if named else element.start, element.end
        elif element.start in numbers:
            yield _with_cell(page.data, element.start, element.end)
        elif holds.is_apart(element):
            yield element.start, element.end
        elif element.start >= after and (element.tag == "footer" or "contentinfo" in element.roles):
            after = element.end
            if _is_foot(page, element, holds.headings):
                yield element.start, element.end


def _link_bars(page: HtmlPage) -> Iterator[tuple[int, int]]:
    """Yield the content of elements of nothing but links with signs between them."""
    menus = [*_MENU.finditer(page.data)]
    if menus:
        links = {link.start for link in page.links}  # not those in comments and scripts
        yield from (menu.span(1) for menu in menus if menu.start("link") in links)


def _with_cell(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of a cell that holds nothing but the element `[start, end)`, else of that."""
    first = max(0, start - _REACH)
    opening = _CELL.search(data[first:start])
    closing = _CELL_END.match(data, end)
    if opening is None or closing is None or opening[1].count(b"<") != closing[1].count(b"<"):
        return start, end
    return first + opening.start(), closing.end()


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
    tokens = iter_tokens(page.data, element.inner, element.close)
    return sum(stop - at for name, at, stop, _ in tokens if name == b"") <= _LONGEST_FOOT


def _titles_of_contents(
    page: HtmlPage, menus: Set[int], holds: _Holding
) -> Iterator[tuple[int, int]]:
    """Yield the headings, but for an h1, that have a table of contents under them and no more.

    One with a deeper heading next is a chapter's, whose table names its own sections. So is the
    first of a page with one of its own level next: Texinfo has no deeper one than h4.
    """
    title: HtmlElement | None = None
    is_first, has_menu, seen = True, False, -1  # up to where nothing is to be read under the title
    for element in page.elements:
        if element.start < seen:
            continue
        if element.tag in HEADING_LEVELS:
            is_over = title is not None and (
                element.tag < title.tag or (element.tag == title.tag and not is_first)
            )
            if title and is_over and has_menu and _is_wordless(page.data, seen, element.start):
                yield title.start, title.end
            is_first = seen < 0
            title, has_menu = None if element.tag == "h1" else element, False
            seen = element.end
        elif title and (element.start in menus or holds.is_apart(element)):
            title = title if _is_wordless(page.data, seen, element.start) else None
            has_menu = has_menu or element.start in menus
            seen = element.end
    if title and not is_first and has_menu and _is_wordless(page.data, seen, page.body_end):
        yield title.start, title.end


def _is_wordless(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing to be read between two places."""
    return _WORDLESS.fullmatch(data, start, end) is not None


def _menus(page: HtmlPage, path: str) -> set[int]:
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
        if not _is_wordless(page.data, element.inner, element.close):
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


def _line_numbers(page: HtmlPage) -> set[int]:
    """Where each `pre` begins that numbers the lines of the next one, which adjoins it."""
    code = [element for element in page.elements if element.tag == "pre"]
    pairs = [
        (column, after)
        for column, after in pairwise(code)
        if column.end <= after.start and _adjoins(page.data, column, after)
    ]
    if not pairs:
        return set()
    line_ends = [found.start() for found in _LINE_END.finditer(page.data)]
    return {column.start for column, after in pairs if _counts(page, column, after, line_ends)}


def _adjoins(data: bytes, column: HtmlElement, after: HtmlElement) -> bool:
    """Whether one `pre` is made of numbers, and nothing is to be read between it and the next."""
    if _NUMBERS.fullmatch(data, column.inner, column.close) is None:
        return False
    between = _BETWEEN.match(data, column.end)
    return between is not None and between.end() == after.start


def _counts(
    page: HtmlPage, column: HtmlElement, code: HtmlElement, line_ends: Sequence[int]
) -> bool:
    """Whether the numbers rise by one, and are as many as the lines of the code."""
    numbers = [*map(int, _TAG.sub(b" ", page.data[column.inner : column.close]).split())]
    lines = bisect_left(line_ends, code.close) - bisect_left(line_ends, code.inner)
    if len(numbers) < _LEAST_NUMBERS or abs(len(numbers) - lines) > 1:
        return False
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]
