"""Links, bare addresses and wiki links (`[[Page]]`) of Markdown.

Made when they are looked at, of the rows of the walk. Bare addresses of the web and of mail are
links in GFM; the parser makes none of them. Wiki links are no Markdown; they leave headings and
blocks as they are: a title keeps its brackets, as on GitHub.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pyromark

from leafmark.model import Link
from leafmark.parsing.markdown_walk import OPTIONS, Row, name_of

__all__ = ["find_heads", "links_of"]

_SCHEMES = (b"https", b"http", b"ftp")
_LONGEST_SCHEME = max(map(len, _SCHEMES))
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_WORLD = re.compile(rb"(?<![^\s*_~(|])www\.(?=[a-z0-9\x80-\xff])")
_NAME = re.compile(rb"(?<![\w.+-])(?:(?:mailto|xmpp):)?(?:[\w.+-]|\\[_.+-])+\\?@")
_IN_NAMES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+\\:-"
_NOT_WITHIN = re.compile(rb":|\\(?![_.+-]|\Z)")
_LONGEST_SCHEME_OF_NAMES = len("mailto:")
_HOST = re.compile(rb"[A-Za-z0-9\x80-\xff][\w.\x80-\xff-]*")
_MAIL_HOST = re.compile(rb"(?:\\?[\w-])*(?:\\?\.[A-Za-z0-9](?:\\?[\w-])*)+")
_REST = re.compile(rb"[^\s<]*")
_TRAILING = b"?!.,:;*_~'\""
_LONGEST_ENTITY = 34
_AT = ord("@")
_ENTITY = re.compile(rb"&[A-Za-z0-9]+;\Z")
_UNREAD = frozenset(("Link", "Image", "CodeBlock", "HtmlBlock"))
_INLINE = frozenset(("Emphasis", "Strong", "Strikethrough"))


def links_of(rows: Sequence[Row], raw: bytes) -> tuple[Link, ...]:
    """Return the links and images of a document, in order, with the parser's own ranges.

    `raw` is what the rows were made of. A wiki link takes the place of what
    Markdown sees inside its brackets.
    """
    links = [_link(tag, start, end) for tag, start, end in rows if _is_link(tag)]
    bare = _addresses(raw, rows, links)
    if bare:
        links = sorted(links + bare, key=_place)
    if b"[[" not in raw or b"]]" not in raw:
        return tuple(links)
    shown = {link.start for link in links}  # [[text]](target) begins as a wiki link does
    wiki = [link for link in _wiki_links(raw.decode()) if link.start not in shown]
    inside = {at for link in wiki for at in range(link.start, link.end)}
    links = [link for link in links if link.start not in inside]
    return tuple(sorted(links + wiki, key=_place))


def _place(link: Link) -> tuple[int, int]:
    return link.start, -link.end


def _is_link(tag: Any) -> bool:
    return tag.__class__ is not str and ("Link" in tag or "Image" in tag)


def _link(tag: dict[str, Any], start: int, end: int) -> Link:
    if "Image" in tag:
        return Link(start, end, tag["Image"]["dest_url"], "image")
    kind, target = tag["Link"]["link_type"], tag["Link"]["dest_url"]
    if kind == "Email":
        return Link(start, end, f"mailto:{target}", "autolink")
    return Link(start, end, target, "autolink" if kind == "Autolink" else "link")


def _wiki_links(text: str) -> list[Link]:
    """The wiki links outside of code: `[[target]]`, `[[target|shown]]`, embedded ones with `!`."""
    options = OPTIONS | pyromark.Options.ENABLE_WIKILINKS
    links = []
    for event, extent in pyromark.events_with_range(text, options=options):
        if isinstance(event, str) or "Start" not in event or not _is_link(event["Start"]):
            continue
        tag: Any = event["Start"]
        link = tag["Link"] if "Link" in tag else tag["Image"]
        target = link["dest_url"].rstrip("\\").strip()  # in a table, the bar is escaped
        if "WikiLink" in link["link_type"] and target and "\n" not in target:
            links.append(Link(extent["start"], extent["end"], target, "wiki"))
    return links


# -- bare addresses -----------------------------------------------------------------


class _Head(NamedTuple):
    """What an address may begin with: `http://`, `www.`, or a name and `@`."""

    start: int
    end: int


class _Text(NamedTuple):
    """A range of text, and where its block ends."""

    start: int
    end: int
    limit: int


def _addresses(raw: bytes, rows: Sequence[Row], links: Sequence[Link]) -> list[Link]:
    """The bare addresses that stand in no code, no tag and none of `links`, in order.

    `text` is what the parser is given, and `rows` what it made of it; offsets are bytes of it.
    """
    heads = _outside(find_heads(raw), rows)
    if not heads:
        return []
    texts = [*_iter_texts(raw)]
    begins = [link.start for link in links]
    found: list[Link] = []
    for head in heads:
        at = head.start
        number = bisect_right(texts, at, key=_start_of) - 1
        if number < 0 or at >= texts[number].end or (found and at < found[-1].end):
            continue
        inside = texts[number]
        if raw[at - 1 : at] == b"|" and at > inside.start:
            continue  # only a cell of a table begins there
        following = bisect_right(begins, at)
        limit = min([inside.limit, *begins[following : following + 1]])
        found += _read(raw, head, limit)
    return found


def find_heads(raw: bytes) -> list[_Head]:
    """What addresses may begin with, in order; none begins inside another one.

    Each kind is looked for by what few texts have, since most bytes begin none.
    """
    lower = raw.lower()
    world = [_Head(*head.span()) for head in _WORLD.finditer(lower)] if b"www." in lower else []
    heads = sorted([*_find_schemes(lower), *world, *_find_names(raw, dict(world))])
    return [head for before, head in pairwise([_Head(0, 0), *heads]) if head.start >= before.end]


def _find_schemes(lower: bytes) -> Iterator[_Head]:
    for at in _places(lower, b"://"):
        before = lower[max(0, at - _LONGEST_SCHEME - 1) : at]
        scheme = next((one for one in _SCHEMES if before.endswith(one)), None)
        if scheme and not _LETTERS.issuperset(before[-len(scheme) - 1 : -len(scheme)] or b"-"):
            yield _Head(at - len(scheme), at + 3)


def _find_names(raw: bytes, taken: Mapping[int, int]) -> Iterator[_Head]:
    """The names before each `@`, which go over no line end; none begins where one of `taken` does.

    `taken` tells where each of them ends.
    """
    begin = 0
    for at in _places(raw, b"@"):
        name = _NAME.search(raw, _name_from(raw, begin, at), at + 1)
        if name is not None and name.start() in taken:
            name = _NAME.search(raw, taken[name.start()], at + 1)
        if name is not None:
            yield _Head(*name.span())
        begin = at + 1


def _name_from(raw: bytes, begin: int, at: int) -> int:
    """Return where to look for the name before the `@` at `at`: behind what is in no name.

    From there on all is a name, so that none of many beginnings goes far for nothing.
    """
    before = raw[begin:at]
    start = len(before.rstrip(_IN_NAMES))
    last = deque(_NOT_WITHIN.finditer(before, start), maxlen=1)
    if last:
        end = last[0].end()
        start = max(start, end - _LONGEST_SCHEME_OF_NAMES) if last[0][0] == b":" else end
    return begin + start


def _places(raw: bytes, part: bytes) -> Iterator[int]:
    at = raw.find(part)
    while at >= 0:
        yield at
        at = raw.find(part, at + len(part))


def _outside(heads: Sequence[_Head], rows: Sequence[Row]) -> list[_Head]:
    """Those that begin in no link, image or block of code or HTML, whose ranges `rows` have."""
    if not heads:
        return []
    unread = [(start, end) for tag, start, end in rows if name_of(tag) in _UNREAD]
    starts = [start for start, _ in unread]
    reached = [*accumulate([end for _, end in unread], max, initial=0)]
    return [head for head in heads if head.start >= reached[bisect_right(starts, head.start)]]


def _start_of(text: _Text) -> int:
    return text.start


def _iter_texts(raw: bytes) -> Iterator[_Text]:
    """The ranges of text outside of links, images and code."""
    unread, limits = 0, [len(raw)]
    event: Any
    for event, extent in pyromark.events_with_range(raw.decode(), options=OPTIONS):
        if "Text" in event:
            if not unread:
                yield _Text(extent["start"], extent["end"], limits[-1])
        elif "Start" in event:
            name = name_of(event["Start"])
            unread += name in _UNREAD
            limits.append(limits[-1] if name in _INLINE else extent["end"])
        elif "End" in event:
            unread -= name_of(event["End"]) in _UNREAD
            limits.pop()


def _read(raw: bytes, head: _Head, limit: int) -> Iterator[Link]:
    """The address that begins with `head`, if there is one before `limit`."""
    start, after = head
    is_mail = raw[after - 1] == _AT
    host = (_MAIL_HOST if is_mail else _HOST).match(raw, after, limit)
    if host is None:
        return
    end = _end_of_mail(host) if is_mail else _end_of_page(raw, host, limit)
    if end <= after:
        return
    shown = raw[start:end].decode("utf-8", "replace")
    if is_mail:
        shown = shown.replace("\\", "")
    scheme = "" if b":" in raw[start:after] else "mailto:" if is_mail else "http://"
    yield Link(start, end, scheme + shown, "autolink")


def _end_of_mail(host: re.Match[bytes]) -> int:
    """Where an address of mail ends; 0 for what is none, such as `name@1.2`."""
    return host.end() if host[0][-1:].isalpha() else 0


def _end_of_page(raw: bytes, host: re.Match[bytes], limit: int) -> int:
    """Where an address of the web ends; 0 where the host is none."""
    begins_with_letter = host[0].decode("utf-8", "replace")[0].isalnum()
    if not begins_with_letter or b"_" in b".".join(host[0].rstrip(b".").split(b".")[-2:]):
        return 0
    rest = _REST.match(raw, host.end(), limit)
    start, end = host.start(), rest.end() if rest else host.end()
    surplus = raw.count(b")", start, end) - raw.count(b"(", start, end)
    while end > start:
        last = raw[end - 1 : end]
        entity = _ENTITY.search(raw, max(start, end - _LONGEST_ENTITY), end)
        if entity:
            end = entity.start()
        elif last in _TRAILING or (last == b")" and surplus > 0):
            surplus -= last == b")"
            end -= 1
        else:
            break
    return end
