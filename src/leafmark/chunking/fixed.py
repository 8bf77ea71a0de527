"""`fixed`: windows of the same size that overlap, blind to structure.

The baseline that the other strategies are measured against, and the way to cut
text that has no structure. The windows are pieces of the document; sections are
not emitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking.cutting import byte_length, count_ready, decode_for_cutting
from leafmark.chunking.graphemes import grapheme_boundary, next_boundary
from leafmark.chunking.tokens import take_tokens
from leafmark.chunking.tree import Node
from leafmark.chunking.workshop import Workshop, new_piece

__all__ = ["choose_fixed"]

_LONGEST_TOKEN = 64
"""Characters per token beyond which a window's end is not looked for."""


def choose_fixed(shop: Workshop) -> list[Node]:
    """Return the document and its windows; a document that fits one window has none."""
    root = shop.tree.nodes[0]
    windows = list(_windows(shop, root))
    if len(windows) < 2:
        root.body = [(root.start, root.end)]
        return [root]
    root.body = [(0, windows[0][0])] if windows[0][0] else []
    for node in shop.tree.nodes[1:]:
        node.holder = root
    return [root, *[new_piece(root, window, k) for k, window in enumerate(windows, 1)]]


def _windows(shop: Workshop, root: Node) -> Iterator[tuple[int, int]]:
    """The byte ranges of the windows; front matter is before the first one."""
    options = shop.options
    front = shop.reader.document.front_matter
    start = 0 if front is None else min(front.end, root.end)
    text = decode_for_cutting(shop.reader.document.data[start:])
    shown = count_ready(text)
    at = end = 0
    while end < len(text):
        window = shown[at : at + options.fixed_tokens * _LONGEST_TOKEN]
        taken = take_tokens(window, options.fixed_tokens, options.tokenizer)
        end = _settle(text, at + taken, end)
        yield start, start + byte_length(text[at:end])
        step = options.fixed_tokens - options.fixed_overlap
        following = _settle(text, at + take_tokens(shown[at:end], step, options.tokenizer), at)
        start += byte_length(text[at:following])
        at = min(following, end)


def _settle(text: str, at: int, least: int) -> int:
    """The boundary of graphemes before `at` where that is over `least`, else the next one."""
    boundary = grapheme_boundary(text, at)
    return boundary if boundary > least else next_boundary(text, max(at, least + 1))
