"""The content region of a page, the line numbers in it, and the files of a site that are not text.

The region is the first `main`, else every `article` or `role=main` (with the `section` around it),
else `body`. Articles are only parts of a page, whose region is its body, if most of its words or
headings are outside of them.

Numbers beside code do not belong to it. A number counts lines if its element is called so
(`words.toml`) and is in code, or beside it in a column; if it is hidden from screen readers or from
copying, or links to itself; and if a `pre` numbers the lines of the next one. A column is dropped
with the table that puts it beside the code, so that the code is an ordinary block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from leafmark.model import merge, span_at
from leafmark.parsing.html.dom import WORDS, Element, Page, StartTag, start_of
from leafmark.parsing.html.page_words import words_of
from leafmark.parsing.html.tokens import attribute, iter_tokens

Spans = list[tuple[int, int]]

_SITE = frozenset(("drop.classes", "linked.classes", "foot.classes"))
_OUTSIDE = frozenset(("nav", "header", "footer", "aside"))

_LONGEST = 8192
"""The longest page, in bytes, that may only redirect."""

_AT_ONCE = re.compile(
    r"\s*+0*+(?:\.0*+|(?!))?+\s*+[;,]\s*+(?:url\s*+=\s*+|(?!))?+[\"']?+\s*+[^\s\"'#]", re.IGNORECASE
)
"""A redirect to another page without delay, not to the page itself or a place in it."""


def content_region(page: Page) -> Spans:
    """Return the spans of the content region; an element without text is not one."""
    ranges = [(main.inner, main.close) for main in page.having("main")[:1]]
    if not _has_text(page, ranges):
        ranges = _articles(page)
    if not _has_text(page, ranges):
        ranges = merge([(page.body_start, page.body_end)])
    return ranges


def _articles(page: Page) -> Spans:
    mains = {opening for opening in page.openings if "main" in opening.role.split()}
    articles = page.having("article")
    if mains:
        is_one = (
            (element, element.tag == "article" or element.open in mains)
            for element in page.elements
        )
        articles = [element for element, is_article in is_one if is_article]
    ranges = merge((_outer(element).inner, _outer(element).close) for element in articles)
    if not ranges or all(element.tag != "article" for element in articles):
        return ranges
    if any(_is_of_page(heading, ranges) for heading in page.headings):
        return []
    inside = sum(page.text_size(WORDS, *span) for span in ranges)
    outside = page.text_size(WORDS, page.body_start, page.body_end) - inside
    outside -= sum(
        page.text_size(WORDS, element.start, element.end)
        for element in page.elements
        if element.tag in _OUTSIDE and span_at(ranges, element.start) is None
    )
    return ranges if outside <= inside else []


def _is_of_page(heading: Element, articles: Spans) -> bool:
    """Whether a heading belongs to the text around articles, not to the site."""
    if heading.tag == "h1" or span_at(articles, heading.start) is not None:
        return False
    return not any(_is_of_site(around) for around in heading.ancestors)


def _is_of_site(element: Element) -> bool:
    return element.tag in _OUTSIDE or not element.open.lists.isdisjoint(_SITE)


def _outer(article: Element) -> Element:
    """Return the section whose text an article is, below a header of its own, else the article."""
    around = article.parent
    return around if around is not None and around.tag == "section" else article


def _has_text(page: Page, spans: Spans) -> bool:
    return any(page.has_text(start, end) for start, end in spans)


def leads_away(data: bytes) -> bool:
    """Whether a page redirects to another one at once, also if scripts run.

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


_SCRIPTS = re.compile(
    rb"<(?:script|link)\b[^<>]*?\b(?:src|href)\s*=\s*[\"']?([^\s\"'<>?#]++)"
    rb"|[\"']([\w./-]{1,200}+(?<=\.js))[\"']",
    re.IGNORECASE,
)
_MAKER = re.compile(
    rb"<meta\s[^<>]*\bname\s*=\s*[\"']?generator\b[^<>]*|<!--\s*\w+\s+version\b"
    rb"|\b(?:generated|built|made|created|powered)\s+(?:by|with|using)(?:\s++|<[^<>]*+>){1,6}\w[\w-]*",
    re.IGNORECASE,
)
_MAKER_WORD = re.compile(r"[a-z][a-z0-9]+")


