"""HTML to a `Document`: headings, blocks, links, and dropped spans.

In: the bytes of a page. Out: a document whose spans are bytes of the page (of
its UTF-8 decoding, where it is in another encoding). Text outside the content region, and
parts of it that only serve the site, are `dropped_spans`. `metadata` holds the `base` of the
page's links, its language (`lang`), `noindex` if it excludes itself from searches, and the
`canonical` address if that is another page's.

The title of a page is the heading whose words its `title` element has between two signs: the rest
of that is the name of the site or the manual. The heading has the number of the page
(`4.1 Basic Usage` under `Basic Usage (GNU Octave)`), or the kind of its subject (`Struct Lamp`
under `Lamp in lamps - Rust`). At the beginning of a title, or behind a colon, any heading may say
it: `Usage — Mako 1.4 documentation`, `JSDoc: Class: Lamp`. Behind a dash it must be the one heading
above all others. A heading outside the text may be the site's: `Slurm Workload Manager - sbatch`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import compress
from posixpath import basename, dirname, join, normpath
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from leafmark.model import Anchor, Deferred, Document, Heading, Link, Span, merge, span_at, subtract
from leafmark.parsing.decoding import decode
from leafmark.parsing.html.blocks import find_blocks
from leafmark.parsing.html.boilerplate import boilerplate_spans
from leafmark.parsing.html.dom import SIGNS, WORDS, Named, Page, read_page
from leafmark.parsing.html.entries import find_entries
from leafmark.parsing.html.marks import find_tabs, labels_of_panels
from leafmark.parsing.html.outline import find_headings, heading_text, title_of
from leafmark.parsing.html.page_words import is_sign
from leafmark.parsing.html.region import content_region
from leafmark.parsing.html.text import read_html
from leafmark.parsing.html.tokens import TAGS, unescape
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import NamedTag, file_title, first_title, fold, named_places

Spans = list[tuple[int, int]]

TAG_LIMIT = 1_000_000
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
_MAX_LINE = 1000
"""Bytes before an offset in which its line must begin."""

_CHARSET_REACH = 1024
"""Bytes in which a page must declare its encoding, by the HTML Standard."""


_COMMENT = rb"<!--(?:[^-]++|-(?!->)|(?!))*+(?:-->|\Z)"
_NO_WORDS = re.compile(
    rb"(?:\s++|%b|</?(?:a|div|p|section|span|[hb]r)(?=[\s/>])[^<>]*+>|(?!))*+" % _COMMENT,
    re.IGNORECASE,
)
"""Markup between a name and its heading."""

_INDEX = frozenset(("", "index", "readme", "default"))
"""The names of the page of a folder."""


def parse_html(data: bytes, path: str) -> Document:
    """Return the document of an HTML source."""
    decoded = decode(data, path, declared=declared_charset(data))
    tags = decoded.data.count(b"<")
    if tags > TAG_LIMIT:
        reason = f"it has {tags} tags, more than {TAG_LIMIT}"
        return degraded_document(decoded, path, "text", reason)
    page = read_page(decoded.data)
    parts = _Parts.of(page, path)
    headings = parts.headings
    extents = [(heading.start, heading.end) for heading in headings if not heading.nested]
    blocks = find_blocks(page, extents, parts.dropped, parts.limits)

    def anchors() -> tuple[Anchor, ...]:
        code = [(block.start, block.end) for block in blocks if block.kind == "code"]
        starts = [heading.start for heading in headings]
        return tuple(_anchors(page, starts, parts.dropped, merge(code)))

    return Document(
        path,
        decoded.data,
        "html",
        parts.title(path) or file_title(path),
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
    for match in _CHARSET.finditer(data, 0, _CHARSET_REACH):
        if match.lastindex:  # no comment
            return str(match[match.lastindex], "latin-1")
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """A page and its readable parts: `limits` are the region's spans, `dropped` the rest."""

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
        labels = [(tab_list.start, tab_list.end) for tab_list in tabs.lists]
        unread = boilerplate_spans(page, limits, path)
        dropped = merge([*subtract(0, size, limits), *unread, *labels])
        entries = find_entries(page, limits, dropped)
        headings = find_headings(page, limits, dropped, entries, tabs.panels)
        return cls(page, limits, dropped, headings)

    def title(self, path: str) -> str:
        """Return the page's title, else the shown one, else the first h1, that of the region first.

        It does not include the name of the site or the manual if a heading has the rest.
        """
        page, headings = self.page, self.headings
        opening = [(h.level, h.title) for h in headings if not h.nested and h.end > h.start]
        text = title_of(page)
        if text and not (opening and text == basename(path)):
            homes = {*self._homes(path)}
            if text in homes and opening and opening[0][0] == 1 and is_above_all(opening):
                return opening[0][1]
            return own_title(text, opening, {*self._outer_titles()}, self._shown(), homes)
        if shown := self._shown():
            return shown
        title = first_title([heading for heading in headings if heading.end > heading.start])
        return title or next(self._outer_titles(), "")

    def _outer_titles(self) -> Iterator[str]:
        for element in self.page.having("h1"):
            if span_at(self.dropped, element.start) is not None:
                text = heading_text(self.page.data, element.inner, element.close, [])
                if text:
                    yield text

    def _homes(self, path: str) -> Iterator[str]:
        """Yield the texts of links to the first page of the site that stand outside the text."""
        for link in self.page.links:
            if link.tag == "a" and span_at(self.dropped, link.start) is not None:
                target = link.open.attribute("href").strip()
                text = heading_text(self.page.data, link.inner, link.close, [])
                if _HOME.fullmatch(target) and text and not is_sign(text.encode()):
                    is_index = _page_name(path) in (_page_name(dirname(path)), "")
                    own = path if is_index and target == "/" else join(dirname(path), target)
                    if _page_name(normpath(own)) != _page_name(path):
                        yield text

    def _shown(self) -> str:
        """Return the title that the page shows outside of headings, "" if there is none."""
        first = min([h.start for h in self.headings[:1]], default=len(self.page.data))
        named = self.page.tags_in_list("heading.shown")
        for element in self.page.elements if named else ():
            if element.start >= first:
                break
            is_shown = element.open in named and element.tag in ("div", "p", "span")
            inside = element.inner, element.close  # words of a link are the title of another page
            if is_shown and any(self.page.text_size(kind, *inside) for kind in (SIGNS, WORDS)):
                return fold(unescape(self.page.texts_in(*inside)[0]))
        return ""

    def links(self) -> Iterator[Link]:
        for element in self.page.links:
            if span_at(self.dropped, element.start) is None:
                kind: Literal["image", "link"] = "image" if element.tag == "img" else "link"
                target = element.open.attribute(_ADDRESSES[kind])
                yield Link(element.start, element.end, target.strip(), kind)


