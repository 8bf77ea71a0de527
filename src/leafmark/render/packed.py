"""Results under a budget as JSON: their place, what is shown of them, what is left out."""

from __future__ import annotations

from typing import Any

from leafmark.model import Entry, Omission, Passage, Result, Shown
from leafmark.render.records import factor_record

__all__ = ["omission_record", "packed_result_record", "packed_shown_record"]

_MARKS = (("relaxed", "relaxed"), ("stale", "stale"), ("whole", "no_specific_section"))


def packed_result_record(result: Result, *, explain: bool = False) -> dict[str, Any]:
    """Return what is told of a result; a mark (`relaxed`, `stale`, …) only where it is set."""
    record: dict[str, Any] = {"rank": result.rank, "score": result.score}
    record |= _place(result.entry)
    record |= {key: True for name, key in _MARKS if getattr(result, name)}
    record["passages"] = [_passage(one) for one in result.passages or ()]
    if explain:
        record["factors"] = [factor_record(factor) for factor in result.factors]
    return record


def packed_shown_record(shown: Shown) -> dict[str, Any]:
    record: dict[str, Any] = _place(shown.entry)
    if shown.stale:
        record["stale"] = True
    return record | {"passages": [_passage(one) for one in shown.passages or ()]}


def _place(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "ordinal_id": entry.ordinal_id, "breadcrumb": entry.breadcrumb}


def _passage(one: Passage | Omission) -> dict[str, Any]:
    if isinstance(one, Omission):
        return {"omitted": omission_record(one)}
    return {"text": one.text, "citation": one.citation}


def omission_record(omission: Omission) -> dict[str, Any]:
    """Return the id to ask for and what it costs; `results` where whole results are left out."""
    record: dict[str, Any] = {"id": omission.id, "tokens": omission.tokens}
    return record | {"results": omission.results} if omission.results else record
