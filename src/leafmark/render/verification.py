"""Checked citations, as `leafmark verify` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.model import Verified, VerifyReport, count_of, decodable
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.names import line_range
from leafmark.render.terminal import Style, clean_line

__all__ = ["render_verification", "summarise", "verification_record"]


def render_verification(
    reports: Sequence[VerifyReport], style: Style, *, everything: bool = False
) -> str:
    """Return a line for each citation that does not hold, and one below it with what does.

    With `everything` those that hold have a line too.
    """
    lines: list[str] = []
    for report in reports:
        for one in report.citations:
            if one.status != "ok" or everything:
                lines += _lines(report.name, one, style)
    return "".join(f"{line}\n" for line in lines)


def _lines(name: str, one: Verified, style: Style) -> list[str]:
    where = f"{clean_line(name)}:{one.line}:{one.column}:"
    lines = [f"{style.dim(where)} {style.bold(f'{one.status:<7}')} {clean_line(one.citation)}"]
    if one.status == "moved" and one.current is not None:
        lines.append(f"  now {clean_line(one.current)}{_lines_of(one)}")
    elif one.status == "changed" and one.current is not None:
        lines.append(f"  now there: {clean_line(one.current)}")
    elif one.nearest:
        lines.append(f"  the nearest: {', '.join(map(clean_line, one.nearest))}")
    return lines


def _lines_of(one: Verified) -> str:
    place = one.place
    return "" if place is None else f" ({line_range(place.line_start, place.line_end)})"


def summarise(reports: Sequence[VerifyReport]) -> str:
    """Return how many citations there are of each status.

    >>> summarise([VerifyReport("-")])
    'there is no citation in it'
    """
    counts = _counts(reports)
    total = sum(counts.values())
    if not total:
        return "there is no citation in " + ("it" if len(reports) == 1 else "them")
    found = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    return f"{count_of(total, 'citation')}: {found}"


def _counts(reports: Sequence[VerifyReport]) -> dict[str, int]:
    counts = dict(VerifyReport("").counts)
    for report in reports:
        for status, number in report.counts.items():
            counts[status] += number
    return counts


def verification_record(reports: Sequence[VerifyReport]) -> dict[str, Any]:
    """Return `{schema_version, ok, counts, citations}`; `ok` as the exit code tells it."""
    counts = _counts(reports)
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": counts["ok"] == sum(counts.values()) > 0,
        "counts": counts,
        "citations": [_record(report.name, one) for report in reports for one in report.citations],
    }


def _record(name: str, one: Verified) -> dict[str, Any]:
    place = one.place
    return {
        "file": decodable(name),
        "line": one.line,
        "column": one.column,
        "citation": one.citation,
        "status": one.status,
        "current": one.current,
        "id": None if place is None else place.id,
        "byte_start": None if place is None else place.byte_start,
        "byte_end": None if place is None else place.byte_end,
        "line_start": None if place is None else place.line_start,
        "line_end": None if place is None else place.line_end,
        "did_you_mean": list(one.nearest),
    }
