"""Parts of documents as safe HTML: sanitised, links led to our own pages, words and cuts marked.

Whatever a document says, what comes out holds no script, no style, no id, and no address that a
browser would fetch by itself. Cuts between chunks come in as marks inside the text, so that a
paragraph stays whole where a chunk ends in the middle of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import nh3
from markupsafe import Markup

from leafmark.parsing.markdown_html import markdown_html
from leafmark.render.terminal import clean
from leafmark.server.web.sections import Cut, Section, SectionWriter

CUT = "\ue000"
"""Stands in a text where a chunk begins in the middle of a block."""

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
"""A title's link to itself, which is for those who read the page elsewhere, and empty ones."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEFT_TO_RIGHT = re.compile("[A-Za-z\u00c0-\u058f]")
_WITH_DIRECTION = frozenset(("p", "div", "ul", "ol", "dl", "blockquote", "table"))
_WITH_DIRECTION |= {f"h{level}" for level in range(1, 7)}
"""What stands from right to left where its own words do."""

_BLOCK_TAG = re.compile("</?(?:div|p|h[1-6]|ul|ol|dl|table|pre|blockquote)\\b")
_LOOKED_AT = 600
"""Characters of a block that tell its direction."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALT = re.compile(r' alt="([^"]*)"')

FindLink = Callable[[str], str | None]
"""From a link of a document to the address of the page that it leads to; None elsewhere."""

MarkText = Callable[[str], Sequence[tuple[int, int]]]
"""From a text to the ranges of its characters to mark."""


class Markings(NamedTuple):
    """What to mark in a text: words, and cuts in their order. `level` is that of the first title.

    `position` is the number of the chunk that the text begins in; None is none.
    """

    mark: MarkText = lambda _: ()
    cuts: Sequence[Cut] = ()
    level: int = 3
    position: int | None = None


def mark_text(text: str, mark: MarkText) -> Markup:
    """Return a text as HTML, what is marked in it in `mark` elements."""
    shown = clean(text.replace(CUT, ""))
    return Markup("".join(_marked(shown, mark(shown))))


def mark_excerpt(
    text: str, ranges: Sequence[tuple[int, int]], words: Iterable[tuple[int, int]]
) -> Markup:
    """Return the `words` of an excerpt as HTML, without the markup between them, marked."""
    parts = (_part(text, span, ranges) for span in words)
    return Markup("".join(parts))


def _part(text: str, span: tuple[int, int], ranges: Sequence[tuple[int, int]]) -> str:
    start, end = span
    within = [
        (max(first, start) - start, min(last, end) - start)
        for first, last in ranges
        if first < end and start < last
    ]
    return str(mark_text(text[start:end], lambda _: within))


def _marked(text: str, marked: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield a text as HTML, ranges of it marked."""
    at = 0
    for start, end in marked:
        yield html.escape(text[at:start], quote=False)
        yield f"<mark>{html.escape(text[start:end], quote=False)}</mark>"
        at = end
    yield html.escape(text[at:], quote=False)


def render_markdown(
    text: str, definitions: str, find_link: FindLink, markings: Markings | None = None
) -> Sequence[Section]:
    """Return a part of a Markdown document as HTML, by the chunks that begin in it."""
    made = markdown_html(text, definitions)
    if made is None:
        made = f"<pre>{html.escape(text, quote=False)}</pre>"
    return render_html(made, find_link, markings)


def render_html(
    text: str, find_link: FindLink, markings: Markings | None = None
) -> Sequence[Section]:
    """Return HTML from anywhere as HTML that is safe to show, by the chunks that begin in it."""
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
    """Goes through sanitised HTML once: titles in order, tables that scroll, marks, cuts."""

    def __init__(self, markings: Markings):
        self._mark = markings.mark
        self._cuts = iter(markings.cuts)
        self._base = markings.level
        self._made = SectionWriter(markings.position)
        self._levels: list[int] = []
        self._safe = ""

    def finish(self, safe: str) -> Sequence[Section]:
        self._safe = safe if _RIGHT_TO_LEFT.search(safe) else ""
        for found in _TOKEN.finditer(safe):
            self._token(found)
        return self._made.finish()

    def _token(self, found: re.Match[str]) -> None:
        closing, tag, attributes, text = found.groups()
        if tag is None:
            self._text(text or "<")
        elif closing:
            self._made.close(tag)
        else:
            self._open(tag, attributes, found.end())

    def _open(self, tag: str, attributes: str, at: int) -> None:
        if self._safe and tag in _WITH_DIRECTION and "dir=" not in attributes:
            attributes += _direction(self._safe, tag, at)
        opening, closing = _SPECIAL[tag](attributes) if tag in _SPECIAL else ("", "")
        if tag[0] == "h" and tag[1:].isdigit():
            opening, closing = self._title(int(tag[1:]), attributes)
        self._made.open(tag, attributes, opening, closing)

    def _title(self, level: int, attributes: str) -> tuple[str, str]:
        """Return the tags of a title: levels follow one another, whatever the document skips."""
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        shown = f"h{min(6, self._base + len(self._levels) - 1)}"
        return f"<{shown}{attributes}>", f"</{shown}>"

    def _text(self, text: str) -> None:
        """Write a text with its marks; a cut in it begins another chunk."""
        for number, part in enumerate(html.unescape(text).split(CUT)):
            cut = next(self._cuts, None) if number else None
            if cut is not None:
                self._made.begin_chunk(cut)
            shown = clean(part)
            made = "".join(_marked(shown, self._mark(shown)))
            if shown.strip():
                self._made.see()
                color = self._made.color
                made = made if color is None else f'<span class="k{color}">{made}</span>'
            self._made.add(made)


def _direction(safe: str, tag: str, at: int) -> str:
    """Return the attribute of a block whose letters go from right to left for the most part.

    Foreign names begin many a sentence, so that the first letter tells nothing.
    """
    end = (_BLOCK_TAG if tag == "div" else re.compile(f"</{tag}>")).search(safe, at)
    stop = min(end.start() if end else len(safe), at + _LOOKED_AT)
    words = re.sub("<[^<>]*>", " ", safe[at:stop])
    leading = len(_RIGHT_TO_LEFT.findall(words))
    return ' dir="rtl"' if 2 * leading > len(_LEFT_TO_RIGHT.findall(words)) else ""


def _table(attributes: str) -> tuple[str, str]:
    return f'<div class="scroll" tabindex="0"><table{attributes}>', "</table></div>"


def _code(attributes: str) -> tuple[str, str]:
    return f'<pre tabindex="0"{attributes}>', ""


def _picture(attributes: str) -> tuple[str, str]:
    found = _ALT.search(attributes)
    words = found[1] if found else ""
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
"""Elements that are written otherwise: how they are opened, and closed where that differs."""
