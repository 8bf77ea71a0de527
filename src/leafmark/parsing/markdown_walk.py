"""The events of the Markdown parser to headings, blocks and links.

The parser's ranges are made whole lines here. What is nested is told by ends:
a container is open until something begins at or after its end. The loop is lean
because it sees an event for every twenty-five bytes or so of a source; it looks
at what an event holds instead of at its type, and leaves inline markup outside
of headings alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyromark

from leafmark.model import Block, BlockKind, Heading, Link

__all__ = ["Walk"]

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
)
_LEVELS = {f"H{level}": level for level in range(1, 7)}
_LINE_FEED = 10
_LANGUAGE = re.compile(r"[\s{.]*([^\s,{}]+)")
_CONTAINERS = frozenset(("list", "list_item", "quote", "table", "definition"))
_PLAIN_TAGS: dict[str, BlockKind] = {
    "Paragraph": "paragraph",
    "Item": "list_item",
    "TableRow": "table_row",
    "HtmlBlock": "html",
}
_TAGS: dict[str, BlockKind] = {
    "List": "list",
    "BlockQuote": "quote",
    "Table": "table",
    "FootnoteDefinition": "definition",
}

Event = Any  # a dict of one key, or a string: the parser's own types are wider than its values
Events = Iterator[tuple[Event, Any]]

_new = tuple.__new__  # half the cost of calling a named tuple's class


class Walk:
    """One walk over a document: `headings`, `blocks` and `links` in order of their starts.

    `text` encodes to as many bytes as `raw`, the source with LF or CRLF as line
    ends. Content begins at byte `start`.
    """

    def __init__(self, text: str, raw: bytes, start: int) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self._raw = raw
        self._open_ends: list[int] = []
        self._line = self._seen = start
        self._blank = (0, 0)
        self._run(pyromark.events_with_range(text, options=_OPTIONS))
        if b"]:" in raw:
            self._add_link_definitions(start)

    def _run(self, events: Events) -> None:
        for event, extent in events:
            if "Start" in event:
                tag = event["Start"]
                if tag.__class__ is str:
                    kind = _PLAIN_TAGS.get(tag)
                    if kind:
                        self._add(kind, extent["start"], extent["end"])
                elif "Link" in tag or "Image" in tag:
                    self.links.append(_link(tag, extent))
                elif "Heading" in tag:
                    self._add_heading(tag["Heading"]["level"], extent, events)
                else:
                    self._add_container_or_code(tag, extent["start"], extent["end"])
            elif event == "Rule":
                self._add("thematic_break", extent["start"], extent["end"])

    def _add(
        self, kind: BlockKind, start: int, end: int, info: str = "", content: int | None = None
    ) -> None:
        level = self._level(start)
        if kind in _CONTAINERS:
            self._open_ends.append(end)
            end = self._without_blank_lines(end)
        row = (kind, self._line_start(start), self._line_end(end), level, info, content)
        self.blocks.append(_new(Block, row))

    def _level(self, start: int) -> int:
        """How many containers hold what begins at `start`; those that end before are closed."""
        ends = self._open_ends
        while ends and ends[-1] <= start:
            ends.pop()
        return len(ends)

    def _add_heading(self, level: str, extent: Any, events: Events) -> None:
        start, end = extent["start"], extent["end"]
        text = self._title(events)
        depth = self._level(start)
        start, end = self._line_start(start), self._line_end(end)
        title = " ".join(text.split())
        limit = len(self._raw)
        row = (_LEVELS[level], title, text, start, end, limit, depth > 0, None, None, None)
        self.headings.append(_new(Heading, row))
        if depth:
            self.blocks.append(_new(Block, ("heading", start, end, depth, "", None)))

    def _title(self, events: Events) -> str:
        """The rendered text of the heading that has begun, up to and including its end."""
        parts: list[str] = []
        images = 0
        for event, extent in events:
            if "Text" in event:
                if not images:
                    parts.append(event["Text"])
            elif "End" in event:
                if "Heading" in event["End"]:
                    break
                images -= event["End"] == "Image"
            elif "Start" in event:
                tag = event["Start"]
                if tag.__class__ is not str:
                    images += "Image" in tag
                    self.links.append(_link(tag, extent))
            elif not images:
                parts.append(_inline(event))
        return "".join(parts)

    def _add_container_or_code(self, tag: dict[str, Any], start: int, end: int) -> None:
        if "CodeBlock" not in tag:
            ((name, _),) = tag.items()
            content = self._rows_start(start, end) if name == "Table" else None
            return self._add(_TAGS[name], start, end, "", content)
        code = tag["CodeBlock"]
        if code == "Indented":
            return self._add("code", start, end)
        language = _LANGUAGE.match(code["Fenced"])
        info = language[1].lower() if language else ""
        return self._add("code", start, end, info, self._line_end(start + 1))

    def _rows_start(self, start: int, end: int) -> int:
        """Where a table's third line begins, after its header and delimiters."""
        return min(self._line_end(self._line_end(start + 1) + 1), end)

    def _line_start(self, start: int) -> int:
        """The beginning of the line of `start`, which never decreases from call to call."""
        found = self._raw.rfind(b"\n", self._seen, start)
        if found >= 0:
            self._line = found + 1
        self._seen = start
        return self._line

    def _line_end(self, end: int) -> int:
        """The end of the line, its line feed included, that holds the byte before `end`."""
        raw = self._raw
        if end > 0 and raw[end - 1] == _LINE_FEED:
            return end
        return raw.find(b"\n", end) + 1 or len(raw)

    def _without_blank_lines(self, end: int) -> int:
        """`end` less the blank lines before it; nested containers share them, so they are kept."""
        low, high = self._blank
        if not low <= end <= high:
            width = 16
            while width < end and self._raw[end - width : end].isspace():
                width *= 2
            low = max(end - width, 0)
            low += len(self._raw[low:end].rstrip())
            self._blank = low, end
        return low

    def _add_link_definitions(self, start: int) -> None:
        """Add what stands at the top level and makes no event: link reference definitions."""
        taken = [(block.start, block.end) for block in self.blocks if not block.level]
        taken += [(heading.start, heading.end) for heading in self.headings if not heading.nested]
        raw, found = self._raw, []
        for after, end in [*sorted(taken), (len(raw), len(raw))]:
            gap = raw[start:after]
            if gap and not gap.isspace():
                first = start + len(gap) - len(gap.lstrip())
                first = raw.rfind(b"\n", start, first) + 1 or start
                found.append(Block("definition", first, self._line_end(start + len(gap.rstrip()))))
            start = end
        if found:
            self.blocks = sorted([*self.blocks, *found], key=lambda block: block.start)


def _inline(event: Event) -> str:
    """What an inline event other than text and markup contributes to a title."""
    if event.__class__ is str:
        return " "  # a line break
    return event.get("Code", "")  # type: ignore[no-any-return]


def _link(tag: dict[str, Any], extent: Any) -> Link:
    if "Image" in tag:
        return Link(extent["start"], extent["end"], tag["Image"]["dest_url"], "image")
    link = tag["Link"]
    kind, target = link["link_type"], link["dest_url"]
    if kind == "Email":
        target = f"mailto:{target}"
    row = (extent["start"], extent["end"], target, _LINK_KINDS.get(kind, "link"))
    return _new(Link, row)


_LINK_KINDS = {"Autolink": "autolink", "Email": "autolink"}
