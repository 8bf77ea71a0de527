"""The lines of reStructuredText to titles and blocks.

Each line at the left edge begins something, by the first pattern that fits, in
docutils' order; what is indented below belongs to it. Titles stand at the left
edge of the document only. Inside lists and directives the same is done at their
own edge, down to a depth that no hand-written text reaches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from leafmark.model import BlockKind, Link
from leafmark.parsing.lined_document import LineScanner, Title
from leafmark.parsing.rst_inline import anchor_of
from leafmark.parsing.rst_tables import (
    GRID_TOP,
    SIMPLE_TOP,
    RstTable,
    grid_table,
    simple_table,
)
from leafmark.parsing.source_lines import SourceLines

__all__ = ["RstScanner"]

_SHORTEST_RULE = 4

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*\Z")
_BULLET = re.compile(r"[-+*\u2022\u2023\u2043](?: +|\Z)")
_ENUMERATOR = re.compile(r"\(?(?:[0-9]+|[a-zA-Z]|[ivxlcdmIVXLCDM]+|#)[.)](?: +|\Z)")
_FIELD = re.compile(r":(?![: ])(?:[^:\\]|\\.|:(?![ `]|\Z)|(?!))*+(?<! ):(?: +|\Z)")
_ARGUMENT = r"(?:[a-zA-Z][a-zA-Z0-9_-]*+|<[^<>]+>)"
_OPTION = (
    rf"(?:[-+][a-zA-Z0-9](?: ?{_ARGUMENT})?|(?:--|/)[a-zA-Z0-9][a-zA-Z0-9_-]*+(?:[ =]{_ARGUMENT})?)"
)
_OPTIONS = re.compile(rf"{_OPTION}(?:, {_OPTION}|(?!))*+(?:  +| ?\Z)")
_DOCTEST = re.compile(r">>>(?: |\Z)")
_LINE_BLOCK = re.compile(r"\|(?: |\Z)")
_EXPLICIT = re.compile(r"\.\.(?: +|\Z)")
_ANONYMOUS = re.compile(r"__(?: +|\Z)")
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]+\| +)?([\w](?:[-.+:\w]*\w)?) ?::(?: +(.*))?\Z")
_TARGET = re.compile(
    r"\.\. +_(?![ _])(?:`([^`]+)`|((?:[^:\\]|\\.|:(?! |\Z)|(?!))++)):(?: +(.+))?\Z"
)
_SUBSTITUTION = re.compile(r"\.\. +\|")

_CODE = frozenset(("code-block", "code", "sourcecode"))
_VERBATIM = frozenset(
    (
        *("parsed-literal", "literalinclude", "prompt", "productionlist", "raw", "math"),
        *("testcode", "testoutput", "testsetup", "doctest", "graphviz", "digraph"),
    )
)
_TABLES = frozenset(("csv-table", "list-table", "table", "flat-table", "tabularcolumns"))
_IMAGES = frozenset(("image", "figure", "kernel-figure", "kernel-image"))
_NO_LABELS = (-1, 0)


_Mark = Callable[["RstScanner", int], int]
"""The width of an item's mark on a line, 0 where the line begins no item."""


