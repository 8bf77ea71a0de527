"""The tool `changes`: what became of sections between two revisions, and which names broke."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.app.history import diff_project
from leafmark.app.requests import DiffRequest
from leafmark.history import BrokenName, SectionChange
from leafmark.render.changes import broken_line, section_line, summarise_changes
from leafmark.render.terminal import PLAIN
from leafmark.server.mcp.replies import Draft, Reply, Request, list_draft

__all__ = ["changes"]

Row = SectionChange | BrokenName


def changes(request: Request) -> Draft:
    """Raises what `diff_project` does."""
    report = diff_project(
        request.project,
        DiffRequest(
            request["since"],
            request["until"],
            request.names("trees"),
            links=False,
            revisions_only=True,
        ),
    )
    rows: list[Row] = [
        change for document in report.comparison.documents for change in document.changes
    ]
    rows += report.broken
    summary = summarise_changes(report)

    def make(kept: Sequence[Row], more: str) -> Reply:
        sections = [one for one in kept if isinstance(one, SectionChange)]
        broken = [one for one in kept if isinstance(one, BrokenName)]
        lines = [section_line(one, PLAIN) for one in sections]
        lines += [f"  broken: {broken_line(one)}" for one in broken]
        data = {
            "counts": report.comparison.counts(),
            "sections": [_section(one) for one in sections],
            "broken": [_broken(one) for one in broken],
        }
        return request.reply(f"{summary}\n{request.fence(''.join(lines))}", data, more)

    return list_draft(rows, request["offset"], make)


def _section(change: SectionChange) -> dict[str, Any]:
    row: dict[str, Any] = {"id": change.section.id, "fates": list(change.fates)}
    if change.old is not None and change.old.id != row["id"]:
        row["old_id"] = change.old.id
    if change.parts:
        row["parts"] = [part.id for part in change.parts]
    return row


def _broken(broken: BrokenName) -> dict[str, Any]:
    return {"name": broken.name, "now": [section.id for section in broken.now]}
