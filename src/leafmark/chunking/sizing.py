"""The sizes of a whole tree in tokens: every byte counted once, added up from the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from leafmark.chunking.rendering import BREADCRUMB_SHARE
from leafmark.chunking.tree import Node, place
from leafmark.chunking.workshop import Workshop

__all__ = ["Sizes", "is_surely_within"]

_SURELY_LARGE = 8
"""A body of more bytes than this for each token of `max_tokens` is not counted as a whole."""

_NORMALISED = 1.25
"""Normalising changes the tokens of a text by less than this factor."""


_WORTH_A_COUNT = 4
"""A document of more bytes than this for each token of `max_tokens` hardly fits."""


def is_surely_within(shop: Workshop) -> bool:
    """Whether the whole document fits `max_tokens`, where one count is enough to tell.

    Says yes only where `Sizes.fits` would. Parts that are counted apart add one
    token each at most, and never have less than the whole.
    """
    nodes, limit = shop.tree.nodes, shop.options.max_tokens
    root = nodes[0]
    if root.end - root.start > limit * _WORTH_A_COUNT:
        return False
    tokens = shop.meter.tokens(root.start, root.end)
    most = tokens + sum([len(node.body) + 1 for node in nodes])
    sure = limit - limit // BREADCRUMB_SHARE
    if most * _NORMALISED <= sure:
        return True
    if tokens * _NORMALISED <= sure or most > limit * _NORMALISED:
        return False
    limit -= shop.breadcrumb_room(root)
    if most * _NORMALISED <= limit:
        return True
    return shop.fits_whole(root, most)


@dataclass(slots=True)
class Sizes:
    """Tokens of the nodes of a tree, by number: of their heading lines and of their spans."""

    shop: Workshop
    headings: list[int]
    spans: list[int]
    children: dict[int, list[int]]
    """The numbers of the nodes right below a node, in order; none for one with none."""

    surely_fitting: int
    """The tokens of a span that is within `max_tokens`, whatever its breadcrumb."""

    _numbers: dict[Node | None, int]
    _fits: dict[Node, bool] = field(default_factory=dict)

    @classmethod
    def measure(cls, shop: Workshop) -> Sizes:
        """Count all there is, but a range that is far too large for a chunk: of that, the bytes."""
        nodes, most = shop.tree.nodes, shop.options.max_tokens * _SURELY_LARGE
        bodies = [span for node in nodes for span in node.body]
        totals = [0, *accumulate(shop.meter.counts(bodies, most_bytes=most))]
        ends = [*accumulate([len(node.body) for node in nodes])]
        spans = [totals[end] - totals[first] for first, end in pairwise([0, *ends])]
        lines = [(place(node), node.start) for node in nodes]
        headings = shop.meter.counts(lines, most_bytes=lines[-1][1])
        numbers: dict[Node | None, int] = dict(zip(nodes, range(len(nodes)), strict=True))
        parents = [numbers[node.parent] for node in nodes[1:]]
        children: dict[int, list[int]] = {}
        for number in range(len(nodes) - 1, 0, -1):
            parent = parents[number - 1]
            spans[parent] += spans[number] + headings[number]
        for number, parent in enumerate(parents, 1):
            if parent in children:
                children[parent].append(number)
            else:
                children[parent] = [number]
        return cls(shop, headings, spans, children, int(shop.sure_room / _NORMALISED), numbers)

    def below(self, node: Node) -> Sequence[int]:
        """The numbers of the nodes right below, in order."""
        return self.children.get(self._numbers[node], ())

    def fits(self, node: Node) -> bool:
        """Whether the node with all below it is within `max_tokens`, as `text` has it."""
        found = self._fits.get(node)
        if found is None:
            found = self._fits[node] = self._find_fit(node)
        return found

    def _find_fit(self, node: Node) -> bool:
        shop, size = self.shop, self.spans[self._numbers[node]]
        limit = shop.options.max_tokens
        if size > limit * _NORMALISED and not self._may_have_less_text(node):
            return False
        if size <= self.surely_fitting:
            return True
        limit -= shop.breadcrumb_room(node)
        if size * _NORMALISED <= limit:
            return True
        return shop.fits_whole(node, size)

    def _may_have_less_text(self, node: Node) -> bool:
        """Whether markup weighs what the text may not: in pages, where all below the node fits.

        What is too large below is too large here, and is not counted as text again.
        """
        if self.shop.reader.document.format != "html":
            return False
        nodes = self.shop.tree.nodes
        return all(self.fits(nodes[child]) for child in self.below(node))

    def span(self, node: Node) -> int:
        """The tokens of the node's span, exact where it matters to `min_tokens`.

        Blank lines below a heading line are counted apart from its line end, so
        the sum over a subtree exceeds the whole by at most one for each heading.
        """
        number, least = self._numbers[node], self.shop.options.min_tokens
        size = self.spans[number]
        if least <= size < 2 * least and number in self.children:
            return self.shop.meter.tokens(node.start, node.end)
        return size

    def heading(self, node: Node) -> int:
        """The tokens of the heading line."""
        return self.headings[self._numbers[node]]
