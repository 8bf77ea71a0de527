"""Headings to the node tree: which of them open a section, and where it ends.

In: a parsed document. Out: its tree. Kept here: every byte of a Markdown, text or
script source is in exactly one body or exactly one kept heading line. Which nodes
become chunks is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, pairwise

from leafmark.chunking.slugs import distinct_slugs
from leafmark.chunking.spans import rejoin, subtract
from leafmark.chunking.tree import SectionTree, Spans
from leafmark.model import Document

__all__ = ["build_tree", "is_blank_source"]

_BOM = b"\xef\xbb\xbf"
_NO_HEADINGS: tuple[tuple[()], ...] = ((),) * 10

_Opener = tuple[int, int, int, int]
"""The level of a heading, its start and end, and where its section ends at the latest."""


def is_blank_source(data: bytes) -> bool:
    """Whether there is nothing but ASCII white space; a BOM at the start is blank too."""
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    return not data or data.isspace()


def build_tree(document: Document, *, slug_style: str, heading_levels: int) -> SectionTree:
    """Return the tree of `document`; headings deeper than `heading_levels` are content."""
    headings = document.headings
    columns = zip(*headings, strict=True) if headings else _NO_HEADINGS
    levels, titles, texts, starts, ends, limits, nested, anchors, paths, offsets = columns
    slugs = distinct_slugs(texts, anchors=anchors, paths=paths, style=slug_style)
    opens = [
        not inside and (level <= heading_levels or path is not None)
        for level, inside, path in zip(levels, nested, paths, strict=True)
    ]
    openers = [*zip(levels, starts, ends, limits, strict=True)]
    stays = _staying(document, openers, opens)
    called = compress(zip(paths, offsets, strict=True), stays)
    tree = SectionTree(
        document,
        titles=[document.title, *compress(titles, stays)],
        slugs=[None, *compress(slugs, stays)],
        places=[0, *compress(starts, stays)],
        starts=[0, *compress(ends, stays)],
        ends=[len(document.data)],
        definitions={
            node: offset for node, (path, offset) in enumerate(called, 1) if path is not None
        },
        heading_slugs=slugs,
    )
    tree.heading_nodes = _grow(tree, zip(openers, opens, stays, strict=True))
    _give_text(tree)
    if document.dropped_spans:
        _drop(tree, [(span.start, span.end) for span in document.dropped_spans])
    return tree


def _staying(
    document: Document, headings: Sequence[_Opener], opens: Sequence[bool]
) -> Sequence[bool]:
    """Which headings open a section: those that may, and have more than white space in their span.

    It is judged by all of them that may, so that a discarded one still ends the
    sections before it.
    """
    is_blank = _blankness(document)
    openers = [*compress(headings, opens)]
    nowhere = (0, len(document.data) + 1, 0, 0)
    stays = [
        # before a deeper one there is that one's line
        (start < limit and level > own) or not is_blank(end, start if start < limit else limit)
        for (own, _, end, limit), (level, start, _, _) in pairwise([*openers, nowhere])
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


def _grow(tree: SectionTree, headings: Iterable[tuple[_Opener, bool, bool]]) -> list[int]:
    """Add a node for each heading that stays; return for each the deepest node that holds it."""
    parents, depths, ends, afters = tree.parents, tree.depths, tree.ends, tree.afters
    holders: list[int] = []
    node = 0
    for (level, start, _, limit), may_open, stays in headings:
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


def _drop(tree: SectionTree, dropped: Spans) -> None:
    """Take what is dropped out of the bodies."""
    for node in tree.nodes:
        kept = [part for start, end in tree.body(node) for part in subtract(start, end, dropped)]
        tree.bodies[node] = rejoin(kept, dropped)
