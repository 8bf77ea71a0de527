"""From nodes and pieces to chunks: positions, sibling counts, and the rows that are handed out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from leafmark.chunking.tree import SectionTree
from leafmark.model import ChunkKind, Deferred, Emitted, Row, subtract

__all__ = ["emit"]


def emit(tree: SectionTree, chosen: Sequence[int]) -> Emitted:
    """Return the rows of the nodes and pieces that were chosen.

    `chosen` is in pre-order, begins with the document, and holds the parent of each. The slug
    of a node that was not chosen leads to the piece that holds its text, else to the nearest
    chosen node above it.
    """
    positions: Sequence[int] = chosen
    led_to: Sequence[int] = tree.heading_nodes
    if chosen != tree.nodes:
        positions = _positions(tree, chosen)
        led_to = Deferred(lambda: _led_to(tree, positions))
    rows = _usual_rows(tree, chosen, positions)
    for number in _unusual(tree):
        if positions[number] >= 0:
            usual = rows[positions[number]]
            rows[positions[number]] = _unusual_row(tree, number, usual)
    folded = tree.folded
    at = -1 if folded is None else positions[folded]
    return Emitted(rows, tree.heading_slugs, led_to, tree.slugs, None if at < 0 else at)


def _positions(tree: SectionTree, chosen: Sequence[int]) -> list[int]:
    """The position of each node and piece, -1 for those that are not chosen."""
    positions = [-1] * len(tree.parents)
    for position, number in enumerate(chosen):
        positions[number] = position
    return positions


def _led_to(tree: SectionTree, positions: Sequence[int]) -> tuple[int, ...]:
    """The position of the chunk that each heading's slug leads to."""
    homes = [*positions]
    for piece, covered in tree.covers.items():
        for node in covered:
            homes[node] = positions[piece]
    for node in tree.nodes:
        if homes[node] < 0:
            homes[node] = homes[tree.parents[node]]
    return tuple([homes[node] for node in tree.heading_nodes])


def _usual_rows(tree: SectionTree, chosen: Sequence[int], positions: Sequence[int]) -> list[Row]:
    """The fields of each chunk in order, as a section with a heading has them."""
    columns: Sequence[Sequence[Any]] = (
        *(tree.depths, tree.titles, tree.places),
        *(tree.starts, tree.ends, tree.body_ends),
    )
    parents = tree.parents
    if chosen is not positions:
        columns = [[*map(column.__getitem__, chosen)] for column in columns]
        parents = [positions[parents[number]] for number in chosen]
    depths, titles, places, starts, ends, body_ends = columns
    counts, lasts = _below(parents)
    siblings = map(counts.__getitem__, parents)
    no, nothing = repeat(False), repeat(())
    structure = range(len(parents)), parents, lasts, repeat("section"), depths, titles, chosen
    extents = starts, ends, places, starts, siblings, body_ends
    marks = repeat(None), no, no, nothing
    return [*zip(*structure, repeat(0), *extents, *marks, strict=False)]  # repeat has no end


def _below(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """How many children each one has, and the position of its last descendant, or its own."""
    counts, last = [0] * len(parents), list(range(len(parents)))
    for position in range(len(parents) - 1, 0, -1):  # the last child of each comes first
        parent = parents[position]
        counts[parent] += 1
        if last[parent] == parent:
            last[parent] = last[position]
    return counts, last


def _unusual(tree: SectionTree) -> set[int]:
    """The document, the pieces, and the sections whose rows differ from the usual ones."""
    return {0, *tree.pieces, *tree.definitions, *tree.bodies, *tree.oversize, *tree.undersize}


def _unusual_row(tree: SectionTree, number: int, usual: Row) -> Row:
    """The fields of a chunk that is not a usual section; `usual` are those it would have."""
    position, parent, last, _, depth, title, _, _, start, end, place, _, siblings, *_ = usual
    piece = tree.pieces.get(number, 0)
    kind: ChunkKind = "piece" if piece else "section" if number else "document"
    has_heading = kind == "section" and number not in tree.definitions
    return (
        position,
        parent if number else -1,
        last,
        kind,
        depth,
        title,
        tree.parents[number] if piece else number,
        piece,
        start,
        end,
        place if has_heading else None,
        start if has_heading else None,
        siblings if number else 1,
        _body_extent(tree, number),
        tree.definitions.get(number),
        number in tree.oversize,
        number in tree.undersize,
        tuple(tree.covers.get(number, ())),
    )


def _body_extent(tree: SectionTree, number: int) -> int | tuple[tuple[int, int], ...]:
    """Where the own text of a node or piece ends, or its ranges, without what is dropped."""
    if number not in tree.bodies and not tree.dropped:
        return tree.body_ends[number]
    body = tree.body(number)
    if tree.dropped:
        body = [part for span in body for part in subtract(*span, tree.dropped)]
    return tuple(body)
