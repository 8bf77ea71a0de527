"""The state of chunking one document, for all strategies: tree, sizes, and the split of bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from leafmark.chunking.block_regions import BodyReader
from leafmark.chunking.keep_with_next import cut_penalty
from leafmark.chunking.measuring import Meter
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.packing import Division, Group, divide
from leafmark.chunking.splitting import Cutter, Units
from leafmark.chunking.tree import BREADCRUMB_SHARE, GAP, SectionTree, path_of, under_breadcrumb
from leafmark.model import format_breadcrumb

_NEARLY = 32
"""A text within this share of `max_tokens`, or so few tokens, of the bound is counted exactly."""

_MAX_GAIN = 4
"""A text gains fewer tokens without its last line end, or with a slash below a breadcrumb."""


@dataclass(slots=True)
class ChunkingContext:
    """One document and its options: the first argument of the strategies' functions."""

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
        """Return the tokens of `max_tokens` for the breadcrumb, which may have to be shortened."""
        room = self._rooms.get(node)
        if room is None:
            tokens = self.meter.count(format_breadcrumb(path_of(self.tree, node)) + GAP)
            room = min(tokens, self.options.max_tokens // BREADCRUMB_SHARE)
            self._rooms[node] = room
        return room

    def room(self, node: int) -> int:
        """Return the tokens that `max_tokens` leaves to a body of the node or of a piece of it."""
        return self.options.max_tokens - self.breadcrumb_room(node)

    def fits_whole(self, node: int, tokens: int) -> bool:
        """Whether the text of a node with everything below it is within `max_tokens`.

        It has about `tokens`: parts that are counted separately may add up to a little more or
        less than the whole, up to one token more for each node.
        """
        span, room = (self.tree.starts[node], self.tree.ends[node]), self.room(node)
        excess = self.meter.text_tokens(span, tokens=tokens, bound=room) - room
        nodes = self.tree.afters[node] - node
        if excess <= -_MAX_GAIN or excess > max(_NEARLY, room // _NEARLY, nodes):
            return excess <= 0
        shown = format_breadcrumb(path_of(self.tree, node)) + GAP + self.reader.normalise((span,))
        return self.meter.count(shown) <= self.options.max_tokens

    def divide(
        self,
        units: Units,
        capacity: int,
        *,
        solid: Mapping[int, int] | None = None,
        alone: Callable[[int], int | None] | None = None,
    ) -> Division:
        """Divide units into groups, by their exact tokens, with the least penalties for cuts.

        `solid` units join others only if they must; it maps each to the maximum tokens of such a
        group. `alone` returns the tokens of a unit that is a group by itself, or None if its
        tokens are the same there.
        """

        def measure(first: int, after: int) -> int:
            size = alone(first) if alone is not None and after - first == 1 else None
            return self._measure(units, first, after, capacity=capacity) if size is None else size

        starts = units.starts
        return divide(
            units.tokens,
            heads=units.headers,
            least=self.options.min_tokens,
            capacity=capacity,
            solid=solid,
            measure=measure,
            penalty=lambda at: cut_penalty(self.reader, starts[at - 1], starts[at]),
        )

    def _measure(self, units: Units, first: int, after: int, *, capacity: int) -> int:
        """Return the tokens of a group, counted exactly if the sum is close to a bound."""
        total, span = sum(units.tokens[first:after]), (units.starts[first], units.ends[after - 1])
        is_cut = after - first > 1 and True in units.inlines[first:after]
        if is_cut and total * 8 > capacity * 7:
            return self.meter.tokens(*span)
        return self.size_of(span, total, number=after - first)

    def size(self, units: Units) -> int:
        """Return the tokens of neighbouring units, exact near `min_tokens`.

        Where units join inside a line, their sum may exceed the tokens of the whole.
        """
        span = units.starts[0], units.ends[-1]
        return self.size_of(span, sum(units.tokens), number=len(units.starts))

    def size_of(self, span: tuple[int, int], total: int, *, number: int) -> int:
        """Return the tokens of `span`: `number` ranges with a sum of `total` tokens.

        In the sum each range, and each heading in it, may have a token or two too many.
        """
        least = self.options.min_tokens
        if not least <= total < 2 * least:
            return total
        number += self.tree.count_headings(*span)
        return self.meter.tokens(*span) if total < least + 2 * number else total

    def without_blanks(self, node: int, spans: Sequence[tuple[int, int]]) -> list[Group]:
        """Group neighbouring ranges of a node's body so that none is blank.

        A blank range joins the range before it, the first one the range after it. But spaces
        before a line stay alone if its text would be too large with them.
        """
        starts = [at for at, span in enumerate(spans) if not self.meter.is_blank(*span)]
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
        """Whether the text of ranges of a node's body, of `tokens`, is over `max_tokens`."""
        if tokens <= self.room(node):
            return False
        path, limit, count = path_of(self.tree, node), self.options.max_tokens, self.meter.count
        text = self.reader.normalise(tuple(spans))
        return count(under_breadcrumb(path, text, limit=limit, count=count)) > limit

    def is_scattered(self, node: int) -> bool:
        """Whether a body of several ranges, too small for pieces, is over `max_tokens`.

        Source code has such bodies: the statements between many definitions.
        """
        body = self.tree.body(node)
        if len(body) < 2:
            return False
        return self.is_over(node, body, sum([self.meter.tokens(*span) for span in body]))

    def capacity(self, node: int) -> int:
        """Return the target size, in tokens, for the parts of the node's body."""
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
