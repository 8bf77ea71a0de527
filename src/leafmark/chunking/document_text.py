"""The readable text of a whole document, made once; ranges of bytes are slices of it.

What is dropped is not in it, nor is front matter. Ranges that follow each other have texts
that do: the blank lines between two paragraphs are the end of the first one's, as in Markdown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from leafmark.model import Document, ReadableText, Reader, subtract

__all__ = ["DocumentText"]

_CLOSING = re.compile(
    rb"(?:[ \t\n\r\f]*+</[A-Za-z][A-Za-z0-9:-]*+[ \t\n\r\f]*+>|(?!))*+[ \t\n\r\f]*+"
)
"""Tags that end elements, right behind a word."""


class DocumentText:
    """The readable text of one document whose bytes are markup or escapes, or hold data."""

    def __init__(self, document: Document, reader: Reader) -> None:
        self._data = document.data
        self._reader = reader
        self._is_rendered = document.is_rendered
        front = document.front_matter
        self.dropped = document.dropped_ranges if front is None else [(0, front.end)]

    @cached_property
    def _whole(self) -> ReadableText:
        return self._reader(self._data, [*subtract(0, len(self._data), self.dropped)])

    @property
    def text(self) -> str:
        return self._whole.text

    def within(self, start: int, end: int) -> str:
        """Return what is read in the bytes `[start, end)`."""
        first, after = self._whole.text_range(start, end)
        return self._whole.text[first:after]

    def joined(self, spans: Iterable[tuple[int, int]]) -> str:
        """Return what is read in several ranges.

        In a page or notebook one begins a line where it follows no other; the ranges of a
        source have their own line ends.
        """
        parts: list[str] = []
        last = 0
        for span in spans:
            first, after = self._whole.text_range(*span)
            if self._is_rendered and parts and first > last and not parts[-1].endswith("\n"):
                parts.append("\n")
            if first < after:
                parts.append(self._whole.text[first:after])
            last = after
        return "".join(parts)

    def cut_before(self, at: int) -> tuple[int, int]:
        """Return the last character, up to `at`, that the source can be cut before, and where.

        Not in a tag, an entity or an escape, and behind the tags that end an element. A line
        break goes with what it ends: then the character is the one after it.
        """
        at, first, last = self._whole.cut_before(at)
        found = _CLOSING.match(self._data, first, last)
        return at, found.end() if found else first

    def step(self, at: int) -> int:
        """Return the character after `at`, or after all that is not cut with it."""
        return self._whole.step(at)

    def places(self, start: int, end: int, find: Callable[[bytes], Sequence[int]]) -> Sequence[int]:
        """Return the places in `[start, end)` of what `find` finds in the text of that range.

        These are offsets from `start` at which the source can be cut, 0 first. `find` takes
        the text in UTF-8 and returns offsets into it.
        """
        before, after = self._whole.text_range(start, end)
        raw, found = self._whole.text[before:after].encode(), [0]
        at, character, passed = 0, before, before
        for offset in find(raw):
            character += len(raw[at:offset].decode())
            at = offset
            if 0 < offset < len(raw) and character >= passed:
                cut, place = self.cut_before(character)
                passed = self.step(character) if cut < character else character
                if start + found[-1] < place < end:
                    found.append(place - start)
        return found

    def outside_dropped(self, at: int) -> tuple[int, int]:
        """Return where dropped bytes around `at` begin and end, `at` twice if there are none."""
        number = bisect_right(self.dropped, (at, at)) - 1
        for start, end in self.dropped[max(0, number) : number + 2]:
            if start <= at <= end:
                return start, end
        return at, at
