"""What the index stores about a source: one compressed record for the document and its chunks.

It holds columns of numbers and names (see `columns`), serialised. One record per document takes a
third of the size of one per chunk, and results need the ancestors of a chunk anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from leafmark.index.columns import COLUMNS, KINDS, lay_out, plain_slug, usual_columns
from leafmark.index.serialising import damaged_record, deserialise_record, serialise_record
from leafmark.model import (
    Chunk,
    ChunkedDocument,
    Content,
    Diagnostic,
    DocumentEntry,
    Entry,
    FileState,
    fragment,
    subtract,
)

__all__ = [
    "StoredDocument",
    "deserialise_document",
    "deserialise_state",
    "document_entry",
    "serialise_document",
    "serialise_state",
]

_UNREADABLE = (TypeError, ValueError, KeyError, IndexError, AttributeError)
"""What reading damaged columns raises."""


def document_entry(
    chunked: ChunkedDocument, state: FileState, *, named: bool = False
) -> DocumentEntry:
    """Return what the index keeps about the document itself."""
    document, chunks = chunked.document, chunked.chunks
    return DocumentEntry(
        tree=chunked.tree,
        path=document.path,
        state=state,
        title=document.title,
        format=document.format,
        encoding=document.encoding,
        chunk_count=len(chunks),
        tags=document.tags,
        version=document.version,
        metadata=document.metadata,
        slugs={slug: at for slug, at in chunked.slugs.items() if chunks[at].slug != slug},
        degraded=document.degraded,
        diagnostics=document.diagnostics,
        named=named,
        front_matter_end=0 if document.front_matter is None else document.front_matter.end,
    )


def serialise_document(
    entry: DocumentEntry,
    chunks: Sequence[Chunk] = (),
    contents: Sequence[Content] = (),
    *,
    folded_position: int | None = None,
) -> bytes:
    """Return the record of a source and its chunks; `contents` are theirs, by position."""
    head = [
        entry.tree,
        entry.path,
        entry.title,
        entry.format,
        entry.encoding,
        entry.chunk_count,
        entry.tags,
        entry.version,
        entry.metadata,
        entry.slugs,
        entry.degraded,
        [[d.path, d.code, d.message, d.line] for d in entry.diagnostics],
        entry.named,
        entry.front_matter_end,
    ]
    record: dict[str, Any] = {"q": head}
    if chunks:
        record |= lay_out(chunks, contents)
        if folded_position is not None:
            record["f"] = folded_position
    return serialise_record(entry.state, record)


class StoredDocument:
    """A source's record: its `DocumentEntry`, and the entries of its chunks, made on demand."""

    def __init__(self, entry: DocumentEntry, columns: Mapping[str, Any]):
        self.entry = entry
        self._columns = columns
        self._made: dict[int, Entry] = {}

    def __len__(self) -> int:
        return self.entry.chunk_count

    def __iter__(self) -> Iterator[Entry]:
        return (self.chunk(position) for position in range(len(self)))

    def chunk(self, position: int) -> Entry:
        """Return the chunk at `position`.

        Raises:
            IndexError: there is none.
            DamagedError: the record is not what was written.
        """
        found = self._made.get(position)
        if found is None:
            if not 0 <= position < len(self):
                raise IndexError(position)
            found = self._made[position] = self._checked(position)
        return found

    def iter_anew(self) -> Iterator[Entry]:
        """Yield all chunks, made for this once; raises what `chunk` does."""
        return map(self._checked, range(len(self)))

    def _checked(self, position: int) -> Entry:
        try:
            return self._make(position)
        except _UNREADABLE as err:
            raise damaged_record() from err

    def title(self, position: int) -> str:
        """Return the title of the chunk at `position`; a piece's is its section's.

        Raises:
            DamagedError: the record is not what was written, or has no such chunk.
        """
        try:
            return str(self._columns["t"][position])
        except _UNREADABLE as err:
            raise damaged_record() from err

    def section_path(self, position: int) -> tuple[str, ...]:
        """Return the titles from the document down to the chunk at `position`.

        Raises:
            DamagedError: the record is not what was written, or has no such chunk.
        """
        try:
            return self._section_path(position)
        except _UNREADABLE as err:
            raise damaged_record() from err

    def position_of(self, slug: str | None, piece: int = 0) -> int | None:
        """Return the position of the chunk with this slug (None: the document) and piece."""
        return self._places.get((slug, piece))

    @cached_property
    def _places(self) -> dict[tuple[str | None, int], int]:
        pieces = self._columns["n"] if len(self) else ()
        return {(self._slug(at), piece): at for at, piece in enumerate(pieces)}

    def _slug(self, position: int) -> str | None:
        slug: str | Literal[0] | None = self._columns["s"][position]
        return plain_slug(self._columns["t"][position]) if slug == 0 else slug

    @cached_property
    def _unfolded(self) -> _Unfolded:
        parents = _parents(self._columns)
        starts, lines = accumulate(self._columns["b"]), accumulate(self._columns["l"])
        counts = [0] * (len(parents) + 1)
        for parent in parents:
            counts[parent] += 1  # the parent of the document is -1, the last place
        return _Unfolded(tuple(parents), tuple(starts), tuple(lines), tuple(counts))

    def _make(self, position: int) -> Entry:
        columns, document, whole = self._columns, self.entry, self._unfolded
        piece = columns["n"][position]
        parent = whole.parents[position]
        last = self._last(position)
        start = whole.starts[position]
        end = start + columns["e"][position]
        heading = columns["h"][position]
        flags, body, heading_end, covers = columns["x"].get(str(position), (0, 0, 0, ()))
        line = whole.lines[position]
        content, blocks = columns["y"][columns["c"][position]]
        spans = self._without_children(start, end, position, last) if body == 0 else _pairs(body)
        return Entry(  # by position: keywords take three times as long, and a query makes dozens
            document.tree,
            document.path,
            position,
            parent,
            self._fragment(parent) if parent >= 0 else "",
            last,
            KINDS[columns["k"][position]],
            columns["d"][position],
            columns["t"][position],
            self._slug(position),
            piece,
            start,
            end,
            None if heading is None else start - heading,
            None if heading is None else heading_end or start,
            line,
            line + columns["m"][position],
            whole.child_counts[parent],
            spans,
            self._section_path(position),
            content,
            blocks,
            not piece and last == position,
            bool(flags & 1),
            bool(flags & 2),
            tuple(covers),
        )

    def _without_children(
        self, start: int, end: int, position: int, last: int
    ) -> tuple[tuple[int, int], ...]:
        """Return the ranges of a chunk's span outside its children."""
        if last == position:
            return ((start, end),) if end > start else ()
        children = [*map(self._extent, self._children(position, last))]
        return tuple(subtract(start, end, children))

    def _last(self, position: int) -> int:
        """Return the position of a chunk's last descendant, or its own; linear in these."""
        parents = self._unfolded.parents
        at, end = position + 1, len(parents)
        if not position:
            return end - 1
        while at < end and parents[at] >= position:
            at += 1
        return at - 1

    def _children(self, position: int, last: int) -> Iterator[int]:
        parents = self._unfolded.parents
        return (at for at in range(position + 1, last + 1) if parents[at] == position)

    def _extent(self, position: int) -> tuple[int, int]:
        start = self._unfolded.starts[position]
        heading = self._columns["h"][position] or 0
        return start - heading, start + self._columns["e"][position]

    def _fragment(self, position: int) -> str:
        return fragment(self._slug(position), self._columns["n"][position])

    def _section_path(self, position: int) -> tuple[str, ...]:
        """Titles from the document down, by the rule of `ChunkedDocument.section_paths`."""
        titles: list[str] = []
        parents, columns = self._unfolded.parents, self._columns
        pieces, names = columns["n"], columns["t"]
        folded = columns.get("f")
        while (parent := parents[position]) >= 0:
            if position != folded and not pieces[position] and names[position]:
                titles.append(names[position])
            position = parent
        return (self.entry.title, *reversed(titles))


