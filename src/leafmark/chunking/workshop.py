"""What the strategies share for one document: its tree, its sizes, and how a body is split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from leafmark.chunking.measuring import Meter, text_tokens
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.packing import Group, absorb_small, pack
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.rendering import BREADCRUMB_SHARE
from leafmark.chunking.splitting import Splitter, Unit
from leafmark.chunking.tree import Node, SectionTree

__all__ = ["Workshop", "breadcrumb", "new_piece"]

_REPACKINGS = 4
"""How often groups are packed tighter at most because some were too large when counted."""

_FINER = 4
"""Into how many parts, about, a group is split when its blocks do not share out evenly."""


@dataclass(slots=True)
class Workshop:
    """One document and its options. Functions of the strategies take this first."""

    tree: SectionTree
    options: ChunkingOptions
    reader: BodyReader
    meter: Meter

    def breadcrumb_room(self, node: Node) -> int:
        """What the breadcrumb takes of `max_tokens`, shortened if it has to be."""
        words = breadcrumb(node, self.tree.folded)
        return min(self.meter.count(words + "\n\n"), self.options.max_tokens // BREADCRUMB_SHARE)

    def text_tokens(self, start: int, end: int, tokens: int) -> int:
        """The tokens of a range as `text` has it; it has `tokens` as it is."""
        return text_tokens(self.reader, self.meter, (start, end), tokens=tokens)

    def split_evenly(self, splitter: Splitter, start: int, end: int) -> list[list[Unit]]:
        """Split a range and group its units; finer than need be where that keeps the size.

        A leftover under `min_tokens` makes the group that takes it too large,
        unless there are smaller units to share out.
        """
        groups = self.group(splitter.split(start, end), splitter.capacity)
        if all(_keeps(group, splitter.capacity) for group in groups):
            return groups
        finer = splitter._replace(grain=max(1, splitter.capacity // _FINER))
        return self.group(finer.split(start, end), splitter.capacity)

    def group(self, units: Sequence[Unit], capacity: int) -> list[list[Unit]]:
        """Pack units, and give groups under `min_tokens` to their neighbours."""
        packed = [list(units[first:after]) for first, after in self.pack(units, capacity)]
        merged = absorb_small(
            [self.size(group) for group in packed],
            least=self.options.min_tokens,
            capacity=capacity,
        )
        return [list(chain.from_iterable(packed[first:after])) for first, after in merged]

    def pack(self, units: Sequence[Unit], capacity: int) -> list[Group]:
        """Pack units into groups that are within the capacity, cut inside a line or not.

        Where a group is cut inside a line, its tokens may differ from the sum
        of its units: then it is counted, and all are packed tighter if need be.
        """
        sizes = [unit.tokens + unit.header for unit in units]
        limit = capacity
        groups = pack(sizes, limit)
        if not any(unit.inline for unit in units):
            return groups
        for _ in range(_REPACKINGS):
            excess = max((self._excess(units[a:b], capacity) for a, b in groups), default=0)
            if excess <= 0:
                break
            limit = max(1, limit - excess)
            groups = pack(sizes, limit)
        return groups

    def _excess(self, units: Sequence[Unit], capacity: int) -> int:
        """The tokens that a group of several units, cut inside a line, has beyond the capacity."""
        total = sum([unit.tokens for unit in units])
        if len(units) == 1 or not any(unit.inline for unit in units) or total * 8 < capacity * 7:
            return 0
        return self.meter.tokens(units[0].start, units[-1].end) - capacity

    def size(self, units: Sequence[Unit]) -> int:
        """The tokens of neighbouring units, exact where it matters to `min_tokens`.

        Where units join inside a line, their sum may exceed the tokens of the whole.
        """
        total = sum([unit.tokens for unit in units])
        least = self.options.min_tokens
        if least <= total < least + 2 * len(units):
            return self.meter.tokens(units[0].start, units[-1].end)
        return total

    def is_oversize(self, node: Node, units: Sequence[Unit]) -> bool:
        """Whether one block that cannot be cut takes the text of units over `max_tokens`."""
        if not any(unit.whole for unit in units):
            return False
        tokens, room = sum([unit.tokens for unit in units]), self.room(node)
        return tokens > room and self.text_tokens(units[0].start, units[-1].end, tokens) > room

    def room(self, node: Node) -> int:
        """The tokens that `max_tokens` leaves to a body of the node or of a piece of it."""
        return max(1, self.options.max_tokens - self.breadcrumb_room(node))

    def capacity(self, node: Node) -> int:
        """The tokens that such a body is cut to."""
        return min(self.options.target_tokens, self.room(node))

    def splitter(self, node: Node) -> Splitter:
        options, room = self.options, self.room(node)
        capacity = min(options.target_tokens, room)
        return Splitter(
            reader=self.reader,
            meter=self.meter,
            tokenizer=options.tokenizer,
            capacity=capacity,
            grain=capacity,
            table_capacity=room,
            cut_code=options.oversize_code == "split",
        )


def _keeps(units: Sequence[Unit], capacity: int) -> bool:
    """Whether units are within the capacity as far as they can be cut."""
    return sum([unit.tokens for unit in units]) <= capacity or any(unit.whole for unit in units)


def breadcrumb(node: Node, folded: Node | None) -> str:
    """The breadcrumb of a node that is not a piece."""
    titles = []
    at: Node | None = node
    while at is not None:
        if at is not folded:
            titles.append(at.title)
        at = at.parent
    return "> " + " › ".join(reversed(titles))


def new_piece(parent: Node, span: tuple[int, int], number: int) -> Node:
    """Return a piece of `parent`: its title and slug, one deeper, with a number from 1."""
    piece = Node(parent, parent.depth + 1, span, title=parent.title, slug=parent.slug)
    piece.piece = number
    return piece
