"""HTML to a `Document`: headings, blocks, links, and what is left out.

In: the bytes of a page. Out: a document whose spans are bytes of the page (of
its UTF-8 decoding, where it is in another encoding). What is outside the content region, and
what in it only serves the site, are `dropped_spans`. What a page says of itself as a whole is in
`metadata`: the `base` of its links, its language (`lang`), `noindex` where it wants to be in no
search, and the `canonical` address where that is another page's.

A page is called what it says, without the name of its site or its manual.

That name stands behind the page's own, and a heading of the page proves where the page's own
ends: `Usage — Mako 1.4 documentation` above the heading `Usage`. It stands before it where a
heading outside the text is the site's name, `Slurm Workload Manager - sbatch`, or where all behind
a colon is the first heading: `JSDoc: Class: Lamp` above `Class: Lamp`. The first heading is the
title, too, where it says more than the title does of the same: its number (`4.1 Basic Usage` under
`Basic Usage (GNU Octave)`), or the kind of its subject (`Struct Lamp` under `Lamp in lamps - Rust`,
`Class Lamp<T>` under `Lamp (Light API)`). Behind a bracket or a colon stands the name of a manual
only where the heading has these, or a program made the page; in other titles they may mean
anything.

Where the title and the one heading above all others say the same, but for a number, the name of a
site behind a separator or before a colon, capitals or dashes, that heading is the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from leafmark.model import Anchor, Deferred, Document, Heading, Link, Span, merge, span_at, subtract
from leafmark.parsing.decoding import decode
from leafmark.parsing.html.blocks import find_blocks
from leafmark.parsing.html.boilerplate import boilerplate_spans
from leafmark.parsing.html.dom import Page, read_page
from leafmark.parsing.html.entries import find_entries
from leafmark.parsing.html.marks import find_tabs, labels_of_panels
from leafmark.parsing.html.outline import find_headings, heading_text, title_of
from leafmark.parsing.html.region import content_region
from leafmark.parsing.html.text import read_html
from leafmark.parsing.html.tokens import TAGS, unescape
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import NamedTag, file_title, first_title, fold, named_places

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
_DASH = re.compile(r"\s(?:-{1,3}|[\u2010-\u2015])\s")
_MAX_NAME = 80
_MAX_LINE = 1000
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
        return tuple(_anchors(page, starts, parts.dropped, merge(code)))

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
        """The page's title, what it shows as one, or the first h1, that of the region first.

        The name of the site or the manual is no part of it, where a heading says what else it is.
        """
        page, headings = self.page, self.headings
        opening = [(h.level, h.title) for h in headings if not h.nested and h.end > h.start]
        text = title_of(page)
        if text:
            head = page.data[: page.body_start]
            return own_title(text, opening, {*self._outer_titles()}, self._shown(), head)
        if shown := self._shown():
            return shown
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
        return name if 0 < len(name) <= _MAX_NAME else headings[0].title

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


def _anchors(page: Page, starts: list[int], dropped: Spans, code: Spans) -> list[Anchor]:
    """The names in a page beside the slugs of its headings, in order of where they stand.

    A name right before a heading is that heading's, as in Markdown. Those in what is `dropped` are
    none, and those at the beginning of a line of `code`, where each may have one, unless a link
    leads there from elsewhere. `starts` are those of headings.
    """
    linked: dict[str, set[tuple[int, int] | None]] = {}
    for link in page.links if code else ():
        name = unquote(link.open.attribute("href").partition("#")[2])
        linked.setdefault(name, set()).add(span_at(code, link.start))
    tags = []
    for start, end, name, _, _ in page.named:
        own = span_at(code, start)
        is_of_line = own is not None and _begins_line(page.data, own[0], start)
        if span_at(dropped, start) is None and (not is_of_line or linked.get(name, {own}) - {own}):
            tags.append(NamedTag(start, end, name))
    return [anchor for _, anchor in reversed(named_places(page.data, tags, starts, _NO_WORDS))]


def _begins_line(data: bytes, start: int, at: int) -> bool:
    """Whether nothing but tags stands between `at` and the beginning of its line, or `start`."""
    line = max(start, data.rfind(b"\n", start, at), at - _MAX_LINE)
    return not TAGS.sub(b"", data[line:at]).strip()


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


_SEPARATOR = re.compile(r" (?:[-\u2010-\u2015|\xb7\u2022\xab\xbb\u2039\u203a/~:<>]|::|--) ")
"""What stands between the title of a page and the name of its site."""

_MAX_TITLE = 1024
"""Characters of a title in which the name of a site is looked for."""

_GENERATED = re.compile(
    rb"<meta\s[^<>]*\bname\s*=\s*[\"']?generator\b|<!--[^<>-]{0,200}\bgenerated\b", re.IGNORECASE
)
"""What says in the head of a page that a program made it."""

_NUMBER = re.compile(r"(?:\w++ )?[A-Z0-9]{1,4}+(?:\.[0-9]++|(?!))*+\.? ")
"""The number of a section or an appendix."""

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

_MARKS = ":,.;\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\xab\xbb\u2026"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015"

_KIND = re.compile(
    r"(?:(?:Abstract|Alias|Annotation|Class|Constant|Crate|Enum|Enumeration|Exception|Field"
    r"|Function|Interface|Macro|Method|Module|Namespace|Object|Package|Property|Record|Reference"
    r"|Struct|Trait|Type|Union|Variable) |(?!)){1,2}+(?=\S++\Z)"
)
"""What a page of a reference calls its subject: `Class`, `Type Alias`."""


def own_title(
    title: str, opening: Sequence[tuple[int, str]], outer: Set[str], shown: str, head: bytes
) -> str:
    """Return what a page is called whose `title` is given.

    `opening` are the levels and titles of its headings, `outer` those of headings outside its text,
    `shown` what an element shows as its title that is no heading; `head` is what stands before its
    body.
    """
    if shown and len(title) <= _MAX_TITLE:
        title = _as_shown(title, shown)
    first = opening[0][1] if opening else ""
    is_generated = _GENERATED.search(head) is not None
    title = without_manual(title, first, is_generated=is_generated)
    if opening and opening[0][0] == 1:
        title = _before_outer(title, outer - {first})
    title = without_site(title, {text for _, text in opening}, outer, first)
    return as_headed(title, first) if is_above_all(opening) else title


def _before_outer(title: str, outer: Set[str]) -> str:
    """A title without what an h1 above the text says, the site's, where the text has its own.

    >>> _before_outer("Dim - Lamp Book", {"Lamp Book"}), _before_outer("Dim", {"Dim"})
    ('Dim', 'Dim')
    """
    if not outer or len(title) > _MAX_TITLE:
        return title
    ends = [*_SEPARATOR.finditer(title)]
    named = (title[: end.start()] for end in ends if title[end.end() :] in outer)
    bracketed = (title[: -len(site) - 3] for site in outer if title.endswith(f" [{site}]"))
    return next(chain(named, bracketed), title)


def _as_shown(title: str, shown: str) -> str:
    """The longer of two names of a page, where the site's stands before one with a colon.

    >>> _as_shown("Light: Member List", "Lamp< T > Member List")
    'Lamp< T > Member List'
    >>> _as_shown("Light: lamp.h Source File", "lamp.h"), _as_shown("Lamp", "Note")
    ('lamp.h Source File', 'Lamp')
    """
    name, _, rest = title.partition(": ")
    if name.endswith(":"):
        return title
    if rest and (shown == rest or shown.endswith(f" {rest}")):
        return shown
    if rest.startswith(f"{shown} ") or rest.endswith((f" {shown}", f"/{shown}", f":{shown}")):
        return rest
    return shown if rest == "Main Page" else title


def without_site(
    title: str, headings: Set[str], outer: Set[str] = frozenset(), first: str = ""
) -> str:
    """Return the longest beginning of a title, up to a separator, that is a heading, or all of it.

    `outer` are headings outside what is read of the page. One of them may be the page's own, or
    the site's above every page: it is the site's where the rest of the title is a heading. The
    title may also end, behind a colon, or begin with what one of these or the `first` heading of
    the text says, or says behind the kind of its subject.

    >>> without_site("Usage - Tips — Mako 1.4 documentation", {"Usage", "Usage - Tips"})
    'Usage - Tips'
    >>> without_site("Usage — Mako", {"Mako", "Introduction"})
    'Usage — Mako'
    >>> without_site("Slurm - sbatch", {"sbatch", "NAME"}, {"Slurm"})
    'sbatch'
    >>> without_site("JSDoc: Class: Lamp", set(), {"Class: Lamp"})
    'Class: Lamp'
    >>> without_site("The guide : Lamp", {"Module Lamp"}, first="Module Lamp")
    'Module Lamp'
    >>> without_site("Lamp | light", {"Class Lamp"}, first="Class Lamp")
    'Class Lamp'
    """
    if title in headings or title in outer or len(title) > _MAX_TITLE:
        return title
    ends = [*_SEPARATOR.finditer(title)]
    for found in reversed(ends):
        name, rest = title[: found.start()], title[found.end() :]
        if name in headings:
            return name
        if name in outer:
            return rest if rest in headings else name
    names = sorted({first, *outer})
    named = {_without_kind(name): name for name in names} | {name: name for name in names}
    parts = title.split(": ")
    rests = (": ".join(parts[at:]) for at in range(1, len(parts)))
    beginnings = (title[: found.start()] for found in ends)
    return next((named[part] for part in (*rests, *beginnings) if part in named), title)


def _without_kind(heading: str) -> str:
    """The subject of a heading that says its kind first, without the parameters of its type."""
    named = heading.partition("<")[0]
    kind = _KIND.match(named)
    return named[kind.end() :] if kind else heading


def without_manual(title: str, heading: str, *, is_generated: bool) -> str:
    """Return the first heading of a page where it is the name before the manual's, else the title.

    >>> without_manual("Basic Usage (GNU Octave)", "4.1 Basic Usage", is_generated=False)
    '4.1 Basic Usage'
    >>> without_manual("Usage (draft of May)", "Usage", is_generated=False)
    'Usage (draft of May)'
    >>> without_manual("Lamp.Kind (Light API)", "Enum Class Lamp.Kind<T>", is_generated=False)
    'Enum Class Lamp.Kind<T>'
    >>> without_manual("GwyRuler: Widgets", "GwyRuler", is_generated=True)
    'GwyRuler'
    """
    number = _NUMBER.match(heading)
    plain = heading[number.end() :] if number else heading
    subject = _without_kind(heading)
    marks = [(plain, " (")] if number else []
    if is_generated:
        marks += [(name, mark) for name in (heading, plain) for mark in (" (", ": ")]
    if subject not in (heading, plain):
        marks += [(subject, " ("), (subject, " in ")]
    is_named = any(name and title.startswith(name + mark) for name, mark in marks)
    return heading if is_named else title


def is_above_all(headings: Sequence[tuple[int, str]]) -> bool:
    """Whether the first heading is less deep than all others, or it alone says it is a chapter.

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