class _Unfolded(NamedTuple):
    """What is computed from the columns of a document, by position.

    `child_counts` are by parent; the last one is for the document itself, whose parent is -1.
    """

    parents: tuple[int, ...]
    starts: tuple[int, ...]
    lines: tuple[int, ...]
    child_counts: tuple[int, ...]


def _parents(columns: Mapping[str, Any]) -> list[int]:
    parents = [at - up for at, up in enumerate(columns["u"])]
    if parents[:1] != [-1] or min(columns["u"]) < 1 or min(parents[1:], default=0) < 0:
        raise ValueError("a parent that does not stand before its child")
    return parents


def deserialise_document(data: bytes) -> StoredDocument:
    """Return what `serialise_document` was given.

    Raises:
        DamagedError: these are not the bytes of a source's record.
    """
    state, record = deserialise_record(data)
    try:
        tree, path, title, form, encoding, count, tags, version, *rest = record.pop("q")
        metadata, slugs, degraded, notes, named, front_matter_end = rest
        entry = DocumentEntry(
            tree,
            path,
            state,
            title,
            form,
            encoding,
            count,
            tuple(tags),
            version,
            metadata,
            slugs,
            degraded,
            tuple(Diagnostic(*note) for note in notes),
            named,
            front_matter_end,
        )
        if count:
            record = {**usual_columns(count), **record}
            if {len(record[name]) for name in COLUMNS} != {count}:
                raise ValueError("columns of different lengths")
            # the garbage collector walks lists each time it runs, but tuples of values only once
            record |= {name: tuple(record[name]) for name in COLUMNS}
            record["y"] = tuple((content, tuple(blocks)) for content, blocks in record["y"])
    except _UNREADABLE as err:
        raise damaged_record() from err
    return StoredDocument(entry, record)


def serialise_state(doc_id: str, state: FileState) -> bytes:
    """Return the record of a source's later state."""
    return serialise_record(state, doc_id)


def deserialise_state(data: bytes) -> tuple[str, FileState]:
    """Return what `serialise_state` was given.

    Raises:
        DamagedError: these are not its bytes.
    """
    state, doc_id = deserialise_record(data)
    if not isinstance(doc_id, str):
        raise damaged_record()
    return doc_id, state


def _pairs(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in rows)
