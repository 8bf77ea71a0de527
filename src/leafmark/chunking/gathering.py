"""What lies right below an entered section, gathered into the parts that become chunks.

A section's own blocks and its small children are packed in order; what is under
`min_tokens` then goes to a neighbour that can take it. Sections that are
entered, and h1 sections, stand between: nothing is gathered across them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from leafmark.chunking.packing import absorb_small
from leafmark.chunking.sizing import Sizes
from leafmark.chunking.splitting import Splitter, Unit
from leafmark.chunking.tree import Node, place
from leafmark.chunking.workshop import Workshop

__all__ = ["Part", "gather"]

_new = tuple.__new__  # half the cost of calling a named tuple's class


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A stretch of an entered node: units of its own text, children, or both, in order."""

    units: list[Unit]
    children: list[Node]

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end

    @property
    def is_child(self) -> bool:
        """Whether this is one child and nothing else."""
        return len(self.units) == len(self.children) == 1

    def is_leftover(self, shop: Workshop) -> bool:
        """Whether this is own text, and too little of it to be a piece."""
        return not self.children and shop.size(self.units) < shop.options.min_tokens


@dataclass(slots=True)
class _Run:
    """Parts between two barriers; `loose` are units not packed yet, and the child of each."""

    shop: Workshop
    splitter: Splitter
    parts: list[Part] = field(default_factory=list)
    loose: list[Unit] = field(default_factory=list)
    loose_children: list[Node | None] = field(default_factory=list)

    def flush(self) -> None:
        """Pack the loose units into parts."""
        units, nodes = self.loose, self.loose_children
        for first, after in self.shop.pack(units, self.splitter.capacity):
            children = [child for child in nodes[first:after] if child is not None]
            self.parts.append(Part(units[first:after], children))
        self.loose, self.loose_children = [], []

    def add_text(self, start: int, end: int) -> None:
        """Add own text; blank bytes go to the loose unit before them, if there is one."""
        if not self.shop.meter.is_blank(start, end):
            units = self.splitter.split(start, end)
            self.loose += units
            self.loose_children += [None] * len(units)
        elif self.loose:
            self.loose[-1] = self.loose[-1]._replace(end=end)

    def overhead(self, part: Part, sizes: Sizes) -> int:
        """What the text of a section near the bound gains when it becomes part of a piece.

        Its heading line; but its title then leaves the breadcrumb.
        """
        if not part.is_child or part.units[0].tokens <= self.splitter.room():
            return 0
        if self.shop.reader.document.reader is not None:
            return 0
        (child,) = part.children
        return max(0, sizes.heading(child) - self.shop.meter.count(f" › {child.title}"))


def gather(shop: Workshop, sizes: Sizes, node: Node) -> list[Part]:
    """Return the parts of `node`, in order; blank bytes that adjoin none are left out."""
    parts: list[Part] = []
    for run in _runs(shop, sizes, node):
        run.flush()
        parts += _merge(shop, sizes, run)
    return parts


def _runs(shop: Workshop, sizes: Sizes, node: Node) -> Iterator[_Run]:
    splitter, nodes, least = shop.splitter(node), shop.tree.nodes, shop.options.min_tokens
    headings, spans = sizes.headings, sizes.spans
    run, own = _Run(shop, splitter), deque(node.body)
    for number in sizes.below(node):
        child, size = nodes[number], spans[number]
        start = place(child)
        while own and own[0][0] <= start:
            run.add_text(*own.popleft())
        unit = _new(Unit, (start, child.end, headings[number] + size, False, False, 0))
        if (child.depth == 1 and child.heading_start is not None) or not (
            size <= sizes.surely_fitting or sizes.fits(child)
        ):
            # nothing may be gathered across an h1 section, or one that is entered
            yield run
            yield _Run(shop, splitter, [Part([unit], [child])])
            run = _Run(shop, splitter)
        elif size < least or sizes.span(child) < least:
            run.loose.append(unit)
            run.loose_children.append(child)
        else:
            run.flush()
            run.parts.append(Part([unit], [child]))
    for start, end in own:
        run.add_text(start, end)
    yield run


def _merge(shop: Workshop, sizes: Sizes, run: _Run) -> list[Part]:
    """Give what is too small to a neighbour."""
    sizes_of_parts, least = [shop.size(part.units) for part in run.parts], shop.options.min_tokens
    if min(sizes_of_parts, default=least) >= least:
        return run.parts
    groups = absorb_small(
        sizes_of_parts,
        least=least,
        capacity=run.splitter.capacity,
        taken=[run.overhead(part, sizes) for part in run.parts],
    )
    return [_join(run.parts[first:after]) for first, after in groups]


def _join(parts: Sequence[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return Part(
        list(chain.from_iterable(part.units for part in parts)),
        list(chain.from_iterable(part.children for part in parts)),
    )
