"""The readable text of Markdown that has HTML in it, as a browser shows it.

In: a source and spans of it. Out: `ReadableText`. Markdown stays as it is written. Of HTML the
words and the alternative texts of pictures are read: tags, attributes, comments, scripts and
styles are left out, as are the tags and the code of MDX, and the addresses of badges. A source
without any of these needs no reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import pyromark

from leafmark.model import ReadableText, Reader, span_at
from leafmark.parsing.decoding import decode
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.markdown_dialects import iter_markup, looks_like_mdx, read_dialect
from leafmark.parsing.markdown_walk import OPTIONS, add_range, walk
from leafmark.parsing.readable import ReadableBuilder, as_written, data_reader
from leafmark.patterns import lazy_pattern

_HTML = lazy_pattern(  # a literal first byte makes the search fast
    rb"<(?:(?i:h[1-6]|p|div|center|details|summary|picture|table|[uod]l|script|style|br|kbd|su[bp]"
    rb"|[bius]|em|strong|code|small|font)[\s>/]"
    rb"|[aA]\s[^<>]*(?i:href)|(?<=\n<)[aA]\s(?i:id|name)=[^<>]*+></[aA]>[ \t\r]*+\n"
    rb"|(?i:img|source|span|iframe|video|svg|td|th)\s[^<>]*=|!--"
    rb"|/[A-Z][\w.]*+>[ \t\r]*+\n|[A-Z][\w.]*+[^<>]*+/>[ \t\r]*+\n)"
)
_BADGE = lazy_pattern(rb"!(?=\[)(?<=\[!)")
_TOKEN = lazy_pattern(
    rb"(?P<note><!--(?:[^-]|-(?!->)|(?!))*+(?:-->|\Z)|<[!?][^>]*+(?:>|\Z))"
    rb"|</?(?P<name>[A-Za-z][A-Za-z0-9:.-]*+)(?P<rest>(?:[^<>\"']|\"[^\"]*+\"|'[^']*+'|(?!))*+)>"
    rb"|(?P<space>[ \t]*+\r?\n[ \t]*+)"
    rb"|(?P<entity>&(?:\#[0-9]{1,8}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    rb"|(?P<text>[^<&\r\n \t]++(?:[ \t]++[^<&\r\n \t]++|(?!))*+|[ \t]++|[<&\r])"
)
_ALT = lazy_pattern(rb"\salt\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_UNREAD = frozenset((b"script", b"style", b"template", b"svg", b"iframe", b"noscript"))
_PARTING = frozenset(
    b"address article aside blockquote br center dd details div dl dt figcaption figure footer"
    b" h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr"
    b" ul".split()
)
"""Elements of HTML that begin and end a line."""

_CELLS = frozenset((b"td", b"th"))
_KNOWN = (
    _PARTING
    | _CELLS
    | _UNREAD
    | frozenset(
        b"a abbr b bdi bdo big button caption cite code col colgroup del dfn em font i iframe img"
        b" ins kbd mark nobr picture q rp rt ruby s samp small span strike strong sub sup svg tfoot"
        b" tt u var video audio wbr input label source time form select option".split()
    )
)
"""Elements of HTML; other names in angle brackets are text."""

_WORDS = frozenset(
    b"address form header input label main option section select source summary time".split()
)
"""Elements whose names are ordinary words if they have no attributes."""

_KNOWN_BARE = _KNOWN - _WORDS
_SLASH = ord("/")

_ONLY_MARKUP = lazy_pattern(rb"(?:\s|</?(?:div|p|br|center)\b[^<>]*>|(?!))*+")

_TITLE = lazy_pattern(rb"<h1(?:\s[^<>]*+)?>(.{0,2000}?)</h1\s*+>", re.IGNORECASE | re.DOTALL)


def markdown_reader(data: bytes) -> Reader | None:
    """Return the reader of a source; None if its bytes are its text."""
    if _HTML.search(data) or (b"!" in data and _BADGE.search(data)) or looks_like_mdx(data):
        return read_markdown
    return data_reader(data)


def read_markdown(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans`, in order."""
    out = ReadableBuilder()
    for start, end in spans:
        _Reader(data, start, end, out).read()
    return out.build(spans)


def find_html_title(raw: bytes, start: int, end: int, headings: Collection[int]) -> str:
    """Return the words of the first `h1` that stands in HTML in `[start, end)`, or of a picture.

    One right above a heading does not count; `headings` are the offsets of headings.
    """
    if raw.find(b"<h1", start, end) < 0 and raw.find(b"<H1", start, end) < 0:
        return ""
    pieces = _Reader(raw, start, end, ReadableBuilder()).html
    for title in _TITLE.finditer(raw, start, end):
        if span_at(pieces, title.start()) is not None:
            out = ReadableBuilder()
            _add_html(out, raw, *title.span(1), add=as_written(out, raw), is_block=True)
            words = " ".join(out.build(()).text.split())
            below = _ONLY_MARKUP.match(raw, title.end())
            if words and not (below and below.end() in headings):
                return words
    return ""


