"""A source as lines of text that know their bytes, for formats that are read line by line."""

from __future__ import annotations

from leafmark.parsing.decoding import Decoded
from leafmark.parsing.lines import without_lone_returns

__all__ = ["MAX_LINES", "MAX_MARKS", "SourceLines", "find_excess"]

MAX_LINES = 1_000_000
"""Lines of a source that is read line by line; each takes some hundred bytes of memory."""

MAX_MARKS = 500_000
"""Characters that may begin a link; a link takes some four hundred bytes of memory."""

_BOM = "\ufeff"
_TAB = 8
_LONGEST_INDENT = 1000


class SourceLines:
    """`text` are the lines without their ends, tabs before the words made spaces.

    `starts` are the bytes at which they begin, and the size of the source; `data` is the source.
    LF, CRLF and a lone CR end a line. A byte order mark is before the first one.
    """

    def __init__(self, decoded: Decoded) -> None:
        self.data = decoded.data
        text = without_lone_returns(decoded.text)
        at = len(_BOM.encode()) if text.startswith(_BOM) else 0
        raw = text.removeprefix(_BOM).split("\n")
        self.starts: list[int] = []
        for line in raw:
            self.starts.append(at)
            at += (len(line) if line.isascii() else len(line.encode())) + 1
        self.starts.append(at - 1)
        self.text = [_expanded(line) if line[:1] in " \t" else line.rstrip() for line in raw]
        if len(self.text) > 1 and not raw[-1]:  # what follows the last line end is no line
            self.text.pop()
            self.starts.pop()

    def __len__(self) -> int:
        return len(self.text)

    def places(self, first: int, after: int) -> tuple[int, int]:
        """The bytes of lines `[first, after)`, the last one's end included."""
        return self.starts[first], self.starts[after]

    def indent(self, index: int) -> int:
        """The width of the white space that a line begins with."""
        line = self.text[index]
        return len(line) - len(line.lstrip())

    def after_blank(self, index: int, stop: int) -> int:
        """The first line from `index` on that is not blank."""
        while index < stop and not self.text[index]:
            index += 1
        return index

    def after_indented(self, index: int, stop: int, least: int) -> int:
        """Where lines that are indented by `least`, or blank, end; the last one is not blank."""
        end = at = index
        while at < stop:
            line = self.text[at]
            if line:
                if len(line) - len(line.lstrip()) < least:
                    break
                end = at + 1
            at += 1
        return end


def find_excess(raw: bytes, marks: bytes) -> str:
    """Return what there is too much of to read a source line by line, empty where it can be.

    `marks` are the characters that begin a link in the format.
    """
    if raw.count(b"\n") + raw.count(b"\r") > MAX_LINES:
        return f"it has more than {MAX_LINES} lines"
    if sum(raw.count(bytes((mark,))) for mark in marks) > MAX_MARKS:
        return f"it has more than {MAX_MARKS} marks of links"
    return ""


def _expanded(line: str) -> str:
    """A line without the space at its end, the tabs it begins with made spaces."""
    text = line.strip()
    before = line[: len(line) - len(line.lstrip())]
    return before[:_LONGEST_INDENT].expandtabs(_TAB) + text if text else ""
