"""Org to a `Document`, by a scanner of our own.

In: the bytes of a source, such as notes, READMEs and manuals of Emacs users. Out:
its headlines with exact lines, blocks, ids and links. `*` is depth 1, `**` depth 2;
`#+TITLE:` names the document. Nothing is included, evaluated or run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from leafmark.model import BlockKind, Document, Heading, Link
from leafmark.parsing.lined import LeadingLineScanner, SourceLines, Title, outside_code, parse_lined

# -- org_blocks ------------------------------------------------------------
# The lines of Org to headings and blocks.
#
# A headline ends every open block above it, so the end of a block is searched in its
# section only; an opening line without an end is text. Indentation has a
# meaning in lists alone.

_HEADLINE = re.compile(r"(\*+) +(\S.*)\Z")
_TAGS = re.compile(r"(?:\A|(?<![ \t])[ \t]+):[\w@#%]+(?::[\w@#%]+|(?!))*+:\Z")
_PRIORITY = re.compile(r"\[#\w{1,2}\][ \t]*")
_COMMENTED = re.compile(r"COMMENT(?:[ \t]+|\Z)")
_DONE = ("TODO", "DONE")
_KEY = re.compile(r"(?:SEQ_|TYP_)?TODO\Z", re.IGNORECASE)

_KEYWORD = re.compile(r"#\+(\S+?):(?:[ \t]+(.*))?\Z|#\+(\S+?):(\S.*)\Z")
_ABOUT = re.compile(r"(?:CAPTION|NAME|TBLNAME|HEADERS?|PLOT|RESULTS?|ATTR_\w+)(?:\[.*\])?\Z", re.I)
"""Keywords that describe the block right below."""

_BEGIN = re.compile(r"#\+begin(?:_(\S+)|:)(?:[ \t]+(\S+))?", re.IGNORECASE)
_END = re.compile(r"#\+end(?:_(\S+)|:?)\Z", re.IGNORECASE)
_LATEX_BEGIN = re.compile(r"\\begin\{([A-Za-z0-9*]+)\}")
_LATEX_END = re.compile(r".*\\end\{([A-Za-z0-9*]+)\}\Z")
_DRAWER = re.compile(r":([-\w]+):\Z")
_FIXED = re.compile(r":(?: |\Z)")
_COMMENT = re.compile(r"#(?: |\Z)")
_RULE = re.compile(r"-{5,}\Z")
_FOOTNOTE = re.compile(r"\[fn:[-\w]+\]|\[\d+\]")
_ITEM = re.compile(r"(?:[-+]|\d+[.)])(?: |\Z)")
_STAR = re.compile(r"\*(?: |\Z)")
_HLINE = "|-"
_GRID = re.compile(r"\+-[-+]*\+\Z")

_PLANNING = re.compile(r"(?:SCHEDULED|DEADLINE|CLOSED):")
_CUSTOM_ID = re.compile(r":CUSTOM_ID:[ \t]+(\S+)", re.IGNORECASE)
_OWN_PROPERTY = re.compile(
    r":(?:(?:CUSTOM_)?ID|EXPORT_\w+|header-args[^\s]*?|VISIBILITY|UNNUMBERED|ALT_TITLE|CATEGORY"
    r"|ORDERED|NOBLOCKING|COOKIE_DATA|LOGGING|COLUMNS|ARCHIVE\w*|CREATED|STYLE|HTML_\w+|LATEX_\w+"
    r"|APPENDIX|INDEX|DESCRIPTION|END|PROPERTIES)\+?:(?:\s|\Z)",
    re.IGNORECASE,
)
"""Properties that only Org itself reads."""

_KINDS: dict[str, BlockKind] = {
    "src": "code",
    "example": "code",
    "export": "html",
    "comment": "definition",
    "verse": "paragraph",
}
"""Blocks without blocks inside; all others have some."""


class OrgScanner(LeadingLineScanner):
    """Scans Org; knows the keywords of tasks, the title, and the ends of blocks."""

    _alone = "definition"

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self._bare = [line.lstrip() if line[:1] == " " else line for line in lines.text]
        self._ends: dict[str, list[int]] = {}
        self._sections: list[int] = []  # lines of headlines
        keywords: set[str] = set()
        for at, line in enumerate(self._bare):
            if line[:1] == "*" and _HEADLINE.match(lines.text[at]):
                self._sections.append(at)
            elif line[:1] in _OPENERS or line[-1:] == "}":
                self._note(at, line, keywords)
        self._keywords = frozenset(keywords or _DONE)

    def _note(self, at: int, line: str, keywords: set[str]) -> None:
        """Record the block that a line closes, and the title, tags and keywords that it sets."""
        if line[0] == ":":
            if line.lower() == ":end:":
                self._ends.setdefault(":", []).append(at)
            return
        if line[-1] == "}":
            closing = _LATEX_END.match(line) if "\\end{" in line else None
            if closing:
                self._ends.setdefault(f"\\{closing[1]}", []).append(at)
            return
        closing = _END.match(line)
        if closing:
            self._ends.setdefault(f"#{(closing[1] or '').lower()}", []).append(at)
            return
        match = _KEYWORD.match(line)
        key, value = _entry(match) if match else ("", "")
        if key.upper() == "TITLE":
            self.title = f"{self.title} {value}".strip()
        elif key.upper() == "FILETAGS":
            self.tags += value.replace(":", " ").split()
        elif _KEY.match(key):
            words = (word.partition("(")[0] for word in value.split())
            keywords.update(word for word in words if word and word != "|")

    def scan(self) -> None:
        """Read section by section: no block extends past a headline."""
        at, size = 0, len(self.lines)
        for headline in (*self._sections, size):
            self._stop = headline
            while at < headline:
                at = self._next(at, 0)
            self._flush(headline, 0)
            if headline < size:
                self._stop = size
                at = self._headline(headline)

    # -- headlines ---------------------------------------------------------------------

    def _headline(self, at: int) -> int:
        match = _HEADLINE.match(self.lines.text[at])
        assert match is not None, "only headlines are noted"
        drawer = min(at + 1, self._stop - 1)
        drawer += bool(_PLANNING.match(self._bare[drawer])) and drawer + 1 < self._stop
        closed = -1
        if self._bare[drawer].upper() == ":PROPERTIES:":
            closed = self._closing(":", drawer, self._stop)
        properties = self._bare[drawer : closed + 1]
        named = (_CUSTOM_ID.match(line) for line in properties)
        anchor = next((match[1] for match in named if match), "")
        is_own = drawer == at + 1 and all(map(_OWN_PROPERTY.match, properties))
        after = max(at, closed if is_own else at) + 1
        self.titles.append(Title(len(match[1]), self._words(match[2]), at, after, anchor))
        return after

    def _words(self, words: str) -> str:
        """Return the words of a headline without its keyword, its priority and its tags."""
        words = _TAGS.sub("", words)
        keyword, _, rest = words.partition(" ")
        if keyword in self._keywords:
            words = rest.lstrip()
        priority = _PRIORITY.match(words)
        words = words[priority.end() :] if priority else words
        commented = _COMMENTED.match(words)
        return words[commented.end() :] if commented else words

    # -- one construct -----------------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        line = self._bare[at]
        if not line:
            self._flush(at, level)
            return at + 1
        for take in _BLOCK_READERS.get(line[0], ()):
            after = take(self, at, line, level)
            if after > at:
                return after
        return self._list(at, level) if self._is_item(at) else self._paragraph(at, level)

    def _closing(self, key: str, at: int, stop: int) -> int:
        """Return the line that closes the block opened on line `at`, -1 if none before `stop`."""
        places = self._ends.get(key, [])
        place = bisect_left(places, at + 1)
        if place == len(places) or places[place] >= stop:
            return -1
        end = places[place]
        section = bisect_left(self._sections, at + 1)
        is_inside = section == len(self._sections) or end < self._sections[section]
        return end if is_inside else -1

    def _end_of(self, at: int) -> int:
        """Return the line that closes the block opened on line `at`, -1 if it opens none."""
        line = self._bare[at]
        mark = line[:1]
        if mark == "#":
            match = _BEGIN.match(line)
            return self._closing(f"#{(match[1] or '').lower()}", at, self._stop) if match else -1
        if mark == ":":
            return self._closing(":", at, self._stop) if _DRAWER.match(line) else -1
        match = _LATEX_BEGIN.match(line) if mark == "\\" else None
        return self._closing(f"\\{match[1]}", at - 1, self._stop) if match else -1

    # -- blocks ------------------------------------------------------------------------

    def _block(self, at: int, line: str, level: int) -> int:
        match = _BEGIN.match(line)
        end = self._end_of(at) if match else -1
        if match is None or end < 0:
            return at
        name = (match[1] or "").lower()
        kind = _KINDS.get(name, "quote")
        info = (match[2] or "").lower() if name == "src" else ""
        self._add(kind, at, end + 1, level, info, at + 1 if kind == "code" else 0)
        if name not in _KINDS:
            self._inside(at + 1, end, level + 1)
        return end + 1

    def _keyword(self, at: int, line: str, level: int) -> int:
        """Read lines with a key; those that describe the next block belong to it."""
        match = _KEYWORD.match(line)
        if not match:
            return at
        if _ABOUT.match(_entry(match)[0]):
            return self._keep(at)
        after = at + 1
        while after < self._stop and (match := _KEYWORD.match(self._bare[after])):
            if _ABOUT.match(_entry(match)[0]):
                break
            after += 1
        return self._add("definition", at, after, level)

    def _comment(self, at: int, line: str, level: int) -> int:
        return self._run("definition", _COMMENT, at, line, level)

    def _fixed(self, at: int, line: str, level: int) -> int:
        return self._run("code", _FIXED, at, line, level)

    def _run(self, kind: BlockKind, mark: re.Pattern[str], at: int, line: str, level: int) -> int:
        """Read a block of all lines that begin with the same mark."""
        if not mark.match(line):
            return at
        after = at + 1
        while after < self._stop and mark.match(self._bare[after]):
            after += 1
        return self._add(kind, at, after, level)

    def _drawer(self, at: int, line: str, level: int) -> int:
        match = _DRAWER.match(line)
        end = self._end_of(at)
        if match is None or end < 0:
            return at
        is_metadata = match[1].upper() in ("PROPERTIES", "LOGBOOK")
        self._add("definition" if is_metadata else "quote", at, end + 1, level)
        if not is_metadata:
            self._inside(at + 1, end, level + 1)
        return end + 1

    def _latex(self, at: int, _line: str, level: int) -> int:
        end = self._end_of(at)
        return at if end < 0 else self._add("code", at, end + 1, level, "latex")

    def _table(self, at: int, _line: str, level: int) -> int:
        """Read rows, rules, and the formulas below them; a header ends at the first rule."""
        after = at
        while after < self._stop and self._bare[after][:1] == "|":
            after += 1
        rows = [i for i in range(at, after) if not self._bare[i].startswith(_HLINE)]
        ruled = next((i for i in range(at + 1, after) if self._bare[i].startswith(_HLINE)), 0)
        has_head = bool(rows) and rows[0] < ruled < rows[-1]
        end = after
        while end < self._stop and self._bare[end][:8].upper() == "#+TBLFM:":
            end += 1
        self._add("table", at, end, level, head=ruled + 1 if has_head else 0)
        for row, following in pairwise([*rows, after]):
            self._add("table_row", row, following, level + 1)
        return end

    def _grid(self, at: int, line: str, level: int) -> int:
        """Read a table of `+---+` and `|`."""
        if not _GRID.match(line):
            return at
        after = at
        while after < self._stop and self._bare[after][:1] in _GRID_MARKS:
            after += 1
        return self._add("table", at, after, level)

    def _rule(self, at: int, line: str, level: int) -> int:
        return self._add("thematic_break", at, at + 1, level) if _RULE.match(line) else at

    def _footnote(self, at: int, line: str, level: int) -> int:
        """Read a note at the left edge, up to the next note or two blank lines."""
        if not _FOOTNOTE.match(self.lines.text[at]):
            return at
        after = end = at + 1
        while after < self._stop and not _FOOTNOTE.match(self.lines.text[after]):
            if self._bare[after]:
                end = after + 1
            elif after > end:
                break
            after += 1
        return self._add("definition", at, end, level)

    # -- lists and paragraphs ----------------------------------------------------------

    def _is_item(self, at: int) -> bool:
        line = self._bare[at]
        if line[:1] == "*":
            return self.lines.text[at][0] == " " and _STAR.match(line) is not None
        return _ITEM.match(line) is not None

    def _list(self, at: int, level: int) -> int:
        """Read items at one indentation; two blank lines, or less indentation, end them."""
        indent, items, end = self.lines.indent(at), list[tuple[int, int]](), at
        while True:
            after = self._item_end(end, indent)
            items.append((end, after))
            end = self.lines.after_blank(after, self._stop)
            if end - after > 1 or end >= self._stop or not self._is_item(end):
                break
            if self.lines.indent(end) != indent:
                break
        after = items[-1][1]
        self._add("list", at, after, level)
        for first, stop in items:
            self._item(first, stop, level + 1)
        return after

    def _item_end(self, at: int, indent: int) -> int:
        """Return the line after the item on line `at`, with its indented lines and blocks."""
        at = end = at + 1
        while at < self._stop:
            if not self._bare[at]:
                if at > end:
                    break
            elif self.lines.indent(at) <= indent:
                break
            else:
                end = max(at, self._end_of(at)) + 1
                at = end - 1
            at += 1
        return end

    def _item(self, first: int, stop: int, level: int) -> None:
        """Read an item: the words after its mark and the lines right below, then its content."""
        self._add("list_item", first, stop, level)
        after = first + 1
        outer_stop, self._stop = self._stop, stop
        after = self._after_text(after)
        self._stop = outer_stop
        self._add("paragraph", first, after, level + 1)
        if after < stop:
            self._inside(after, stop, level + 1)

    def _paragraph(self, at: int, level: int) -> int:
        return self._add("paragraph", at, self._after_text(at + 1), level)

    def _after_text(self, at: int) -> int:
        """Return the first line from `at` on that does not continue a paragraph."""
        while at < self._stop and self._bare[at] and not self._begins(at):
            at += 1
        return at

    def _begins(self, at: int) -> bool:
        line = self._bare[at]
        mark = line[0]
        if mark == "#":
            is_key = _KEYWORD.match(line) and not _BEGIN.match(line)
            return bool(is_key or _COMMENT.match(line)) or self._end_of(at) >= 0
        if mark == ":":
            return _FIXED.match(line) is not None or self._end_of(at) >= 0
        if mark == "\\":
            return self._end_of(at) >= 0
        if mark == "[":
            return _FOOTNOTE.match(self.lines.text[at]) is not None
        is_drawn = mark == "|" or _RULE.match(line) or _GRID.match(line)
        return bool(is_drawn) or self._is_item(at)


def _entry(match: re.Match[str]) -> tuple[str, str]:
    """Return the key and the value of a keyword."""
    return match[1] or match[3], match[2] or match[4] or ""


_OPENERS = frozenset("#:")
_GRID_MARKS = frozenset("+|")
_Taker = Callable[[OrgScanner, int, str, int], int]
_BLOCK_READERS: dict[str, tuple[_Taker, ...]] = {
    "#": (OrgScanner._block, OrgScanner._keyword, OrgScanner._comment),
    ":": (OrgScanner._drawer, OrgScanner._fixed),
    "|": (OrgScanner._table,),
    "+": (OrgScanner._grid,),
    "-": (OrgScanner._rule,),
    "\\": (OrgScanner._latex,),
    "[": (OrgScanner._footnote,),
}
"""The readers of a construct by a line's first character; one that declines returns that line."""


