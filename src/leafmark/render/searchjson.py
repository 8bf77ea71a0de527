"""An answer as JSON: one object, or one result a line."""

from __future__ import annotations

from typing import Any

from leafmark.model import Answer, Result
from leafmark.render.explain import nothing_found_because
from leafmark.render.groups import Group, group_results, top_matches
from leafmark.render.jsontext import SCHEMA_VERSION, dump_line, dump_object
from leafmark.render.packed import packed_result_record
from leafmark.render.passages import omission_record
from leafmark.render.records import hint_records, result_record
from leafmark.render.terms import term_record

__all__ = ["answer_record", "render_jsonl", "render_packed", "render_packed_lines"]

PHASES = ("candidates", "after_cutoff", "after_aggregation", "returned")


def answer_record(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """Return the search object: results flat and in order, `groups` naming them by document.

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
        "top_matches": [_match_record(result) for result in top_matches(answer)],
        "groups": [_group_record(group) for group in group_results(answer.results)],
    }
    if answer.terms:
        record["terms"] = [term_record(term) for term in answer.terms]
    if explain:
        record["explain"] = _explanation(answer)
    return record


def _result_records(answer: Answer, *, explain: bool) -> list[dict[str, Any]]:
    return [
        result_record(result, answer.records.get(result.entry.id), explain=explain)
        for result in answer.results
    ]


def _match_record(result: Result) -> dict[str, Any]:
    entry = result.entry
    return {"id": entry.id, "ordinal_id": entry.ordinal_id, "score": result.score}


def _group_record(group: Group) -> dict[str, Any]:
    return {
        "doc_id": group.doc_id,
        "title": group.document.title,
        "version": group.document.version,
        "tags": list(group.document.tags),
        "best_score": group.best_score,
        "chunk_ids": [result.entry.id for result in group.results],
        "no_specific_section": group.no_specific_section,
    }


def render_packed(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return the search object of an answer under a budget, a result on each line.

    Results have their place, what is shown of them and what is left out, and no
    more; what else the object holds without a budget is left out too.
    """
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "query": answer.query,
        "mode": answer.mode,
        "phases": {name: answer.counts.get(name, 0) for name in PHASES},
        "hints": _hints(answer),
    }
    if explain:
        head["explain"] = _explanation(answer)
    if answer.omission is not None:
        head["omitted"] = omission_record(answer.omission)
    records = [packed_result_record(result, explain=explain) for result in answer.results]
    return dump_object(head, "results", records, ascii_only=ascii_only)


def render_packed_lines(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return the results of an answer under a budget, one a line; then what was left out."""
    records = [packed_result_record(result, explain=explain) for result in answer.results]
    if answer.omission is not None:
        records.append({"omitted": omission_record(answer.omission)})
    return "".join(dump_line(record, ascii_only=ascii_only) for record in records)


def _hints(answer: Answer) -> list[dict[str, Any]]:
    """The hints; an empty answer has one more, on the phase that emptied it."""
    found = hint_records(answer.hints)
    emptied = None if answer.results else nothing_found_because(answer)
    return [{"code": "empty", "message": emptied, "values": {}}, *found] if emptied else found


def _explanation(answer: Answer) -> dict[str, Any]:
    return {
        "expressions": list(answer.expressions),
        "phases": [phase._asdict() for phase in answer.phases],
    }


def render_jsonl(answer: Answer, *, explain: bool = False, ascii_only: bool = False) -> str:
    """Return one result a line, each as it stands in the search object's `results`."""
    return "".join(
        dump_line(record, ascii_only=ascii_only)
        for record in _result_records(answer, explain=explain)
    )
