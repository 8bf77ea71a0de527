"""JSON objects: the shapes that several objects share, and whole answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leafmark.model import (
    Answer,
    ChunkRecord,
    Diagnostic,
    DocumentEntry,
    Entry,
    Omission,
    Passage,
    Related,
    Result,
    Shown,
    decodable,
)
from leafmark.render.explaining import nothing_found_because
from leafmark.render.hint_texts import hint_records
from leafmark.render.jsontext import SCHEMA_VERSION, as_json, dump_line, dump_object, fields_of
from leafmark.render.search_results import Group, group_results, top_matches


def passage_records(passages: Sequence[Passage | Omission] | None) -> list[dict[str, Any]]:
    """Return texts with their citations, and the omissions between them."""
    return [
        {"omitted": omission_record(passage)}
        if isinstance(passage, Omission)
        else {"text": passage.text, "citation": passage.citation}
        for passage in passages or ()
    ]


def omission_record(omission: Omission) -> dict[str, Any]:
    """Return the id to ask for and its cost; `results` if whole results are left out.

    `own` is there only if it is true.
    """
    record: dict[str, Any] = {"id": omission.id, "tokens": omission.tokens}
    if omission.own:
        record["own"] = True
    return record | {"results": omission.results} if omission.results else record


def place_record(entry: Entry) -> dict[str, Any]:
    return fields_of(entry, "id", "ordinal_id", "breadcrumb")


def expanded_records(expanded: Sequence[Related]) -> list[dict[str, Any]]:
    """Return the chunks that were added to a result, with their headings and own bodies."""
    return [
        {
            "relation": related.relation,
            **place_record(related.entry),
            "passages": passage_records(related.passages),
        }
        for related in expanded
    ]


RECORD_KEYS = ChunkRecord._fields
"""The keys of a chunk record, in order."""

_OF_DOCUMENT = ("tags", "version", "metadata", "encoding")
_READ_FROM_SOURCE = frozenset(
    ("sibling_ids", "prev_id", "next_id", "tokens", "body_tokens", "links", "body", "text")
) | {"context_spans", "sha256"}


def chunk_record(
    entry: Entry, document: DocumentEntry, known: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the whole record: keys from `known` where it has them, else from the index."""
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
        record[key] = as_json(value)
    return record


def result_record(
    result: Result, known: Mapping[str, Any] | None, *, explain: bool = False
) -> dict[str, Any]:
    """Return `rank`, `score`, the chunk record, and the other keys of a result.

    The texts of a stale result are null, whatever `known` holds.
    """
    record: dict[str, Any] = {"rank": result.rank, "score": result.score}
    if known is not None and known["byte_end"] != result.entry.byte_end:
        # an introduction: it ends before what is below it
        end = {"byte_end": result.entry.byte_end, "line_end": result.entry.line_end}
        known = {**known, **end, "sha256": result.span_sha256}
    record |= chunk_record(result.entry, result.document, None if result.stale else known)
    if not result.stale and record["body"] is None:
        record["body"] = result.body
    record |= {
        **fields_of(result, "relaxed", "stale"),
        "no_specific_section": result.whole,
        **fields_of(result, "introduction", "citation", "also_in"),
        "other_versions": [entry.id for entry in result.other_versions],
        "constituents": [_constituent_record(part) for part in result.constituents],
    } | _matches_record(result)
    if result.expanded:
        record["expanded"] = expanded_records(result.expanded)
    if explain:
        record["factors"] = as_json(result.factors)
    return record


def _constituent_record(part: Result) -> dict[str, Any]:
    """Return the record of a result that was merged into another, with its own parts."""
    return {
        **fields_of(part.entry, "id", "ordinal_id"),
        "score": part.score,
        **fields_of(part.entry, "title", "breadcrumb"),
        **_matches_record(part),
        "constituents": [_constituent_record(inner) for inner in part.constituents],
    }


def _matches_record(result: Result) -> dict[str, Any]:
    """Return the snippet and the places of the matches; a stale result has no texts."""
    return {
        "snippet": None if result.stale else result.snippet.html,
        "snippet_text": None if result.stale else result.snippet.text,
        "snippet_ranges": as_json(result.snippet.ranges),
        "match_ranges": as_json(result.match_ranges),
    }


def entry_record(entry: Entry) -> dict[str, Any]:
    """Return the record of a chunk in a listing."""
    return fields_of(entry, *_LISTED, "breadcrumb", "line_start", "line_end")


_LISTED = ("id", "ordinal_id", "parent_id", "kind", "title", "depth", "position")


