"""Parts of documents as safe HTML: sanitised, links led to our own pages, words and cuts marked.

Whatever a document contains, the HTML has no script, no style, no id of the document's, and no
address that a browser would fetch by itself. Cuts between chunks come in as marks inside the text,
so that a paragraph stays whole where a chunk ends in its middle.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import nh3
from markupsafe import Markup

from leafmark.parsing.markdown_html import markdown_html
from leafmark.render.terminal import clean

CUT = "\ue000"
"""The mark in a text where a chunk begins in the middle of a block."""

_LANDMARKS = frozenset(("article", "aside", "footer", "header", "hgroup", "nav", "area", "map"))
_TAGS = (nh3.ALLOWED_TAGS - _LANDMARKS) | {"input", "tfoot"}
_DROPPED = frozenset(
    ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head", "title")
) | {"nav", "button", "form"}
_ATTRIBUTES = {
    "*": {"dir", "lang"},
    "a": {"href"},
    "img": {"alt"},
    "input": {"checked"},
    "li": {"value"},
    "ol": {"start", "reversed"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_ALERTS = {f"markdown-alert-{kind}" for kind in ("note", "tip", "important", "warning", "caution")}
_CLASSES = {"blockquote": _ALERTS}

_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*)>|([^<]+)|<')
_PERMALINK = re.compile(r"<a(?: [^>]*)?>\s*[¶#§🔗]?\s*</a>")
"""A title's link to itself, which is useful only on the original page, and empty links."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEFT_TO_RIGHT = re.compile("[A-Za-z\u00c0-\u058f]")
_WITH_DIRECTION = frozenset(("p", "div", "ul", "ol", "dl", "blockquote", "table"))
_WITH_DIRECTION |= {f"h{level}" for level in range(1, 7)}
"""Elements that get a direction from their own words."""

_BLOCK_TAG = re.compile("</?(?:div|p|h[1-6]|ul|ol|dl|table|pre|blockquote)\\b")
_DIRECTION_CHARS = 600
"""How many characters of a block decide its direction."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALT = re.compile(r' alt="([^"]*)"')

FindLink = Callable[[str], str | None]
"""From a link of a document to the address of our page; None where it leads elsewhere."""

MarkText = Callable[[str], Sequence[tuple[int, int]]]
"""From a text to the ranges of its characters that are marked."""


class Markings(NamedTuple):
    """What to mark in a text: words, and cuts in their order. The first title has `level`.

    `position` is the number of the chunk that the text begins in, None without a chunk.
    """

    mark: MarkText = lambda _: ()
    cuts: Sequence[Cut] = ()
    level: int = 3
    position: int | None = None


def mark_text(text: str, mark: MarkText) -> Markup:
    """Return a text as HTML, its marked ranges in `mark` elements."""
    cleaned = clean(text.replace(CUT, ""))
    return Markup("".join(_iter_marked(cleaned, mark(cleaned))))


def mark_excerpt(
    text: str, ranges: Sequence[tuple[int, int]], words: Iterable[tuple[int, int]]
) -> Markup:
    """Return the `words` of an excerpt as HTML without the markup between; `ranges` are marked."""
    parts = (_mark_part(text, span, ranges) for span in words)
    return Markup("".join(parts))


def _mark_part(text: str, span: tuple[int, int], ranges: Sequence[tuple[int, int]]) -> str:
    start, end = span
    within = [
        (max(first, start) - start, min(last, end) - start)
        for first, last in ranges
        if first < end and start < last
    ]
    return str(mark_text(text[start:end], lambda _: within))


def _iter_marked(text: str, marked: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield a text as HTML with its `marked` ranges in `mark` elements."""
    at = 0
    for start, end in marked:
        yield html.escape(text[at:start], quote=False)
        yield f"<mark>{html.escape(text[start:end], quote=False)}</mark>"
        at = end
    yield html.escape(text[at:], quote=False)


def render_markdown(
    text: str, definitions: str, find_link: FindLink, markings: Markings | None = None
) -> Sequence[Section]:
    """Return a part of a Markdown document as safe HTML, a section for each chunk in it."""
    rendered = markdown_html(text, definitions)
    if rendered is None:
        rendered = f"<pre>{html.escape(text, quote=False)}</pre>"
    return render_html(rendered, find_link, markings)


def render_html(
    text: str, find_link: FindLink, markings: Markings | None = None
) -> Sequence[Section]:
    """Return HTML of any origin as safe HTML, a section for each chunk in it."""
    safe = _PERMALINK.sub("", _cleaner(find_link).clean(text))
    return _Finisher(markings or Markings()).finish(safe)


