"""Results under a budget as JSON: their place, what is shown of them, what is left out."""

from __future__ import annotations

from typing import Any

from leafmark.model import Result, Shown
from leafmark.render.passages import expanded_records, passage_records, place_record
from leafmark.render.records import factor_record

__all__ = ["packed_outline_record", "packed_result_record", "packed_shown_record"]

_MARKS = (
    ("relaxed", "relaxed"),
    ("stale", "stale"),
    ("whole", "no_specific_section"),
    ("introduction", "introduction"),
)


def packed_result_record(result: Result, *, explain: bool = False) -> dict[str, Any]:
    """Return what is told of a result; a mark (`relaxed`, `stale`, …) only where it is set."""
    record: dict[str, Any] = {"rank": result.rank, "score": result.score}
    record |= place_record(result.entry)
    record |= {key: True for name, key in _MARKS if getattr(result, name)}
    record["passages"] = passage_records(result.passages)
    if result.expanded:
        record["expanded"] = expanded_records(result.expanded)
    if explain:
        record["factors"] = [factor_record(factor) for factor in result.factors]
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
    """Return a chunk and what is in it; `passages` tells only what is left out."""
    children = []
    for child in shown.children:
        record: dict[str, Any] = {"id": child.id, "title": child.title, "depth": child.depth}
        size = shown.sizes.get(child.position)
        children.append(record | (size._asdict() if size else {}))
    return packed_shown_record(shown) | {"children": children}
