"""The one walk over the events of the Markdown parser: headings, and rows of all else.

A row has a tag and its range; blocks and links are made from rows on demand. The loop sees an
event for every twenty-five bytes or so of a source, so it checks the keys of an event instead of
its type. A heading is nested if it begins before the end of a container.

Headings alone are found without parsing all of a source if they are certain. A line whose first
byte is a heading's mark ends whatever paragraph or container is open, so it is a heading of the
top level unless it stands in fenced code or in HTML that began at the top level. It is enough to
know those two. Where more than that decides (a line that may underline a heading, a mark behind
white space or behind the sign of a container, HTML that may be something else) the answer is
None, and the parser's walk over all events decides. What is found here is exactly what that walk
finds; tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import pyromark

from leafmark.environment import memo
from leafmark.model import Block, BlockKind, Heading, HeadingColumns
from leafmark.namedtuples import NamedTuple
from leafmark.parsing.lines import Lines, with_line_feeds
from leafmark.parsing.titles import fold
from leafmark.patterns import lazy_pattern

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
)
_LEVELS = {f"H{level}": level for level in range(1, 7)}
_KINDS: dict[str, BlockKind] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "List": "list",
    "Item": "list_item",
    "Table": "table",
    "TableRow": "table_row",
    "CodeBlock": "code",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "Rule": "thematic_break",
    "FootnoteDefinition": "definition",
}
_HTML_EVENTS = frozenset(("Html", "InlineHtml"))
_BLOCK_TAGS = frozenset(("Paragraph", "Item", "TableRow", "HtmlBlock"))
_CONTAINERS = frozenset(("List", "Item", "Table", "BlockQuote", "FootnoteDefinition"))
_WITH_CONTENT = frozenset(("CodeBlock", "Table"))
_CLOSING_MARKS = lazy_pattern(rb"[ \t]#+[ \t]*\r?\n?\Z")
_LINK_DEFINITION = lazy_pattern(rb"\n {0,3}\[[^\n\]]")  # a literal first byte makes it fast
_FIRST_DEFINITION = lazy_pattern(rb" {0,3}\[")
_LANGUAGE = lazy_pattern(r"[\s{.]*([^\s,{}]+)")
_LINE_ENDS = b"\r\n"
_LINE_FEED, _SPACE = b"\n "
_LISTED = frozenset(("list", "list_item"))
_NOWHERE = {"start": 0, "end": 0}
_new = tuple.__new__  # half the cost of calling a named tuple's class

Event = Any  # a dict of one key, or a string: the parser's own types are wider than its values
Events = Iterator[tuple[Event, Any]]
Row = tuple[Any, int, int]
"""A tag (its name, or a dict of its name and the parser's details), and its range."""


class Walked(NamedTuple):
    """The contents of a text, by start.

    `rows` are blocks, links and images, without headings at the top level. `html` are the ranges
    of HTML in blocks and between words; adjoining ones are joined.
    """

    headings: list[Heading]
    rows: list[Row]
    html: list[tuple[int, int]]


def name_of(tag: Any) -> str:
    """Return the name of a tag."""
    name: str = tag if tag.__class__ is str else next(iter(tag))
    return name


_MAX_REMEMBERED = 250_000
"""The largest text, in bytes, whose walk is remembered; a walk takes several times its size."""


def walk(raw: bytes) -> Walked:
    """Return the headings, rows and HTML of UTF-8 whose lines end in LF or CRLF.

    They have the parser's own ranges. The last walk is remembered, since the blocks and the
    readable text of a document are requested separately.
    """
    return _remembered_walk(raw) if len(raw) <= _MAX_REMEMBERED else _walk(raw)


def _walk(raw: bytes) -> Walked:
    headings: list[Heading] = []
    rows: list[Row] = []
    html: list[tuple[int, int]] = []
    keep = rows.append
    lines, open_end = Lines(raw, 0), 0
    events: Events = iter(pyromark.events_with_range(raw.decode(), options=OPTIONS))
    for event, extent in events:
        if "Start" not in event:  # three of four
            if "Text" in event or "End" in event:
                continue
            if "Rule" in event:
                keep(("Rule", extent["start"], extent["end"]))
            elif not _HTML_EVENTS.isdisjoint(event):
                add_range(html, extent["start"], extent["end"])
            continue
        tag = event["Start"]
        if tag.__class__ is str:
            if tag in _BLOCK_TAGS:
                keep((tag, extent["start"], extent["end"]))
            continue
        start, end = extent["start"], extent["end"]
        if "Heading" in tag:
            nested = start < open_end
            if nested:
                keep(("Heading", start, end))
            level, read = _LEVELS[tag["Heading"]["level"]], _read_title(events, keep, html)
            title = _title_of(*read, raw[start:end])
            place = lines.start_of(start), lines.end_of(end), len(raw)
            headings.append(_new(Heading, (level, *title, *place, nested, None, None, None)))
        else:
            keep((tag, start, end))
            open_end = max(open_end, end)
    return Walked(headings, rows, html)


_remembered_walk = memo(1)(_walk)


def _title_of(words: str, pictures: str, line: bytes) -> tuple[str, str]:
    """Return the title of a heading with these words and pictures, and its words."""
    if words[-1:] in ("#", "\t"):
        words = _without_closing_marks(words, line)
    return " ".join(words.split() or pictures.split()), words


def add_range(ranges: list[tuple[int, int]], start: int, end: int) -> None:
    """Append a range, as a part of the last one if it begins where that ends."""
    if ranges and ranges[-1][1] == start:
        start = ranges.pop()[0]
    ranges.append((start, end))


def read_titles(lines: Sequence[bytes]) -> list[tuple[str, str]]:
    """Return the rendered text of headings, and the alternative texts of their pictures.

    Each has the line feed before it. Their links must not be defined elsewhere.
    """
    titles: list[tuple[str, str]] = []
    links: list[Row] = []
    text = b"".join(lines).decode()
    events: Events = zip(pyromark.events(text, options=OPTIONS), repeat(_NOWHERE))
    for line in lines:
        next(events)
        words, pictures = _read_title(events, links.append, [])
        if words[-1:] in ("#", "\t"):
            words = _without_closing_marks(words, line)
        titles.append((words, pictures))
    return titles


def _read_title(
    events: Events, keep: Callable[[Row], None], html: list[tuple[int, int]]
) -> tuple[str, str]:
    """Return the rendered text of the heading that has begun, and its pictures' alternative texts.

    Afterwards `events` are behind its end, and `html` has its HTML.
    """
    parts: list[str] = []
    pictures: list[str] = []
    images = 0
    for event, extent in events:
        if "Text" in event:
            (pictures if images else parts).append(event["Text"])
        elif "End" in event:
            tag = event["End"]
            if "Heading" in tag:
                break
            images -= tag == "Image"
        elif "Start" in event:
            tag = event["Start"]
            if tag.__class__ is not str:
                images += "Image" in tag
                keep((tag, extent["start"], extent["end"]))
        elif "InlineHtml" in event:
            add_range(html, extent["start"], extent["end"])
        elif not images:
            parts.append(_inline_text(event))
    return "".join(parts), "".join(pictures)


def _without_closing_marks(words: str, line: bytes) -> str:
    """Return `words` without the closing marks of a heading that have tabs around them.

    The specification allows tabs; the parser takes spaces only.
    """
    marks = _CLOSING_MARKS.search(line)
    if not marks or b"\t" not in marks[0]:
        return words
    return words.rstrip("\t ").rstrip("#").rstrip("\t ")


def _inline_text(event: Event) -> str:
    """Return the text that an inline event other than text and markup adds to a title."""
    if event.__class__ is str:
        return " "  # a line break
    code: str = event.get("Code", "")
    return code


def blocks_of(
    rows: Sequence[Row], headings: Sequence[Heading], raw: bytes, moved: int = 0
) -> list[Block]:
    """Return the blocks of `raw`, whose rows and headings these are; `moved` is added to places."""
    if not (_LINK_DEFINITION.search(raw) or _FIRST_DEFINITION.match(raw)):
        return _blocks(rows, raw, moved)
    blocks = _blocks(rows, raw, 0)
    _end_lists(blocks)
    definitions = list(_link_definitions(blocks, headings, raw))
    if definitions:
        blocks = sorted(blocks + definitions, key=lambda block: block.start)
    return [
        _new(Block, (kind, start + moved, end + moved, level, info, content and content + moved))
        for kind, start, end, level, info, content in blocks
    ]


def _end_lists(blocks: list[Block]) -> None:
    """End each list with its last item: the parser extends it over definitions behind it."""
    lists: list[int] = []  # that are open, by where they stand, the outer ones first
    ends: dict[int, int] = {}
    for index, block in enumerate(blocks):
        if block.kind not in _LISTED:
            continue
        while lists and blocks[lists[-1]].level >= block.level:
            lists.pop()
        if block.kind == "list":
            lists.append(index)
        elif lists:
            ends[lists[-1]] = max(ends.get(lists[-1], 0), block.end)
    for index, end in ends.items():
        if end < blocks[index].end:
            blocks[index] = blocks[index]._replace(end=end)


def _blocks(rows: Sequence[Row], raw: bytes, moved: int) -> list[Block]:
    lines = Lines(raw, 0)
    open_ends = [len(raw) + 1]  # of the document and of the containers around
    blocks: list[Block] = []
    add = blocks.append
    footnotes: dict[int, int] = {}  # where the last one of each level stands among them
    for tag, start, end in rows:
        name = tag if tag.__class__ is str else next(iter(tag))
        kind = _KINDS.get(name)
        if kind is None:
            continue
        if raw[start] in _LINE_ENDS:  # before a tab that is a part of the indent above
            start += 2 if raw[start : start + 2] == b"\r\n" else 1
        while start >= open_ends[-1]:
            open_ends.pop()
        level = len(open_ends) - 1
        if name in _CONTAINERS:
            open_ends.append(end)
            if raw[end - 1] != _LINE_FEED or raw[end - 2] <= _SPACE:
                end = lines.end_of(lines.before_blank(end))
        elif raw[end - 1] != _LINE_FEED:
            end = lines.end_of(end)
        # nearly all begin a line, and a call takes as long as all the rest
        first = start if raw[start - 1] == _LINE_FEED else lines.start_of(start)
        info, content = "", None
        if name in _WITH_CONTENT:
            info, content = _code_or_table(tag, lines, start, end)
            content = content and content + moved
        block = _new(Block, (kind, first + moved, end + moved, level, info, content))
        if name != "FootnoteDefinition" or not _is_joined(block, blocks, footnotes):
            add(block)
    return blocks


def _is_joined(block: Block, blocks: list[Block], footnotes: dict[int, int]) -> bool:
    """Join a footnote with another one on its line; return False if it begins a line."""
    at = footnotes.get(block.level, -1)
    if at < 0 or block.start >= blocks[at].end:
        footnotes[block.level] = len(blocks)
        return False
    blocks[at] = blocks[at]._replace(end=max(block.end, blocks[at].end))
    return True


def _code_or_table(tag: Any, lines: Lines, start: int, end: int) -> tuple[str, int | None]:
    """Return a code block's language, and where the content of fenced code or a table begins."""
    if "Table" in tag:
        return "", min(lines.end_of(lines.end_of(start + 1) + 1), end)
    code = tag["CodeBlock"]
    if code == "Indented":
        return "", None
    return _language(code["Fenced"]), lines.end_of(start + 1)


def _link_definitions(
    blocks: Sequence[Block], headings: Sequence[Heading], raw: bytes
) -> Iterator[Block]:
    """Yield the text at the top level outside of blocks: link reference definitions."""
    taken = [(block.start, block.end) for block in blocks if not block.level]
    taken += [(heading.start, heading.end) for heading in headings if not heading.nested]
    lines, start = Lines(raw, 0), 0
    for after, end in [*sorted(taken), (len(raw), len(raw))]:
        gap = raw[start:after]
        if gap and not gap.isspace():
            first = lines.start_of(start + len(gap) - len(gap.lstrip()))
            yield Block("definition", first, lines.end_of(start + len(gap.rstrip())))
        start = end


@memo(1024)
def _language(info: str) -> str:
    """Return the first word behind a fence, in lower case."""
    language = _LANGUAGE.match(info)
    return language[1].lower() if language else ""


_RAW = rb"[!?]|(?i:script|pre|style|textarea)[ \t>\n]"
_SIGNS = rb"[ \t>*+.)0-9\[\]xX-]"
"""White space, and what the signs of containers are made of."""

_LINES = lazy_pattern(
    rb"\n(?=[#`~<=\-> \t*+0-9])"  # most lines fail here, at their first byte
    rb"(?=%b*+[#`~<=\n])(?:"  # and of the rest most here, at what follows white space and signs
    rb"#{1,6}( [^\\*~\[<&`#_\x00-\x1f]*+)(?=\n)"
    rb"|#{1,6}((?=[ \t\n])[^\n]*)"
    rb"|(```[^`\n]*+\n[^`]*+(?<=\n)```+ *+)(?=\n)"
    rb"| {0,3}(`{3,}+[^`\n]*(?=\n)|~{3,}+[^\n]*)"
    rb"| {0,3}(<(?!%b)[^\n]*+(?:\n(?:[^#`~<=\-> \t*+0-9\n]|<(?!%b))[^\n]*+|(?!))*+)"
    rb"| {0,3}(<)"
    rb"|([ \t>]*+(?:-++|=++)[ \t]*+(?=\n))"
    rb"|(%b++#{1,6}(?=[ \t\n]))"
    rb")" % (_SIGNS, _RAW, _RAW, _SIGNS)
)
"""The lines that make, may make or may hide headings; the last group is the kind of line.

With the first line of code at the margin that has no backtick in it the rest of it is taken, and
with one of HTML those after it are taken that neither end it nor make, may make or hide any.
"""

_PLAIN, _MARKED, _CODE, _FENCE, _HTML, _RAW_HTML, _UNDERLINE = range(1, 8)


class _HeadingLines(NamedTuple):
    """Where heading lines begin, at the line feed before, and end, at the one after.

    `words` are what stands behind the marks; the text of a heading of kind
    `_MARKED` may be another than that.
    """

    begins: list[int]
    ends: list[int]
    levels: list[int]
    words: list[bytes]
    kinds: list[int]


_NONE = HeadingColumns()

_BLANK_LINE = lazy_pattern(rb"\n[ \t]*\n")
_IN_DEFINITION = lazy_pattern(rb"\]:%b*+#{1,6}[ \t\n]" % _SIGNS)
"""A heading's mark in what is defined, on the first line of it."""

_LABEL_END = lazy_pattern(rb"[\[\]>]([^\[\]>]*+)(?=\])")
_DEFINED_END = lazy_pattern(rb"[\[\]>]([^\[\]>]*+)(?=\]:)")
"""The end of a label in its definition, where it may go over lines of a quote."""

_MARKUP = lazy_pattern(
    rb"\\|\*|~|<|`|\t|\x1c|\x1d|\x1e|\x1f"
    rb"|\]\(|&[#A-Za-z]|#(?= *\Z)|_(?<![A-Za-z0-9]_)|_(?![A-Za-z0-9])"
)
"""Markup that makes the text of a heading differ from its bytes, apart from definitions.

Each begins with one certain byte, so that one search finds all of them.
"""

_WORDS = rb"[A-Za-z0-9](?:[^\\*~<`\[\]&_\t\x1c-\x1f]*[A-Za-z0-9])?"
_SIMPLE = lazy_pattern(
    rb"`(?<!``)([^`\s](?:[^`\t]*[^`\s])?)`(?!`)"
    rb"|\*(?<!\*\*)(?:(%b)|\*(%b)\*)\*(?!\*)"
    rb"|<(?:(?:a|span) (?:id|name)=\"[A-Za-z0-9_.:-]*\"|/(?:a|span))>"
    rb"|\\([-_.()])" % (_WORDS, _WORDS)
)
"""Code, emphasis, anchors and escapes that become text by dropping their marks."""

_RAW_STARTS = lazy_pattern(
    rb"(?:(script|pre|style|textarea)(?=[ \t>\n])|(!--)|(\?)|(!\[CDATA\[)|(![a-z]))", re.IGNORECASE
)
_RAW_HTML_ENDS = (
    lazy_pattern(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    lazy_pattern(rb"-->"),
    lazy_pattern(rb"\?>"),
    lazy_pattern(rb"\]\]>"),
    lazy_pattern(rb">"),
)
"""HTML that continues over blank lines, by the signs behind `<`; and its end."""


def scan_headings(raw: bytes, start: int) -> HeadingColumns | None:
    """Return the headings that `walk` would find, or None where only the walk can tell.

    `raw` is UTF-8 whose lines end in LF or CRLF. Content begins at byte `start`,
    where a line begins.
    """
    content = memoryview(raw)[start:] if start else raw
    # one line feed more than there are bytes before: it has the offset of the line that it precedes
    data = with_line_feeds(b"".join((b"\n" * (start + 1), content, b"\n")))
    if b"\0" in data or b"\x0b" in data or b"\x0c" in data:
        return None  # white space, perhaps
    # one byte is found twenty times as fast as two
    if b"^" in data and b"[^" in data and _IN_DEFINITION.search(data):
        return None  # in a footnote, perhaps
    lines = _heading_lines(data, start)
    return None if lines is None else _read_headings(data, lines, len(raw))


def _heading_lines(data: bytes, start: int) -> _HeadingLines | None:
    """Return the heading lines from the line feed at `start` on, if they are certain.

    `at` is the end of the text read so far; up to `doubtful` there may be HTML.
    """
    begins, ends, levels, words, kinds = lines_found = _HeadingLines([], [], [], [], [])
    at = doubtful = start
    lines = _LINES.finditer(data, start)
    while line := next(lines, None):
        begin, kind = line.start(), line.lastindex or 0
        if begin < at:
            if line.end() > at:
                return None  # HTML that goes on after a comment
        elif kind <= _MARKED and begin >= doubtful:
            first, at = line.span(kind)
            begins.append(begin)
            ends.append(at)
            levels.append(first - begin - 1)
            words.append(data[first:at].strip(b" "))
            kinds.append(kind)
        elif kind in (_HTML, _RAW_HTML):
            at, doubtful = _pass_html(data, line, at, doubtful)
        elif begin < doubtful or (kind >= _UNDERLINE and _may_make_one(data, line, at)):
            return None
        elif kind == _CODE:
            at = line.end()
        elif kind == _FENCE:
            at = _pass_code(data, line)
            lines = _LINES.finditer(data, at)
        if at < 0:
            return None
    return lines_found


def _may_make_one(data: bytes, line: re.Match[bytes], at: int) -> bool:
    """Whether a line may make a heading: it is not a rule below a blank line or below `at`."""
    begin = line.start()
    if line.lastindex != _UNDERLINE:
        return True
    before = data[data.rfind(b"\n", 0, begin) + 1 : begin]
    return begin != at and bool(before) and not before.isspace()


def _pass_html(data: bytes, match: re.Match[bytes], at: int, doubtful: int) -> tuple[int, int]:
    """`at`, -1 where it is not certain, and `doubtful` after a line that may begin HTML.

    HTML of most kinds goes up to a blank line, if it is any. What stands in it
    is either hidden or not: it is doubtful. A comment and its like is certain
    at the margin, and else doubtful up to its end.
    """
    begin, sign = match.start(), match.start(match.lastindex or 0) + 1
    raw = _RAW_STARTS.match(data, sign) if match.lastindex == _RAW_HTML else None
    if raw is None or raw.lastindex is None:
        if begin >= doubtful:
            blank = _BLANK_LINE.search(data, sign)
            return at, blank.start() if blank else len(data)
        return at if match.end() <= doubtful else -1, doubtful
    is_inside, at_margin = begin < doubtful, sign == begin + 2
    limit = data.index(b"\n", sign) if is_inside else len(data)
    closing = _RAW_HTML_ENDS[raw.lastindex - 1].search(data, sign, limit)
    if closing is None:
        return len(data) if at_margin and not is_inside else -1, doubtful
    if raw[1] and closing[0] != b"</%b>" % raw[1].lower():
        return -1, doubtful  # the parser has its own idea of how such a block may end
    after = data.index(b"\n", closing.end())
    if is_inside:
        return at, doubtful
    return (after, doubtful) if at_margin else (at, after)


def _pass_code(data: bytes, opening: re.Match[bytes]) -> int:
    """Return the end of the fenced code that begins with a line; -1 if it is not certain.

    Code that is indented may belong to a list. Then it must not matter: nothing in
    it may make a heading, and no line may be indented less than its fence.
    """
    fence, mark = opening[_FENCE], opening[_FENCE][:1]
    after, indent = opening.end(), opening.start(_FENCE) - opening.start() - 1
    closing = closing_fence(mark, len(fence) - len(fence.lstrip(mark))).search(data, after)
    if closing is None:
        return -1 if indent else len(data)
    if b"\t" in closing[0]:
        return -1  # which ends the code, but not for the parser
    end = closing.end()
    if not indent:
        return end
    line = _LINES.search(data, after)
    is_plain = line is not None and line.end() == end
    return end if is_plain and not _is_outdented(data[after:end], indent) else -1


@lru_cache(64)
def closing_fence(mark: bytes, least: int) -> re.Pattern[bytes]:
    """Return the pattern of the line that ends code, with the line feed before it."""
    return re.compile(rb"\n {0,3}%b{%d,}+[ \t]*(?=\n)" % (mark, least))


def _is_outdented(code: bytes, indent: int) -> bool:
    """Whether a line has less than this indentation."""
    return any(line.strip() and line[:indent].strip() for line in code.split(b"\n"))


def _read_headings(data: bytes, lines: _HeadingLines, limit: int) -> HeadingColumns | None:
    """Return the headings on these lines, if their text is certain."""
    starts, ends, levels, words, kinds = lines
    if not starts:
        return _NONE
    marked: Sequence[int] = ()
    if _MARKED in kinds:
        if _may_link(words, data):
            return None
        marked = [
            index
            for index, kind in enumerate(kinds)
            if kind == _MARKED and _MARKUP.search(words[index])
        ]
    unread = _drop_marks(words, marked)
    together = b"\n".join(words).decode()
    texts = together.split("\n")
    pictures: dict[int, str] = {}
    if unread:
        read = read_titles([data[starts[index] : ends[index]] for index in unread])
        for index, (text, picture) in zip(unread, read, strict=True):
            texts[index] = text
            if picture and not text.strip():
                pictures[index] = picture
    is_tidy = together.isascii() and "  " not in together
    titles = texts if is_tidy and not marked else _titles(texts, marked)
    for index, picture in pictures.items():
        titles[index] = fold(picture)
    if ends[-1] > limit:
        ends[-1] = limit
    count = len(starts)
    nothing = [None] * count
    constant = [limit] * count, [False] * count, nothing, nothing, nothing
    return _new(HeadingColumns, (levels, titles, texts, starts, ends, *constant))


def _titles(texts: list[str], marked: Sequence[int]) -> list[str]:
    """Return the texts as titles: unmarked ones may need no change."""
    titles = [text if text.isascii() and "  " not in text else fold(text) for text in texts]
    for index in marked:
        titles[index] = fold(texts[index])
    return titles


def _drop_marks(words: list[bytes], marked: Sequence[int]) -> list[int]:
    """Drop the marks of those words that are marked simply, and return which are not."""
    rest: list[int] = []
    for index in marked:
        parts = _SIMPLE.split(words[index])
        if _MARKUP.search(b" ".join(parts[:: _SIMPLE.groups + 1])):  # what is between
            rest.append(index)
        else:
            words[index] = b"".join(filter(None, parts))
    return rest


def _may_link(words: Sequence[bytes], data: bytes) -> bool:
    """Whether headings may hold a link or a note to what is defined elsewhere, by its label."""
    together = b"\n".join(words)
    if b"[" not in together or b"]:" not in data:
        return False
    label_words = _labelled_words(together)
    defined = _defined_words(data) if label_words else label_words
    return "" in defined or not defined.isdisjoint(label_words)


def _labelled_words(text: bytes) -> set[str]:
    """The last words of what may be labels: how a label begins may differ.

    >>> sorted(_labelled_words(b"See [the Notes][n] and [x]"))
    ['n', 'notes', 'x']
    """
    return _last_words(_LABEL_END.findall(text))


def _defined_words(data: bytes) -> set[str]:
    """The last words of the labels that a source may define.

    >>> _defined_words(b"[the Notes]: notes.md")
    {'notes'}
    """
    return _last_words(_DEFINED_END.findall(data)) if b"]:" in data else set()


def _last_words(texts: Sequence[bytes]) -> set[str]:
    return {"".join(text.decode().split()[-1:]).casefold() for text in texts}
