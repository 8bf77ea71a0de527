"""Rows of the walk to blocks: levels, whole lines, languages.

Done when a document's blocks are looked at, which chunking by headings
does not do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from leafmark.model import Block, BlockKind, Heading
from leafmark.parsing.lines import Lines
from leafmark.parsing.markdown_walk import Row

__all__ = ["blocks_of"]

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
_CONTAINERS = frozenset(("List", "Item", "Table", "BlockQuote", "FootnoteDefinition"))
_LANGUAGE = re.compile(r"[\s{.]*([^\s,{}]+)")
_LINK_DEFINITION = re.compile(rb"\n {0,3}\[[^\n\]]")  # a literal first byte makes it fast
_new = tuple.__new__  # half the cost of calling a named tuple's class


def blocks_of(
    rows: Sequence[Row], headings: Sequence[Heading], raw: bytes, start: int
) -> tuple[Block, ...]:
    """Return the blocks of a document whose content begins at byte `start`."""
    blocks = list(_blocks(rows, raw, start))
    if _LINK_DEFINITION.search(raw) or raw.startswith(b"[", start):
        definitions = list(_link_definitions(blocks, headings, raw, start))
        if definitions:
            blocks = sorted(blocks + definitions, key=lambda block: block.start)
    return tuple(blocks)


def _blocks(rows: Sequence[Row], raw: bytes, first: int) -> Iterator[Block]:
    lines = Lines(raw, first)
    open_ends = [len(raw) + 1]  # of the document and of the containers around
    for tag, start, end in rows:
        name = tag if tag.__class__ is str else next(iter(tag))
        kind = _KINDS.get(name)
        if kind is None:
            continue
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
        yield _new(Block, (kind, lines.start_of(start), end, level, info, content))


def _code(code: Any, lines: Lines, start: int) -> tuple[str, int | None]:
    """A code block's language, and where its content begins if it has a fence."""
    if code == "Indented":
        return "", None
    language = _LANGUAGE.match(code["Fenced"])
    return language[1].lower() if language else "", lines.end_of(start + 1)


def _link_definitions(
    blocks: Sequence[Block], headings: Sequence[Heading], raw: bytes, start: int
) -> Iterator[Block]:
    """What stands at the top level and is in no block: link reference definitions."""
    taken = [(block.start, block.end) for block in blocks if not block.level]
    taken += [(heading.start, heading.end) for heading in headings if not heading.nested]
    lines = Lines(raw, start)
    for after, end in [*sorted(taken), (len(raw), len(raw))]:
        gap = raw[start:after]
        if gap and not gap.isspace():
            first = lines.start_of(start + len(gap) - len(gap.lstrip()))
            yield Block("definition", first, lines.end_of(start + len(gap.rstrip())))
        start = end
