"""`leafmark show`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leafmark.cli.options import (
    EXPAND,
    JSON,
    NO_REFRESH,
    Argument,
    Call,
    Command,
    Option,
    exclude_each_other,
    positive,
)
from leafmark.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from leafmark.model import ShowReport

__all__ = ["COMMAND"]

_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")

_EXCLUSIVE = (
    ("raw", "json"),
    ("raw", "outline"),
    ("own", "outline"),
    ("raw", "expand"),
    ("outline", "expand"),
    ("raw", "max_tokens"),
)

OPTIONS = (
    Option(("--own",), "Only the section's own text, without the sections below it."),
    Option(("--full-document",), "The whole document that the id belongs to."),
    Option(("--outline",), "The titles and ids below it instead of its text."),
    EXPAND,
    Option(("--raw",), "The exact bytes of the file, and nothing else."),
    Option(
        ("--max-tokens",),
        "Print at most N tokens: first what each id names, then the texts from their beginnings; "
        "of an outline, the upper levels first.",
        "N",
        positive,
    ),
    NO_REFRESH,
    JSON,
)


def run(call: Call) -> int:
    """Show chunks; exit code 1 when an id was not found, or bytes that were wanted are others."""
    from leafmark.app import show_chunks
    from leafmark.app.requests import ShowRequest
    from leafmark.cli.projects import perform

    exclude_each_other(call, _EXCLUSIVE)
    ids = _ids(call.words)

    report = perform(
        call,
        show_chunks,
        lambda confirmed: ShowRequest(
            ids=ids,
            own=call.on("own"),
            full_document=call.on("full_document"),
            outline=call.on("outline"),
            records=call.console.json,
            sizes=call.on("outline"),
            expand=call.values.get("expand", ()),
            packed="max_tokens" in call.values and not call.on("outline"),
            refresh=not call.on("no_refresh"),
            confirmed=confirmed,
        ),
    )
    _print(call, report)
    if not call.console.json:
        for asked, near in report.not_found:
            call.console.error(_not_found(asked, near))
    lost = call.on("raw") and any(shown.raw is None for shown in report.shown)
    return 1 if report.not_found or lost else 0


def _ids(words: tuple[str, ...]) -> tuple[str, ...]:
    """The ids; `-` stands for a list on standard input."""
    from leafmark.app.standard_input import listed

    ids = tuple(listed(words))
    if not ids:
        nothing = "there is no id on standard input" if "-" in words else "the id is empty"
        raise UsageError(nothing, hint="`leafmark ls chunks` lists the ids")
    return ids


def _not_found(asked: str, near: tuple[str, ...]) -> NotFoundError:
    from leafmark.app.answering.resolving import hint_for  # late: most ids are found

    hint = None if near else hint_for(asked)
    return NotFoundError(f"there is no `{asked}`", did_you_mean=near, hint=hint)


def _print(call: Call, report: ShowReport) -> None:
    if call.on("raw"):
        _print_raw(call, report)
        return
    budget = call.values.get("max_tokens")
    if budget is None:
        text = _render(call, report)
    else:
        from leafmark.render.budgets import fit_report

        text = fit_report(report, lambda part: _render(call, part), budget, call.console.written)
    call.console.write(text)


def _render(call: Call, report: ShowReport) -> str:
    """All that goes to standard output."""
    from leafmark.render import show
    from leafmark.render.jsontext import dump_json

    console = call.console
    outline = call.on("outline")
    if console.json and "max_tokens" in call.values:
        return show.render_packed_show(report, ascii_only=console.ascii_only, outline=outline)
    if console.json:
        return dump_json(show.show_record(report), ascii_only=console.ascii_only)
    if outline:
        return show.render_outline(report, console.style)
    return show.render_show(report, console.style)


def _print_raw(call: Call, report: ShowReport) -> None:
    """Print exact bytes, but no control characters on a terminal."""
    for shown in report.shown:
        if shown.raw is None:
            call.console.warn(
                "it changed since it was indexed, and is left out: leafmark index reads it again",
                shown.entry.id,
            )
            continue
        if call.console.style.is_terminal and _CONTROLS.search(shown.raw):
            raise UsageError(
                "its bytes hold control characters, which could change this terminal",
                location=shown.entry.id,
                hint="send them to a file or a pipe, or leave out --raw",
            )
        call.console.write_bytes(shown.raw)


COMMAND = Command(
    name="show",
    summary="read a document, a section or a piece by its id",
    description=(
        "Prints the heading and the whole section below it; of a document, the file. Any id that "
        "leafmark prints can be given, with or without its tree: tree:path, path#section, "
        "path#section~2 for a piece, path.7 for the chunk at position 7. path#preamble is what "
        "stands before the first heading, path:120 and path:120-140 the smallest chunk that holds "
        "these lines.\n\n"
        "Exit code 1 means that an id was not found, or with --raw that the file has changed "
        "since it was indexed."
    ),
    examples=(
        ("leafmark show guides/backups.md", "a document"),
        ("leafmark show guides/backups.md#restoring-a-backup", "a section"),
        ("leafmark show guides/backups.md.3 --json", "a chunk by its position, as a record"),
        ("leafmark show guides/backups.md --outline", "what is in it"),
        (
            "leafmark search retries --json | jq -r '.results[].id' | leafmark show -",
            "what was found",
        ),
    ),
    run=run,
    argument=Argument("ID", "What to show; - reads ids from standard input, one a line.", least=1),
    options=OPTIONS,
)
