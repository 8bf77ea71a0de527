"""What lies right below an entered section, gathered into the parts that become chunks.

A section's own blocks and its small children are packed in order; what is under
`min_tokens` then goes to a neighbour that can take it. Sections that are
entered, and h1 sections, stand between: nothing is gathered across them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from leafmark.chunking.packing import Group, absorb_small, pack
from leafmark.chunking.sizing import Sizes
from leafmark.chunking.splitting import split
from leafmark.chunking.units import Cutter, Unit
from leafmark.chunking.workshop import Workshop

__all__ = ["Part", "gather"]

_is_whole = attrgetter("whole")
_is_child = attrgetter("is_child")

_Role = Literal["barrier", "large", "small"]
"""What a child is among its siblings; a barrier is an h1 section, or one to be entered."""


@dataclass(slots=True, eq=False)
class _Members:
    """What lies right below a node, in columns: units of its own text, and its children, in order.

    Own text has the role of a small child, and 0, the document, for its child. Blank bytes
    that follow are added to the last of `ends`.
    """

    shop: Workshop
    sizes: Sizes
    node: int
    cutter: Cutter
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    texts: list[Unit | None] = field(default_factory=list)
    roles: list[_Role] = field(default_factory=list)

    def add_text(self, start: int, end: int) -> None:
        """Add own text; blank bytes go to what is before them, if there is something."""
        if self.shop.meter.is_blank(start, end):
            if self.ends:
                self.ends[-1] = end
            return
        self._insert(len(self.roles), split(self.cutter, start, end))

    def add_first(self, start: int, end: int, tokens: int) -> None:
        """Put own text before all else; it is not split if it fits one part with what follows."""
        if self.shop.meter.is_blank(start, end):
            return
        roles = enumerate(self.roles)
        loose = next((index for index, role in roles if role != "small"), len(self.roles))
        if tokens + sum(self.tokens[:loose]) <= self.cutter.capacity:
            self._insert(0, [Unit(start, end, tokens)])
        else:
            self._insert(0, split(self.cutter, start, end))

    def _insert(self, at: int, units: Sequence[Unit]) -> None:
        """Put units of own text before member `at`."""
        self.starts[at:at] = [unit.start for unit in units]
        self.ends[at:at] = [unit.end for unit in units]
        self.tokens[at:at] = [unit.tokens for unit in units]
        self.children[at:at] = [0] * len(units)
        self.texts[at:at] = units
        self.roles[at:at] = ["small"] * len(units)

    def add_children(self, children: Sequence[int]) -> None:
        tree, sizes = self.shop.tree, self.sizes
        spans = [*map(sizes.spans.__getitem__, children)]
        self.starts += map(tree.places.__getitem__, children)
        self.ends += map(tree.ends.__getitem__, children)
        self.tokens += map(sizes.wholes.__getitem__, children)
        self.children += children
        self.texts += [None] * len(children)
        small, depths = min(self.shop.options.min_tokens, sizes.surely_fitting), tree.depths
        self.roles += [
            "small" if size < small and depths[child] > 1 else self._role(child, size)
            for child, size in zip(children, spans, strict=True)
        ]

    def _role(self, child: int, size: int) -> _Role:
        tree, sizes, least = self.shop.tree, self.sizes, self.shop.options.min_tokens
        if tree.depths[child] == 1 and child not in tree.definitions:
            return "barrier"
        if size > sizes.surely_fitting and not sizes.fits(child):
            return "barrier"
        return "small" if size < least or sizes.span(child) < least else "large"

    def pack(self, first: int, after: int) -> list[Part]:
        """Pack what is small into parts."""
        capacity = self.cutter.capacity
        if any(self.texts[first:after]):
            units = [self._unit(index) for index in range(first, after)]
            groups = self.shop.pack(units, capacity)
        else:
            groups = pack(self.tokens[first:after], capacity)
        parts = [self.part(first + begin, first + end) for begin, end in groups]
        if len(parts) == 1 or min([part.size for part in parts]) >= self.shop.options.min_tokens:
            return parts
        merged = self.merge(parts)
        over = self._count_over(merged)
        divided = self._divided(merged, first, after) if over else parts
        return divided if over and self._count_over(self.merge(divided)) < over else parts

    def _count_over(self, parts: Sequence[Part]) -> int:
        """How many parts are over the bound, but not for one block that cannot be cut."""
        room = self.cutter.room()
        return sum(part.tokens > room and not part.is_oversize for part in parts)

    def _divided(self, parts: Sequence[Part], first: int, after: int) -> list[Part]:
        """Divide members that were put into `parts` so that fewer are too large or too small."""
        units = [self._unit(index) for index in range(first, after)]
        groups = [(part.first - first, part.after - first) for part in parts]
        found = self.shop.divide(units, groups, self.cutter.capacity)
        return [self.part(first + begin, first + end) for begin, end in found]

    def part(self, first: int, after: int) -> Part:
        """Make one part of neighbouring members."""
        start, end = self.starts[first], self.ends[after - 1]
        tokens = sum(self.tokens[first:after])
        size = self.shop.size_of((start, end), tokens, number=after - first)
        return Part(self, first, after, start, end, tokens, size)

    def _unit(self, index: int) -> Unit:
        unit, end = self.texts[index], self.ends[index]
        if unit is None:
            return Unit(self.starts[index], end, self.tokens[index])
        return unit if unit.end == end else unit._replace(end=end)

    def merge(self, parts: list[Part]) -> list[Part]:
        """Give what is too small to a neighbour."""
        sizes, least = [part.size for part in parts], self.shop.options.min_tokens
        alone = [
            self.sizes.span(self.children[part.first]) if part.is_child else size
            for part, size in zip(parts, sizes, strict=True)
        ]
        if min(alone, default=least) >= least:
            return parts
        room = self.cutter.room()
        groups = absorb_small(
            sizes,
            least=least,
            capacity=max(room, self.cutter.capacity + least - 1),
            most=room + least - 1,
            taken=[self._overhead(part) for part in parts],
            alone=alone,
        )
        return self._joined(parts, groups)

    def without_blanks(self, parts: list[Part]) -> list[Part]:
        """Give own text that is blank to a neighbour that is not one child and nothing else."""
        found: list[Part] = []
        for is_child, run in groupby(parts, key=_is_child):
            same = [*run]
            if not is_child:
                spans = [(part.start, part.end) for part in same]
                groups = self.shop.without_blanks(self.node, spans)
                same = self._joined(same, groups)
            found += same
        return found

    def _joined(self, parts: list[Part], groups: Sequence[Group]) -> list[Part]:
        """Make one part of each group of neighbours."""
        return [self.part(parts[a].first, parts[b - 1].after) for a, b in groups]

    def _overhead(self, part: Part) -> int:
        """The tokens by which a section near the bound grows when it becomes part of a piece.

        It gains its heading line, and its title leaves the breadcrumb. Code stays indented.
        """
        shop, room = self.shop, self.cutter.room()
        document = shop.reader.document
        if not part.is_child or part.tokens <= room:
            return 0
        if document.format == "script":
            return part.tokens - room
        (child,) = part.children
        less = shop.breadcrumb_room(child) - shop.breadcrumb_room(self.node)
        return max(0, self.sizes.headings[child] - less)


class Part(NamedTuple):
    """A stretch of an entered node: units of its own text, children, or both, in order.

    `size` is its tokens, exact where it matters to `min_tokens`.
    """

    members: _Members
    first: int
    after: int
    start: int
    end: int
    tokens: int
    size: int

    @property
    def children(self) -> list[int]:
        return [*filter(None, self.members.children[self.first : self.after])]

    @property
    def is_child(self) -> bool:
        """Whether this is one child and nothing else."""
        return self.after - self.first == 1 and self.members.children[self.first] > 0

    @property
    def is_leftover(self) -> bool:
        """Whether this is own text, and too little of it to be a piece."""
        if any(self.members.children[self.first : self.after]):
            return False
        return self.size < self.members.shop.options.min_tokens

    @property
    def is_oversize(self) -> bool:
        """Whether one block that cannot be cut takes the text over `max_tokens`."""
        members = self.members
        units = filter(None, members.texts[self.first : self.after])
        if True not in map(_is_whole, units):
            return False
        return members.shop.is_over(members.node, [(self.start, self.end)], self.tokens)


def gather(shop: Workshop, sizes: Sizes, node: int) -> list[Part]:
    """Return the parts of `node`, in order; blank bytes that adjoin none are left out."""
    members = _members(shop, sizes, node)
    parts: list[Part] = []
    run: list[Part] = []
    at = 0
    for role, group in groupby(members.roles):
        after = at + len([*group])
        if role == "small":
            run += members.pack(at, after)
        elif role == "large":
            run += [members.part(index, index + 1) for index in range(at, after)]
        else:
            parts += members.merge(run)
            parts += [members.part(index, index + 1) for index in range(at, after)]
            run = []
        at = after
    return members.without_blanks(parts + members.merge(run))


def _members(shop: Workshop, sizes: Sizes, node: int) -> _Members:
    tree = shop.tree
    members = _Members(shop, sizes, node, shop.cutter(node))
    children = tree.children(node)
    if node not in tree.bodies:
        members.add_children(children)
        members.add_first(tree.starts[node], tree.body_ends[node], sizes.own[node])
        return members
    at = 0
    for start, end in tree.body(node):
        upto = bisect_left(children, start, key=tree.places.__getitem__)
        members.add_children(children[at:upto])
        members.add_text(start, end)
        at = upto
    members.add_children(children[at:])
    return members
