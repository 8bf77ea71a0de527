"""The blocks at the top level of a stretch of Markdown, found without the parser where certain.

Most text is paragraphs, fenced code, plain lists and tables with blank lines
between them, and one pattern takes each of them whole. It takes none where
anything else might decide: a line that may underline a heading or the row above
it, a link definition, an indent that may or may not belong to an item, HTML that
may be something else. From there on the parser's walk reads. What is found here
is exactly what that walk finds; tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from leafmark.model import Block, BlockKind, TopBlocks
from leafmark.parsing.lines import with_line_feeds

__all__ = [
    "closing_fence",
    "fence_language",
    "item_starts",
    "outline",
    "plain_lines",
    "plain_parts",
]

_LINE = rb"[^\n]*+\n"
_BLANK = rb"[ \t]*+\n"

_BLOCK_NAMES = rb"""(?:address|article|aside|base|basefont|blockquote|body|caption|center|col
    |colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame
    |frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes
    |ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr
    |track|ul)"""
_RAW_NAMES = rb"(?:pre|script|style|textarea)"
_NAME = rb"(?!(?i:%b|%b)(?![A-Za-z0-9-]))[A-Za-z][A-Za-z0-9-]*+" % (_BLOCK_NAMES, _RAW_NAMES)
"""The name of an element that is HTML only where its tag has the line to itself."""

_ATTRIBUTE = (
    rb"""[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:=(?:[^ \t\n"'=<>`]++|'[^'\n]*+'|"[^"\n]*+")|(?!))?+"""
)
_TAG = rb"<(?:%b(?:%b|(?!))*+[ \t]*+/?|/%b[ \t]*+)>" % (_NAME, _ATTRIBUTE, _NAME)

_FIRST_WORD = rb"""(?>
    [A-Za-z\x80-\xff("'!$%%&,./;?@\\^{})\]]
    | \[(?!\^) | `{1,2}+(?!`) | ~{1,2}+(?!~) | \*{1,3}+[^\s*] | _++[^\s_]
    | [0-9]++(?![.)][ \t\n]) | [-+][A-Za-z0-9$/(<`] | ::
    | %b[ \t]*+(?!\n) | <https?://
    )""" % (_TAG)
"""What only text begins with, and no other block, at the margin or behind an item's sign."""

_NEXT_WORD = rb"(?>%b|</?%b|`++[^`\n]++`)" % (_FIRST_WORD, _NAME)
"""What a further line of the text begins with."""

_FIRST = rb"(?:%b%b)" % (_FIRST_WORD, _LINE)
_NEXT = rb"(?:%b%b)" % (_NEXT_WORD, _LINE)

_ITEM_TEXT = rb"(?![ \t]|(?:\[[ \tXx]\]|(?!))?+[-*_|:=\ \t]*+\n)"
"""Behind an item's sign: not code, not nothing, not a break or the delimiters of a table.

Nor the box of a task with nothing behind it, after which the parser lets no text go on.
"""


def _list(sign: bytes, *, indent: int, again: bytes) -> bytes:
    """Return the pattern of a list whose items begin with `sign`.

    What is in an item has the indent at least, or goes on with the text of the
    item's first line. Nothing may follow that the list might go on with: neither
    a sign that is `again` of its kind nor a smaller indent.
    """
    item = rb"%b%b(?>%b(?:%b|(?!))*+|%b)" % (sign, _ITEM_TEXT, _FIRST, _NEXT, _LINE)
    inside = rb"(?:\ {%d}|\t)" % indent
    more = rb"%b[ \t]*+(?!\n)%b" % (inside, _LINE)
    gap = rb"(?:%b|(?!))++(?=%b%b|%b)" % (_BLANK, sign, _ITEM_TEXT, inside)
    after = rb"(?!(?:%b|(?!))*+(?:\ |%b[ \t\n]))" % (_BLANK, again)
    return rb"(?=%b%b)(?:%b|%b|%b|(?!))*+%b" % (sign, _ITEM_TEXT, item, more, gap, after)


_DEFINITION = (
    rb"""\[[^\s\[\]\\^][^\[\]\\\n]*+\]:[ \t]*+[^\s<()\\]++(?:[ \t]++"[^"\\\n]*+"|(?!))?+[ \t]*+\n"""
)
_CELL = rb"[ \t]*+:?-++:?[ \t]*+"
_NUMBER = rb"[0-9]++\."
_SHAPES: dict[str, tuple[BlockKind, bytes]] = {
    "definitions": (
        "definition",
        rb"%b(?:(?:%b|(?!))*+%b|(?!))*+" % (_DEFINITION, _BLANK, _DEFINITION),
    ),
    "text": ("paragraph", rb"\ {0,3}%b(?:[ \t]*+%b|(?!))*+" % (_FIRST, _NEXT)),
    "fence": ("code", rb"(?P<mark>```++|~~~++)(?P<info>[^`\n]*+)\n"),
    "dashes": ("list", _list(rb"-\ ", indent=2, again=rb"-")),
    "stars": ("list", _list(rb"\*\ ", indent=2, again=rb"\*")),
    "plusses": ("list", _list(rb"\+\ ", indent=2, again=rb"\+")),
    "wide_dashes": ("list", _list(rb"-\ {1,3}+", indent=4, again=rb"-")),
    "wide_stars": ("list", _list(rb"\*\ {1,3}+", indent=4, again=rb"\*")),
    "numbers": ("list", _list(rb"[0-9]\.\ ", indent=3, again=_NUMBER)),
    "wide_numbers": (
        "list",
        _list(rb"(?:[0-9]\.\ {1,2}+|[0-9]{2}\.\ )", indent=4, again=_NUMBER),
    ),
    "table": (
        "table",
        rb"(?P<header>\|%b)(?P<delimiters>\|%b(?:\|%b|(?!))*+\|?[ \t]*+\n)(?:\|%b|(?!))*+"
        % (_LINE, _CELL, _CELL, _LINE),
    ),
    "quote": ("quote", rb"(?:>%b)*>[ \t]*+(?!\n)%b" % (_LINE, _LINE)),
    "comment": ("html", rb"<!--(?!-?>)(?:[^-]++|-(?!->)|(?!))*+-->%b" % _LINE),
    "raw": (
        "html",
        rb"<(?P<name>pre|script|style)(?=[ \t\n>])(?:[^<]++|<(?!/(?i:%b)>)|(?!))*+</(?P=name)>%b"
        % (_RAW_NAMES, _LINE),
    ),
    "element": (
        "html",
        rb"</?(?i:%b)(?=[ \t\n>]|/>)%b(?:[ \t]*+(?!\n)%b|(?!))*+" % (_BLOCK_NAMES, _LINE, _LINE),
    ),
    "tag": ("html", rb"%b[ \t]*+\n(?:[ \t]*+(?!\n)%b|(?!))*+" % (_TAG, _LINE)),
    "rule": ("thematic_break", rb"(?:-{3,}|\*{3,}|_{3,})[ \t]*+\n"),
}
"""Blocks, or the beginning of one: `fence` is the opening line of code."""

_KINDS = {name: kind for name, (kind, _) in _SHAPES.items()}
_BLOCK = re.compile(
    rb"(?:%b)(?:%b|(?!))*+"
    % (b"|".join([b"(?P<%b>%b)" % (name.encode(), p) for name, (_, p) in _SHAPES.items()]), _BLANK),
    re.VERBOSE,
)
"""A block with the blank lines after it."""

_PLAIN_LIST = re.compile(rb"(?:-\ %b|(?!))++|(?:\*\ %b|(?!))++" % (_FIRST, _FIRST), re.VERBOSE)
"""Items of one line each, which is text."""

_SIGNS = {
    **{sign: re.compile(rb"\n(?=\%c )" % sign) for sign in b"-*+"},
    **dict.fromkeys(b"0123456789", re.compile(rb"\n(?=[0-9]++\. )")),
}
"""What stands before the signs of items at the margin, by the first byte of their list."""

_ITEM: BlockKind = "list_item"
_ROW: BlockKind = "table_row"

_BLANKS = re.compile(rb"(?:[ \t]*+\n|(?!))*+")

_ENDED = frozenset(("fence", "comment", "raw", "rule"))
"""What no line after it is part of, whatever it holds."""

_OPEN = frozenset(("text", *(name for name, kind in _KINDS.items() if kind == "list")))
_INTERRUPTING = (_OPEN | {"fence", "quote", "comment", "raw", "element"}) - {"text"}
"""What ends text, or a list that ends with text, without a blank line."""

_CHECKED = _OPEN.difference(("text",)) | {"fence", "table", "quote", "definitions"}
"""What must be looked at again, as it may be something else; so must text that begins with `[`."""

_TAKING = frozenset(("list", "quote", "definition"))
"""What may go on with the definitions that follow: the parser stretches lists and quotes."""

_LANGUAGE = re.compile(r"[\s{.]*([^\s,{}]+)")
_new = tuple.__new__  # half the cost of calling a named tuple's class


def outline(raw: bytes, offset: int = 0) -> tuple[TopBlocks, int]:
    """Return the blocks of level 0 that a stretch begins with, and where what is uncertain begins.

    The stretch is whole lines, as `plain_lines` returns them, without headings at the top
    level. `offset` is added to all places.
    """
    blocks = TopBlocks([], [], [], {})
    if b"\0" in raw or b"\x0b" in raw or b"\x0c" in raw:
        return blocks, offset  # white space, perhaps
    kinds, starts, ends = blocks.kinds, blocks.starts, blocks.ends
    find, after = _BLOCK.match, len(raw)
    at = _blank_end(raw, 0)
    shape, is_parted = "", True  # of the block before: whether nothing goes on with it
    while at < after:
        match = find(raw, at)
        if match is None or not (is_parted or _may_follow(match, shape)):
            break
        shape = match.lastgroup or ""
        end = match.end(shape) if shape != "fence" else _fence_end(raw, match)
        if (shape in _CHECKED or raw[at] in b" [") and not _is_certain(match, kinds, end):
            break
        start, next_at = at + offset, match.end()
        kinds.append(_KINDS[shape])
        starts.append(start)
        ends.append(end + offset)
        if shape == "fence":
            language = fence_language(match["info"].decode())
            blocks.details[start] = language, match.end("fence") + offset
            next_at = _blank_end(raw, end)
        elif shape == "table":
            blocks.details[start] = "", match.end("delimiters") + offset
        at, is_parted = next_at, next_at > end or shape in _ENDED
    while kinds and at < after and (not is_parted or kinds[-1] in _TAKING):
        at, is_parted = blocks.pop() - offset, True  # what follows may be part of it
    return blocks, at + offset


def plain_lines(raw: bytes) -> bytes:
    """Return UTF-8 whose lines end in LF or CRLF with LF alone: every offset stays as it is.

    The last line ends in LF, too.
    """
    raw = with_line_feeds(raw)
    return raw if raw[-1:] in (b"\n", b"") else raw + b"\n"


def plain_parts(block: Block, raw: bytes) -> list[Block] | None:
    """Return the blocks in a list or table of level 0 whose parts are a line each, else None.

    `raw` are the bytes of the block, which `outline` has found.
    """
    if block.kind == "table":
        kind, first = _ROW, (block.content_start or block.end) - block.start
    elif b"\r" not in raw and _PLAIN_LIST.fullmatch(raw):
        kind, first = _ITEM, 0
    else:
        return None
    starts = [*accumulate(map(len, raw[first:].splitlines(True)), initial=block.start + first)]
    return [_new(Block, (kind, start, end, 1, "", None)) for start, end in pairwise(starts)]


def item_starts(raw: bytes, start: int, end: int) -> list[int]:
    """Return where the items begin of a list of level 0 that `outline` has found.

    A sign at the margin ends whatever is open in the item before.
    """
    return [start, *[match.end() for match in _SIGNS[raw[start]].finditer(raw, start, end)]]


def fence_language(info: str) -> str:
    """Return the first word of what stands behind a fence, lower-case."""
    language = _LANGUAGE.match(info)
    return language[1].lower() if language else ""


def _blank_end(raw: bytes, at: int) -> int:
    """Where the blank lines from `at` on end."""
    match = _BLANKS.match(raw, at)
    assert match is not None, "no lines match, too"
    return match.end()


def _may_follow(match: re.Match[bytes], before: str) -> bool:
    """Whether the block begins here, though no blank line parts it from the one before."""
    shape = match.lastgroup
    if before not in _OPEN or shape not in _INTERRUPTING:
        return False
    return not shape.endswith("numbers") or match[0].startswith(b"1.")


def _is_certain(match: re.Match[bytes], kinds: Sequence[BlockKind], end: int) -> bool:
    """Whether what matched after blocks of these kinds is what it seems to be."""
    shape = match.lastgroup or ""
    if shape == "fence":
        return end > 0 and b"\\" not in match["info"] and b"&" not in match["info"]
    if shape == "table":
        return _is_table(match["header"], match["delimiters"])
    if b"]:" not in match[0]:
        return True
    if shape == "definitions":
        return not kinds or kinds[-1] not in _TAKING
    return shape == "text" and not match[0].lstrip(b" ").startswith(b"[")


def _is_table(header: bytes, delimiters: bytes) -> bool:
    """Whether there are as many cells in the header as below, without a doubt."""
    if b"\\" in header or b"`" in header:
        return False
    return _inner_bars(header) == _inner_bars(delimiters)


def _inner_bars(row: bytes) -> int:
    row = row.strip(b" \t\n")
    return row[1:].removesuffix(b"|").count(b"|")


def _fence_end(raw: bytes, match: re.Match[bytes]) -> int:
    """Where the code ends whose opening line has matched; 0 where that is not certain."""
    mark = match["mark"]
    closing = closing_fence(mark[:1], len(mark)).search(raw, match.end("fence") - 1)
    if closing is None or b"\t" in closing[0]:
        return 0
    return closing.end() + 1


@lru_cache(64)
def closing_fence(mark: bytes, least: int) -> re.Pattern[bytes]:
    """Return the pattern of the line that ends code, with the line feed before it."""
    return re.compile(rb"\n {0,3}%b{%d,}+[ \t]*(?=\n)" % (mark, least))
