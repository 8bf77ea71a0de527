"""The nodes of Info to headings and blocks.

A node is a section, and its heading is all from the line that begins it to the line below its
title. `*` below a title is depth 1, `=` 2, `-` 3, `.` 4; a node without a title is one deeper than
the node above it. Texinfo draws the line exactly as wide as the title, and no table's so.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

from leafmark.parsing.info_text import NODE, SEPARATOR, unread_in
from leafmark.parsing.lined_document import LineScanner, Title
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import without_mark
from leafmark.parsing.source_lines import SourceLines
from leafmark.parsing.titles import fold

__all__ = ["InfoScanner", "anchor_of"]

_RULE = re.compile(r"([*=.-])\1*\Z")
_DEPTHS = {"*": 1, "=": 2, "-": 3, ".": 4}
_FIELD = re.compile(r"(File|Node|Up):[ \t]*+(?:\x7f([^\x7f]*+)\x7f|([^,\t\x7f]*+))")
_FOOTNOTES = "-Footnotes"
_TOP = "Top"


class InfoScanner(LineScanner):
    """Knows the level of each node, by its name; `manual` is what its files are called."""

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self.levels: dict[str, int] = {}
        self.manual = ""
        self._above = ""  # the name of the node above
        self._level = 0
        data = without_lone_returns(without_mark(lines.data))
        self._unread = {
            line
            for start, end in unread_in(data, 0, len(data))
            for line in range(self._at(start), self._at(end))
        }
        self._nodes: dict[int, str] = {}  # the lines that begin nodes, and the separators above
        for found in SEPARATOR.finditer(data):
            node = NODE.match(data, found.start())
            line = self._at(found.start())
            if node:
                self._nodes[line] = node["head"].decode("utf-8", "replace")
                self.after = len(lines)
            elif self._nodes and self.after == len(lines):
                self.after = line

    def _at(self, byte: int) -> int:
        """The line that begins at a byte."""
        return min(bisect_left(self.lines.starts, byte), len(self.lines))

    def scan(self) -> None:
        """Read all lines; a part without the node Top is called as the files are."""
        super().scan()
        self.title = self.title or self.manual

    def _next(self, at: int, level: int) -> int:
        if at in self._nodes:
            return self._node(at)
        if not self._line(at):
            return at + 1
        if at not in self._unread and self._level and self._is_title(at):
            return self._heading(at)
        after, is_unread = at, at in self._unread
        while after < self._stop and self._line(after) and (after in self._unread) == is_unread:
            after += 1
        return self._add("thematic_break" if is_unread else "paragraph", at, after, level)

    def _node(self, at: int) -> int:
        """Take the lines that begin a node, and its title; those of footnotes begin none."""
        said = {found[1]: fold(found[2] or found[3]) for found in _FIELD.finditer(self._nodes[at])}
        name = said.get("Node", "")
        after = at + 2
        if name == self._above + _FOOTNOTES or not name:
            return self._add("thematic_break", at + 1, after, 0)
        title = self.lines.after_blank(after, self._stop)
        up = said.get("Up", "")
        level = self.levels.get(up, 0) + 1 if up != _TOP else 1
        self.manual = self.manual or said.get("File", "").removesuffix(".info")
        words = self.manual if name == _TOP else name
        if self._is_title(title):
            words, level, after = self._line(title), _DEPTHS[self._line(title + 1)[0]], title + 2
        if name == _TOP:
            self.title = words
        self._above, self._level = name, level
        self.levels.setdefault(name, level)
        self.titles.append(Title(level, words, at, after, anchor_of(name)))
        return after

    def _heading(self, at: int) -> int:
        """A title inside a node is one of the node's own parts, however it is drawn."""
        level = max(_DEPTHS[self._line(at + 1)[0]], self._level + 1)
        self.titles.append(Title(level, self._line(at), at, at + 2, ""))
        return at + 2

    def _is_title(self, at: int) -> bool:
        """Whether a line stands alone above one of marks that is exactly as wide."""
        if at + 1 >= self._stop or at + 1 in self._nodes or self._line(at)[:1] in ("", " "):
            return False
        rule = self._line(at + 1)
        if not _RULE.match(rule) or (at + 2 < self._stop and self._line(at + 2)):
            return False
        return not self._line(at - 1) and len(rule) == _width(self._line(at))


def anchor_of(name: str) -> str:
    """Return the slug of a node.

    >>> anchor_of("Command-Line  Options")
    'Command-Line-Options'
    """
    return "-".join(name.split())


def _width(text: str) -> int:
    """The columns that a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
