"""The one walk over the events of the Markdown parser: headings, and rows of all else.

A row says what begins and its range; blocks and links are made of rows when they are asked for.
The loop sees an event for every twenty-five bytes or so of a source, so it looks
at what an event holds instead of at its type. Nested headings are told by ends: a
container is open until something begins at or after its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import pyromark

from leafmark.model import Block, BlockKind, Heading
from leafmark.parsing.lines import Lines

__all__ = ["OPTIONS", "Row", "Walked", "blocks_of", "name_of", "read_titles", "walk"]

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
_BLOCK_TAGS = frozenset(("Paragraph", "Item", "TableRow", "HtmlBlock"))
_CONTAINERS = frozenset(("List", "Item", "Table", "BlockQuote", "FootnoteDefinition"))
_CLOSING_MARKS = re.compile(rb"[ \t]#+[ \t]*\r?\n?\Z")
_LINK_DEFINITION = re.compile(rb"\n {0,3}\[[^\n\]]")  # a literal first byte makes it fast
_FIRST_DEFINITION = re.compile(rb" {0,3}\[")
_LANGUAGE = re.compile(r"[\s{.]*([^\s,{}]+)")
_LINE_ENDS = b"\r\n"
_LISTED = frozenset(("list", "list_item"))
_NOWHERE = {"start": 0, "end": 0}
_new = tuple.__new__  # half the cost of calling a named tuple's class

Event = Any  # a dict of one key, or a string: the parser's own types are wider than its values
Events = Iterator[tuple[Event, Any]]
Row = tuple[Any, int, int]
"""What begins (a name, or a dict of a name and what the parser says about it), and its range."""


class Walked(NamedTuple):
    """What is in a text, in order of where it starts.

    `rows` are blocks, links and images; headings at the top level make none.
    """

    headings: list[Heading]
    rows: list[Row]


def name_of(tag: Any) -> str:
    """Return the name of what begins."""
    name: str = tag if tag.__class__ is str else next(iter(tag))
    return name


def walk(raw: bytes) -> Walked:
    """Return the headings and rows of UTF-8 whose lines end in LF or CRLF.

    Rows have the parser's own ranges.
    """
    headings: list[Heading] = []
    rows: list[Row] = []
    keep = rows.append
    lines, open_end, limit = Lines(raw, 0), 0, len(raw)
    events: Events = iter(pyromark.events_with_range(raw.decode(), options=OPTIONS))
    for event, extent in events:
        if "Start" in event:
            tag = event["Start"]
            if tag.__class__ is str:
                if tag in _BLOCK_TAGS:
                    keep((tag, extent["start"], extent["end"]))
            elif "Heading" in tag:
                first, last = extent["start"], extent["end"]
                nested = first < open_end
                if nested:
                    keep(("Heading", first, last))
                words, pictures = _read_title(events, keep)
                if words[-1:] in ("#", "\t"):
                    words = _without_closing_marks(words, raw[first:last])
                title = " ".join(words.split() or pictures.split())
                first, last = lines.start_of(first), lines.end_of(last)
                level = _LEVELS[tag["Heading"]["level"]]
                row = (level, title, words, first, last, limit, nested, None, None, None)
                headings.append(_new(Heading, row))
            else:
                end = extent["end"]
                keep((tag, extent["start"], end))
                if end > open_end:
                    open_end = end
        elif "Rule" in event:
            keep(("Rule", extent["start"], extent["end"]))
    return Walked(headings, rows)


def read_titles(lines: Sequence[bytes]) -> list[tuple[str, str]]:
    """Return the rendered text of headings, and what their pictures are called.

    Each is given with the line feed before it. What they link to must not be defined elsewhere.
    """
    titles: list[tuple[str, str]] = []
    links: list[Row] = []
    text = b"".join(lines).decode()
    events: Events = zip(pyromark.events(text, options=OPTIONS), repeat(_NOWHERE))
    for line in lines:
        next(events)
        words, pictures = _read_title(events, links.append)
        if words[-1:] in ("#", "\t"):
            words = _without_closing_marks(words, line)
        titles.append((words, pictures))
    return titles


def _read_title(events: Events, keep: Callable[[Row], None]) -> tuple[str, str]:
    """The rendered text of the heading that has begun, and what its pictures are called.

    `events` then stand after its end.
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
        elif not images:
            parts.append(_inline_text(event))
    return "".join(parts), "".join(pictures)


