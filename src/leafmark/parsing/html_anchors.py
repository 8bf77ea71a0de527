"""The names that a page gives its headings from outside, right before them.

GTK-Doc, Doxygen, Javadoc and SQLite write `<a name="f"></a><h3>f ()</h3>`. Links lead there, though
the slug is made of the title: such a name stands beside it, as in Markdown. Anchors inside a
heading, and ids of what a heading is the first of, are slugs; `html` finds those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from leafmark.model import Anchor, Heading
from leafmark.parsing.html_tokens import attribute

__all__ = ["anchors_before"]

_REACH = 600
"""The bytes before a heading that are looked at: a name or two, and what wraps them."""

_TAG = re.compile(rb"<(?:(a)|/a|/?(?:div|span|p|section)|[hb]r)(?=[\s/>])|<!--", re.IGNORECASE)
"""What may stand between a name and its heading; the group is a tag that may have a name."""


def anchors_before(data: bytes, headings: Iterable[Heading]) -> Iterator[Anchor]:
    """Yield the names with nothing but tags between them and a heading, in order.

    No byte is looked at for two headings.
    """
    after = 0
    for heading in headings:
        lowest = max(after, heading.start - _REACH)
        for name in reversed([*_names_before(data, lowest, heading.start)]):
            yield Anchor(name, heading.start)
        after = heading.end


def _names_before(data: bytes, lowest: int, end: int) -> Iterator[str]:
    """Yield the names of the tags that end at `end` and before it, the last one first."""
    while True:
        raw = data[lowest:end].rstrip()
        end = lowest + len(raw)
        if not raw.endswith(b">"):
            return
        start = data.rfind(b"<!--" if raw.endswith(b"-->") else b"<", lowest, end)
        tag = None if start < 0 else _TAG.match(data, start, end)
        if tag is None:
            return
        if tag[1]:
            name = attribute(data, start, end, b"id") or attribute(data, start, end, b"name")
            if name:
                yield name
        end = start
