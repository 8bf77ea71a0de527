"""Sizes of byte ranges in tokens: counted only where bytes do not decide, and then exactly.

Counts of neighbouring ranges add up: the tokenizers split text into words before they look for
tokens, and words end with a line end and the blank lines after it. `Meter.sizes` covers the one
exception.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from leafmark.chunking.block_regions import BodyReader, DocumentText
from leafmark.chunking.tokens import Count, direct_counter
from leafmark.model import subtract

_SLASH = ord("/")

_NEARLY = 32
"""Sums, and the tokens of blank lines at the ends, may be wrong by so many tokens."""

_RUNS = ("    ", "----", "====", "....", "____")
"""Padding and rules in lines: a long run is a token or two."""

_LIGHT = b" -=._" + bytes(range(0x80, 0xC0))
"""The bytes of such runs, and the continuation bytes of UTF-8."""

_LARGE_FACTOR = 4
"""A range of more than so many times the bytes that are counted is large, whatever its text."""

_MAX_REMEMBERED = 16
"""Texts whose tokens are remembered: cuts measure the same text again, or equal ones in a run."""

_MIN_REMEMBERED_CHARACTERS = 200
"""Minimum characters of such a text; a look-up of a shorter one takes as long as a count."""


def make_meter(reader: BodyReader, count: Count) -> Meter:
    """Return the meter for the document of `reader`: of its readable text, or of its bytes."""
    document_text = reader.document_text
    if document_text is None:
        return Meter(reader, count)
    return _DocumentTextMeter(reader, count, document_text)


class Meter:
    """Measures ranges of one document. Front matter has no tokens."""

    def __init__(self, reader: BodyReader, count: Count) -> None:
        front = reader.document.front_matter
        self.document = reader.document
        self.count = count
        self._reader = reader
        self._front = 0 if front is None else front.end
        self._texts: dict[tuple[int, int], int] = {}
        """The tokens of the normalised text of ranges."""
        self._recent: dict[int, tuple[str, int]] = {}
        """Recently counted texts with their tokens, by their length."""

    def size_bytes(self, start: int, end: int) -> int:
        """Return an upper bound of `tokens`, without a count."""
        if start < self._front:
            start = min(self._front, end)
        return end - start

    @cached_property
    def _ascii(self) -> str | None:
        """The text of a source in ASCII: a slice of it is a third cheaper than decoding one."""
        data = self.document.data
        return data.decode("ascii") if data.isascii() else None

    def tokens(self, start: int, end: int) -> int:
        text = self._ascii
        if text is not None:
            return self.count_once(text[max(start, self._front) : end])
        return self.count_once(self.raw(start, end).decode("utf-8", "replace"))

    def count_once(self, text: str) -> int:
        """Return the tokens of a text, from memory if it was counted recently."""
        size = len(text)
        if size < _MIN_REMEMBERED_CHARACTERS:
            return self.count(text)
        counted = self._recent.get(size)
        if counted is not None and counted[0] == text:
            return counted[1]
        if len(self._recent) >= _MAX_REMEMBERED:
            self._recent.clear()
        tokens = self.count(text)
        self._recent[size] = text, tokens
        return tokens

    def sizes(self, starts: Sequence[int], end: int, *, most_bytes: int) -> list[int]:
        """Return the maximum tokens that each range adds to a group of neighbours.

        The ranges adjoin; the last one stops at `end`. For one that is too large for `counts`,
        it is the number of bytes.

        The words of o200k_base run over a line end when the next line begins
        with a slash: then a range may add more tokens than it has.
        """
        ends = [*starts[1:], end]
        sizes = self.counts(starts, ends, most_bytes=most_bytes)
        for index in self._slash_indexes(starts):
            before, start, after = starts[index - 1], starts[index], ends[index]
            if start < after <= start + most_bytes:
                added = self.tokens(before, after) - self.tokens(before, start)
                sizes[index] = max(sizes[index], added)
        return sizes

    def counts(
        self, starts: Sequence[int], ends: Sequence[int], *, most_bytes: int | None = None
    ) -> list[int]:
        """Return the tokens of ranges, or `size_bytes` of one with more than `most_bytes`.

        For this bound a letter of two or three bytes counts as one, and padding as nothing.
        """
        if not starts:  # without loading a tokenizer
            return []
        data, text, count = self.document.data, self._ascii, direct_counter(self.count)
        front, most = self._front, len(data) if most_bytes is None else most_bytes
        if front:
            starts = [max(a, min(front, b)) for a, b in zip(starts, ends, strict=True)]
        ranges = zip(starts, ends, strict=True)
        if text is not None:
            return [
                count(text[a:b]) if b - a <= most else self._large_size(a, b, most)
                for a, b in ranges
            ]
        return [
            count(data[a:b].decode("utf-8", "replace"))
            if b - a <= most
            else self._large_size(a, b, most)
            for a, b in ranges
        ]

    def _large_size(self, start: int, end: int, most: int) -> int:
        """Return the bytes of a range over `most` bytes, or its tokens if they may be fewer."""
        size = end - start
        if size > most * _LARGE_FACTOR:
            return size
        raw = self.document.data[start:end]
        if len(raw.translate(None, _LIGHT)) > most:  # decides most ranges in a tenth of the time
            return size
        text = raw.decode("utf-8", "replace")
        padding = sum([len(run) * text.count(run) for run in _RUNS])
        return size if len(text) - padding > most else self.count(text)

    def _slash_indexes(self, starts: Sequence[int]) -> list[int]:
        """Return the indexes of the ranges, except the first, that begin with a slash."""
        data = self.document.data
        if len(starts) < 2 or starts[-1] >= len(data):
            return [index for index, at in enumerate(starts) if index and data[at : at + 1] == b"/"]
        if _SLASH not in itemgetter(*starts)(data):
            return []
        return [index for index, at in enumerate(starts) if index and data[at] == _SLASH]

    def joined_tokens(self, spans: Sequence[tuple[int, int]]) -> int:
        """Return the tokens of ranges joined into a body."""
        raw = b"".join([self.raw(start, end) for start, end in spans])
        return self.count(raw.decode("utf-8", "replace"))

    def raw(self, start: int, end: int) -> bytes:
        """Return the bytes of a range without front matter and dropped spans."""
        return self.document.data[max(start, self._front) : end]

    def is_blank(self, start: int, end: int) -> bool:
        """Whether the readable text of the range is only ASCII white space."""
        return not self.raw(start, end).strip()

    def fits(self, start: int, end: int, limit: int) -> bool:
        """Whether the range has at most `limit` tokens; counted only if bytes do not decide."""
        return self.size_bytes(start, end) <= limit or self.tokens(start, end) <= limit

    def text_tokens(self, span: tuple[int, int], *, tokens: int, bound: int) -> int:
        """Return the tokens of a range's normalised text, exact near `bound`.

        `tokens` are those of the range itself.
        """
        if abs(tokens - bound) > _NEARLY and self._reader.is_normal(*span):
            return tokens
        known = self._texts.get(span)
        if known is None:
            text = self._reader.normalise((span,)) + "\n\n"
            known = self._texts[span] = self.count(text)
        return known


class _DocumentTextMeter(Meter):
    """Measures the readable text, without markup, escapes, embedded data and dropped spans."""

    def __init__(self, reader: BodyReader, count: Count, document_text: DocumentText) -> None:
        super().__init__(reader, count)
        self._document_text = document_text

    def size_bytes(self, start: int, end: int) -> int:
        text = self._document_text.within(start, end)
        return len(text) if text.isascii() else len(text.encode())

    def tokens(self, start: int, end: int) -> int:
        return self.count_once(self._document_text.within(start, end))

    def _slash_indexes(self, starts: Sequence[int]) -> list[int]:
        return [] if self.document.is_rendered else super()._slash_indexes(starts)

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
