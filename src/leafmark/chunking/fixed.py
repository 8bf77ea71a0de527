"""`fixed`: windows of the same size that overlap, blind to structure.

The baseline that the other strategies are measured against, and the way to cut
text that has no structure. The windows are pieces of the document; sections are
not emitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking.cutting import byte_length, count_ready, decode_for_cutting
from leafmark.chunking.graphemes import grapheme_boundary, next_boundary
from leafmark.chunking.tokens import take_tokens, token_counter
from leafmark.chunking.workshop import Workshop

__all__ = ["choose_fixed"]

_LONGEST_TOKEN = 64
"""Characters per token beyond which a window's end is not looked for."""


def choose_fixed(shop: Workshop) -> list[int]:
    """Return the document and its windows; a document that fits one window has none."""
    tree, size = shop.tree, len(shop.reader.document.data)
    windows = list(_windows(shop, size))
    if len(windows) < 2:
        tree.bodies[0] = [(0, size)]
        return [0]
    tree.bodies[0] = [(0, windows[0][0])] if windows[0][0] else []
    return [0, *[tree.add_piece(0, window, k) for k, window in enumerate(windows, 1)]]


def _windows(shop: Workshop, size: int) -> Iterator[tuple[int, int]]:
    """The byte ranges of the windows; front matter is before the first one."""
    options = shop.options
    front = shop.reader.document.front_matter
    start = 0 if front is None else min(front.end, size)
    text = _Text(decode_for_cutting(shop.reader.document.data[start:]), options.tokenizer)
    at = end = 0
    while end < len(text.own):
        begun = at
        at, end = text.window(at, end, options.fixed_tokens)
        start += byte_length(text.own[begun:at])
        yield start, start + byte_length(text.own[at:end])
        following = text.stop(at, end, options.fixed_tokens - options.fixed_overlap)
        following = min(following if following > at else next_boundary(text.own, at + 1), end)
        start += byte_length(text.own[at:following])
        at = following


class _Text:
    """The text that windows are cut from."""

    def __init__(self, own: str, tokenizer: str) -> None:
        self.own = own
        self._shown = count_ready(own)
        self._tokenizer = tokenizer

    def window(self, at: int, before: int, limit: int) -> tuple[int, int]:
        """The window from `at` on, that of before having ended at `before`.

        One that would not get further begins later: it shares less, and is not larger.
        """
        longest = limit * _LONGEST_TOKEN
        end = self.stop(at, at + longest, limit)
        while end <= before and at < before:
            at = next_boundary(self.own, at + 1)
            end = self.stop(at, at + longest, limit)
        return at, end if end > at else next_boundary(self.own, at + 1)

    def stop(self, at: int, end: int, limit: int) -> int:
        """Where the graphemes from `at` to `end` come to `limit` tokens; `at` if one has more."""
        stop = at + take_tokens(self._shown[at:end], limit, self._tokenizer)
        boundary = max(at, grapheme_boundary(self.own, stop))
        if boundary == stop:
            return stop
        count = token_counter(self._tokenizer)
        while boundary > at and count(self._shown[at:boundary]) > limit:
            boundary = max(at, grapheme_boundary(self.own, boundary - 1))
        return boundary
