"""What lies right below an entered section, gathered into the parts that become chunks.

A section's own blocks and its small children are packed in order; what is under
`min_tokens` then goes to a neighbour that can take it. Sections that are
entered, and h1 sections, stand between: nothing is gathered across them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Literal

from leafmark.chunking.packing import absorb_small
from leafmark.chunking.sizing import Sizes
from leafmark.chunking.splitting import Splitter, Unit
from leafmark.chunking.workshop import Workshop

__all__ = ["Part", "gather"]

_new = tuple.__new__  # half the cost of calling a named tuple's class


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A stretch of an entered node: units of its own text, children, or both, in order."""

    units: list[Unit]
    children: Sequence[int]

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
    sizes: Sizes
    splitter: Splitter
    parts: list[Part] = field(default_factory=list)
    loose: list[Unit] = field(default_factory=list)
    loose_children: list[int | None] = field(default_factory=list)

    def anew(self) -> _Run:
        """An empty run of the same node."""
        return _Run(self.shop, self.sizes, self.splitter)

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

    def role(self, child: int) -> Literal["barrier", "large", "small"]:
        """What a child is among its siblings; a barrier is an h1 section, or one to be entered."""
        tree, sizes, least = self.shop.tree, self.sizes, self.shop.options.min_tokens
        size = sizes.spans[child]
        if tree.depths[child] == 1 and child not in tree.definitions:
            return "barrier"
        if size > sizes.surely_fitting and not sizes.fits(child):
            return "barrier"
        return "small" if size < least or sizes.span(child) < least else "large"

    def add_small(self, children: Sequence[int]) -> None:
        self.loose += map(self._unit, children)
        self.loose_children += children

    def add_large(self, children: Sequence[int]) -> None:
        self.flush()
        self.parts += [Part([self._unit(child)], [child]) for child in children]

    def _unit(self, child: int) -> Unit:
        tree, sizes = self.shop.tree, self.sizes
        tokens = sizes.headings[child] + sizes.spans[child]
        return _new(Unit, (tree.places[child], tree.ends[child], tokens, False, False, 0))

    def overhead(self, part: Part) -> int:
        """What the text of a section near the bound gains when it becomes part of a piece.

        Its heading line; but its title then leaves the breadcrumb.
        """
        if not part.is_child or part.units[0].tokens <= self.splitter.room():
            return 0
        if self.shop.reader.document.reader is not None:
            return 0
        (child,) = part.children
        title = self.shop.tree.titles[child]
        return max(0, self.sizes.headings[child] - self.shop.meter.count(f" › {title}"))


def gather(shop: Workshop, sizes: Sizes, node: int) -> list[Part]:
    """Return the parts of `node`, in order; blank bytes that adjoin none are left out."""
    parts: list[Part] = []
    for run in _runs(shop, sizes, node):
        run.flush()
        parts += _merge(shop, run)
    return parts


def _runs(shop: Workshop, sizes: Sizes, node: int) -> list[_Run]:
    """What lies below the node between barriers, and each barrier as a run of its own."""
    tree, splitter = shop.tree, shop.splitter(node)
    children = [*tree.children(node)]
    runs = [_Run(shop, sizes, splitter)]
    at = 0
    for start, end in tree.body(node):
        upto = bisect_left(children, start, key=tree.places.__getitem__)
        _add_children(runs, children[at:upto])
        runs[-1].add_text(start, end)
        at = upto
    _add_children(runs, children[at:])
    return runs


def _add_children(runs: list[_Run], children: Sequence[int]) -> None:
    """Add neighbouring children; nothing is gathered across an h1 section, or one to be entered."""
    run = runs[-1]
    for role, group in groupby(children, run.role):
        if role == "small":
            runs[-1].add_small([*group])
        elif role == "large":
            runs[-1].add_large([*group])
        else:
            for child in group:
                runs += [run.anew(), run.anew()]
                runs[-2].add_large([child])


def _merge(shop: Workshop, run: _Run) -> list[Part]:
    """Give what is too small to a neighbour."""
    sizes_of_parts, least = [shop.size(part.units) for part in run.parts], shop.options.min_tokens
    alone = [
        run.sizes.span(part.children[0]) if part.is_child and size < 2 * least else size
        for part, size in zip(run.parts, sizes_of_parts, strict=True)
    ]
    if min(alone, default=least) >= least:
        return run.parts
    groups = absorb_small(
        sizes_of_parts,
        least=least,
        capacity=max(run.splitter.room(), run.splitter.capacity + least - 1),
        taken=[run.overhead(part) for part in run.parts],
        alone=alone,
    )
    return [_join(run.parts[first:after]) for first, after in groups]


def _join(parts: Sequence[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    return Part(
        list(chain.from_iterable(part.units for part in parts)),
        list(chain.from_iterable(part.children for part in parts)),
    )
