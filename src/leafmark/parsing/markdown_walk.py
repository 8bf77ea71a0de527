"""The events of the Markdown parser to headings, and to rows that blocks are made of later.

The loop sees an event for every twenty-five bytes or so of a source, so it looks
at what an event holds instead of at its type, and only notes where blocks and
links are. Nested headings are told by ends: a container is open until something
begins at or after its end.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

import pyromark

from leafmark.model import Heading
from leafmark.parsing.lines import Lines

__all__ = ["OPTIONS", "Row", "read_titles", "walk", "walk_headings", "walk_links"]

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
)
_LEVELS = {f"H{level}": level for level in range(1, 7)}
_BLOCK_TAGS = frozenset(("Paragraph", "Item", "TableRow", "HtmlBlock"))
_CLOSING_MARKS = re.compile(rb"[ \t]#+[ \t]*\r?\n?\Z")
_NOWHERE = {"start": 0, "end": 0}
_new = tuple.__new__  # half the cost of calling a named tuple's class

Event = Any  # a dict of one key, or a string: the parser's own types are wider than its values
Events = Iterator[tuple[Event, Any]]
Row = tuple[Any, int, int]
"""What begins (a name, or a dict of a name and what the parser says about it), and its range."""


def walk(text: str, raw: bytes, start: int) -> tuple[list[Heading], list[Row]]:
    """Return the headings of `text`, and a row for each block, link and image, by start.

    `text` encodes to as many bytes as `raw`, whose lines end in LF or CRLF.
    Content begins at byte `start`. A row has the parser's own range. Headings at
    the top level make no row.
    """
    rows: list[Row] = []
    return _walk(text, raw, start, rows.append), rows


def walk_headings(raw: bytes) -> list[Heading]:
    """Return what `walk` returns for headings, without the rows, which take memory."""
    return _walk(raw.decode(), raw, 0, deque[Row](maxlen=0).append)


def walk_links(text: str) -> list[Row]:
    """Return those rows of `walk` that are links, images, and blocks of code and of HTML."""
    rows: list[Row] = []
    events: Events = iter(pyromark.events_with_range(text, options=OPTIONS))
    for event, extent in events:
        if "Start" in event:
            tag = event["Start"]
            if tag.__class__ is str:
                if tag == "HtmlBlock":
                    rows.append((tag, extent["start"], extent["end"]))
            elif "Link" in tag or "Image" in tag or "CodeBlock" in tag:
                rows.append((tag, extent["start"], extent["end"]))
    return rows


def _walk(text: str, raw: bytes, start: int, keep: Callable[[Row], None]) -> list[Heading]:
    headings: list[Heading] = []
    lines, open_end, limit = Lines(raw, start), 0, len(raw)
    events: Events = iter(pyromark.events_with_range(text, options=OPTIONS))
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
                words = _read_title(events, keep)
                if words[-1:] in ("#", "\t"):
                    words = _without_closing_marks(words, raw[first:last])
                title = " ".join(words.split())
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
    return headings


def read_titles(lines: Sequence[bytes]) -> list[str]:
    """Return the rendered text of headings, each given with the line feed before it.

    What they link to must not be defined elsewhere.
    """
    titles: list[str] = []
    links: list[Row] = []
    text = b"".join(lines).decode()
    events: Events = zip(pyromark.events(text, options=OPTIONS), repeat(_NOWHERE))
    for line in lines:
        next(events)
        words = _read_title(events, links.append)
        titles.append(_without_closing_marks(words, line) if words[-1:] in ("#", "\t") else words)
    return titles


def _read_title(events: Events, keep: Callable[[Row], None]) -> str:
    """The rendered text of the heading that has begun; `events` then stand after its end."""
    parts: list[str] = []
    images = 0
    for event, extent in events:
        if "Text" in event:
            if not images:
                parts.append(event["Text"])
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
    return parts[0] if len(parts) == 1 else "".join(parts)


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
