"""AsciiDoc to a `Document`, by a scanner of our own.

In: the bytes of a source. Out: its titles with exact lines, blocks, ids and
links. No maintained parser for Python gives structure with places, so the
language's rules for what begins a block are followed here. `=` is depth 1, `==`
depth 2. Nothing is included, evaluated or run; attributes are not replaced.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from leafmark.model import BlockKind, Document, Heading, Link
from leafmark.parsing.lined import LeadingLineScanner, SourceLines, Title, outside_code, parse_lined

# -- asciidoc_lists ------------------------------------------------------------
# Which line of AsciiDoc is an item of a list, and of which list.
#
# The marker says it, not the indentation: a marker that no open list has opens a list
# inside the item above, and one that an open list has goes on with that list.

_ITEM = re.compile(
    r"[ \t]*(?:(-|\*{1,5}|\.{1,5}|\u2022|\d+\.|[a-zA-Z]\.|[IVXivx]+\)|<[\d.]+>)[ \t]+\S"
    r"|(?!//)[^ \t].*?(:{2,4}|;;)(?:\Z|[ \t]))"
)


class Item(NamedTuple):
    """An item of a list that is inside `depth` others; lines `[first, after)` are its own.

    Lines of attributes for the list that it opens are `[about, first)`. `joints` are its lines
    with `+`, each of which attaches a block.
    """

    depth: int
    about: int
    first: int
    after: int
    joints: Sequence[int]


class OpenLists:
    """The markers of the open lists, from the outermost one."""

    def __init__(self) -> None:
        self._markers: list[str] = []

    def __contains__(self, marker: str) -> bool:
        return marker in self._markers

    def enter(self, marker: str) -> int:
        """Continue the list of a marker, or open one; return the number of lists around it."""
        if marker in self._markers:
            del self._markers[self._markers.index(marker) + 1 :]
        else:
            self._markers.append(marker)
        return len(self._markers) - 1


def marker_of(line: str) -> str:
    """Return the marker that all items of a line's list share; "" if the line is not an item.

    >>> [marker_of(line) for line in ("** a", "12. b", "IV) c", "<2> d", "term:: e", "f")]
    ['**', '1.', 'A)', '<', '::', '']
    """
    match = _ITEM.match(line)
    if match is None:
        return ""
    mark: str = match[1] or match[2]
    if mark[0].isdigit():
        return "1."
    if mark[0].isalpha():
        return ("a" if mark[0].islower() else "A") + mark[-1]
    return "<" if mark[0] == "<" else mark


# -- asciidoc_blocks ------------------------------------------------------------
# The lines of AsciiDoc to titles and blocks.
#
# A line begins a block only after a blank line, a list, or lines about the block
# to come (`[source]`, `[[id]]`, `.Title`). What is between delimiters is not read
# for titles. Lines that would be left out by conditions (`ifdef::`) are content:
# nothing is evaluated and nothing is included, but attributes that move levels are.

_ATX = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)\Z")
_SETEXT = re.compile(r"(?!\.)(?=[^\w]*\w).*\Z")
_SETEXT_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_DELIMITER = re.compile(
    r"(?:(-{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\.{4,}|/{4,}|`{3,})(.*)|--|([|,:!]={3,}))\Z"
)
_ATTRIBUTES = re.compile(r"\[(?=[\w{,.#\"'%]|\]).*\]\Z|\[\[[\w:][\w:.-]*(?:,.*)?\]\]\Z")
_BLOCK_TITLE = re.compile(r"\.[^ .].*\Z|\.\.[^ .].*\Z")
_ATTRIBUTE = re.compile(r":(!?\w[^:]*):(?:[ \t]+(.*))?\Z")
_COMMENT = re.compile(r"//(?!/)")
_DIRECTIVE = re.compile(r"(?:ifdef|ifndef|ifeval|endif|include)::\S*\[.*\]\Z")
_MACRO = re.compile(r"(?:(?:image|video|audio)::[^\s\[][^\[]*|toc::)\[.*\]\Z")
_RULES = re.compile(r"(?:'{3,}|-{3}|\*{3}|- - -|\* \* \*|<{3,})\Z")

_ID = re.compile(
    r"\[\[([\w:][\w:.-]*)|\[(?:[^\[\]]*[,\]])?[^\[\],]*#([\w:][\w:-]*)|\bid=[\"']?([\w:.-]+)"
)
_INLINE_ID = re.compile(r"\[\[([\w:][\w:.-]*)(?:,[^\[\]]*)?\]\]")
_STYLE = re.compile(r"\[\s*([\w-]*)")

_SIGNS_OF: dict[BlockKind, str] = {
    "code": "-.`", "html": "+", "definition": "/", "quote": "=*_", "table": "|,:!",
}  # fmt: skip
_KINDS = {sign: kind for kind, signs in _SIGNS_OF.items() for sign in signs}
_BELOW_LIST = 3
"""Levels left below the deepest list: its items, attached blocks, and the blocks in these."""

_PLAIN = frozenset(("code", "html", "definition", "table"))


class AsciiDocScanner(LeadingLineScanner):
    """Scans AsciiDoc; lines of attributes and titles belong to the block below them."""

    _alone = "paragraph"
    _deepest = 10  # lists in lists take two levels each, but are read once

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self._offset = 0
        self._language = ""
        self._fences: dict[str, list[int]] | None = None

    def scan(self) -> None:
        super().scan()
        self._flush(self._stop, 0)

    def _flush(self, at: int, level: int) -> None:
        """Note lines about a block that does not follow; within a block they are part of it."""
        if level:
            self._lead = -1
        else:
            super()._flush(at, level)

    # -- lines about what follows ----------------------------------------------------

    def _set_attribute(self, name: str, value: str) -> None:
        name = name.strip().lower()
        if name == "leveloffset":
            step = int(value) if re.fullmatch(r"[-+]?[0-9]", value) else 0
            self._offset = self._offset + step if value[:1] in ("+", "-") else step
        elif name == "source-language":
            self._language = value.strip().lower()

    def _lines_about(self, at: int) -> Sequence[str]:
        """Return the lines of attributes and title above the block on line `at`."""
        return self.lines.text[self._lead : at] if self._lead >= 0 else ()

    def _described(self, at: int) -> tuple[str, str]:
        """Return the style and the id that the lines above the block on line `at` give it."""
        style = anchor = ""
        for line in self._lines_about(at):
            match = _ID.search(line) if line.startswith("[") else None
            if match:
                anchor = match[match.lastindex or 0]
            named = None if line.startswith("[[") else _STYLE.match(line)
            if named and named[1]:
                style = named[1].lower()
        return style, anchor

    # -- one construct -----------------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        line = self.lines.text[at]
        if not line:
            return at + 1
        for take in _BLOCK_READERS:
            after = take(self, at, line, level)
            if after > at:
                return after
        return self._paragraph(at, level)

    def _about(self, at: int, line: str, level: int) -> int:
        """Attributes and the title of the block that follows; comments and conditions."""
        if _ATTRIBUTES.match(line) or _BLOCK_TITLE.match(line):
            if self.lines.after_blank(at + 1, self._stop) >= self._stop:
                return at
            return self._keep(at)
        entry = _ATTRIBUTE.match(line)
        if entry and not level:
            self._set_attribute(entry[1], entry[2] or "")
        elif not (_COMMENT.match(line) or _DIRECTIVE.match(line)):
            return at
        after = at + 1
        while entry and after < self._stop and self.lines.text[after - 1].endswith((" \\", " +")):
            after += 1
        if self._lead < 0:  # else it is part of what is said of the block to come
            self._add("definition", at, after, level)
        return after

    def _atx(self, at: int, line: str, level: int) -> int:
        match = _ATX.match(line)
        if not match:
            return at
        words = match[2].removesuffix(match[1])  # as many marks may close it
        closed = len(words) < len(match[2]) and words.endswith((" ", "\t"))
        words = words.rstrip() if closed else match[2]
        return self._title(at, at + 1, len(match[1]), words, level)

    def _setext(self, at: int, line: str, level: int) -> int:
        if at + 1 >= self._stop or level:
            return at
        under = self.lines.text[at + 1]
        depth = _SETEXT_LEVELS.get(under[:1])
        if depth is None or under.strip(under[0]) or abs(len(under) - len(line)) > 1:
            return at
        if not _SETEXT.match(line) or len(under) < 2:
            return at
        return self._title(at, at + 2, depth, line, level)

    def _title(self, at: int, after: int, depth: int, words: str, level: int) -> int:
        style, anchor = self._described(at)
        inline = _INLINE_ID.search(words)
        if inline:
            words, anchor = _INLINE_ID.sub("", words).strip(), inline[1]
        nested = level > 0 or style in ("discrete", "float")
        if level and style not in ("discrete", "float"):
            return at
        depth = max(1, depth + self._offset)
        if nested:
            self._add("heading", at, after, level)
        first = at if self._lead < 0 else self._lead
        self._lead = -1
        self.titles.append(Title(depth, words, at if nested else first, after, anchor, nested))
        return after

    def _delimited(self, at: int, line: str, level: int) -> int:
        """Take a block between two equal lines; if not closed, it ends with the text around it."""
        fence = _fence(line)
        if not fence:
            return at
        end = self._closing(at + 1, fence)
        after = min(end + 1, self._stop)
        style, _ = self._described(at)
        kind: BlockKind = "quote" if line == "--" else _KINDS[line[0]]
        if style in ("source", "listing") and line == "--":
            kind = "code"
        info = self._info(at, line[len(fence) :].lstrip("`")) if kind == "code" else ""
        self._add(kind, at, after, level, info, at + 1 if kind == "code" else 0)
        if kind == "table":
            self._rows(at + 1, end, level + 1)
        elif kind not in _PLAIN:
            self._inside(at + 1, end, level + 1)
        return after

    def _closing(self, at: int, fence: str) -> int:
        """Return the line that closes a block, or the end of the text around it; a look-up."""
        if self._fences is None:
            self._fences = {}
            for index, line in enumerate(self.lines.text):
                if line[:1] in _FENCE_MARKS and _DELIMITER.match(line):
                    self._fences.setdefault(line, []).append(index)
        places = self._fences.get(fence, [])
        following = bisect_left(places, at)
        return min(places[following], self._stop) if following < len(places) else self._stop

    def _info(self, at: int, fence_info: str) -> str:
        """The language of a block of code: after its fence, or the second of its attributes."""
        if fence_info:
            return fence_info.strip().split(",")[0].lower()
        for line in self._lines_about(at):
            parts = [part.strip() for part in line.strip("[]").split(",")]
            if line.startswith("[") and parts[0].split("%")[0] in ("source", "") and len(parts) > 1:
                return parts[1].lower()
            if line.startswith("[source"):
                return self._language
        return ""

    def _rows(self, first: int, after: int, level: int) -> None:
        """Note rows: every line that begins a cell begins a row, since columns are not counted."""
        starts = [i for i in range(first, after) if self.lines.text[i][:1] in ("|", "!")]
        for row, following in pairwise([*starts, after]):
            self._add("table_row", row, following, level)

    # -- lists and paragraphs ----------------------------------------------------------

    def _list(self, at: int, line: str, level: int) -> int:
        """Take a list of items; blank lines between them are part of it."""
        if not marker_of(line):
            return at
        items = self._items(at, max(0, (self._deepest - _BELOW_LIST - level) // 2))
        self._nest(items, level)
        return items[-1].after

    def _items(self, at: int, deepest: int) -> list[Item]:
        """Return the items from line `at` on; deeper ones than `deepest` count as that deep."""
        items, opened = list[Item](), OpenLists()
        about = first = at
        marker = self._marker(at)
        while marker:
            joints = list[int]()
            after = self._item_end(first, joints)
            items.append(Item(min(opened.enter(marker), deepest), about, first, after, joints))
            about, first, marker = self._below_item(after, opened)
        return items

    def _below_item(self, at: int, opened: OpenLists) -> tuple[int, int, str]:
        """Return the next item's first line with attributes, without them, and its marker, if any.

        Attributes right below an item are those of a list inside it; others part lists.
        """
        about = first = self.lines.after_blank(at, self._stop)
        marker = self._marker(first)
        if marker or about > at:
            return about, first, marker
        while first < self._stop and not marker and _ATTRIBUTES.match(self.lines.text[first]):
            first += 1
            marker = self._marker(first)
        return about, first, "" if marker in opened else marker

    def _marker(self, at: int) -> str:
        return marker_of(self.lines.text[at]) if at < self._stop else ""

    def _nest(self, items: Sequence[Item], level: int) -> None:
        """Note a list, and the lists inside its items."""
        self._add("list", items[0].first, items[-1].after, level)
        heads = [i for i, item in enumerate(items) if item.depth == items[0].depth]
        for head, following in pairwise([*heads, len(items)]):
            self._item(items[head], items[head + 1 : following], level + 1)

    def _item(self, item: Item, below: Sequence[Item], level: int) -> None:
        """Note an item: its text, the blocks attached to it, and the list below it."""
        after = below[-1].after if below else item.after
        self._add("list_item", item.first, after, level)
        if item.joints or below:
            text_end = item.joints[0] if item.joints else item.after
            self._add("paragraph", item.first, text_end, level + 1)
        for joint, following in pairwise([*item.joints, item.after]):
            self._lead = joint
            self._inside(joint + 1, following, level + 1)
        if below:
            self._lead = below[0].about
            self._nest(below, level + 1)

    def _item_end(self, at: int, joints: list[int]) -> int:
        """Return the end of an item: its lines, and the blocks that `+` or indentation attaches.

        The lines with `+` are added to `joints`.
        """
        at += 1
        text = self.lines.text
        while at < self._stop:
            line = text[at]
            if line == "+" and at + 1 < self._stop:
                joints.append(at)
                at = self._attached(at + 1)
            elif not line:
                following = self.lines.after_blank(at, self._stop)
                if following >= self._stop or text[following][0] != " ":
                    return at
                if marker_of(text[following]):
                    return at
                at = following + 1
            elif marker_of(line) or _ATTRIBUTES.match(line) or _fence(line):
                return at
            else:
                at += 1
        return at

    def _attached(self, at: int) -> int:
        """Where the block that begins on line `at` ends."""
        while at < self._stop and (
            _ATTRIBUTES.match(self.lines.text[at]) or not self.lines.text[at]
        ):
            at += 1
        if at < self._stop:
            fence = _fence(self.lines.text[at])
            if fence:
                return min(self._closing(at + 1, fence) + 1, self._stop)
        while at < self._stop and self.lines.text[at] not in ("", "+"):
            at += 1
        return at

    def _rule(self, at: int, line: str, level: int) -> int:
        return self._add("thematic_break", at, at + 1, level) if _RULES.match(line) else at

    def _macro(self, at: int, line: str, level: int) -> int:
        """A picture, a film or the table of contents: a block of one line."""
        return self._add("paragraph", at, at + 1, level) if _MACRO.match(line) else at

    def _indented(self, at: int, line: str, level: int) -> int:
        """A literal paragraph."""
        if line[0] != " ":
            return at
        after = self._until_blank(at)
        return self._add("code", at, after, level)

    def _paragraph(self, at: int, level: int) -> int:
        """Lines up to a blank one, or to attributes or a delimiter."""
        style, _ = self._described(at)
        info = self._info(at, "")
        after = at + 1
        text = self.lines.text
        while after < self._stop and text[after]:
            if _ATTRIBUTES.match(text[after]) or _fence(text[after]):
                break
            after += 1
        kind: BlockKind = "code" if style in ("source", "listing", "literal") else "paragraph"
        return self._add(kind, at, after, level, info if kind == "code" else "")


_FENCE_MARKS = frozenset("-=*_+./`|,:!")
_Taker = Callable[[AsciiDocScanner, int, str, int], int]
_BLOCK_READERS: tuple[_Taker, ...] = (
    AsciiDocScanner._about,
    AsciiDocScanner._delimited,
    AsciiDocScanner._atx,
    AsciiDocScanner._setext,
    AsciiDocScanner._rule,
    AsciiDocScanner._macro,
    AsciiDocScanner._list,
    AsciiDocScanner._indented,
)
"""The constructs that a line may begin, in order; each returns the same line if it declines."""


def _fence(line: str) -> str:
    """Return the line that closes the block which `line` opens, "" if it opens none."""
    match = _DELIMITER.match(line)
    if match is None or (match[2] and line[0] != "`"):
        return ""
    return line[:3] if line[0] == "`" else line


_LINK = re.compile(
    rb"(?<!<)<<(?P<reference>[^<>,\s][^<>,\n]{0,199}+)(?:,[^<>]{0,400}+)?>>(?!>)"
    rb"|(?P<macro>xref|link|image):{1,2}(?P<target>[^\s\[\]]{1,1000}+)\[[^\]\n]{0,1000}+\]"
    rb"|(?P<address>https?://[^\s\[\]<>\"]{1,1000}+)\["
)
_MARKS = re.compile(
    r"(``|\*\*|__|##|\+\+\+)(?=\S)((?:(?!\1).)+?)(?<=\S)\1"
    r"|(?<![\w;:}])([`*_#+])(?=\S)((?:(?!\3).)+?)(?<=\S)\3(?!\w)"
)
"""Formatting; a single mark counts only at the edges of words."""

_MACROS = re.compile(r"(?:link|xref|https?)[:/]{1,3}[^\s\[\]]*\[([^\]]*)\]")
_MAX_TITLE = 1000


def parse_asciidoc(data: bytes, path: str) -> Document:
    """Return the document of an AsciiDoc source."""
    return parse_lined(
        data,
        path,
        "asciidoc",
        scanner=AsciiDocScanner,
        link_marks=b"<[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    """Return the visible text of a title, without marks of formatting.

    >>> title_text("The `git` *add* command")
    'The git add command'
    >>> title_text("multi_ack_detailed and un**con**strained")
    'multi_ack_detailed and unconstrained'
    """
    if len(source) > _MAX_TITLE:
        return source
    return _MARKS.sub(r"\2\4", _MACROS.sub(r"\1", source))


def _links(data: bytes, _headings: Sequence[Heading], scanner: AsciiDocScanner) -> Iterator[Link]:
    """The links outside of code; a reference to an id of the document is `#` and the id."""
    for match in outside_code(_LINK, data, scanner.blocks):
        raw = match["reference"] or match["target"] or match["address"]
        target = raw.decode("utf-8", "replace").strip()
        if match["reference"] and "#" not in target:
            target = f"#{target}"
        is_image = match["macro"] == b"image"
        yield Link(match.start(), match.end(), target, "image" if is_image else "link")