def _anchors(page: Page, starts: list[int], dropped: Spans, code: Spans) -> list[Anchor]:
    """Return the names in a page beside the slugs of its headings, in order.

    A name right before a heading belongs to the heading, as in Markdown. Names in `dropped` spans
    do not count, nor do those of lines of `code`, which stand at the beginnings of lines and differ
    only in their numbers, unless a link elsewhere leads there. `starts` are those of headings.
    """
    tags = [*_names_of_text(page, dropped)]
    own = [span_at(code, named.start) for named in tags]
    of_line = [
        span is not None and _begins_line(page.data, span[0], named.start)
        for span, named in zip(own, tags, strict=True)
    ]
    stems = Counter(_NUMBERS.sub("", tag.name) for tag in compress(tags, of_line))
    linked: dict[str, set[tuple[int, int] | None]] = {}
    for link in page.links if stems else ():
        name = unquote(link.open.attribute("href").partition("#")[2])
        linked.setdefault(name, set()).add(span_at(code, link.start))
    tags_kept = [
        NamedTag(*tag[:3])
        for tag, span, is_of_line in zip(tags, own, of_line, strict=True)
        if not is_of_line
        or stems[_NUMBERS.sub("", tag.name)] == 1
        or linked.get(tag.name, {span}) - {span}
    ]
    return [anchor for _, anchor in reversed(named_places(page.data, tags_kept, starts, _NO_WORDS))]


def _names_of_text(page: Page, dropped: Spans) -> Iterator[Named]:
    """Yield the names in the readable text; that of the page or its text is at its beginning."""
    for named in page.named:
        span = span_at(dropped, named.start)
        if span is None:
            yield named
        elif named.tag in _FRAMES and span[1] < len(page.data):
            yield named._replace(start=span[1], end=span[1])


_FRAMES = frozenset(("html", "body", "main"))
_NUMBERS = re.compile(r"[0-9]+")


def _begins_line(data: bytes, start: int, at: int) -> bool:
    """Whether only tags stand between `at` and the beginning of its line, or `start`."""
    line = max(start, data.rfind(b"\n", start, at), at - _MAX_LINE)
    return not TAGS.sub(b"", data[line:at]).strip()


def _metadata(page: Page, path: str) -> dict[str, Any]:
    """Return the metadata of a page."""
    metadata: dict[str, Any] = {}
    base = next(
        (element for element in page.having("base") if "href" in element.open.attributes), None
    )
    if base is not None and base.open.attribute("href").strip():
        metadata["base"] = base.open.attribute("href").strip()
    language = page.root.attribute("lang").strip() if page.root else ""
    if language:
        metadata["lang"] = language
    if any(_says_noindex(element.open.attributes) for element in page.having("meta")):
        metadata["noindex"] = True
    for link in page.having("link"):
        address = link.open.attribute("href").strip()
        is_canonical = "canonical" in link.open.attribute("rel").lower().split()
        if is_canonical and address and not _is_same_page(address, path):
            metadata["canonical"] = address
            break
    return metadata


