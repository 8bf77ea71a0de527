"""`Chunk`: an emitted node of a document's tree; `ChunkedDocument`, which owns its chunks; records.

A chunk holds numbers and names. Everything that follows from them and the source
(ids, breadcrumb, body, text, token counts, content type, hash, lines) is computed on
demand, so that chunking costs little more than parsing. The document stores rows and
makes a chunk on access: chunks that referred to each other would stay in memory until
Python collects cycles, which takes a fifth of the time of chunking.
Positions number the chunks of a document in pre-order from 0: a chunk's descendants
have the positions up to and including `last_position`, and `chunks[position]` is the
chunk itself. A `ChunkRecord` needs no source: its fields hold all derived values.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, repeat
from operator import itemgetter
from typing import Any, Literal, Protocol, overload

from leafmark.errors import UsageError
from leafmark.frozen import Frozen
from leafmark.model.document import Document, Link
from leafmark.model.ids import decodable, document_id, format_breadcrumb, fragment, ordinal_id
from leafmark.model.sequences import Deferred
from leafmark.model.span import bytes_in
from leafmark.namedtuples import NamedTuple

ChunkKind = Literal["document", "section", "piece"]
ContentType = Literal["prose", "code", "table", "list", "mixed", "empty"]

Row = tuple[Any, ...]
"""The fields of a `Chunk` in order, without its owner."""


class Content(NamedTuple):
    """The kinds of content in a body.

    `block_types` are the kinds of its top-level blocks, `languages` the info
    words of its code blocks (nested ones too), both sorted and without repeats.
    `holds_code` counts nested code too: commands stand in the steps of a list.
    """

    content_type: ContentType
    block_types: tuple[str, ...]
    languages: tuple[str, ...]
    holds_code: bool


class Rendered(NamedTuple):
    """`text`, the input of a model, and the ranges of the source that it has before the body."""

    text: str
    context_spans: tuple[tuple[int, int], ...]


class Emitted(NamedTuple):
    """The nodes of a document's tree that became chunks.

    `rows` are the fields of the chunks. `heading_slugs` has the slug of every heading,
    discarded ones included, and `heading_positions` the chunks that they resolve to;
    `own_slugs` has the slugs of the headings' texts alone, and is empty where those are the
    only slugs; `node_slugs` has the slugs of the nodes, by number. `folded_position` is the
    chunk that section paths leave out because its title is the document's.
    """

    rows: Sequence[Row] = ()
    heading_slugs: Sequence[str] = ()
    own_slugs: Sequence[str] = ()
    heading_positions: Sequence[int] = ()
    node_slugs: Sequence[str | None] = ()
    folded_position: int | None = None


def leads_nowhere(document: Document, link: Link) -> str | None:
    """Return None: the resolver of links that knows no other document."""
    return None


FindLink = Callable[[Document, Link], str | None]
"""Returns the id of the chunk, in any document, that a link in a document leads to."""


class ChunkRecord(NamedTuple):
    """One chunk. Offsets are bytes into the source, spans half-open, lines 1-based and inclusive.

    `content_type` names the kind of most of the body. `tokens` counts the tokens of `text`,
    `body_tokens` those of the readable body: no front matter, and no markup of pages
    and notebooks. `sha256` is of the whole span.
    """

    id: str
    ordinal_id: str
    doc_id: str
    parent_id: str | None
    tree: str
    path: str
    kind: str
    title: str
    slug: str | None
    depth: int
    position: int
    breadcrumb: str
    section_path: tuple[str, ...]
    sibling_count: int
    sibling_ids: tuple[str, ...]
    prev_id: str | None
    next_id: str | None
    covers: tuple[str, ...]
    heading_start: int | None
    heading_end: int | None
    byte_start: int
    byte_end: int
    line_start: int
    line_end: int
    content_type: str
    block_types: tuple[str, ...]
    is_complete_section: bool
    oversize: bool
    undersize: bool
    tokens: int
    body_tokens: int
    tags: tuple[str, ...]
    version: str | None
    metadata: Mapping[str, Any]
    links: tuple[Mapping[str, Any], ...]
    encoding: str
    body: str
    text: str
    context_spans: tuple[tuple[int, int], ...]
    sha256: str

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ChunkRecord:
        """Return the record in a line of JSON; unknown keys are ignored.

        Raises:
            UsageError: a key is missing.
        """
        missing = [name for name in cls._fields if name not in record]
        if missing:
            raise UsageError(
                f"the record of a chunk has no `{missing[0]}`",
                hint="`leafmark chunk --jsonl` prints whole records, one a line",
            )
        return cls(**{name: _frozen(record[name]) for name in cls._fields})

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, equal to the argument of `from_dict`."""
        return {name: _thawed(value) for name, value in zip(self._fields, self, strict=True)}