class _Reader:
    """Reads one span of a source."""

    def __init__(self, data: bytes, start: int, end: int, out: ReadableBuilder) -> None:
        self._data, self._start, self._end, self._out = data, start, end, out
        self._add = as_written(out, data)
        self._raw = without_lone_returns(decode(data[start:end], "").encoded)
        self._badges: list[tuple[int, int]] = []
        self.html: list[tuple[int, int]] = []
        self._find_html()

    def _find_html(self) -> None:
        """Find blocks and tags of HTML, and the markup around the words of badges."""
        raw = self._raw
        if len(raw) != self._end - self._start:  # in another encoding, which no source is
            return
        html = walk(raw).html if b"<" in raw else ()
        self.html = [(start + self._start, end + self._start) for start, end in html]
        if b"[![" in raw:
            self._find_badges()

    def _find_badges(self) -> None:
        badge: list[int] = []
        link = -2  # an image right behind is in it, and none is behind -2
        event: Any
        for event, extent in pyromark.events_with_range(self._raw.decode(), options=OPTIONS):
            if "Start" in event and event["Start"].__class__ is not str:
                if "Link" in event["Start"]:
                    link = extent["start"]
                elif "Image" in event["Start"] and extent["start"] == link + 1:
                    badge = [extent["end"], extent["start"]]
            elif badge and "Text" in event:
                badge = [min(badge[0], extent["start"]), extent["end"]]
            elif "End" in event and event["End"] == "Link":
                if badge:
                    first, last = badge if badge[0] < badge[1] else (extent["end"],) * 2
                    self._add_badge(link, first)
                    self._add_badge(last, extent["end"])
                badge, link = [], -2

    def _add_badge(self, start: int, end: int) -> None:
        add_range(self._badges, start + self._start, end + self._start)

    def read(self) -> None:
        data, add, at = self._data, self._add, self._start
        for start, end, is_html in self._edits():
            if start < at:
                continue
            if at < start:
                add(at, start)
            if is_html:
                before, after = data[start - 1 : start], data[end - 1 : end]
                is_block = before in (b"", b"\n") or after == b"\n"
                _add_html(self._out, data, start, end, add=add, is_block=is_block)
            at = end
        if at < self._end:
            add(at, self._end)

    def _edits(self) -> Iterable[tuple[int, int, bool]]:
        edits = [(*span, True) for span in self._outside_quoted()]
        edits += [(*span, False) for span in self._badges]
        if looks_like_mdx(self._raw):
            moved = self._start
            edits += [(a + moved, b + moved, False) for a, b in iter_markup(self._raw, 0)]
        return sorted(edits)

    def _outside_quoted(self) -> Iterator[tuple[int, int]]:
        """Yield the HTML outside of code that a template tag quotes."""
        dialect = read_dialect(self._raw, 0, is_mdx=False) if self.html else None
        quoted = sorted(
            (block.start + self._start, block.end + self._start)
            for block in (dialect.quoted.values() if dialect else ())
        )
        return (span for span in self.html if span_at(quoted, span[0]) is None)


_Add = Callable[[int, int], None]
"""Appends a range as it is written."""


def _add_html(
    out: ReadableBuilder, data: bytes, start: int, end: int, *, add: _Add, is_block: bool
) -> None:
    """Append the visible text of HTML."""
    unread: bytes | None = None
    for token in _TOKEN.finditer(data, start, end):
        kind, (first, after) = token.lastgroup, token.span()
        if kind == "rest":
            name, is_end = token["name"].lower(), data[first + 1] == _SLASH
            if unread is not None:
                unread = None if is_end and name == unread else unread
            elif name in _UNREAD and not is_end and data[after - 2] != _SLASH:
                unread = name
            else:
                _add_tag(out, token, name, add=add, is_end=is_end, is_block=is_block)
        elif unread is not None:
            continue
        elif kind == "text":
            add(first, after)
        elif kind == "space":
            out.add("\n", first, after)
        elif kind == "entity":
            out.add(_unescaped(token["entity"]), first, after)


def _unescaped(data: bytes) -> str:
    from html import unescape  # late: it makes a table of all entities, which few texts have

    return unescape(data.decode("utf-8", "replace"))


def _add_tag(
    out: ReadableBuilder,
    token: re.Match[bytes],
    name: bytes,
    *,
    add: _Add,
    is_end: bool,
    is_block: bool,
) -> None:
    first, after = token.span()
    is_known = name in (_KNOWN if is_block or b"=" in token["rest"] else _KNOWN_BARE)
    if not is_known and not (is_block and _is_component(token)):
        add(first, after)
    elif name == b"img":
        alt = _ALT.search(token["rest"])
        if alt is not None:
            words = _unescaped(alt[1] or alt[2] or alt[3] or b"")
            out.add(" ".join(words.split()), first, after)
    elif name in _CELLS:
        if is_end:
            out.add("\t" if is_block else " ", first, after)
    elif name in _PARTING and (is_end or name in (b"br", b"hr")):
        if not token.string.startswith((b"\n", b"\r"), after):
            out.add("\n" if is_block else " ", first, after)
    elif name == b"li":
        out.add("- ", first, after)


def _is_component(token: re.Match[bytes]) -> bool:
    """Whether a tag with a name unknown to HTML is a component or a custom element."""
    name: bytes = token["name"]
    return name[:1].isupper() or b"-" in name or b"=" in token["rest"]
