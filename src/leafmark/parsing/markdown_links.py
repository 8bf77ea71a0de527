"""Links, bare addresses and wiki links of Markdown, and the names of its headings and places.

They come from the rows of the walk. Bare addresses of the web and of mail are links in GFM, but
not for the parser. Wiki links (`[[Page]]`) are not Markdown and do not change headings or
blocks: a title keeps its brackets, as on GitHub.

A name stands behind a heading as `{#id}`, with classes and other attributes or without: in
Pandoc, kramdown, Hugo, Docusaurus and VitePress. In MDX it is `{/* id */}`, in MkDocs `{: #id }`
or `{ #id }`, in Fumadocs `[#id]`; kramdown has it on the line below, MyST as `(id)=` on the line
above. An anchor element stands in the heading or above it. None of that is in the title; the name
is the slug, as written. Any element with an `id` names a place, as on GitHub, and `^id` at the end
of a line the block that ends there, as in Obsidian.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pyromark

from leafmark.model import Anchor, Block, HeadingColumns, Link, span_at
from leafmark.parsing.markdown_walk import OPTIONS, Row, name_of
from leafmark.parsing.titles import NamedTag, fold, named_places
from leafmark.patterns import lazy_pattern

_SCHEMES = (b"https", b"http", b"ftp")
_MAX_SCHEME = max(map(len, _SCHEMES))
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_WORLD = lazy_pattern(rb"(?<![^\s*_~(|])www\.(?=[a-z0-9\x80-\xff])")
_NAME = lazy_pattern(rb"(?<![\w.+-])(?:(?:mailto|xmpp):)?(?:[\w.+-]|\\[_.+-])+\\?@")
_IN_NAMES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+\\:-"
_NOT_WITHIN = lazy_pattern(rb":|\\(?![_.+-]|\Z)")
_MAX_SCHEME_OF_NAMES = len("mailto:")
_HOST = lazy_pattern(rb"[A-Za-z0-9\x80-\xff][\w.\x80-\xff-]*")
_MAIL_HOST = lazy_pattern(rb"(?:\\?[\w-])*(?:\\?\.[A-Za-z0-9](?:\\?[\w-])*)+")
_REST = lazy_pattern(rb"[^\s<]*")
_TRAILING = b"?!.,:;*_~'\""
_MAX_ENTITY = 34
_AT = ord("@")
_ENTITY = lazy_pattern(rb"&[A-Za-z0-9]+;\Z")
_UNREAD = frozenset(("Link", "Image", "CodeBlock", "HtmlBlock"))
_INLINE = frozenset(("Emphasis", "Strong", "Strikethrough"))


def links_of(rows: Sequence[Row], raw: bytes) -> tuple[Link, ...]:
    """Return the links and images of a document, in order, with the parser's own ranges.

    `raw` is the source of the rows. A wiki link replaces the link that
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
    """Return the wiki links outside of code: `[[target]]`, `[[target|text]]`, embedded by `!`."""
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
    """The beginning of a possible address: `http://`, `www.`, or a name and `@`."""

    start: int
    end: int


class _Text(NamedTuple):
    """A range of text, and where its block ends."""

    start: int
    end: int
    limit: int


def _addresses(raw: bytes, rows: Sequence[Row], links: Sequence[Link]) -> list[Link]:
    """Return the bare addresses outside of code, tags and `links`, in order.

    `raw` is the text for the parser, and `rows` are its result; offsets are bytes of it.
    """
    heads = _outside(find_heads(raw), rows)
    if not heads:
        return []
    texts = [*_iter_texts(raw)]
    begins = [link.start for link in links]
    addresses: list[Link] = []
    for head in heads:
        at = head.start
        number = bisect_right(texts, at, key=_start_of) - 1
        if number < 0 or at >= texts[number].end or (addresses and at < addresses[-1].end):
            continue
        inside = texts[number]
        if raw[at - 1 : at] == b"|" and at > inside.start:
            continue  # only a cell of a table begins there
        following = bisect_right(begins, at)
        limit = min([inside.limit, *begins[following : following + 1]])
        addresses += _read(raw, head, limit)
    return addresses


