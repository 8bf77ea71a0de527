"""Dialects of Markdown, brought into a form that the CommonMark parser understands.

In: UTF-8 bytes. Out: bytes of the same length for the parser, and corrections of its result.

- Formulas (`$$ … $$`) and what template tags quote (`{% highlight %}`) become HTML that begins
  with `<?` and ends with `?>`, in which nothing is a heading or a list. They are a paragraph, or
  code, all the same.
- Admonitions and tabs of MkDocs (`!!! note`, `=== "Tab"`) become the sign of an item, so that
  what is indented below belongs to them. They are a quote.
- Boxes between lines (`:::note`, `{% tab %}`), elements that fold away, and components are
  containers: a heading in a box opens no section, one in an element ends with it.
- MDX has no indented code: what the parser takes for it moves to the left, the space behind it.
  Its tags and its code end with their lines.

Code stays as it is. Tables hold the names and their meanings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from leafmark.model import Block, BlockKind, HeadingColumns
from leafmark.namedtuples import NamedTuple
from leafmark.parsing.markdown_walk import walk
from leafmark.patterns import lazy_pattern

_QUOTING = frozenset(
    b"code codeblock code-block code_block highlight katex latex literal math mermaid plantuml"
    b" prism prettify raw source sourcecode source-code verbatim".split()
)
"""Template tags whose body is shown as it is."""

_BOXES = frozenset(
    b"accordion admonition alert attention callout card card-item caution collapse danger details"
    b" dropdown error example expand expandable failure grid-item grid-item-card hint important"
    b" info note notice question quote seealso success summary tab tab-item tab-set tabs tabset"
    b" tip todo warn warning abstract bug margin sidebar aside topic spoiler panel panel-tabset"
    b" callout-note callout-tip callout-warning callout-important callout-caution".split()
)
"""Directives and template tags that make a box or a tab; a heading in one opens no section."""

_STEPS = frozenset(b"column columns row section step stepper steps".split())
"""Containers whose headings open sections that end with them."""

_IN = rb"(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t]|(?!))*+"
"""The signs of containers before the text of a line."""

_SIGNS_IN = rb"[ \t>*+0-9.)-]*+"
"""The bytes of these signs, in any order."""

_NAME = rb"[A-Za-z][A-Za-z0-9_-]*+"


class _Lines:
    """A pattern for the beginnings of lines that fails fast for other lines.

    It includes the line feed before: a literal first byte makes the search fast.
    """

    def __init__(self, beginnings: bytes, pattern: bytes) -> None:
        pattern = b"(?=[%b])(?:%b)" % (beginnings, pattern)
        self._first = lazy_pattern(pattern, re.MULTILINE)
        self._next = lazy_pattern(b"\n" + pattern, re.MULTILINE)

    def search(self, raw: bytes, at: int) -> re.Match[bytes] | None:
        """Return the first matching line that begins at `at` or later."""
        match = None if at else self._first.match(raw)
        return match or self._next.search(raw, max(0, at - 1))


_LINES = _Lines(
    rb" \t>*+0-9`~<$\\{:!?=-",
    rb"(?P<before>%b)(?:"
    rb"(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)"
    rb"|(?P<comment><!--)"
    rb"|(?P<math>\$\$|\\\[|\\begin\{(?P<environment>[a-z]+\*?)\})"
    rb"|(?P<template>\{%%[-+]?|\{\{[<%%])[ \t]*+(?P<slash>/?)[ \t]*+(?P<tag>%b)[^\n]*"
    rb"|(?P<colons>:{3,}+)[ \t]*+\{?[ \t]*+(?:#[^\s{}]++|(?!))?+[ \t.]*+(?P<box>%b|(?!))?+[^\n]*"
    rb"|(?P<admonition>(?:!!!|\?\?\?\+?)(?=[ \t]+[A-Za-z\"'])|===[!+]?(?=[ \t]+[\"'])) "
    rb"|<(?P<end>/?)(?P<element>[A-Z][A-Za-z0-9.]*+|details|blockquote)(?=[\s/>])"
    rb")" % (_IN, _NAME, _NAME),
)
_SIGNS = _Lines(
    rb" \t>*+0-9<$\\{:!?=-",
    rb"%b(?:\$\$|\\(?:\[|begin\{)|\{(?:%%|\{[<%%])|!!! |\?\?\?\+? |===[!+]? [ \t]*+[\"']|:::"
    rb"|</(?:[A-Z]|details|blockquote))" % _SIGNS_IN,
)
"""The beginnings of lines that a dialect gives a meaning."""

_FORMULA = lazy_pattern(rb"\$\$[ \t\r]*+$", re.MULTILINE)
_BLANK = lazy_pattern(rb"\n[ \t>]*+\r?\n")
_TITLE = lazy_pattern(rb"\n[ \t>]*+\r?\n[ \t>]{0,3}#{1,6}[ \t]")
_TITLE_ALONE = lazy_pattern(rb"\n[ \t]*+\r?\n {0,3}#{1,6}[ \t][^\n]*+\n[ \t]*+\r?\n")
_ANY_FENCE = lazy_pattern(rb"^[ \t>]*+(?:```|~~~)", re.MULTILINE)
_MAX_FORMULA = 20_000
"""The most bytes of a formula; signs farther apart are not those of a formula."""

_TAG_END = lazy_pattern(
    rb"(?:[^<>\"'{}]|\"[^\"]*+\"|'[^']*+'|=>"
    rb"|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\}|(?!))*+\}|(?!))*+\}|(?!))*+\}|(?!))*+>"
)
"""The rest of a tag, with values of components in braces."""

_LANGUAGE = lazy_pattern(rb"[\s\"'=]([A-Za-z][A-Za-z0-9+#-]*+)[\"'\s%>]")

_CODE = (
    rb"import[ \t]+(?:[\w*{][^\n;]*?[ \t}]from[ \t]*+)?[\"']"
    rb"|import[ \t]*+\{[^\n;}]*+$"
    rb"|export[ \t]+(?:const|let|var|default|function|class|async|type|interface|[{*])"
)
_MDX = _Lines(
    rb" \t>*+0-9`~{<ie-",
    rb"%b(?:(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)|(?P<comment>\{/\*)"
    rb"|(?P<tag></?(?!(?i:pre|script|style|textarea)\b)[A-Za-z][A-Za-z0-9.:-]*+))"
    rb"|(?P<code>%b)" % (_IN, _CODE),
)
_MDX_ONLY = _Lines(rb" \t>*+0-9{ie-", rb"%b\{/\*|%b" % (_SIGNS_IN, _CODE))
_BYTE = lazy_pattern(rb"[^\r\n]")
_LINE_END = lazy_pattern(rb"[ \t]*+(?=\r?\n|\Z)")
_BRACKET = lazy_pattern(rb"[\[\](){}]")
_SHORTEST = 4
"""Bytes of `<!x>`, which replaces tags and code."""

_MAX_CODE = 50_000
"""Bytes of code in MDX up to the end of its brackets."""

_MAX_OPEN = 64
"""The most open containers; people hardly nest five."""

_ROUNDS = 8
"""The most passes over indented text in MDX; elements are hardly ever nested deeper."""


def looks_like_mdx(raw: bytes) -> bool:
    """Whether there are lines that only MDX has: imports, exports, or comments in braces."""
    if _MDX_ONLY.search(raw, 0) is None:
        return False
    return any(not raw.startswith(b"<", first) for first, _ in iter_markup(raw, 0))


class _Quoted(NamedTuple):
    """Bytes `[start, end)` that are one block; `content` is where its code begins."""

    start: int
    end: int
    kind: BlockKind
    info: str = ""
    content: int | None = None


class _Container(NamedTuple):
    """Bytes `[start, end)` of a container; headings in a box open no section."""

    start: int
    end: int
    is_box: bool


class _Shift(NamedTuple):
    """A line that begins at `start` was moved to the left by so many bytes."""

    start: int
    by: int


class Dialect:
    """The text for the parser, as long as the source, and the corrections of its result."""

    def __init__(
        self,
        text: bytes,
        quoted: dict[int, _Quoted],
        boxes: set[int],
        containers: list[_Container],
    ):
        self.text = text
        self.quoted = quoted
        self.boxes = boxes
        self.containers = containers
        self.shifts: list[_Shift] = []

    def kinds(self, blocks: Sequence[Block]) -> Sequence[Block]:
        """Return blocks with the kinds that they have in their dialect."""
        if not self.quoted and not self.boxes:
            return blocks
        return [self._with_kind(block) for block in blocks]

    def _with_kind(self, block: Block) -> Block:
        quoted = self.quoted.get(block.start)
        if block.kind == "html" and quoted is not None:
            return block._replace(kind=quoted.kind, info=quoted.info, content_start=quoted.content)
        if block.kind in ("list", "list_item") and block.start in self.boxes:
            return block._replace(kind="quote")
        return block

    def limited(self, headings: HeadingColumns) -> HeadingColumns:
        """Return headings whose sections end with the container around them.

        They are deeper than the section around the container, all by the same number of levels.
        """
        if not self.containers or not headings.starts:
            return headings
        levels, limits, nested = [*headings.levels], [*headings.limits], [*headings.nested]
        starts = headings.starts
        for start, end, is_box in self.containers:  # the outer ones first
            first, after = bisect_right(starts, start - 1), bisect_right(starts, end - 1)
            around = (levels[at] for at in _open_before(first, start, limits, nested))
            outer, shift = next(around, 0), 0
            for at in range(first, after):
                if not is_box and not nested[at]:
                    shift = max(shift, outer + 1 - levels[at])
                    levels[at] += shift
                if headings.ends[at] <= end:  # else the end is a line of the heading
                    limits[at] = end
                    nested[at] = nested[at] or is_box
        return headings._replace(levels=levels, limits=limits, nested=nested)

    def place(self, at: int) -> int:
        """Return the offset in the source for the offset `at` in the text."""
        number = bisect_right(self.shifts, at, key=_start_of) - 1
        if number < 0 or self.text.find(b"\n", self.shifts[number].start, at) >= 0:
            return at
        return at + self.shifts[number].by


_LOOKS = 64
"""Headings before a container that are checked for the section around it."""


def _open_before(
    first: int, start: int, limits: Sequence[int], nested: Sequence[bool]
) -> Iterator[int]:
    """Yield the headings before the one at `first` whose sections may reach to `start`."""
    for at in range(first - 1, max(-1, first - 1 - _LOOKS), -1):
        if not nested[at] and limits[at] > start:
            yield at


def _start_of(shift: _Shift) -> int:
    return shift.start


def read_dialect(raw: bytes, start: int, *, is_mdx: bool) -> Dialect | None:
    """Return the dialect of a source from byte `start` on; None if the parser needs none."""
    if not is_mdx and _SIGNS.search(raw, start) is None:
        return None
    reader = _Reader(raw, start)
    reader.read()
    dialect = reader.dialect()
    if is_mdx:
        _read_mdx(dialect, start)
    return dialect


class _Opened(NamedTuple):
    """An open container: the sign of its end, and where it begins."""

    sign: bytes
    name: bytes
    start: int


class _Reader:
    """Reads the lines with a meaning once, from top to bottom."""

    def __init__(self, raw: bytes, start: int) -> None:
        self._raw, self._start = raw, start
        self._text = bytearray(raw)
        self._quoted: dict[int, _Quoted] = {}
        self._boxes: set[int] = set()
        self._containers: list[_Container] = []
        self._open: list[_Opened] = []
        self._blank = -1
        self._none_before: dict[bytes, int] = {}
        """Offsets before which an end was searched in vain, so that no search is repeated."""

    def dialect(self) -> Dialect:
        containers = sorted(self._containers)
        return Dialect(bytes(self._text), self._quoted, self._boxes, containers)

    def read(self) -> None:
        at = self._start
        while line := _LINES.search(self._raw, at):
            at = self._handle(line)

    def _handle(self, line: re.Match[bytes]) -> int:
        """Take the construct that begins with a line; return where to continue."""
        if line["fence"]:
            return _after_fence(self._raw, line["fence"], line.end())
        if line["comment"]:
            end = self._raw.find(b"-->", line.end())
            return len(self._raw) if end < 0 else end + len(b"-->")
        if line["math"]:
            return self._formula(line)
        if line["tag"]:
            return self._template(line)
        if line["colons"]:
            return self._colons(line)
        if line["admonition"]:
            return self._admonition(line)
        return self._element(line)

    def _line_end(self, at: int) -> int:
        return self._raw.find(b"\n", at) + 1 or len(self._raw)

    # -- what is quoted --------------------------------------------------------------

    def _formula(self, line: re.Match[bytes]) -> int:
        sign, begin = line["math"], line.start("math")
        name = line["environment"]
        closing = b"\\]" if sign == b"\\[" else b"\\end{%b}" % name if name else sign
        limit = min(line.end() + _MAX_FORMULA, len(self._raw))
        if sign != b"$$" or not _FORMULA.match(self._raw, begin):
            limit = min(limit, self._next_blank(line.end() - 1))
        known = self._none_before.get(closing, 0)
        end = self._raw.find(closing, max(line.end(), known), limit)
        if end < 0:
            self._none_before[closing] = max(known, limit - len(closing))
            return line.end()
        if self._raw.find(b"\n", begin, end) < 0:
            return self._line_end(end)
        if _TITLE.search(self._raw, line.end(), end):
            return line.end()
        end += len(closing)
        self._quote(begin, end, "paragraph")
        return end

    def _next_blank(self, at: int) -> int:
        """Return the next blank line, or the end of the source; each is searched once."""
        if self._blank < at:
            match = _BLANK.search(self._raw, at)
            self._blank = match.start() if match else len(self._raw)
        return self._blank

    def _quote(self, begin: int, end: int, kind: BlockKind, info: str = "") -> None:
        """Replace a range, from the signs of containers on, by HTML."""
        text = self._text
        text[begin + 2 : end - 2] = text[begin + 2 : end - 2].replace(b"?>", b"??")
        text[begin : begin + 2], text[end - 2 : end] = b"<?", b"?>"
        content = self._line_end(begin) if kind == "code" else None
        start = self._raw.rfind(b"\n", 0, begin) + 1
        self._quoted[start] = _Quoted(start, end, kind, info, content)

    # -- containers --------------------------------------------------------------------

    def _template(self, line: re.Match[bytes]) -> int:
        tag = line["tag"].lower()
        is_end = tag.startswith(b"end") and tag != b"end"
        if line["slash"] or is_end:
            name = tag if line["slash"] else tag[3:].lstrip(b"_-")
            self._close(b"%" + name, self._line_end(line.end()))
        elif tag in _QUOTING:
            return self._quoting(line, tag)
        elif tag in _BOXES or tag in _STEPS:
            self._enter(b"%" + tag, tag, line.start("before"))
        return line.end()

    def _quoting(self, line: re.Match[bytes], tag: bytes) -> int:
        """Take the body of a quoting template tag, unless it is Markdown."""
        if line.start("before") < self._none_before.get(tag, 0):
            return line.end()
        match = _end_of_template(tag).search(self._raw, line.end("tag"))
        if match is None or match.start() < line.end():
            self._none_before[tag] = line.end() if match else len(self._raw)
            return line.end()
        inside = line.end(), match.start()
        if _ANY_FENCE.search(self._raw, *inside) or _TITLE_ALONE.search(self._raw, *inside):
            self._none_before[tag] = match.start()
            return line.end()
        language = _LANGUAGE.search(self._raw, line.end("tag"), line.end())
        info = language[1].decode().lower() if language else ""
        self._quote(line.start("template"), match.end(), "code", info)
        return match.end()

    def _colons(self, line: re.Match[bytes]) -> int:
        colons, name = line["colons"], (line["box"] or b"").lower()
        if not name:
            self._close(colons, self._line_end(line.end()))
        elif not line[0].rstrip().endswith(b":::") and not name.endswith(b"-end"):
            self._enter(colons, name, line.start("before"))
        return line.end()

    def _enter(self, sign: bytes, name: bytes, start: int) -> None:
        """Open a container; beyond `_MAX_OPEN` the outermost one is forgotten."""
        del self._open[: max(0, len(self._open) - _MAX_OPEN)]
        self._open.append(_Opened(sign, name, start))

    def _close(self, sign: bytes, after: int) -> None:
        """Close the last container that was opened by a sign, and those in it."""
        for number in range(len(self._open) - 1, -1, -1):
            opened = self._open[number]
            if opened.sign == sign:
                del self._open[number:]
                is_element = opened.sign[:1] == b"<"
                is_box = opened.name in _BOXES and not is_element
                if is_box or is_element or opened.name in _STEPS:
                    self._containers.append(_Container(opened.start, after, is_box))
                return

    def _admonition(self, line: re.Match[bytes]) -> int:
        begin, sign = line.start("admonition"), line["admonition"]
        indent = len(line["before"].expandtabs(4))
        below = re.compile(rb"(?:[ \t]*+\r?\n|(?!))*+([ \t]*+)").match(
            self._raw, self._line_end(line.end())
        )
        if below is None or len(below[1].expandtabs(4)) < indent + 4:
            return line.end()
        self._text[begin : begin + 4] = b"1)  "
        if len(sign) > 3:
            self._text[begin + 4 : begin + 5] = b"x"
        self._boxes.add(line.start("before"))
        return line.end()

    def _element(self, line: re.Match[bytes]) -> int:
        name = b"<" + line["element"]
        if line["end"]:
            self._close(name, self._line_end(line.end()))
            return line.end()
        tag = _TAG_END.match(self._raw, line.end())
        if tag is None:
            return line.end()
        after = self._line_end(tag.end())
        is_closed = self._raw[tag.end() - 2 : tag.end() - 1] == b"/"
        if not is_closed and self._raw.find(b"</" + line["element"], tag.end(), after) < 0:
            self._enter(name, name, line.start("before"))
        return tag.end()


@lru_cache(64)
def _end_of_template(tag: bytes) -> re.Pattern[bytes]:
    return re.compile(
        rb"\{%%[-+]?[ \t]*+(?:end[_-]?|/[ \t]*+)%b[ \t]*+[-+]?%%\}"
        rb"|\{\{[<%%][ \t]*+/[ \t]*+%b[ \t]*+[%%>]\}\}" % ((re.escape(tag),) * 2),
        re.IGNORECASE,
    )


@lru_cache(64)
def _end_of_fence(mark: bytes, least: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t>]*+%b{%d,}+[ \t]*+\r?$" % (mark, least), re.MULTILINE)


def _after_fence(raw: bytes, fence: bytes, at: int) -> int:
    """Return the end of the code whose fence stands before `at`."""
    match = _end_of_fence(fence[:1], len(fence)).search(raw, at)
    return match.end() if match else len(raw)


# -- MDX ------------------------------------------------------------------------------


def _read_mdx(dialect: Dialect, start: int) -> None:
    """End tags and code with their lines, and read indented code as text."""
    text = bytearray(dialect.text)
    for first, end in iter_markup(dialect.text, start):
        if end - first >= _SHORTEST:
            text[first:end] = b"<!x" + _BYTE.sub(b"x", text[first + 3 : end - 1]) + b">"
    moved: dict[int, int] = {}
    for _ in range(_ROUNDS):
        if not _move_left(text, start, moved):
            break
    dialect.text = bytes(text)
    dialect.shifts = [_Shift(*shift) for shift in sorted(moved.items())]


def iter_markup(raw: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of tags, comments and code of MDX on lines of their own."""
    at, last_comment, is_balanced = start, raw.rfind(b"*/}"), True
    while line := _MDX.search(raw, at):
        at, end = line.end(), 0
        if line["fence"]:
            at = _after_fence(raw, line["fence"], at)
        elif line["comment"]:
            end = raw.find(b"*/}", at) + 3 if at <= last_comment else 0
        elif line["tag"]:
            tag = _TAG_END.match(raw, at)
            end = tag.end() if tag and _LINE_END.match(raw, tag.end()) else 0
        else:
            end, is_balanced = _end_of_code(raw, line.start("code"), by_brackets=is_balanced)
        if end > at:
            yield line.start(line.lastgroup or 0), end
            at = end


