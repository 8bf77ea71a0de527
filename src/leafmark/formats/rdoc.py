"""RDoc to a `Document`, by a scanner of our own.

In: the bytes of a source, such as the README or a guide of a Ruby gem. Out:
its headings with exact lines, blocks and links. RDoc's own parser does not record
places, so the rules below follow its rules for lines. Directives
(`:include:`, `:title:`) are text, and nothing is included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leafmark.model import Document, Heading, Link
from leafmark.parsing.lined import LineScanner, Title, outside_code, parse_lined

# -- rdoc_blocks ------------------------------------------------------------
# The lines of RDoc to headings and blocks.
#
# The first marks of a line and its indentation decide what it begins: at the left
# edge `=` begins a heading, `*`, `1.`, `[label]` and `label::` an item, `---` is a
# rule; lines indented further than the text around them are code.

_HEADING = re.compile(r"(=+)\s*([^=>\s].*)\Z")
_DEEPEST = 6
_RULE = re.compile(r"-{3,}\Z")
_QUOTE = ">>>"
_ITEM = re.compile(r"(?:[*-] +(?=\S)|(?:[A-Za-z]|\d+)\. +(?=\S)|\[.*?\](?: +|\Z)|\S.*?::(?: +|\Z))")


class RdocScanner(LineScanner):
    """Reads the lines at the edge; the content of an item or a quote has its own edge."""

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
        """Read items one after another; blank lines between them are part of the list."""
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
        """Read an item: the words after its mark and the lines right below, then its content."""
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
        """Whether a line continues the paragraph above it."""
        line = self.lines.text[at][edge:]
        begins = not line or line[0] == " " or line == _QUOTE
        return not (begins or _RULE.match(line) or _HEADING.match(line) or _ITEM.match(line))


_LABELLED = (
    r"(?:\{([^{}\n]{1,400})\}|(?<![\w{}])(\w{1,100}))\[(?=[^\[\]\s]*[:/.#])[^\[\]\s]{1,1000}\]"
)
_LINK = re.compile(
    rb"(?:\{[^{}\n]{1,400}+\}|(?<!\w)\w{1,100}+)"
    rb"\[(?P<target>(?=[^\[\]\s]{0,100}[:/.#])[^\[\]\s]{1,1000}+)\]"
    rb"|(?<![\w:])(?P<address>(?:https?://|link:|rdoc-ref:)[^\s\[\]{}<>\"]{0,1000}[\w/=#&])"
)
_MARKS = re.compile(
    r"<(tt|code|b|em|i|s|del)>(.+?)</\1>|(?<!\w)([*_+])(?=\S)([\w:./#?!=\[\]-]+?)\3(?!\w)"
)
"""Formatting: tags, and marks around one word."""

_ESCAPE = re.compile(r"\\(?=[A-Z#:<*_+{])")
_FILE = re.compile(
    r"(?:rdoc-ref:|link:)(?:/?((?:[\w.-]+/)*[\w.-]+\.(?:rdoc|md|txt|rb|html)))?(?:[@#].*)?"
)
_MAX_TITLE = 1000


def parse(data: bytes, path: str) -> Document:
    """Return the document of an RDoc source."""
    return parse_lined(
        data,
        path,
        "rdoc",
        scanner=RdocScanner,
        link_marks=b"[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    r"""Return the shown text of a heading, without marks of formatting and targets.

    >>> title_text("The +many_to_many+ type of \\Sequel, <tt>a b</tt>")
    'The many_to_many type of Sequel, a b'
    >>> title_text("See {the guide}[rdoc-ref:doc/a.rdoc] and Ruby[https://example.org/]")
    'See the guide and Ruby'
    """
    if len(source) > _MAX_TITLE:
        return source
    words = re.sub(_LABELLED, r"\1\2", source)
    return _ESCAPE.sub("", _MARKS.sub(r"\2\4", words))


def _links(data: bytes, _headings: Sequence[Heading], scanner: RdocScanner) -> Iterator[Link]:
    """Yield the links outside of code; paths of the project start at the project's folder."""
    for match in outside_code(_LINK, data, scanner.blocks):
        target = (match["target"] or match["address"]).decode("utf-8", "replace")
        file = _FILE.fullmatch(target)
        if file and file[1]:
            target = f"/{file[1]}"
        yield Link(match.start(), match.end(), target, "link")
