"""From nodes to chunks: positions, sibling counts, and the records that are handed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leafmark.chunking.spans import subtract
from leafmark.chunking.tree import Node, SectionTree
from leafmark.model import ChunkKind
from leafmark.model.chunk import Row
from leafmark.model.ids import document_id

__all__ = ["Emitted", "emit"]


class Emitted(NamedTuple):
    """What `ChunkedDocument` says of the nodes that became chunks, in its words."""

    rows: Sequence[Row]
    slugs: Mapping[str, int]
    folded_position: int | None


def emit(section_tree: SectionTree, nodes: Sequence[Node], *, tree: str) -> Emitted:
    """Return what is told of `nodes`, which are in pre-order, the document first.

    Every node's parent is among them. A slug whose node is not leads to the
    piece that holds its text, or to the nearest node above it.
    """
    document = section_tree.document
    for position, node in enumerate(nodes):
        node.position = position
        parent = node.parent
        if parent is not None:
            parent.child_count += 1
    last = _last_positions(nodes)
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    if dropped:
        for node in nodes:
            node.body = [part for span in node.body for part in subtract(*span, dropped)]
    source = tree, document.path
    rows = [_row(node, after, source) for node, after in zip(nodes, last, strict=True)]
    slugs = {
        slug: node.position if node.position >= 0 else _emitted(node).position
        for slug, node in section_tree.slugs.items()
    }
    folded = section_tree.folded
    return Emitted(
        rows, slugs, folded.position if folded is not None and folded.position >= 0 else None
    )


def _last_positions(nodes: Sequence[Node]) -> list[int]:
    """The position of each node's last descendant, or its own."""
    last = list(range(len(nodes)))
    for node in reversed(nodes):  # the last child of each comes first
        parent = node.parent
        if parent is not None and last[parent.position] == parent.position:
            last[parent.position] = last[node.position]
    return last


def _emitted(node: Node) -> Node:
    """The node, or the nearest one that holds its text."""
    while node.position < 0:
        above = node.holder or node.parent
        assert above is not None, "the document is always emitted"
        node = above
    return node


def _row(node: Node, last_position: int, source: tuple[str, str]) -> Row:
    """The fields of the node's chunk, in order; `source` is its tree and path."""
    parent = node.parent
    kind: ChunkKind = "document" if parent is None else "piece" if node.piece else "section"
    return (
        node.position,
        -1 if parent is None else parent.position,
        last_position,
        kind,
        node.depth,
        node.title,
        node.slug,
        node.piece,
        node.start,
        node.end,
        node.heading_start,
        node.heading_end,
        1 if parent is None else parent.child_count,
        tuple(node.body),
        node.line_offset,
        node.oversize,
        node.undersize,
        node.covers and _ids(source, node.covers),
    )


def _ids(source: tuple[str, str], slugs: Sequence[str]) -> tuple[str, ...]:
    """The ids of sections of the document."""
    document = document_id(*source)
    return tuple([f"{document}#{slug}" for slug in slugs])
