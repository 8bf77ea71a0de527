"""Parts of documents as safe HTML: sanitised, links led to our own pages, words and cuts marked.

Whatever a document says, what comes out holds no script, no style, no id, and no address that a
browser would fetch by itself. Cuts between chunks come in as marks inside the text, so that a
paragraph stays whole where a chunk ends in the middle of it.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, takewhile
from typing import NamedTuple

import nh3
from markupsafe import Markup

from leafmark.parsing.markdown_html import markdown_html
from leafmark.render.terminal import clean
from leafmark.server.web.highlighting import Tint, tints

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
    "code": {"class"},
    "div": {"class"},
    "pre": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_ALERTS = {f"markdown-alert-{kind}" for kind in ("note", "tip", "important", "warning", "caution")}
_CLASSES = {"blockquote": _ALERTS}

_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*)>|([^<]+)|<')
_PERMALINK = re.compile(r"<a(?: [^>]*)?>\s*[¶#§🔗]?\s*</a>")
"""A title's link to itself, which is for those who read the page elsewhere, and empty ones."""
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight(?:-source)?|src|sourceCode)[- ]|brush: ?)([\w+#.-]+)"
)
"""How the classes of code, and of what is around it, name its language."""

_IN_CODE = frozenset(("span", "code", "tt", "b", "i", "em", "strong", "samp"))
"""What is within code to colour it, and gives way to our own colours."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_WITH_DIRECTION = frozenset(("p", "ul", "ol", "dl", "blockquote", "table"))
"""What stands from right to left where its own words do."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_CLASS = re.compile(r' class="language-([^"]*)"')
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
    return Markup("".join(_tagged(shown, mark(shown))))


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


def _tagged(
    text: str, marked: Sequence[tuple[int, int]], tints: Sequence[Tint] = ()
) -> Iterator[str]:
    """Yield a text as HTML: ranges of it marked, and those of code in their colours."""
    at = 0
    for start, end, name in tints:
        yield from _marked(text, at, start, marked)
        yield f'<span class="{name}">'
        yield from _marked(text, start, end, marked)
        yield "</span>"
        at = end
    yield from _marked(text, at, len(text), marked)


def _marked(text: str, at: int, stop: int, marked: Sequence[tuple[int, int]]) -> Iterator[str]:
    first = bisect_right(marked, at, key=lambda one: one[1])
    for start, end in islice(marked, first, None):
        if start >= stop:
            break
        start, end = max(start, at), min(end, stop)
        yield html.escape(text[at:start], quote=False)
        yield f"<mark>{html.escape(text[start:end], quote=False)}</mark>"
        at = end
    yield html.escape(text[at:stop], quote=False)


def render_markdown(
    text: str, definitions: str, find_link: FindLink, markings: Markings | None = None
) -> Markup:
    """Return a part of a Markdown document as HTML."""
    made = markdown_html(text, definitions)
    if made is None:
        made = f"<pre>{html.escape(text, quote=False)}</pre>"
    return render_html(made, find_link, markings)


def render_html(text: str, find_link: FindLink, markings: Markings | None = None) -> Markup:
    """Return HTML from anywhere as HTML that is safe to show."""
    safe = _PERMALINK.sub("", _cleaner(find_link).clean(text))
    made = _Finisher(markings or Markings()).finish(safe)
    return Markup(made)


def _cleaner(find_link: FindLink) -> nh3.Cleaner:
    def admit(tag: str, name: str, value: str) -> str | None:
        value = value.replace(CUT, "")
        if name == "class" and tag != "blockquote":
            language = _LANGUAGE.search(value)
            return None if language is None else f"language-{language[1]}"
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

    def __init__(self, markings: Markings):
        self._mark = markings.mark
        self._cuts = iter(markings.cuts)
        self._base = markings.level
        self._first = self._color = markings.color
        self._levels: list[int] = []
        self._open: list[int] = []
        self._language = self._direction = ""

    def finish(self, safe: str) -> str:
        self._direction = ' dir="auto"' if _RIGHT_TO_LEFT.search(safe) else ""
        return "".join(self._parts(safe))

    def _parts(self, safe: str) -> Iterator[str]:
        tokens = _TOKEN.finditer(safe)
        for found in tokens:
            self._language = _language_in(found) or self._language
            if found[2] == "pre" and not found[1]:
                inner = [*_until_closed(tokens)]
                yield f'<pre tabindex="0"{_CLASS.sub("", found[3])}>'
                yield from self._code(inner)
                yield "</pre>"
                self._language = ""
            else:
                yield from self._token(found)

    def _token(self, found: re.Match[str]) -> Iterator[str]:
        closing, tag, attributes, text = found.groups()
        if text is not None:
            yield from self._text(text)
        elif tag is None:
            yield "&lt;"
        else:
            yield self._tag(bool(closing), tag, _CLASS.sub("", attributes))

    def _code(self, inner: Sequence[re.Match[str]]) -> Iterator[str]:
        """Yield what is within a `pre`, in colours where its language is known."""
        language = next(filter(None, map(_language_in, inner)), self._language)
        written = "".join(one[4] or "<" for one in inner if one[2] is None)
        plain = clean(html.unescape(written).replace(CUT, ""))
        only_text = all(one[2] is None or one[2] in _IN_CODE for one in inner)
        found = tints(plain, language) if only_text else []
        if not found:
            for one in inner:
                yield from self._token(one)
            return
        yield "<code>"
        yield from self._text(written, found)
        yield "</code>"

    def _tag(self, closing: bool, tag: str, attributes: str) -> str:
        if tag[0] == "h" and tag[1:].isdigit():
            return self._title(closing, int(tag[1:]))
        if self._direction and not closing and tag in _WITH_DIRECTION and "dir=" not in attributes:
            attributes += self._direction
        special = _SPECIAL.get(tag)
        if special is not None:
            return special(closing, attributes)
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
        return f"<h{shown}{self._direction}>"

    def _text(self, text: str, tinted: Sequence[Tint] = ()) -> Iterator[str]:
        """Yield a text with its marks; a cut in it begins another chunk."""
        at = 0
        for number, part in enumerate(html.unescape(text).split(CUT)):
            cut = next(self._cuts, None) if number else None
            if cut is not None:
                self._color = cut.position
                yield cut_label(cut)
            shown = clean(part)
            yield from self._run(shown, _within(tinted, at, at + len(shown)))
            at += len(shown)

    def _run(self, shown: str, tinted: Sequence[Tint]) -> Iterator[str]:
        made = _tagged(shown, self._mark(shown), tinted)
        if not shown.strip() or self._color == self._first or self._color is None:
            yield from made
            return
        yield f'<span class="k{self._color % COLORS}">'
        yield from made
        yield "</span>"


def _until_closed(tokens: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yield what is within a `pre`, up to its end; another one may be in it."""
    depth = 1
    for found in tokens:
        depth += (1 - 2 * bool(found[1])) * (found[2] == "pre")
        if not depth:
            return
        yield found


def _language_in(token: re.Match[str]) -> str:
    """Return the language that the class of a tag names; "" without one."""
    found = _CLASS.search(token[3]) if token[3] and not token[1] else None
    return found[1] if found else ""


def _within(tinted: Sequence[Tint], start: int, end: int) -> Sequence[Tint]:
    """Return the colours of a part of code, counted from its begin."""
    first = bisect_right(tinted, start, key=lambda one: one.end)
    part = takewhile(lambda one: one.start < end, islice(tinted, first, None))
    return [
        Tint(max(one.start, start) - start, min(one.end, end) - start, one.name) for one in part
    ]


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
    "img": _picture,
    "input": _task,
    "a": _link,
}
