"""The sizes of a whole tree in tokens: every byte counted once, added up from the leaves."""

from __future__ import annotations

from dataclasses import dataclass

from leafmark.chunking.tree import Node, place
from leafmark.chunking.workshop import Workshop

__all__ = ["Sizes"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens by node: of its heading line, of its span, of its span as `text`; and its children."""

    shop: Workshop
    headings: dict[Node, int]
    spans: dict[Node, int]
    texts: dict[Node, int]
    children: dict[Node, list[Node]]

    @classmethod
    def measure(cls, shop: Workshop) -> Sizes:
        nodes = shop.tree.nodes
        sizes = cls(
            shop, {}, dict.fromkeys(nodes, 0), dict.fromkeys(nodes, 0), {n: [] for n in nodes}
        )
        for node in reversed(nodes):
            for start, end in node.body:
                sizes._add(node, *shop.raw_and_text_tokens(start, end))
            if node.parent is not None:
                heading = sizes.headings[node] = shop.meter.tokens(place(node), node.start)
                sizes._add(node.parent, sizes.spans[node] + heading, sizes.texts[node] + heading)
                sizes.children[node.parent].append(node)
        for children in sizes.children.values():
            children.reverse()
        return sizes

    def _add(self, node: Node, raw: int, text: int) -> None:
        self.spans[node] += raw
        self.texts[node] += text

    def fits(self, node: Node) -> bool:
        """Whether the node with all below it is within `max_tokens`, breadcrumb included."""
        limit = self.shop.options.max_tokens
        size = self.texts[node]
        return size <= limit and size + self.shop.breadcrumb_room(node) <= limit

    def span(self, node: Node) -> int:
        """The tokens of the node's span, exact where it matters to `min_tokens`.

        Blank lines below a heading line are counted apart from its line end, so
        the sum over a subtree exceeds the whole by at most one for each heading.
        """
        size, least = self.spans[node], self.shop.options.min_tokens
        if least <= size < 2 * least and self.children[node]:
            return self.shop.meter.tokens(node.start, node.end)
        return size

    def with_heading(self, node: Node) -> int:
        """The tokens of the heading line and the span."""
        return self.headings[node] + self.spans[node]