def _end_of_code(raw: bytes, start: int, *, by_brackets: bool) -> tuple[int, bool]:
    """Return where code ends, at a blank line outside of brackets, and whether these are closed."""
    depth, at, blank = 0, start, 0
    limit = min(len(raw), start + _MAX_CODE)
    while at < limit:
        after = raw.find(b"\n", at) + 1 or len(raw)
        if not raw[at:after].strip():
            blank = blank or at
            if depth <= 0 or not by_brackets:
                break
        for sign in _BRACKET.findall(raw, at, after):
            depth += 1 if sign in b"([{" else -1
        at = after
    is_closed = depth <= 0
    end = at if is_closed or not blank else blank
    return start + len(raw[start:end].rstrip()), by_brackets and is_closed


def _move_left(text: bytearray, start: int, moved: dict[int, int]) -> bool:
    """Move text that looks like indented code to the left; return whether there was any."""
    rows = walk(bytes(text[start:])).rows
    moved_any = False
    for tag, first, after in rows:
        if tag.__class__ is str or tag.get("CodeBlock") != "Indented":
            continue
        moved_any = True
        _move_lines(text, start + first, start + after, moved)
    return moved_any


def _move_lines(text: bytearray, first: int, after: int, moved: dict[int, int]) -> None:
    begin = text.rfind(b"\n", 0, first) + 1
    base = max(0, first - begin - 4)
    bounds = [begin]
    while bounds[-1] < after:
        bounds.append(text.find(b"\n", bounds[-1]) + 1 or len(text))
    lines = [bytes(text[start:end]) for start, end in pairwise(bounds)]
    indents = [len(line) - len(line.lstrip(b" \t")) for line in lines if line.strip()]
    by = max(1, min(indents, default=1) - base)
    for start, line in zip(bounds, lines, strict=False):
        words = line.rstrip(b"\r\n")
        if words.strip():
            text[start : start + len(words)] = words[:base] + words[base + by :] + b" " * by
            moved[start] = moved.get(start, 0) + by
