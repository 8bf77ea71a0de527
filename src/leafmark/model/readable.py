"""`ReadableText`: what a person reads in a body whose bytes are markup, and where each word stands.

In HTML and in notebooks the bytes of a body are not its text: entities and
escapes are decoded, tags are gone, white space is folded. Such a document has a
`Reader`, which makes the text of any spans when it is asked, so that nothing is
stored twice; other documents have none, and their bytes are their text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

__all__ = ["ReadableText", "Reader", "Run"]

Run = tuple[int, int, int]
"""`(text_start, source_start, source_end)`: one stretch of a text and the bytes it comes from.

A run reaches to the next run's `text_start`. It is *verbatim* when its text,
encoded as UTF-8, is as long as its bytes: its characters map one by one. Any
other run (an entity, folded white space, a line break that a tag makes) maps as
a whole; text with no source has an empty range, at the byte where it appears.
"""


@dataclass(frozen=True, slots=True, eq=False)
class ReadableText:
    """The readable text of some spans of a source.

    `runs` are in order of text and begin at 0; their bytes lie in `spans`, in order.
    """

    text: str
    runs: Sequence[Run] = field(repr=False)
    spans: tuple[tuple[int, int], ...] = ()

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the bytes of the source that characters `[start, end)` come from.

        The range takes in the markup between the first and the last of them.

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

        Ranges of bytes that follow each other have ranges of characters that do. What
        stands for several bytes belongs where the first of them is.
        """
        return self._text_at(start), self._text_at(end)

    def markup_around(self, offset: int, within: tuple[int, int]) -> tuple[int, int]:
        """Return the bytes around `offset` that are not text as they are, in the limits `within`.

        These are a whole entity, or all markup between two words. In a word they are none.
        """
        after = bisect_left(self.runs, offset, key=_source_start)
        start, end = within
        if after < len(self.runs):
            end = self.runs[after][1]
        if after:
            text_start, source_start, source_end = self.runs[after - 1]
            if offset >= source_end:
                return source_end, end
            text_end = self.runs[after][0] if after < len(self.runs) else len(self.text)
            if _size(self.text[text_start:text_end]) == source_end - source_start:
                return offset, offset
            return source_start, source_end
        return start, end

    def shown(self, start: int, end: int) -> str:
        """Return characters `[start, end)`, what cannot be shown replaced one by one."""
        return _SURROGATES.sub("\ufffd", self.text[start:end])

    def _text_at(self, offset: int) -> int:
        """Return how many characters come from bytes before `offset`."""
        after = bisect_left(self.runs, offset, key=_source_start)
        if not after:
            return 0
        text_start, source_start, source_end = self.runs[after - 1]
        text_end = self.runs[after][0] if after < len(self.runs) else len(self.text)
        data = self.text[text_start:text_end].encode("utf-8", "surrogatepass")
        if offset >= source_end or len(data) != source_end - source_start:
            return text_end
        return text_start + len(data[: offset - source_start].decode("utf-8", "ignore"))

    def _bytes_of(self, offset: int) -> tuple[int, int]:
        """The bytes of the character at `offset`, or of the whole run when it is not verbatim."""
        at = bisect_right(self.runs, offset, key=_text_start) - 1
        text_start, source_start, source_end = self.runs[at]
        text_end = self.runs[at + 1][0] if at + 1 < len(self.runs) else len(self.text)
        size = source_end - source_start
        if _size(self.text[text_start:text_end]) != size:
            return source_start, source_end
        before = source_start + _size(self.text[text_start:offset])
        return before, before + _size(self.text[offset])

    def _within_body(self, source_offset: int) -> int:
        before = 0
        for start, end in self.spans:
            if source_offset <= end:
                return before + max(0, source_offset - start)
            before += end - start
        return before


Reader = Callable[[bytes, Sequence[tuple[int, int]]], ReadableText]
"""Makes the readable text of byte ranges of a source: `reader(document.data, spans)`."""


_SURROGATES = re.compile("[\ud800-\udfff]")


def _text_start(run: Run) -> int:
    return run[0]


def _source_start(run: Run) -> int:
    return run[1]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
