"""Chunks and results as JSON records: one order of keys, whatever is known of them.

A record that the caller read from the source is used as it is. For a stale
result there is none: then what the index holds is given, and what would have to
be read (texts, token counts, hash, links) is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leafmark.model import (
    ChunkRecord,
    Diagnostic,
    DocumentEntry,
    Entry,
    Factor,
    Hint,
    Result,
    Skipped,
    decodable,
)
from leafmark.render.hints import COMMAND_LINE, Terms, hint_record
from leafmark.render.passages import expanded_records

__all__ = [
    "RECORD_KEYS",
    "chunk_record",
    "diagnostic_record",
    "entry_record",
    "factor_record",
    "hint_records",
    "result_record",
    "skipped_records",
]

RECORD_KEYS = ChunkRecord._fields
"""The keys of a chunk record, in order."""

_OF_DOCUMENT = ("tags", "version", "metadata", "encoding")
_READ_FROM_SOURCE = frozenset(
    {
        "sibling_ids",
        "prev_id",
        "next_id",
        "tokens",
        "body_tokens",
        "links",
        "body",
        "text",
        "context_spans",
        "sha256",
    }
)


def chunk_record(
    entry: Entry, document: DocumentEntry, known: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the whole record, from `known` where it has a key, else from what the index holds."""
    record = dict.fromkeys(RECORD_KEYS)
    for key in RECORD_KEYS:
        if known is not None and key in known:
            value = known[key]
        elif key in _READ_FROM_SOURCE:
            value = None
        elif key == "path":
            value = decodable(entry.path)
        else:
            value = getattr(document if key in _OF_DOCUMENT else entry, key)
        record[key] = _plain(value)
    return record


def _plain(value: Any) -> Any:
    """Tuples as lists and mappings as dicts, so that a record compares equal to its JSON."""
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value


def result_record(
    result: Result, known: Mapping[str, Any] | None, *, explain: bool = False
) -> dict[str, Any]:
    """Return `rank`, `score`, the chunk record, and what a result has beyond it.

    A stale result's texts are null, whatever `known` says.
    """
    record: dict[str, Any] = {"rank": result.rank, "score": result.score}
    record |= chunk_record(result.entry, result.document, None if result.stale else known)
    if not result.stale and record["body"] is None:
        record["body"] = result.body
    record |= {
        "relaxed": result.relaxed,
        "stale": result.stale,
        "no_specific_section": result.whole,
        "introduction": result.introduction,
        "citation": result.citation,
        "also_in": list(result.also_in),
        "other_versions": [entry.id for entry in result.other_versions],
        "constituents": [_constituent_record(part) for part in result.constituents],
    } | _matches_record(result)
    if result.expanded:
        record["expanded"] = expanded_records(result.expanded)
    if explain:
        record["factors"] = [factor_record(factor) for factor in result.factors]
    return record


def _constituent_record(part: Result) -> dict[str, Any]:
    """Return what is told of a result that was merged into another, its own parts below it."""
    return {
        "id": part.entry.id,
        "ordinal_id": part.entry.ordinal_id,
        "score": part.score,
        "title": part.entry.title,
        "breadcrumb": part.entry.breadcrumb,
        **_matches_record(part),
        "constituents": [_constituent_record(inner) for inner in part.constituents],
    }


def _matches_record(result: Result) -> dict[str, Any]:
    """Return the snippet and the places of the matches; a stale result has no texts."""
    return {
        "snippet": None if result.stale else result.snippet.html,
        "snippet_text": None if result.stale else result.snippet.text,
        "snippet_ranges": _plain(result.snippet.ranges),
        "match_ranges": _plain(result.match_ranges),
    }


def factor_record(factor: Factor) -> dict[str, Any]:
    return {
        "name": factor.name,
        "value": factor.value,
        "operation": factor.operation,
        "how": factor.how,
        "parts": [factor_record(part) for part in factor.parts],
    }


def entry_record(entry: Entry) -> dict[str, Any]:
    """Return what a listing tells of a chunk."""
    return {
        "id": entry.id,
        "ordinal_id": entry.ordinal_id,
        "parent_id": entry.parent_id,
        "kind": entry.kind,
        "title": entry.title,
        "depth": entry.depth,
        "position": entry.position,
        "breadcrumb": entry.breadcrumb,
        "line_start": entry.line_start,
        "line_end": entry.line_end,
    }


def diagnostic_record(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "path": decodable(diagnostic.path),
        "line": diagnostic.line,
        "code": diagnostic.code,
        "message": diagnostic.message,
    }


def hint_records(hints: Sequence[Hint], terms: Terms = COMMAND_LINE) -> list[dict[str, Any]]:
    return [hint_record(hint, terms) for hint in hints]


def skipped_records(skipped: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"path": decodable(one.path), "reason": one.reason} for one in skipped]