def _cleaner(find_link: FindLink) -> nh3.Cleaner:
    def admit(tag: str, name: str, value: str) -> str | None:
        value = value.replace(CUT, "")
        is_link = (tag, name) == ("a", "href") and not _SCHEME.match(value)
        return find_link(value) if is_link else value

    return nh3.Cleaner(
        tags=set(_TAGS),
        clean_content_tags=set(_DROPPED),
        attributes=_attributes(),
        attribute_filter=admit,
        allowed_classes=_CLASSES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )


@cache
def _attributes() -> dict[str, set[str]]:
    return {tag: set(names) for tag, names in _ATTRIBUTES.items()}


class _Finisher:
    """Rewrites sanitised HTML in one pass: levels of titles, scrolling tables, marks, cuts."""

    def __init__(self, markings: Markings):
        self._mark = markings.mark
        self._cuts = iter(markings.cuts)
        self._base = markings.level
        self._writer = SectionWriter(markings.position)
        self._levels: list[int] = []
        self._safe = ""

    def finish(self, safe: str) -> Sequence[Section]:
        self._safe = safe if _RIGHT_TO_LEFT.search(safe) else ""
        for match in _TOKEN.finditer(safe):
            self._token(match)
        return self._writer.finish()

    def _token(self, match: re.Match[str]) -> None:
        closing, tag, attributes, text = match.groups()
        if tag is None:
            self._text(text or "<")
        elif closing:
            self._writer.close(tag)
        else:
            self._open(tag, attributes, match.end())

    def _open(self, tag: str, attributes: str, at: int) -> None:
        if self._safe and tag in _WITH_DIRECTION and "dir=" not in attributes:
            attributes += _direction(self._safe, tag, at)
        opening, closing = _SPECIAL[tag](attributes) if tag in _SPECIAL else ("", "")
        if tag[0] == "h" and tag[1:].isdigit():
            opening, closing = self._title(int(tag[1:]), attributes)
        self._writer.open(tag, attributes, opening, closing)

    def _title(self, level: int, attributes: str) -> tuple[str, str]:
        """Return the tags of a title; levels that the document skips are closed up."""
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        tag = f"h{min(6, self._base + len(self._levels) - 1)}"
        return f"<{tag}{attributes}>", f"</{tag}>"

    def _text(self, text: str) -> None:
        """Write a text with its marks; each cut in it begins another chunk."""
        for number, part in enumerate(html.unescape(text).split(CUT)):
            cut = next(self._cuts, None) if number else None
            if cut is not None:
                self._writer.begin_chunk(cut)
            cleaned = clean(part)
            markup = "".join(_iter_marked(cleaned, self._mark(cleaned)))
            if cleaned.strip():
                self._writer.place_visible()
                color = self._writer.color
                markup = markup if color is None else f'<span class="k{color}">{markup}</span>'
            self._writer.add(markup)


def _direction(safe: str, tag: str, at: int) -> str:
    """Return the attribute of a block whose letters mostly run from right to left, else "".

    Sentences often begin with a foreign name, so the first letter decides nothing.
    """
    end = (_BLOCK_TAG if tag == "div" else re.compile(f"</{tag}>")).search(safe, at)
    stop = min(end.start() if end else len(safe), at + _DIRECTION_CHARS)
    words = re.sub("<[^<>]*>", " ", safe[at:stop])
    leading = len(_RIGHT_TO_LEFT.findall(words))
    return ' dir="rtl"' if 2 * leading > len(_LEFT_TO_RIGHT.findall(words)) else ""


def _table(attributes: str) -> tuple[str, str]:
    return f'<div class="scroll" tabindex="0"><table{attributes}>', "</table></div>"


def _code(attributes: str) -> tuple[str, str]:
    return f'<pre tabindex="0"{attributes}>', ""


def _picture(attributes: str) -> tuple[str, str]:
    match = _ALT.search(attributes)
    words = match[1] if match else ""
    return f'<span class="picture">{words or "picture"}</span>', ""


def _task(attributes: str) -> tuple[str, str]:
    done = "done" if "checked" in attributes else "to do"
    return f'<span class="task" role="img" aria-label="{done}"></span>', ""


def _link(attributes: str) -> tuple[str, str]:
    if ' href="/doc?' in attributes:
        return f"<a{attributes.replace(_REL, '')}>", ""
    return f'<a target="_blank"{attributes}>' if "href=" in attributes else "<a>", ""


_REL = ' rel="noopener noreferrer"'