def _says_noindex(attributes: dict[str, str]) -> bool:
    is_for_all = attributes.get("name", "").lower() in ("robots", "googlebot")
    directives = attributes.get("content", "").lower().replace(",", " ").split()
    return is_for_all and ("noindex" in directives or "none" in directives)


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
    """Return the name of a page without its suffix, for an index page that of its folder."""
    parts = [part for part in path.split("/") if part]
    if parts and parts[-1].partition(".")[0].lower() in _INDEX:
        parts.pop()
    return parts[-1].rpartition(".")[0] or parts[-1] if parts else ""


_HOME = re.compile(r"/|(?:\./)?(?:\.\./)*(?:\.|\.\.|index\.x?html?)?", re.IGNORECASE)
"""Where a link leads to the first page of a site."""

_PARTING = re.compile(
    r" (?:[-\u2010-\u2015|\xb7\u2022\xab\xbb\u2039\u203a/~:<>]|::|--) |: | (?:\(|in |\[)"
)
"""The separators between the name of a page and that of its site or its manual."""

_MAX_PARTINGS = 8
_MAX_TITLE = 1024
"""The longest title, in characters, that is checked for the name of a site."""

_PART = (
    r"(?:Chapter|Appendix|Part|Section|Annex|Kapitel|Anhang|Teil|Abschnitt|Chapitre|Annexe|Partie"
    r"|Cap\xedtulo|Ap\xe9ndice|Parte|Capitolo|Appendice|Hoofdstuk|Bijlage) "
)
_COUNT = r"(?:[0-9]{1,4}+|[A-Z]|[IVXLC]{1,7}+)"
_NUMBERED = re.compile(
    rf"(?:{_PART}(?P<part>{_COUNT}(?:\.[0-9]{{1,4}}+|(?!))*+)(?:[.:]|(?= ))"
    r"|(?P<deep>[0-9A-Z]{1,4}+(?:\.[0-9]{1,4}+|(?!))++)[.:]?|(?P<flat>[0-9]{1,4}+)[.:])"
    r" (?:[-\u2010-\u2015] )?"
)
"""The number before a title: `Chapter 4: `, `9.17. `, `A.1 `, `3. `."""

_CHAPTER = re.compile(rf"{_PART}{_COUNT}[.: ]")

_BARE_NUMBER = re.compile(r"[A-Z]?[0-9]+(?:\.[0-9]+|(?!))*+ |[A-Z] ")

_MARKS = ":,.;*_\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\xab\xbb\u2026"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015"

_KIND = re.compile(
    r"(?:(?:Abstract|Alias|Annotation|Class|Constant|Crate|Enum|Enumeration|Exception|Field"
    r"|Function|Interface|Macro|Method|Module|Namespace|Object|Package|Property|Record|Reference"
    r"|Struct|Trait|Type|Union|Variable) |(?!)){1,2}+(?=\S++\Z)"
)
"""The kind of a reference page's subject: `Class`, `Type Alias`."""


def own_title(
    title: str,
    opening: Sequence[tuple[int, str]],
    outer: Set[str],
    shown: str,
    homes: Set[str] = frozenset(),
) -> str:
    """Return the title of a page without the name of its site; `title` is its title element.

    `opening` are the levels and titles of its headings, `outer` the titles of headings outside its
    text, `shown` is a title shown in another element, `homes` are the texts of links home.

    >>> own_title("Usage - Tips — Mako 1.4", [(1, "Mako"), (2, "Usage - Tips")], set(), "")
    'Usage - Tips'
    >>> own_title("Usage — Mako", [(1, "Mako"), (2, "Introduction")], set(), "")
    'Usage — Mako'
    >>> own_title("Slurm - sbatch", [(1, "NAME"), (1, "sbatch")], {"Slurm"}, "")
    'sbatch'
    >>> own_title("Dim - Lamp Book", [(1, "1. Dim it")], {"Lamp Book"}, "")
    'Dim'
    >>> own_title("Basic Usage (GNU Octave)", [(1, "4.1 Basic Usage")], set(), "")
    '4.1 Basic Usage'
    >>> own_title("Lamp — Harbor v2", [(1, "Lamp (Harbor v2)")], set(), "")
    'Lamp'
    >>> own_title("Set up | Harbor", [(1, "First steps")], set(), "", {"Harbor"})
    'Set up'
    >>> own_title("Lamps in Harbor", [(2, "Lamps at sea")], set(), "", {"Harbor"})
    'Lamps in Harbor'
    >>> own_title("Light: Member List", [], set(), "Lamp< T > Member List")
    'Lamp< T > Member List'
    """
    if len(title) > _MAX_TITLE:
        return title
    first = opening[0][1] if opening else ""
    others, sites = {text for _, text in opening[1:]} | outer, outer - {first}
    is_above, number = is_above_all(opening), _split_title(title)[0]
    for part in _parts(title):
        shown_title = _as_shown(part, shown) if shown else ""
        if shown_title or (
            shown_title := _as_first(part, first, title, number=number, is_above=is_above)
        ):
            return shown_title
        is_named = part.rest in sites and opening and opening[0][0] == 1
        if not part.before and (is_named or first == f"{part.words} ({part.rest})"):
            return part.words
        if not part.before and part.words in sites and part.rest in {*others, first}:
            return part.rest
        is_alone = not part.before or (part.before == ":" and not part.behind)
        if is_alone and part.words in others and part.behind not in ("(", "in", "["):
            return part.words
    for part in _parts(title):
        if not part.before and part.behind != "in" and part.rest in homes:
            return part.words
    return title


