"""`section`: token-bounded chunks, cut from the top down.

What fits `max_tokens` is one chunk: the document, else an h1 section, and so on
down. A section that does not fit is entered: what lies right below it is
gathered into chunks, and its large children are looked at in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leafmark.chunking.gathering import Part, gather
from leafmark.chunking.sizing import Sizes, is_surely_within
from leafmark.chunking.spans import subtract
from leafmark.chunking.tree import Node, place
from leafmark.chunking.workshop import Workshop, new_piece

__all__ = ["choose_section"]


def choose_section(shop: Workshop) -> list[Node]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    root = shop.tree.nodes[0]
    size = len(shop.reader.document.data)
    if size + shop.breadcrumb_room(root) <= shop.options.max_tokens or is_surely_within(shop):
        return [_whole(root)]
    sizes = Sizes.measure(shop)
    if sizes.fits(root):
        return [_whole(root)]
    emitted, entered = [root], [root]
    while entered:
        below = list(_enter(shop, sizes, entered.pop()))
        emitted += below
        entered += [child for child in below if not child.piece and not sizes.fits(child)]
    return sorted(emitted, key=place)


def _whole(node: Node) -> Node:
    """The node with everything below it as its body."""
    node.body = [(node.start, node.end)]
    return node


def _enter(shop: Workshop, sizes: Sizes, node: Node) -> Iterator[Node]:
    """Yield the chunks right below a node that does not fit, in order.

    Its own text stays its body where that is a single chunk, or too small to be
    one and next to nothing that could take it.
    """
    parts = gather(shop, sizes, node)
    pieces = [part for part in parts if not part.is_child and not part.is_leftover(shop)]
    left = [part for part in parts if part.is_leftover(shop)]
    kept = pieces if len(pieces) == 1 and _is_body(shop, node, [*pieces, *left]) else []
    node.oversize = any(shop.is_oversize(node, part.units) for part in kept)
    cut = set(pieces).difference(kept)
    number = 0
    for part in parts:
        if part.is_child:
            yield _child(shop, sizes, part)
        elif part in cut:
            number += 1
            yield _piece(shop, node, part, number=number)
    taken = [(part.start, part.end) for part in parts if part in cut]
    if taken:
        node.body = [own for start, end in node.body for own in subtract(start, end, taken)]
    tokens = shop.meter.joined_tokens(node.body) if left and not kept else 0
    node.undersize = 0 < tokens < shop.options.min_tokens


def _is_body(shop: Workshop, node: Node, parts: Sequence[Part]) -> bool:
    """Whether a node's only piece may be its body instead, with the leftovers that follow here."""
    if parts[0].children:
        return False
    size, *left = [shop.size(part.units) for part in parts]
    bound = size if shop.is_oversize(node, parts[0].units) else shop.room(node)
    return not left or size + sum(left) < bound + shop.options.min_tokens


def _child(shop: Workshop, sizes: Sizes, part: Part) -> Node:
    """A section by itself: whole where it fits, else to be entered."""
    (child,) = part.children
    if sizes.fits(child):
        child.undersize = sizes.span(child) < shop.options.min_tokens
        _whole(child)
    return child


def _piece(shop: Workshop, node: Node, part: Part, *, number: int) -> Node:
    piece = new_piece(node, (part.start, part.end), number)
    piece.oversize = shop.is_oversize(node, part.units)
    piece.undersize = shop.size(part.units) < shop.options.min_tokens
    piece.covers = tuple(child.slug for child in part.children if child.slug is not None)
    for child in part.children:
        child.holder = piece
    return piece
