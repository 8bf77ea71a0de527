"""Byte ranges of a source, and their readable text where bytes are markup.

Ranges are half-open; in bulk they are plain pairs. In HTML and in notebooks the bytes of a
body are not its text: the text has entities and escapes decoded, no tags, and folded white
space. The data of an embedded image is never text. Such a document has a `Reader`, which makes
the text of any spans on demand, so that nothing is stored twice; other documents have none, and
their bytes are their text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

from leafmark.frozen import Frozen
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern

_start_of: Callable[[tuple[int, int]], int] = itemgetter(0)


class Span(Frozen):
    """Bytes `[start, end)` of a source.

    >>> Span(2, 5).slice(b"abcdefg")
    b'cde'
    """

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def slice(self, data: bytes) -> bytes:
        return data[self.start : self.end]


def bytes_in(data: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """Return the bytes of `data` in some ranges, joined.

    >>> bytes_in(b"abcdefg", [(0, 2), (5, 7)])
    b'abfg'
    """
    return b"".join([data[start:end] for start, end in ranges])


def span_at(spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """Return the span that has the byte at `offset`, or None; `spans` are sorted and disjoint.

    >>> span_at([(2, 4), (8, 12)], 3), span_at([(2, 4), (8, 12)], 4)
    ((2, 4), None)
    """
    at = bisect_right(spans, offset, key=_start_of) - 1
    return spans[at] if at >= 0 and offset < spans[at][1] else None


def merge(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return `spans` in order, with overlapping and touching ones merged, without empty ones.

    >>> merge([(4, 8), (0, 2), (2, 3)])
    [(0, 3), (4, 8)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = merged[-1][0], end
        elif start < end:
            merged.append((start, end))
    return merged


def subtract(start: int, end: int, holes: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of `[start, end)` outside `holes`, which are sorted and disjoint.

    >>> list(subtract(0, 10, [(2, 4), (8, 12)]))
    [(0, 2), (4, 8)]
    """
    at = max(0, bisect_right(holes, (start, start)) - 1)
    while at < len(holes) and holes[at][0] < end:
        hole_start, hole_end = holes[at]
        if hole_start > start:
            yield start, hole_start
        start = max(start, hole_end)
        at += 1
    if start < end:
        yield start, end


