"""The names that authors give headings and places in Markdown.

Behind a heading stands `{#id}`, with classes and other attributes or without: in Pandoc,
kramdown, Hugo, Docusaurus and VitePress. In MDX it is `{/* id */}`, in MkDocs `{: #id }` or
`{ #id }`; kramdown has it on the line below, MyST as `(id)=` on the line above. An anchor element
stands in the heading or above it. None of that is in the title; the name is the slug, as written.
Any element with an `id` names a place, as on GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from leafmark.model import Anchor, Block, HeadingColumns
from leafmark.model.span import span_at
from leafmark.parsing.named_places import NamedTag, named_places
from leafmark.parsing.titles import fold

__all__ = ["anchors_of", "may_have_anchors", "with_names"]

_VALUES = rb"(?:\"[^\"{}\n]*+\"|'[^'{}\n]*+'|[^\s{}\"']++)"
_ATTRIBUTES = (
    rb"(?P<colon>:?)[ \t]*+(?P<inside>(?:(?:[#.][^\s{}#]++|-(?=[ \t}])|[\w:-]+=%b)[ \t]*+)++)"
    % _VALUES
)
_BEHIND = re.compile(
    rb"[ \t]*+\\?\{[ \t]*+(?:/\*(?P<comment>[^*{}\n]*+)\*/|%b)[ \t]*+\}[ \t#]*+"
    rb"(?:\r?\n[ \t]*+[-=]++[ \t]*+)?\r?\n?\Z" % _ATTRIBUTES
)
"""What stands behind the words of a heading, and the rest of its lines."""

_NAMED = re.compile(rb"(?:\A|[\s.#])#([^\s{}#]++)|\bid=[\"']?([^\s\"']++)")
_MARKED = re.compile(rb"(?:\A|\s)[#.]|\A-|\A(?:class|id|lang|style|data-[\w-]+)=")
_BELOW = re.compile(rb"[ \t]*+\{:[ \t]*+%b[ \t]*+\}[ \t]*+\r?(?:\n|\Z)" % _ATTRIBUTES)
_ABOVE = re.compile(
    rb"(?:\A|\n)[ \t]*+(?:\((?P<label>[^\s()]++)\)="
    rb"|<(?:a|span)\s[^<>\n]*?\b(?:id|name)\s*+=\s*+[\"']?(?P<name>[^\s\"'<>/]++)[\"']?[^<>\n]*+>"
    rb"[ \t]*+(?:</(?:a|span)\s*+>|(?!))?+)[ \t]*+\r?\n(?:[ \t]*+\r?\n|(?!))*+\Z",
    re.IGNORECASE,
)
"""A line that names the heading below it."""

_FAR_ABOVE = 300
"""Bytes above a heading in which such a line stands."""

_INSIDE = re.compile(
    rb"<(?:a|span)\s[^<>]*?\b(?:id|name)\s*+=\s*+[\"']?(?P<name>[^\s\"'<>]++)[^<>]*+>",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s+#+\s*\Z")
_TAG = re.compile(rb"(?<!`)<([a-z][a-z0-9]*+)([^<>]*+)>", re.IGNORECASE)
_VALUE = rb"\s*+=\s*+(?:\"([^\"\s]++)\"|'([^'\s]++)'|([^\"'\s]++))"
_ID = re.compile(rb"\sid%b" % _VALUE, re.IGNORECASE)
_ID_OR_NAME = re.compile(rb"\s(?:id|name)%b" % _VALUE, re.IGNORECASE)
_NO_WORDS = re.compile(rb"(?:\s|</?(?:a|div|p|span)\b[^<>]*>|(?!))*+", re.IGNORECASE)


def with_names(headings: HeadingColumns, raw: bytes) -> HeadingColumns:
    """Return headings with the names that `raw` gives them; what names them is in no title."""
    texts = headings.slug_texts
    is_marked = b"}" in raw and b"{" in raw
    behind = [at for at, text in enumerate(texts) if text.rstrip()[-1:] == "}"] if is_marked else ()
    is_around = _may_be_around(raw)
    if not behind and not is_around:
        return headings
    titles, texts, anchors = [*headings.titles], [*texts], [*headings.anchors]
    if is_around:
        places = zip(headings.starts, headings.ends, texts, strict=True)
        anchors = [_name_around(raw, *place) for place in places]
    for at in behind:
        found = _BEHIND.search(raw, headings.starts[at], headings.ends[at])
        if found is not None and _says_something(found):
            texts[at] = _without_last(texts[at])
            titles[at] = fold(texts[at])
            anchors[at] = _name_in(found) or anchors[at]
    return headings._replace(titles=titles, slug_texts=texts, anchors=anchors)


def _may_be_around(raw: bytes) -> bool:
    """Whether there is what may name headings in other ways than behind them."""
    is_named = b"=" in raw and (b"name=" in raw or b"id=" in raw) and b"<" in raw
    return is_named or b")=\n" in raw or b")=\r" in raw or (b"{" in raw and b"\n{:" in raw)


def _says_something(found: re.Match[bytes]) -> bool:
    """Whether braces hold attributes, not code that looks like an assignment."""
    if found["comment"] is not None or found["colon"]:
        return True
    return _MARKED.search(found["inside"]) is not None


def _name_in(found: re.Match[bytes]) -> str | None:
    """The name in braces, if there is one; a comment of several words is none."""
    comment = found.groupdict().get("comment")
    if comment is not None:
        words = comment.split()
        return _decoded(words[0].removeprefix(b"#")) or None if len(words) == 1 else None
    name = _NAMED.search(found["inside"])
    return _decoded(name[1] or name[2]) if name else None


def _without_last(text: str) -> str:
    """A text without the braces at its end, and the closing marks before them."""
    at = text.rfind("{")
    return _CLOSING.sub("", text[:at].rstrip()) if at >= 0 else text


def _name_around(raw: bytes, start: int, end: int, text: str) -> str | None:
    """The name that stands in a heading, right below or right above it."""
    if raw.find(b"<", start, end) >= 0:
        inside = _INSIDE.search(raw, start, end)
        if inside is not None and _decoded(inside[0]) not in text:  # else it is code
            return _decoded(inside["name"])
    if raw.startswith((b"{:", b" {:"), end):
        below = _BELOW.match(raw, end)
        if below is not None:
            return _name_in(below)
    above = raw[max(0, start - _FAR_ABOVE) : start]
    if b")=" in above or b"=" in above:
        found = _ABOVE.search(above)
        if found is not None:
            return _decoded(found["label"] or found["name"])
    return None


def may_have_anchors(raw: bytes) -> bool:
    """Whether a source holds what a name is written with."""
    return b" id=" in raw or b" name=" in raw


def anchors_of(raw: bytes, headings: HeadingColumns, code: Sequence[Block]) -> list[Anchor]:
    """Return the names in `raw`, in order of where they stand; those in `code` are none."""
    tags = _outside_code(_named_tags(raw), code)
    found = named_places(raw, tags, headings.starts, _NO_WORDS)
    return [anchor for _, anchor in sorted(found)]


def _named_tags(raw: bytes) -> Iterator[NamedTag]:
    """Yield the tags with a name. Two steps: one pattern for both is not linear."""
    for tag in _TAG.finditer(raw):
        attribute = _ID_OR_NAME if tag[1].lower() == b"a" else _ID
        found = attribute.search(tag[2])
        if found:
            name = _decoded(found[1] or found[2] or found[3])
            yield NamedTag(tag.start(), tag.end(), name)


def _outside_code(tags: Iterable[NamedTag], code: Iterable[Block]) -> list[NamedTag]:
    spans = [(block.start, block.end) for block in code]
    return [tag for tag in tags if span_at(spans, tag.start) is None]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")
