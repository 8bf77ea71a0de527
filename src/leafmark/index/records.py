"""The stored record of a source: one compressed record for the document and its chunks.

A record is the state of the file and then deflated JSON: columns of numbers and names. Values
that follow from other columns are left out: the last descendant, the number of siblings, section
paths, a body that is the span without the children, a slug made from the title. So are columns
with the values of most documents. One record per document takes a third of the size of one per
chunk, and results need the ancestors of a chunk anyway.

JSON is read fast, cannot execute anything, and fails on damaged bytes. Times and digests, which
do not compress, come before it as plain bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import sub
from typing import Any, Literal, get_args

from leafmark.errors import DamagedError
from leafmark.index.engine import REBUILD
from leafmark.model import (
    Chunk,
    ChunkedDocument,
    ChunkKind,
    Content,
    Diagnostic,
    DocumentEntry,
    Entry,
    FileState,
    fragment,
    subtract,
)
from leafmark.namedtuples import NamedTuple

_UNREADABLE = (TypeError, ValueError, KeyError, IndexError, AttributeError)
"""The exceptions that damaged columns raise."""


def document_entry(
    chunked: ChunkedDocument, state: FileState, *, named: bool = False
) -> DocumentEntry:
    """Return the entry of a document, without its chunks."""
    document, own = chunked.document, chunked.chunk_slugs
    return DocumentEntry(
        tree=chunked.tree,
        path=document.path,
        state=state,
        title=document.title,
        format=document.format,
        encoding=document.encoding,
        chunk_count=len(own),
        tags=document.tags,
        version=document.version,
        metadata=document.metadata,
        slugs={slug: at for slug, at in chunked.slugs.items() if own[at] != slug},
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
    """Return the record of a source and its chunks; `contents` are the chunks', by position."""
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
        record |= build_columns(chunks, contents)
        if folded_position is not None:
            record["f"] = folded_position
    return serialise_record(entry.state, record)


class StoredDocument:
    """A source's record: its `DocumentEntry`, and the entries of its chunks, built on demand."""

    def __init__(self, entry: DocumentEntry, columns: Mapping[str, Any]):
        self.entry = entry
        self.columns = columns
        self._entries: dict[int, Entry] = {}

    def __len__(self) -> int:
        return self.entry.chunk_count

    def __iter__(self) -> Iterator[Entry]:
        return (self.chunk(position) for position in range(len(self)))

    def chunk(self, position: int) -> Entry:
        """Return the chunk at `position`.

        Raises:
            IndexError: there is none.
            DamagedError: the record is damaged.
        """
        entry = self._entries.get(position)
        if entry is None:
            if not 0 <= position < len(self):
                raise IndexError(position)
            entry = self._entries[position] = self._build_checked(position)
        return entry

    def iter_uncached(self) -> Iterator[Entry]:
        """Yield all chunks without caching them; raises like `chunk`."""
        return map(self._build_checked, range(len(self)))

    def _build_checked(self, position: int) -> Entry:
        try:
            return self._build_entry(position)
        except _UNREADABLE as err:
            raise damaged_record() from err

    def title(self, position: int) -> str:
        """Return the title of the chunk at `position`; a piece's is its section's.

        Raises:
            DamagedError: the record is damaged, or has no such chunk.
        """
        try:
            return str(self.columns["t"][position])
        except _UNREADABLE as err:
            raise damaged_record() from err

    def section_path(self, position: int) -> tuple[str, ...]:
        """Return the titles from the document down to the chunk at `position`.

        Raises:
            DamagedError: the record is damaged, or has no such chunk.
        """
        try:
            return self._section_path(position)
        except _UNREADABLE as err:
            raise damaged_record() from err

    def position_of(self, slug: str | None, piece: int = 0) -> int | None:
        """Return the position of the chunk with this slug (None: the document) and piece."""
        return self._places.get((slug, piece))

    def slugs(self) -> set[str]:
        """Return every slug of the document: of chunks, of discarded headings and of labels."""
        named = (self._slug(at) for at in range(len(self)))
        return {*self.entry.slugs, *filter(None, named)}

    @cached_property
    def _places(self) -> dict[tuple[str | None, int], int]:
        pieces = self.columns["n"] if len(self) else ()
        return {(self._slug(at), piece): at for at, piece in enumerate(pieces)}

    def _slug(self, position: int) -> str | None:
        slug: str | Literal[0] | None = self.columns["s"][position]
        return plain_slug(self.columns["t"][position]) if slug == 0 else slug

    @cached_property
    def _computed(self) -> _Computed:
        parents = _parents(self.columns)
        starts, lines = accumulate(self.columns["b"]), accumulate(self.columns["l"])
        counts = [0] * (len(parents) + 1)
        for parent in parents:
            counts[parent] += 1  # the parent of the document is -1, the last place
        return _Computed(tuple(parents), tuple(starts), tuple(lines), tuple(counts))

    def _build_entry(self, position: int) -> Entry:
        columns, document, whole = self.columns, self.entry, self._computed
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
        """Return the position of a chunk's last descendant, or its own; linear in them."""
        parents = self._computed.parents
        at, end = position + 1, len(parents)
        if not position:
            return end - 1
        while at < end and parents[at] >= position:
            at += 1
        return at - 1

    def _children(self, position: int, last: int) -> Iterator[int]:
        parents = self._computed.parents
        return (at for at in range(position + 1, last + 1) if parents[at] == position)

    def _extent(self, position: int) -> tuple[int, int]:
        start = self._computed.starts[position]
        heading = self.columns["h"][position] or 0
        return start - heading, start + self.columns["e"][position]

    def _fragment(self, position: int) -> str:
        return fragment(self._slug(position), self.columns["n"][position])

    def _section_path(self, position: int) -> tuple[str, ...]:
        """Return the titles from the document down, as `ChunkedDocument.section_paths` does."""
        titles: list[str] = []
        parents, columns = self._computed.parents, self.columns
        pieces, names = columns["n"], columns["t"]
        folded = columns.get("f")
        while (parent := parents[position]) >= 0:
            if position != folded and not pieces[position] and names[position]:
                titles.append(names[position])
            position = parent
        return (self.entry.title, *reversed(titles))


