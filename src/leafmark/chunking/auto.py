"""`auto`: every node is a chunk, and a body over the target gets pieces.

The pieces of a body are the fewest, of nearly equal size. A code block, or a
table that fits the bound, may make one larger. Each piece is one contiguous
range of the body; a range under `min_tokens` stays the node's own. Many such
ranges may come to more than the bound: then the node is `oversize`.
"""

from __future__ import annotations

from leafmark.chunking.splitting import Unit
from leafmark.chunking.tree import Node, Spans, place
from leafmark.chunking.workshop import Workshop, new_piece

__all__ = ["choose_auto"]


_COUNTED_AT_ONCE = 4
"""A body of more bytes than this for each token of the target is counted block by block only."""


def choose_auto(shop: Workshop) -> list[Node]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    nodes = shop.tree.nodes
    pieces = [piece for node in _large(shop) for piece in _split_body(shop, node)]
    # A parent and its first piece begin at the same byte; sorting is stable.
    return sorted([*nodes, *pieces], key=place) if pieces else nodes


def _large(shop: Workshop) -> list[Node]:
    """The nodes whose bodies may be too large; counted, all at once, where bytes do not tell.

    One of `sure` tokens is not, whatever its breadcrumb.
    """
    target = shop.options.target_tokens
    sure, most = min(target, shop.sure_room), target * _COUNTED_AT_ONCE
    several: list[Node] = []
    single: list[tuple[Node, tuple[int, int]]] = []
    for node in shop.tree.nodes:
        if node.end - node.start > sure and node.body:
            start, end = node.body[0]
            if len(node.body) > 1:
                several.append(node)
            elif end - start > sure:
                single.append((node, (start, end)))
    sizes = shop.meter.counts([extent for _, extent in single], most_bytes=most)
    found = [
        node
        for (node, _), size in zip(single, sizes, strict=True)
        if size > sure and (size > most or size > shop.capacity(node))
    ]
    found += [node for node in several if _is_large(shop, node, sure)]
    return found


def _is_large(shop: Workshop, node: Node, sure: int) -> bool:
    """The same of a body of several ranges."""
    meter, most = shop.meter, shop.options.target_tokens * _COUNTED_AT_ONCE
    size = sum([meter.size_bytes(start, end) for start, end in node.body])
    if size <= sure or size > most:
        return size > sure
    tokens = sum([meter.tokens(start, end) for start, end in node.body])
    return tokens > sure and tokens > shop.capacity(node)


def _split_body(shop: Workshop, node: Node) -> list[Node]:
    """Return the node's pieces, if there are several; too small ranges stay its own."""
    splitter = shop.splitter(node)
    kept: Spans = []
    found: list[list[Unit]] = []
    for start, end in node.body:
        groups = shop.split_evenly(splitter, start, end)
        if len(groups) == 1 and shop.size(groups[0]) < max(1, shop.options.min_tokens):
            kept.append((start, end))
        else:
            found += groups
    if len(found) < 2:
        node.oversize = any(shop.is_oversize(node, group) for group in found)
        node.oversize |= _is_scattered(shop, node)
        return []
    node.body = kept
    node.oversize = _is_scattered(shop, node)
    return [_piece(shop, node, group, number=number) for number, group in enumerate(found, 1)]


def _is_scattered(shop: Workshop, node: Node) -> bool:
    """Whether a body is over the bound that lies between sections, in ranges too small for pieces.

    Source code has such bodies: its statements between many definitions.
    """
    if len(node.body) < 2:
        return False
    tokens, room = sum(shop.meter.tokens(start, end) for start, end in node.body), shop.room(node)
    return tokens > room and shop.meter.count(shop.reader.normalise(tuple(node.body))) > room


def _piece(shop: Workshop, node: Node, units: list[Unit], *, number: int) -> Node:
    piece = new_piece(node, (units[0].start, units[-1].end), number)
    piece.oversize = shop.is_oversize(node, units)
    piece.undersize = shop.size(units) < shop.options.min_tokens
    return piece
