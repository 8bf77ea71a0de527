"""`auto`: every node is a chunk, and a body over the target gets pieces.

The pieces of a body are the fewest, of nearly equal size. A code block, or a
table that fits the bound, may make one larger. Each piece is one contiguous
range of the body; a range that is blank or under `min_tokens` stays the node's
own. Many such ranges may come to more than the bound: then the node is `oversize`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter

from leafmark.chunking.packing import Group, absorb_small
from leafmark.chunking.splitting import split
from leafmark.chunking.tree import Spans
from leafmark.chunking.units import Cutter, Unit
from leafmark.chunking.workshop import Workshop

__all__ = ["choose_auto"]

_COUNTED_AT_ONCE = 4
"""A body of more bytes than this for each token of the target is counted block by block only."""

_FINER = 4
"""Into how many parts, about, a group is split when its blocks do not share out evenly."""

_tokens_of: Callable[[Unit], int] = itemgetter(2)
_whole_of = itemgetter(3)


def choose_auto(shop: Workshop) -> Sequence[int]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    tree = shop.tree
    pieces = [piece for node in _large(shop) for piece in _split_body(shop, node)]
    # A parent and its first piece begin at the same byte; sorting is stable.
    return sorted([*tree.nodes, *pieces], key=tree.places.__getitem__) if pieces else tree.nodes


def _large(shop: Workshop) -> list[int]:
    """The nodes whose bodies may be over the target.

    Bodies of one range are counted in one call, where their number of bytes does not tell.
    A body of at most `sure` tokens is small enough, whatever its breadcrumb.
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
    """Whether a body of several ranges may be over the target."""
    meter, most = shop.meter, shop.options.target_tokens * _COUNTED_AT_ONCE
    body = shop.tree.body(node)
    size = sum([meter.size_bytes(start, end) for start, end in body])
    if size <= sure or size > most:
        return size > sure
    tokens = sum([meter.tokens(start, end) for start, end in body])
    return tokens > sure and tokens > shop.capacity(node)


def _split_body(shop: Workshop, node: int) -> list[int]:
    """Return the node's pieces, none where one would do.

    Ranges that are blank or under `min_tokens` stay the node's own body.
    """
    tree, cutter = shop.tree, shop.cutter(node)
    kept: Spans = []
    found: list[list[Unit]] = []
    for span in tree.body(node):
        groups = _without_blanks(shop, node, _split_evenly(shop, cutter, span))
        if len(groups) == 1 and _is_leftover(shop, groups[0]):
            kept.append(span)
        else:
            found += groups
    if len(found) < 2:
        if any(_is_oversize(shop, node, group) for group in found) or shop.is_scattered(node):
            tree.oversize.add(node)
        return []
    tree.bodies[node] = kept
    if shop.is_scattered(node):
        tree.oversize.add(node)
    return [_piece(shop, node, group, number=number) for number, group in enumerate(found, 1)]


def _is_leftover(shop: Workshop, units: Sequence[Unit]) -> bool:
    """Whether a range is too little to be a piece."""
    is_small = shop.size(units) < shop.options.min_tokens
    return is_small or shop.meter.is_blank(units[0].start, units[-1].end)


def _piece(shop: Workshop, node: int, units: list[Unit], *, number: int) -> int:
    tree = shop.tree
    piece = tree.add_piece(node, (units[0].start, units[-1].end), number)
    if _is_oversize(shop, node, units):
        tree.oversize.add(piece)
    if shop.size(units) < shop.options.min_tokens:
        tree.undersize.add(piece)
    return piece


def _is_oversize(shop: Workshop, node: int, units: Sequence[Unit]) -> bool:
    """Whether one block that cannot be cut takes the text of units over `max_tokens`."""
    if True not in map(_whole_of, units):
        return False
    return shop.is_over(node, [(units[0].start, units[-1].end)], sum(map(_tokens_of, units)))


def _split_evenly(shop: Workshop, cutter: Cutter, span: tuple[int, int]) -> list[list[Unit]]:
    """Split a range and group its units, with finer units where only these keep the sizes."""
    capacity = cutter.capacity
    groups, is_best = _grouped(shop, split(cutter, *span), capacity)
    if is_best:
        return groups
    finer = cutter._replace(grain=max(1, capacity // _FINER))
    others, _ = _grouped(shop, split(finer, *span), capacity)
    return min(groups, others, key=partial(shop.faults, capacity=capacity))


def _grouped(shop: Workshop, units: list[Unit], capacity: int) -> tuple[list[list[Unit]], bool]:
    """Return groups of units, and whether finer units could not be grouped better.

    Only where a group that takes in a leftover becomes too large all divisions are compared.
    """
    least, ranges = shop.options.min_tokens, shop.pack(units, capacity)
    groups = _taken(units, ranges)
    sizes = [shop.size(group) for group in groups]
    if min(sizes) >= least and max(sizes) <= capacity:
        return groups, True
    merged = absorb_small(sizes, least=least, capacity=capacity)
    ranges = [(ranges[first][0], ranges[after - 1][1]) for first, after in merged]
    groups = _taken(units, ranges)
    if all(_keeps(group, capacity) and shop.size(group) >= least for group in groups):
        return groups, True
    groups = _taken(units, shop.divide(units, ranges, capacity))
    return groups, len(groups) <= len(ranges) and all(_keeps(group, capacity) for group in groups)


def _taken(units: list[Unit], ranges: Sequence[Group]) -> list[list[Unit]]:
    return [units[first:after] for first, after in ranges]


def _without_blanks(shop: Workshop, node: int, groups: list[list[Unit]]) -> list[list[Unit]]:
    """Give groups that are blank to their neighbours."""
    joined = shop.without_blanks(node, [(group[0].start, group[-1].end) for group in groups])
    return _joined(groups, joined)


def _joined(groups: list[list[Unit]], runs: Sequence[Group]) -> list[list[Unit]]:
    """Make one group of each run of groups."""
    return [list(chain.from_iterable(groups[first:after])) for first, after in runs]


def _keeps(units: Sequence[Unit], capacity: int) -> bool:
    """Whether units fit the capacity, or hold a block that cannot be cut."""
    return sum(map(_tokens_of, units)) <= capacity or True in map(_whole_of, units)
