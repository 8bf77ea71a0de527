"""Lay out the chunks of a document as columns of numbers and names, for its record.

What can be computed from other columns is left out: the last descendant, the number of
siblings, section paths, a body that is the span without the children, a slug made from the
title. So are columns that are as in most documents. `records` reads them back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import sub
from typing import Any, Literal, get_args

from leafmark.model import Chunk, ChunkKind, Content, subtract

__all__ = ["COLUMNS", "KINDS", "lay_out", "plain_slug", "usual_columns"]

KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)
COLUMNS = ("t", "s", "k", "d", "n", "u", "b", "e", "h", "l", "m", "c")
_SIGNS = (chr(code) for code in range(ord("!"), ord("~") + 1))
_IN_SLUGS = str.maketrans(" ", "-", "".join(s for s in _SIGNS if not s.isalnum() and s not in "-_"))
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


def lay_out(chunks: Sequence[Chunk], contents: Sequence[Content]) -> dict[str, Any]:
    """Return the chunks in columns; `StoredDocument` reads them."""
    fields = dict(zip(Chunk._fields, zip(*chunks, strict=True), strict=True))
    titles, starts, ends = fields["title"], fields["byte_start"], fields["byte_end"]
    first_lines = [chunk.line_start for chunk in chunks]
    last_lines = [chunk.line_end for chunk in chunks]
    kinds: dict[tuple[object, ...], int] = {}
    columns: dict[str, tuple[Any, ...]] = {
        "t": titles,
        "s": tuple([_told_slug(chunk.slug, chunk.title) for chunk in chunks]),
        "k": tuple(map(_KIND_NUMBER.__getitem__, fields["kind"])),
        "d": fields["depth"],
        "n": fields["piece"],
        "u": tuple(map(sub, fields["position"], fields["parent_position"])),
        "b": tuple(map(sub, starts, (0, *starts))),
        "e": tuple(map(sub, ends, starts)),
        "h": tuple(map(_heading_length, fields["heading_start"], starts)),
        "l": tuple(map(sub, first_lines, (0, *first_lines))),
        "m": tuple(map(sub, last_lines, first_lines)),
        "c": tuple([kinds.setdefault(content[:2], len(kinds)) for content in contents]),
    }
    usual = usual_columns(len(chunks))
    told = {name: column for name, column in columns.items() if column != usual.get(name)}
    return {"y": list(kinds), **told, "x": _extras(chunks, fields)}


@lru_cache(maxsize=64)  # for documents of as many chunks, they are the same
def usual_columns(count: int) -> Mapping[str, tuple[Any, ...]]:
    """Return the columns that are left out: those of a document with sections without pieces."""
    zeros = (0,) * count
    return {"s": (None, *zeros[1:]), "k": (0, *(1,) * (count - 1)), "n": zeros, "c": zeros}


def _told_slug(slug: str | None, title: str) -> str | Literal[0] | None:
    return 0 if slug == plain_slug(title) else slug


def _heading_length(heading: int | None, start: int) -> int | None:
    return None if heading is None else start - heading


def _extras(
    chunks: Sequence[Chunk], fields: Mapping[str, tuple[Any, ...]]
) -> dict[int, list[object]]:
    """Return what few chunks have, by position: flags, own body, odd end of the heading, covers."""
    starts, ends = fields["byte_start"], fields["byte_end"]
    below: dict[int, list[tuple[int, int]]] = {}
    for parent, *extent in zip(
        fields["parent_position"], fields["heading_start"], starts, ends, strict=True
    ):
        below.setdefault(parent, []).append(_extent(*extent))
    extras = {}
    rare = (fields[name] for name in ("heading_end", "oversize", "undersize", "covered"))
    for at, (start, end, heading_end, oversize, undersize, covered) in enumerate(
        zip(starts, ends, *rare, strict=True)
    ):
        spans = chunks[at].body_spans
        body = 0 if spans == tuple(subtract(start, end, below.get(at, ()))) else spans
        odd_end = 0 if heading_end is None or heading_end == start else heading_end
        flags = oversize + 2 * undersize
        if body != 0 or odd_end or flags or covered:
            extras[at] = [flags, body, odd_end, chunks[at].covers]
    return extras


def _extent(heading: int | None, start: int, end: int) -> tuple[int, int]:
    """Return the range that is not in the parent's body: heading and span."""
    return start if heading is None else heading, end


def plain_slug(title: str) -> str:
    """Return the slug of nearly every title, by a rule that no Unicode version changes."""
    return title.lower().translate(_IN_SLUGS)
