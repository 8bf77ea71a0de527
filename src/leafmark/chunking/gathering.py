"""What lies right below an entered section, gathered into the parts that become chunks.

A section's own blocks and its small children are packed in order; what is under
`min_tokens` then goes to a neighbour that can take it. Sections that are
entered, and h1 sections, stand between: nothing is gathered across them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from leafmark.chunking.packing import absorb_small
from leafmark.chunking.sizing import Sizes
from leafmark.chunking.splitting import Splitter, Unit
from leafmark.chunking.tree import Node, place
from leafmark.chunking.workshop import Workshop

__all__ = ["Part", "gather"]


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
    """Parts between two barriers. `loose` are units not packed yet, each with its child if any."""

    shop: Workshop
    splitter: Splitter
    parts: list[Part] = field(default_factory=list)
    loose: list[tuple[Unit, Node | None]] = field(default_factory=list)

    def flush(self) -> None:
        """Pack the loose units into parts."""
        units = [unit for unit, _ in self.loose]
        for first, after in self.shop.pack(units, self.splitter.capacity):
            taken = self.loose[first:after]
            children = [child for _, child in taken if child is not None]
            self.parts.append(Part([unit for unit, _ in taken], children))
        self.loose.clear()

    def add_text(self, start: int, end: int) -> None:
        """Add own text; blank bytes go to the loose unit before them, if there is one."""
        if not self.shop.meter.is_blank(start, end):
            self.loose += [(unit, None) for unit in self.splitter.split(start, end)]
        elif self.loose:
            unit, child = self.loose[-1]
            self.loose[-1] = unit._replace(end=end), child

    def overhead(self, part: Part, sizes: Sizes) -> int:
        """What the text of a section near the bound gains when it becomes part of a piece.

        Its heading line; but its title then leaves the breadcrumb.
        """
        is_near = part.is_child and part.units[0].tokens > self.splitter.room()
        if not is_near or self.shop.reader.document.reader is not None:
            return 0
        (child,) = part.children
        return max(0, sizes.headings[child] - self.shop.meter.count(f" › {child.title}"))


def gather(shop: Workshop, sizes: Sizes, node: Node) -> list[Part]:
    """Return the parts of `node`, in order; blank bytes that adjoin none are left out."""
    parts: list[Part] = []
    for run in _runs(shop, sizes, node):
        run.flush()
        parts += _merge(shop, sizes, run)
    return parts


def _runs(shop: Workshop, sizes: Sizes, node: Node) -> Iterator[_Run]:
    splitter = shop.splitter(node)
    run = _Run(shop, splitter)
    for start, end, child in _elements(sizes, node):
        if child is None:
            run.add_text(start, end)
            continue
        unit = Unit(start, end, sizes.with_heading(child))
        if _is_barrier(sizes, child):
            yield run
            yield _Run(shop, splitter, [Part([unit], [child])])
            run = _Run(shop, splitter)
        elif sizes.span(child) < shop.options.min_tokens:
            run.loose.append((unit, child))
        else:
            run.flush()
            run.parts.append(Part([unit], [child]))
    yield run


def _elements(sizes: Sizes, node: Node) -> list[tuple[int, int, Node | None]]:
    """The node's own ranges and its children, heading lines included, in order."""
    own: list[tuple[int, int, Node | None]] = [(start, end, None) for start, end in node.body]
    own += [(place(child), child.end, child) for child in sizes.children[node]]
    return sorted(own, key=lambda element: element[0])


def _is_barrier(sizes: Sizes, child: Node) -> bool:
    """Whether nothing may be gathered across the child: it is entered, or an h1 section."""
    is_h1 = child.depth == 1 and child.heading_start is not None
    return is_h1 or not sizes.fits(child)


def _merge(shop: Workshop, sizes: Sizes, run: _Run) -> list[Part]:
    """Give what is too small to a neighbour."""
    groups = absorb_small(
        [shop.size(part.units) for part in run.parts],
        least=shop.options.min_tokens,
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
