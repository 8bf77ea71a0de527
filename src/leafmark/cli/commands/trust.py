"""`leafmark trust`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leafmark.cli.options import JSON, Call, Command, Option, exclude_each_other
from leafmark.errors import ConfirmationError

if TYPE_CHECKING:
    from leafmark.model import TrustedFile, TrustReport

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Approve, list or take back; 1 when the user says no."""
    from leafmark.app import list_trust, revoke

    console = call.console
    where, environ = console.directory, console.environ
    exclude_each_other(call, [("list", "revoke")])
    if call.on("revoke"):
        done = revoke(where, environ=environ)
        return _tell(call, list_trust(where, environ=environ), done)
    report = list_trust(where, environ=environ)
    pending = [file for file in report.files if file.state in ("pending", "changed")]
    if call.on("list") or not pending:
        return _tell(call, report, ())
    return _approve(call, pending)


def _approve(call: Call, pending: Sequence[TrustedFile]) -> int:
    from leafmark.app import approve, list_trust
    from leafmark.render.trust import render_wishes

    console = call.console
    console.note("this folder's configuration asks for:\n" + render_wishes(pending))
    agreed = True if call.on("yes") else console.ask("Allow it?")
    if agreed is None:
        raise ConfirmationError(
            "nothing is trusted unless you say so", hint="read it, then run `leafmark trust --yes`"
        )
    if not agreed:
        console.note("nothing was changed\n")
        return 1
    where, environ = console.directory, console.environ
    approve(where, {file.path: file.digest for file in pending}, environ=environ)
    return _tell(call, list_trust(where, environ=environ), [file.path for file in pending])


def _tell(call: Call, report: TrustReport, changed: Sequence[str]) -> int:
    from leafmark.render.terminal import clean_line
    from leafmark.render.trust import render_trust, trust_record

    console = call.console
    for warning in report.warnings:
        console.warn(warning)
    if console.json:
        console.write_json(trust_record(report, changed))
    elif call.on("revoke"):
        console.write("".join(f"no longer trusted: {clean_line(path)}\n" for path in changed))
    elif changed:
        console.write("".join(f"trusted: {clean_line(path)}\n" for path in changed))
    else:
        console.write(render_trust(report, console.style))
    return 0


COMMAND = Command(
    name="trust",
    summary="allow what a folder's configuration asks for beyond the folder",
    description=(
        "A configuration that came with a folder may not reach outside of it, name services or "
        "take in files that may hold secrets: such parts are left out, with a warning, and the "
        "rest of it works. This command shows them and asks whether to allow them; with --yes it "
        "does not ask. Only what was shown is allowed: any change to it must be allowed again."
    ),
    examples=(
        ("leafmark trust", "show what the folder's configuration asks for, and allow it"),
        ("leafmark trust --list", "what it asks for and what was allowed, here and elsewhere"),
        ("leafmark trust --revoke", "take it back for this folder"),
    ),
    run=run,
    options=(
        Option(("--list",), "Only show what is asked for and what was allowed."),
        Option(("--revoke",), "Take back what was allowed for this folder's configuration."),
        JSON,
    ),
)