def site_assets(data: bytes) -> frozenset[str] | None:
    """Return the folders of scripts and styles of a page that a generator of documentation made.

    They are names of folders beside the page, "" for its own; None for all other pages.

    >>> maker = b'<meta name="generator" content="Doxygen 1.9">'
    >>> sorted(site_assets(maker + b'<script src="menu.js"></script><link href="css/a/b.css?v=1">'))
    ['', 'css']
    >>> site_assets(b"<p>Powered by coffee.<script src=app.js></script>") is None
    True
    """
    loaded = [
        (match[1] or match[2]).decode("utf-8", "replace") for match in _SCRIPTS.finditer(data)
    ]
    loaded = [address for address in loaded if address.endswith((".js", ".mjs", ".css"))]
    known = words_of("site", "scripts")
    if not any(script.rpartition("/")[2].lower() in known for script in loaded):
        generator = b" ".join(match[0] for match in _MAKER.finditer(data))
        named = _MAKER_WORD.findall(generator.decode("utf-8", "replace").lower())
        if words_of("site", "generators").isdisjoint(named):
            return None
    assets: set[str] = set()
    for address in loaded:
        folders = address.removeprefix("./").split("/")[:-1]
        if address.startswith("/"):  # from a root that is not known
            assets |= {*folders[1:]}
        elif "" not in folders:
            assets.add(folders[0] if folders else "")
    return frozenset(assets)


_NUMBERS = re.compile(rb"(?:\s|<[^<>]*+>|[0-9]{1,9}(?![0-9])|&nbsp;|&#160;|\xc2\xa0|(?!))*+")
_BETWEEN = re.compile(rb"(?:\s|</?(?:td|div|figure|code|span)\b[^<>]*>|(?!))*+")
_TAG = re.compile(rb"<[^<>]*>")
_LINE_END = re.compile(rb"\r\n?|\n")
_DIGIT = re.compile(rb"[0-9]")
_LINE_TAG = re.compile(
    rb"<(?:pre|code|div|li|tr|td|br|[a-z]+\b[^<>]*\bclass\s*=\s*[\"']?[^\"'<>]*\bline\b)",
    re.IGNORECASE,
)
_WRITTEN = re.compile(rb"(?:(?<=\n)|(?<=>))[ \t]*+([0-9]{1,5})(?:&nbsp;|&\#160;|\xc2\xa0)")
_MIN_WRITTEN = 3
_MIN_NUMBERS = 2
"""A single number before a single line of code may be anything."""

_MAX_COLUMN = 200_000
_NO_NUMBERS = frozenset(("a", "table", "tr", "tbody"))
_BLOCKS = frozenset(("td", "th", "div", "pre", "ul", "ol", "figure", "aside"))
_BESIDE_CODE = frozenset(("td", "tr", "tbody", "table", "div", "code"))