_LINK = re.compile(
    rb"\[\[(?P<target>[^\[\]\n]{1,1000}+)\](?P<shown>\[[^\[\]\n]{1,1000}+\]|(?!))?+\]"
    rb"|(?<![\w:])(?P<address>https?://[^\s\[\]<>{}\"|]{0,1000}[\w/=#&])"
)
_LINKED = re.compile(r"\[\[([^\[\]]{1,1000}+)\](?:\[([^\[\]]{1,1000}+)\]|(?!))?+\]")
_MARK = re.compile(r"[*/_+=~]")
_VERBATIM = "=~"
_BEFORE = re.compile(r"[\s\-('\"{]")
_AFTER = re.compile(r"[\s\-.,:!?;'\")}\\\[]")

_UNSHOWN = re.compile(r"\[fn:[^\[\]]*+\]|@@[\w-]++:.*?@@|(?<!<)<<[^<>\n]++>>(?!>)")
_RADIO = re.compile(r"<<<([^<>\n]++)>>>")
_FILE = re.compile(r"(?:file(?:\+\w+)?:)?(?P<path>[^:]+?|[A-Za-z]:[^:]+)(?:::(?P<place>.*))?\Z")
_PATH = re.compile(r"(?:\.{0,2}/|~/|[A-Za-z]:[\\/])")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?)\Z", re.IGNORECASE)
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_MAX_TITLE = 1000


