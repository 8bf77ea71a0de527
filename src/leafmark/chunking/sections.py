"""Headings to the node tree: which of them open a section, and where it ends.

In: a parsed document. Out: its tree. Kept here: every byte of a Markdown, text or
script source is in exactly one body or exactly one kept heading line. Which nodes
become chunks is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from leafmark.chunking.slugs import distinct_slugs
from leafmark.chunking.spans import rejoin, subtract
from leafmark.chunking.tree import SectionTree, Spans
from leafmark.model import Document, HeadingColumns

__all__ = ["build_tree", "is_blank_source"]

_BOM = b"\xef\xbb\xbf"

_Heading = tuple[int, int, int, bool, bool]
"""A level, a start, where its section ends at the latest, whether it may open one, and does."""


def is_blank_source(data: bytes) -> bool:
    """Whether there is nothing but ASCII white space; a BOM at the start is blank too."""
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    return not data or data.isspace()


def build_tree(document: Document, *, slug_style: str, heading_levels: int) -> SectionTree:
    """Return the tree of `document`; headings deeper than `heading_levels` are content."""
    headings = HeadingColumns.of(document.headings)
    paths = headings.slug_paths
    slugs = distinct_slugs(
        headings.slug_texts, anchors=headings.anchors, paths=paths, style=slug_style
    )
    opens = [
        not inside and (level <= heading_levels or path is not None)
        for level, inside, path in zip(headings.levels, headings.nested, paths, strict=True)
    ]
    stays = _staying(document, headings, opens)
    called = compress(zip(paths, headings.line_offsets, strict=True), stays)
    tree = SectionTree(
        document,
        titles=[document.title, *compress(headings.titles, stays)],
        slugs=[None, *compress(slugs, stays)],
        places=[0, *compress(headings.starts, stays)],
        starts=[0, *compress(headings.ends, stays)],
        ends=[len(document.data)],
        definitions={
            node: offset for node, (path, offset) in enumerate(called, 1) if path is not None
        },
        heading_slugs=slugs,
        dropped=[(span.start, span.end) for span in document.dropped_spans],
    )
    columns = headings.levels, headings.starts, headings.limits, opens, stays
    tree.heading_nodes = _grow(tree, zip(*columns, strict=True))
    _give_text(tree)
    if tree.dropped:
        _drop(tree)
    return tree


def _staying(document: Document, headings: HeadingColumns, opens: Sequence[bool]) -> Sequence[bool]:
    """Which headings open a section: those that may, and have more than white space in their span.

    It is judged by all of them that may, so that a discarded one still ends the
    sections before it.
    """
    is_blank = _blankness(document)
    levels, starts = [*compress(headings.levels, opens)], [*compress(headings.starts, opens)]
    ends, limits = compress(headings.ends, opens), compress(headings.limits, opens)
    following = zip([*levels[1:], 0], [*starts[1:], len(document.data) + 1], strict=False)
    stays = [
        # before a deeper one there is that one's line
        (start < limit and below > level) or not is_blank(end, start if start < limit else limit)
        for level, end, limit, (below, start) in zip(levels, ends, limits, following, strict=False)
    ]
    if len(stays) == len(opens):
        return stays
    judged = iter(stays)
    return [may_open and next(judged) for may_open in opens]


def _blankness(document: Document) -> Callable[[int, int], bool]:
    """What tells whether there is but white space in a range."""
    data, reader = document.data, document.reader
    if document.format != "notebook" or reader is None:
        return lambda start, end: start == end or data[start:end].isspace()
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    read = reader
    return lambda start, end: not read(data, list(subtract(start, end, dropped))).text.strip()


def _grow(tree: SectionTree, headings: Iterable[_Heading]) -> list[int]:
    """Add a node for each heading that stays; return for each the deepest node that holds it."""
    parents, depths, ends, afters = tree.parents, tree.depths, tree.ends, tree.afters
    holders: list[int] = []
    node = 0
    for level, start, limit, may_open, stays in headings:
        while node and (ends[node] <= start or (may_open and depths[node] >= level)):
            if start < ends[node]:
                ends[node] = start
            afters[node] = len(parents)
            node = parents[node]
        if stays:
            ends.append(limit if limit < ends[node] else ends[node])
            afters.append(0)
            depths.append(level)
            parents.append(node)
            node = len(parents) - 1
        holders.append(node)
    while node:
        afters[node] = len(parents)
        node = parents[node]
    afters[0] = len(parents)
    return holders


def _give_text(tree: SectionTree) -> None:
    """Give every node what is between its heading line and the nodes below it, or behind them."""
    ends, afters, parents = tree.ends, tree.afters, tree.parents
    bounds = [*tree.places, ends[0]]
    tree.body_ends = [*map(min, ends, bounds[1:])]
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
    for node in tree.nodes:
        body = [part for span in tree.body(node) for part in subtract(*span, tree.dropped)]
        tree.bodies[node] = rejoin(body, tree.dropped)