def rejoin(
    spans: Sequence[tuple[int, int]], holes: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Join neighbouring `spans` that only `holes` separate; both are sorted and disjoint.

    >>> rejoin([(0, 2), (4, 8), (9, 12)], [(2, 4)])
    [(0, 8), (9, 12)]
    """
    if not holes:
        return list(spans)
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and next(subtract(joined[-1][1], start, holes), None) is None:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


class Runs(NamedTuple):
    """The runs of a text in order, in columns: their place in it and the bytes they come from.

    A run extends from its place in the text to the next run's. It is *verbatim* when its
    text, encoded as UTF-8, is as long as its bytes: its characters map one by one. Any
    other run (an entity, folded white space, a line break that a tag makes) maps as
    a whole. Text without a source has an empty range: line breaks at the end of the text
    before them, all other text where it appears.
    """

    places: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]


class ReadableText(NamedTuple):
    """The readable text of some spans of a source.

    `runs` begin at 0; their bytes lie in `spans`, in order.
    """

    text: str
    runs: Runs
    spans: tuple[tuple[int, int], ...] = ()

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the bytes of the source that characters `[start, end)` come from.

        The range includes the markup between the first and the last of them.

        Raises:
            ValueError: the range is empty or not inside the text.
        """
        if not 0 <= start < end <= len(self.text):
            message = f"no characters [{start}, {end}) in a text of {len(self.text)}"
            raise ValueError(message)
        first = self._bytes_of(start)[0]
        return first, max(first, self._bytes_of(end - 1)[1])

    def body_range(self, start: int, end: int) -> tuple[int, int]:
        """Return `source_range`, counted from the start of the joined `spans`."""
        first, last = self.source_range(start, end)
        return self._within_body(first), self._within_body(last)

    def text_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters that come from bytes `[start, end)` of the source.

        Adjacent ranges of bytes give adjacent ranges of characters. Text that stands for
        several bytes belongs to the first of them, a line break to the text that it ends.
        """
        return self.text_at(start), self.text_at(end)

    def cut_before(self, at: int) -> tuple[int, int, int]:
        """Return the last character, up to `at`, that the source can be cut before, and where.

        A cut may lie anywhere from the second number to the third: in the markup between two
        words. It does not divide text that maps as a whole, nor separate it from its mark. A line
        break stays with the text that it ends, so that the character may be the one after it.
        """
        places, starts, ends = self.runs
        run = bisect_right(places, at) - 1
        if places[run] < at < len(self.text) and self._is_verbatim(run):
            byte = starts[run] + _size(self.text[places[run] : at])
            return at, byte, byte
        while run < len(places) and self._is_break(run):
            run += 1
        if at >= len(self.text) or run == len(places):
            return len(self.text), self.spans[-1][1], self.spans[-1][1]
        while run and starts[run - 1] == ends[run - 1] and not self._is_break(run - 1):
            run -= 1
        return places[run], ends[run - 1] if run else self.spans[0][0], starts[run]

    def step(self, at: int) -> int:
        """Return the place after the character at `at`, or after its whole run if not verbatim."""
        run = bisect_right(self.runs.places, at) - 1
        return at + 1 if self._is_verbatim(run) else self._text_end(run)

    def edits(self) -> Iterator[tuple[int, int, str]]:
        """Yield the ranges of bytes whose text differs from them, with that text ("" for none)."""
        for start, stop in self.spans:
            at = start
            for run in range(bisect_left(self.runs.starts, start), len(self.runs.starts)):
                first, end = self.runs.starts[run], self.runs.ends[run]
                if first >= stop:
                    break
                if at < first:
                    yield at, first, ""
                if not self._is_verbatim(run):
                    yield first, end, self.text[self.runs.places[run] : self._text_end(run)]
                at = end
            if at < stop:
                yield at, stop, ""

    def shown(self, start: int, end: int) -> str:
        """Return characters `[start, end)`, with U+FFFD for each lone surrogate."""
        return _SURROGATES.sub("\ufffd", self.text[start:end])

    @property
    def all_shown(self) -> str:
        """The whole text, as `shown`."""
        return self.shown(0, len(self.text))

    def text_at(self, offset: int) -> int:
        """Return how many characters come from bytes before `offset`; see `text_range`."""
        places, starts, ends = self.runs
        after = bisect_left(starts, offset)
        if after and offset < ends[after - 1]:
            return self._text_within(after - 1, offset)
        while after < len(places) and starts[after] == offset and self._is_break(after):
            after += 1
        return places[after] if after < len(places) else len(self.text)

    def _text_within(self, run: int, offset: int) -> int:
        places, starts, _ = self.runs
        start, within = places[run], offset - starts[run]
        if not self._is_verbatim(run):
            return self._text_end(run)
        if self.text.isascii():
            return start + within
        data = self.text[start : start + within].encode("utf-8", "surrogatepass")[:within]
        return start + len(data.decode("utf-8", "ignore"))

    def _bytes_of(self, offset: int) -> tuple[int, int]:
        """The bytes of the character at `offset`, or of the whole run when it is not verbatim."""
        places, starts, ends = self.runs
        run = bisect_right(places, offset) - 1
        if not self._is_verbatim(run):
            return starts[run], ends[run]
        before = starts[run] + _size(self.text[places[run] : offset])
        return before, before + _size(self.text[offset])

    def _text_end(self, run: int) -> int:
        places = self.runs.places
        return places[run + 1] if run + 1 < len(places) else len(self.text)

    def _is_verbatim(self, run: int) -> bool:
        places, starts, ends = self.runs
        start, end, size = places[run], self._text_end(run), ends[run] - starts[run]
        if self.text.isascii():  # known without copying the run, as the code below does
            return end - start == size
        return _size(self.text[start:end]) == size

    def _is_break(self, run: int) -> bool:
        """Whether a run is a line break without bytes of its own."""
        places, starts, ends = self.runs
        return starts[run] == ends[run] and self.text[places[run]] == "\n"

    def _within_body(self, source_offset: int) -> int:
        before = 0
        for start, end in self.spans:
            if source_offset <= end:
                return before + max(0, source_offset - start)
            before += end - start
        return before


Reader = Callable[[bytes, Sequence[tuple[int, int]]], ReadableText]
"""Makes the readable text of byte ranges of a source: `reader(document.data, spans)`."""


_SURROGATES = lazy_pattern("[\ud800-\udfff]")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