class _Computed(NamedTuple):
    """Values computed from the columns of a document, by position.

    `child_counts` are by parent; the last one is for parent -1, which is the document's.
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
    """Return the document of a record: the inverse of `serialise_document`.

    Raises:
        DamagedError: the bytes are not a source's record.
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
    """Return the record of a state that is newer than the source's record."""
    return serialise_record(state, doc_id)


def deserialise_state(data: bytes) -> tuple[str, FileState]:
    """Return the document id and the state: the inverse of `serialise_state`.

    Raises:
        DamagedError: the bytes are not such a record.
    """
    state, doc_id = deserialise_record(data)
    if not isinstance(doc_id, str):
        raise damaged_record()
    return doc_id, state


def _pairs(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in rows)


KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)
COLUMNS = ("t", "s", "k", "d", "n", "u", "b", "e", "h", "l", "m", "c")
_SIGNS = (chr(code) for code in range(ord("!"), ord("~") + 1))
_IN_SLUGS = str.maketrans(" ", "-", "".join(s for s in _SIGNS if not s.isalnum() and s not in "-_"))
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


def build_columns(chunks: Sequence[Chunk], contents: Sequence[Content]) -> dict[str, Any]:
    """Return the chunks of one document in columns; `StoredDocument` reads them."""
    fields = dict(zip(Chunk._fields, zip(*chunks, strict=True), strict=True))
    owner = chunks[0].owner
    titles, starts, ends = fields["title"], fields["byte_start"], fields["byte_end"]
    first_lines, last_lines = owner.lines
    kinds: dict[tuple[object, ...], int] = {}
    columns: dict[str, tuple[Any, ...]] = {
        "t": titles,
        "s": tuple(map(_stored_slug, owner.chunk_slugs, titles)),
        "k": tuple(map(_KIND_NUMBER.__getitem__, fields["kind"])),
        "d": fields["depth"],
        "n": fields["piece"],
        "u": tuple(map(sub, fields["position"], fields["parent_position"])),
        "b": tuple(map(sub, starts, (0, *starts))),
        "e": tuple(map(sub, ends, starts)),
        "h": tuple(map(_heading_length, fields["heading_start"], starts)),
        "l": tuple(map(sub, first_lines, (0, *first_lines))),
        "m": tuple(map(sub, last_lines, first_lines)),
        "c": tuple([kinds.setdefault(content[:2], len(kinds)) for content in contents]),
    }
    usual = usual_columns(len(chunks))
    unusual = {name: column for name, column in columns.items() if column != usual.get(name)}
    return {"y": list(kinds), **unusual, "x": _extras(chunks, fields)}


@lru_cache(maxsize=64)  # documents with as many chunks share them
def usual_columns(count: int) -> Mapping[str, tuple[Any, ...]]:
    """Return the columns that records leave out: those of a document without pieces."""
    zeros = (0,) * count
    return {"s": (None, *zeros[1:]), "k": (0, *(1,) * (count - 1)), "n": zeros, "c": zeros}


def _stored_slug(slug: str | None, title: str) -> str | Literal[0] | None:
    return 0 if slug == plain_slug(title) else slug


def _heading_length(heading: int | None, start: int) -> int | None:
    return None if heading is None else start - heading