class _Part(NamedTuple):
    """A part of a title between two signs, the signs, and the text behind the second."""

    words: str
    before: str
    behind: str
    rest: str


def _parts(title: str) -> Iterator[_Part]:
    """Yield the parts of a title: all of it first, then from the front, the longest first."""
    cuts = [*_PARTING.finditer(title)][:_MAX_PARTINGS]
    ends = [(len(title), len(title), ""), *((*c.span(), c[0].strip()) for c in reversed(cuts))]
    for start, before in [(0, ""), *((c.end(), c[0].strip()) for c in cuts)]:
        for end, after, behind in ends:
            if start < end:
                yield _Part(title[start:end], before, behind, title[after:].rstrip("])"))


def _as_shown(part: _Part, shown: str) -> str:
    """Return the shown title if it says no less than a part, or a part that says more."""
    if part.before not in ("", ":"):
        return ""
    if part.words == shown or shown.endswith(f" {part.words}"):
        return shown
    words = f" {part.words.replace('/', ' ')} "
    return part.words if part.before and not part.behind and f" {shown} " in words else ""


def _as_first(part: _Part, heading: str, title: str, *, number: str, is_above: bool) -> str:
    """Return the first heading if a part has its words; behind a dash, only a heading above all.

    Otherwise return the whole title if it differs only in number, kind and capitals.
    """
    if part.before in ("-", "--"):
        return heading if is_above and part.words == heading else ""
    if part.before not in ("", ":") or not _says(part.words, heading, number):
        return ""
    is_front = part.behind != "" and not part.before
    return heading if is_above or part.words == heading or is_front else ""


def _says(part: str, heading: str, own: str) -> bool:
    """Whether a part of a title and a heading differ only in number, kind and capitals.

    `own` is the number of the title.
    """
    if part == heading or not heading or len(heading) > _MAX_TITLE:
        return part == heading != ""
    (number, words), (other, heading_words) = _split_title(part), _split_title(heading)
    if not words or (other and (number or own) not in ("", other)):
        return False
    bare = heading_words[1:] if _BARE_NUMBER.match(heading) and not other else heading_words
    named = heading.partition("<")[0]
    kind = _KIND.match(named)
    return words in (heading_words, bare, _split_title(named[kind.end() :] if kind else heading)[1])


def is_above_all(headings: Sequence[tuple[int, str]]) -> bool:
    """Whether the first heading is less deep than all others, or is the only one called a chapter.

    >>> is_above_all([(1, "Lamps"), (2, "Use"), (2, "Sale")])
    True
    >>> is_above_all([(2, "1. Use"), (2, "2. Sale")]), is_above_all([])
    (False, False)
    >>> is_above_all([(1, "Chapter 4. Lamps"), (1, "4.1. Use"), (1, "4.2. Sale")])
    True
    """
    others = [title for level, title in headings[1:] if level <= headings[0][0]]
    if not headings or not others:
        return bool(headings)
    return bool(_CHAPTER.match(headings[0][1])) and not any(map(_CHAPTER.match, others))


def _split_title(title: str) -> tuple[str, tuple[str, ...]]:
    """Return the number of a title, and its words without capitals, dashes and marks around them.

    >>> _split_title("Appendix B: DLL/TLB \u2014 \u201cSetup\u201d")
    ('B', ('dll/tlb', 'setup'))
    >>> _split_title("9.17. C++ in 3 steps"), _split_title("3 steps")
    (('9.17', ('c++', 'in', '3', 'steps')), ('', ('3', 'steps')))
    """
    match = _NUMBERED.match(title)
    number = (match["part"] or match["deep"] or match["flat"]) if match else ""
    parts = (word.strip(_MARKS) for word in title[match.end() if match else 0 :].casefold().split())
    return number, tuple(word for word in parts if word.strip(_DASHES))
