"""The node tree in columns: a document, its sections, and the bytes that are each one's own.

A node is a number, and what is told of it stands in lists, because a document of
a megabyte may have forty thousand: numbers in lists cost a fraction of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leafmark.model import Document

__all__ = ["SectionTree", "Spans"]

Spans = list[tuple[int, int]]


@dataclass(slots=True)
class SectionTree:
    """The kept nodes in document order, which is pre-order, and then the pieces of them.

    Node 0 is the document, its own parent. A node begins at `places`, its heading
    line included; its span is from `starts` to `ends`, and its own text up to
    `body_ends`, unless `bodies` has its ranges. `afters` is the node that follows
    all that is below it. `definitions` are the sections that are no headings, with
    where their signature begins. Strategies add pieces, change bodies, and say
    what is `oversize` or `undersize`, and which sections are only part of a piece.
    """

    document: Document
    titles: list[str]
    slugs: Sequence[str | None]
    """Those of the nodes. Pieces have none of their own."""

    places: list[int]
    starts: list[int]
    ends: list[int]
    definitions: dict[int, int | None]
    heading_slugs: Sequence[str]
    """The slug of every heading, of discarded and nested ones too."""

    own_slugs: Sequence[str]
    """What the headings would have for slugs if the page gave them none; empty if it gives none."""

    heading_nodes: Sequence[int]
    """The deepest kept node that holds each of them."""

    parents: list[int]
    depths: list[int]
    body_ends: list[int]
    afters: list[int]
    dropped: Spans = field(default_factory=list)
    """What is in no body."""

    bodies: dict[int, Spans] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)
    """The number of each piece among those of its node, from 1."""

    covers: dict[int, Sequence[int]] = field(default_factory=dict)
    """The sections that a piece is made of, which are no chunks then."""

    oversize: set[int] = field(default_factory=set)
    undersize: set[int] = field(default_factory=set)

    @property
    def nodes(self) -> range:
        """All nodes, without the pieces."""
        return range(len(self.afters))

    @property
    def folded(self) -> int | None:
        """The first kept heading, when its title repeats the document's."""
        titles = self.titles
        return 1 if len(self.afters) > 1 and titles[1] == titles[0] else None

    def body(self, node: int) -> Spans:
        """The ranges of the node's own text, in order."""
        found = self.bodies.get(node)
        if found is None:
            start, end = self.starts[node], self.body_ends[node]
            found = [(start, end)] if start < end else []
        return found

    def children(self, node: int) -> Sequence[int]:
        """The nodes right below a node, in order."""
        child, after, afters = node + 1, self.afters[node], self.afters
        found = []
        while child < after:
            found.append(child)
            child = afters[child]
        return found

    def add_piece(self, parent: int, span: tuple[int, int], number: int) -> int:
        """Add a piece, one deeper than its node and called as that, and return which it is."""
        start, end = span
        piece = len(self.parents)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1)
        self.titles.append(self.titles[parent])
        self.places.append(start)
        self.starts.append(start)
        self.ends.append(end)
        self.body_ends.append(end)
        self.pieces[piece] = number
        return piece
