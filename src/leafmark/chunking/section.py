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
from leafmark.chunking.tree import SectionTree, Spans
from leafmark.chunking.workshop import Workshop

__all__ = ["choose_section"]


def choose_section(shop: Workshop) -> list[int]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    tree, size = shop.tree, shop.tree.ends[0]
    most = shop.options.max_tokens
    if (size <= most and size + shop.breadcrumb_room(0) <= most) or is_surely_within(shop):
        return [_whole(tree, 0)]
    sizes = Sizes.measure(shop)
    if sizes.fits(0):
        return [_whole(tree, 0)]
    emitted, entered = [0], [0]
    while entered:
        below = list(_enter(shop, sizes, entered.pop()))
        emitted += below
        entered += [one for one in below if one not in tree.pieces and not sizes.fits(one)]
    return sorted(emitted, key=tree.places.__getitem__)


def _whole(tree: SectionTree, node: int) -> int:
    """The node with everything below it as its body."""
    tree.body_ends[node] = tree.ends[node]
    if node in tree.bodies:
        tree.bodies[node] = [(tree.starts[node], tree.ends[node])]
    return node


def _enter(shop: Workshop, sizes: Sizes, node: int) -> Iterator[int]:
    """Yield the chunks right below a node that does not fit, in order.

    Its own text stays its body where that is a single chunk, or too small to be
    one and next to nothing that could take it.
    """
    parts = gather(shop, sizes, node)
    left: list[Part] = []
    pieces: list[Part] = []
    for part in parts:
        if not part.is_child:
            (left if part.is_leftover else pieces).append(part)
    kept = pieces if len(pieces) == 1 and _is_body(shop, node, [*pieces, *left]) else []
    tree, body = shop.tree, shop.tree.body(node)
    if any(part.is_oversize for part in kept):
        tree.oversize.add(node)
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
        body = tree.bodies[node] = [own for span in body for own in subtract(*span, taken)]
    if left and not kept:
        _mark_leftovers(shop, node, body)


def _mark_leftovers(shop: Workshop, node: int, body: Spans) -> None:
    """Say of a body that is what was left between children whether it is too small or too large."""
    if 0 < shop.meter.joined_tokens(body) < shop.options.min_tokens:
        shop.tree.undersize.add(node)
    elif shop.is_scattered(node):
        shop.tree.oversize.add(node)


def _is_body(shop: Workshop, node: int, parts: Sequence[Part]) -> bool:
    """Whether a node's only piece may be its body instead, with the leftovers that follow here."""
    if parts[0].children:
        return False
    size, *left = [part.size for part in parts]
    bound = size if parts[0].is_oversize else shop.room(node)
    return not left or size + sum(left) < bound + shop.options.min_tokens


def _child(shop: Workshop, sizes: Sizes, part: Part) -> int:
    """A section by itself: whole where it fits, else to be entered."""
    (child,) = part.children
    if sizes.fits(child):
        if sizes.span(child) < shop.options.min_tokens:
            shop.tree.undersize.add(child)
        _whole(shop.tree, child)
    return child


def _piece(shop: Workshop, node: int, part: Part, *, number: int) -> int:
    piece = shop.tree.add_piece(node, (part.start, part.end), number)
    if part.is_oversize:
        shop.tree.oversize.add(piece)
    least = shop.options.min_tokens
    if part.size < least and shop.meter.tokens(part.start, part.end) < least:  # with blank lines
        shop.tree.undersize.add(piece)
    children = part.children
    if children:
        shop.tree.covers[piece] = children
    return piece
