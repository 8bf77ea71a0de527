"""The page of one document: its tree beside its text; and the page of the state of the index."""

from __future__ import annotations

from collections import Counter
from typing import Any

from leafmark.app import project_status, read_document, text_marker
from leafmark.server.web.document_parts import outline
from leafmark.server.web.search_page import open_pane, section_text
from leafmark.server.web.visits import EDITORS, Visit, render_page
from leafmark.server.workspace import Activity

__all__ = ["document_page", "help_page", "status_page"]

VIEWS = ("rendered", "source")


def document_page(visit: Visit) -> str:
    """Raises what `read_document` does."""
    address = visit.address
    reading = read_document(visit.project, address["id"])
    view = address["view"] if address["view"] in VIEWS else "rendered"
    entry = reading.entry
    common: dict[str, Any] = {
        "reading": reading,
        "view": view,
        "views": VIEWS,
        "nodes": () if address["bare"] else outline(reading.chunks, entry.position),
        "pieces": Counter(c.parent_position for c in reading.chunks if c.kind == "piece"),
    }
    if reading.data is None:
        return render_page("document.html", visit, text=None, part=0, fragments=(), **common)
    mark = text_marker(visit.project, address["q"])
    text = section_text(visit, reading, None, mark)
    at = entry.byte_start if entry.heading_start is None else entry.heading_start
    asked = address.number("part", 0)
    part = min(asked - 1, text.count - 1) if asked else text.part_of(at)
    shown = text.count > 0
    fragments = text.shown(part, view) if shown else ()
    return render_page(
        "document.html",
        visit,
        text=text,
        part=part,
        fragments=fragments,
        span=text.lines(part) if shown else (1, 1),
        pane=open_pane(visit, reading, "none", mark, None),
        **common,
    )


def status_page(visit: Visit, activity: Activity) -> str:
    """Raises what `project_status` does."""
    report = project_status(visit.project)
    return render_page(
        "status.html",
        visit,
        report=report,
        activity=activity,
        reasons=Counter(one.reason for one in report.skipped).most_common(),
        skipped=report.skipped[:_MAX_LISTED],
        diagnostics=report.diagnostics[:_MAX_LISTED],
    )


_MAX_LISTED = 200
"""Skipped sources and diagnostics on the page; the API has all of them."""


def help_page(visit: Visit) -> str:
    return render_page("help.html", visit, editors=EDITORS)
