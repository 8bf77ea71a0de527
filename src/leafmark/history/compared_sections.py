"""A parsed document as sections to compare: their names, places and own bytes.

A section's own bytes are its heading line and its body without the sections below it, so that a
change is reported once, at the section that has it. White space at the edges of a body separates
it from its neighbours and does not belong to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from leafmark.model import Block, BlockRegions, Chunk, ChunkedDocument, Document
from leafmark.search.citations import format_citation

Features = Counter[tuple[str, ...]]
"""Pairs of neighbouring words, with their counts."""

_EDGE = b" \t\r\n\f\v"
_WORD = re.compile(r"[0-9A-Za-z_]+|[^\W\x00-\x7f]")


def word_pairs(text: str) -> Features:
    """Return the pairs of neighbouring words of a text, case folded; of one word, that word.

    A letter outside ASCII is a word by itself: many scripts have no spaces.

    >>> sorted(word_pairs("To be, to be"))
    [('be', 'to'), ('to', 'be')]
    """
    words = _WORD.findall(text.casefold())
    if len(words) == 1:
        return Counter([(words[0],)])
    return Counter(pairwise(words))


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A block at the top level of a body; `text` is its source text."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class Section:
    """One section, or a document's own part before its first heading (`slug` None).

    `parent` is the position of the section above, -1 for a document; `number` its place among
    its siblings.
    """

    owner: SectionedDocument
    chunk: Chunk
    parent: int
    number: int

    @property
    def position(self) -> int:
        return self.chunk.position

    @property
    def is_document(self) -> bool:
        return self.parent < 0

    @cached_property
    def id(self) -> str:
        return self.chunk.id

    @property
    def path(self) -> str:
        return self.owner.path

    @property
    def slug(self) -> str | None:
        return self.chunk.slug

    @property
    def title(self) -> str:
        return self.owner.document.title if self.is_document else self.chunk.title

    @property
    def depth(self) -> int:
        return self.chunk.depth

    @property
    def section_path(self) -> tuple[str, ...]:
        return self.chunk.section_path

    @property
    def line(self) -> int:
        return self.chunk.line_start

    @cached_property
    def body(self) -> bytes:
        """The own body without white space at its edges."""
        return self.chunk.body_bytes.strip(_EDGE)

    @cached_property
    def heading(self) -> bytes:
        """The heading line; empty for a definition and for a document."""
        start, end = self.chunk.heading_start, self.chunk.heading_end
        if start is None or end is None:
            return b""
        return self.owner.document.data[start:end].strip(_EDGE)

    @cached_property
    def readable(self) -> str:
        """The own body as readers see it: a page's without its markup."""
        if self.owner.document.is_rendered:
            return self.chunk.readable_body
        return self.body.decode("utf-8", "replace")

    @cached_property
    def features(self) -> Features:
        return word_pairs(self.readable)

    @cached_property
    def weight(self) -> int:
        """The number of word pairs."""
        return self.features.total()

    @property
    def citation(self) -> str:
        """The citation of the whole section without its heading line."""
        chunk = self.chunk
        return format_citation(chunk.id, chunk.sha256, chunk.byte_start, chunk.byte_end)

    @cached_property
    def blocks(self) -> tuple[TextBlock, ...]:
        """The blocks of the own body, in order."""
        data = self.owner.document.data
        blocks = []
        for start, end in self.chunk.body_spans:
            for block in self.owner.blocks_within(start, end):
                first, last = max(block.start, start), min(block.end, end)
                text = data[first:last].decode("utf-8", "replace").strip("\r\n")
                blocks.append(TextBlock(block.kind, first, last, text))
        return tuple(blocks)


class SectionedDocument:
    """A document with its sections in order of position, the document itself first."""

    def __init__(self, chunked: ChunkedDocument) -> None:
        """Take the sections of a document that was chunked by headings."""
        self.chunked = chunked
        self.sections: tuple[Section, ...] = tuple(
            Section(self, chunk, chunk.parent_position, number)
            for chunk, number in zip(chunked.chunks, chunked.child_numbers, strict=True)
        )

    @property
    def document(self) -> Document:
        return self.chunked.document

    @property
    def id(self) -> str:
        return self.chunked.doc_id

    @property
    def tree(self) -> str:
        return self.chunked.tree

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def key(self) -> tuple[str, str]:
        return self.tree, self.path

    @property
    def names(self) -> Mapping[str, int]:
        """Every slug and anchor, with the position of its section."""
        return self.chunked.slugs

    def children_of(self, position: int) -> Sequence[Section]:
        """Return the sections directly below the one at a position, in order."""
        return self._children[position]

    @cached_property
    def _children(self) -> Sequence[Sequence[Section]]:
        children: list[list[Section]] = [[] for _ in self.sections]
        for section in self.sections[1:]:
            children[section.parent].append(section)
        return children

    def section_around(self, start: int, end: int) -> Section | None:
        """Return the smallest section around `[start, end)`, its heading line included."""
        best = None
        for section in self.sections:  # in pre-order: a later one around it is smaller
            chunk = section.chunk
            first = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
            if first <= start and end <= chunk.byte_end:
                best = section
        return best

    def blocks_within(self, start: int, end: int) -> Sequence[Block]:
        """Return the blocks at the top level that have bytes in `[start, end)`."""
        blocks = self.document.blocks
        if isinstance(blocks, BlockRegions):
            numbers = blocks.regions_of(start, end)
            candidates = [block for number in numbers for block in blocks.region(number).top]
            return [block for block in candidates if block.start < end and start < block.end]
        starts, top = self._top
        first = max(0, bisect_right(starts, start) - 1)
        near = top[first : bisect_left(starts, end)]
        return [block for block in near if start < block.end]

    @cached_property
    def _top(self) -> tuple[list[int], list[Block]]:
        top = [block for block in self.document.blocks if block.level == 0]
        return [block.start for block in top], top
