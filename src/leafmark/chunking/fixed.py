"""`fixed`: windows of the same size that overlap, blind to structure.

The baseline that the other strategies are measured against, and the way to cut
text that has no structure. The windows are pieces of the document; sections are
not emitted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from leafmark.chunking.cutting import byte_length, count_ready, decode_for_cutting
from leafmark.chunking.graphemes import grapheme_boundary, next_boundary
from leafmark.chunking.spans import subtract
from leafmark.chunking.tokens import take_tokens, token_counter
from leafmark.chunking.tree import Spans
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
    """The byte ranges of the windows; front matter is before the first one.

    They are cut from what is left of the source: what is dropped takes no room.
    """
    options, document = shop.options, shop.reader.document
    start = 0 if document.front_matter is None else min(document.front_matter.end, size)
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    kept = [*subtract(start, size, dropped)]
    begins = [0, *accumulate(after - first for first, after in kept)]
    raw = b"".join([document.data[first:after] for first, after in kept])
    text = _Text(decode_for_cutting(raw), options.tokenizer)
    at = end = begin = 0
    while end < len(text.own):
        begun = at
        at, end = text.window(at, end, options.fixed_tokens)
        begin += byte_length(text.own[begun:at])
        last = begin + byte_length(text.own[at:end]) - 1
        yield _place(begin, kept, begins), _place(last, kept, begins) + 1
        following = text.stop(at, end, options.fixed_tokens - options.fixed_overlap)
        following = min(following if following > at else next_boundary(text.own, at + 1), end)
        begin += byte_length(text.own[at:following])
        at = following


def _place(offset: int, kept: Spans, begins: Sequence[int]) -> int:
    """Where in the source a byte of the ranges `kept`, put together, stands."""
    number = bisect_right(begins, offset) - 1
    return kept[number][0] + offset - begins[number]


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
