"""How the agent files of a project stand, and what writing would change in them."""

from __future__ import annotations

from typing import Any

from leafmark.model import AgentFile, AgentsReport, LlmsReport, count_of
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean_line

__all__ = ["agents_record", "llms_record", "render_agents", "render_diff", "render_llms"]


def render_agents(report: AgentsReport, *, written: bool) -> str:
    """Return a line for each file."""
    return "".join(f"{clean_line(file.path)}: {_said(file, written)}\n" for file in report.files)


def _said(file: AgentFile, written: bool) -> str:
    if file.state == "fresh":
        return "up to date"
    if written:
        return "made" if file.state == "missing" else "updated"
    return "does not exist" if file.state == "missing" else "not up to date"


def render_diff(report: AgentsReport, style: Style) -> str:
    """Return a unified diff of all files that writing would change; empty if there are none."""
    import difflib  # late: slow to load

    lines: list[str] = []
    for file in report.files:
        name = clean_line(file.path)
        source = "/dev/null" if file.state == "missing" else f"a/{name}"
        before, after = (_lines(data) for data in (file.before, file.after))
        lines.extend(difflib.unified_diff(before, after, source, f"b/{name}", lineterm=""))
    return "".join(_coloured(line, style) + "\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    return [clean_line(line) for line in data.decode("utf-8", "replace").splitlines()]


def _coloured(line: str, style: Style) -> str:
    if line.startswith(("+++", "---", "@@")):
        return style.bold(line)
    if line.startswith("-"):
        return style.dim(line)
    return line


def agents_record(report: AgentsReport, *, written: bool) -> dict[str, Any]:
    """Return `{schema_version, block, files: [{path, state, written}]}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "block": report.block,
        "files": [
            {
                "path": file.path,
                "state": file.state,
                "written": written and file.state != "fresh",
            }
            for file in report.files
        ],
    }


def render_llms(report: LlmsReport) -> str:
    """Return what was written, and what had no room."""
    lines = [f"wrote {clean_line(path)}" for path in report.paths]
    lines.append(f"{count_of(report.documents, 'document')} linked")
    if report.left_out:
        lines.append(f"{count_of(len(report.left_out), 'document')} left out of the full text")
    lines.extend(f"changed while it was read: {clean_line(doc_id)}" for doc_id in report.stale)
    return "".join(f"{line}\n" for line in lines)


def llms_record(report: LlmsReport) -> dict[str, Any]:
    """Return `{schema_version, paths, documents, left_out, stale}`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "paths": list(report.paths),
        "documents": report.documents,
        "left_out": list(report.left_out),
        "stale": list(report.stale),
    }
