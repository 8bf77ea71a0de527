"""From nodes to chunks: positions, sibling counts, and the records that are handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.tokens import token_counter
from leafmark.chunking.tree import Node, SectionTree
from leafmark.model import ChunkedDocument, ChunkKind, Document

__all__ = ["emit", "new_document"]


def new_document(document: Document, *, tree: str, options: ChunkingOptions) -> ChunkedDocument:
    """Return the chunked document that has no chunk yet."""
    reader = BodyReader(document)
    return ChunkedDocument(
        document=document,
        tree=tree,
        strategy=options.strategy,
        chunks=(),
        slugs={},
        count_tokens=token_counter(options.tokenizer),
        render_text=reader.render_text,
        describe_content=reader.describe_content,
    )


def emit(owner: ChunkedDocument, section_tree: SectionTree, nodes: Sequence[Node]) -> None:
    """Make `nodes` the chunks of `owner`; they are in pre-order, the document first.

    Every node's parent is among them. A slug whose node is not leads to the
    nearest node above it that is.
    """
    for position, node in enumerate(nodes):
        node.position = position
        if node.parent is not None:
            node.parent.child_count += 1
    last = _last_positions(nodes)
    owner.fill([_row(owner, node, last[node.position]) for node in nodes])
    slugs = {slug: _emitted(node).position for slug, node in section_tree.slugs.items()}
    folded = section_tree.folded
    if folded is not None and folded.position >= 0:
        object.__setattr__(owner, "folded_position", folded.position)
    object.__setattr__(owner, "slugs", slugs)


def _last_positions(nodes: Sequence[Node]) -> list[int]:
    """The position of each node's last descendant, or its own."""
    last = list(range(len(nodes)))
    for node in reversed(nodes):
        if node.parent is not None:
            above = node.parent.position
            last[above] = max(last[above], last[node.position])
    return last


def _emitted(node: Node) -> Node:
    while node.position < 0 and node.parent is not None:
        node = node.parent
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
        node.covers,
        node.context,
    )
