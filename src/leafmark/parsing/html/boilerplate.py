"""The parts of a page that are not its text: navigation, scripts, buttons, footers.

In: a page. Out: spans to drop. There is one rule: the tag, role, class or id of an element says
that it serves the site (`words.toml`); the weaker this evidence, the more the contents of the
element must confirm it. Names of the first kind (`drop`) are enough; those of the second
(`linked`) need an element of nothing but links; those of a footer need a text that says who made
the page. Without names, links decide: a list or a table of links to places in the page is a table
of contents, and links to neighbouring pages are a pager, whatever the element.

An element with the only h1 of a page, or with most of its words, is never dropped.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, takewhile
from urllib.parse import unquote

from leafmark.environment import memo
from leafmark.model import merge
from leafmark.parsing.html.dom import (
    HEADING_LEVELS,
    LINKED,
    SIGNS,
    WORDS,
    Element,
    Named,
    Page,
    StartTag,
)
from leafmark.parsing.html.outline import heading_text, is_credit, title_of
from leafmark.parsing.html.page_words import (
    id_lists,
    in_words,
    label_of,
    lists_of,
    pattern_of,
    words_of,
)
from leafmark.parsing.html.region import layout_spans, number_spans
from leafmark.parsing.html.tokens import TAGS, unescape

Spans = list[tuple[int, int]]

_MOST = 0.5
"""The largest share of a page's words that may be dropped by class."""

_FEW_WORDS = 24
"""Bytes of words outside of links that an element of links may have."""

_FEW_WORDS_ABOVE = 100
"""The same for an element above all other words of the page."""

_MANY_WORDS = 200
"""The least page, in bytes of words, most of which may not be dropped."""

_MAX_FOOT = 1_000
"""The longest footer, in bytes of text, that only says who made the page, and when."""

_LAST_TEXTS = 12
"""The number of texts at the end of a page that may say who made it."""

_LOOKS = 10
_MIN_LINKS = 3
_MAX_PAGER = 700
"""Bytes of text and signs of a bar of links to the pages around."""

_REACH = 400
"""Bytes before a list that are checked for an introduction."""

_MAX_TAGS = 100
"""Bytes of tags between a label and the labelled element."""

_MAX_LABEL = 4 * _REACH
"""Bytes of a label, with an icon that is drawn in it."""

_INTRODUCED = re.compile(rb":(?:\s|</?[a-z][^<>]*>|(?!))*+\Z", re.IGNORECASE)
"""A sentence that introduces a list, which then is content."""

_REGIONS = frozenset(("body", "main", "article"))
_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_LINES = frozenset(("p", "div", "td", "center", "small", "font", "table", *_LISTS))
_CODE = re.compile(rb"<(?:code|tt|kbd|samp)\b", re.IGNORECASE)
_BAR = re.compile(
    rb"\||&\#124;|&\#x7c;|\]\s*\[|&lt;|&gt;|&[lr]s?aquo;|\xc2[\xab\xbb]|\xe2\x80[\xb9\xba]|[<>](?=\s)"
)
_PARTED = re.compile(rb"[\[\]|/,]|&\#124;|&[lr]s?aquo;|\xc2[\xab\xbb]")
_BLOCK_TAG = re.compile(
    rb"</?(?:br|p|div|td|th|tr|table|tbody|center|body|hr|ul|ol|li|dl|dt|dd|nav|header|footer|section"
    rb"|article|main|blockquote|pre|h[1-6]|form|html|map|address)\b[^<>]*+>",
    re.IGNORECASE,
)
_SECTIONING = frozenset(("article", "aside", "blockquote", "figure", "fieldset", "section", "td"))
"""Elements that have footers of their own."""

_NAMED_BY_TEXT = frozenset((*HEADING_LEVELS, "dt"))
"""Elements whose ids name their text, not a part of the site."""

_ITEMS = frozenset(("li", "td", "th", "dt", "dd"))
"""Elements in which one link alone is an entry of a list or a table."""

_PARENTS = 3
"""Elements around such a link that are checked."""


_FIRST_H1S = 2
"""The h1s of a page that may be the name of its site."""

_NEXT_HEADINGS = 4
"""Headings that are checked for the title of a page behind the name of its site."""

_SIGNS = 2
"""Characters between the title of a page and the name of its site."""

_NUMBER = re.compile(r"(?:[a-z]+ )?[0-9]+(?:\.[0-9]+)*\.?(?: -)? ", re.IGNORECASE)


def _shares(title: str, heading: str) -> bool:
    """Whether one of a title and a heading contains the other, ignoring numbers.

    >>> _shares("3. Of mail - Guide", "Chapter 3 - Of mail"), _shares("3. Of mail", "Guide")
    (True, False)
    """
    first, second = (_NUMBER.sub("", text.casefold(), count=1) for text in (title, heading))
    return bool(second) and (first in second or second in first)