def find_heads(raw: bytes) -> list[_Head]:
    """Return the possible beginnings of addresses, in order; none begins inside another one.

    Each kind is searched by a rare sign, since most bytes begin none.
    """
    lower = raw.lower()
    world = [_Head(*head.span()) for head in _WORLD.finditer(lower)] if b"www." in lower else []
    heads = sorted([*_find_schemes(lower), *world, *_find_names(raw, dict(world))])
    return [head for before, head in pairwise([_Head(0, 0), *heads]) if head.start >= before.end]


def _find_schemes(lower: bytes) -> Iterator[_Head]:
    for at in _places(lower, b"://"):
        before = lower[max(0, at - _MAX_SCHEME - 1) : at]
        scheme = next((known for known in _SCHEMES if before.endswith(known)), None)
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
    """Return where the name before the `@` at `at` may begin: behind a sign that no name has.

    All signs behind it may be in a name, so the search does not go far in vain.
    """
    before = raw[begin:at]
    start = len(before.rstrip(_IN_NAMES))
    last = deque(_NOT_WITHIN.finditer(before, start), maxlen=1)
    if last:
        end = last[0].end()
        start = max(start, end - _MAX_SCHEME_OF_NAMES) if last[0][0] == b":" else end
    return begin + start


def _places(raw: bytes, part: bytes) -> Iterator[int]:
    at = raw.find(part)
    while at >= 0:
        yield at
        at = raw.find(part, at + len(part))


def _outside(heads: Sequence[_Head], rows: Sequence[Row]) -> list[_Head]:
    """Return the beginnings outside of links, images, and blocks of code or HTML, by `rows`."""
    if not heads:
        return []
    unread = [(start, end) for tag, start, end in rows if name_of(tag) in _UNREAD]
    starts = [start for start, _ in unread]
    reached = [*accumulate([end for _, end in unread], max, initial=0)]
    return [head for head in heads if head.start >= reached[bisect_right(starts, head.start)]]


def _start_of(text: _Text) -> int:
    return text.start


def _iter_texts(raw: bytes) -> Iterator[_Text]:
    """Yield the ranges of text outside of links, images and code."""
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
    """Yield the address that begins with `head`, if there is one before `limit`."""
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
    """Return the end of an address of mail; 0 if it is not one, such as `name@1.2`."""
    return host.end() if host[0][-1:].isalpha() else 0


def _end_of_page(raw: bytes, host: re.Match[bytes], limit: int) -> int:
    """Return the end of an address of the web; 0 if the host is not valid."""
    begins_with_letter = host[0].decode("utf-8", "replace")[0].isalnum()
    if not begins_with_letter or b"_" in b".".join(host[0].rstrip(b".").split(b".")[-2:]):
        return 0
    rest = _REST.match(raw, host.end(), limit)
    start, end = host.start(), rest.end() if rest else host.end()
    surplus = raw.count(b")", start, end) - raw.count(b"(", start, end)
    while end > start:
        last = raw[end - 1 : end]
        entity = _ENTITY.search(raw, max(start, end - _MAX_ENTITY), end)
        if entity:
            end = entity.start()
        elif last in _TRAILING or (last == b")" and surplus > 0):
            surplus -= last == b")"
            end -= 1
        else:
            break
    return end


_VALUES = rb"(?:\"[^\"{}\n]*+\"|'[^'{}\n]*+'|[^\s{}\"']++)"
_ATTRIBUTES = (
    rb"(?P<colon>:?)[ \t]*+(?P<inside>(?:(?:[#.][^\s{}#]++|-(?=[ \t}])|[\w:-]+=%b)[ \t]*+|(?!))++)"
    % _VALUES
)
_BEHIND = lazy_pattern(
    rb"(?<![ \t])[ \t]*+(?:\[#(?P<name>[^\W\d][\w.-]*+)\]"
    rb"|\\?\{[ \t]*+(?:/\*(?P<comment>[^*{}\n]*+)\*/|%b)[ \t]*+\})[ \t#]*+"
    rb"(?:\r?\n[ \t]*+[-=]++[ \t]*+)?\r?\n?\Z" % _ATTRIBUTES
)
"""The attributes behind the words of a heading, and the rest of its lines."""

