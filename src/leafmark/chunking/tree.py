"""The node tree: a document, its sections, and the bytes that are each one's own.

In: a parsed document. Out: its kept nodes in document order, which is pre-order.
Kept here: every byte of a Markdown, text or script source is in exactly one body
or exactly one kept heading line. Which nodes become chunks is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from leafmark.chunking.slugs import number_slugs, slug_of
from leafmark.chunking.spans import rejoin, subtract
from leafmark.model import Document, Heading

__all__ = ["Node", "SectionTree", "Spans", "build_tree", "is_blank_source", "place"]

Spans = list[tuple[int, int]]

_BOM = b"\xef\xbb\xbf"


class Node:
    """A document, a section or a piece, while chunks are being made.

    `body` are the node's own ranges in order. `position`, -1 before, and
    `child_count` are set when the node is emitted. `holder` is the piece that a
    section which is not emitted is part of, `covers` the slugs of such sections.

    Most nodes keep the defaults, which therefore stand on the class: making a
    node costs half as much as with a field for each.
    """

    heading_start: int | None = None
    heading_end: int | None = None
    line_offset: int | None = None
    piece: int = 0
    oversize: bool = False
    undersize: bool = False
    covers: tuple[str, ...] = ()
    holder: Node | None = None
    position: int = -1
    child_count: int = 0

    def __init__(
        self,
        parent: Node | None,
        depth: int,
        span: tuple[int, int],
        *,
        title: str,
        slug: str | None,
    ) -> None:
        self.parent = parent
        self.depth = depth
        self.title = title
        self.slug = slug
        self.start, self.end = span
        self.body: Spans = [span]


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
    headings = document.headings
    slugs = number_slugs([_slug_name(heading, slug_style) for heading in headings])
    ends = _section_ends(document, heading_levels)
    root = Node(None, 0, (0, len(document.data)), title=document.title, slug=None)
    nodes, slug_nodes, open_nodes = [root], dict.fromkeys(slugs, root), [root]
    for heading, slug, end in zip(headings, slugs, ends, strict=True):
        while open_nodes[-1].end <= heading.start and len(open_nodes) > 1:
            open_nodes.pop()
        if end >= 0:
            while open_nodes[-1].depth >= heading.level:
                open_nodes.pop()
            node = _open(open_nodes[-1], heading, slug, end=end)
            nodes.append(node)
            open_nodes.append(node)
        slug_nodes[slug] = open_nodes[-1]
    for node in nodes:
        start, end = node.body[-1]
        if start == end:
            node.body.pop()
    if document.dropped_spans:
        dropped = [(span.start, span.end) for span in document.dropped_spans]
        for node in nodes:
            kept = [part for span in node.body for part in subtract(*span, dropped)]
            node.body = rejoin(kept, dropped)
    folded = nodes[1] if len(nodes) > 1 and nodes[1].title == document.title else None
    return SectionTree(document, nodes, slug_nodes, folded)


def _slug_name(heading: Heading, style: str) -> tuple[str, bool]:
    """What a heading asks to be called, and whether the page itself says so."""
    _, _, text, _, _, _, _, anchor, slug_path, _ = heading
    if anchor is not None:
        return anchor, True
    return slug_of(text, style) if slug_path is None else slug_path, False


def _section_ends(document: Document, levels: int) -> list[int]:
    """Where each heading's section ends; -1 for a heading that opens none.

    Those are nested in a container, too deep, or discarded: with nothing but
    white space in the span. This is judged once, before any is discarded, so a
    discarded heading still ends the sections before it.
    """
    ends = [-1] * len(document.headings)
    opening: list[tuple[int, int, int]] = []  # which headings, and where their lines begin and end
    unended: list[tuple[int, int, int]] = []  # the levels of headings, which, and their limits
    for index, heading in enumerate(document.headings):
        level, _, _, start, after, limit, nested, _, slug_path, _ = heading
        if nested or (level > levels and slug_path is None):
            continue
        while unended and unended[-1][0] >= level:
            _, last, at_most = unended.pop()
            ends[last] = start if start < at_most else at_most
        unended.append((level, index, limit))
        opening.append((index, start, after))
    for _, last, at_most in unended:
        ends[last] = at_most
    is_blank = _blankness(document)
    for (index, _, after), following in zip_longest(opening, opening[1:]):
        end = ends[index]
        if (following is None or end <= following[1]) and is_blank(after, end):
            ends[index] = -1
    return ends


def _blankness(document: Document) -> Callable[[int, int], bool]:
    """What tells whether a span is white space: its bytes, or the text of a notebook's."""
    data, reader = document.data, document.reader
    if document.format != "notebook" or reader is None:
        # the first bytes are mostly enough to tell
        return lambda start, end: (
            not data[start : min(end, start + 9)].strip() and not data[start:end].strip()
        )
    dropped = [(span.start, span.end) for span in document.dropped_spans]

    def is_blank(start: int, end: int) -> bool:
        return not reader(data, list(subtract(start, end, dropped))).text.strip()

    return is_blank


def _open(parent: Node, heading: Heading, slug: str, *, end: int) -> Node:
    """Return the section's node, and take its heading and span out of the parent's body."""
    level, title, _, start, after, _, _, _, slug_path, line_offset = heading
    if end > parent.end:
        end = parent.end
    body = parent.body
    own_start, own_end = body[-1]
    if start > own_start:
        body[-1] = (own_start, start)
        body.append((end, own_end))
    else:
        body[-1] = (end, own_end)
    node = Node(parent, level, (after, end), title=title, slug=slug)
    if slug_path is None:
        node.heading_start, node.heading_end = start, after
    else:
        node.line_offset = line_offset
    return node
