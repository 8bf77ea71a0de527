"""`section`: token-bounded chunks, cut from the top down.

What fits `max_tokens` is one chunk: the document, else an h1 section, and so on
down. A section that does not fit is entered: what lies right below it is
gathered into chunks, and its large children are looked at in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from leafmark.chunking.gathering import Part, gather
from leafmark.chunking.sizing import Sizes, is_surely_within
from leafmark.chunking.tree import SectionTree, Spans
from leafmark.chunking.workshop import Workshop
from leafmark.model import subtract

__all__ = ["choose_section"]

_is_child = attrgetter("is_child")


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
    one and next to no other.
    """
    parts = gather(shop, sizes, node)
    own = [part for part in parts if not part.is_child]
    solid = [part for part in own if not part.is_leftover]
    tree, body = shop.tree, shop.tree.body(node)
    is_body = len(solid) == 1 and _is_body(shop, node, solid[0], own=own)
    if is_body and solid[0].is_oversize:
        tree.oversize.add(node)
    cut = set() if is_body else _beside(parts, solid)
    number = 0
    for part in parts:
        if part.is_child:
            yield _child(shop, sizes, part)
        elif part in cut:
            number += 1
            yield _piece(shop, node, part, number=number)
    taken = [(part.start, part.end) for part in parts if part in cut]
    if taken:
        body = tree.bodies[node] = [rest for span in body for rest in subtract(*span, taken)]
    if len(cut) < len(own) and not is_body:
        _mark_leftovers(shop, node, body)


def _beside(parts: Sequence[Part], solid: Sequence[Part]) -> set[Part]:
    """Return the parts of own text that are pieces, and those right beside these."""
    runs = [[*run] for is_child, run in groupby(parts, key=_is_child) if not is_child]
    pieces = {*solid}
    return {part for run in runs if not pieces.isdisjoint(run) for part in run}


def _mark_leftovers(shop: Workshop, node: int, body: Spans) -> None:
    """Mark a body that is made of leftovers between children as too small or too large."""
    if 0 < shop.meter.joined_tokens(body) < shop.options.min_tokens:
        shop.tree.undersize.add(node)
    elif shop.is_scattered(node):
        shop.tree.oversize.add(node)


def _is_body(shop: Workshop, node: int, piece: Part, *, own: Sequence[Part]) -> bool:
    """Whether a node needs no piece: its only one, with all leftovers, may be its body instead."""
    if piece.children:
        return False
    bound = piece.size if piece.is_oversize else shop.room(node)
    total = sum([part.size for part in own])
    return len(own) == 1 or total < bound + shop.options.min_tokens


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