def as_headed(title: str, heading: str) -> str:
    """Return the heading that stands above all others where a title says the same, else the title.

    >>> as_headed("Configuring PuTTY", "Chapter 4: Configuring PuTTY")
    'Chapter 4: Configuring PuTTY'
    >>> as_headed("s6: the s6-svscan program", "The s6-svscan program")
    'The s6-svscan program'
    >>> as_headed("Lamp Handbook - 2\xa0 Dim", "2 Dim")
    '2 Dim'
    >>> as_headed("Chapter 4: Lamps", "Chapter 5: Lamps"), as_headed("Lamp", "Lamp 2")
    ('Chapter 4: Lamps', 'Lamp')
    >>> as_headed("Lamp", "Class Lamp<T>")
    'Class Lamp<T>'
    >>> as_headed("Lamp 2.0 documentation", "Lamp documentation")
    'Lamp documentation'
    """
    if not heading or len(title) > _MAX_TITLE or len(heading) > _MAX_TITLE:
        return title
    if _without_version(title) == heading or _is_behind_site(title, heading):
        return heading
    number, words = _said(heading)
    subject = _said(_without_kind(heading))[1]
    rests = (title[found.end() :] for found in re.finditer(": ", title))
    beginnings = (title[: found.start()] for found in _SEPARATOR.finditer(title))
    whole = _said(title)[0]
    for own, said in map(_said, (title, *rests, *beginnings)):
        is_numbered_so = not number or (own or whole) in ("", number)
        if said and said in (words, subject) and is_numbered_so:
            return heading
    return title


