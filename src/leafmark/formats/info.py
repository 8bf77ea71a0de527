"""GNU Info to a `Document`, by a scanner of our own.

In: the bytes of a manual as makeinfo writes it, or of a part of one. Out: its nodes and titles with
exact lines, blocks, references and named places. The title of the node Top names the manual. The
tables after the last node belong to the document itself.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from leafmark.model import Anchor, Document, Heading, Link, ReadableText
from leafmark.parsing.lined import LineScanner, SourceLines, Title, parse_lined
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import ReadableBuilder, without_mark
from leafmark.parsing.titles import fold

# -- info_text ------------------------------------------------------------
# The readable text of Info: as an Info reader shows it, without the menus of nodes.
#
# In: a source and spans of it. Out: `ReadableText`. It leaves out the text before the first node,
# the lines that begin nodes, and the tables after the last one; and menus, which repeat the titles
# of the sections below them, and indexes, which repeat the text of other nodes. The last separator
# before a span decides what the span begins in, so that only the span itself is read.

SEPARATOR = re.compile(rb"^\x1f\f?+[ \t\r]*+(?:\n|\Z)", re.MULTILINE)
"""A line that separates nodes."""

NODE = re.compile(rb"\x1f\f?+[ \t\r]*+\n(?P<head>File:[^\n]*?Node:[^\n]*+)(?:\n|\Z)")
"""The lines that begin a node."""

_ENTRY = rb"\*[ ](?=\S)[^\n]*?(?:::|:(?=\s))"
_MENU = re.compile(
    rb"^%b[^\n]*+(?:\n|\Z)(?:[ \t]++(?=\S)[^\n]*+(?:\n|\Z)|(?!))*+" % _ENTRY
    + rb"|(?:(?<=\n\n)|(?<=\n\r\n))(?:[ ]{0,2}+(?=[^\s*])[^\n]*+\n|(?!)){1,2}+"
    + rb"(?:[ \t\r]*+\n|(?!))*+(?=(?!\*[ ]Menu:)%b)" % _ENTRY
    + rb"|^[ ]?(?:-{2,3}|\xe2\x80\x94)[ ][^\n]*?[ ](?:-{2,3}|\xe2\x80\x94)[ \t\r]*+\n"
    + rb"(?:[ ]?-++[ \t\r]*+\n|(?!))?+|^\x00\x08\[index\x00\x08\][ \t\r]*+(?:\n|\Z)",
    re.MULTILINE,
)
"""An entry of a menu with the indented lines below it, `* Menu:`, a title right above entries, the
title of the listing of all nodes, or the mark of an index."""

REFERENCE = re.compile(
    rb"\*[Nn]ote[ \t\r\n]{1,40}(?P<shown>[^:\x1f]{1,300})"
    rb"(?:::|:[ \t\r\n]{1,40}(?P<node>(?:\([^()\n]{1,100}\))?[^.,\t\x1f]{0,300})(?=[.,\t]))"
)
"""`*note Node::`, or `*note words: (file)Node` before a mark."""

_INLINE = re.compile(rb"%b|\x00\x08\[(?P<picture>[^\x00]*+)\x00\x08\]" % REFERENCE.pattern)
_WORDS = re.compile(rb"(?:^|\s)(text|alt)=\"((?:[^\"\\]|\\.|(?!))*+)\"", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")

_LINE, _PARAGRAPH = 1, 2


def read(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


def unread_in(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of `data[start:end]` that are not text, in order.

    They are whole lines if the range has whole lines.
    """
    last = data.rfind(b"\n\x1f", 0, start) + 1
    node = NODE.match(data, last)
    at = start
    if node and node.end() > start:
        at = min(node.end(), end)
        yield start, at
    while at < end:
        parting = SEPARATOR.search(data, at, end)
        stop = parting.start() if parting else end
        if node:
            yield from (menu.span() for menu in _MENU.finditer(data, at, stop))
        elif at < stop:
            yield at, stop
        if parting is None:
            return
        node = NODE.match(data, stop)
        at = min((node or parting).end(), end)
        yield stop, at


