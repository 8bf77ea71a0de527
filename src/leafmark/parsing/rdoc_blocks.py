"""The lines of RDoc to headings and blocks.

What a line begins is told by its first marks and by where it stands: at the left
edge `=` begins a heading, `*`, `1.`, `[label]` and `label::` an item, `---` is a
rule; what is indented further than the text around it is code.
"""

from __future__ import annotations

import re

from leafmark.parsing.lined_document import LineScanner, Title

__all__ = ["RdocScanner"]

_HEADING = re.compile(r"(=+)\s*([^=>\s].*)\Z")
_DEEPEST = 6
_RULE = re.compile(r"-{3,}\Z")
_QUOTE = ">>>"
_ITEM = re.compile(r"(?:[*-] +(?=\S)|(?:[A-Za-z]|\d+)\. +(?=\S)|\[.*?\](?: +|\Z)|\S.*?::(?: +|\Z))")


class RdocScanner(LineScanner):
    """Reads what stands at the edge; what an item or a quote holds has an edge of its own."""

    def _next(self, at: int, level: int) -> int:
        line = self._line(at)
        if not line:
            return at + 1
        if line[0] == " ":
            return self._add("code", at, self._after_indented(at, 1), level)
        if _RULE.match(line):
            return self._add("thematic_break", at, at + 1, level)
        heading = _HEADING.match(line)
        if heading:
            return self._heading(at, min(len(heading[1]), _DEEPEST), heading[2], level)
        if line == _QUOTE:
            return self._quote(at, level)
        return self._list(at, level) if _ITEM.match(line) else self._paragraph(at, level)

    def _after_indented(self, at: int, least: int) -> int:
        return self.lines.after_indented(at, self._stop, self._edge + least)

    def _heading(self, at: int, depth: int, words: str, level: int) -> int:
        if level:
            self._add("heading", at, at + 1, level)
        self.titles.append(Title(depth, words, at, at + 1, "", level > 0))
        return at + 1

    def _quote(self, at: int, level: int) -> int:
        after = max(at + 1, self._after_indented(at + 1, 1))
        self._add("quote", at, after, level)
        self._body(at + 1, after, level + 1)
        return after

    def _list(self, at: int, level: int) -> int:
        """Items one after another; blank lines between them are part of the list."""
        items, end = list[tuple[int, int]](), at
        while end < self._stop and _ITEM.match(self._line(end)):
            first = end
            end = max(first + 1, self._after_indented(first + 1, 1))
            items.append((first, end))
            following = self.lines.after_blank(end, self._stop)
            if following < self._stop and _ITEM.match(self._line(following)):
                end = following
        after = items[-1][1]
        self._add("list", at, after, level)
        for first, stop in items:
            self._item(first, stop, level + 1)
        return after

    def _item(self, first: int, stop: int, level: int) -> None:
        """An item: the words beside its mark and the lines right below, then what it holds."""
        self._add("list_item", first, stop, level)
        edge = self._least_indent(first + 1, stop)
        after = first + 1
        while after < stop and self.lines.indent(after) == edge and self._is_text(after, edge):
            after += 1
        self._add("paragraph", first, after, level + 1)
        self._body(after, stop, level + 1)

    def _body(self, first: int, after: int, level: int) -> None:
        if first < after:
            self._inside(first, after, level, self._least_indent(first, after))

    def _least_indent(self, first: int, after: int) -> int:
        indents = [self.lines.indent(i) for i in range(first, after) if self.lines.text[i]]
        return min(indents, default=0)

    def _paragraph(self, at: int, level: int) -> int:
        after = at + 1
        while after < self._stop and self._is_text(after, self._edge):
            after += 1
        return self._add("paragraph", at, after, level)

    def _is_text(self, at: int, edge: int) -> bool:
        """Whether a line goes on with the paragraph above it."""
        line = self.lines.text[at][edge:]
        begins = not line or line[0] == " " or line == _QUOTE
        return not (begins or _RULE.match(line) or _HEADING.match(line) or _ITEM.match(line))