def diagnostic_records(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    return [fields_of(diagnostic, "path", "line", "code", "message") for diagnostic in diagnostics]


_MARKS = (
    ("relaxed", "relaxed"),
    ("stale", "stale"),
    ("whole", "no_specific_section"),
    ("introduction", "introduction"),
)


def packed_result_record(result: Result, *, explain: bool = False) -> dict[str, Any]:
    """Return the short record of a result; a mark (`relaxed`, `stale`, …) only if it is set."""
    record: dict[str, Any] = {"rank": result.rank, "score": result.score}
    record |= place_record(result.entry)
    record |= {key: True for name, key in _MARKS if getattr(result, name)}
    record["passages"] = passage_records(result.passages)
    if result.expanded:
        record["expanded"] = expanded_records(result.expanded)
    if explain:
        record["factors"] = as_json(result.factors)
    return record


def packed_shown_record(shown: Shown) -> dict[str, Any]:
    record: dict[str, Any] = place_record(shown.entry)
    if shown.stale:
        record["stale"] = True
    record["passages"] = passage_records(shown.passages)
    if shown.expanded:
        record["expanded"] = expanded_records(shown.expanded)
    return record


def packed_outline_record(shown: Shown) -> dict[str, Any]:
    """Return a chunk and its descendants; `passages` holds omissions only."""
    children = []
    for child in shown.children:
        record: dict[str, Any] = {"id": child.id, "title": child.title, "depth": child.depth}
        size = shown.sizes.get(child.position)
        children.append(record | (size._asdict() if size else {}))
    return packed_shown_record(shown) | {"children": children}


PHASES = ("candidates", "after_cutoff", "after_aggregation", "returned")


def answer_record(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """Return the search object: results flat and in order, and `groups` with their ids by document.

    With `explain` it has the key `explain` too, and every result its `factors`.
    """
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "query": answer.query,
        "mode": answer.mode,
        "elapsed_ms": round(answer.elapsed_ms, 3),
        "phases": {name: answer.counts.get(name, 0) for name in PHASES},
        "hints": _hints(answer),
        "results": _result_records(answer, explain=explain),
        "top_matches": [
            {**fields_of(match.entry, "id", "ordinal_id"), "score": match.score}
            for match in top_matches(answer)
        ],
        "groups": [_group_record(group) for group in group_results(answer.results)],
    }
    if answer.terms:
        record["terms"] = as_json(answer.terms)
    if explain:
        record["explain"] = fields_of(answer, "expressions", "phases")
    return record


def _result_records(answer: Answer, *, explain: bool) -> list[dict[str, Any]]:
    return [
        result_record(result, answer.records.get(result.entry.id), explain=explain)
        for result in answer.results
    ]


def _group_record(group: Group) -> dict[str, Any]:
    return {
        "doc_id": group.doc_id,
        **fields_of(group.document, "title", "version", "tags"),
        "best_score": group.best_score,
        "chunk_ids": [result.entry.id for result in group.results],
        "no_specific_section": group.no_specific_section,
    }


def render_packed(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return the search object of an answer under a budget, a result on each line.

    Results have their place, the shown passages and the omissions; all other keys that
    the object has without a budget are absent.
    """
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "query": answer.query,
        "mode": answer.mode,
        "phases": {name: answer.counts.get(name, 0) for name in PHASES},
        "hints": _hints(answer),
    }
    if explain:
        head["explain"] = fields_of(answer, "expressions", "phases")
    if answer.omission is not None:
        head["omitted"] = omission_record(answer.omission)
    records = [packed_result_record(result, explain=explain) for result in answer.results]
    return dump_object(head, "results", records, ascii_only=ascii_only)


def render_packed_lines(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return the results of an answer under a budget, one on each line; then the omissions."""
    records = [packed_result_record(result, explain=explain) for result in answer.results]
    if answer.omission is not None:
        records.append({"omitted": omission_record(answer.omission)})
    return "".join(dump_line(record, ascii_only=ascii_only) for record in records)


def _hints(answer: Answer) -> list[dict[str, Any]]:
    """Return the hints; an empty answer has one more, on the phase that emptied it."""
    records = hint_records(answer.hints)
    emptied = None if answer.results else nothing_found_because(answer)
    return [{"code": "empty", "message": emptied, "values": {}}, *records] if emptied else records


def render_jsonl(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return one result on each line, as in the search object's `results`."""
    return "".join(
        dump_line(record, ascii_only=ascii_only)
        for record in _result_records(answer, explain=explain)
    )
