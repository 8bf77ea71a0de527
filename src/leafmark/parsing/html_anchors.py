"""The names that a page gives places, beside the slugs of its headings.

Links lead to the `id` of any element and the `name` of `<a>`: Sphinx, for one, names the term of
each function. A name right before a heading is that heading's, as in Markdown: GTK-Doc, Doxygen,
Javadoc and SQLite write `<a name="f"></a><h3>f ()</h3>`. Anchors inside a heading, and ids of what
a heading is the first of, are slugs; `html` finds those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Anchor, span_at
from leafmark.parsing.html_tokens import attribute
from leafmark.parsing.named_places import NamedTag, named_places

__all__ = ["anchors_of"]

_COMMENT = rb"<!--(?:[^-]++|-(?!->)|(?!))*+(?:-->|\Z)"
_NAMED = re.compile(
    rb"%b|<([a-z][a-z0-9-]*+)(?:[^<>\s]++|\s(?!(?:id|name)\s*+=)|(?!))*+"
    rb"\s(?:id|name)\s*+=[^<>]*+>" % _COMMENT,
    re.IGNORECASE,
)
"""A tag that may have a name; comments are passed over."""

_NO_WORDS = re.compile(
    rb"(?:\s++|%b|</?(?:a|div|p|section|span|[hb]r)(?=[\s/>])[^<>]*+>|(?!))*+" % _COMMENT,
    re.IGNORECASE,
)
"""What may stand between a name and its heading."""

_Ranges = Sequence[tuple[int, int]]


def anchors_of(data: bytes, starts: Sequence[int], unread: _Ranges) -> list[Anchor]:
    """Return the names in a page, in order of where they stand.

    `starts` are those of headings; in `unread`, which are in order and disjoint, names are none.
    """
    tags = [*_named_tags(data, unread)]
    return [anchor for _, anchor in reversed(named_places(data, tags, starts, _NO_WORDS))]


def _named_tags(data: bytes, unread: _Ranges) -> Iterator[NamedTag]:
    for tag in _NAMED.finditer(data):
        start, end = tag.span()
        if not tag[1] or span_at(unread, start) is not None:
            continue
        name = attribute(data, start, end, b"id")
        if not name and tag[1].lower() == b"a":
            name = attribute(data, start, end, b"name")
        if name:
            yield NamedTag(start, end, name)