_SPECIAL: dict[str, Callable[[str], tuple[str, str]]] = {
    "table": _table,
    "pre": _code,
    "img": _picture,
    "input": _task,
    "a": _link,
}
"""Elements that are written differently: the opening tag, and the closing tag or ""."""


# Writing HTML, divided where chunks begin: each chunk has a section of its own.
#
# The open elements are closed at a division and opened again in the next section. A chunk that
# begins where no division is possible, as in a paragraph or a table, has its label there, and its
# section begins with the next block.


COLORS = 4
"""The number of colours that chunks take in rotation."""

_ITEMS = {"ul": ("li",), "ol": ("li",), "dl": ("dd", "dt", "div")}
"""The items that each kind of list may hold; the first wraps any other element."""

_CONTAINERS = _ITEMS.keys() | {"div", "blockquote", "center", "figure", "details", "li", "dd"}
"""Elements that can be closed in their middle and opened again."""

_BLOCKS = (
    _CONTAINERS | {f"h{level}" for level in range(1, 7)} | {"p", "pre", "table", "dt", "summary"}
)
_VISIBLE = frozenset(("img", "input", "hr"))
"""Visible elements without text."""

_VOID = _VISIBLE | {"br", "wbr", "col"}
_EMPTY = re.compile(r"<(ul|ol|dl|li|div|blockquote|p)\b[^<>]*>\s*</\1>")
_START = re.compile(r' start="(-?\d{1,9})"')


class Cut(NamedTuple):
    """The start of a chunk: its number in the document, and the text of its label."""

    position: int
    label: str


class Section(NamedTuple):
    """The HTML of a chunk, or a later part of it; an `is_new` section needs a label."""

    html: Markup
    position: int | None
    is_new: bool


@dataclass
class _Element:
    """An open element; a list that `is_continued` has no item of its own yet."""

    tag: str
    opening: str
    closing: str
    attributes: str = ""
    items: int = 0
    is_continued: bool = False
    is_implied: bool = False
    last: str = ""

    def continuation(self) -> _Element:
        """Return its element in the next section, without a second marker or term."""
        if self.tag in ("div", "blockquote", "center"):
            return self
        kind = ' class="within"' if self.tag in ("li", "dd") else ""
        opening = f"<div{kind}{self.attributes if not kind else ''}>"
        is_list = self.tag in _ITEMS
        return _Element(
            self.tag, opening, "</div>", self.attributes, self.items, is_list, self.is_implied
        )


