"""Chunks as JSON: one record a line, or one object around them that is written as it grows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from leafmark.chunking import ChunkingOptions, Finding, Statistics
from leafmark.model import Chunk, ChunkedDocument, Diagnostic, Skipped
from leafmark.render.jsontext import SCHEMA_VERSION, dump_line, json_safe
from leafmark.render.records import diagnostic_record, skipped_records

__all__ = [
    "close_chunk_object",
    "iter_chunk_items",
    "iter_chunk_lines",
    "open_chunk_object",
    "outline_record",
    "statistics_record",
]

_SEPARATOR = ","
_COMMA = ", "
_NO_SIBLINGS = '"sibling_ids": []'
"""In a record, the key alone is so: in a string, quotes have a backslash before them."""


def iter_chunk_lines(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield each chunk's record on a line of its own."""
    siblings = _WrittenSiblings(document, ascii_only=ascii_only)
    for chunk in document.chunks:
        line = dump_line(chunk.to_dict_beside([]), ascii_only=ascii_only)
        head, _, rest = line.partition(_NO_SIBLINGS)
        yield f"{head}{_NO_SIBLINGS[:-1]}{siblings.beside(chunk)}]{rest}"


class _WrittenSiblings:
    """The ids of the children of each chunk as JSON, written once.

    Each of thousands below one heading has all the others in its record.
    """

    def __init__(self, document: ChunkedDocument, *, ascii_only: bool) -> None:
        self._document = document
        self._ascii_only = ascii_only
        self._written: dict[int, tuple[str, list[int]]] = {}
        """By parent: the ids, a comma behind each, and where each begins and the last ends."""

    def beside(self, chunk: Chunk) -> str:
        """Return the ids of the chunk's siblings, commas between them."""
        parent = chunk.parent_position
        if parent < 0:
            return ""
        if parent not in self._written:
            self._written[parent] = self._write(parent)
        ids, starts = self._written[parent]
        number = self._document.child_numbers[chunk.position]
        return (ids[: starts[number]] + ids[starts[number + 1] :]).removesuffix(_COMMA)

    def _write(self, parent: int) -> tuple[str, list[int]]:
        ids = self._document.child_ids[parent]
        together = dump_line(ids, ascii_only=self._ascii_only)[1:-2]
        written = [one + _COMMA for one in together.split(_COMMA)] if len(ids) > 1 else []
        if len(written) != len(ids):  # a comma and a space stand in one
            written = [dump_line(one, ascii_only=self._ascii_only)[:-1] + _COMMA for one in ids]
        return "".join(written), [*accumulate(map(len, written), initial=0)]


def iter_chunk_items(
    document: ChunkedDocument, options: ChunkingOptions, *, ascii_only: bool = False
) -> Iterator[str]:
    """Yield records as items of an array, a comma before each; the very first loses it."""
    for line in iter_chunk_lines(document, options, ascii_only=ascii_only):
        yield f"{_SEPARATOR}\n    {line[:-1]}"


def open_chunk_object(items: Iterable[str]) -> Iterator[str]:
    """Yield the beginning of the object of `chunk --json`, and the items of its array."""
    yield f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "chunks": ['
    first = True
    for item in items:
        yield item.removeprefix(_SEPARATOR) if first else item
        first = False
    yield "]" if first else "\n  ]"


def close_chunk_object(
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding] | None,
    *,
    ascii_only: bool = False,
) -> str:
    """Return the rest of the object; `findings` is None where quality was not looked at."""
    rest = json.dumps(_notes(skipped, diagnostics, findings), ensure_ascii=ascii_only, indent=2)
    return json_safe(f",{rest[1:]}\n")


def outline_record(document: ChunkedDocument, options: ChunkingOptions) -> dict[str, Any]:
    """Return where each chunk of a document stands and how large it is, without any text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "doc_id": document.doc_id,
        "title": document.chunks[0].title if document.chunks else "",
        "bytes": len(document.document.data),
        "strategy": options.strategy,
        "tokenizer": options.tokenizer,
        "chunks": [_outline_row(chunk) for chunk in document.chunks],
        "diagnostics": [diagnostic_record(one) for one in document.document.diagnostics],
    }


def _outline_row(chunk: Chunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "ordinal_id": chunk.ordinal_id,
        "parent_id": chunk.parent_id,
        "kind": chunk.kind,
        "title": chunk.title,
        "depth": chunk.depth,
        "position": chunk.position,
        "heading_start": chunk.heading_start,
        "heading_end": chunk.heading_end,
        "byte_start": chunk.byte_start,
        "byte_end": chunk.byte_end,
        "body_spans": [list(span) for span in chunk.body_spans],
        "line_start": chunk.line_start,
        "line_end": chunk.line_end,
        "body_tokens": chunk.body_tokens,
        "oversize": chunk.oversize,
        "undersize": chunk.undersize,
    }


def statistics_record(
    statistics: Statistics,
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """Return the object of `chunk -o stats --json`."""
    head = {"schema_version": SCHEMA_VERSION, "statistics": statistics.to_dict()}
    return head | _notes(skipped, diagnostics, findings)


def _notes(
    skipped: Sequence[Skipped],
    diagnostics: Sequence[Diagnostic],
    findings: Sequence[Finding] | None,
) -> dict[str, Any]:
    return {
        "skipped": skipped_records(skipped),
        "diagnostics": [diagnostic_record(one) for one in diagnostics],
        "findings": None if findings is None else [one.to_dict() for one in findings],
    }
