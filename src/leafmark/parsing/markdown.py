"""Markdown (CommonMark and GFM) to a `Document`.

The parser gets a text of exactly the length of the source, in which only what
would shift or hide structure is replaced: a byte order mark and front matter by
line feeds, a lone carriage return by a line feed, bad bytes by control
characters. So every offset that it reports is an offset into the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from leafmark.model import Anchor, Block, Deferred, Document, Heading, HeadingColumns, Link, Span
from leafmark.parsing.decoding import BOM, Decoded, decode
from leafmark.parsing.frontmatter import find_front_matter
from leafmark.parsing.lines import has_lone_returns, without_lone_returns
from leafmark.parsing.markdown_anchors import anchors_of, may_have_anchors
from leafmark.parsing.markdown_blocks import MarkdownBlocks, blocks_of, front_block
from leafmark.parsing.markdown_limits import find_excess
from leafmark.parsing.markdown_links import links_of
from leafmark.parsing.markdown_portioned_links import links_by_portions
from leafmark.parsing.markdown_portions import LARGE_BYTES, headings_by_portions
from leafmark.parsing.markdown_scan import scan_headings
from leafmark.parsing.markdown_walk import Row, walk, walk_links
from leafmark.parsing.text import degraded_document
from leafmark.parsing.titles import file_title, first_title, fold

__all__ = ["parse_markdown"]


class _Content:
    """What follows the front matter. What is in it is made when it is first asked for."""

    def __init__(self, decoded: Decoded, raw: bytes, front: Span | None, start: int) -> None:
        self._decoded, self._raw, self._front, self._start = decoded, raw, front, start
        self.headings: Sequence[Heading] = ()

    @property
    def text(self) -> str:
        """The source with line feeds for what comes before the content; made each time."""
        start = self._start
        if not self._decoded.stand_in:
            return "\n" * start + self._raw[start:].decode()
        text = without_lone_returns(self._decoded.encoded)
        return "\n" * start + text[start:].decode()

    @cached_property
    def walked(self) -> tuple[list[Heading], list[Row]]:
        return walk(self.text, self._raw, self._start)

    @property
    def blocks(self) -> Sequence[Block]:
        if self._decoded.stand_in:
            return Deferred(self._all_blocks)
        return MarkdownBlocks(self._all_blocks, self._raw, self._front, self._start, self.headings)

    def _all_blocks(self) -> tuple[Block, ...]:
        blocks = blocks_of(self.walked[1], self.headings, self._raw, self._start)
        return front_block(self._front) + blocks

    @property
    def links(self) -> Sequence[Link]:
        return Deferred(self._all_links)

    @property
    def anchors(self) -> Sequence[Anchor]:
        return Deferred(self._all_anchors)

    def _all_anchors(self) -> tuple[Anchor, ...]:
        if not may_have_anchors(self._raw):
            return ()
        blocks = self.blocks
        find = blocks.around if isinstance(blocks, MarkdownBlocks) else lambda _: blocks
        return tuple(anchors_of(self._raw, HeadingColumns.of(self.headings), find))

    def _all_links(self) -> tuple[Link, ...]:
        links: Iterable[Link]
        if len(self._raw) < LARGE_BYTES or self._decoded.stand_in:
            text = self.text
            links = links_of(walk_links(text), text)
        else:
            links = links_by_portions(self._raw, self._start, self.headings)
        shown = self._decoded.shown
        return tuple([link._replace(target=shown(link.target)) for link in links])


def parse_markdown(data: bytes, path: str) -> Document:
    """Return the document of a Markdown source."""
    decoded = decode(data, path)
    excess = find_excess(decoded.data)
    if excess:
        return degraded_document(decoded, path, "markdown", excess)
    raw = decoded.data
    if has_lone_returns(raw):
        raw = without_lone_returns(decoded.encoded)
    start = len(BOM) if raw.startswith(BOM) else 0
    front = find_front_matter(raw, start, path)
    start = front.span.end if front.span else start
    content = _Content(decoded, raw, front.span, start)
    find = scan_headings if len(raw) < LARGE_BYTES else headings_by_portions
    found = None if decoded.stand_in else find(raw, start)
    headings: Sequence[Heading] = tuple(content.walked[0]) if found is None else found
    if decoded.stand_in or b"\0" in raw:
        headings = tuple([_restore_heading(heading, decoded) for heading in headings])
    content.headings = headings
    return Document(
        path,
        decoded.data,
        "markdown",
        front.title or first_title(headings) or file_title(path),
        decoded.encoding,
        headings,
        content.blocks,
        content.links,
        front.span,
        front.metadata,
        front.tags,
        front.version,
        diagnostics=decoded.diagnostics + front.diagnostics,
        anchors=content.anchors,
    )


def _restore_heading(heading: Heading, decoded: Decoded) -> Heading:
    text = decoded.shown(heading.slug_text)
    return heading._replace(title=fold(text), slug_text=text)