def _without_closing_marks(words: str, line: bytes) -> str:
    """`words` less the closing marks of a heading that have tabs around them.

    The specification lets them; the parser takes spaces only.
    """
    marks = _CLOSING_MARKS.search(line)
    if not marks or b"\t" not in marks[0]:
        return words
    return words.rstrip("\t ").rstrip("#").rstrip("\t ")


def _inline_text(event: Event) -> str:
    """What an inline event other than text and markup contributes to a title."""
    if event.__class__ is str:
        return " "  # a line break
    code: str = event.get("Code", "")
    return code


def blocks_of(rows: Sequence[Row], headings: Sequence[Heading], raw: bytes) -> list[Block]:
    """Return the blocks of `raw`, whose rows and headings these are."""
    blocks = _blocks(rows, raw)
    if _LINK_DEFINITION.search(raw) or _FIRST_DEFINITION.match(raw):
        _end_lists(blocks)
        definitions = list(_link_definitions(blocks, headings, raw))
        if definitions:
            blocks = sorted(blocks + definitions, key=lambda block: block.start)
    return blocks


def _end_lists(blocks: list[Block]) -> None:
    """Let each list end with its last item: the parser stretches it over definitions behind it."""
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


def _blocks(rows: Sequence[Row], raw: bytes) -> list[Block]:
    lines = Lines(raw, 0)
    open_ends = [len(raw) + 1]  # of the document and of the containers around
    blocks: list[Block] = []
    footnotes: dict[int, int] = {}  # where the last one of each level stands among them
    for tag, start, end in rows:
        name = name_of(tag)
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
            end = lines.before_blank(end)
        end = lines.end_of(end)
        info, content = "", None
        if name == "CodeBlock":
            info, content = _code(tag["CodeBlock"], lines, start)
        elif name == "Table":
            content = min(lines.end_of(lines.end_of(start + 1) + 1), end)
        block = _new(Block, (kind, lines.start_of(start), end, level, info, content))
        if name != "FootnoteDefinition" or not _is_joined(block, blocks, footnotes):
            blocks.append(block)
    return blocks


def _is_joined(block: Block, blocks: list[Block], footnotes: dict[int, int]) -> bool:
    """Make one block of two footnotes on one line; False where this begins a line of its own."""
    at = footnotes.get(block.level, -1)
    if at < 0 or block.start >= blocks[at].end:
        footnotes[block.level] = len(blocks)
        return False
    blocks[at] = blocks[at]._replace(end=max(block.end, blocks[at].end))
    return True


def _code(code: Any, lines: Lines, start: int) -> tuple[str, int | None]:
    """A code block's language, and where its content begins if it has a fence."""
    if code == "Indented":
        return "", None
    return _language(code["Fenced"]), lines.end_of(start + 1)


def _link_definitions(
    blocks: Sequence[Block], headings: Sequence[Heading], raw: bytes
) -> Iterator[Block]:
    """What stands at the top level and is in no block: link reference definitions."""
    taken = [(block.start, block.end) for block in blocks if not block.level]
    taken += [(heading.start, heading.end) for heading in headings if not heading.nested]
    lines, start = Lines(raw, 0), 0
    for after, end in [*sorted(taken), (len(raw), len(raw))]:
        gap = raw[start:after]
        if gap and not gap.isspace():
            first = lines.start_of(start + len(gap) - len(gap.lstrip()))
            yield Block("definition", first, lines.end_of(start + len(gap.rstrip())))
        start = end


def _language(info: str) -> str:
    """The first word of what stands behind a fence, lower-case."""
    language = _LANGUAGE.match(info)
    return language[1].lower() if language else ""
