"""reStructuredText to a `Document`, by a scanner of our own.

In: the bytes of a source. Out: its section titles with exact lines, blocks,
labels and links. The reference parser, docutils, says on which line something
was noticed, not where it begins and ends, so its rules of recognition are
followed here: which line begins what, titles by their marks and levels by order
of appearance. Nothing is executed or included, and a directive is known by its
name only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from leafmark.model import Block, BlockKind, Document, Heading, Link
from leafmark.parsing.lined import LineScanner, SourceLines, Title, parse_lined

# -- rst_inline ------------------------------------------------------------
# Inline markup of reStructuredText: the words of a title, and links.
#
# Recognised as the specification's rules have it in the main: markup starts after
# white space or an opening mark and ends before white space or a closing one.

_BEFORE = r"(?:(?<=[\s'\"(\[{<\-/:])|(?<=[^\w\x00-\x7f])|(?<![\s\S]))"
_AFTER = r"(?=[\s'\")\]}>\-/:.,;!?\\]|[^\w\x00-\x7f]|\Z)"
_NAME = r"\w++(?:[.+-]\w++|(?!)){0,8}+"
_INLINE = re.compile(
    rf"{_BEFORE}``(?P<literal>[^\s`](?:[^`]|`(?!`)|(?!))*+)``"
    rf"|{_BEFORE}(?::(?P<role>{_NAME}(?::{_NAME}|(?!)){{0,4}}+):|_|(?!))?+"
    r"`(?P<text>(?![ `])[^`\\]*+(?:\\[\s\S][^`\\]*+|(?!))*+)`"
    rf"(?P<after>__?|:{_NAME}(?::{_NAME}|(?!)){{0,4}}+:|(?!))?+"
    rf"|{_BEFORE}\*\*(?P<strong>(?![ *])[^*]++)\*\*{_AFTER}"
    rf"|{_BEFORE}\*(?P<emphasis>(?![ *])[^*]++)(?<! )\*{_AFTER}"
    rf"|{_BEFORE}\|(?P<substitution>(?![ |])[^|]++)(?<! )\|(?:__?)?{_AFTER}"
    rf"|{_BEFORE}\[(?P<note>\#?[\w.-]*+|\*)\]_{_AFTER}"
    rf"|{_BEFORE}(?P<reference>[^\W_]++(?:[-_.:+][^\W_]++|(?!)){{0,16}}+)__?{_AFTER}"
    r"|\\(?P<escaped>[\s\S])"
)
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_SHORTENED = "~"
_LINKING = frozenset(("ref", "doc", "any", "numref", "download"))


def title_text(source: str) -> str:
    r"""Return what is shown of a title.

    >>> title_text(":mod:`os` --- *Misc* ``x`` interfaces\\ s")
    'os --- Misc x interfacess'
    """
    if not _MARKS.search(source):
        return source
    return _INLINE.sub(_shown, source)


_MARKS = re.compile(r"[`*|\\_]")


def _shown(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind in ("text", "after"):
        return _interpreted(match)
    if kind == "note":
        return match["note"] if match["note"][:1].isalpha() else ""
    if kind == "escaped":
        return "" if match["escaped"].isspace() else match["escaped"]
    assert kind is not None, "every alternative has a name"
    return match[kind]


def _interpreted(match: re.Match[str]) -> str:
    text = match["text"]
    shown, target = _explicit(text)
    if target and (match["role"] or (match["after"] or "").startswith("_")):
        return shown or target
    if match["role"] and text.startswith(_SHORTENED):
        return text.rpartition(".")[2].removeprefix(_SHORTENED)
    if (match["role"] or "").lower() in _NUMBERED:
        return f"{match['role'].upper()} {text}"
    return re.sub(r"\\(.)", r"\1", text.removeprefix("!") if match["role"] else text)


def _explicit(text: str) -> tuple[str, str]:
    """What stands before a target in angle brackets at the end of `text`, and the target, if any.

    >>> _explicit("a page <page.html>")
    ('a page', 'page.html')
    """
    opening = text.rfind("<") if text.endswith(">") else -1
    if opening < 0:
        return text, ""
    return text[:opening].rstrip(), text[opening + 1 : -1]


def anchor_of(name: str) -> str:
    """Return the id that a page has for the target `name`.

    >>> anchor_of("My_Label 2")
    'my-label-2'
    """
    return _NOT_IN_ID.sub("-", name.lower()).strip("-").lstrip("0123456789-")


def find_links(text: str, offset: int) -> Iterator[Link]:
    """Yield the links in `text`, which is not code and begins at byte `offset`.

    A reference to a label is `#` and its id; a document is its path, without a suffix.
    """
    at, place = 0, offset
    for match in _INLINE.finditer(text):
        target = _link_target(match)
        if target:
            place += _size(text[at : match.start()])
            at = match.start()
            shown = target.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield Link(place, place + _size(match[0]), shown)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _link_target(match: re.Match[str]) -> str:
    if match.lastgroup not in ("text", "after"):
        return ""
    role, explicit = match["role"], _explicit(match["text"])[1]
    if role:
        name = role.rpartition(":")[2]
        target = " ".join((explicit or match["text"]).split())
        if name not in _LINKING:
            return ""
        return f"#{anchor_of(target)}" if name in ("ref", "numref") else target
    if explicit and (match["after"] or "").startswith("_"):
        target = "".join(explicit.split())
        return "" if target.endswith("_") else target
    return ""


# -- rst_tables ------------------------------------------------------------
# The tables of reStructuredText: where one ends, its header and its rows.
#
# In: the lines, seen from the left edge of what is being scanned. Out: line
# numbers. A table that is not well formed ends where its shape does, so that no
# title below it is lost.

GRID_TOP = re.compile(r"\+-[-+]+-\+\Z")
SIMPLE_TOP = re.compile(r"=+(?: +=+)+\Z")
_SIMPLE_BORDER = re.compile(r"=[ =]*\Z")

Line = Callable[[int], str]
"""The text of a line, its number given."""


class RstTable(NamedTuple):
    """A table up to the line `after`; its first row that is no header begins at `content`.

    `rows` are half-open ranges of lines; `content` is 0 where there is no header.
    """

    after: int
    content: int
    rows: tuple[tuple[int, int], ...]


def grid_table(line: Line, at: int, stop: int) -> RstTable:
    """Return the table of `+---+` and `|` that begins on line `at`."""
    after = at
    while after < stop and line(after)[:1] in ("+", "|"):
        after += 1
    rules = [i for i in range(at, after) if line(i)[0] == "+"]
    content = next((i + 1 for i in rules if set(line(i)) <= {"+", "="}), 0)
    rows = tuple((first + 1, last) for first, last in pairwise(rules) if first + 1 < last)
    return RstTable(after, content if content < after else 0, rows)


def simple_table(line: Line, at: int, stop: int) -> RstTable | None:
    """Return the table between lines of `=`, None where nothing closes it.

    It has two such lines, or three with a header.
    """
    borders = _borders(line, at, stop)
    if len(borders) == 1:
        return None
    content = borders[1] + 1 if len(borders) == 3 else 0
    rows = range(borders[-2] + 1, borders[-1])
    begun = tuple((row, row + 1) for row in rows if line(row)[:1].strip())
    return RstTable(borders[-1] + 1, content, begun)


def _borders(line: Line, at: int, stop: int) -> list[int]:
    """The lines of `=`, as long as the first; three at the most, a blank line ends the table."""
    borders = [at]
    for end in range(at + 1, stop):
        if _SIMPLE_BORDER.match(line(end)):
            if len(line(end)) != len(line(at)):
                break  # malformed: a title below it must not be lost
            borders.append(end)
            if len(borders) == 3 or end + 1 >= stop or not line(end + 1):
                break
    return borders


# -- rst_blocks ------------------------------------------------------------
# The lines of reStructuredText to titles and blocks.
#
# Each line at the left edge begins something, by the first pattern that fits, in
# docutils' order; what is indented below belongs to it. Titles stand at the left
# edge of the document only. Inside lists and directives the same is done at their
# own edge, down to a depth that no hand-written text reaches.

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
_TITLED = frozenset(("automodule", "module", "py:module", "only", "ifconfig"))
"""Directives of Sphinx whose content may have titles."""

_NUMBERED = frozenset(("pep", "rfc"))
_NO_LABELS = (-1, 0)


_OF_HEADER = re.compile(r"(?:(?P<key>[A-Za-z][\w-]*+):)? +(?P<value>.*)|[A-Za-z][\w-]*+:")
"""A line of a header as mails have them, and proposals such as those of Python."""


def _header_title(lines: Sequence[str]) -> str:
    """Return the title in the header of a text; empty if it has none.

    >>> _header_title(["PEP: 8", "Title: Style Guide", "Author: A,", "  B", "", "Text"])
    'Style Guide'
    >>> _header_title(["Title: a paragraph", "of words"])
    ''
    """
    matches = [_OF_HEADER.fullmatch(line) for line in takewhile(bool, lines)]
    fields = {row["key"].lower(): row["value"] for row in matches if row and row["key"]}
    return fields.get("title", "") if all(matches) else ""


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
        self.title = _header_title(lines.text)

    # -- one construct -----------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        line = self._line(at)
        if not line:
            return at + 1
        if line[0] == " ":
            return self._indented(at, level)
        for pattern, take in _BLOCK_READERS:
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
        match = _BULLET.match(self._line(at))
        return match.end() if match else 0

    def _number(self, at: int) -> int:
        """The width of an enumerator, 0 for text that only looks like one: a title, say."""
        match = _ENUMERATOR.match(self._line(at))
        following = self._line(at + 1) if at + 1 < self._stop else ""
        if not match or (following[:1].strip() and not _ENUMERATOR.match(following)):
            return 0
        return match.end()

    def _field(self, at: int) -> int:
        match = _FIELD.match(self._line(at))
        return match.end() if match else 0

    def _option(self, at: int) -> int:
        """The width of options that are described, on their line or below it."""
        line = self._line(at)
        match = _OPTIONS.match(line)
        below = at + 1 < self._stop and self._line(at + 1).startswith(" ")
        return match.end() if match and (match.end() < len(line) or below) else 0

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

    def _target(self, match: re.Match[str], at: int, after: int, level: int) -> int:
        if match[3] is None and after == at + 1:
            label = anchor_of(match[1] or match[2])
            begun = self._labels if self._labels != _NO_LABELS else (at, len(self.blocks))
            self._note(at, after, level)
            self._label, self._labels = label, _NO_LABELS if level else begun
            return after
        if match[3] and not match[3].endswith("_"):
            start, end = self.lines.places(at, at + 1)
            self.links.append(Link(start, end, match[3].replace(" ", "")))
        return self._note(at, after, level)

    def _anonymous(self, at: int, level: int) -> int:
        return self._note(at, max(at + 1, self._after_indented(at + 1)), level)

    def _directive(self, match: re.Match[str], at: int, after: int, level: int) -> int:
        name, argument = match[1].lower(), (match[2] or "").strip()
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
        if not level and name in _TITLED and self._titles_inside(at, content, after):
            return after
        self._add("quote" if after > at + 1 else "paragraph", at, after, level)
        self._inside(content, after, level + 1, self._inner_edge(content, after))
        return after

    def _titles_inside(self, at: int, content: int, after: int) -> bool:
        """Take the content of a directive for that of the document, if it has titles."""
        titles, blocks = len(self.titles), len(self.blocks)
        self._add("paragraph", at, content, 0)
        self._inside(content, after, 0, self._inner_edge(content, after))
        if len(self.titles) == titles:
            del self.blocks[blocks:]
        return len(self.titles) > titles

    def _after_options(self, at: int, after: int) -> int:
        """Where a directive's content begins, after its options and a blank line."""
        while at < after and self.lines.text[at].lstrip().startswith(":"):
            at += 1
        return self.lines.after_blank(at, after)


_Taker = Callable[[RstScanner, int, int], int]
_BLOCK_READERS: tuple[tuple[re.Pattern[str], _Taker], ...] = (
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


def parse_rst(data: bytes, path: str) -> Document:
    """Return the document of a reStructuredText source."""
    return parse_lined(
        data,
        path,
        "rst",
        scanner=RstScanner,
        link_marks=b"`",
        title_text=title_text,
        find_links=_links,
    )


_MARKUP = re.compile(rb"[`_]")


def _links(data: bytes, headings: Sequence[Heading], scanner: RstScanner) -> list[Link]:
    """The links in what is not code, and those of directives and targets."""
    links = list(scanner.links)
    prose = [(h.start, h.end) for h in headings]
    prose += [(block.start, block.end) for block in _leaves(scanner.blocks) if block.kind != "code"]
    for start, end in prose:
        raw = data[start:end]
        if _MARKUP.search(raw):
            links += find_links(raw.decode("utf-8", "surrogateescape"), start)
    return sorted(set(links))


def _leaves(blocks: list[Block]) -> list[Block]:
    """The blocks that hold no other."""
    following = [*(block.level for block in blocks[1:]), 0]
    return [block for block, level in zip(blocks, following, strict=False) if level <= block.level]