class _Reader:
    """Reads spans in order; writes pending line breaks before words."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._breaks = _LINE

    def read(self, start: int, end: int) -> None:
        at = start
        for first, after in unread_in(self.data, start, end):
            self._text(at, first)
            at = after
        self._text(at, end)

    def _text(self, start: int, end: int) -> None:
        """Write lines without blank ones around them, with references and pictures as text."""
        data = self.data
        stop = start + len(data[start:end].rstrip())
        words = stop - len(data[start:stop].lstrip())
        at = max(start, data.rfind(b"\n", start, words) + 1)
        if at >= stop:
            return
        self.out.add_break(self._breaks)
        self._breaks = _PARAGRAPH
        for match in _INLINE.finditer(data, at, stop):
            self.out.add_verbatim(data, at, match.start())
            at = match.end()
            if match["picture"] is None:
                self.out.add_verbatim(data, *match.span("shown"))
            else:
                self.out.add(_words_of(match["picture"]), *match.span())
        self.out.add_verbatim(data, at, stop)


def _words_of(picture: bytes) -> str:
    r"""Return the text in place of a picture.

    >>> _words_of(b'image src="a.png" alt="A" text="\\"a\\"\n-->"')
    '"a"\n-->'
    """
    fields: dict[bytes, bytes] = dict(_WORDS.findall(picture))
    words = fields.get(b"text") or fields.get(b"alt") or b""
    return _ESCAPE.sub(r"\1", words.decode("utf-8", "replace"))


# -- info_nodes ------------------------------------------------------------
# The nodes of Info to headings and blocks.
#
# A node is a section, and its heading extends from the line that begins it to the line below its
# title. `*` below a title is depth 1, `=` 2, `-` 3, `.` 4; a node without a title is one deeper
# than the node above it. Texinfo draws the line exactly as wide as the title, unlike a table's.

_RULE = re.compile(r"([*=.-])\1*\Z")
_DEPTHS = {"*": 1, "=": 2, "-": 3, ".": 4}
_FIELD = re.compile(r"(File|Node|Up):[ \t]*+(?:\x7f([^\x7f]*+)\x7f|([^,\t\x7f]*+))")
_FOOTNOTES = "-Footnotes"
_TOP = "Top"


class InfoScanner(LineScanner):
    """Scans nodes; `levels` has the level of each, by name, and `manual` is its files' name."""

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
        for separator in SEPARATOR.finditer(data):
            node = NODE.match(data, separator.start())
            line = self._at(separator.start())
            if node:
                self._nodes[line] = node["head"].decode("utf-8", "replace")
                self.after = len(lines)
            elif self._nodes and self.after == len(lines):
                self.after = line

    def _at(self, byte: int) -> int:
        """Return the number of the line that begins at a byte."""
        return min(bisect_left(self.lines.starts, byte), len(self.lines))

    def scan(self) -> None:
        """Read all lines; a part without the node Top has the name of the files."""
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
        """Read the lines that begin a node, and its title; a node of footnotes is not a section."""
        fields = {
            match[1]: fold(match[2] or match[3]) for match in _FIELD.finditer(self._nodes[at])
        }
        name = fields.get("Node", "")
        after = at + 2
        if name == self._above + _FOOTNOTES or not name:
            return self._add("thematic_break", at + 1, after, 0)
        title = self.lines.after_blank(after, self._stop)
        up = fields.get("Up", "")
        level = self.levels.get(up, 0) + 1 if up != _TOP else 1
        self.manual = self.manual or fields.get("File", "").removesuffix(".info")
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
        """Read a title inside a node: a part of the node, whatever its line is drawn with."""
        level = max(_DEPTHS[self._line(at + 1)[0]], self._level + 1)
        self.titles.append(Title(level, self._line(at), at, at + 2, ""))
        return at + 2

    def _is_title(self, at: int) -> bool:
        """Whether a line stands alone above a line of marks of exactly its width."""
        stop = min(self._stop, self.after)
        if at + 1 >= stop or at + 1 in self._nodes or self._line(at)[:1] in ("", " "):
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
    """Return the columns that a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


_PLACE = re.compile(rb"^Ref: ([^\n\x7f]{1,1000}+)\x7f(\d{1,10})$", re.MULTILINE)
_PARTS = re.compile(rb"^\x1f\f?+[ \t\r]*+\nIndirect:", re.MULTILINE)
_NODE = re.compile(r"\x7f?(?:\((?P<file>[^()]*)\))?\s*(?P<name>[^\x7f]*)")


def parse(data: bytes, path: str) -> Document:
    """Return the document of an Info file."""
    places: list[Anchor] = []

    def links(source: bytes, _headings: Sequence[Heading], scanner: InfoScanner) -> Iterator[Link]:
        if not _PARTS.search(source):
            places.extend(_places(source))
        return _links(source, scanner, {*scanner.levels, *(place.name for place in places)})

    document = parse_lined(
        data,
        path,
        "info",
        scanner=InfoScanner,
        link_marks=b"\x1f",
        title_text=fold,
        find_links=links,
    )
    if document.degraded:
        return document
    named = tuple(place._replace(name=anchor_of(place.name)) for place in places)
    return document._replace(reader=read, anchors=named)


def _places(data: bytes) -> Iterator[Anchor]:
    """Yield the named places from the table at the end."""
    for match in _PLACE.finditer(data):
        if int(match[2]) < len(data):
            yield Anchor(fold(match[1].decode("utf-8", "replace")), int(match[2]))


def _links(data: bytes, scanner: InfoScanner, names: set[str]) -> Iterator[Link]:
    """Yield the references in the text; one to another file names the manual."""
    manual = scanner.manual
    for match in REFERENCE.finditer(data):
        node = _NODE.match((match["node"] or match["shown"]).decode("utf-8", "replace"))
        assert node is not None, "it matches any text"
        name, file = fold(node["name"]), (node["file"] or "").strip().removesuffix(".info")
        if not file and name in names:
            yield Link(*match.span(), f"#{anchor_of(name)}", "link")
        elif file or manual:
            place = f"#{anchor_of(name)}" if name and name != "Top" else ""
            yield Link(*match.span(), f"{file or manual}{place}", "wiki")
