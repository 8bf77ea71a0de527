"""Parts of documents as safe HTML: sanitised, links led to our own pages, words and cuts marked.

Whatever a document says, what comes out holds no script, no style, no id, and no address that a
browser would fetch by itself. Cuts between chunks come in as marks inside the text, so that a
paragraph stays whole where a chunk ends in the middle of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import nh3
from markupsafe import Markup

from leafmark.parsing.markdown_html import markdown_html
from leafmark.render.terminal import clean

__all__ = [
    "CUT",
    "Cut",
    "FindLink",
    "MarkText",
    "Markings",
    "mark_excerpt",
    "mark_text",
    "render_html",
    "render_markdown",
    "render_text",
]

CUT = "\ue000"
"""Stands in a text where a chunk begins in the middle of a block."""

COLORS = 4
"""Chunks take turns in so many colours."""

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
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ALT = re.compile(r' alt="([^"]*)"')

FindLink = Callable[[str], str | None]
"""From a link of a document to the address of the page that it leads to; None elsewhere."""

MarkText = Callable[[str], Sequence[tuple[int, int]]]
"""From a text to the ranges of its characters to mark."""


class Cut(NamedTuple):
    """Where a chunk begins: its number in the document, and what its label says."""

    position: int
    label: str


class Markings(NamedTuple):
    """What to mark in a text: words, and cuts in their order. `level` is that of the first title.

    `color` is the number of the chunk that the text begins in; None shows no chunks.
    """

    mark: MarkText = lambda _: ()
    cuts: Sequence[Cut] = ()
    level: int = 3
    color: int | None = None


def mark_text(text: str, mark: MarkText) -> Markup:
    """Return a text as HTML, what is marked in it in `mark` elements."""
    shown = clean(text.replace(CUT, ""))
    return Markup("".join(_marked(shown, mark)))


_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|`+|\*\*")
"""What of Markdown a reader of an excerpt can do without: addresses of links, and a few marks."""


def mark_excerpt(text: str, ranges: Sequence[tuple[int, int]]) -> Markup:
    """Return an excerpt of Markdown as HTML: links as their words, ranges of characters marked."""
    kept: list[tuple[int, int]] = []
    at = 0
    for found in _LINK.finditer(text):
        kept.append((at, found.start()))
        if found[1] is not None:
            kept.append(found.span(1))
        at = found.end()
    kept.append((at, len(text)))
    parts = (_part(text, span, ranges) for span in kept)
    return Markup("".join(parts))


def _part(text: str, span: tuple[int, int], ranges: Sequence[tuple[int, int]]) -> str:
    start, end = span
    within = [
        (max(first, start) - start, min(last, end) - start)
        for first, last in ranges
        if first < end and start < last
    ]
    return str(mark_text(text[start:end], lambda _: within))


def _marked(text: str, mark: MarkText) -> Iterator[str]:
    at = 0
    for start, end in mark(text):
        yield html.escape(text[at:start], quote=False)
        yield f"<mark>{html.escape(text[start:end], quote=False)}</mark>"
        at = end
    yield html.escape(text[at:], quote=False)


def render_markdown(
    text: str, definitions: str, find_link: FindLink, markings: Markings | None = None
) -> Markup:
    """Return a part of a Markdown document as HTML."""
    made = markdown_html(text, definitions)
    if made is None:
        return render_text(text, markings)
    return render_html(made, find_link, markings)


def render_text(text: str, markings: Markings | None = None) -> Markup:
    """Return a text without markup as HTML: paragraphs keep their lines, indented ones are code."""
    parts = []
    for block in re.split(r"\n(?:[ \t]*\n)+", text.replace("\r\n", "\n")):
        if block.strip():
            is_code = all(line[:1] in " \t" for line in block.split("\n") if line.strip(CUT))
            tag = "pre" if is_code else "p"
            parts.append(f"<{tag}>{html.escape(block, quote=False)}</{tag}>")
    made = _Finisher(markings or Markings(), lines=True).finish("\n".join(parts))
    return Markup(made)


def render_html(text: str, find_link: FindLink, markings: Markings | None = None) -> Markup:
    """Return HTML from anywhere as HTML that is safe to show."""
    safe = _PERMALINK.sub("", _cleaner(find_link).clean(text))
    made = _Finisher(markings or Markings()).finish(safe)
    return Markup(made)


def _cleaner(find_link: FindLink) -> nh3.Cleaner:
    def admit(tag: str, name: str, value: str) -> str | None:
        value = value.replace(CUT, "")
        if (tag, name) != ("a", "href"):
            return value
        if _SCHEME.match(value):
            return value
        return find_link(value)

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

    def __init__(self, markings: Markings, *, lines: bool = False):
        self._mark = markings.mark
        self._cuts = iter(markings.cuts)
        self._base = markings.level
        self._first = self._color = markings.color
        self._levels: list[int] = []
        self._open: list[int] = []
        self._lines = lines

    def finish(self, safe: str) -> str:
        return "".join(self._parts(safe))

    def _parts(self, safe: str) -> Iterator[str]:
        for found in _TOKEN.finditer(safe):
            closing, tag, attributes, text = found.groups()
            if text is not None:
                yield from self._text(text)
            elif tag is None:
                yield "&lt;"
            else:
                yield self._tag(bool(closing), tag, attributes)

    def _tag(self, closing: bool, tag: str, attributes: str) -> str:
        if tag[0] == "h" and tag[1:].isdigit():
            return self._title(closing, int(tag[1:]))
        special = _SPECIAL.get(tag)
        if special is not None:
            return special(closing, attributes)
        if tag == "p" and self._lines and not closing:
            return '<p class="lines">'
        return f"<{'/' * closing}{tag}{attributes}>"

    def _title(self, closing: bool, level: int) -> str:
        """Return the tag of a title: levels follow one another, whatever the document skips."""
        if closing:
            return f"</h{self._open.pop()}>" if self._open else ""
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        shown = min(6, self._base + len(self._levels) - 1)
        self._open.append(shown)
        return f"<h{shown}>"

    def _text(self, text: str) -> Iterator[str]:
        """Yield a text with its marks; a cut in it begins another chunk."""
        first, *rest = html.unescape(text).split(CUT)
        yield from self._run(first)
        for part in rest:
            cut = next(self._cuts, None)
            if cut is not None:
                self._color = cut.position
                yield cut_label(cut)
            yield from self._run(part)

    def _run(self, text: str) -> Iterator[str]:
        shown = clean(text)
        if not shown.strip() or self._color == self._first or self._color is None:
            yield from _marked(shown, self._mark)
            return
        yield f'<span class="k{self._color % COLORS}">'
        yield from _marked(shown, self._mark)
        yield "</span>"


def cut_label(cut: Cut) -> str:
    """Return the label of a chunk as it stands where the chunk begins."""
    label = html.escape(cut.label)
    return (
        f'<span class="cut e{cut.position % COLORS}" id="c{cut.position}" '
        f'data-n="{cut.position}" title="{label}">'
        f'<span class="unseen">Chunk </span>{cut.position}</span>'
    )


def _table(closing: bool, attributes: str) -> str:
    if closing:
        return "</table></div>"
    return f'<div class="scroll" tabindex="0"><table{attributes}>'


def _pre(closing: bool, attributes: str) -> str:
    return "</pre>" if closing else f'<pre tabindex="0"{attributes}>'


def _picture(closing: bool, attributes: str) -> str:
    found = _ALT.search(attributes)
    words = found[1] if found else ""
    return f'<span class="picture">{words or "picture"}</span>'


def _task(closing: bool, attributes: str) -> str:
    done = "checked" in attributes
    return f'<span class="task" role="img" aria-label="{"done" if done else "to do"}"></span>'


def _link(closing: bool, attributes: str) -> str:
    if closing:
        return "</a>"
    if ' href="/doc?' in attributes:
        return f"<a{attributes.replace(_REL, '')}>"
    return f'<a target="_blank"{attributes}>' if "href=" in attributes else "<a>"


_REL = ' rel="noopener noreferrer"'

_SPECIAL: dict[str, Callable[[bool, str], str]] = {
    "table": _table,
    "pre": _pre,
    "img": _picture,
    "input": _task,
    "a": _link,
}
