"""Headings to the node tree: which of them open a section, and where it ends.

In: a parsed document. Out: its tree. Kept here: every byte of a Markdown, text or
script source is in exactly one body or exactly one kept heading line. Which nodes
become chunks is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import compress
from operator import not_

from leafmark.chunking.slugs import distinct_slugs
from leafmark.chunking.tree import SectionTree, Spans
from leafmark.model import Deferred, Document, HeadingColumns, rejoin, subtract

__all__ = ["build_tree", "is_blank_source"]

_BOM = b"\xef\xbb\xbf"
_BLANK = re.compile(rb"\s*+")


def is_blank_source(data: bytes) -> bool:
    """Whether there is nothing but ASCII white space; a BOM at the start is blank too."""
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    return not data or data.isspace()


def build_tree(document: Document, *, slug_style: str, heading_levels: int) -> SectionTree:
    """Return the tree of `document`; headings deeper than `heading_levels` are content."""
    headings = HeadingColumns.of(document.headings)
    paths = headings.slug_paths
    opens = [*map(not_, headings.nested)]
    if max(headings.levels, default=0) > heading_levels:
        columns = opens, headings.levels, paths
        opens = [
            may_open and (level <= heading_levels or path is not None)
            for may_open, level, path in zip(*columns, strict=True)
        ]
    stays = _staying(document, headings, opens)
    kept = headings.only(stays)
    holders, parents, ends, body_ends, afters = _grow(
        headings, opens, stays, size=len(document.data)
    )
    slugs = Deferred(lambda: _slugs(headings, slug_style))
    tree = SectionTree(
        document,
        titles=[document.title, *kept.titles],
        slugs=Deferred(lambda: (None, *compress(slugs, stays))),
        places=[0, *kept.starts],
        starts=[0, *kept.ends],
        definitions=_definitions(kept),
        heading_slugs=slugs,
        heading_nodes=holders,
        parents=parents,
        depths=[0, *kept.levels],
        ends=ends,
        body_ends=body_ends,
        afters=afters,
    )
    _give_gaps(tree)
    if document.dropped_spans:
        _drop(tree)
    return tree


def _slugs(headings: HeadingColumns, style: str) -> tuple[str, ...]:
    """The slug of every heading; they are made when one is asked for."""
    texts, anchors, paths = headings.slug_texts, headings.anchors, headings.slug_paths
    return tuple(distinct_slugs(texts, anchors=anchors, paths=paths, style=style))


def _definitions(kept: HeadingColumns) -> dict[int, int | None]:
    """The sections that are no headings, with where their signature begins."""
    paths = kept.slug_paths
    if paths.count(None) == len(paths):
        return {}
    called = enumerate(zip(paths, kept.line_offsets, strict=True), 1)
    return {node: offset for node, (path, offset) in called if path is not None}


def _staying(document: Document, headings: HeadingColumns, opens: Sequence[bool]) -> Sequence[bool]:
    """Which headings open a section: those that may, and have more than white space in their span.

    It is judged by all of them that may, so that a discarded one still ends the
    sections before it.
    """
    data, is_blank = document.data, _blankness(document)
    opening = headings.only(opens)
    levels, starts = opening.levels, opening.starts
    deeper, following = [*levels[1:], 0], [*starts[1:], len(data) + 1]
    columns = levels, opening.ends, opening.limits, deeper, following
    stays = [
        # before a deeper one there is that one's line
        (below > level and start < limit)
        or not is_blank(data, end, start if start < limit else limit)
        for level, end, limit, below, start in zip(*columns, strict=False)
    ]
    if len(stays) == len(opens):
        return stays
    judged = iter(stays)
    return [may_open and next(judged) for may_open in opens]


def _blankness(document: Document) -> Callable[[bytes, int, int], object]:
    """Return the function that tells whether a range of the source is blank."""
    reader = document.reader
    if document.format != "notebook" or reader is None:
        return _BLANK.fullmatch
    dropped = document.dropped_ranges
    read = reader
    return lambda data, start, end: not read(data, list(subtract(start, end, dropped))).text.strip()


def _grow(
    headings: HeadingColumns, opens: Sequence[bool], stays: Sequence[bool], *, size: int
) -> tuple[list[int], ...]:
    """Make a node of each heading that stays, below that of the document of `size` bytes.

    Return the deepest node that holds each heading, and of the nodes their parents,
    their ends, those of their own text, and what follows them.
    """
    if all(stays) and min(headings.limits, default=size) == size:
        return _grow_plainly(headings, size)
    depths = [0, *compress(headings.levels, stays)]
    parents, ends = [0], [size]
    body_ends: list[int] = []
    holders: list[int] = []
    afters = [len(depths)] * len(depths)
    node = last = 0
    columns = headings.levels, headings.starts, headings.limits, opens, stays
    for level, start, limit, may_open, does_stay in zip(*columns, strict=True):
        while node and (ends[node] <= start or (may_open and depths[node] >= level)):
            if start < ends[node]:
                ends[node] = start
            afters[node] = last + 1
            node = parents[node]
        if does_stay:
            end = ends[last]
            body_ends.append(start if start < end else end)
            end = ends[node]
            ends.append(limit if limit < end else end)
            parents.append(node)
            node = last = last + 1
        holders.append(node)
    body_ends.append(ends[last])
    return holders, parents, ends, body_ends, afters


def _grow_plainly(headings: HeadingColumns, size: int) -> tuple[list[int], ...]:
    """Return what `_grow` does, where each heading stays and only others and the end limit it."""
    count = len(headings.levels)
    depths, parents = [0, *headings.levels], [0]
    afters = [count + 1] * (count + 1)
    add = parents.append
    node = 0
    for new, level in enumerate(headings.levels, 1):
        while depths[node] >= level:
            afters[node] = new
            node = parents[node]
        add(node)
        node = new
    starts = [*headings.starts, size]
    ends = [starts[after - 1] for after in afters]
    return [*range(1, count + 1)], parents, ends, starts, afters


def _give_gaps(tree: SectionTree) -> None:
    """Give every node the bytes behind the nodes below it; it has those before them already."""
    ends, afters, parents = tree.ends, tree.afters, tree.parents
    bounds = [*tree.places, ends[0]]
    following = [*map(bounds.__getitem__, afters)]
    if following == ends:
        return
    gaps: dict[int, Spans] = {}
    for node, (end, after) in enumerate(zip(ends, following, strict=True)):
        parent = parents[node]
        if end < after and end < ends[parent]:
            gaps.setdefault(parent, []).append((end, min(after, ends[parent])))
    for node, spans in gaps.items():
        tree.bodies[node] = [*tree.body(node), *spans]


def _drop(tree: SectionTree) -> None:
    """Take what is dropped out of the bodies."""
    tree.dropped = tree.document.dropped_ranges
    for node in tree.nodes:
        body = [part for span in tree.body(node) for part in subtract(*span, tree.dropped)]
        tree.bodies[node] = rejoin(body, tree.dropped)
