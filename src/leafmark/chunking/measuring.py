"""Sizes of byte ranges in tokens: a range is counted when it must be, and then exactly.

Counts of neighbouring ranges add up: the tokenizers cut text into words before they look for
tokens, and the end of a line with the blank lines after it is where one word ends and the next
begins. `Meter.sizes` covers the one exception.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from leafmark.chunking.blocks import BodyReader, DocumentText
from leafmark.chunking.tokens import Count, direct_counter
from leafmark.model import subtract

_SLASH = ord("/")

_NEARLY = 32
"""Tokens by which sums and what blank lines at the ends weigh may be wrong."""

_RUNS = ("    ", "----", "====", "....", "____")
"""What pads and rules lines: a long run of it is a token or two."""

_LIGHT = b" -=._" + bytes(range(0x80, 0xC0))
"""The bytes of such runs, and all but the first of each character."""

_LONGER = 4
"""A range of more bytes than so many times those that are counted is large, whatever is in it."""

_MAX_REMEMBERED = 16
"""Texts whose tokens are remembered: cuts come to the same text, or in a long run to equal ones."""

_MIN_REMEMBERED_CHARACTERS = 200
"""Characters of such a text; to look for a shorter one takes as long as to count it."""


def make_meter(reader: BodyReader, count: Count) -> Meter:
    """Return what measures the document of `reader`: what is read there, if that is not all."""
    document_text = reader.document_text
    if document_text is None:
        return Meter(reader, count)
    return _DocumentTextMeter(reader, count, document_text)


class Meter:
    """Measures ranges of one document. Front matter weighs nothing."""

    def __init__(self, reader: BodyReader, count: Count) -> None:
        front = reader.document.front_matter
        self.document = reader.document
        self.count = count
        self._reader = reader
        self._front = 0 if front is None else front.end
        self._texts: dict[tuple[int, int], int] = {}
        """The tokens of ranges as `text` has them, as far as they were counted."""
        self._lately: dict[int, tuple[str, int]] = {}
        """Texts that were counted lately with their tokens, by their length."""

    def size_bytes(self, start: int, end: int) -> int:
        """An upper bound of `tokens` that costs no count."""
        if start < self._front:
            start = min(self._front, end)
        return end - start

    @cached_property
    def _ascii(self) -> str | None:
        """The text of a source in ASCII: a part of it costs a third less than to decode one."""
        data = self.document.data
        return data.decode("ascii") if data.isascii() else None

    def tokens(self, start: int, end: int) -> int:
        text = self._ascii
        if text is not None:
            return self.count_once(text[max(start, self._front) : end])
        return self.count_once(self.raw(start, end).decode("utf-8", "replace"))

    def count_once(self, text: str) -> int:
        """The tokens of a text, which is not counted again if it was lately."""
        size = len(text)
        if size < _MIN_REMEMBERED_CHARACTERS:
            return self.count(text)
        counted = self._lately.get(size)
        if counted is not None and counted[0] == text:
            return counted[1]
        if len(self._lately) >= _MAX_REMEMBERED:
            self._lately.clear()
        tokens = self.count(text)
        self._lately[size] = text, tokens
        return tokens

    def sizes(self, starts: Sequence[int], end: int, *, most_bytes: int) -> list[int]:
        """Return the most tokens that each range adds to a group of neighbours.

        The ranges adjoin; the last one stops at `end`. One that `counts` takes for too large
        has its bytes for its size.

        The words of o200k_base run over a line end when the next line begins
        with a slash: then the count alone may be less than what it adds.
        """
        ends = [*starts[1:], end]
        sizes = self.counts(starts, ends, most_bytes=most_bytes)
        for index in self._begun_by_slash(starts):
            before, start, after = starts[index - 1], starts[index], ends[index]
            if start < after <= start + most_bytes:
                added = self.tokens(before, after) - self.tokens(before, start)
                sizes[index] = max(sizes[index], added)
        return sizes

    def counts(
        self, starts: Sequence[int], ends: Sequence[int], *, most_bytes: int | None = None
    ) -> list[int]:
        """Return the tokens of ranges, or `size_bytes` of one where that is more than so many.

        Letters of two or three bytes weigh as one, and padding nothing: such a range is counted.
        """
        if not starts:  # which needs no tokenizer
            return []
        data, text, count = self.document.data, self._ascii, direct_counter(self.count)
        front, most = self._front, len(data) if most_bytes is None else most_bytes
        if front:
            starts = [max(a, min(front, b)) for a, b in zip(starts, ends, strict=True)]
        ranges = zip(starts, ends, strict=True)
        if text is not None:
            return [
                count(text[a:b]) if b - a <= most else self._of_large(a, b, most) for a, b in ranges
            ]
        return [
            count(data[a:b].decode("utf-8", "replace"))
            if b - a <= most
            else self._of_large(a, b, most)
            for a, b in ranges
        ]

    def _of_large(self, start: int, end: int, most: int) -> int:
        """The size in bytes of a range over `most` bytes, or its tokens where they may be fewer."""
        size = end - start
        if size > most * _LONGER:
            return size
        raw = self.document.data[start:end]
        if len(raw.translate(None, _LIGHT)) > most:  # most of them, told in a tenth of the time
            return size
        text = raw.decode("utf-8", "replace")
        padding = sum([len(run) * text.count(run) for run in _RUNS])
        return size if len(text) - padding > most else self.count(text)

    def _begun_by_slash(self, starts: Sequence[int]) -> list[int]:
        """Which ranges but the first begin with a slash."""
        data = self.document.data
        if len(starts) < 2 or starts[-1] >= len(data):
            return [index for index, at in enumerate(starts) if index and data[at : at + 1] == b"/"]
        if _SLASH not in itemgetter(*starts)(data):
            return []
        return [index for index, at in enumerate(starts) if index and data[at] == _SLASH]

    def joined_tokens(self, spans: Sequence[tuple[int, int]]) -> int:
        """The tokens of ranges put together, as a body is."""
        raw = b"".join([self.raw(start, end) for start, end in spans])
        return self.count(raw.decode("utf-8", "replace"))

    def raw(self, start: int, end: int) -> bytes:
        """The bytes of a range that count: no front matter, and nothing that is dropped."""
        return self.document.data[max(start, self._front) : end]

    def is_blank(self, start: int, end: int) -> bool:
        """Whether nothing is read there but ASCII white space."""
        return not self.raw(start, end).strip()

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Whether the range has at most `limit` tokens; counted only where bytes do not tell."""
        return self.size_bytes(start, end) <= limit or self.tokens(start, end) <= limit

    def text_tokens(self, span: tuple[int, int], *, tokens: int, bound: int) -> int:
        """The tokens of a range as `text` has it, exact near `bound`; unchanged it has `tokens`."""
        if abs(tokens - bound) > _NEARLY and self._reader.is_normal(*span):
            return tokens
        known = self._texts.get(span)
        if known is None:
            text = self._reader.normalise((span,)) + "\n\n"
            known = self._texts[span] = self.count(text)
        return known


