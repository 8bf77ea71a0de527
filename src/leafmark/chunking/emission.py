"""From nodes and pieces to chunks: positions, sibling counts, and the rows that are handed out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from leafmark.chunking.spans import subtract
from leafmark.chunking.tree import SectionTree
from leafmark.model import ChunkKind
from leafmark.model.chunk import Row
from leafmark.model.ids import document_id

__all__ = ["Emitted", "emit"]

T = TypeVar("T")
_Spans = tuple[tuple[int, int], ...]


class Emitted(NamedTuple):
    """What `ChunkedDocument` says of the nodes that became chunks, in its words."""

    rows: Sequence[Row]
    slugs: Mapping[str, int]
    folded_position: int | None


def emit(section_tree: SectionTree, chosen: Sequence[int], *, tree: str) -> Emitted:
    """Return what is told of the nodes and pieces `chosen`, in pre-order, the document first.

    The parent of each is among them. A slug whose node is not leads to the piece
    that holds its text, or to the nearest node above it.
    """
    columns = _Columns(section_tree, chosen)
    rows = columns.rows(document_id(tree, section_tree.document.path))
    homes = columns.homes()
    holders = map(homes.__getitem__, section_tree.heading_nodes)
    slugs = dict(zip(section_tree.heading_slugs, holders, strict=True))
    folded = section_tree.folded
    return Emitted(rows, slugs, None if folded is None else columns.positions.get(folded))


class _Columns:
    """The fields of chunks, column by column."""

    def __init__(self, tree: SectionTree, chosen: Sequence[int]) -> None:
        self.tree, self.chosen = tree, chosen
        self.positions = dict(zip(chosen, range(len(chosen)), strict=True))

    def rows(self, doc_id: str) -> list[Row]:
        """The fields of each chunk, in order."""
        tree, of, positions = self.tree, self._of, self.positions
        parents = [-1, *map(positions.__getitem__, of(tree.parents)[1:])]
        siblings = Counter(parents)
        starts = of(tree.starts)
        heading_starts: list[int | None] = [*of(tree.places)]
        heading_ends: list[int | None] = [*starts]
        kinds: dict[int, ChunkKind] = {**dict.fromkeys(tree.pieces, "piece"), 0: "document"}
        nowhere: dict[int, int | None] = dict.fromkeys((*kinds, *tree.definitions))
        covers = {
            piece: tuple([f"{doc_id}#{tree.slugs[node]}" for node in covered])
            for piece, covered in tree.covers.items()
        }
        columns = (
            range(len(parents)),
            parents,
            _last_positions(parents),
            self._changed(["section"] * len(parents), kinds),
            of(tree.depths),
            of(tree.titles),
            of(tree.slugs),
            self._mostly(0, tree.pieces),
            starts,
            of(tree.ends),
            self._changed(heading_starts, nowhere),
            self._changed(heading_ends, nowhere),
            map(siblings.__getitem__, parents),
            self._bodies(),
            self._mostly(None, tree.definitions),
            self._mostly(False, dict.fromkeys(tree.oversize, True)),
            self._mostly(False, dict.fromkeys(tree.undersize, True)),
            self._mostly((), covers),
        )
        return [*zip(*columns, strict=True)]

    def homes(self) -> Sequence[int]:
        """The position of each node's chunk, or of the nearest one that holds its text."""
        tree, positions = self.tree, self.positions
        if self.chosen == tree.nodes:
            return tree.nodes
        homes = [positions.get(node, -1) for node in tree.nodes]
        for piece, covered in tree.covers.items():
            for node in covered:
                homes[node] = positions[piece]
        for node, parent in zip(tree.nodes, tree.parents, strict=False):
            if homes[node] < 0:
                homes[node] = homes[parent]
        return homes

    def _of(self, column: Sequence[T]) -> list[T]:
        return [*map(column.__getitem__, self.chosen)]

    def _mostly(self, usual: T, others: Mapping[int, T]) -> list[T]:
        """A column of one value, but for some nodes or pieces that may be among the chosen."""
        return self._changed([usual] * len(self.chosen), others)

    def _changed(self, column: list[T], others: Mapping[int, T]) -> list[T]:
        for number, other in others.items():
            position = self.positions.get(number)
            if position is not None:
                column[position] = other
        return column

    def _bodies(self) -> list[_Spans]:
        tree = self.tree
        if tree.document.dropped_spans:
            dropped = [(span.start, span.end) for span in tree.document.dropped_spans]
            return [
                tuple([part for span in tree.body(number) for part in subtract(*span, dropped)])
                for number in self.chosen
            ]
        extents = zip(self._of(tree.starts), self._of(tree.body_ends), strict=True)
        bodies: list[_Spans] = [((start, end),) if start < end else () for start, end in extents]
        others = {number: tuple(body) for number, body in tree.bodies.items()}
        return self._changed(bodies, others)


def _last_positions(parents: Sequence[int]) -> list[int]:
    """The position of each one's last descendant, or its own."""
    last = list(range(len(parents)))
    for position in range(len(parents) - 1, 0, -1):  # the last child of each comes first
        parent = parents[position]
        if last[parent] == parent:
            last[parent] = last[position]
    return last
