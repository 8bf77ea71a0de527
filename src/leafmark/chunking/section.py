"""`section`: token-bounded chunks, cut from the top down.

A node that fits `max_tokens` is one chunk: the document, otherwise an h1 section,
and so on down. A section that does not fit is entered: its own text and its small
children are gathered into chunks, and its large children are treated the same way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from operator import add, attrgetter, sub
from typing import Literal, NamedTuple

from leafmark.chunking.context import ChunkingContext
from leafmark.chunking.splitting import Cutter, Unit, Units, split
from leafmark.chunking.tree import BREADCRUMB_SHARE, SectionTree, Spans
from leafmark.model import subtract

_SURELY_LARGE = 8
"""A range of more bytes than this for each token of `max_tokens` is not counted."""

_MAX_SHRINKAGE, _MAX_GROWTH = 1.25, 1.04
"""Normalising reduces a text's tokens by less than one factor, or adds less than the other."""

_BLANK = (b"  ", b"\t\t", b" \n", b"\n\n", b"\r\n\r\n")
"""Runs of white space that normalising may remove completely."""

_MOSTLY_BLANK = 4
"""A text so many times too large, counted in characters, does not fit without blanks either."""


_WORTH_A_COUNT = 4
"""A document of more bytes than this for each token of `max_tokens` rarely fits."""


def is_surely_within(context: ChunkingContext) -> bool:
    """Whether the whole document fits `max_tokens`, if one count is enough to decide.

    True only if `Sizes.fits` would be. Parts that are counted separately add at most one
    token each, and never have fewer than the whole.
    """
    tree, limit = context.tree, context.options.max_tokens
    size = tree.ends[0]
    if size > limit * _WORTH_A_COUNT:
        return False
    tokens = context.meter.tokens(0, size)
    most = tokens + sum([len(tree.body(node)) + 1 for node in tree.nodes])
    sure = limit - limit // BREADCRUMB_SHARE
    if most * _MAX_GROWTH <= sure:
        return True
    if tokens * _MAX_GROWTH <= sure or most > limit * _MAX_SHRINKAGE:
        return False
    if most * _MAX_GROWTH <= context.room(0):
        return True
    return context.fits_whole(0, most)


@dataclass(slots=True)
class Sizes:
    """Tokens of the nodes of a tree: of their heading lines, their own text and their spans.

    `wholes` are spans with their heading lines. A range that is far too large for a chunk
    has its bytes for its tokens.
    """

    context: ChunkingContext
    headings: list[int]
    own: list[int]
    spans: list[int]
    wholes: list[int]
    surely_fitting: int
    """A span of so many tokens is within `max_tokens` with any breadcrumb."""

    _fits: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def measure(cls, context: ChunkingContext) -> Sizes:
        """Count every range that is not far too large for a chunk."""
        tree, most = context.tree, context.options.max_tokens * _SURELY_LARGE
        body_ends = [*tree.body_ends]
        for node in tree.bodies:
            body_ends[node] = tree.starts[node]  # counted below
        own = context.meter.counts(tree.starts, body_ends, most_bytes=most)
        for node, body in tree.bodies.items():
            own[node] = sum(context.meter.counts(*_columns(body), most_bytes=most))
        headings = context.meter.counts(tree.places, tree.starts)
        totals = [*accumulate(map(add, headings, own), initial=0)]
        wholes = [*map(sub, map(totals.__getitem__, tree.afters), totals)]
        spans = [*map(sub, wholes, headings)]
        return cls(context, headings, own, spans, wholes, int(context.sure_room / _MAX_GROWTH))

    def fits(self, node: int) -> bool:
        """Whether the text of the node with everything below it is within `max_tokens`."""
        fits = self._fits.get(node)
        if fits is None:
            fits = self._fits[node] = self._find_fit(node)
        return fits

    def _find_fit(self, node: int) -> bool:
        context, size = self.context, self.spans[node]
        limit = context.options.max_tokens
        if size > limit * _MAX_SHRINKAGE and not self._may_have_less_text(node):
            return False
        if size <= self.surely_fitting:
            return True
        if size * _MAX_GROWTH <= context.room(node):
            return True
        return context.fits_whole(node, size)

    def _may_have_less_text(self, node: int) -> bool:
        """Whether the text may be much smaller than the source: without markup, or without blanks.

        For a page, only if every child fits: a child that is too large makes its parent too
        large, so that the parent need not be counted as text.
        """
        tree, meter, size = self.context.tree, self.context.meter, self.spans[node]
        if tree.document.format == "html":
            return all(map(self.fits, tree.children(node)))
        most = self.context.options.max_tokens * _MAX_SHRINKAGE
        if size > most * _MOSTLY_BLANK or meter.count("    ") < 4:
            return False
        raw = meter.raw(tree.starts[node], tree.ends[node])
        blank = sum([len(run) * raw.count(run) for run in _BLANK])
        return size * (len(raw) - blank) <= most * len(raw)

    def span(self, node: int) -> int:
        """Return the tokens of the node's span, exact near `min_tokens`.

        Blank lines below a heading line are counted separately from its line end, so
        the sum over a subtree exceeds the whole by at most one for each heading.
        """
        tree, least, size = self.context.tree, self.context.options.min_tokens, self.spans[node]
        if least <= size < 2 * least and tree.afters[node] > node + 1:
            return self.context.meter.tokens(tree.starts[node], tree.ends[node])
        return size


