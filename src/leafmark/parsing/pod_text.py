"""The readable text of POD: its words without commands and codes; code and Perl as they are.

In: a source and spans of it. Out: `ReadableText`. What a span begins in is told by the last
command before it, so that no more than the span is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leafmark.model import ReadableText
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.pod_inline import pieces
from leafmark.parsing.readable import ReadableBuilder, without_mark

__all__ = ["read_pod"]

_END = re.compile(rb"\n(?:[ \t\r]*+\n|(?!))++|^(=cut)(?=\s|\Z)[^\n]*+", re.MULTILINE)
"""What ends a paragraph: blank lines, or the end of POD."""

_COMMAND = re.compile(rb"=([a-zA-Z][a-zA-Z0-9]*+)(?:[ \t]++|(?=\s|\Z))")
_BEGINS_POD = re.compile(rb"^=(?!cut\b)[a-zA-Z][a-zA-Z0-9]*+(?=\s|\Z)", re.MULTILINE)
_MARK = re.compile(rb"\s*+(?:\*|[0-9]++\.?)(?=\s|\Z)")
_UNSHOWN = frozenset((b"over", b"back", b"pod", b"cut", b"encoding", b"end"))

_LINE, _PARAGRAPH = 1, 2
_IN_PERL, _IN_POD, _IN_DATA = range(3)


def read_pod(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


class _Reader:
    """Reads spans in order; before words it writes the line breaks that are due."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._breaks = _PARAGRAPH
        self._state = _IN_PERL

    def read(self, start: int, end: int) -> None:
        data = self.data
        self._state = self._state_at(start)
        self._breaks = max(self._breaks, _LINE)
        is_code = self._state == _IN_POD and self._is_in_code(start)
        at = start
        while at < end:
            if self._state == _IN_PERL:
                found = _BEGINS_POD.search(data, at, end)
                stop = found.start() if found else end
                self._verbatim(at, stop)
                self._state = _IN_POD if found else _IN_PERL
                at = stop
                continue
            ending = _END.search(data, at, end)
            stop, after = ending.span() if ending else (end, end)
            self._paragraph(at, stop, is_code=is_code)
            if ending and ending[1]:
                self._state = _IN_PERL
            at, is_code = after, False

    def _state_at(self, at: int) -> int:
        """What the byte `at` stands in, by the last command before it."""
        while at > 0:
            at = self.data.rfind(b"\n=", 0, at + 1) + 1
            found = _COMMAND.match(self.data, at)
            if found:
                return _state_behind(self.data, found)
            at -= 1
        return _IN_PERL

    def _is_in_code(self, at: int) -> bool:
        """Whether the paragraph that goes on at `at` began with a blank."""
        first = self.data.rfind(b"\n\n", 0, at)
        return first >= 0 and first + 2 < at and self.data[first + 2] in b" \t"

    def _paragraph(self, start: int, end: int, *, is_code: bool) -> None:
        data = self.data
        found = _COMMAND.match(data, start, end)
        if found and (self._state != _IN_DATA or found[1] == b"end"):
            self._command(found, end)
        elif self._state == _IN_DATA:
            return
        elif is_code or data[start : start + 1] in (b" ", b"\t"):
            self._verbatim(start, end)
        else:
            self._words(start, end)

    def _command(self, found: re.Match[bytes], end: int) -> None:
        name, at = found[1], found.end()
        if name == b"begin":
            self._state = _state_behind(self.data, found)
        elif name == b"end":
            self._state = _IN_POD
        elif name == b"for":
            if self.data.startswith(b":", at):
                self._words(self.data.find(b" ", at, end) % (end + 1), end)
        elif name == b"item":
            self._item(at, end)
        elif name not in _UNSHOWN:
            self._words(at, end)

    def _item(self, start: int, end: int) -> None:
        """The mark of an item, or its term: its text goes on behind it, or in the next line."""
        mark = _MARK.match(self.data, start, end)
        if mark is None:
            self._words(start, end)
            self._breaks = _LINE
            return
        self._begin()
        if mark[0].strip() == b"*":
            self.out.add("-", mark.end() - 1, mark.end())
        else:
            self.out.add_verbatim(self.data, mark.end() - len(mark[0].strip()), mark.end())
        self.out.add(" ", mark.end(), mark.end())
        self._breaks = 0
        if self.data[mark.end() : end].strip():
            self._words(mark.end(), end)

    def _words(self, start: int, end: int) -> None:
        data = self.data
        stop = start + len(data[start:end].rstrip())
        start = stop - len(data[start:stop].lstrip())
        if start < stop:
            self._begin()
            for first, after, words in pieces(data, start, stop):
                if words is None:
                    self.out.add_verbatim(data, first, after)
                else:
                    self.out.add(words, first, after)

    def _verbatim(self, start: int, end: int) -> None:
        """Lines as they are, without the blank ones around them."""
        data = self.data
        stop = start + len(data[start:end].rstrip())
        words = stop - len(data[start:stop].lstrip())
        first = max(start, data.rfind(b"\n", start, words) + 1)
        if first < stop:
            self._begin()
            self.out.add_verbatim(data, first, stop)

    def _begin(self) -> None:
        if self._breaks:
            self.out.add_break(self._breaks)
        self._breaks = _PARAGRAPH


def _state_behind(data: bytes, command: re.Match[bytes]) -> int:
    if command[1] == b"cut":
        return _IN_PERL
    has_data = command[1] == b"begin" and not data.startswith(b":", command.end())
    return _IN_DATA if has_data else _IN_POD
