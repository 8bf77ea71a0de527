"""Entries to stored bytes and back: compact JSON, one list per chunk.

What can be said in fewer bytes is: a body that is the whole span, the end of a
heading that is the start of its span, defaults at the end. JSON, because it is
read fast, cannot execute anything, and damaged bytes give an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast, get_args

from leafmark.errors import DamagedError
from leafmark.model import Chunk, ChunkedDocument, Diagnostic, DocumentEntry, Entry, FileState
from leafmark.model.chunk import ChunkKind

__all__ = [
    "chunk_record",
    "document_record",
    "entry_of_document",
    "read_document",
    "read_entry",
    "read_object",
    "record_fragment",
    "write_object",
]

_KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)
_DEFAULTS: tuple[Any, ...] = (*(None,) * 22, 0, (), ())
_KIND_NUMBER = {kind: number for number, kind in enumerate(_KINDS)}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def write_object(value: object) -> bytes:
    """Return `value` as JSON bytes; undecodable bytes in names survive as surrogates."""
    return _encode(value).encode("utf-8", "surrogatepass")


def read_object(data: bytes) -> Any:
    """Return what `write_object` was given.

    Raises:
        DamagedError: these are not its bytes.
    """
    try:
        return json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as err:
        raise DamagedError("a record of the index cannot be read") from err


def chunk_record(chunk: Chunk, content_type: str, block_types: tuple[str, ...]) -> bytes:
    """Return the stored record of a chunk, from which `read_entry` makes its `Entry`."""
    owner = chunk.owner
    parent = chunk.parent
    span = (chunk.byte_start, chunk.byte_end)
    row: list[object] = [
        owner.tree,
        owner.document.path,
        chunk.position,
        chunk.parent_position,
        "" if parent is None else parent.fragment,
        chunk.last_position,
        _KIND_NUMBER[chunk.kind],
        chunk.depth,
        chunk.title,
        chunk.slug,
        chunk.piece,
        *span,
        chunk.heading_start,
        0 if chunk.heading_end == span[0] else chunk.heading_end,
        chunk.line_start,
        chunk.line_end,
        chunk.sibling_count,
        0 if chunk.body_spans == (span,) else chunk.body_spans,
        chunk.section_path,
        content_type,
        block_types,
    ]
    flags = chunk.is_complete_section + 2 * chunk.oversize + 4 * chunk.undersize
    if flags or chunk.covers or chunk.context_spans:
        row.append(flags)
    if chunk.covers or chunk.context_spans:
        row += (chunk.covers, chunk.context_spans)
    return write_object(row)


def read_entry(data: bytes) -> Entry:
    """Return the entry of a stored chunk.

    Raises:
        DamagedError: these are not the bytes of a chunk record.
    """
    row: list[Any] = read_object(data)
    try:
        row += _DEFAULTS[len(row) :]
        start, end, spans = row[11], row[12], row[18]
        row[6] = _KINDS[row[6]]
        row[14] = start if row[14] == 0 else row[14]
        row[18] = ((start, end),) if spans == 0 else _pairs(spans)
        row[19], row[21] = tuple(row[19]), tuple(row[21])
        flags = row[22]
        row[22:] = (
            bool(flags & 1),
            bool(flags & 2),
            bool(flags & 4),
            tuple(row[23]),
            _pairs(row[24]),
        )
        return Entry(*row)
    except (TypeError, ValueError, IndexError) as err:
        raise DamagedError("a record of the index cannot be read") from err


def record_fragment(data: bytes) -> tuple[str | None, int]:
    """Return slug and piece number of a stored chunk without making its entry."""
    row = read_object(data)
    return row[9], row[10]


def _pairs(rows: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in rows)


def entry_of_document(chunked: ChunkedDocument, state: FileState) -> DocumentEntry:
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
    )


def document_record(entry: DocumentEntry) -> bytes:
    """Return the stored record of a source, from which `read_document` makes the entry."""
    state = entry.state
    return write_object(
        [
            entry.tree,
            entry.path,
            [state.size, state.modified_ns, state.changed_ns, state.inode, state.digest],
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
        ]
    )


def read_document(data: bytes) -> DocumentEntry:
    """Return the entry of a stored source.

    Raises:
        DamagedError: these are not the bytes of a source record.
    """
    row = read_object(data)
    try:
        tree, path, state, title, form, encoding, count, tags, version, meta, slugs, bad, notes = (
            row
        )
        return DocumentEntry(
            tree,
            path,
            FileState(*state),
            title,
            form,
            encoding,
            count,
            tuple(tags),
            version,
            cast(Mapping[str, Any], meta),
            slugs,
            bad,
            tuple(Diagnostic(*note) for note in notes),
        )
    except (TypeError, ValueError) as err:
        raise DamagedError("a record of the index cannot be read") from err