_NAMED = lazy_pattern(rb"(?:\A|[\s.#])#([^\s{}#]++)|\bid=[\"']?([^\s\"']++)")
_MARKED = lazy_pattern(rb"(?:\A|\s)[#.]|\A-|\A(?:class|id|lang|style|data-[\w-]+)=")
_BELOW = lazy_pattern(rb"[ \t]*+\{:[ \t]*+%b[ \t]*+\}[ \t]*+\r?(?:\n|\Z)" % _ATTRIBUTES)
_ABOVE = lazy_pattern(
    rb"(?:\A|\n)[ \t]*+(?:\((?P<label>[^\s()]++)\)="
    rb"|<(?:a|span)\s[^<>\n]*?\b(?:id|name)\s*+=\s*+[\"']?(?P<name>[^\s\"'<>/]++)[\"']?[^<>\n]*+>"
    rb"[ \t]*+(?:</(?:a|span)\s*+>|(?!))?+)[ \t]*+\r?\n(?:[ \t]*+\r?\n|(?!))*+\Z",
    re.IGNORECASE,
)
"""A line that names the heading below it."""

_FAR_ABOVE = 300
"""Bytes above a heading in which such a line stands."""

_INSIDE = lazy_pattern(
    rb"<(?:a|span)\s[^<>]*?\b(?:id|name)\s*+=\s*+[\"']?(?P<name>[^\s\"'<>]++)[^<>]*+>",
    re.IGNORECASE,
)
_TAG_START = lazy_pattern(rb"<(?:a|span)\s", re.IGNORECASE)
_LABEL_END = lazy_pattern(rb"=(?<=\)=)[ \t]*+\r?\n")
_LIST_START = lazy_pattern(rb"\{:")
_CLOSING = lazy_pattern(r"(?<=\s)#+\Z")
_TAG = lazy_pattern(rb"<(?<!`<)([a-z][a-z0-9]*+)([^<>]*+)>", re.IGNORECASE)
_VALUE = rb"\s*+=\s*+(?:\"([^\"\s]++)\"|'([^'\s]++)'|([^\"'\s]++))"
_ID = lazy_pattern(rb"\sid%b" % _VALUE, re.IGNORECASE)
_ID_OR_NAME = lazy_pattern(rb"\s(?:id|name)%b" % _VALUE, re.IGNORECASE)
_BLOCK_NAME = lazy_pattern(rb"\^(?<=[ \t\n]\^)[A-Za-z0-9-]++(?=[ \t]*+\r?(?:\n|\Z))")
_OWN_BLOCK = lazy_pattern(r"(?<=\S)[ \t]+\^(?=[0-9-]*[A-Za-z])[A-Za-z0-9-]+\s*\Z")
"""The name of a heading as a block, behind its words."""

_LABEL_LINE = lazy_pattern(
    rb"\n(?:\(([^\s()]++)\)=|:(?:label|name):[ ]++([^\s()]++))[ \t]*+(?=\r?\n)"
)
"""A label of MyST, or the option of a directive that names what it makes."""

_DIRECTIVE = lazy_pattern(rb"[`~]{3,}+[ ]*+\{")
_NO_WORDS = lazy_pattern(rb"(?:\s|</?(?:a|div|p|span)\b[^<>]*>|(?!))*+", re.IGNORECASE)


def with_names(headings: HeadingColumns, raw: bytes) -> HeadingColumns:
    """Return headings with the names that `raw` gives them; titles do not contain these names."""
    texts = headings.slug_texts
    is_marked = b"}" in raw and b"{" in raw
    behind = (
        [at for at, text in enumerate(texts) if text.rstrip()[-1:] in ("}", "]")]
        if is_marked or b"[#" in raw
        else ()
    )
    around = {}
    if (is_marked and _LIST_START.search(raw)) or _LABEL_END.search(raw) or _TAG_START.search(raw):
        places = enumerate(zip(headings.starts, headings.ends, texts, strict=True))
        named = ((at, _name_around(raw, *place)) for at, place in places)
        around = {at: name for at, name in named if name is not None}
    blocks = (
        [at for at, text in enumerate(texts) if _OWN_BLOCK.search(text)] if b" ^" in raw else ()
    )
    if not (behind or around or blocks):
        return headings
    titles, texts, anchors = [*headings.titles], [*texts], [*headings.anchors]
    for at in blocks:
        texts[at] = _OWN_BLOCK.sub("", texts[at])
        titles[at] = fold(texts[at])
    for at, name in around.items():
        anchors[at] = name
    for at in behind:
        match = _BEHIND.search(raw, headings.starts[at], headings.ends[at])
        if match is not None and _says_something(match):
            texts[at] = _without_last(texts[at])
            titles[at] = fold(texts[at])
            anchors[at] = _name_in(match) or anchors[at]
    return headings._replace(titles=titles, slug_texts=texts, anchors=anchors)


