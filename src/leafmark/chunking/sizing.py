"""The sizes of a whole tree in tokens: every byte counted once, added up from the leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from operator import add, sub

from leafmark.chunking.breadcrumbs import BREADCRUMB_SHARE
from leafmark.chunking.tree import Spans
from leafmark.chunking.workshop import Workshop

__all__ = ["Sizes", "is_surely_within"]

_SURELY_LARGE = 8
"""A body of more bytes than this for each token of `max_tokens` is not counted as a whole."""

_NORMALISED = 1.25
"""Normalising changes the tokens of a text by less than this factor, if those of a model."""

_BLANK = (b"  ", b"\t\t", b" \n", b"\n\n", b"\r\n\r\n")
"""White space that may be left out, in all its length."""

_MOSTLY_BLANK = 4
"""What is so many times too large, counted in characters, does not fit without blanks either."""


_WORTH_A_COUNT = 4
"""A document of more bytes than this for each token of `max_tokens` hardly fits."""


def is_surely_within(shop: Workshop) -> bool:
    """Whether the whole document fits `max_tokens`, where one count is enough to tell.

    Says yes only where `Sizes.fits` would. Parts that are counted apart add one
    token each at most, and never have less than the whole.
    """
    tree, limit = shop.tree, shop.options.max_tokens
    size = tree.ends[0]
    if size > limit * _WORTH_A_COUNT:
        return False
    tokens = shop.meter.tokens(0, size)
    most = tokens + sum([len(tree.body(node)) + 1 for node in tree.nodes])
    sure = limit - limit // BREADCRUMB_SHARE
    if most * _NORMALISED <= sure:
        return True
    if tokens * _NORMALISED <= sure or most > limit * _NORMALISED:
        return False
    if most * _NORMALISED <= shop.room(0):
        return True
    return shop.fits_whole(0, most)


@dataclass(slots=True)
class Sizes:
    """Tokens of the nodes of a tree: of their heading lines, their own text and their spans.

    `wholes` are spans with their heading lines. For what is far too large for a chunk
    these are its bytes.
    """

    shop: Workshop
    headings: list[int]
    own: list[int]
    spans: list[int]
    wholes: list[int]
    surely_fitting: int
    """The tokens of a span that is within `max_tokens`, whatever its breadcrumb."""

    _fits: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def measure(cls, shop: Workshop) -> Sizes:
        """Count all there is, but a range that is far too large for a chunk."""
        tree, most = shop.tree, shop.options.max_tokens * _SURELY_LARGE
        body_ends = [*tree.body_ends]
        for node in tree.bodies:
            body_ends[node] = tree.starts[node]  # counted below
        own = shop.meter.counts(tree.starts, body_ends, most_bytes=most)
        for node, body in tree.bodies.items():
            own[node] = sum(shop.meter.counts(*_columns(body), most_bytes=most))
        headings = shop.meter.counts(tree.places, tree.starts)
        totals = [*accumulate(map(add, headings, own), initial=0)]
        wholes = [*map(sub, map(totals.__getitem__, tree.afters), totals)]
        spans = [*map(sub, wholes, headings)]
        return cls(shop, headings, own, spans, wholes, int(shop.sure_room / _NORMALISED))

    def fits(self, node: int) -> bool:
        """Whether the node with all below it is within `max_tokens`, as `text` has it."""
        found = self._fits.get(node)
        if found is None:
            found = self._fits[node] = self._find_fit(node)
        return found

    def _find_fit(self, node: int) -> bool:
        shop, size = self.shop, self.spans[node]
        limit = shop.options.max_tokens
        if size > limit * _NORMALISED and not self._may_have_less_text(node):
            return False
        if size <= self.surely_fitting:
            return True
        if size * _NORMALISED <= shop.room(node):
            return True
        return shop.fits_whole(node, size)

    def _may_have_less_text(self, node: int) -> bool:
        """Whether the text may be much smaller than the source: without markup, or without blanks.

        Of a page that may be where all below the node fits: what is too large below is too
        large here, and is not counted as text again.
        """
        tree, meter, size = self.shop.tree, self.shop.meter, self.spans[node]
        if tree.document.format == "html":
            return all(map(self.fits, tree.children(node)))
        most = self.shop.options.max_tokens * _NORMALISED
        if size > most * _MOSTLY_BLANK or meter.count("    ") < 4:
            return False
        raw = meter.raw(tree.starts[node], tree.ends[node])
        blank = sum([len(run) * raw.count(run) for run in _BLANK])
        return size * (len(raw) - blank) <= most * len(raw)

    def span(self, node: int) -> int:
        """The tokens of the node's span, exact where it matters to `min_tokens`.

        Blank lines below a heading line are counted apart from its line end, so
        the sum over a subtree exceeds the whole by at most one for each heading.
        """
        tree, least, size = self.shop.tree, self.shop.options.min_tokens, self.spans[node]
        if least <= size < 2 * least and tree.afters[node] > node + 1:
            return self.shop.meter.tokens(tree.starts[node], tree.ends[node])
        return size


def _columns(spans: Spans) -> tuple[list[int], list[int]]:
    """Where ranges start, and where they end."""
    return [start for start, _ in spans], [end for _, end in spans]