def number_spans(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the spans of line numbers, in no order."""
    code = page.having("pre", "listing")
    columns = [*_named(page, code), *_counting(page, page.having("pre"))]
    for element in columns:
        yield from _with_table(page, element, code)
    for element in code:
        yield from _written(page.data, element)


def _written(data: bytes, code: Element) -> Iterator[tuple[int, int]]:
    """Yield the numbers before each line of code; the space behind them stays."""
    numbers = [*_WRITTEN.finditer(data, code.inner, code.close)]
    first = int(numbers[0][1]) if len(numbers) >= _MIN_WRITTEN else 0
    counted = [*range(first, first + len(numbers))]
    lines = data.count(b"\n", code.inner, code.close)
    if first and abs(len(numbers) - lines) <= 1 and counted == [int(match[1]) for match in numbers]:
        yield from (match.span() for match in numbers)


def _named(page: Page, code: list[Element]) -> Iterator[Element]:
    """Yield elements with numbers at code that are named as such, or hidden."""
    hidden = {opening for opening in page.openings if opening.is_hidden}
    links = {opening for opening in page.openings if _names_itself(opening)}
    named = page.tags_in_list("numbers.classes") | hidden | links
    starts = [block.start for block in code]
    seen = -1
    for element in page.elements if named else ():
        if element.open not in named or element.start < seen:
            continue
        if element.tag in _NO_NUMBERS and element.open not in links:
            continue
        if _is_numbers(page, element) and _is_at_code(page, element, starts):
            seen = element.end
            yield element


def _names_itself(opening: StartTag) -> bool:
    return opening.name == "a" and bool(opening.id) and opening.attribute("href")[1:] == opening.id


def _is_numbers(page: Page, element: Element) -> bool:
    inner, close = element.inner, element.close
    if close - inner > _MAX_COLUMN or _DIGIT.search(page.data, inner, close) is None:
        return False
    return _NUMBERS.fullmatch(page.data, inner, close) is not None


def _is_at_code(page: Page, element: Element, code: list[int]) -> bool:
    """Whether an element is in code, or a column beside it."""
    for around in element.ancestors:
        if around.tag in ("pre", "code", "listing") or "line" in around.open.classes:
            return element.tag in _BLOCKS or _begins_line(page, element)
    if element.tag not in _BLOCKS:
        return False
    around = element
    for outer in element.ancestors:
        if outer.tag not in _BESIDE_CODE:
            break
        around = outer
    first = bisect_left(code, around.start)
    return first < len(code) and code[first] < around.end


def _begins_line(page: Page, element: Element) -> bool:
    """Whether an element is the first in a line of code: numbers elsewhere are code."""
    data, start = page.data, element.start
    at = bisect_left(page.text_starts, start) - 1
    if at < 0:
        return True
    before = data[page.text_ends[at] : start]
    if b"\n" in before or _LINE_TAG.search(before):
        return True
    return data[page.text_starts[at] : page.text_ends[at]].rstrip(b" \t").endswith((b"\n", b"\r"))


def _counting(page: Page, code: list[Element]) -> Iterator[Element]:
    """Yield each `pre` that numbers the lines of the next one, which adjoins it."""
    line_ends: list[int] | None = None
    for column, after in pairwise(code):
        if column.end > after.start or not _adjoins(page.data, column, after):
            continue
        if line_ends is None:
            line_ends = [match.start() for match in _LINE_END.finditer(page.data)]
        numbers = [*map(int, _TAG.sub(b" ", page.data[column.inner : column.close]).split())]
        beside, lines = (
            bisect_left(line_ends, element.close) - bisect_left(line_ends, element.inner)
            for element in (column, after)
        )
        if min(abs(len(numbers) - lines), abs(beside - lines)) > 1 or len(numbers) < _MIN_NUMBERS:
            continue
        if numbers == [*range(numbers[0], numbers[0] + len(numbers))]:
            yield column


def _adjoins(data: bytes, column: Element, after: Element) -> bool:
    """Whether one `pre` consists of numbers, and there is no text between it and the next."""
    if _NUMBERS.fullmatch(data, column.inner, column.close) is None:
        return False
    between = _BETWEEN.match(data, column.end)
    return between is not None and between.end() == after.start


def _with_table(page: Page, column: Element, code: list[Element]) -> Iterator[tuple[int, int]]:
    """Yield a column, and the rest of a table that only has it and one block of code."""
    yield column.start, column.end
    if column.tag not in ("td", "th", "pre", "div"):
        return
    table = next((ancestor for ancestor in column.ancestors if ancestor.tag == "table"), None)
    if table is None or any(ancestor.tag == "pre" for ancestor in table.ancestors):
        return
    at = bisect_left(code, column.end, key=start_of)
    if at == len(code) or code[at].start >= table.end:
        return
    listing = code[at]
    if page.has_text(column.end, listing.start) or page.has_text(listing.end, table.end):
        return
    at = bisect_left(page.text_starts, table.start)
    last = bisect_left(page.text_starts, column.start)
    if last - at > _NAMES_OF_FILES or (last > at and not _is_headed(page, at, column)):
        return
    start = table.start
    for text in range(at, last):
        yield start, page.text_starts[text]
        start = page.text_ends[text]
    yield start, listing.start
    yield listing.end, table.end


def layout_spans(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the rest of a table with only one block of code, as in older Texinfo."""
    for code in page.having("pre"):
        table = None
        for around in code.ancestors:
            before, behind = (around.inner, code.start), (code.end, around.close)
            if any(page.has_text(*span) or page.links_in(*span) for span in (before, behind)):
                break
            table = around if around.tag == "table" else table
        if table is not None:
            yield table.start, code.start
            yield code.end, table.end


_NAMES_OF_FILES = 2
"""Texts that may stand above code and its numbers in one table."""


def _is_headed(page: Page, text: int, column: Element) -> bool:
    """Whether a text is in another row of the table than a column of numbers."""
    row = column if column.tag == "tr" else next(_rows(column), column)
    return page.text_ends[text] <= row.start


def _rows(element: Element) -> Iterator[Element]:
    return (ancestor for ancestor in element.ancestors if ancestor.tag == "tr")
