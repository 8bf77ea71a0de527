"""Why a chunk is not among the results, as `leafmark why-not` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leafmark.model import AbsenceReason, UnmatchedPart, WhyNotReport, count_of
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.records import hint_records
from leafmark.render.terminal import Style, clean_line

__all__ = ["remedy_flags", "render_why_not", "why_not_record"]

_SWITCHES = {
    "aggregation": "--no-aggregation",
    "strict": "without --strict",
    "trees": "without --tree",
    "tags": "without --tag",
    "since": "without --since",
    "section": "without --section",
}
"""How changes are asked for that are no value of an option."""


def render_why_not(report: WhyNotReport, style: Style) -> str:
    """Return where each topic lost the chunk, and what would show it."""
    lines = [f"{style.bold(clean_line(report.id))}  {clean_line(report.query)}"]
    if report.shown_as is not None:
        own = report.shown_as == report.id
        what = "it" if own else f"{clean_line(report.shown_as)}, which is part of it,"
        return "\n".join([*lines, f"  {what} is result {report.rank}"]) + "\n"
    for reason in report.reasons:
        about = f"topic {reason.topic + 1}: " if len(report.reasons) > 1 else ""
        lines.append(f"  {about}{style.bold(reason.lost_at)}: {clean_line(reason.message)}")
        if reason.id != report.id:
            lines.append(f"    asked of {clean_line(reason.id)}")
        lines += [f"    {line}" for part in reason.unmatched for line in _part(part)]
    ways = _ways(report)
    if ways:
        lines.append(f"  to see it: {', '.join(ways)}")
    return "\n".join(lines) + "\n"


def _part(part: UnmatchedPart) -> Iterable[str]:
    text = f"“{clean_line(part.text)}”"
    if part.refuses:
        return
    where = f"occurs in {count_of(part.chunks, 'chunk')}" if part.chunks else "occurs nowhere"
    near = f"; here: {', '.join(map(clean_line, part.near))}" if part.near else ""
    yield f"{text} {where}{near}"


def _ways(report: WhyNotReport) -> list[str]:
    left_out = [f"leave out {clean_line(part)}" for part in report.without]
    added = [] if report.added is None else [f"add {clean_line(report.added)}"]
    return [*remedy_flags(report), *left_out, *added]


def remedy_flags(report: WhyNotReport) -> list[str]:
    """Return the settings that would show the chunk as they are written on the command line."""
    return [
        _SWITCHES.get(name) or f"--{name.replace('_', '-')} {_number(value)}"
        for name, value in report.remedy.items()
    ]


def _number(value: object) -> str:
    """Return a value as it is typed; numbers without needless digits."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def why_not_record(report: WhyNotReport) -> dict[str, Any]:
    """Return the report as an object: its fields, the remedy as options."""
    return {
        "schema_version": SCHEMA_VERSION,
        "id": report.id,
        "query": report.query,
        "shown_as": report.shown_as,
        "rank": report.rank,
        "reasons": [_reason_record(reason) for reason in report.reasons],
        "remedy": remedy_flags(report),
        "without": list(report.without),
        "added": report.added,
        "hints": hint_records(report.hints),
    }


def _reason_record(reason: AbsenceReason) -> dict[str, Any]:
    return {
        "lost_at": reason.lost_at,
        "message": reason.message,
        "id": reason.id,
        "topic": reason.topic,
        "rank": reason.rank,
        "score": reason.score,
        "of": reason.of,
        "by": reason.by,
        "ratio": reason.ratio,
        "unmatched": [part._asdict() | {"near": list(part.near)} for part in reason.unmatched],
    }