def _frozen(value: Any) -> Any:
    """Return lists as tuples; the values of a mapping stay as they are."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list | tuple) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_thawed(part) for part in value]
    return dict(value) if isinstance(value, Mapping) else value


_PARENT_FIELD, _NODE_FIELD = 1, 6
"""Indexes in a row: the parent's position, and the node's number, which the piece follows."""

PORTION_BYTES = 1_000_000
"""Sources are split into lines by portions: all lines at once take several times the memory."""


class Rendering(Protocol):
    """Reads chunks from their source on demand."""

    @property
    def options(self) -> object:
        """The inputs of rendering besides the document; renderings with equal options agree."""

    @property
    def count_tokens(self) -> Callable[[str], int]:
        """The function that counts the tokens of a text."""

    def read_body(self, spans: Sequence[tuple[int, int]], /) -> str:
        """Return the readable text of ranges, without front matter."""

    def describe_content(self, chunk: Chunk, /) -> Content:
        """Return the kinds of content in the body."""

    def render(self, chunk: Chunk, /) -> Rendered:
        """Return the input of a model."""


class ChunkedDocument(Frozen):
    """A document and its chunks under one strategy, in order of position.

    `emitted` holds the rows of its chunks. `find_link` resolves a link whose target is
    not a slug of this document.
    """

    document: Document
    tree: str
    strategy: str
    emitted: Emitted
    rendering: Rendering
    find_link: FindLink = leads_nowhere

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: derived values are computed again."""
        return self._asdict()

    @property
    def chunks(self) -> Chunks:
        return Chunks(self)

    @property
    def count_tokens(self) -> Callable[[str], int]:
        """The function that counts the tokens of a text."""
        return self.rendering.count_tokens

    @property
    def folded_position(self) -> int | None:
        """The chunk that section paths leave out because its title is the document's."""
        return self.emitted.folded_position

    @cached_property
    def doc_id(self) -> str:
        return document_id(self.tree, self.document.path)

    @cached_property
    def inputs(self) -> tuple[object, ...]:
        """The inputs that determine every chunk; a hash stands for the source, to save time."""
        source = self.document
        digest = hashlib.sha256(source.data).digest()
        return self.doc_id, source.encoding, digest, self.rendering.options, self.find_link

    @cached_property
    def node_slugs(self) -> Sequence[str | None]:
        """The slugs of the nodes of the tree, by number."""
        return tuple(self.emitted.node_slugs)

    @cached_property
    def slugs(self) -> Mapping[str, int]:
        """The position of the chunk that each slug of the document resolves to.

        The source's own anchors come after the slugs.
        """
        emitted = self.emitted
        positions = dict(zip(emitted.heading_slugs, emitted.heading_positions, strict=True))
        anchors = self.document.anchors if self.chunks else ()
        if anchors:
            chunks = [*self.chunks]
            starts = [
                chunk.byte_start if chunk.heading_start is None else chunk.heading_start
                for chunk in chunks
            ]
            for name, at in anchors:
                position = bisect_right(starts, at) - 1
                while chunks[position].byte_end <= at and position:
                    position = chunks[position].parent_position
                positions.setdefault(name, position)
        for slug, position in zip(emitted.own_slugs, emitted.heading_positions, strict=False):
            positions.setdefault(slug, position)
        return positions

    def find_fragment(self, fragment: str) -> int | None:
        """Return the position of the chunk that a fragment leads to.

        It may be percent-encoded, or have capitals where the slug has none.
        """
        position = self.slugs.get(fragment)
        if position is None and "%" in fragment:
            from urllib.parse import unquote  # late: most commands need none of it

            position = self.slugs.get(unquote(fragment))
        if position is None and fragment.lower() == "top" and self.chunks:
            return 0  # as browsers have it
        return self.slugs.get(fragment.lower()) if position is None else position

    @cached_property
    def section_paths(self) -> tuple[tuple[str, ...], ...]:
        """The section path of every chunk, by position: plain titles, the document's first.

        A heading without words (a picture perhaps) has no title and adds nothing to a path.
        """
        paths: list[tuple[str, ...]] = []
        folded = self.folded_position
        for position, parent, _, _, _, title, _, piece, *_ in self.emitted.rows:
            if parent < 0:
                paths.append((self.document.title,))
            else:
                has_same_path = piece or position == folded or not title
                paths.append(paths[parent] if has_same_path else (*paths[parent], title))
        return tuple(paths)

    @cached_property
    def ids(self) -> Sequence[str]:
        """The ids of the chunks, by position."""
        doc_id, slugs = self.doc_id, self.node_slugs
        rows = [(row[_NODE_FIELD], row[_NODE_FIELD + 1]) for row in self.emitted.rows]
        return [doc_id + fragment(slugs[node], piece) for node, piece in rows]

    @property
    def chunk_slugs(self) -> list[str | None]:
        """The slug of every chunk, by position."""
        slugs = self.node_slugs
        return [slugs[row[_NODE_FIELD]] for row in self.emitted.rows]

    @cached_property
    def lines(self) -> tuple[list[int], list[int]]:
        """The first and the last line of every chunk, by position."""
        data, chunks = self.document.data, [*self.chunks]
        first = [chunk.first_line_byte for chunk in chunks]
        last = [max(chunk.byte_start, chunk.byte_end - 1) for chunk in chunks]
        if b"\r" in data:
            return [*map(self.line_of, first)], [*map(self.line_of, last)]
        places = sorted({0, *first, *last})
        counts = map(data.count, repeat(b"\n"), places, places[1:])
        line_at = dict(zip(places, accumulate(counts, initial=1), strict=True))
        return [*map(line_at.__getitem__, first)], [*map(line_at.__getitem__, last)]

    @cached_property
    def child_ids(self) -> Mapping[int, tuple[str, ...]]:
        """The ids of the emitted children, in order, by the position of their parent."""
        children: dict[int, list[str]] = {}
        for row, chunk_id in zip(self.emitted.rows, self.ids, strict=True):
            children.setdefault(row[_PARENT_FIELD], []).append(chunk_id)
        return {parent: tuple(ids) for parent, ids in children.items()}

    @cached_property
    def child_numbers(self) -> Sequence[int]:
        """Each chunk's place among its siblings, from 0, by position."""
        seen: Counter[int] = Counter()
        numbers = []
        for row in self.emitted.rows:
            numbers.append(seen[row[_PARENT_FIELD]])
            seen[row[_PARENT_FIELD]] += 1
        return numbers

    @cached_property
    def _line_starts(self) -> Sequence[int]:
        """Byte offsets at which lines start; LF, CRLF and lone CR end a line."""
        data = self.document.data
        starts, at = array("Q"), 0
        while at < len(data):
            after = data.find(b"\n", at + PORTION_BYTES) + 1 or len(data)
            lengths = map(len, data[at:after].splitlines(keepends=True))
            starts.extend(accumulate(lengths, initial=at))
            at = starts.pop()
        if data.endswith((b"\n", b"\r")):
            starts.append(at)  # otherwise the source ends inside its last line
        return starts or (0,)

    @cached_property
    def _links(self) -> tuple[list[int], list[Link]]:
        """The starts of the document's links, sorted, and the links in that order."""
        links = sorted(self.document.links, key=_place_of)
        return [start for start, *_ in links], links

    def line_of(self, offset: int) -> int:
        """Return the 1-based line that holds the byte at `offset`."""
        return bisect_right(self._line_starts, offset)

    def links_within(self, start: int, end: int) -> list[Link]:
        """Return the links that begin in `[start, end)`, in order."""
        starts, links = self._links
        return links[bisect_left(starts, start) : bisect_left(starts, end)]