def _is_behind_site(title: str, heading: str) -> bool:
    """Whether a heading stands in a title behind a dash, up to its end or another separator.

    >>> _is_behind_site("python - Dim a lamp? - Questions", "Dim a lamp?")
    True
    """
    title, heading = (" ".join(each.split()) for each in (title, heading))
    _, sign, rest = title.partition(f"- {heading}")
    return sign != "" and (not rest or _SEPARATOR.match(rest) is not None)


_VERSION = re.compile(r" v?[0-9]++(?:\.[0-9a-z]++|(?!)){1,4}+(?= )")


def _without_version(title: str) -> str:
    """A title without the version of what it is about, where that stands in the middle."""
    return _VERSION.sub("", title, count=1)


def _said(title: str) -> tuple[str, tuple[str, ...]]:
    """The number of a title, and its words without capitals, dashes and marks around them.

    >>> _said("Appendix B: DLL/TLB \u2014 \u201cSetup\u201d")
    ('B', ('dll/tlb', 'setup'))
    >>> _said("9.17. C++ in 3 steps"), _said("3 steps")
    (('9.17', ('c++', 'in', '3', 'steps')), ('', ('3', 'steps')))
    """
    found = _NUMBERED.match(title)
    number = (found["part"] or found["deep"] or found["flat"]) if found else ""
    parts = (word.strip(_MARKS) for word in title[found.end() if found else 0 :].casefold().split())
    return number, tuple(word for word in parts if word.strip(_DASHES))
