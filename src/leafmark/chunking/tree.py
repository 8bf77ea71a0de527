"""The node tree: a document, its sections, and the bytes that are each one's own.

In: a parsed document. Out: its kept nodes in document order, which is pre-order.
Kept here: every byte of a Markdown, text or script source is in exactly one body
or exactly one kept heading line. Which nodes become chunks is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leafmark.chunking.slugs import number_slugs, slug_of
from leafmark.chunking.spans import rejoin, subtract
from leafmark.model import Document, Heading

__all__ = ["Node", "SectionTree", "Spans", "build_tree", "is_blank_source", "place"]

Spans = list[tuple[int, int]]

_BOM = b"\xef\xbb\xbf"
_NOT_BLANK = re.compile(rb"\S")


class Node:
    """A document, a section or a piece, while chunks are being made.

    `called` is its depth, title and slug. `body` are the node's own ranges in
    order. `position`, -1 before, and `child_count` are set when the node is
    emitted. `holder` is the piece that a section which is not emitted is part of,
    `covers` the slugs of such sections.
    """

    __slots__ = (
        "body",
        "child_count",
        "covers",
        "depth",
        "end",
        "heading_end",
        "heading_start",
        "holder",
        "line_offset",
        "oversize",
        "parent",
        "piece",
        "position",
        "slug",
        "start",
        "title",
        "undersize",
    )

    def __init__(
        self, parent: Node | None, called: tuple[int, str, str | None], span: tuple[int, int]
    ) -> None:
        self.parent = parent
        self.depth, self.title, self.slug = called
        self.start, self.end = span
        self.heading_start: int | None = None
        self.heading_end: int | None = None
        self.line_offset: int | None = None
        self.piece = 0
        self.oversize = self.undersize = False
        self.covers: tuple[str, ...] = ()
        self.holder: Node | None = None
        self.position = -1
        self.child_count = 0
        self.body: Spans = []


@dataclass(slots=True)
class SectionTree:
    """The kept nodes, the document first.

    `slugs` maps every slug, those of discarded and nested headings too, to the
    deepest kept node that holds its heading. `folded` is the first kept heading
    when its title repeats the document's.
    """

    document: Document
    nodes: list[Node]
    slugs: dict[str, Node]
    folded: Node | None


def is_blank_source(data: bytes) -> bool:
    """Whether there is nothing but ASCII white space; a BOM at the start is blank too."""
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    return not data or data.isspace()


def place(node: Node) -> int:
    """Where the node begins, its heading line included."""
    return node.start if node.heading_start is None else node.heading_start


def build_tree(document: Document, *, slug_style: str, heading_levels: int) -> SectionTree:
    """Return the tree of `document`; headings deeper than `heading_levels` are content."""
    slugs = _slugs(document.headings, slug_style)
    root = Node(None, (0, document.title, None), (0, len(document.data)))
    nodes, slug_nodes = _sections(document, root, slugs, levels=heading_levels)
    if document.dropped_spans:
        dropped = [(span.start, span.end) for span in document.dropped_spans]
        for node in nodes:
            kept = [part for span in node.body for part in subtract(*span, dropped)]
            node.body = rejoin(kept, dropped)
    folded = nodes[1] if len(nodes) > 1 and nodes[1].title == document.title else None
    return SectionTree(document, nodes, slug_nodes, folded)


def _slugs(headings: Sequence[Heading], style: str) -> list[str]:
    """Each heading's slug: the page's own anchor, the path of a definition, or made of its text."""
    names = [
        anchor if anchor is not None else slug_of(text, style) if path is None else path
        for _, _, text, _, _, _, _, anchor, path, _ in headings
    ]
    if len(set(names)) == len(names):
        return names
    anchored = [heading.anchor is not None for heading in headings]
    return number_slugs(zip(names, anchored, strict=True))


def _sections(
    document: Document, root: Node, slugs: Sequence[str], *, levels: int
) -> tuple[list[Node], dict[str, Node]]:
    """All kept nodes, and the node that each slug leads to.

    One walk over the headings. `opener` is the next that may open a section, `node` the
    deepest section that is open, and up to `seen` every byte has its place.
    """
    headings = document.headings
    opening = [one for one in headings if not one[6] and (one[0] <= levels or one[8] is not None)]
    following = iter((*opening, None))
    opener = next(following)
    is_discarded = _discarding(document)
    nodes, slug_nodes, node, seen = [root], {}, root, 0
    for heading, slug in zip(headings, slugs, strict=True):
        level, title, _, start, after, limit, _, _, path, line_offset = heading
        opens = heading is opener
        while node.end <= start or (opens and node.depth >= level):
            if node.parent is None:
                break
            seen = _close(node, seen, min(node.end, start))
            node = node.parent
        if opens:
            opener = next(following)
        if opens and not is_discarded(heading, opener):
            if start > seen:
                node.body.append((seen, start))
            end = limit if limit < node.end else node.end
            node = Node(node, (level, title, slug), (after, end))
            nodes.append(node)
            seen = after
            if path is None:
                node.heading_start, node.heading_end = start, after
            else:
                node.line_offset = line_offset
        slug_nodes[slug] = node
    open_node: Node | None = node
    while open_node is not None:
        seen = _close(open_node, seen, open_node.end)
        open_node = open_node.parent
    return nodes, slug_nodes


def _close(node: Node, seen: int, end: int) -> int:
    """End the node, give it what is not yet anyone's, and return up to where all is."""
    node.end = end
    if end <= seen:
        return seen
    node.body.append((seen, end))
    return end


def _discarding(document: Document) -> Callable[[Heading, Heading | None], bool]:
    """What tells whether a heading opens nothing: it has but white space in its span.

    The second argument is the next heading that may open a section. It is judged
    by all headings, so that a discarded one still ends the sections before it.
    """
    data, reader = document.data, document.reader
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    of_bytes = document.format != "notebook" or reader is None

    def is_discarded(heading: Heading, following: Heading | None) -> bool:
        level, _, _, _, after, end, _, _, _, _ = heading
        if following is not None and (start := following[3]) < end:
            if following[0] > level:
                return False
            end = start
        if of_bytes:
            return _NOT_BLANK.search(data, after, end) is None
        assert reader is not None
        return not reader(data, list(subtract(after, end, dropped))).text.strip()

    return is_discarded
