"""What the strategies share for one document: its tree, its sizes, and how a body is split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from operator import itemgetter

from leafmark.chunking.blocks import BodyReader
from leafmark.chunking.keep_with_next import cut_penalty
from leafmark.chunking.measuring import Meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.packing import Group, divide, move_cuts, pack
from leafmark.chunking.splitting import Cutter, Unit
from leafmark.chunking.tree import BREADCRUMB_SHARE, GAP, SectionTree, path_of, under_breadcrumb
from leafmark.model import format_breadcrumb

_NEARLY = 32
"""What misses `max_tokens` by less than this share, or so few tokens, is counted as it is shown."""

_LESS = 4
"""More tokens than a text gains without its last line end, or with a slash below a breadcrumb."""

_REPACKINGS = 4
"""How often groups are packed tighter at most because some were too large when counted."""

_tokens_of: Callable[[Unit], int] = itemgetter(2)
_inline_of = itemgetter(4)
_header_of: Callable[[Unit], int] = itemgetter(5)


@dataclass(slots=True)
class ChunkingContext:
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
        """The tokens of `max_tokens` that the breadcrumb takes, shortened if need be."""
        found = self._rooms.get(node)
        if found is None:
            tokens = self.meter.count(format_breadcrumb(path_of(self.tree, node)) + GAP)
            found = min(tokens, self.options.max_tokens // BREADCRUMB_SHARE)
            self._rooms[node] = found
        return found

    def room(self, node: int) -> int:
        """The tokens that `max_tokens` leaves to a body of the node or of a piece of it."""
        return self.options.max_tokens - self.breadcrumb_room(node)

    def fits_whole(self, node: int, tokens: int) -> bool:
        """Whether the text of a node with all below it, about `tokens`, is within `max_tokens`.

        Parts that are counted apart may add up to a little more or less than the whole: to
        one token more for each node.
        """
        span, room = (self.tree.starts[node], self.tree.ends[node]), self.room(node)
        excess = self.meter.text_tokens(span, tokens=tokens, bound=room) - room
        nodes = self.tree.afters[node] - node
        if excess <= -_LESS or excess > max(_NEARLY, room // _NEARLY, nodes):
            return excess <= 0
        shown = format_breadcrumb(path_of(self.tree, node)) + GAP + self.reader.normalise((span,))
        return self.meter.count(shown) <= self.options.max_tokens

    def pack(self, units: Sequence[Unit], capacity: int) -> list[Group]:
        """Pack units into groups that are within the capacity, cut inside a line or not.

        Where a group is cut inside a line, its tokens may differ from the sum
        of its units: then it is counted, and all are packed tighter if need be.
        """
        sizes, heads = [*map(_tokens_of, units)], [*map(_header_of, units)]
        limit = capacity
        groups = pack(sizes, limit, heads)
        if True not in map(_inline_of, units):
            return self._settle(units, groups, capacity=capacity)
        for _ in range(_REPACKINGS):
            excess = max((self._excess(units[a:b], capacity) for a, b in groups), default=0)
            if excess <= 0:
                break
            limit = max(1, limit - excess)
            groups = pack(sizes, limit, heads)
        settled = self._settle(units, groups, capacity=limit)
        moved = set(settled).difference(groups)
        return groups if any(self._excess(units[a:b], capacity) > 0 for a, b in moved) else settled

    def divide(self, units: Sequence[Unit], groups: list[Group], capacity: int) -> list[Group]:
        """Return groups of which fewer are over the capacity or under `min_tokens`, if there are.

        Both are counted where sums of units may differ from the tokens of a group.
        """
        sizes, heads = [*map(_tokens_of, units)], [*map(_header_of, units)]
        least, limit = self.options.min_tokens, capacity
        tried = [groups]
        for _ in range(_REPACKINGS):
            tried.append(divide(sizes, least=least, capacity=limit, heads=heads))
            parts = [units[first:after] for first, after in tried[-1]]
            lack = max(map(self._lack, parts))
            parts = [part for part in parts if _total(part) <= limit]
            excess = max([self._excess(part, capacity) for part in parts], default=0)
            if excess <= 0 and lack <= 0:
                break
            limit, least = max(1, limit - max(0, excess)), least + max(0, lack)

        def faults(each: Sequence[Group]) -> tuple[int, ...]:
            return self.faults([units[first:after] for first, after in each], capacity)

        best = min(tried, key=faults)
        if best is groups:
            return groups
        return min(self._settle(units, best, capacity=limit), best, key=faults)

    def _settle(self, units: Sequence[Unit], groups: list[Group], *, capacity: int) -> list[Group]:
        """Move each cut that would part what belongs together, as far as sizes allow it."""
        if len(groups) < 2:
            return groups
        return move_cuts(
            [*map(_tokens_of, units)],
            groups,
            least=self.options.min_tokens,
            capacity=capacity,
            penalty=lambda at: cut_penalty(self.reader, units[at - 1].start, units[at].start),
            heads=[*map(_header_of, units)],
        )

    def _excess(self, units: Sequence[Unit], capacity: int) -> int:
        """The tokens that a group of several units, cut inside a line, has beyond the capacity."""
        total = sum(map(_tokens_of, units))
        if len(units) == 1 or True not in map(_inline_of, units) or total * 8 < capacity * 7:
            return 0
        return self.meter.tokens(units[0].start, units[-1].end) - capacity

    def _lack(self, units: Sequence[Unit]) -> int:
        """The tokens that a group lacks to `min_tokens` when counted, but not by the sum."""
        least = self.options.min_tokens
        return least - self.size(units) if sum(map(_tokens_of, units)) >= least else 0

    def faults(self, groups: Sequence[Sequence[Unit]], capacity: int) -> tuple[int, ...]:
        """How many groups are too small, and too large, how many there are, and what is too much.

        The first of these that differs tells which groups are better.
        """
        small = sum(self.size(group) < self.options.min_tokens for group in groups)
        large = [
            max(self._excess(group, capacity), _total(group) - capacity)
            for group in groups
            if max([_total((unit,)) for unit in group]) <= capacity
        ]
        large = [excess for excess in large if excess > 0]
        return small, len(large), len(groups), sum(large)

    def size(self, units: Sequence[Unit]) -> int:
        """The tokens of neighbouring units, exact where it matters to `min_tokens`.

        Where units join inside a line, their sum may exceed the tokens of the whole.
        """
        total = sum(map(_tokens_of, units))
        return self.size_of((units[0].start, units[-1].end), total, number=len(units))

    def size_of(self, span: tuple[int, int], total: int, *, number: int) -> int:
        """The tokens of `span`: of `number` ranges that have `total` when counted one by one.

        Counted apart, each range, and each heading in it, may have a token or two too many.
        """
        least = self.options.min_tokens
        if not least <= total < 2 * least:
            return total
        number += self.tree.count_headings(*span)
        return self.meter.tokens(*span) if total < least + 2 * number else total

    def without_blanks(self, node: int, spans: Sequence[tuple[int, int]]) -> list[Group]:
        """Group neighbouring ranges of a node's body so that none is blank, or padding of a table.

        Such a one goes to the range before it, the first to that behind it. But spaces in
        front of a line whose text would be too large with them stay alone.
        """
        is_blank, is_padding = self.meter.is_blank, self.reader.is_padding
        starts = [at for at, span in enumerate(spans) if not (is_blank(*span) or is_padding(*span))]
        if not starts:
            return [(0, len(spans))]
        if starts[0] and self._takes_blank_before(node, spans[0][0], spans[starts[0]]):
            starts[0] = 0
        return [*pairwise(dict.fromkeys([0, *starts, len(spans)]))]

    def _takes_blank_before(self, node: int, first: int, span: tuple[int, int]) -> bool:
        """Whether `span` can take the blank bytes from `first` on: `text` has no blank lines."""
        start, end = span
        is_inside_line = self.meter.document.data[start - 1] in b" \t"
        return not is_inside_line or self.meter.fits(first, end, self.room(node))

    def is_over(self, node: int, spans: Sequence[tuple[int, int]], tokens: int) -> bool:
        """Whether the text of ranges of a node's body is over `max_tokens`; they have `tokens`."""
        if tokens <= self.room(node):
            return False
        path, limit, count = path_of(self.tree, node), self.options.max_tokens, self.meter.count
        text = self.reader.normalise(tuple(spans))
        return all(
            count(under_breadcrumb(path, shown, limit=limit, count=count)) > limit
            for shown in self.reader.narrowed(text, spans[0][0], spans[-1][1])
        )

    def is_scattered(self, node: int) -> bool:
        """Whether a body of several ranges, too small for pieces, is over `max_tokens`.

        Source code has such bodies: the statements between many definitions.
        """
        body = self.tree.body(node)
        if len(body) < 2:
            return False
        return self.is_over(node, body, sum([self.meter.tokens(*span) for span in body]))

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


def _total(units: Sequence[Unit]) -> int:
    """The sum of the tokens of a group, and of what it repeats."""
    return sum(map(_tokens_of, units)) + _header_of(units[0])
