"""Documented items without headings: functions, classes, members, options.

In: the names that tags give places. Out: entries, each with its title and its extents. An entry is
a place with a name whose first line is a signature of that name: marked as code or by its class
(`words.toml`), with the last part of the name as one of its first words; or a term, or in bold,
that begins with the whole name. So are the terms of Sphinx, pdoc and DocBook, the members of pdoc,
rustdoc, Haddock and RDoc, the settings of Postfix and HAProxy, whatever the tags.
An entry ends with the element that begins with it, a term with its text.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from leafmark.model import span_at
from leafmark.parsing.html.dom import Element, Named, Page
from leafmark.parsing.html.page_words import is_permalink, lists_of, words_of
from leafmark.parsing.html.text import BLOCK_TAGS
from leafmark.parsing.html.tokens import iter_tokens, unescape

Spans = list[tuple[int, int]]

_SIGNATURE = 1_500
"""The bytes of a signature that are read."""

_WORD = re.compile(
    r"[A-Za-z_$~][\w$]*(?:(?:\.|::|->|#|-|:)[A-Za-z_$~][\w$]*)*|operator\W{1,3}|--?[A-Za-z][\w-]*"
)
_BEGINS, _GOES_ON = re.compile(r"\b"), re.compile(r"[\w-]")
_ANYTHING = re.compile(r".*", re.DOTALL)
_MAX_NAME = 12
"""The most words of a name that is compared with a signature."""

_MAX_WORDS = 5
"""The first words of a signature, one of which must be its name."""

_CODE = re.compile(rb"<(?:code|tt|pre|samp|kbd)\b", re.IGNORECASE)
_STRONG = ("b", "strong", "dt")
_BOLD = re.compile(rf"<(?:{'|'.join(_STRONG)})\b".encode(), re.IGNORECASE)
_CLASS = re.compile(rb"\bclass\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s<>\"']+))", re.IGNORECASE)
_INLINE = frozenset(
    "a abbr b bdi cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup"
    " tt u var".split()
)
_REGIONS = frozenset(("main", "article", "body"))
_TABLED = frozenset(("table", "tr", "td", "th", "tbody"))
_MAX_LISTING = 600
"""The longest `pre`, in bytes, that may be a signature."""

_MAX_CLIMB = 12
_JOINTS = re.compile(r"[^a-z0-9$~]+")
_LAST_PART = re.compile(r"(?:\.|::|->|#|:)(?=[^.:>#]+\Z)")
_OVERLOAD = re.compile(
    r"(?<=\w)-[0-9a-f]{1,8}\Z(?<![a-f]{3})|[-_](?:instance|class)[-_](?:method|variable)\Z"
)
"""The suffixes that distinguish overloads: `ap-1`, `map-fffff910`, `dim-class-method`."""

_PARAMETERS = re.compile(r"(?<=[A-Za-z0-9])__[\w.:]+\Z")
"""The types behind the name of a function in C++, as Sphinx once wrote them: `dim__double`."""

_LENGTH = re.compile(r"[1-9][0-9]{0,2}(?=[A-Za-z_])")
_MAX_TITLE = 80


class Entry(NamedTuple):
    """An entry begins with its signature at `start`, and ends at `limit` at the latest."""

    start: int
    limit: int
    title: str
    name: str


class _Signed(NamedTuple):
    """A named place, and its signature in the element `around`."""

    named: Named
    around: Element
    text: int
    line_end: int
    title: str


def find_entries(page: Page, limits: Spans, dropped: Spans) -> list[Entry]:
    """Return the entries of a region whose spans are `limits`, in order."""
    signed = [*_Finder(page, limits, dropped).signed()]
    if not signed:
        return []
    terms = _Terms(page)
    entries: list[Entry] = []
    for at, signature in enumerate(signed):
        following = signed[at + 1].text if at + 1 < len(signed) else len(page.data)
        term = terms.around(signature)
        if term is None:
            member = _member(page, signature, following)
            if entries and member.start < entries[-1].limit <= signature.text:
                entries[-1] = entries[-1]._replace(limit=member.start)  # it ends where this begins
            entries.append(member)
        elif term.start > (entries[-1].start if entries else -1):
            entries.append(Entry(term.start, term.end, signature.title, signature.named.name))
    return entries


class _Finder:
    """Finds the signature at each named place of a page."""

    def __init__(self, page: Page, limits: Spans, dropped: Spans) -> None:
        self.page, self.limits, self.dropped = page, limits, dropped
        self._elements = {
            element.start: element
            for element in page.elements
            if element.open.id or element.tag == "a"
        }

    def signed(self) -> Iterator[_Signed]:
        seen = -1
        for named in self.page.named:
            candidate = self._signature(named)
            if candidate is not None and candidate.text > seen:
                seen = candidate.text
                yield candidate

    def _signature(self, named: Named) -> _Signed | None:
        page = self.page
        if not any(char.isalpha() for char in named.name) or named.tag in _TABLED:
            return None
        if span_at(self.limits, named.start) is None or span_at(self.dropped, named.start):
            return None
        element = self._elements.get(named.start)
        around = element if element is not None and element.tag not in _INLINE else named.parent
        if around is None:
            return None
        text = self._first_visible(named.end, around.close)
        if text < 0 or not self._may_document(around, text):
            return None
        if page.headings_in(around.start, text + 1):
            return None
        around = self._right_behind(named, text) or around
        if around.start < named.start and page.has_text(around.inner, named.start):
            return None
        line, end = self._line(text)
        token = _token_of(line, named.name)
        if token is None or self._leads_to(text, named.name):
            return None
        if not (
            self._is_marked(named.start, text, end, around)
            or (_is_all(token, named.name) and self._is_strong(named.start, text, around))
        ):
            return None
        title = _title_of(line, token)
        return None if self._is_headed(text, title) else _Signed(named, around, text, end, title)

    def _is_headed(self, text: int, title: str) -> bool:
        """Whether a heading right before a text has a title already."""
        page = self.page
        at = bisect_left(page.heading_starts, text) - 1
        if at < 0 or page.has_text(page.headings[at].end, text):
            return False
        heading = page.headings[at]
        words = unescape(b"".join(page.texts_in(heading.inner, heading.close)))
        return words.strip() == title

    @cached_property
    def _starts(self) -> list[int]:
        return [element.start for element in self.page.elements]

    def _right_behind(self, named: Named, text: int) -> Element | None:
        """Return the block with the text right behind an empty anchor, None if there is none."""
        if named.tag != "a":
            return None
        at = bisect_left(self._starts, named.end)
        behind = self.page.elements[at] if at < len(self._starts) else None
        if behind is None or behind.tag in _INLINE or not behind.start < text < behind.close:
            return None
        return behind

    def _first_visible(self, start: int, end: int) -> int:
        """Return the start of the first text in `[start, end)` that is not dropped, -1 for none."""
        for _ in range(_MAX_CLIMB):
            text = self.page.first_text(start, end)
            span = span_at(self.dropped, text) if text >= 0 else None
            if span is None:
                return text
            start = span[1]
        return -1

    def _may_document(self, around: Element, text: int) -> bool:
        """Whether an element may hold an entry: it is not a cell, a heading or a long listing.

        A list item may if it begins with the `text` of the entry and has headings of its own.
        """
        for element in _from(around, _MAX_CLIMB):
            if element.tag in ("dt", "section", "article"):
                return True
            if element.tag == "li":
                is_headed = bool(self.page.headings_in(text, element.end))
                return element is around or (
                    is_headed and not self.page.has_text(element.inner, text)
                )
            if element.tag in _TABLED or (element.tag[0] == "h" and element.tag[1:].isdigit()):
                return False
            if element.tag == "pre":
                return element.close - element.inner <= _MAX_LISTING
        return True

    def _line(self, text: int, limit: int = sys.maxsize) -> tuple[str, int]:
        """Return the readable text from `text` to the end of its block, and this end."""
        data, parts, skip = self.page.data, [], text
        end = min(len(data), text + _SIGNATURE, limit)
        for name, at, stop, closing in iter_tokens(data, text, end):
            if name is not None and name in BLOCK_TAGS:
                end = at
                break
            if name == b"a" and not closing:
                skip = max(skip, is_permalink(data, at, stop))
            elif name == b"" and at >= skip and span_at(self.dropped, at) is None:
                parts.append(unescape(data[at:stop]))
        return " ".join("".join(parts).split()), end

    def _leads_to(self, text: int, name: str) -> bool:
        """Whether a link to a name on another page begins at `text`, not a type before the name."""
        link = next(iter(self.page.links_in(text - _SIGNATURE, text + 1)[-1:]), None)
        if link is None or link.close <= text or link.open.attribute("href").startswith("#"):
            return False
        return _token_of(self._line(text, link.close)[0], name) is not None

    def _is_marked(self, start: int, text: int, end: int, around: Element) -> bool:
        """Whether a signature is marked as code, or by its class or one around it."""
        data = self.page.data
        start = min(start, around.start) if around.tag == "div" else start
        if _CODE.search(data, start, end) or around.tag == "pre":
            return True
        return _has_class(data[start:end], around)

    def _is_strong(self, start: int, text: int, around: Element) -> bool:
        """Whether the text at `text` is a term of a list, or in bold."""
        if _BOLD.search(self.page.data, start, text):
            return True
        return any(element.tag in _STRONG for element in _from(around, 2))


def _from(element: Element, most: int) -> Iterator[Element]:
    """Yield an element and the nearest elements around it, at most `most` in all."""
    yield element
    yield from islice(element.ancestors, most)


def _is_all(token: re.Match[str], name: str) -> bool:
    """Whether a signature begins with a whole name, which is the token."""
    return token.start() == 0 and _spelt(token[0]) == _spelt(name)


def _spelt(name: str) -> str:
    """Return a name without capitals and the signs between its parts."""
    return _JOINTS.sub("_", name.lower()).strip("_")


def _has_class(markup: bytes, around: Element) -> bool:
    if "entry.classes" in around.open.lists:
        return True
    for match in _CLASS.finditer(markup):
        names = (match[match.lastindex or 0]).decode("utf-8", "replace").split()
        if "entry.classes" in lists_of(tuple(names)):
            return True
    return False


def _token_of(line: str, name: str) -> re.Match[str] | None:
    """Return the word of a signature that is the end of its place's name, None if there is none.

    >>> _token_of("class tern.Queue(name)", "tern.Queue")[0], _token_of("Args", "tern.x")
    ('tern.Queue', None)
    >>> _token_of("max_connections (integer)", "GUC-MAX-CONNECTIONS")[0]
    'max_connections'
    >>> _token_of("http redirect CODE", "http redirect (reference)")[0]
    'http redirect'
    >>> line = "double dim(double level)"
    >>> [_token_of(line, name)[0] for name in ("_CPPv4N4Lamp3dimEd", "Lamp::dim__double")]
    ['dim', 'dim']
    """
    name = _PARAMETERS.sub("", _without_lengths(name) if name.startswith("_CPPv") else name)
    name = _OVERLOAD.sub("", name)
    spelt = _spelt(name.partition("(")[0].rstrip(")-_"))
    for count, word in enumerate(_WORD.finditer(line)):
        if count == _MAX_WORDS:
            return None
        own = _spelt(_LAST_PART.split(word[0])[-1])
        if own and spelt.endswith(own) and _is_part(spelt, len(spelt) - len(own), name, own):
            return _with_words_before(line, word, name)
        if "(" in line[: word.start()]:
            return None
    return None


def _with_words_before(line: str, word: re.Match[str], name: str) -> re.Match[str]:
    """Extend `word` by the words before it in a signature that a name also has."""
    behind = name.partition("(")[0][-_SIGNATURE:].split()[-_MAX_NAME:]
    end = word.end()
    if len(behind) > 1 and not _GOES_ON.match(line, end):
        for at in range(len(behind) - 1):
            before = " ".join(behind[at:])  # as `line` has its white space
            start = end - len(before)
            if start >= 0 and line.startswith(before, start) and _BEGINS.match(line, start):
                return _ANYTHING.match(line, start, end) or word
    return word


def _without_lengths(name: str) -> str:
    """Return a mangled name of C++ without the lengths before its parts."""
    parts: list[str] = []
    match = _LENGTH.search(name, len("_CPPv4"))
    while match:
        end = match.end() + int(match[0])
        parts.append(name[match.end() : end])
        match = _LENGTH.match(name, end)
    return "::".join(parts) or name


def _is_part(spelt: str, at: int, name: str, own: str) -> bool:
    """Whether the end of a name is a whole part of it: behind a sign, digits or capitals."""
    if at == 0 or spelt[at - 1] == "_":
        return True
    return name[: -len(own)].isupper() if len(name) > len(own) else False


def _title_of(line: str, token: re.Match[str]) -> str:
    """Return the documented name, with its kind before it if that is a type's.

    >>> import re
    >>> line = "class tern.Queue(name)"
    >>> _title_of(line, re.search("tern.Queue", line))
    'class tern.Queue'
    """
    kind = line[: token.start()].split()
    title = token[0].rstrip(":.-")
    if kind and kind[-1] in words_of("entry", "kinds"):
        title = f"{kind[-1]} {title}"
    return title[:_MAX_TITLE]


def _member(page: Page, signature: _Signed, following: int) -> Entry:
    """Return the entry of a signature outside lists of terms; the next signature is at `following`.

    It is the element with the name, if that has text behind the signature; else the largest
    element that begins with the signature and contains no other.
    """
    inner = signature.around
    is_own = inner.start >= signature.named.start
    if not (is_own and page.has_text(signature.line_end, inner.close)):
        inner = _climb(page, inner, following)
    limit = inner.end
    if not page.has_text(signature.line_end, inner.close):
        outer = inner.parent.close if inner.parent else len(page.data)
        limit = max(inner.end, min(outer, following))
    return Entry(
        min(inner.start, signature.named.start), limit, signature.title, signature.named.name
    )


def _climb(page: Page, inner: Element, following: int) -> Element:
    for around in islice(inner.ancestors, _MAX_CLIMB):
        begins_so = page.first_text(around.inner, around.close) >= inner.start
        if not begins_so or following < around.end or around.tag in _REGIONS:
            break
        inner = around
    return inner


class _Term(NamedTuple):
    start: int
    end: int


class _Terms:
    """The terms of lists with their explanations."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._beside: dict[Element | None, list[Element]] = {}
        self._places: dict[Element, int] = {}
        for term in page.having("dt"):
            beside = self._beside.setdefault(term.parent, [])
            self._places[term] = len(beside)
            beside.append(term)

    def around(self, signature: _Signed) -> _Term | None:
        """Return the extents of the list entry whose term has the signature, None if there is none.

        Terms that adjoin have the same entry; a list of one entry belongs to it as a whole.
        """
        term = next(
            (element for element in _from(signature.around, 3) if element.tag == "dt"), None
        )
        if term is None or term.parent is None:
            return None
        beside, outer = self._beside[term.parent], term.parent
        first = last = self._places[term]
        while first and not self._is_parted(beside[first - 1], beside[first]):
            first -= 1
        while last + 1 < len(beside) and not self._is_parted(beside[last], beside[last + 1]):
            last += 1
        if first == 0 and last + 1 == len(beside):
            begins_so = self.page.first_text(outer.inner, outer.close) >= beside[0].start
            return _Term(outer.start if begins_so else beside[0].start, outer.end)
        end = beside[last + 1].start if last + 1 < len(beside) else outer.close
        return _Term(beside[first].start, end)

    def _is_parted(self, term: Element, after: Element) -> bool:
        return self.page.has_text(term.end, after.start)
