"""`auto`: every node is a chunk, and a body over the target gets pieces.

The pieces of a body are the fewest, of nearly equal size. A code block, or a
table that fits the bound, may make one larger. Each piece is one contiguous
range of the body; a range under `min_tokens` stays the node's own. Many such
ranges may come to more than the bound: then the node is `oversize`.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.chunking.tree import Spans
from leafmark.chunking.units import Unit
from leafmark.chunking.workshop import Workshop

__all__ = ["choose_auto"]


_COUNTED_AT_ONCE = 4
"""A body of more bytes than this for each token of the target is counted block by block only."""


def choose_auto(shop: Workshop) -> Sequence[int]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    tree = shop.tree
    pieces = [piece for node in _large(shop) for piece in _split_body(shop, node)]
    # A parent and its first piece begin at the same byte; sorting is stable.
    return sorted([*tree.nodes, *pieces], key=tree.places.__getitem__) if pieces else tree.nodes


def _large(shop: Workshop) -> list[int]:
    """The nodes whose bodies may be too large; counted, all at once, where bytes do not tell.

    One of `sure` tokens is not, whatever its breadcrumb.
    """
    tree, target = shop.tree, shop.options.target_tokens
    sure, most = min(target, shop.sure_room), target * _COUNTED_AT_ONCE
    single = [
        node
        for node, start, end in zip(tree.nodes, tree.starts, tree.body_ends, strict=True)
        if end - start > sure and node not in tree.bodies
    ]
    starts, ends = [tree.starts[node] for node in single], [tree.body_ends[node] for node in single]
    sizes = shop.meter.counts(starts, ends, most_bytes=most)
    found = [
        node
        for node, size in zip(single, sizes, strict=True)
        if size > sure and (size > most or size > shop.capacity(node))
    ]
    found += [node for node in tree.bodies if _is_large(shop, node, sure)]
    return found


def _is_large(shop: Workshop, node: int, sure: int) -> bool:
    """The same of a body of several ranges."""
    meter, most = shop.meter, shop.options.target_tokens * _COUNTED_AT_ONCE
    body = shop.tree.body(node)
    size = sum([meter.size_bytes(start, end) for start, end in body])
    if size <= sure or size > most:
        return size > sure
    tokens = sum([meter.tokens(start, end) for start, end in body])
    return tokens > sure and tokens > shop.capacity(node)


def _split_body(shop: Workshop, node: int) -> list[int]:
    """Return the node's pieces, if there are several; too small ranges stay its own."""
    tree, cutter = shop.tree, shop.cutter(node)
    kept: Spans = []
    found: list[list[Unit]] = []
    for start, end in tree.body(node):
        groups = shop.split_evenly(cutter, start, end)
        if len(groups) == 1 and shop.size(groups[0]) < max(1, shop.options.min_tokens):
            kept.append((start, end))
        else:
            found += groups
    if len(found) < 2:
        if any(shop.is_oversize(node, group) for group in found) or shop.is_scattered(node):
            tree.oversize.add(node)
        return []
    tree.bodies[node] = kept
    if shop.is_scattered(node):
        tree.oversize.add(node)
    return [_piece(shop, node, group, number=number) for number, group in enumerate(found, 1)]


def _piece(shop: Workshop, node: int, units: list[Unit], *, number: int) -> int:
    piece = shop.tree.add_piece(node, (units[0].start, units[-1].end), number)
    shop.mark(piece, units)
    return piece
