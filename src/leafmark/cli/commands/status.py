"""`leafmark status`."""

from __future__ import annotations

from leafmark.cli.options import JSON, Call, Command

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Print the state of the index."""
    from leafmark.app import project_status
    from leafmark.cli.projects import project_of
    from leafmark.render.listing import render_status, status_record

    console = call.console
    report = project_status(project_of(call))
    if console.json:
        console.write_json(status_record(report))
        return 0
    console.write(render_status(report, console.style))
    for warning in report.warnings:
        console.warn(warning)
    if console.verbose:
        console.skipped(report.skipped)
        console.diagnostics(report.diagnostics)
    return 0


COMMAND = Command(
    name="status",
    summary="show where the index is and what it holds",
    description="Reads only: nothing is indexed, and nothing is changed.",
    examples=(
        ("leafmark status", "the index of the current folder"),
        ("leafmark status -v", "with what was skipped and every diagnostic"),
        ("leafmark status --json", "for programs"),
    ),
    run=run,
    options=(JSON,),
)