class Chunk(NamedTuple):
    """One chunk: stored numbers and names, and the properties derived from them.

    An immutable value; two chunks are equal when they have the same position in the same
    source, chunked in the same way.
    A named tuple because a document has many chunks and they must be cheap to make.
    `body_extent` has the ranges of the source that make up the body, in order; for a body
    that is one range from `byte_start` on, it is the end of that range.
    `parent_position` is -1 for a document. `piece` is the piece's number, 0 for
    other kinds. `node` is the number of the section in the document's tree; a piece has the
    number of its section. `line_offset` is where a definition's signature begins. `covered`
    are the sections that are part of a piece and not chunks themselves.
    """

    owner: ChunkedDocument
    position: int
    parent_position: int
    last_position: int
    kind: ChunkKind
    depth: int
    title: str
    node: int
    piece: int
    byte_start: int
    byte_end: int
    heading_start: int | None
    heading_end: int | None
    sibling_count: int
    body_extent: int | tuple[tuple[int, int], ...]
    line_offset: int | None = None
    oversize: bool = False
    undersize: bool = False
    covered: tuple[int, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chunk):
            return False
        if self.position != other.position:
            return False
        mine, others = self.owner, other.owner
        return mine is others or mine.inputs == others.inputs

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.owner.doc_id, self.position))

    def __repr__(self) -> str:
        return f"<Chunk {self.id} [{self.byte_start}:{self.byte_end})>"

    def __reduce__(self) -> tuple[Callable[..., Chunk], tuple[ChunkedDocument, int]]:
        return _chunk_at, (self.owner, self.position)

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
    def slug(self) -> str | None:
        """The slug of the section; None for the document and pieces of its own text."""
        return self.owner.node_slugs[self.node]

    @property
    def fragment(self) -> str:
        return fragment(self.slug, self.piece)

    @property
    def id(self) -> str:
        return self.owner.ids[self.position]

    @property
    def ordinal_id(self) -> str:
        return ordinal_id(self.owner.doc_id, self.position)

    @property
    def section_path(self) -> tuple[str, ...]:
        return self.owner.section_paths[self.position]

    @property
    def breadcrumb(self) -> str:
        return format_breadcrumb(self.section_path)

    @property
    def covers(self) -> tuple[str, ...]:
        """The ids of the sections that are part of the piece."""
        document, slugs = self.owner.doc_id, self.owner.node_slugs
        return tuple([f"{document}#{slugs[node]}" for node in self.covered])

    # -- neighbours --------------------------------------------------------------

    @property
    def parent(self) -> Chunk | None:
        return None if self.parent_position < 0 else self.owner.chunks[self.parent_position]

    @property
    def parent_id(self) -> str | None:
        return None if self.parent_position < 0 else self.owner.ids[self.parent_position]

    @property
    def children(self) -> tuple[Chunk, ...]:
        """The emitted children, in order: linear in their number."""
        children = []
        at = self.position + 1
        while at <= self.last_position:
            child = self.owner.chunks[at]
            children.append(child)
            at = child.last_position + 1
        return tuple(children)

    @property
    def sibling_ids(self) -> Sequence[str]:
        """The ids of the other emitted children of the parent, in order.

        Made on access: thousands of chunks may have thousands of siblings each.
        """
        owner, position, parent = self.owner, self.position, self.parent_position

        def others() -> tuple[str, ...]:
            if parent < 0:
                return ()
            ids, own = owner.child_ids[parent], owner.child_numbers[position]
            return ids[:own] + ids[own + 1 :]

        return Deferred(others)

    @property
    def prev_id(self) -> str | None:
        return self.owner.ids[self.position - 1] if self.position else None

    @property
    def next_id(self) -> str | None:
        after = self.position + 1
        return self.owner.ids[after] if after < len(self.owner.ids) else None

    @property
    def is_complete_section(self) -> bool:
        """Whether the body is the whole span: not a piece, and nothing emitted below it."""
        return not self.piece and self.last_position == self.position

    # -- source --------------------------------------------------------------------

    @property
    def raw(self) -> bytes:
        """The whole span's bytes."""
        return self.owner.document.data[self.byte_start : self.byte_end]

    @property
    def body_spans(self) -> tuple[tuple[int, int], ...]:
        """The ranges of the source that make the body, in order."""
        extent = self.body_extent
        if not isinstance(extent, int):
            return extent
        return ((self.byte_start, extent),) if self.byte_start < extent else ()

    @property
    def body_bytes(self) -> bytes:
        data = self.owner.document.data
        return bytes_in(data, self.body_spans)

    @property
    def body(self) -> str:
        """The body as it stands in the source; bytes that are not UTF-8 become U+FFFD."""
        return self.body_bytes.decode("utf-8", "replace")

    @property
    def sha256(self) -> str:
        """Hex digest of the whole span's bytes."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def first_line_byte(self) -> int:
        """A byte of the chunk's first line, which is its heading or signature if it has one."""
        if self.heading_start is not None:
            return self.heading_start
        return self.byte_start if self.line_offset is None else self.line_offset

    @property
    def line_start(self) -> int:
        return self.owner.line_of(self.first_line_byte)

    @property
    def line_end(self) -> int:
        return self.owner.line_of(max(self.byte_start, self.byte_end - 1))

    # -- content -----------------------------------------------------------------------

    @property
    def content(self) -> Content:
        return self.owner.rendering.describe_content(self)

    @property
    def content_type(self) -> ContentType:
        return self.content.content_type

    @property
    def block_types(self) -> tuple[str, ...]:
        return self.content.block_types

    @property
    def languages(self) -> tuple[str, ...]:
        return self.content.languages

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that begin in the heading or the body."""
        spans = self.body_spans
        if self.heading_start is not None and self.heading_end is not None:
            spans = (self.heading_start, self.heading_end), *spans
        within = self.owner.links_within
        return tuple(link for start, end in spans for link in within(start, end))

    # -- for models ------------------------------------------------------------------

    @property
    def context_spans(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the source that stand before the body in `text` and belong elsewhere.

        They are the last sentences of the previous piece, or the header of a split table.
        """
        return self.owner.rendering.render(self).context_spans

    @property
    def text(self) -> str:
        """Breadcrumb line, context, and the normalised body."""
        return self.owner.rendering.render(self).text

    @property
    def tokens(self) -> int:
        return self.owner.count_tokens(self.text)

    @property
    def body_tokens(self) -> int:
        """Tokens of `readable_body`."""
        return self.owner.count_tokens(self.readable_body)

    @property
    def has_content(self) -> bool:
        """Whether there is anything to read in the body."""
        return bool(self.readable_body.strip())

    @property
    def readable_body(self) -> str:
        """The body without front matter; without markup for a page or notebook."""
        return self.owner.rendering.read_body(self.body_spans)

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

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as JSON-ready data; keys, names and order are a published contract."""
        return self.to_dict_with_siblings(list(self.sibling_ids))

    def to_dict_with_siblings(self, sibling_ids: list[str]) -> dict[str, Any]:
        """Return the data of `to_dict` with the given list as `sibling_ids`."""
        owner, document, position = self.owner, self.owner.document, self.position
        content, path, count = self.content, self.section_path, owner.count_tokens
        text, context_spans = owner.rendering.render(self)
        first_lines, last_lines = owner.lines
        return {
            "id": self.id,
            "ordinal_id": ordinal_id(owner.doc_id, position),
            "doc_id": owner.doc_id,
            "parent_id": self.parent_id,
            "tree": owner.tree,
            "path": decodable(document.path),
            "kind": self.kind,
            "title": self.title,
            "slug": self.slug,
            "depth": self.depth,
            "position": position,
            "breadcrumb": format_breadcrumb(path),
            "section_path": [*path],
            "sibling_count": self.sibling_count,
            "sibling_ids": sibling_ids,
            "prev_id": self.prev_id,
            "next_id": self.next_id,
            "covers": [*self.covers],
            "heading_start": self.heading_start,
            "heading_end": self.heading_end,
            "byte_start": self.byte_start,
            "byte_end": self.byte_end,
            "line_start": first_lines[position],
            "line_end": last_lines[position],
            "content_type": content.content_type,
            "block_types": [*content.block_types],
            "is_complete_section": self.is_complete_section,
            "oversize": self.oversize,
            "undersize": self.undersize,
            "tokens": count(text),
            "body_tokens": self.body_tokens,
            "tags": [*document.tags],
            "version": document.version,
            "metadata": dict(document.metadata),
            "links": [self._link_record(link) for link in self.links],
            "encoding": document.encoding,
            "body": self.body,
            "text": text,
            "context_spans": [[*span] for span in context_spans],
            "sha256": self.sha256,
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> ChunkRecord:
        """Return the record of `to_dict`'s data: not a chunk, since the source is not in it."""
        return ChunkRecord.from_dict(record)

    def _link_record(self, link: Link) -> dict[str, Any]:
        """Return a link's data; `id` is the chunk it leads to, or None if unknown."""
        owner = self.owner
        position = owner.find_fragment(link.target[1:]) if link.target[:1] == "#" else None
        return {
            "target": link.target,
            "kind": link.kind,
            "byte_start": link.start,
            "byte_end": link.end,
            "id": (
                owner.find_link(owner.document, link) if position is None else owner.ids[position]
            ),
        }


class Chunks(Sequence[Chunk]):
    """The chunks of a document by position, each made on access. Slices are tuples."""

    __slots__ = ("_owner",)

    def __init__(self, owner: ChunkedDocument) -> None:
        self._owner = owner

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, index: int | slice) -> Chunk | tuple[Chunk, ...]:
        owner = self._owner
        if isinstance(index, slice):
            return tuple([_new(Chunk, (owner, *row)) for row in owner.emitted.rows[index]])
        return _new(Chunk, (owner, *owner.emitted.rows[index]))

    def __len__(self) -> int:
        return len(self._owner.emitted.rows)

    def __iter__(self) -> Iterator[Chunk]:
        first = (self._owner,)
        return map(_new, repeat(Chunk), map(first.__add__, self._owner.emitted.rows))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, Chunks) else other)

    def __repr__(self) -> str:
        return repr(tuple(self))


_place_of = itemgetter(0, 1)  # of a link
_new = tuple.__new__  # half the cost of calling the class


def _chunk_at(owner: ChunkedDocument, position: int) -> Chunk:
    return owner.chunks[position]