class RstScanner(LineScanner):
    """Notes `links` of directives and targets, too."""

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self.links: list[Link] = []
        self._styles: list[tuple[str, bool]] = []
        self._label = ""
        self._labels = _NO_LABELS  # where those that adjoin begin: a line, and a number of blocks
        self._language = ""

    # -- one construct -----------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        line = self._line(at)
        if not line:
            return at + 1
        if line[0] == " ":
            return self._indented(at, level)
        for pattern, take in _TAKERS:
            if pattern.match(line):
                after = take(self, at, level)
                if after > at:
                    return after
        return self._text(at, level)

    def _add(
        self, kind: BlockKind, first: int, after: int, level: int, info: str = "", head: int = 0
    ) -> int:
        """Note a block of lines; a block between a label and a title parts them."""
        self._label, self._labels = "", _NO_LABELS
        return super()._add(kind, first, after, level, info, head)

    def _after_indented(self, index: int) -> int:
        return self.lines.after_indented(index, self._stop, self._edge + 1)

    # -- text and titles -----------------------------------------------------------

    def _text(self, at: int, level: int) -> int:
        """A title with a line below it, a term with its definition, or a paragraph."""
        following = self._line(at + 1) if at + 1 < self._stop else ""
        if not level and _RULE.match(following):
            title = self._line(at)
            if _width(title) <= len(following) or len(following) >= _SHORTEST_RULE:
                after = self._title(title, (following[0], False), at, at + 2)
                if after:
                    return after
        if following.startswith(" "):
            return self._definition(at, level)
        after = at + 1
        while after < self._stop and self._line(after)[:1].strip():
            after += 1
        self._add("paragraph", at, after, level)
        if self._line(after - 1).endswith("::"):
            return self._literal(after, level)
        return after

    def _title(self, source: str, style: tuple[str, bool], first: int, after: int) -> int:
        """Take a title, or return 0 where its style does not fit the levels around it."""
        above = self.titles[-1].level if self.titles else 0
        styles = [*self._styles, style] if style not in self._styles else self._styles
        level = styles.index(style) + 1
        if level > above + 1:
            return 0
        self._styles = styles
        labels, blocks = self._labels
        if labels >= 0:
            first = labels
            del self.blocks[blocks:]
        self.titles.append(Title(level, source.strip(), first, after, self._label))
        self._label, self._labels = "", _NO_LABELS
        return after

    def _rule(self, at: int, level: int) -> int:
        """A title with lines above and below it, or a transition."""
        line = self._line(at)
        blank_next = at + 1 >= self._stop or not self._line(at + 1)
        if level or (blank_next and len(line) >= _SHORTEST_RULE):
            short = len(line) < _SHORTEST_RULE
            return at if short else self._add("thematic_break", at, at + 1, level)
        if blank_next:
            return at
        title = self._line(at + 1)
        under = self._line(at + 2) if at + 2 < self._stop else ""
        if under == line and not _RULE.match(title):
            fits = _width(title) <= len(line) or len(line) >= _SHORTEST_RULE
            after = self._title(title, (line[0], True), at, at + 3) if fits else 0
            if after:
                return after
        if len(line) < _SHORTEST_RULE:
            return at
        after = at + 1 + (1 if _RULE.match(title) else 2)  # an error to docutils; text to us
        return self._add("paragraph", at, min(after, self._stop), 0)

    def _definition(self, at: int, level: int) -> int:
        after = self._after_indented(at + 1)
        self._add("definition", at, after, level)
        self._inside(at + 1, after, level + 1, self._inner_edge(at + 1, after))
        return after

    def _literal(self, at: int, level: int) -> int:
        """What follows `::`: the indented lines, or lines that all begin with one mark."""
        first = self.lines.after_blank(at, self._stop)
        if first >= self._stop:
            return at
        line = self._line(first)
        if line[:1] == " ":
            after = self._after_indented(first)
            return self._add("code", first, after, level, self._language)
        if not line or line[0].isalnum() or not line[0].isascii():
            return at
        after = first
        while after < self._stop and self._line(after)[:1] == line[0]:
            after += 1
        return self._add("code", first, after, level, self._language)

    def _indented(self, at: int, level: int) -> int:
        after = self._after_indented(at)
        self._add("quote", at, after, level)
        self._inside(at, after, level + 1, self._inner_edge(at, after))
        return after

    def _inner_edge(self, first: int, after: int) -> int:
        """The least indentation of lines."""
        lines = self.lines
        return min((lines.indent(i) for i in range(first, after) if lines.text[i]), default=0)

    # -- lists -----------------------------------------------------------------------

    def _list(self, at: int, level: int, mark: _Mark) -> int:
        """Items of one kind, one after another; none where the first line begins none."""
        items, following = [], at
        while following < self._stop:
            width = mark(self, following)
            if not width:
                break
            end = max(following + 1, self._after_indented(following + 1))
            items.append((following, end, width))
            following = self.lines.after_blank(end, self._stop)
        if not items:
            return at
        after = items[-1][1]
        self._add("list", at, after, level)
        for first, end, width in items:
            super()._add("list_item", first, end, level + 1)
            begun = len(self.blocks)
            self._inside_item(first, end, width, level + 2)
            if len(self.blocks) == begun + 1:  # one paragraph says no more than the item
                self.blocks.pop()
        return after

    def _inside_item(self, first: int, end: int, width: int, level: int) -> None:
        """The blocks of an item, whose first line begins beside its mark."""
        edges = [self.lines.indent(i) for i in range(first + 1, end) if self.lines.text[i]]
        edge = min([self._edge + width, *edges]) if edges else self._edge + width
        if edge == self._edge + width:
            self._inside(first, end, level, edge)

    def _bullet(self, at: int) -> int:
        found = _BULLET.match(self._line(at))
        return found.end() if found else 0

    def _number(self, at: int) -> int:
        """The width of an enumerator, 0 for text that only looks like one: a title, say."""
        found = _ENUMERATOR.match(self._line(at))
        following = self._line(at + 1) if at + 1 < self._stop else ""
        if not found or (following[:1].strip() and not _ENUMERATOR.match(following)):
            return 0
        return found.end()

    def _field(self, at: int) -> int:
        found = _FIELD.match(self._line(at))
        return found.end() if found else 0

    def _option(self, at: int) -> int:
        """The width of options that are described, on their line or below it."""
        line = self._line(at)
        found = _OPTIONS.match(line)
        below = at + 1 < self._stop and self._line(at + 1).startswith(" ")
        return found.end() if found and (found.end() < len(line) or below) else 0

    # -- tables and other blocks ---------------------------------------------------

    def _doctest(self, at: int, level: int) -> int:
        return self._add("code", at, self._until_blank(at), level, "pycon")

    def _line_block(self, at: int, level: int) -> int:
        after = at + 1
        while after < self._stop and re.match(r"[| ]", self._line(after)):
            after += 1
        return self._add("paragraph", at, after, level)

    def _grid_table(self, at: int, level: int) -> int:
        return self._table(grid_table(self._line, at, self._stop), at, level)

    def _simple_table(self, at: int, level: int) -> int:
        table = simple_table(self._line, at, self._stop)
        if table is None:
            return self._add("paragraph", at, self._until_blank(at), level)
        return self._table(table, at, level)

    def _table(self, table: RstTable, at: int, level: int) -> int:
        self._add("table", at, table.after, level, head=table.content)
        for first, after in table.rows:
            super()._add("table_row", first, after, level + 1)
        return table.after

    # -- explicit markup -----------------------------------------------------------

    def _explicit(self, at: int, level: int) -> int:
        line = self._line(at)
        after = max(at + 1, self._after_indented(at + 1))
        target = _TARGET.match(line)
        if target:
            return self._target(target, at, after, level)
        directive = _DIRECTIVE.match(line)
        if directive:
            return self._directive(directive, at, after, level)
        if line == ".." and at + 1 < self._stop and not self._line(at + 1):
            after = at + 1  # a comment with nothing in it ends at once
        return self._note(at, after, level)

    def _note(self, at: int, after: int, level: int) -> int:
        """A comment, a footnote, a target: nothing that parts a label from its title."""
        label = self._label
        self._add("definition", at, after, level)
        self._label = label
        return after

    def _target(self, found: re.Match[str], at: int, after: int, level: int) -> int:
        if found[3] is None and after == at + 1:
            label = anchor_of(found[1] or found[2])
            begun = self._labels if self._labels != _NO_LABELS else (at, len(self.blocks))
            self._note(at, after, level)
            self._label, self._labels = label, _NO_LABELS if level else begun
            return after
        if found[3] and not found[3].endswith("_"):
            start, end = self.lines.places(at, at + 1)
            self.links.append(Link(start, end, found[3].replace(" ", "")))
        return self._note(at, after, level)

    def _anonymous(self, at: int, level: int) -> int:
        return self._note(at, max(at + 1, self._after_indented(at + 1)), level)

    def _directive(self, found: re.Match[str], at: int, after: int, level: int) -> int:
        name, argument = found[1].lower(), (found[2] or "").strip()
        if name in ("highlight", "default-role"):
            self._language = argument.lower() if name == "highlight" else self._language
            return self._note(at, after, level)
        if name in _IMAGES and argument:
            start, end = self.lines.places(at, at + 1)
            self.links.append(Link(start, end, argument, "image"))
        content = self._after_options(at + 1, after)
        if name in _CODE or name in _VERBATIM:
            info = (argument.split() or [self._language])[0].lower() if name in _CODE else ""
            return self._add("code", at, after, level, info, content if content < after else 0)
        if name in _TABLES:
            return self._add("table", at, after, level)
        if _SUBSTITUTION.match(self._line(at)):
            return self._note(at, after, level)
        self._add("quote" if after > at + 1 else "paragraph", at, after, level)
        self._inside(content, after, level + 1, self._inner_edge(content, after))
        return after

    def _after_options(self, at: int, after: int) -> int:
        """Where a directive's content begins, after its options and a blank line."""
        while at < after and self.lines.text[at].lstrip().startswith(":"):
            at += 1
        return self.lines.after_blank(at, after)


_Taker = Callable[[RstScanner, int, int], int]
_TAKERS: tuple[tuple[re.Pattern[str], _Taker], ...] = (
    (_BULLET, lambda scanner, at, level: scanner._list(at, level, RstScanner._bullet)),
    (_ENUMERATOR, lambda scanner, at, level: scanner._list(at, level, RstScanner._number)),
    (_FIELD, lambda scanner, at, level: scanner._list(at, level, RstScanner._field)),
    (_OPTIONS, lambda scanner, at, level: scanner._list(at, level, RstScanner._option)),
    (_DOCTEST, RstScanner._doctest),
    (_LINE_BLOCK, RstScanner._line_block),
    (GRID_TOP, RstScanner._grid_table),
    (SIMPLE_TOP, RstScanner._simple_table),
    (_EXPLICIT, RstScanner._explicit),
    (_ANONYMOUS, RstScanner._anonymous),
    (_RULE, RstScanner._rule),
)
"""What a line begins, by the first pattern that fits; one that declines returns its own line."""


def _width(text: str) -> int:
    """The columns that a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