def _columns(spans: Spans) -> tuple[list[int], list[int]]:
    """Return the starts and the ends of ranges."""
    return [start for start, _ in spans], [end for _, end in spans]


_is_child = attrgetter("is_child")

_Role = Literal["barrier", "large", "small"]
"""The role of a child among its siblings; a barrier is an h1 section, or a section to enter."""


@dataclass(slots=True, eq=False)
class _Members:
    """Units of a node's own text and its children, in order, in columns.

    Own text has the role of a small child, and 0, the document, for its child. Blank bytes
    after the last unit are added to it.
    """

    context: ChunkingContext
    sizes: Sizes
    node: int
    cutter: Cutter
    units: Units = field(default_factory=lambda: Units.plain([], [], []))
    children: list[int] = field(default_factory=list)
    roles: list[_Role] = field(default_factory=list)

    def add_text(self, start: int, end: int) -> None:
        """Add own text; blank bytes join the unit before them, if any."""
        if self.context.meter.is_blank(start, end):
            if self.units.ends:
                self.units.ends[-1] = end
            return
        self._insert(len(self.roles), split(self.cutter, start, end))

    def add_first(self, start: int, end: int, tokens: int) -> None:
        """Insert own text at the beginning; it stays whole if it fits a part with small members."""
        if self.context.meter.is_blank(start, end):
            return
        roles = enumerate(self.roles)
        loose = next((index for index, role in roles if role != "small"), len(self.roles))
        if tokens + sum(self.units.tokens[:loose]) <= self.cutter.capacity:
            self._insert(0, Units.of([Unit(start, end, tokens)]))
        else:
            self._insert(0, split(self.cutter, start, end))

    def _insert(self, at: int, units: Units) -> None:
        """Insert units of own text before member `at`."""
        self.units.insert(at, units)
        self.children[at:at] = [0] * len(units.starts)
        self.roles[at:at] = ["small"] * len(units.starts)

    def add_children(self, children: Sequence[int]) -> None:
        tree, sizes = self.context.tree, self.sizes
        spans = [*map(sizes.spans.__getitem__, children)]
        columns = tree.places, tree.ends, sizes.wholes
        places = [[*map(column.__getitem__, children)] for column in columns]
        self.units.insert(len(self.roles), Units.plain(*places))
        self.children += children
        small, depths = min(self.context.options.min_tokens, sizes.surely_fitting), tree.depths
        self.roles += [
            "small" if size < small and depths[child] > 1 else self._role(child, size)
            for child, size in zip(children, spans, strict=True)
        ]

    def _role(self, child: int, size: int) -> _Role:
        tree, sizes, least = self.context.tree, self.sizes, self.context.options.min_tokens
        if tree.depths[child] == 1 and child not in tree.definitions:
            return "barrier"
        if size > sizes.surely_fitting and not sizes.fits(child):
            return "barrier"
        return "small" if size < least or sizes.span(child) < least else "large"

    def divide(self, first: int, after: int) -> list[Part]:
        """Divide members into parts; a large child joins neighbours only if it must."""
        if after - first == 1:
            return [self.part(first, after)]
        most = self.cutter.room() + self.context.options.min_tokens - 1
        large = [at - first for at in range(first, after) if self.roles[at] == "large"]
        packing = self.context.divide(
            self.units.between(first, after),
            self.cutter.capacity,
            solid=dict.fromkeys(large, most),
            alone=lambda at: self._alone(first + at),
        )
        return [self.part(first + begin, first + end) for begin, end in packing.groups]

    def _alone(self, index: int) -> int | None:
        """Return the tokens of a child by itself, without its heading line."""
        child = self.children[index]
        return self.sizes.span(child) if child else None

    def part(self, first: int, after: int) -> Part:
        """Return neighbouring members as one part."""
        start, end = self.units.starts[first], self.units.ends[after - 1]
        tokens = sum(self.units.tokens[first:after])
        size = self.context.size_of((start, end), tokens, number=after - first)
        return Part(self, first, after, start, end, tokens, size)

    def without_blanks(self, parts: list[Part]) -> list[Part]:
        """Join blank own text with a neighbouring part that is not a single child."""
        whole: list[Part] = []
        for is_child, run in groupby(parts, key=_is_child):
            same = [*run]
            if not is_child:
                spans = [(part.start, part.end) for part in same]
                groups = self.context.without_blanks(self.node, spans)
                same = [self.part(same[a].first, same[b - 1].after) for a, b in groups]
            whole += same
        return whole


