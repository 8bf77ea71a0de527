"""What of a text is shown and what is left out, as JSON: the shapes that several objects share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.model import Entry, Omission, Passage, Related

__all__ = ["expanded_records", "omission_record", "passage_records", "place_record"]


def passage_records(passages: Sequence[Passage | Omission] | None) -> list[dict[str, Any]]:
    """Return texts with their citations, and what is left out between them."""
    return [
        {"omitted": omission_record(one)}
        if isinstance(one, Omission)
        else {"text": one.text, "citation": one.citation}
        for one in passages or ()
    ]


def omission_record(omission: Omission) -> dict[str, Any]:
    """Return the id to ask for and what it costs; `results` where whole results are left out.

    `own` only where it is true.
    """
    record: dict[str, Any] = {"id": omission.id, "tokens": omission.tokens}
    if omission.own:
        record["own"] = True
    return record | {"results": omission.results} if omission.results else record


def place_record(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "ordinal_id": entry.ordinal_id, "breadcrumb": entry.breadcrumb}


def expanded_records(expanded: Sequence[Related]) -> list[dict[str, Any]]:
    """Return what was added to a result: which chunks, and their headings and own bodies."""
    return [
        {
            "relation": one.relation,
            **place_record(one.entry),
            "passages": passage_records(one.passages),
        }
        for one in expanded
    ]