def _says_something(match: re.Match[bytes]) -> bool:
    """Whether braces hold attributes, not code that looks like an assignment."""
    if match["name"] or match["comment"] is not None or match["colon"]:
        return True
    return _MARKED.search(match["inside"]) is not None


def _name_in(match: re.Match[bytes]) -> str | None:
    """Return the name in braces, if there is one; a comment of several words is not a name."""
    named, comment = map(match.groupdict().get, ("name", "comment"))
    if named is not None:
        return _decoded(named)
    if comment is not None:
        words = comment.split()
        return _decoded(words[0].removeprefix(b"#")) or None if len(words) == 1 else None
    name = _NAMED.search(match["inside"])
    return _decoded(name[1] or name[2]) if name else None


def _without_last(text: str) -> str:
    """Return a text without braces or brackets at its end, and closing marks before them."""
    at = text.rfind("{" if text.rstrip().endswith("}") else "[")
    return _CLOSING.sub("", text[:at].rstrip()).rstrip() if at >= 0 else text


def _name_around(raw: bytes, start: int, end: int, text: str) -> str | None:
    """Return the name in a heading, right below, or right above it."""
    if raw.find(b"<", start, end) >= 0:
        inside = _INSIDE.search(raw, start, end)
        if inside is not None and _decoded(inside[0]) not in text:  # else it is code
            return _decoded(inside["name"])
    if raw.startswith((b"{:", b" {:"), end):
        below = _BELOW.match(raw, end)
        if below is not None:
            return _name_in(below)
    above = raw[max(0, start - _FAR_ABOVE) : start]
    if above.rstrip().endswith((b"=", b">")):
        match = _ABOVE.search(above)
        if match is not None:
            return _decoded(match["label"] or match["name"])
    return None


def may_have_anchors(raw: bytes) -> bool:
    """Whether a source contains a sign with which a name may be written."""
    if any(sign in raw for sign in (b" id=", b" name=", b")=", b"\n:label: ", b"\n:name: ")):
        return True
    return _BLOCK_NAME.search(raw) is not None


def anchors_of(raw: bytes, headings: HeadingColumns, code: Sequence[Block]) -> list[Anchor]:
    """Return the names in `raw`, in order, outside of `code`."""
    tags = _outside_code(_named_tags(raw), code)
    anchors = named_places(raw, tags, headings.starts, _NO_WORDS)
    ends = [NamedTag(*match.span(), _decoded(match[0])) for match in _BLOCK_NAME.finditer(raw)]
    for match in _LABEL_LINE.finditer(raw):
        group = match.lastindex or 0
        ends.append(NamedTag(*match.span(group), _decoded(match[group])))
    code = [block for block in code if not _DIRECTIVE.match(raw, block.start)]
    anchors += [(tag.start, Anchor(tag.name, tag.start)) for tag in _outside_code(ends, code)]
    return [anchor for _, anchor in sorted(anchors)]


def _named_tags(raw: bytes) -> Iterator[NamedTag]:
    """Yield the tags with a name. Two steps: one pattern for both is not linear."""
    for tag in _TAG.finditer(raw):
        attribute = _ID_OR_NAME if tag[1].lower() == b"a" else _ID
        match = attribute.search(tag[2])
        if match:
            name = _decoded(match[1] or match[2] or match[3])
            yield NamedTag(tag.start(), tag.end(), name)


def _outside_code(tags: Iterable[NamedTag], code: Iterable[Block]) -> list[NamedTag]:
    spans = [(block.start, block.end) for block in code]
    return [tag for tag in tags if span_at(spans, tag.start) is None]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")
