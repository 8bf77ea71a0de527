"""`fixed`: windows of the same size that overlap, blind to structure.

The baseline that the other strategies are measured against, and the way to cut
text that has no structure. The windows are pieces of the document; sections are
not emitted. In pages and notebooks a window is so much of what is read there.
"""

from __future__ import annotations

from collections.abc import Iterator

from leafmark.chunking.cutting import byte_length, count_ready, decode_for_cutting
from leafmark.chunking.document_text import DocumentText
from leafmark.chunking.graphemes import grapheme_boundary, next_boundary
from leafmark.chunking.options import ChunkingOptions
from leafmark.chunking.tokens import LONGEST_TOKEN, Prefixes, token_counter
from leafmark.chunking.workshop import Workshop

__all__ = ["choose_fixed"]


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
    document, document_text = shop.reader.document, shop.reader.document_text
    if document_text is not None:
        text = _Read(document_text, shop.options)
        return (text.span(*window) for window in text.windows())
    start = 0 if document.front_matter is None else min(document.front_matter.end, size)
    return _byte_ranges(_Text(decode_for_cutting(document.data[start:]), shop.options), start)


def _byte_ranges(text: _Text, begin: int) -> Iterator[tuple[int, int]]:
    """The ranges of the windows of a text that begins at the byte `begin`."""
    begun = 0
    for at, end in text.windows():
        begin += byte_length(text.own[begun:at])
        begun = at
        yield begin, begin + byte_length(text.own[at:end])


class _Text:
    """The text that windows are cut from."""

    def __init__(self, own: str, options: ChunkingOptions) -> None:
        self.own = own
        self._shown = count_ready(own)
        self._size, self._overlap = options.fixed_tokens, options.fixed_overlap
        self._count = token_counter(options.tokenizer)
        self._prefixes = Prefixes(options.tokenizer)

    def windows(self) -> Iterator[tuple[int, int]]:
        """The windows, as ranges of characters; each begins in the one before it."""
        at = end = 0
        while end < len(self.own):
            at, end = self._window(at, end)
            yield at, end
            following = self._stop(at, end, self._size - self._overlap)
            at = min(following if following > at else self._after(at), end)

    def _window(self, at: int, before: int) -> tuple[int, int]:
        """The window from `at` on, that of before having ended at `before`.

        One that would not get further begins later: it shares less, and is not larger.
        """
        longest = self._size * LONGEST_TOKEN
        end = self._stop(at, at + longest, self._size)
        while end <= before and at < before:
            at = self._later(at, before)
            end = self._stop(at, at + longest, self._size)
        return at, end if end > at else self._after(at)

    def _later(self, at: int, before: int) -> int:
        """Where a window begins instead that, from `at`, would end no later than the one before."""
        return self._after(at)

    def _after(self, at: int) -> int:
        """The first place to cut after `at`."""
        return next_boundary(self.own, at + 1)

    def _place(self, at: int) -> int:
        """The last place to cut up to `at`."""
        return grapheme_boundary(self.own, at)

    def _stop(self, at: int, end: int, limit: int) -> int:
        """Where the graphemes from `at` to `end` fill `limit` tokens; `at` if one has more."""
        stop = at + self._prefixes.take(self._shown[at:end], limit)
        boundary = max(at, self._place(stop))
        if boundary == stop:
            return stop
        while boundary > at and self._count(self._shown[at:boundary]) > limit:
            boundary = max(at, self._place(boundary - 1))
        return boundary


class _Read(_Text):
    """What is read in a page or notebook, cut where no tag, entity or escape is torn."""

    def __init__(self, document_text: DocumentText, options: ChunkingOptions) -> None:
        super().__init__(document_text.text, options)
        self._document_text = document_text

    def span(self, at: int, end: int) -> tuple[int, int]:
        """The bytes of a window, less what is dropped at its ends."""
        outside = self._document_text.outside_dropped
        start = 0 if not at else self._document_text.cut_before(at)[1]
        return outside(start)[1], outside(self._document_text.cut_before(end)[1])[0]

    def _later(self, at: int, before: int) -> int:
        return before

    def _after(self, at: int) -> int:
        later = at
        while (place := self._place(later)) <= at:
            later = next_boundary(self.own, self._document_text.step(later))
        return place

    def _place(self, at: int) -> int:
        place = grapheme_boundary(self.own, at)
        while (cut := self._document_text.cut_before(place)[0]) < place:
            place = grapheme_boundary(self.own, cut)
        return cut

    def _stop(self, at: int, end: int, limit: int) -> int:
        for allowed in range(limit, 0, -1):
            stop = at + self._prefixes.take(self._shown[at:end], allowed)
            place = self._place(stop)
            if place <= at or place == stop or self._count(self._shown[at:place]) <= limit:
                return max(at, place)
        return at