def _extras(
    chunks: Sequence[Chunk], fields: Mapping[str, tuple[Any, ...]]
) -> dict[int, list[object]]:
    """Return the rare values, by position: flags, own body, odd end of the heading, covers."""
    starts, ends = fields["byte_start"], fields["byte_end"]
    below: dict[int, list[tuple[int, int]]] = {}
    for parent, *extent in zip(
        fields["parent_position"], fields["heading_start"], starts, ends, strict=True
    ):
        below.setdefault(parent, []).append(_extent(*extent))
    extras = {}
    names = ("body_extent", "heading_end", "oversize", "undersize", "covered")
    rare = (fields[name] for name in names)
    for at, (start, end, extent, heading_end, oversize, undersize, covered) in enumerate(
        zip(starts, ends, *rare, strict=True)
    ):
        is_plain = extent == end and at not in below  # as for most chunks, the body is the span
        body = 0 if is_plain else _own_body(chunks[at], below.get(at, ()))
        odd_end = 0 if heading_end is None or heading_end == start else heading_end
        flags = oversize + 2 * undersize
        if body != 0 or odd_end or flags or covered:
            extras[at] = [flags, body, odd_end, chunks[at].covers]
    return extras


def _own_body(
    chunk: Chunk, below: Sequence[tuple[int, int]]
) -> Literal[0] | tuple[tuple[int, int], ...]:
    """Return the ranges of a body; 0 if it is the span without the ranges below it."""
    spans = chunk.body_spans
    return 0 if spans == tuple(subtract(chunk.byte_start, chunk.byte_end, below)) else spans


def _extent(heading: int | None, start: int, end: int) -> tuple[int, int]:
    """Return the range that the parent's body leaves out: heading and span."""
    return start if heading is None else heading, end


def plain_slug(title: str) -> str:
    """Return a slug, the real one for most titles, by a rule that no Unicode version changes."""
    return title.lower().translate(_IN_SLUGS)


_LEVEL = 6
# Strings that most records contain: with them, short records shrink too. A change to them changes
# the format of the index.
_COMMON = (
    b'"text","html","script","notebook","fixed","mixed","table","quote","thematic_break",'
    b'"definition","heading","Introduction","Overview","Usage","Example","Installation",'
    b'[["prose",["paragraph"]],["list",["list","paragraph"]],["code",["code","paragraph"]],'
    b'["mixed",["code","list","paragraph"]],["empty",[]]]},"t":["","d":[0,1,2,2,2,3,3,"n":[0,0,0,'
    b'0,0,0,0,0],"u":[0,1,1,1],"b":[0,"e":["h":["l":["m":["c":[0,0,0,0,0,"x":{}}'
    b'0000000000,README.md","markdown","utf-8",1,[],null,{},{},false,[]],"k":[0,1,1,1,1,1,1,'
)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().raw_decode


def damaged_record() -> DamagedError:
    """Return the error for bytes or values that are not a valid record."""
    return DamagedError("a record of the index cannot be read", hint=REBUILD)


def serialise_object(value: object) -> bytes:
    """Return `value` as deflated JSON; undecodable bytes in names stay as surrogates."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, zdict=_COMMON)
    data = _encode(value).encode("utf-8", "surrogatepass")
    return compressor.compress(data) + compressor.flush()


def serialise_record(state: FileState, value: object) -> bytes:
    """Return the state of a file, each part after a byte with its length, then `value`."""
    size, modified, changed, inode, digest = state
    numbers = (size, modified, changed - modified, inode)
    parts = [
        number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True) for number in numbers
    ]
    parts.append(bytes.fromhex(digest))
    return b"".join([b"%c%b" % (len(part), part) for part in parts]) + serialise_object(value)


def deserialise_record(data: bytes) -> tuple[FileState, Any]:
    """Return the state and the value: the inverse of `serialise_record`.

    Raises:
        DamagedError: the bytes are not such a record.
    """
    parts, rest = _split_state(data)
    digest = parts.pop().hex()
    size, modified, later, inode = [int.from_bytes(part, "little", signed=True) for part in parts]
    return FileState(size, modified, modified + later, inode, digest), deserialise_object(rest)


def _split_state(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the parts of the state at the beginning of a record, and the rest."""
    at, parts = 0, []
    try:
        for _ in FileState._fields:
            end = at + 1 + data[at]
            parts.append(data[at + 1 : end])
            at = end
    except IndexError as err:
        raise damaged_record() from err
    return parts, data[at:]


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj(-15, zdict=_COMMON).decompress(data)


def deserialise_object(data: bytes) -> Any:
    """Return the value: the inverse of `serialise_object`.

    Raises:
        DamagedError: the bytes are not a serialised value.
    """
    try:
        text = _inflate(data).decode("utf-8", "surrogatepass")
        value, end = _decode(text)
        if end != len(text):
            raise ValueError("more than one value")
        return value
    except (zlib.error, ValueError, RecursionError) as err:
        raise damaged_record() from err
