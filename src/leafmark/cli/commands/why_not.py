"""`leafmark why-not`."""

from __future__ import annotations

from leafmark.cli.commands.search import OPTIONS as SEARCH_OPTIONS
from leafmark.cli.commands.search import search_request, tell_hints
from leafmark.cli.options import JSON, Argument, Call, Command
from leafmark.errors import UsageError

__all__ = ["COMMAND"]

_NOT_TAKEN = frozenset(("output", "json", "group", "explain", "sort", "expand", "max_tokens"))
"""Options of a search that decide nothing about which chunks are results."""

OPTIONS = (*(one for one in SEARCH_OPTIONS if one.dest not in _NOT_TAKEN), JSON)


def run(call: Call) -> int:
    """Say why a chunk is not among the results; exit code 1 when it is one."""
    from leafmark.app import explain_why_not
    from leafmark.app.requests import WhyNotRequest
    from leafmark.cli.projects import perform
    from leafmark.render.absence import render_why_not, why_not_record

    wanted, *queries = call.words
    if "-" in queries:
        raise UsageError("the query of why-not is not read from standard input")

    report = perform(
        call,
        explain_why_not,
        lambda confirmed: WhyNotRequest(wanted, search_request(call, tuple(queries), confirmed)),
    )
    console = call.console
    if console.json:
        console.write_json(why_not_record(report))
    else:
        console.write(render_why_not(report, console.style))
        tell_hints(console, report.hints)
    return 0 if report.reasons else 1


COMMAND = Command(
    name="why-not",
    summary="say why a chunk is not among the results of a search",
    description=(
        "Runs the search as leafmark search does, with the same options, and says in which phase "
        "the chunk was lost: filter, match (which words it lacks), meaning, strict, relaxed, "
        "candidates, cutoff, merged (into which result), duplicate or limit. It names only "
        "changes that do show the chunk: each was tried. Of a document or a section, the chunks "
        "in it are looked at, too.\n\n"
        "Exit code 1 means that there is nothing to say: it is among the results."
    ),
    examples=(
        (
            "leafmark why-not guides/backups.md#making-a-backup restore",
            "why a section is not found",
        ),
        ('leafmark why-not guides/backups.md "how do I restore?" -n 3', "with options of search"),
        ("leafmark why-not guides/backups.md.4 retries --json", "for programs"),
    ),
    run=run,
    argument=Argument("ID QUERY", "A chunk, and what was looked for.", least=2),
    options=OPTIONS,
    is_query=True,
)