class _DocumentTextMeter(Meter):
    """Measures what is read: markup, escapes, embedded data and what is dropped weigh nothing."""

    def __init__(self, reader: BodyReader, count: Count, document_text: DocumentText) -> None:
        super().__init__(reader, count)
        self._document_text = document_text

    def size_bytes(self, start: int, end: int) -> int:
        text = self._document_text.within(start, end)
        return len(text) if text.isascii() else len(text.encode())

    def tokens(self, start: int, end: int) -> int:
        return self.count_once(self._document_text.within(start, end))

    def _begun_by_slash(self, starts: Sequence[int]) -> list[int]:
        return [] if self.document.is_rendered else super()._begun_by_slash(starts)

    def counts(
        self, starts: Sequence[int], ends: Sequence[int], *, most_bytes: int | None = None
    ) -> list[int]:
        if not starts:
            return []
        within, count = self._document_text.within, direct_counter(self.count)
        texts = [*map(within, starts, ends)]
        if most_bytes is None:
            return [*map(count, texts)]
        return [count(text) if len(text) <= most_bytes else len(text.encode()) for text in texts]

    def joined_tokens(self, spans: Sequence[tuple[int, int]]) -> int:
        return self.count(self._document_text.joined(spans))

    def is_blank(self, start: int, end: int) -> bool:
        return not self._document_text.within(start, end).strip(string.whitespace)

    def raw(self, start: int, end: int) -> bytes:
        ranges = subtract(start, end, self._document_text.dropped)
        return b"".join([self.document.data[first:after] for first, after in ranges])
