"""Blocks of a script: code parted by blank lines, and inside what is large, by statements.

Every stretch of a source that is one definition's own, or the document's, is
made of code blocks. A large one holds blocks in turn: first its statements, then
what its largest statements are made of, so that a body can be cut where its
syntax can, as deep as needed and no deeper.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import tree_sitter

from leafmark.model import Block
from leafmark.parsing.script_definitions import Definition
from leafmark.parsing.script_grammars import Grammar

__all__ = ["script_blocks"]

_SMALL = 512
"""Bytes up to which code is not looked into: hardly more than a hundred tokens."""

_BODY_SHARE = 0.8

_DEEPEST = 7
"""Levels of blocks in blocks."""


class _Cut(NamedTuple):
    """A line that begins a statement; the lower `rank`, the better it parts the code.

    The rank is the depth in the syntax tree, and then whether no blank line stands above.
    """

    at: int
    rank: tuple[int, bool]


def script_blocks(
    tree: tree_sitter.Tree,
    source: bytes,
    definitions: Sequence[Definition],
    grammar: Grammar,
    info: str,
) -> tuple[Block, ...]:
    """Return the code blocks of a source in `info`, in order, those inside a block after it."""
    own = list(_own_ranges(definitions, len(source)))
    cuts: list[_Cut] = []
    if any(end - start > _SMALL for start, end in own):
        cuts = sorted(_cuts(tree, grammar), key=lambda cut: cut.at)
    places = [cut.at for cut in cuts]
    blocks: list[Block] = []
    for start, end in own:
        inside = cuts[bisect_left(places, start + 1) : bisect_left(places, end)]
        blocks += _blocks(source, (start, end), inside, info)
    return tuple(blocks)


def _own_ranges(definitions: Sequence[Definition], size: int) -> Iterator[tuple[int, int]]:
    """The ranges between where definitions begin and end, in order; none is empty."""
    at = 0
    open_ends: list[int] = []
    for definition in definitions:
        while open_ends and open_ends[-1] <= definition.start:
            end = open_ends.pop()
            if at < end:
                yield at, end
                at = end
        if at < definition.start:
            yield at, definition.start
        at = definition.start
        open_ends.append(definition.end)
    for end in (*reversed(open_ends), size):
        if at < end:
            yield at, end
            at = end


def _cuts(tree: tree_sitter.Tree, grammar: Grammar) -> Iterator[_Cut]:
    """The lines on which something begins inside a large node, and how deep it lies.

    A comment goes with what stands on the next line, and what is nearly all of
    a node, its body, with the line before it.
    """
    above = grammar.comments | grammar.annotations
    open_nodes = [(tree.root_node, 0)]
    while open_nodes:
        parent, depth = open_nodes.pop()
        most = (parent.end_byte - parent.start_byte) * _BODY_SHARE
        last_row, sticks = parent.start_point.row, True
        for node in parent.children:
            size = node.end_byte - node.start_byte
            (row, column), (end_row, end_column) = node.start_point, node.end_point
            begins, blank = row > last_row, row > last_row + 1
            if begins and node.is_named and size < most and (blank or not sticks):
                yield _Cut(node.start_byte - column, (depth, not blank))
            sticks = node.kind_id in above and (begins or sticks)
            last_row = max(end_row - (not end_column and end_row > row), last_row)
            if size > _SMALL and node.child_count:
                open_nodes.append((node, depth + 1))


def _blocks(
    source: bytes, extent: tuple[int, int], cuts: Sequence[_Cut], info: str
) -> Iterator[Block]:
    """The blocks of one range: parted at the best cuts, then inside what is still large."""
    waiting = [(*part, inside, 0) for part, inside in reversed(_part(extent, cuts))]
    while waiting:
        start, end, inside, level = waiting.pop()
        lines = _trim(source, start, end)
        if lines is None:
            continue
        yield Block("code", *lines, level, info)
        if end - start <= _SMALL or level == _DEEPEST:
            continue
        parts = _part((start, end), inside)
        if len(parts) > 1:
            waiting += [(*part, deeper, level + 1) for part, deeper in reversed(parts)]


def _part(
    extent: tuple[int, int], cuts: Sequence[_Cut]
) -> list[tuple[tuple[int, int], Sequence[_Cut]]]:
    """The parts of a range between its best cuts, each with the other cuts inside it."""
    if not cuts:
        return [(extent, ())]
    best = min(cut.rank for cut in cuts)
    chosen = [index for index, cut in enumerate(cuts) if cut.rank == best]
    starts = [extent[0], *[cuts[index].at for index in chosen], extent[1]]
    bounds = [-1, *chosen, len(cuts)]
    return [
        ((start, end), cuts[first + 1 : after])
        for (start, end), (first, after) in zip(pairwise(starts), pairwise(bounds), strict=True)
        if start < end
    ]


def _trim(source: bytes, start: int, end: int) -> tuple[int, int] | None:
    """The whole lines of a range that are not blank at its ends; None where all are."""
    raw = source[start:end]
    used = len(raw.rstrip())
    if not used:
        return None
    lead = len(raw) - len(raw.lstrip())
    first = raw.rfind(b"\n", 0, lead) + 1
    after = raw.find(b"\n", used) + 1
    return start + first, start + (after or len(raw))
