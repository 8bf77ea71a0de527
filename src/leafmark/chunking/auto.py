"""`auto`: every node is a chunk, and a body over the target gets pieces.

The pieces of a body are the fewest, of nearly equal size. A code block, or a
table that fits the bound, may make one larger. Each piece is one contiguous
range of the body; a range under `min_tokens` stays the node's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking.splitting import Unit
from leafmark.chunking.tree import Node, Spans, place
from leafmark.chunking.workshop import Workshop, new_piece

__all__ = ["choose_auto"]


def choose_auto(shop: Workshop) -> list[Node]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    nodes = shop.tree.nodes
    target = shop.options.target_tokens
    large = [node for node in nodes if node.end - node.start > target and _is_large(shop, node)]
    if not large:
        return nodes
    pieces = [piece for node in large for piece in _split_body(shop, node)]
    # A parent and its first piece begin at the same byte; sorting is stable.
    return sorted([*nodes, *pieces], key=place)


def _is_large(shop: Workshop, node: Node) -> bool:
    """Whether the body has more than `target_tokens`; counted where its bytes do not tell."""
    target = shop.options.target_tokens
    if sum(shop.meter.size_bytes(start, end) for start, end in node.body) <= target:
        return False
    return sum(shop.meter.tokens(start, end) for start, end in node.body) > target


def _split_body(shop: Workshop, node: Node) -> Iterator[Node]:
    """Return the node's pieces, if there are several; too small ranges stay its own."""
    splitter = shop.splitter(node)
    kept: Spans = []
    found: list[list[Unit]] = []
    for start, end in node.body:
        if shop.meter.tokens(start, end) < max(1, shop.options.min_tokens):
            kept.append((start, end))
        else:
            found += shop.split_evenly(splitter, start, end)
    if len(found) < 2:
        node.oversize = any(shop.is_oversize(node, group) for group in found)
        return
    node.body = kept
    for number, group in enumerate(found, 1):
        piece = new_piece(node, group[0].start, group[-1].end, number)
        piece.oversize = shop.is_oversize(node, group)
        piece.undersize = shop.size(group) < shop.options.min_tokens
        yield piece