def parse(data: bytes, path: str) -> Document:
    """Return the document of an Org source."""
    return parse_lined(
        data,
        path,
        "org",
        scanner=OrgScanner,
        link_marks=b"[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    """Return the shown text of a headline, without marks of formatting and targets.

    >>> title_text("The =org-mode= /file/ a_b, see [[file:b.org][the *other*]]")
    'The org-mode file a_b, see the other'
    >>> title_text("<<id>>Notes[fn:1] on 2*3*4")
    'Notes on 2*3*4'
    """
    if len(source) > _MAX_TITLE:
        return source
    words = _RADIO.sub(r"\1", _UNSHOWN.sub("", source))
    words = _LINKED.sub(lambda match: match[2] or match[1], words)
    return _without_marks(words)


def _without_marks(words: str) -> str:
    """Return the words without pairs of marks of formatting, which stand at the edges of words.

    >>> _without_marks("*/both/* =a *b= *c a_b_c 2*3 +open")
    'both a *b *c a_b_c 2*3 +open'
    """
    opened: dict[str, int] = {}
    paired: list[int] = []
    for match in _MARK.finditer(words):
        at, mark = match.start(), match[0]
        before, after = words[at - 1 : at], words[at + 1 : at + 2]
        is_outer = not after or after in opened or _AFTER.match(after)
        first = opened.get(mark, at)
        if first < at - 1 and not before.isspace() and is_outer:
            while mark in _VERBATIM and paired and paired[-1] > first:
                paired.pop()
            paired += (first, at)
            opened = {other: place for other, place in opened.items() if place < first}
            continue
        is_inner = not before or _BEFORE.match(before) or opened.get(before) == at - 1
        if mark not in opened and after.strip() and is_inner:
            opened[mark] = at
    unshown = frozenset(paired)
    return "".join(char for at, char in enumerate(words) if at not in unshown)


def _links(data: bytes, headings: Sequence[Heading], scanner: OrgScanner) -> Iterator[Link]:
    """Yield the links outside of code; the target of a link to a headline is `#` and its slug."""
    anchors: dict[str, str] = {}
    for heading in headings:
        anchors.setdefault(heading.title.lower(), heading.anchor or "")
    for match in outside_code(_LINK, data, scanner.blocks):
        raw = (match["target"] or match["address"]).decode("utf-8", "replace").strip()
        target = raw if match["address"] or not raw else _target(raw, anchors)
        if target:
            is_image = not match["address"] and not match["shown"] and _PICTURE.search(target)
            yield Link(match.start(), match.end(), target, "image" if is_image else "link")


def _target(raw: str, anchors: Mapping[str, str]) -> str:
    """Return the target of a link, "" if only Emacs can resolve it.

    >>> _target("file:b.org::*Some Part", {}), _target("*A: b", {}), _target("./p.png", {})
    ('b.org#some-part', '#a-b', './p.png')
    >>> _target("a word", {"a word": ""}), _target("a word", {}), _target("info:org", {})
    ('#a-word', '', 'info:org')
    """
    if raw[0] == "#":
        return raw
    if raw[0] == "*":
        return f"#{_slug(raw[1:], anchors)}"
    if raw.startswith("file") or _PATH.match(raw):
        match = _FILE.match(raw)
        return _file(match) if match else ""
    if _ADDRESS.match(raw):
        return raw
    return f"#{_slug(raw, anchors)}" if " ".join(raw.lower().split()) in anchors else ""


def _file(match: re.Match[str]) -> str:
    place = match["place"] or ""
    if place[:1] == "*":
        return f"{match['path']}#{_slug(place[1:], {})}"
    return match["path"] + (place if place[:1] == "#" else "")


def _slug(title: str, anchors: Mapping[str, str]) -> str:
    words = " ".join(title.split()).lower()
    return anchors.get(words) or _NOT_IN_SLUG.sub("", words).replace(" ", "-")