def _before_site(title: str, site: str) -> str:
    """Return a title without a separator and the name of its site, "" if it does not end so.

    >>> _before_site("Usage \u2014 Harbor", "Harbor"), _before_site("The Harbor", "Harbor")
    ('Usage', '')
    """
    if not site or not title.endswith(f" {site}"):
        return ""
    front, _, sign = title[: -len(site)].rstrip().rpartition(" ")
    return front if front and not sign.isalnum() and len(sign) <= _SIGNS else ""


def boilerplate_spans(page: Page, region: Spans, path: str) -> Spans:
    """Return the spans to drop of the `region` of a page at `path`, in order and disjoint."""
    return _Finder(page, region, path).spans()


class _Finder:
    """Collects the spans to drop; later rules apply to the text that earlier ones left."""

    def __init__(self, page: Page, region: Spans, path: str) -> None:
        self.page, self.path = page, path
        self.start, self.end = (region[0][0], region[-1][1]) if region else (0, 0)
        self.dropped: Spans = []
        headings = [h for h in page.having("h1") if self.start <= h.start < self.end]
        self.banners = [*self._banners()]
        self.titles = [h.start for h in headings if h not in self.banners]
        self._budget = _LOOKS * (len(page.links) + len(page.elements))
        """The number of links that may still be checked, since nested elements share links."""

        self.words = sum(page.text_size(WORDS, *span) for span in region)

    def spans(self) -> Spans:
        named = [*self._named()]
        certain = merge([(e.start, e.end) for e, is_certain in named if is_certain])
        self.dropped = merge([*certain, *((e.start, e.end) for e, _ in named)])
        is_page = self.words > _FEW_WORDS_ABOVE or self.page.headings_in(self.start, self.end)
        if is_page and self._visible(self.start, self.end) is None:
            self.dropped = certain
        self._drop((banner.start, banner.end) for banner in self.banners)
        self._drop((*number_spans(self.page), *layout_spans(self.page)))
        small = [*self._small_links()]
        self._drop(small)
        self._drop(self._signs_around(small))
        self._drop(self._pagers())
        self._drop(self._menus())
        self._drop(self._side_cells())
        self._drop(self._above_title())
        self._drop(self._feet())
        self._drop(self._titles_of_menus())
        self._drop(self._labels_of_menus())
        return self.dropped

    def _drop(self, spans: Iterable[tuple[int, int]]) -> None:
        ranges = [*spans]
        if ranges:
            self.dropped = merge([*self.dropped, *ranges])

    def _visible(self, start: int, end: int, dropped: Spans | None = None) -> int | None:
        """Return the start of the first text in `[start, end)` that is not dropped."""
        spans = self.dropped if dropped is None else dropped
        at = bisect_left(spans, (start, start))
        if at and spans[at - 1][1] > start:
            start = spans[at - 1][1]
        while start < end:
            stop = min(spans[at][0], end) if at < len(spans) else end
            text = self.page.first_text(start, stop)
            if text >= 0:
                return text
            if at == len(spans):
                return None
            start, at = spans[at][1], at + 1
        return None

    def _is_dropped(self, offset: int) -> bool:
        at = bisect_left(self.dropped, (offset + 1,)) - 1
        return at >= 0 and offset < self.dropped[at][1]

    # -- elements by their names ---------------------------------------------------

    def _named(self) -> Iterator[tuple[Element, bool]]:
        """Yield the elements that are dropped by name, and whether by tag or role."""
        verdicts = {opening: _verdict(opening) for opening in self.page.openings}
        seen = -1
        for element in self.page.elements:
            verdict = verdicts.get(element.open)
            if verdict is None:
                verdict = verdicts[element.open] = _verdict(element.open)
            is_certain, lists = verdict
            if not (is_certain or lists) or element.start < seen:
                continue
            if is_certain or (lists and self._bears_out(element, lists)):
                seen = element.end
                yield element, is_certain

    def _bears_out(self, element: Element, lists: frozenset[str]) -> bool:
        """Whether the contents of an element confirm its name."""
        if element.tag in _REGIONS:
            return False
        if "id" in lists and self._says_its_id(element):
            _, lists = _verdict_but_id(element.tag, element.open.role, element.open.classes)
        if "linked" in lists and self._is_site_map(element):
            return True
        if self._is_main(element):
            return False
        if "drop" in lists:
            return True
        if "beside" in lists and not self._has_words(element):
            return True
        if "source" in lists:
            return element.tag in ("details", "a", "label", "button", "summary")
        if "button" in lists:
            return self._is_button(element)
        is_whole = "whole" in lists
        is_foot = "foot" in lists and self._is_foot(element, is_whole=is_whole)
        return is_foot or ("linked" in lists and self._is_linked(element))

    def _says_its_id(self, element: Element) -> bool:
        """Whether an id names the text there, as `pagination` a section on pagination."""
        if element.tag in _NAMED_BY_TEXT:
            return True
        words, page = in_words(element.open.id), self.page
        if page.text_size(WORDS, element.inner, element.close) <= 2 * len(element.open.id):
            return False
        text = page.first_text(element.inner, element.close)
        text_shown = b"".join(page.texts_in(text, text + 1))[:_MAX_LABEL].decode("utf-8", "replace")
        return in_words(text_shown)[: len(words)] == words

    def _banners(self) -> Iterator[Element]:
        """Yield each h1 that names the site, if a later heading is the title of the page.

        It is a link to another page whose text is not in the page's title, or the end of that title
        behind the text of a later h1: `Usage - Harbor`.
        """
        page = self.page
        title = title_of(page)
        for heading in [*page.having("h1")][:_FIRST_H1S] if title else ():
            text = self._heading_text(heading)
            later = page.headings_in(heading.end, self.end)[:_NEXT_HEADINGS]
            if self._is_elsewhere(heading, text, title):
                is_banner = any(
                    _shares(title, self._heading_text(later_heading)) for later_heading in later
                )
            else:
                front = _before_site(title, text)
                behind = (h for h in page.having("h1") if heading.end <= h.start < self.end)
                is_banner = bool(front) and any(
                    self._heading_text(later_heading).startswith(front)
                    for later_heading in islice(behind, _NEXT_HEADINGS)
                )
            if is_banner:
                yield heading

    def _is_elsewhere(self, heading: Element, text: str, title: str) -> bool:
        """Whether an h1 is only a link to another page, and the title has other words."""
        inner, close = heading.inner, heading.close
        targets = [link.open.attribute("href") for link in self.page.links_in(inner, close)]
        is_link = not self.page.text_size(WORDS, inner, close)
        return is_link and any(map(self._leads_away, targets)) and not _shares(title, text)

    def _leads_away(self, target: str) -> bool:
        own = self.path.rpartition("/")[2]
        return bool(target) and target[0] != "#" and own not in target

    def _heading_text(self, heading: Element) -> str:
        return heading_text(self.page.data, heading.inner, heading.close, [])

    def _has_words(self, element: Element) -> bool:
        """Whether an element contains text, or is a heading."""
        if element.tag in HEADING_LEVELS or self.page.headings_in(element.start, element.end):
            return True
        few = 0 if element.open.id else _FEW_WORDS  # a link names what has an id and words
        return self.page.text_size(WORDS, element.inner, element.close) > few

    def _is_main(self, element: Element) -> bool:
        """Whether an element contains the only h1, or most of the words."""
        start, end = element.start, element.end
        if start <= self.start and self.end <= end:
            return True
        inside = bisect_left(self.titles, end) - bisect_left(self.titles, start)
        if inside and inside == len(self.titles) and element.tag not in _VERDICT_TAGS:
            return True
        size = self.page.text_size(WORDS, start, end)
        is_much = size > _MANY_WORDS and size > self.words * _MOST
        return is_much and size > self.page.text_size(LINKED, start, end)

    def _is_linked(self, element: Element) -> bool:
        """Whether an element contains nothing but links, or links with their addresses as text."""
        page, inner, close = self.page, element.inner, element.close
        if self._budget < 0:
            return False
        headings = page.headings_in(inner, close)
        self._budget -= len(headings) + (close - inner) // 1000
        if headings and (element.tag == "header" or not self._is_above(element)):
            return False
        links = [link for link in page.links_in(inner, close) if link.tag == "a"]
        is_labelled = self._is_label(inner, close)
        if not links:
            return is_labelled
        words = 0 if is_labelled else self._words_of_text(inner, close)
        linked = page.text_size(LINKED, inner, close)
        if words and any(map(self._names_words, page.named_in(inner, close))):
            return False
        is_first = not page.text_size(WORDS, self.start, element.start)
        if is_first and words <= _FEW_WORDS_ABOVE:
            return True
        if any("accesskey" in link.open.attributes or _relation(link) for link in links):
            return words <= linked
        return words == 0 or (len(links) >= _MIN_LINKS and words <= max(_FEW_WORDS, linked // 2))

    def _is_label(self, start: int, end: int) -> bool:
        """Whether the words outside links are only what introduces links: `On this page`."""
        if not 0 < self.page.text_size(WORDS, start, end) <= _REACH:
            return False
        return label_of(unescape(b" ".join(self.page.texts_in(start, end, WORDS)))) in words_of(
            "pager", "labels"
        )

    def _is_site_map(self, element: Element) -> bool:
        """Whether an element has headings above links only, and the page has others."""
        named = (element.open.id.lower(), *element.open.classes)
        names = {*named, *(word for name in named for word in in_words(name)[-1:]), element.tag}
        if names.isdisjoint(words_of("linked", "maps")):
            return False
        page, inner, close = self.page, element.inner, element.close
        inside = len(page.headings_in(inner, close))
        others = len(page.headings_in(self.start, self.end)) - inside
        is_bar = not names.isdisjoint(words_of("linked", "ids"))
        if not inside or not (others if is_bar else page.headings_in(element.end, self.end)):
            return False
        return self._words_of_text(inner, close) <= page.text_size(LINKED, inner, close)

    def _names_words(self, named: Named) -> bool:
        """Whether an anchor names the word in it, as anchors of documented items do."""
        return named.tag == "a" and self.page.text_size(WORDS, named.end, named.end + 1) > 0

    def _is_above(self, element: Element) -> bool:
        """Whether the page's h1 follows, and a heading in the element is not the page's."""
        if self.titles:
            return element.end <= self.titles[-1]
        return any(element.start <= banner.start < element.end for banner in self.banners)

    def _is_foot(self, element: Element, *, is_whole: bool) -> bool:
        page = self.page
        if page.headings_in(element.start, element.end):
            return False
        texts = page.texts_in(element.inner, element.close)
        size = sum(map(len, texts))
        if size > _MAX_FOOT:
            return False
        if element.tag == "footer" or "contentinfo" in element.open.role:
            return not any(ancestor.tag in _SECTIONING for ancestor in element.ancestors)
        says_who = _says_who(texts)
        at, last = (bisect_left(page.text_starts, end) for end in (element.end, self.end))
        is_last = at >= last - _LAST_TEXTS
        is_first = not page.text_size(WORDS, self.start, element.start)
        return (says_who and (is_whole or is_last or is_first)) or (is_whole and is_last)

    def _is_button(self, element: Element) -> bool:
        """Whether a button is not part of a text: it opens none of it, and is not a heading."""
        attributes = element.open.attributes
        if attributes.get("role") == "tab":
            return False
        for around in element.ancestors:
            if around.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
                others = self.page.text_size(WORDS, around.inner, element.start)
                return others + self.page.text_size(WORDS, element.end, around.close) > 0
        return "aria-expanded" not in attributes

    # -- links by what they say ----------------------------------------------------

    def _small_links(self) -> Iterator[tuple[int, int]]:
        """Yield links to the source, to edit and the like, and the code that such a link opens."""
        labels = words_of("source", "labels")
        for element in self.page.having("a", "label"):
            if element.close - element.inner > _REACH or self._is_dropped(element.start):
                continue
            label, href = self._label(element), element.open.attribute("href")
            is_skip = label.startswith("skip to ") and href.startswith("#")
            is_logo = label.endswith("logo") and not self.page.has_text(
                element.inner, element.close
            )
            if is_skip or is_logo or (label in labels and self._serves(element)):
                yield element.start, element.end
        yield from self._opened_sources()
        for name, is_one in _NAMED_BESIDE.items():
            named = self.page.tags_in_list(name)
            for element in self.page.elements if named else ():
                if element.open in named and is_one(self, element):
                    yield element.start, element.end

    def _signs_around(self, links: Spans) -> Iterator[tuple[int, int]]:
        """Yield the lines of links that are dropped, where nothing but signs stands beside them."""
        for start, end in filter(None, (self._line(*link) for link in links)):
            starts = (link.start for link in self.page.links_in(start, end))
            if not self.page.text_size(WORDS, start, end) and all(map(self._is_dropped, starts)):
                yield start, end

    def _line(self, start: int, end: int) -> tuple[int, int] | None:
        """The stretch between the tags of blocks around a range, None if it begins far away."""
        data, low = self.page.data, max(self.start, start - _MAX_PAGER)
        before = [*_BLOCK_TAG.finditer(data, low, start)]
        after = _BLOCK_TAG.search(data, end, min(self.end, end + _MAX_PAGER))
        if not before and low != self.start:
            return None
        return before[-1].end() if before else low, after.start() if after else self.end

    def _serves(self, link: Element) -> bool:
        """Whether the class or address of a link with such a label confirms it."""
        href = link.open.attribute("href")
        if any("src" in name or "source" in name or "edit" in name for name in link.open.classes):
            return True
        return href.startswith("#") or _SOURCE_ADDRESS.search(href) is not None

    def _opened_sources(self) -> Iterator[tuple[int, int]]:
        """Yield the code right behind the control that opens it: the source of an entry."""
        named = self.page.tags_in_list("source.classes")
        code = self.page.having("pre") if named else []
        starts = [block.start for block in code]
        for opener in self.page.having("label", "a", "button") if code else ():
            if opener.open in named and _IN_PLACE.match(opener.open.attribute("href")):
                for block in code[bisect_left(starts, opener.end) :][:1]:
                    is_near = block.start - opener.end <= _REACH
                    if is_near and not self.page.text_size(WORDS, opener.end, block.start):
                        yield block.start, block.end

    def _names_language(self, element: Element) -> bool:
        """Whether an element is short and stands right before code."""
        is_short = element.close - element.inner <= _MAX_LANGUAGE
        return is_short and _CODE_NEXT.match(self.page.data, element.end) is not None

    def _is_badge(self, element: Element) -> bool:
        """Whether an element stands behind the words of a title."""
        parent = element.parent
        if parent is None or parent.tag not in HEADING_LEVELS:
            return False
        return self.page.has_text(parent.inner, element.start)

    def _shows_title(self, element: Element) -> bool:
        """Whether an element above all headings shows the title of the page, and hardly more."""
        page, inner, close = self.page, element.inner, element.close
        first = page.headings[0].start if page.headings else self.end
        texts = page.texts_in(inner, close)
        text_shown = " ".join(unescape(texts[0]).split()) if texts and close <= first else ""
        if not text_shown or not title_of(page).endswith(text_shown):
            return False
        return page.text_size(WORDS, inner, close) <= len(texts[0]) + _FEW_WORDS

    def _label(self, element: Element) -> str:
        """Return the normalised text of an element; "" if it is too long for a label."""
        if element.close - element.inner > _MAX_LABEL:
            return ""
        raw = self.page.data[element.inner : element.close]
        return label_of(self._text_of(element)) if b"<" in raw else _label_of_text(raw)

    def _text_of(self, element: Element) -> str:
        texts = self.page.texts_in(element.inner, element.close)
        text_shown = unescape(b" ".join(texts))
        if text_shown or element.close - element.inner > _REACH:
            return text_shown
        images = self.page.links_in(element.inner, element.close)
        return " ".join(image.open.attribute("alt") for image in images if image.tag == "img")

    # -- pagers --------------------------------------------------------------------

    def _pagers(self) -> Iterator[tuple[int, int]]:
        """Yield lines and elements of links to the pages before, after and above."""
        seen = self.start
        for link in self.page.links:
            if link.tag != "a" or not seen <= link.start < self.end or self._is_dropped(link.start):
                continue
            if self._kind(link) == "step":
                spans = (span for span in self._stretches(link) if self._is_pager(*span, link))
                for start, end, _ in islice(spans, 1):
                    seen = end
                    yield start, end

    def _stretches(self, link: Element) -> Iterator[tuple[int, int, bool]]:
        """Yield possible pagers around a link, the largest first, and whether each is a list."""
        around = [*takewhile(_is_small, link.ancestors)]
        yield from (
            (element.start, element.end, element.tag in _LISTS) for element in reversed(around)
        )
        line = self._line(link.start, link.end)
        if line is not None:
            yield *line, False

    def _is_pager(self, start: int, end: int, is_list: bool, link: Element) -> bool:
        """Whether a range has nothing but links, and half or all lead to neighbouring pages."""
        page = self.page
        if page.text_size(WORDS, start, end) or page.headings_in(start, end):
            return False
        links = [link for link in page.links_in(start, end) if link.tag == "a"]
        led = sum(self._kind(neighbour) != "name" for neighbour in links)
        if is_list and led < len(links):
            return False
        if led == 1:
            is_item = any(ancestor.tag in _ITEMS for ancestor in islice(link.ancestors, _PARENTS))
            return len(links) == 1 and not is_item
        return 2 * led >= len(links) - 1 or page.text_size(SIGNS, start, end) > len(links)

    def _kind(self, link: Element) -> str:
        """Return the kind of a link in a pager: step, place of the site, sign, or other name."""
        if link.close - link.inner > _REACH or _CODE.search(self.page.data, link.inner, link.close):
            return "name"
        label = self._label(link)
        if not label or label.isdigit():
            return "step" if _relation(link) else "sign"
        if _is_step(label):
            place = link.open.attribute("href").partition("#")[2]
            return "name" if place and label in unquote(place).casefold() else "step"
        if label in words_of("pager", "places") or label in words_of("pager", "orders"):
            return "place"
        return "step" if _relation(link) or self._is_behind_step(link) else "name"

    def _is_behind_step(self, link: Element) -> bool:
        """Whether the text before a link names a step: `Next message: `."""
        page = self.page
        at = bisect_left(page.text_starts, link.start) - 1
        if at < 0 or page.text_kinds[at] != SIGNS or link.start - page.text_ends[at] > _MAX_TAGS:
            return False
        text = page.data[page.text_starts[at] : page.text_ends[at]]
        return text.rstrip().endswith(b":") and _is_step(_label_of_text(text))

    # -- tables of contents and menus ------------------------------------------------

    def _menus(self) -> Iterator[tuple[int, int]]:
        """Yield elements with nothing but links: tables of contents and menus."""
        seen = -1
        for element in self.page.elements:
            if element.tag not in _LINES or element.start < seen:
                continue
            if not self.start <= element.start < self.end or self._is_dropped(element.start):
                continue
            links = self._links_alone(element)
            places = words_of("pager", "places")
            is_list = element.tag in _LISTS and len(links) > 1
            is_of_places = is_list and all(self._label(link) in places for link in links)
            if is_of_places or (len(links) >= _MIN_LINKS and self._is_menu(element, links)):
                seen = element.end
                yield element.start, element.end

    def _links_alone(self, element: Element) -> list[Element]:
        """Return the links of an element without words, headings or pictures."""
        page, inner, close = self.page, element.inner, element.close
        if page.text_size(WORDS, inner, close) or self._budget < 0:
            return []
        links = page.links_in(inner, close)
        self._budget -= len(links)
        if page.headings_in(inner, close) or any(link.tag == "img" for link in links):
            return []
        return links

    def _above_title(self) -> Iterator[tuple[int, int]]:
        """Yield the links and labels above the title of the page, if there is no text."""
        headings = (h for h in self.page.headings if self.start <= h.start < self.end)
        title = next((h for h in headings if not self._is_dropped(h.start)), None)
        if title is None or not _shares(title_of(self.page), self._heading_text(title)):
            return
        seen = -1
        for element in self.page.elements:
            if element.start >= title.start:
                return
            if element.start < max(seen, self.start) or element.end > title.start:
                continue
            if self._is_dropped(element.start):
                continue
            if (element.tag == "aside" and not self._has_words(element)) or (
                element.tag in _LINES and self._are_links(element)
            ):
                seen = element.end
                yield element.start, element.end

    def _are_links(self, element: Element) -> bool:
        """Whether an element has links to other pages, and hardly a word beside them."""
        page, inner, close = self.page, element.inner, element.close
        links = [link for link in page.links_in(inner, close) if link.tag == "a"]
        self._budget -= len(links)
        if not links or self._budget < 0 or page.headings_in(inner, close):
            return False
        if not all(self._leads_away(link.open.attribute("href")) for link in links):
            return False
        if _INTRODUCED.search(page.data, max(0, element.start - _REACH), element.start):
            return False
        words, linked = page.text_size(WORDS, inner, close), page.text_size(LINKED, inner, close)
        return not words or (len(links) >= _MIN_LINKS and words <= max(_FEW_WORDS, linked // 2))

    def _is_menu(self, element: Element, links: Sequence[Element]) -> bool:
        data = self.page.data
        is_list = element.tag in _LISTS
        if is_list and _INTRODUCED.search(data, max(0, element.start - _REACH), element.start):
            return False
        if is_list and not all(
            map(_parts_items, self.page.texts_in(element.inner, element.close, SIGNS))
        ):
            return False
        name = posixpath.basename(self.path)
        targets = [link.open.attribute("href").strip() for link in links]
        is_local = all(target.startswith(("#", f"{name}#")) for target in targets)
        if is_list:
            return is_local or bool(self.titles and element.end <= self.titles[0])
        if _CODE.search(data, element.inner, element.close):
            return False
        if element.tag == "table" and is_local:
            return True
        gaps = [data[a.end : b.start] for a, b in pairwise(links)]
        parts = _PARTED if element.tag == "table" else _BAR
        return sum(1 for gap in gaps if parts.search(TAGS.sub(b" ", gap))) >= len(gaps)

    def _side_cells(self) -> Iterator[tuple[int, int]]:
        """Yield side bars: cells of links beside most words, unless the page is a list of links."""
        page = self.page
        for cell in page.having("td"):
            row = cell.parent
            if row is None or row.tag != "tr" or self._is_dropped(cell.start):
                continue
            size, linked = page.text_size, page.text_size(LINKED, cell.inner, cell.close)
            words = size(WORDS, row.inner, row.close) - size(WORDS, cell.inner, cell.close)
            headings = page.headings_in(row.inner, row.close)
            is_headed = len(headings) > len(page.headings_in(cell.inner, cell.close))
            is_text = is_headed or self.words > size(LINKED, self.start, self.end)
            if words <= self.words * _MOST or not is_text or self._is_main(cell):
                continue
            is_bar = len(page.links_in(cell.inner, cell.close)) >= _MIN_LINKS
            if is_bar and 2 * self._words_of_text(cell.inner, cell.close) <= linked:
                yield cell.start, cell.end

    def _words_of_text(self, start: int, end: int) -> int:
        """Return the bytes of words outside links and headings."""
        page = self.page
        titles = (page.text_size(WORDS, h.inner, h.close) for h in page.headings_in(start, end))
        return page.text_size(WORDS, start, end) - sum(titles)

    def _titles_of_menus(self) -> Iterator[tuple[int, int]]:
        """Yield the headings, except an h1, with only a table of contents under them.

        One with a deeper heading next is a chapter's, whose table names its own sections. So is the
        first of a page with one of its own level next.
        """
        headings = [h for h in self.page.headings if self.start <= h.start < self.end]
        headings = [h for h in headings if not (self._is_dropped(h.start) or is_credit(h))]
        for at, heading in enumerate(headings):
            after = headings[at + 1] if at + 1 < len(headings) else None
            end = after.start if after else self.end
            if heading.tag == "h1" or self._visible(heading.end, end) is not None:
                continue
            if not self._has_menu(heading, end):
                continue
            if after is None:
                ends = at > 0
            else:
                ends = after.tag < heading.tag or (after.tag == heading.tag and at > 0)
            if ends:
                yield heading.start, heading.end

    def _labels_of_menus(self) -> Iterator[tuple[int, int]]:
        """Yield the labels right before links that are dropped, such as `Subsections`."""
        page, labels = self.page, words_of("pager", "labels")
        for start, end in self.dropped:
            at = bisect_left(page.text_starts, start) - 1
            text = page.text_starts[at] if at >= 0 else -1
            if (
                text < self.start
                or start - page.text_ends[at] > _MAX_TAGS
                or self._is_dropped(text)
            ):
                continue
            label = label_of(unescape(b"".join(page.texts_in(text, text + 1)[:1])))
            heading = bisect_left(page.heading_starts, text) - 1
            is_title = heading >= 0 and page.headings[heading].end > text
            if label in labels and not is_title and page.links_in(start, end):
                yield text, start

    def _has_menu(self, heading: Element, end: int) -> bool:
        """Whether the links under a heading are all dropped: to places in the page, or contents."""
        inside = self.page.links_in(heading.end, end)
        targets = [link.open.attribute("href") for link in inside if link.tag == "a"]
        if len(inside) > 1 and all(self._label(a) in words_of("pager", "places") for a in inside):
            return True
        if self._label(heading) not in words_of("pager", "places"):
            targets = [target for target in targets if "#" in target]
        return len(targets) >= _MIN_LINKS and all(link.tag == "a" for link in inside)

    # -- feet ------------------------------------------------------------------------

    def _feet(self) -> Iterator[tuple[int, int]]:
        """Yield the lines at the end of a page that say who or what made it."""
        page = self.page
        last = bisect_left(page.text_starts, self.end)
        for at in range(last - 1, max(-1, last - 1 - _LAST_TEXTS), -1):
            start = page.text_starts[at]
            if start < self.start:
                return
            if self._is_dropped(start):
                continue
            if page.text_kinds[at] == WORDS and _says_who(page.texts_in(start, start + 1)):
                line = self._foot_line(start)
                if line is not None:
                    yield line

    def _foot_line(self, start: int) -> tuple[int, int] | None:
        """Return the span of a text that says who made the page, to the end of a short block."""
        data = self.page.data
        after = _BLOCK_TAG.search(data, start, min(self.end, start + 2 * _MAX_FOOT))
        while after is not None and after[0][:3].lower() == b"<br":
            after = _BLOCK_TAG.search(data, after.end(), min(self.end, start + 2 * _MAX_FOOT))
        end = after.start() if after else self.end
        size = sum(map(len, self.page.texts_in(start, end)))
        return (start, end) if size <= _MAX_FOOT // 3 else None


_NAMED_BESIDE = {
    "source.languages": _Finder._names_language,
    "heading.badges": _Finder._is_badge,
    "heading.shown": _Finder._shows_title,
}
"""Elements that are dropped by name in certain places."""

_UNSEEN = re.compile(r"\bdisplay\s*:\s*none", re.IGNORECASE)
_MAX_LANGUAGE = 60
_CODE_NEXT = re.compile(
    rb"\s*+(?:<(?:div|figure|button)\b[^<>]*+>\s*+(?:</button>\s*+)?){0,3}<pre\b", re.IGNORECASE
)
_VERDICT_TAGS = frozenset(("nav", "script", "style", "template", "noscript"))
_SOURCE_ADDRESS = re.compile(
    r"#L?[0-9]|#line|(?:^|/)src/|src-html|/source/|_modules/|/(?:edit|blob|tree|raw|new)/|\.html#l[0-9]|/issues/"
    r"|\.(?:nim|c|h|py|js|ts|rs|java|go|rb|cs|hs|ml)\b",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(r"\Z|#|javascript:", re.IGNORECASE)
"""The address of a link that opens a part of its own page."""

_PART = re.compile(
    r" (?:page|chapter|section|topic|part|node|slide|class|package|module|message)(?: \(by \w+)?\Z"
)
_RETURN = re.compile(
    r"(?:(?:go|return|jump) (?:back |up )?|back |up )to (?:the )?"
    r"(?:top|index|(?:main |table of )?contents|home page|main page)(?: of (?:the )?page)?"
)


@memo(4096)
def _label_of_text(raw: bytes) -> str:
    return label_of(unescape(raw))


@memo(4096)
def _is_step(label: str) -> bool:
    """Whether a label names a step: the next or previous page or part.

    >>> _is_step("next page"), _is_step("next()")
    (True, False)
    """
    is_named = _PART.sub("", label) in words_of("pager", "steps")
    return is_named or _RETURN.fullmatch(label) is not None


def _relation(link: Element) -> bool:
    named = link.open.attribute("rel")
    return named != "" and not words_of("pager", "relations").isdisjoint(named.lower().split())


def _is_small(element: Element) -> bool:
    return element.tag not in _REGIONS and element.end - element.start <= 4 * _MAX_PAGER


def _says_who(texts: Sequence[bytes]) -> bool:
    """Whether one of some texts begins with who or what made the page, and when."""
    pattern = pattern_of("foot", "phrases")
    text_shown = " ".join(unescape(b" ".join(texts)).split())
    return pattern.match(text_shown) is not None or any(
        pattern.match(" ".join(unescape(text).split())) for text in texts
    )


def _verdict(opening: StartTag) -> tuple[bool, frozenset[str]]:
    """Return whether tag, role, or the name of a hidden part is enough, and lists with its name."""
    is_certain, lists = _verdict_but_id(opening.name, opening.role, opening.classes)
    named = id_lists(opening.id) if opening.id and not is_certain else None
    if named:
        by_id = _LISTS_OF_NAMES & {list_name.removesuffix(".classes") for list_name in named}
        by_id |= {"whole"} if "foot.whole" in named else set()
        lists |= by_id if by_id <= lists else by_id | {"id"}
    is_unseen = "drop" in lists and _UNSEEN.search(opening.attribute("style")) is not None
    return is_certain or is_unseen, lists


@memo(4096)
def _verdict_but_id(tag: str, role: str, classes: tuple[str, ...]) -> tuple[bool, frozenset[str]]:
    roles = role.split()
    if tag in words_of("drop", "tags") or not words_of("drop", "roles").isdisjoint(roles):
        return True, frozenset()
    names = _lists_of_heading(classes) if tag in HEADING_LEVELS else lists_of(classes)
    lists = {*_LISTS_OF_NAMES} & {list_name.removesuffix(".classes") for list_name in names}
    if any(map(_is_whole_foot, classes)):
        lists.add("whole")
    for table in ("linked", "foot"):
        is_role = not words_of(table, "roles").isdisjoint(roles)
        if tag in words_of(table, "tags") or is_role:
            lists.add(table)
    if tag == "button" or "button" in roles:
        lists.add("button")
    return False, frozenset(lists)


def _lists_of_heading(classes: tuple[str, ...]) -> frozenset[str]:
    """Return the lists that contain a whole class of a heading, which may name a neighbour of it.

    >>> sorted(_lists_of_heading(("toc-title",))), sorted(_lists_of_heading(("belowStickyNavbar",)))
    (['drop.classes'], [])
    """
    return frozenset[str]().union(*map(id_lists, classes))


_LISTS_OF_NAMES = frozenset(("drop", "beside", "linked", "foot", "source"))

_ITEM_SIGNS = re.compile(
    rb"(?:[\s0-9.,|\[\]()]|&nbsp;|&#160;|\xc2[\xa0\xb7]|\xe2\x80[\xa2\x93\x94]|(?!))*+",
    re.IGNORECASE,
)


def _parts_items(text: bytes) -> bool:
    """Whether signs may stand between the links of a list: numbers and separators."""
    return _ITEM_SIGNS.fullmatch(text) is not None


def _is_whole_foot(name: str) -> bool:
    return "foot.whole" in id_lists(name)
