"""From nodes to chunks: positions, sibling counts, and the records that are handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.chunking.measuring import Meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.rendering import Renderer
from leafmark.chunking.spans import subtract
from leafmark.chunking.tree import Node, SectionTree
from leafmark.model import ChunkedDocument, ChunkKind, FindLink

__all__ = ["emit", "new_document"]


def new_document(
    reader: BodyReader, *, tree: str, options: ChunkingOptions, meter: Meter, find_link: FindLink
) -> ChunkedDocument:
    """Return the chunked document that has no chunk yet."""
    renderer = Renderer(reader, meter, options)
    return ChunkedDocument(
        document=reader.document,
        tree=tree,
        strategy=options.strategy,
        chunks=(),
        slugs={},
        count_tokens=meter.count,
        render_text=renderer.render_text,
        describe_content=reader.describe_content,
        find_context=renderer.find_context,
        find_link=find_link,
    )


def emit(owner: ChunkedDocument, section_tree: SectionTree, nodes: Sequence[Node]) -> None:
    """Make `nodes` the chunks of `owner`; they are in pre-order, the document first.

    Every node's parent is among them. A slug whose node is not leads to the
    piece that holds its text, or to the nearest node above it.
    """
    for position, node in enumerate(nodes):
        node.position = position
        parent = node.parent
        if parent is not None:
            parent.child_count += 1
    last = _last_positions(nodes)
    dropped = [(span.start, span.end) for span in section_tree.document.dropped_spans]
    if dropped:
        for node in nodes:
            node.body = [part for span in node.body for part in subtract(*span, dropped)]
    owner.fill([_row(owner, node, after) for node, after in zip(nodes, last, strict=True)])
    slugs = {
        slug: node.position if node.position >= 0 else _emitted(node).position
        for slug, node in section_tree.slugs.items()
    }
    folded = section_tree.folded
    if folded is not None and folded.position >= 0:
        object.__setattr__(owner, "folded_position", folded.position)
    object.__setattr__(owner, "slugs", slugs)


def _last_positions(nodes: Sequence[Node]) -> list[int]:
    """The position of each node's last descendant, or its own."""
    last = list(range(len(nodes)))
    for node in reversed(nodes):
        parent = node.parent
        if parent is not None:
            above, own = parent.position, last[node.position]
            if last[above] < own:
                last[above] = own
    return last


def _emitted(node: Node) -> Node:
    """The node, or the nearest one that holds its text."""
    while node.position < 0:
        above = node.holder or node.parent
        assert above is not None, "the document is always emitted"
        node = above
    return node


def _row(owner: ChunkedDocument, node: Node, last_position: int) -> tuple[Any, ...]:
    """The fields of the node's chunk, in order."""
    parent = node.parent
    kind: ChunkKind = "document" if parent is None else "piece" if node.piece else "section"
    return (
        owner,
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
        node.covers and tuple([f"{owner.doc_id}#{slug}" for slug in node.covers]),
    )
