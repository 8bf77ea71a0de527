"""`Chunk`: an emitted node of a document's tree, and `ChunkedDocument`, which owns its chunks.

A chunk holds numbers and names; whatever can be derived from them and the
source (ids, breadcrumb, body, text, token counts, hash, lines) is derived when
it is asked for, so that chunking costs little more than parsing. Positions
number the chunks of a document in pre-order from 0, so a chunk's descendants
are the positions up to and including `last_position`, and `chunks[position]`
is the chunk itself.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from leafmark.model.document import Document, Link
from leafmark.model.ids import document_id, ordinal_id
from leafmark.model.span import Span

__all__ = ["Chunk", "ChunkKind", "ChunkedDocument", "ContentType", "fragment"]

ChunkKind = Literal["document", "section", "piece"]
ContentType = Literal["prose", "code", "table", "list", "mixed", "empty"]


def fragment(slug: str | None, piece: int) -> str:
    """Return what stands after the document's id: `#slug`, `~k`, both or nothing.

    >>> fragment("setup", 2)
    '#setup~2'
    """
    name = "" if slug is None else f"#{slug}"
    return f"{name}~{piece}" if piece else name


@dataclass(frozen=True, eq=False)
class ChunkedDocument:
    """A document and its chunks under one strategy, in order of position.

    `slugs` maps every slug of the document, discarded headings' included, to
    the position of the chunk that it resolves to.
    """

    document: Document
    tree: str
    strategy: str
    chunks: tuple[Chunk, ...] = field(repr=False)
    slugs: Mapping[str, int] = field(repr=False)
    count_tokens: Callable[[str], int] = field(repr=False)
    render_text: Callable[[Chunk], str] = field(repr=False)

    @cached_property
    def doc_id(self) -> str:
        return document_id(self.tree, self.document.path)

    @cached_property
    def _line_starts(self) -> list[int]:
        """Byte offsets at which lines start; LF, CRLF and lone CR end a line."""
        data = self.document.data
        starts = [0]
        if b"\r" in data:
            data = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        at = data.find(b"\n") + 1
        while at:
            starts.append(at)
            at = data.find(b"\n", at) + 1
        return starts

    def line_of(self, offset: int) -> int:
        """Return the 1-based line that holds the byte at `offset`."""
        return bisect_right(self._line_starts, offset)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """The record of one chunk: SPEC section 6, and the numbers that the index keeps.

    `body_spans` are the ranges of the source that make the body, in order.
    `parent_position` is -1 for a document. `languages` are the info words of
    the code blocks in the body.
    """

    owner: ChunkedDocument = field(repr=False)
    position: int
    parent_position: int
    last_position: int
    kind: ChunkKind
    depth: int
    title: str
    slug: str | None
    piece: int
    byte_start: int
    byte_end: int
    heading_start: int | None
    heading_end: int | None
    sibling_count: int
    body_spans: tuple[tuple[int, int], ...]
    section_path: tuple[str, ...]
    content_type: ContentType
    block_types: tuple[str, ...]
    languages: tuple[str, ...] = ()
    is_complete_section: bool = False
    oversize: bool = False
    undersize: bool = False
    covers: tuple[str, ...] = ()
    context_spans: tuple[tuple[int, int], ...] = ()
    line_offset: int | None = None

    # -- names -----------------------------------------------------------------

    @property
    def tree(self) -> str:
        return self.owner.tree

    @property
    def path(self) -> str:
        return self.owner.document.path

    @property
    def doc_id(self) -> str:
        return self.owner.doc_id

    @property
    def fragment(self) -> str:
        return fragment(self.slug, self.piece)

    @property
    def id(self) -> str:
        return self.owner.doc_id + self.fragment

    @property
    def ordinal_id(self) -> str:
        return ordinal_id(self.owner.doc_id, self.position)

    @property
    def breadcrumb(self) -> str:
        return "> " + " › ".join(self.section_path)

    # -- neighbours --------------------------------------------------------------

    @property
    def parent(self) -> Chunk | None:
        return None if self.parent_position < 0 else self.owner.chunks[self.parent_position]

    @property
    def parent_id(self) -> str | None:
        parent = self.parent
        return None if parent is None else parent.id

    @property
    def children(self) -> tuple[Chunk, ...]:
        """The emitted children, in order: linear in their number."""
        found = []
        at = self.position + 1
        while at <= self.last_position:
            child = self.owner.chunks[at]
            found.append(child)
            at = child.last_position + 1
        return tuple(found)

    @property
    def sibling_ids(self) -> tuple[str, ...]:
        """The other emitted children of the parent, in order."""
        parent = self.parent
        return () if parent is None else tuple(c.id for c in parent.children if c is not self)

    @property
    def prev_id(self) -> str | None:
        return self.owner.chunks[self.position - 1].id if self.position else None

    @property
    def next_id(self) -> str | None:
        after = self.position + 1
        return self.owner.chunks[after].id if after < len(self.owner.chunks) else None

    # -- source --------------------------------------------------------------------

    @property
    def raw(self) -> bytes:
        """The whole span's bytes."""
        return self.owner.document.data[self.byte_start : self.byte_end]

    @property
    def body_bytes(self) -> bytes:
        data = self.owner.document.data
        return b"".join([data[start:end] for start, end in self.body_spans])

    @property
    def body(self) -> str:
        """The body as it stands in the source; bytes that are not UTF-8 become U+FFFD."""
        return self.body_bytes.decode("utf-8", "replace")

    @property
    def sha256(self) -> str:
        """Hex digest of the whole span's bytes."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def line_start(self) -> int:
        if self.heading_start is not None:
            return self.owner.line_of(self.heading_start)
        if self.line_offset is not None:
            return self.owner.line_of(self.line_offset)
        return self.owner.line_of(self.byte_start)

    @property
    def line_end(self) -> int:
        return self.owner.line_of(max(self.byte_start, self.byte_end - 1))

    # -- for models ------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Breadcrumb line, context, and the normalised body."""
        return self.owner.render_text(self)

    @property
    def tokens(self) -> int:
        return self.owner.count_tokens(self.text)

    @property
    def body_tokens(self) -> int:
        return self.owner.count_tokens(self.body)

    # -- the document's -----------------------------------------------------------------

    @property
    def tags(self) -> tuple[str, ...]:
        return self.owner.document.tags

    @property
    def version(self) -> str | None:
        return self.owner.document.version

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self.owner.document.metadata

    @property
    def encoding(self) -> str:
        return self.owner.document.encoding

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that begin in the body."""
        return tuple(
            link
            for link in self.owner.document.links
            if any(start <= link.start < end for start, end in self.body_spans)
        )

    @property
    def body_ranges(self) -> tuple[Span, ...]:
        return tuple(Span(start, end) for start, end in self.body_spans)