class SectionWriter:
    """Collects HTML in order; `position` is the chunk that it begins in, None without one."""

    def __init__(self, position: int | None):
        self._position = self._chunk = position
        self._is_new = position is not None
        self._labels: list[Cut] = []
        self._done: list[Section] = []
        self._parts: list[str] = []
        self._has_visible = False
        self._open: list[_Element] = []
        self._begin: tuple[int, int] | None = None
        self._is_in_words = False

    @property
    def color(self) -> int | None:
        """The colour of text whose chunk is not its section's; None otherwise."""
        if self._chunk is None or self._chunk == self._position:
            return None
        return self._chunk % COLORS

    def begin_chunk(self, cut: Cut) -> None:
        self._chunk = cut.position
        self._labels.append(cut)

    def add(self, markup: str) -> None:
        """Add markup as it is, which neither opens nor closes an element."""
        self._parts.append(markup)

    def place_visible(self) -> None:
        """Prepare for visible content: begin the section of its chunk, and write labels."""
        self._fix_nesting("")
        if self._chunk != self._position and self._is_divisible():
            self._divide()
        self._parts += map(cut_label, self._labels)
        self._labels.clear()
        self._begin, self._has_visible, self._is_in_words = None, True, True

    def open(self, tag: str, attributes: str = "", opening: str = "", closing: str = "") -> None:
        """Open an element, written as `opening` where that differs from its tag."""
        if tag in _VISIBLE:
            self.place_visible()
        opening, closing = opening or f"<{tag}{attributes}>", closing or f"</{tag}>"
        if tag in _VOID:
            self.add(opening)
            return
        self._fix_nesting(tag)
        top = self._open[-1] if self._open else None
        if top is not None and top.is_continued and tag == "dd":
            opening, closing = '<div class="within">', "</div>"
        elif top is not None and top.tag == "dl" and tag == "dd" and not top.last:
            self._parts.append("<dt></dt>")  # a list begins with a term
        elif top is not None and top.is_continued:
            self._restart_list(top, top.items)
        self._is_in_words = self._is_in_words and tag not in _BLOCKS
        if tag in _BLOCKS and tag != "dd" and self._begin is None and self._is_divisible():
            self._begin = len(self._parts), len(self._open)
        if top is not None:
            top.last = tag
            top.items += tag == "li"
        start = _START.search(attributes) if tag == "ol" else None
        items = int(start[1]) - 1 if start else 0
        attributes = _START.sub("", attributes) if tag in _ITEMS else ""
        self._open.append(_Element(tag, opening, closing, attributes, items))
        self._parts.append(opening)

    def _fix_nesting(self, tag: str) -> None:
        """Put content of a list that is not an item into an item, and stray items into a list."""
        top = self._open[-1] if self._open else None
        if top is not None and top.is_implied and tag in self._items_at(-2):
            self._end()
        elif top is not None and top.is_implied and tag not in _ITEMS.get(top.tag, (tag,)):
            self._end()
            self._fix_nesting(tag)
        elif tag in ("li", "dt", "dd") and tag not in self._items_at(-1):
            self._open_implied("ul" if tag == "li" else "dl")
        elif top is not None and not top.is_continued and tag not in _ITEMS.get(top.tag, (tag,)):
            self._open_implied(_ITEMS[top.tag][0])

    def _items_at(self, place: int) -> Sequence[str]:
        """Return the tags allowed in the list, or group of a list, open at `place` from the end."""
        tags = [element.tag for element in self._open[: len(self._open) + place + 1]][-2:]
        is_group = tags == ["dl", "div"]
        return _ITEMS.get("dl" if is_group else tags[-1], ()) if tags else ()

    def _open_implied(self, tag: str) -> None:
        self.open(tag)
        self._open[-1].is_implied = True

    def _restart_list(self, element: _Element, items: int) -> None:
        """Restart a continued list for its next item, which is numbered after `items` items."""
        element.is_continued = False
        if self._parts[-1:] == [element.opening]:
            self._parts.pop()
        else:
            self._parts.append(element.closing)
        number = f' start="{items + 1}"' if element.tag == "ol" else ""
        element.opening = f"<{element.tag}{element.attributes}{number}>"
        element.closing = f"</{element.tag}>"
        self._parts.append(element.opening)

    def close(self, tag: str) -> None:
        if tag in _VOID or not self._open:
            return
        while self._open[-1].is_implied:
            self._end()
        self._end()

    def _end(self) -> None:
        """Close the innermost element."""
        closed = self._open.pop()
        tag = closed.tag
        if tag == "dl" and closed.last == "dt":
            self._parts.append("<dd></dd>")  # a list of terms ends with a description
        self._parts.append(closed.closing)
        self._is_in_words = self._is_in_words and tag not in _BLOCKS
        if self._begin is not None and len(self._open) < self._begin[1]:
            self._begin = None

    def _is_divisible(self) -> bool:
        """Whether a section can end here, or before the open blocks that are still empty."""
        if self._begin is not None:
            return True
        top = self._open[-1] if self._open else None
        is_after_term = top is not None and top.tag == "dl" and top.last == "dt"
        is_between = not self._is_in_words and not is_after_term
        return is_between and all(element.tag in _CONTAINERS for element in self._open)

    def _divide(self) -> None:
        at, depth = self._begin or (len(self._parts), len(self._open))
        tail = self._parts[at:]
        del self._parts[at:]
        outer = self._open[:depth]
        self._parts += [element.closing for element in reversed(outer)]
        self._finish_section()
        self._open[:depth] = outer = [element.continuation() for element in outer]
        self._parts = [element.opening for element in outer]
        if tail and outer and outer[-1].is_continued:
            self._restart_list(outer[-1], outer[-1].items - 1)
            outer[-1].last = self._open[depth].tag
        self._parts += tail
        self._position, self._is_new = self._chunk, bool(self._labels)
        del self._labels[-1:]

    def _finish_section(self) -> None:
        if self._has_visible:
            markup = "".join(self._parts)
            while (fuller := _EMPTY.sub("", markup)) != markup:
                markup = fuller
            self._done.append(Section(Markup(markup), self._position, self._is_new))
        self._has_visible = False

    def finish(self) -> Sequence[Section]:
        while self._open:
            self._end()
        self._finish_section()
        return self._done


def cut_label(cut: Cut, *, begins_line: bool = False) -> str:
    """Return the label of a chunk, for the text where it begins, or for the start of a line."""
    label = html.escape(cut.label)
    kind = "cut begin" if begins_line else "cut"
    return (
        f'<span class="{kind} e{cut.position % COLORS}" id="c{cut.position}" '
        f'data-n="{cut.position}" title="{label}">'
        f'<span class="unseen">Chunk </span>{cut.position}</span>'
    )