class Part(NamedTuple):
    """A part of an entered node: units of its own text, children, or both, in order.

    `size` is its tokens, exact near `min_tokens`.
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
        """Whether this is a single child."""
        return self.after - self.first == 1 and self.members.children[self.first] > 0

    @property
    def is_leftover(self) -> bool:
        """Whether this is own text that is too small for a piece."""
        if any(self.members.children[self.first : self.after]):
            return False
        return self.size < self.members.context.options.min_tokens

    @property
    def is_oversize(self) -> bool:
        """Whether one block that cannot be cut takes the text over `max_tokens`."""
        members = self.members
        if True not in members.units.wholes[self.first : self.after]:
            return False
        return members.context.is_over(members.node, [(self.start, self.end)], self.tokens)


def gather(context: ChunkingContext, sizes: Sizes, node: int) -> list[Part]:
    """Return the parts of `node`, in order, without blank bytes that adjoin no part."""
    members = _members(context, sizes, node)
    parts: list[Part] = []
    at = 0
    for is_barrier, run in groupby(members.roles, key="barrier".__eq__):
        after = at + len([*run])
        if is_barrier:
            parts += [members.part(index, index + 1) for index in range(at, after)]
        else:
            parts += members.divide(at, after)
        at = after
    return members.without_blanks(parts)


def _members(context: ChunkingContext, sizes: Sizes, node: int) -> _Members:
    tree = context.tree
    members = _Members(context, sizes, node, context.cutter(node))
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


def choose_section(context: ChunkingContext) -> list[int]:
    """Return the nodes and pieces that become chunks, in pre-order."""
    tree, size = context.tree, context.tree.ends[0]
    most = context.options.max_tokens
    if (size <= most and size + context.breadcrumb_room(0) <= most) or is_surely_within(context):
        return [_whole(tree, 0)]
    sizes = Sizes.measure(context)
    if sizes.fits(0):
        return [_whole(tree, 0)]
    emitted, entered = [0], [0]
    while entered:
        below = list(_enter(context, sizes, entered.pop()))
        emitted += below
        entered += [child for child in below if child not in tree.pieces and not sizes.fits(child)]
    return sorted(emitted, key=tree.places.__getitem__)


def _whole(tree: SectionTree, node: int) -> int:
    """Return the node, with everything below it as its body."""
    tree.body_ends[node] = tree.ends[node]
    if node in tree.bodies:
        tree.bodies[node] = [(tree.starts[node], tree.ends[node])]
    return node


def _enter(context: ChunkingContext, sizes: Sizes, node: int) -> Iterator[int]:
    """Yield the chunks right below a node that does not fit, in order.

    Its own text stays its body if it is a single chunk, or if it is too small for
    one and not next to one.
    """
    parts = gather(context, sizes, node)
    own = [part for part in parts if not part.is_child]
    solid = [part for part in own if not part.is_leftover]
    tree, body = context.tree, context.tree.body(node)
    is_body = len(solid) == 1 and _is_body(context, node, solid[0], own=own)
    if is_body and solid[0].is_oversize:
        tree.oversize.add(node)
    cut = set() if is_body else _with_neighbours(parts, solid)
    number = 0
    for part in parts:
        if part.is_child:
            yield _child(context, sizes, part)
        elif part in cut:
            number += 1
            yield _piece(context, node, part, number=number)
    pieces = [(part.start, part.end) for part in parts if part in cut]
    if pieces:
        body = tree.bodies[node] = [rest for span in body for rest in subtract(*span, pieces)]
    if len(cut) < len(own) and not is_body:
        _mark_leftovers(context, node, body)


def _with_neighbours(parts: Sequence[Part], solid: Sequence[Part]) -> set[Part]:
    """Return the parts of own text that are pieces, and the parts next to them."""
    runs = [[*run] for is_child, run in groupby(parts, key=_is_child) if not is_child]
    pieces = {*solid}
    return {part for run in runs if not pieces.isdisjoint(run) for part in run}


def _mark_leftovers(context: ChunkingContext, node: int, body: Spans) -> None:
    """Mark a body of leftovers between children as too small or too large."""
    if 0 < context.meter.joined_tokens(body) < context.options.min_tokens:
        context.tree.undersize.add(node)
    elif context.is_scattered(node):
        context.tree.oversize.add(node)


def _is_body(context: ChunkingContext, node: int, piece: Part, *, own: Sequence[Part]) -> bool:
    """Whether the only piece of a node, with all leftovers, can be its body instead."""
    if piece.children:
        return False
    bound = piece.size if piece.is_oversize else context.room(node)
    total = sum([part.size for part in own])
    return len(own) == 1 or total < bound + context.options.min_tokens


def _child(context: ChunkingContext, sizes: Sizes, part: Part) -> int:
    """Return a section by itself: whole if it fits, otherwise to be entered."""
    (child,) = part.children
    if sizes.fits(child):
        if sizes.span(child) < context.options.min_tokens:
            context.tree.undersize.add(child)
        _whole(context.tree, child)
    return child


def _piece(context: ChunkingContext, node: int, part: Part, *, number: int) -> int:
    piece = context.tree.add_piece(node, (part.start, part.end), number)
    if part.is_oversize:
        context.tree.oversize.add(piece)
    least = context.options.min_tokens
    if part.size < least and context.meter.tokens(part.start, part.end) < least:  # with blank lines
        context.tree.undersize.add(piece)
    children = part.children
    if children:
        context.tree.covers[piece] = children
    return piece
