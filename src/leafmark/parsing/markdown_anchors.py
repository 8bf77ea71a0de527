"""The names that a Markdown source gives places itself, beside the slugs of its headings.

`{#name}` behind a heading, as Pandoc, kramdown, Hugo and Docusaurus have it, and the `id`
of a tag, or the `name` of `<a>`, as GitHub has it. A name right before a heading is that
heading's. Titles and slugs are left as GitHub makes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from leafmark.model import Anchor, Block, HeadingColumns, span_at
from leafmark.parsing.named_places import NamedTag, named_places

__all__ = ["anchors_of", "may_have_anchors"]

_BEHIND = re.compile(
    rb"\{(?:/\*[ \t]*)?#([^\s{}#*]+)(?:[ \t][^{}\n]*|\*/)?\}[ \t#]*+"
    rb"(?:\r?\n[ \t]*+[-=]++[ \t]*+)?\r?\n?\Z"
)
_TAG = re.compile(rb"(?<!`)<([a-z][a-z0-9]*+)([^<>]*+)>", re.IGNORECASE)
_VALUE = rb"\s*+=\s*+(?:\"([^\"\s]++)\"|'([^'\s]++)'|([^\"'\s]++))"
_ID = re.compile(rb"\sid%b" % _VALUE, re.IGNORECASE)
_ID_OR_NAME = re.compile(rb"\s(?:id|name)%b" % _VALUE, re.IGNORECASE)
_NO_WORDS = re.compile(rb"(?:\s|</?(?:a|div|p|span)\b[^<>]*>|(?!))*+", re.IGNORECASE)


FindBlocks = Callable[[Sequence[int]], Iterable[Block]]
"""Gives the blocks around places in the source, in order; perhaps others too."""


def may_have_anchors(raw: bytes) -> bool:
    """Whether a source holds what a name is written with."""
    return b" id=" in raw or b" name=" in raw or b"{#" in raw or b"{/*" in raw


def anchors_of(raw: bytes, headings: HeadingColumns, find_blocks: FindBlocks) -> list[Anchor]:
    """Return the names in `raw`, in order of where they stand; those in code are none."""
    found = [
        (named.start(), Anchor(_decoded(named[1]), start))
        for start, end in zip(headings.starts, headings.ends, strict=True)
        if (named := _BEHIND.search(raw, start, end))
    ]
    tags = [*_named_tags(raw)]
    if tags:
        blocks = find_blocks([tag.start for tag in tags])
        found += named_places(raw, _outside_code(tags, blocks), headings.starts, _NO_WORDS)
    return [anchor for _, anchor in sorted(found)]


def _named_tags(raw: bytes) -> Iterator[NamedTag]:
    """Yield the tags with a name. Two steps: one pattern for both is not linear."""
    for tag in _TAG.finditer(raw):
        attribute = _ID_OR_NAME if tag[1].lower() == b"a" else _ID
        found = attribute.search(tag[2])
        if found:
            name = _decoded(found[1] or found[2] or found[3])
            yield NamedTag(tag.start(), tag.end(), name)


def _outside_code(tags: Iterable[NamedTag], blocks: Iterable[Block]) -> list[NamedTag]:
    code = [(block.start, block.end) for block in blocks if block.kind == "code"]
    return [tag for tag in tags if span_at(code, tag.start) is None]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "replace")
