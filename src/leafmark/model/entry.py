"""Entries of the index: `Entry` for a chunk, `DocumentEntry` for a source.

An entry has the structure of a chunk without its text: the text is read from
the source, by span, after the source's hash was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leafmark.model.chunk import Chunk, ChunkKind, ContentType
from leafmark.model.document import Diagnostic
from leafmark.model.ids import document_id, format_breadcrumb, fragment, ordinal_id
from leafmark.namedtuples import NamedTuple


class FileState(NamedTuple):
    """The state of a file when it was indexed; with an equal state, it need not be read again.

    `changed_ns` is ctime. `digest` is the sha256 of the file's bytes, hex.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    digest: str


class Entry(NamedTuple):
    """One indexed chunk, without text. Field names are those of `Chunk`."""

    tree: str
    path: str
    position: int
    parent_position: int
    parent_fragment: str
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
    line_start: int
    line_end: int
    sibling_count: int
    body_spans: tuple[tuple[int, int], ...]
    section_path: tuple[str, ...]
    content_type: ContentType
    block_types: tuple[str, ...]
    is_complete_section: bool = False
    oversize: bool = False
    undersize: bool = False
    covers: tuple[str, ...] = ()

    @property
    def doc_id(self) -> str:
        return document_id(self.tree, self.path)

    @property
    def fragment(self) -> str:
        return fragment(self.slug, self.piece)

    @property
    def id(self) -> str:
        return self.doc_id + self.fragment

    @property
    def ordinal_id(self) -> str:
        return ordinal_id(self.doc_id, self.position)

    @property
    def parent_id(self) -> str | None:
        return None if self.parent_position < 0 else self.doc_id + self.parent_fragment

    @property
    def breadcrumb(self) -> str:
        return format_breadcrumb(self.section_path)

    def holds(self, other: Entry) -> bool:
        """Whether another chunk is this one, or lies below it."""
        return (self.tree, self.path) == (other.tree, other.path) and (
            self.position <= other.position <= self.last_position
        )


class DocumentEntry(NamedTuple):
    """One indexed source: its state on disk and the data of the whole document.

    `slugs` maps the slugs that no chunk carries (discarded headings) to positions.
    `named` files were named by the user when they were indexed, so that they stay
    although an ignore rule matches them. `front_matter_end` is the byte before
    which nothing is text (0 without front matter).
    """

    tree: str
    path: str
    state: FileState
    title: str
    format: str
    encoding: str
    chunk_count: int
    tags: tuple[str, ...] = ()
    version: str | None = None
    metadata: Mapping[str, Any] = {}
    slugs: Mapping[str, int] = {}
    degraded: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    named: bool = False
    front_matter_end: int = 0

    @property
    def doc_id(self) -> str:
        return document_id(self.tree, self.path)


def whole_range(chunk: Chunk | Entry) -> tuple[int, int]:
    """Return the byte range of a chunk with its heading line and everything below it."""
    start = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
    return start, chunk.byte_end


def heading_and_span(chunk: Chunk | Entry) -> list[tuple[int, int]]:
    """Return the byte ranges of a chunk's heading lines, if any, and of its span."""
    span = (chunk.byte_start, chunk.byte_end)
    if chunk.heading_start is None or chunk.heading_end is None:
        return [span]
    return [(chunk.heading_start, chunk.heading_end), span]
