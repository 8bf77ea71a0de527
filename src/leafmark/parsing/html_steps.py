"""Bars of links that say that they lead around: `Previous | Up | Next`, drawn or written.

In: a page. Out: spans to drop. Two such links in a row are a bar, or one in a paragraph of its
own, with nothing else in it but signs, numbers and the same words where there is no page to lead
to. One of them names a step, so that names of pages and of functions (`Index`, `next()`) are no
bar. Links parted by bars (`|`) belong to one whatever they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import unquote

from leafmark.parsing.html_page import HtmlElement, HtmlPage
from leafmark.parsing.html_tokens import unescape

__all__ = ["step_bars"]

_Kind = Literal["step", "place", "sign", "name"]

_STEPS = (
    *("next", "previous", "prev", "forward", "backward", "back", "up"),
    *("weiter", "zurück", "nach oben", "suivant", "précédent", "retour", "remonter"),
    *("siguiente", "anterior", "arriba", "subir", "próximo", "seguinte"),
    *("successivo", "precedente", "avanti", "indietro", "risali"),
    *("volgende", "vorige", "terug", "omhoog", "następny", "poprzedni"),
    *("вперёд", "вперед", "назад", "следующая", "предыдущая", "вверх"),
    *("次へ", "前へ", "戻る", "上へ", "下一页", "上一页", "下一章", "上一章", "下一頁", "上一頁"),
)
"""What links to the pages before, after and above are called."""

_PLACES = (
    *("home", "home page", "top", "start", "contents", "toc", "table of contents", "index"),
    *("main page", "title page", "cover", "search", "references", "glossary"),
    *("inhalt", "inhaltsverzeichnis", "zum anfang", "accueil", "sommaire", "table des matières"),
    *("inicio", "índice", "contenido", "início", "conteúdo", "inizio", "indice", "partenza"),
    *("inhoud", "begin", "содержание", "оглавление", "目次", "ホーム", "目录", "首页"),
)
"""What the other links of such bars are called."""

_KINDS: dict[str, _Kind] = {**dict.fromkeys(_PLACES, "place"), **dict.fromkeys(_STEPS, "step")}
_LETTERS = re.compile(rb"[a-z]++", re.IGNORECASE)
_FIRST = frozenset(
    found[0]
    for word in (*_KINDS, "go", "return", "jump", "back", "up")
    if (found := _LETTERS.match(word.encode()))
)
"""The letters of ASCII that the text of a link begins with where it is no name: what is behind
them may be an entity (`next&gt;`, `zur&uuml;ck`)."""

_PART = re.compile(r" (?:page|chapter|section|topic|part|node|slide)\Z")
_RETURN = re.compile(
    r"(?:(?:go|return|jump) (?:back |up )?|back |up )to (?:the )?"
    r"(?:top|index|contents|table of contents|home page|main page)(?: of (?:the )?page)?"
)
_SIGNS = " \t\r\n\f\xa0[]{}<>|:*-\u2010\u2011\u2012\u2013\u2014«»‹›←→↑↓⇐⇒⇑⇓◀▶◄►▲▼△•·/"

_LONGEST_LINK = 400
_LONGEST_LABEL = 60
_REACH = 300
"""Bytes between links of a bar, and around it, that are looked at."""

_IMAGE = re.compile(
    rb"<img\b[^<>]*?\balt\s*=\s*(?:\"([^\"]*+)\"|'([^']*+)')[^<>]*+>", re.IGNORECASE
)
_TAG = re.compile(rb"<[^<>]*+>")
_OF_CODE = re.compile(rb"<(?:code|tt|kbd|samp|h[1-6])\b", re.IGNORECASE)

_SIGN = (
    rb"\s|&nbsp;|&\#160;|\xc2\xa0|[\[\]|/\-:*0-9]|&[lr]a?quo;|&[lrud]arr;|&lt;|&gt;|&middot;"
    rb"|&bull;|\xc2[\xab\xbb\xb7]|\xe2\x80[\x90-\x94\xb9\xba\xa2]|\xe2\x86[\x90-\x93]"
)
_WORD = rb"(?:%b)\b" % b"|".join(
    word.encode() for word in sorted((*_STEPS, *_PLACES), key=len, reverse=True)
)
_STEP = re.compile(rb"\b(?:%b)\b" % "|".join(_STEPS).encode(), re.IGNORECASE)
_INLINE = rb"</?(?:span|b|i|em|strong|small|big|font|u|nobr)\b[^<>]*+>"
_BARRED = rb"/?(?:h[1-6r]|pre|code|img|input|button|form|select|textarea|dt|dd)\b"
_BETWEEN = re.compile(
    rb"(?:%b|%b|<(?!%b|a\b)[^<>]*+>|(?!))*+" % (_SIGN, _WORD, _BARRED), re.IGNORECASE
)
"""What may stand between two links of a bar."""

_BLOCK = (
    rb"/?(?:p|div|td|th|tr|table|tbody|center|body|hr|br|ul|ol|li|dl|nav|header|footer|section"
    rb"|article|main|blockquote|pre|h[1-6]|form|html|map)\b"
)
_BESIDE = rb"(?:%b|%b|%b|<!--(?:[^<>-]|-(?!->)|(?!))*+-->|(?!))*+" % (_SIGN, _WORD, _INLINE)
_EDGE = re.compile(_BESIDE, re.IGNORECASE)
_BEFORE = re.compile(rb"<(%b)[^<>]*+>%b\Z" % (_BLOCK, _BESIDE), re.IGNORECASE)
_AFTER = re.compile(rb"%b(?=<(%b)|\Z)" % (_BESIDE, _BLOCK), re.IGNORECASE)
_SURE_LINKS = 4
"""Links of a bar that stays one where others stand right beside it."""

_LIST_END = re.compile(rb"</(?:table|ul|ol|center|nav|header|footer)\b", re.IGNORECASE)
_ITEMS = frozenset((b"li", b"td", b"th", b"tr", b"/li", b"/td", b"/th", b"/tr"))
"""Where one link alone is an entry of a list or a table."""


class _Links(NamedTuple):
    """The links of a page, and what each is by what it says."""

    page: HtmlPage
    all: Sequence[HtmlElement]
    kinds: Sequence[_Kind]


def step_bars(page: HtmlPage) -> Iterator[tuple[int, int]]:
    """Yield the spans of the bars."""
    found = [link for link in page.links if link.tag == "a"]
    links = _Links(page, found, [_kind_of(page, link) for link in found])
    seen = 0
    for at, kind in enumerate(links.kinds):
        if at >= seen and kind in ("step", "place"):
            first, seen = _run(links, at, seen)
            span = _bar(links, first, seen - 1)
            if span is not None:
                yield span


def _kind_of(page: HtmlPage, link: HtmlElement) -> _Kind:
    """What a link of a page is; most are names, and found to be in one step."""
    data = page.data
    shown = data[link.inner : link.close] if link.close - link.inner <= _LONGEST_LINK else b""
    if b"<" in shown:
        if _OF_CODE.search(shown):
            return "name"
        shown = _TAG.sub(b"", _IMAGE.sub(rb" \1\2 ", shown))
    elif (first := _LETTERS.match(shown)) and first[0].lower() not in _FIRST:
        return "name"
    if not shown:
        return "name"
    label = " ".join(unescape(shown).casefold().split()) if len(shown) <= _LONGEST_LABEL else ""
    kind = _kind(label) if label else "name"
    if kind == "step":
        _, _, place = (page.attribute(link, b"href") or "").partition("#")
        kind = "name" if place and label.strip(_SIGNS) in unquote(place).casefold() else kind
    return kind


def _kind(label: str) -> _Kind:
    """What a link is, by what it says: nothing but signs and numbers is neither step nor name.

    >>> _kind("<< previous page"), _kind("index"), _kind("12"), _kind("next()")
    ('step', 'place', 'sign', 'name')
    """
    words = label.strip(_SIGNS)
    if not words or words.isdigit():
        return "sign"
    if _RETURN.fullmatch(words):
        return "step"
    return _KINDS.get(_PART.sub("", words), "name")


def _run(links: _Links, at: int, least: int) -> tuple[int, int]:
    """The first of the links that stand with the one at `at` in a bar, and the one behind it."""
    first, end = at, at + 1
    while first > least and _is_joined(links, first):
        first -= 1
    while end < len(links.all) and _is_joined(links, end):
        end += 1
    return first, end


def _is_joined(links: _Links, at: int) -> bool:
    """Whether a link and the one before it stand in one bar, if they stand in any."""
    gap = _gap(links, at)
    if gap is None or "name" not in links.kinds[at - 1 : at + 1]:
        return gap is not None
    sizes = (link.close - link.inner for link in links.all[at - 1 : at + 1])
    return b"|" in gap and all(0 < size <= _LONGEST_LABEL for size in sizes)


def _gap(links: _Links, at: int) -> bytes | None:
    """What stands between a link and the one before it, None where that parts them."""
    before, after = links.all[at - 1].end, links.all[at].start
    if not 0 <= after - before <= _REACH:
        return None
    found = _BETWEEN.match(links.page.data, before, after)
    return found[0] if found and found.end() == after else None


def _bar(links: _Links, first: int, last: int) -> tuple[int, int] | None:
    """The span of a run of links where it is a bar, with the signs and words around it."""
    page, data = links.page, links.page.data
    kinds = links.kinds[first : last + 1]
    steps, led = kinds.count("step"), kinds.count("step") + kinds.count("place")
    if not (steps > 1 and led >= _SURE_LINKS) and _goes_on(links, first, last):
        return None
    start, end = links.all[first].start, links.all[last].end
    before = _BEFORE.search(data, max(0, start - _REACH), start)
    after = _AFTER.match(data, end, end + _REACH)
    if after is None or (before is None and _EDGE.fullmatch(data, page.body_start, start) is None):
        return None
    tags = {before[1].lower() if before else b"", (after[1] or b"").lower()}
    if led < 2 and not (len(kinds) == 1 and tags.isdisjoint(_ITEMS)):
        return None
    start = data.index(b">", before.start()) + 1 if before else page.body_start
    is_step = steps or _STEP.search(_TAG.sub(b"", data[start : after.end()]))
    return (start, after.end()) if is_step else None


def _goes_on(links: _Links, first: int, last: int) -> bool:
    """Whether names stand right beside the run: then it is a part of a list of them."""
    beside = [at for at in (first, last + 1) if 0 < at < len(links.all)]
    gaps = (_gap(links, at) for at in beside)
    return any(gap is not None and not _LIST_END.search(gap) for gap in gaps)
