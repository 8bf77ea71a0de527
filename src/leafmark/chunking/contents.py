"""What a body is made of: the kinds of its blocks, the languages of its code, its content type.

Front matter and the lines of headings that make sections, or were discarded, do not count.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from operator import attrgetter

from leafmark.chunking.bodies import BodyReader
from leafmark.model import BlockKind, Chunk, Content, ContentType, Document, Heading

__all__ = ["describe_content"]

_WHITE_SPACE = b" \t\n\r\x0b\x0c"
_SHARE = 0.8
"""The share of a body's non-blank bytes that one type needs to name it."""

_TYPES: dict[str, ContentType] = {"code": "code", "table": "table", "list": "list"}
_UNCOUNTED: frozenset[BlockKind] = frozenset(("front_matter", "heading"))

_start_of, _end_of = attrgetter("start"), attrgetter("end")

_Part = tuple[BlockKind, int, int]
"""A block's kind, and where it begins and ends."""


def describe_content(reader: BodyReader, chunk: Chunk, *, deep: Sequence[Heading]) -> Content:
    """Return what the chunk's body is made of.

    `deep` are the headings, in order, that are content: too deep to make a section.
    """
    document = reader.document
    find = _of_script if document.format == "script" else _contents
    parts, code = find(reader, chunk.body_spans)
    kinds = {part[0] for part in parts}
    if not kinds.isdisjoint(_UNCOUNTED):
        parts = [part for part in parts if part[0] not in _UNCOUNTED]
        kinds -= _UNCOUNTED
    if deep:
        headings = [part for span in chunk.body_spans for part in _headings_in(deep, *span)]
        parts += headings
        kinds |= {part[0] for part in headings}
    content_type = _name(document, parts, kinds)
    languages = sorted(code - {""})
    return Content(content_type, tuple(sorted(kinds)), tuple(languages), bool(code))


def _headings_in(deep: Sequence[Heading], start: int, end: int) -> list[_Part]:
    """Those of the headings that have bytes in `[start, end)`, and these bytes."""
    first = bisect_right(deep, start, key=_end_of)
    found = deep[first : bisect_left(deep, end, key=_start_of)]
    return [("heading", max(one.start, start), min(one.end, end)) for one in found]


def _of_script(
    reader: BodyReader, spans: Sequence[tuple[int, int]]
) -> tuple[list[_Part], set[str]]:
    """What `_contents` returns, for code: a piece may begin and end inside a block."""
    blocks = [block for start, end in spans for block in reader.blocks_within(start, end)]
    around = [code for start, end in spans for code in reader.code_within(start, end)]
    found = {block.info for block in (*blocks, *around) if block.kind == "code"}
    return [(code.kind, code.start, code.end) for code in around], found


def _contents(reader: BodyReader, spans: Sequence[tuple[int, int]]) -> tuple[list[_Part], set[str]]:
    """The blocks at the top that have bytes in the spans, and the languages of all code there.

    Of each block its kind, and those of its bytes that are in the spans. The language is "" of
    code that names none.
    """
    found: list[_Part] = []
    languages: set[str] = set()
    for start, end in spans:
        for part in reader.stretches_within(start, end):
            top = part.top
            if top and (top.starts[0] < start or top.ends[-1] > end):
                at = bisect_left(top.ends, start + 1)
                top = top[at : bisect_left(top.starts, end)]
            found += [
                (kind, max(first, start), min(last, end))
                for kind, first, last in zip(top.kinds, top.starts, top.ends, strict=True)
            ]
            if part.code:
                languages |= {code.info for code in part.code_between(start, end)}
    return found, languages


def _name(document: Document, parts: Sequence[_Part], kinds: Set[BlockKind]) -> ContentType:
    """The type that has most of the non-blank bytes."""
    data = document.data
    if document.is_rendered and "thematic_break" in kinds:  # nothing is read there
        parts = [part for part in parts if part[0] != "thematic_break"]
    if kinds.isdisjoint(_TYPES):
        is_empty = not any(data[start:end].strip() for _, start, end in parts)
        return "empty" if is_empty else "prose"
    weights: dict[ContentType, int] = {}
    for kind, start, end in parts:
        name = _TYPES.get(kind, "prose")
        raw = data[start:end].translate(None, _WHITE_SPACE)
        weights[name] = weights.get(name, 0) + len(raw)
    if not any(weights.values()):
        return "empty"
    name = max(weights, key=lambda content_type: weights[content_type])
    return name if weights[name] >= _SHARE * sum(weights.values()) else "mixed"
