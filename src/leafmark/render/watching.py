"""What happened while an index was kept fresh, a line each."""

from __future__ import annotations

from typing import Any

from leafmark.model import IndexReport, WatchEvent
from leafmark.render.errors import error_record
from leafmark.render.indexing import index_record
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean_line

__all__ = ["event_record", "render_event"]

_SHOWN = 3
"""How many documents of one change are named; chosen by eye."""


def render_event(event: WatchEvent, style: Style) -> str:
    """Return one line."""
    if event.report is not None:
        return _changes(event.report, style)
    return f"{event.kind}: {clean_line(event.message)}\n"


def _changes(report: IndexReport, style: Style) -> str:
    changes = [
        *(f"+{clean_line(name)}" for name in report.added),
        *(f"~{clean_line(name)}" for name in report.modified),
        *(f"-{clean_line(name)}" for name in report.removed),
    ]
    more = f" and {len(changes) - _SHOWN:,} more" if len(changes) > _SHOWN else ""
    why = f" ({clean_line(report.rebuilt)})" if report.rebuilt else ""
    took = style.dim(f"in {report.seconds:.2f} s")
    return f"indexed{why} {' '.join(changes[:_SHOWN])}{more} {took}\n"


def event_record(event: WatchEvent) -> dict[str, Any]:
    """Return `{schema_version, event, message, report, error}`."""
    failed = None if event.error is None else error_record(event.error)["error"]
    return {
        "schema_version": SCHEMA_VERSION,
        "event": event.kind,
        "message": event.message,
        "report": None if event.report is None else index_record(event.report),
        "error": failed,
    }
