"""What the strategies share for one document: its tree, its sizes, and how a body is split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import add, itemgetter

from leafmark.chunking.breadcrumbs import BREADCRUMB_SHARE, GAP, path_of, under_breadcrumb
from leafmark.chunking.leading import leads_on
from leafmark.chunking.measuring import Meter, text_tokens
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.packing import Group, absorb_small, pack, settle
from leafmark.chunking.reading import BodyReader
from leafmark.chunking.splitting import split
from leafmark.chunking.tree import SectionTree
from leafmark.chunking.units import Cutter, Unit
from leafmark.model.breadcrumb import format_breadcrumb

__all__ = ["Workshop"]

_NEARLY = 32
"""What misses `max_tokens` by less than this share, or so few tokens, is counted as it is shown."""

_REPACKINGS = 4
"""How often groups are packed tighter at most because some were too large when counted."""

_FINER = 4
"""Into how many parts, about, a group is split when its blocks do not share out evenly."""

_tokens_of: Callable[[Unit], int] = itemgetter(2)
_whole_of, _inline_of = itemgetter(3), itemgetter(4)
_header_of: Callable[[Unit], int] = itemgetter(5)


@dataclass(slots=True)
class Workshop:
    """One document and its options. Functions of the strategies take this first."""

    tree: SectionTree
    options: ChunkingOptions
    reader: BodyReader
    meter: Meter
    _rooms: dict[int, int] = field(default_factory=dict)

    @property
    def sure_room(self) -> int:
        """The tokens that `max_tokens` leaves to a body, whatever its breadcrumb."""
        return self.options.max_tokens - self.options.max_tokens // BREADCRUMB_SHARE

    def breadcrumb_room(self, node: int) -> int:
        """What the breadcrumb takes of `max_tokens`, shortened if it has to be."""
        found = self._rooms.get(node)
        if found is None:
            tokens = self.meter.count(format_breadcrumb(path_of(self.tree, node)) + GAP)
            found = min(tokens, self.options.max_tokens // BREADCRUMB_SHARE)
            self._rooms[node] = found
        return found

    def _excess_as_text(self, span: tuple[int, int], tokens: int, room: int) -> int:
        """By how much the text of a range, which has `tokens` as it is, is over the room."""
        return text_tokens(self.reader, self.meter, span, tokens=tokens, bound=room) - room

    def fits_whole(self, node: int, tokens: int) -> bool:
        """Whether the text of a node with all below it, about `tokens`, is within `max_tokens`."""
        return self._fits_as_text(node, (self.tree.starts[node], self.tree.ends[node]), tokens)

    def _fits_as_text(self, node: int, span: tuple[int, int], tokens: int) -> bool:
        """Whether the text of a range under a node's breadcrumb is within `max_tokens`.

        Parts that are counted apart may add up to a little more than the whole.
        """
        room = self.options.max_tokens - self.breadcrumb_room(node)
        excess = self._excess_as_text(span, tokens, room)
        if excess <= 0 or excess > max(_NEARLY, room // _NEARLY):
            return excess <= 0
        shown = format_breadcrumb(path_of(self.tree, node)) + GAP + self.reader.normalise((span,))
        return self.meter.count(shown) <= self.options.max_tokens

    def _is_shown_within(self, node: int, spans: tuple[tuple[int, int], ...]) -> bool:
        """Whether the text of ranges under a node's breadcrumb is within `max_tokens`, counted."""
        path, limit, count = path_of(self.tree, node), self.options.max_tokens, self.meter.count
        shown = under_breadcrumb(path, self.reader.normalise(spans), limit=limit, count=count)
        return count(shown) <= limit

    def split_evenly(self, cutter: Cutter, start: int, end: int) -> list[list[Unit]]:
        """Split a range and group its units; finer than need be where that keeps the size.

        A leftover under `min_tokens` makes the group that takes it too large,
        unless there are smaller units to share out.
        """
        groups, sizes = self._pack(split(cutter, start, end), cutter.capacity)
        if min(sizes) >= self.options.min_tokens and max(sizes) <= cutter.capacity:
            return groups
        groups = self._absorb(groups, sizes, cutter.capacity)
        if all(_keeps(group, cutter.capacity) for group in groups):
            return groups
        finer = cutter._replace(grain=max(1, cutter.capacity // _FINER))
        groups, sizes = self._pack(split(finer, start, end), cutter.capacity)
        return self._absorb(groups, sizes, cutter.capacity)

    def _pack(self, units: list[Unit], capacity: int) -> tuple[list[list[Unit]], list[int]]:
        """Pack units; return the groups and their sizes."""
        groups = [units[first:after] for first, after in self.pack(units, capacity)]
        return groups, [self.size(group) for group in groups]

    def _absorb(
        self, groups: list[list[Unit]], sizes: Sequence[int], capacity: int
    ) -> list[list[Unit]]:
        """Give groups under `min_tokens` to their neighbours."""
        merged = absorb_small(sizes, least=self.options.min_tokens, capacity=capacity)
        return [list(chain.from_iterable(groups[first:after])) for first, after in merged]

    def pack(self, units: Sequence[Unit], capacity: int) -> list[Group]:
        """Pack units into groups that are within the capacity, cut inside a line or not.

        Where a group is cut inside a line, its tokens may differ from the sum
        of its units: then it is counted, and all are packed tighter if need be.
        """
        sizes = [*map(add, map(_tokens_of, units), map(_header_of, units))]
        limit = capacity
        groups = pack(sizes, limit)
        if True not in map(_inline_of, units):
            return self._settle(units, sizes, groups, capacity=capacity)
        for _ in range(_REPACKINGS):
            excess = max((self._excess(units[a:b], capacity) for a, b in groups), default=0)
            if excess <= 0:
                break
            limit = max(1, limit - excess)
            groups = pack(sizes, limit)
        settled = self._settle(units, sizes, groups, capacity=limit)
        moved = set(settled).difference(groups)
        return groups if any(self._excess(units[a:b], capacity) > 0 for a, b in moved) else settled

    def _settle(
        self, units: Sequence[Unit], sizes: Sequence[int], groups: list[Group], *, capacity: int
    ) -> list[Group]:
        """Move cuts behind what leads on to what follows, as far as sizes allow it."""
        if len(groups) < 2:
            return groups

        def is_poor(at: int) -> bool:
            return leads_on(self.reader, units[at - 1].start, units[at].start)

        least = self.options.min_tokens
        return settle(sizes, groups, least=least, capacity=capacity, is_poor=is_poor)

    def _excess(self, units: Sequence[Unit], capacity: int) -> int:
        """The tokens that a group of several units, cut inside a line, has beyond the capacity."""
        total = sum(map(_tokens_of, units))
        if len(units) == 1 or True not in map(_inline_of, units) or total * 8 < capacity * 7:
            return 0
        return self.meter.tokens(units[0].start, units[-1].end) - capacity

    def size(self, units: Sequence[Unit]) -> int:
        """The tokens of neighbouring units, exact where it matters to `min_tokens`.

        Where units join inside a line, their sum may exceed the tokens of the whole.
        """
        total = sum(map(_tokens_of, units))
        return self.size_of((units[0].start, units[-1].end), total, number=len(units))

    def size_of(self, span: tuple[int, int], total: int, *, number: int) -> int:
        """The same of so many neighbouring ranges that have `total` tokens when each is counted."""
        least = self.options.min_tokens
        if least <= total < least + 2 * number:
            return self.meter.tokens(*span)
        return total

    def is_oversize(self, node: int, units: Sequence[Unit]) -> bool:
        """Whether one block that cannot be cut takes the text of units over `max_tokens`."""
        if True not in map(_whole_of, units):
            return False
        total = sum(map(_tokens_of, units))
        return self.is_over(node, (units[0].start, units[-1].end), total)

    def is_over(self, node: int, span: tuple[int, int], tokens: int) -> bool:
        """Whether the text of a range of a node's body is over `max_tokens`."""
        if tokens <= self.sure_room:
            return False
        return tokens > self.room(node) and not self._is_shown_within(node, (span,))

    def is_scattered(self, node: int) -> bool:
        """Whether a body is over `max_tokens` that lies in ranges too small for pieces.

        Source code has such bodies: its statements between many definitions.
        """
        body = self.tree.body(node)
        if len(body) < 2:
            return False
        tokens = sum([self.meter.tokens(*span) for span in body])
        return tokens > self.room(node) and not self._is_shown_within(node, tuple(body))

    def mark(self, piece: int, units: Sequence[Unit]) -> None:
        """Say of a piece, which is made of the units, whether it is too large or too small."""
        if self.is_oversize(self.tree.parents[piece], units):
            self.tree.oversize.add(piece)
        if self.size(units) < self.options.min_tokens:
            self.tree.undersize.add(piece)

    def room(self, node: int) -> int:
        """The tokens that `max_tokens` leaves to a body of the node or of a piece of it."""
        return max(1, self.options.max_tokens - self.breadcrumb_room(node))

    def capacity(self, node: int) -> int:
        """The tokens that such a body is cut to."""
        target = self.options.target_tokens
        return target if target <= self.sure_room else min(target, self.room(node))

    def cutter(self, node: int) -> Cutter:
        options, capacity = self.options, self.capacity(node)
        return Cutter(
            reader=self.reader,
            meter=self.meter,
            tokenizer=options.tokenizer,
            capacity=capacity,
            grain=capacity,
            room=partial(self.room, node),
            cut_code=options.oversize_code == "split",
        )


def _keeps(units: Sequence[Unit], capacity: int) -> bool:
    """Whether units are within the capacity as far as they can be cut."""
    return sum(map(_tokens_of, units)) <= capacity or True in map(_whole_of, units)
