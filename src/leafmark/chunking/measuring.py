"""Sizes of byte ranges in tokens. A range is counted when it must be, and then exactly.

Counts of neighbouring ranges add up: the tokenizers cut text into words before
they look for tokens, and the end of a line with the blank lines after it is
where one word ends and the next begins. `joined` covers the one exception.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.chunking.reading import BodyReader
from leafmark.chunking.spans import subtract
from leafmark.chunking.tokens import Count
from leafmark.model import Document

__all__ = ["Meter", "text_tokens"]

_SLASH = ord("/")
_CELL_END_BYTES = 2
"""What the text of a notebook has, and its bytes have not, where a cell ends."""


class Meter:
    """Measures ranges of one document; front matter and what is dropped weigh nothing."""

    def __init__(self, document: Document, count: Count) -> None:
        front = document.front_matter
        self.document = document
        self.count = count
        self._front = 0 if front is None else front.end
        self._dropped = [(span.start, span.end) for span in document.dropped_spans]
        self._decode = document.reader if document.format == "notebook" else None
        self._gap = 0 if self._decode is None else _CELL_END_BYTES

    def size_bytes(self, start: int, end: int) -> int:
        """An upper bound of `tokens`, free of charge."""
        if start < self._front:
            start = min(self._front, end)
        if not self._dropped:
            return end - start
        kept = list(subtract(start, end, self._dropped))
        return sum(after - first for first, after in kept) + self._gap * len(kept)

    def tokens(self, start: int, end: int) -> int:
        if self._decode is None:
            return self.count(self.raw(start, end).decode("utf-8", "replace"))
        kept = list(subtract(start, end, self._dropped))
        return self.count(self._decode(self.document.data, kept).text)

    def joined_tokens(self, spans: Sequence[tuple[int, int]]) -> int:
        """The tokens of ranges put together, as a body is."""
        if self._decode is None:
            raw = b"".join([self.raw(start, end) for start, end in spans])
            return self.count(raw.decode("utf-8", "replace"))
        kept = [part for span in spans for part in subtract(*span, self._dropped)]
        return self.count(self._decode(self.document.data, kept).text)

    def raw(self, start: int, end: int) -> bytes:
        """The bytes that weigh anything."""
        data = self.document.data
        if start < self._front:
            start = self._front
        if not self._dropped:
            return data[start:end]
        kept = subtract(start, end, self._dropped)
        return b"".join([data[first:after] for first, after in kept])

    def is_blank(self, start: int, end: int) -> bool:
        """Whether there is nothing but white space and what weighs nothing."""
        return not self.raw(start, end).strip()

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Whether the range has at most `limit` tokens; counted only where bytes do not tell."""
        return self.size_bytes(start, end) <= limit or self.tokens(start, end) <= limit

    def joined(self, start: int, end: int, before: int) -> int:
        """Return what `[start, end)` adds to a group at most; `before` is where its left begins.

        The words of o200k_base run over a line end when the next line begins
        with a slash: then the count alone may be less than what it adds.
        """
        alone = self.tokens(start, end)
        if start == before or start >= end or self.document.data[start] != _SLASH:
            return alone
        return max(alone, self.tokens(before, end) - self.tokens(before, start))


def text_tokens(reader: BodyReader, meter: Meter, span: tuple[int, int], *, tokens: int) -> int:
    """The tokens of a range as `text` has it; it has `tokens` as it is."""
    if reader.is_normal(*span):
        return tokens
    return meter.count(reader.normalise((span,)) + "\n\n")
