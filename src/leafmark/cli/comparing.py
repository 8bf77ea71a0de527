"""`diff` and `log`: what changed between two states, and in one section over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.cli.command import JSON, Argument, Choice, Option, at_least, command, declared
from leafmark.cli.completion import ids, trees
from leafmark.cli.console import Call, output_of, perform
from leafmark.cli.reading import read_texts

if TYPE_CHECKING:
    from leafmark.history import DiffReport

FORMATS = ("text", "blocks", "json", "markdown", "html")


def _tree() -> Option:
    return declared("search.trees", "-t", "--tree", metavar="TREE", complete=trees, in_force=False)


@command(
    "diff",
    examples=(
        ("leafmark diff", "the working files against the last commit"),
        ("leafmark diff v2.3", "what changed since a tag"),
        ("leafmark diff 2026-01-01 HEAD -o markdown", "a release note"),
        ("leafmark diff v2.3 --cited answers.md", "which of my citations broke"),
        ("leafmark diff old/ new/ -o html > changes.html", "two folders, side by side"),
    ),
    argument=Argument(
        "[OLD [NEW]]",
        "Two revisions (tag, branch, hash, HEAD~3, a date such as 2026-01-31, or OLD..NEW), or "
        "two folders. Without NEW the working files are compared, without OLD with HEAD.",
        most=2,
    ),
    options=lambda: [
        Option(
            "--cited",
            help="A text whose citations and ids are checked, too.",
            metavar="FILE",
            repeat=True,
            complete="file",
        ),
        _tree(),
        Option("--no-links", help="Do not look for links that no longer lead anywhere."),
        Option(
            "-o",
            "--output",
            help="text names sections; blocks shows the text that changed, too; markdown is for "
            "release notes; html has both sides beside each other.",
            metavar="FORMAT",
            type=Choice(FORMATS),
        ),
        JSON,
    ],
)
def _diff(call: Call) -> int:
    """Say what changed in the documents, section by section.

    Compares section trees, not lines: sections that were added, removed, moved, renamed, split,
    merged or changed, by how much and in which blocks. A section has changed only if its own
    bytes did. Then it lists the ids and anchors that no longer lead to what they led to, with
    where that stands now, and the links and citations that this broke.

    Revisions are read from git's objects: nothing is checked out, and nothing of the repository
    is run.

    Exit code 1 means that something cited is gone: a link of the documents leads nowhere now,
    or a citation or id in a --cited text does not hold.
    """
    from leafmark.app.history import diff_project
    from leafmark.app.requests import DiffRequest

    old, new = (*call.words, None, None)[:2]
    texts = read_texts(call, call.values.get("cited", ()))
    request = DiffRequest(
        old, new, call.values.get("trees", ()), texts, links=not call.on("no_links")
    )
    report = perform(call, diff_project, request)
    _print_diff(call, report)
    call.console.diagnostics(report.diagnostics)
    return 1 if report.breaks_something else 0


def _print_diff(call: Call, report: DiffReport) -> None:
    from leafmark.render import changes

    console, output = call.console, output_of(call, "text")
    if output == "json":
        console.write_json(changes.changes_record(report))
        return
    if output == "markdown":
        parts = changes.iter_release_note(report)
    elif output == "html":
        from leafmark.render.changespage import iter_changes_page  # late: it compares words

        parts = iter_changes_page(report)
    else:
        parts = changes.iter_changes(report, console.style, blocks=output == "blocks")
    for part in parts:
        console.write(part)
    if output not in ("markdown", "html"):
        console.note(f"{changes.summarise_changes(report)}\n")


@command(
    "log",
    examples=(
        ("leafmark log guides/backups.md#restoring-a-backup", "when a section came and changed"),
        ("leafmark log guides/backups.md --at v2.0 -n 5", "a document, from a revision on"),
        ("leafmark log guides/backups.md#restoring-a-backup --json", "for programs"),
    ),
    argument=Argument("ID", "A document or section.", least=1, most=1, complete=ids),
    options=lambda: [
        Option("--at", help="Begin at this revision.", metavar="REV", dest="begin"),
        Option("-n", "--limit", help="At most N entries.", metavar="N", type=at_least(1)),
        JSON,
    ],
)
def _log(call: Call) -> int:
    """Follow a section back through the commits that changed it.

    Lists the commits of the main line that did something to the section, newest first, across
    renamed titles and files, until it came: with its id and a citation as each left it, which
    leafmark verify --at REV confirms. Commits that touched only other sections are left out.

    Exit code 1 means that there is no such section.
    """
    from leafmark.app.history import log_section
    from leafmark.app.requests import LogRequest
    from leafmark.render.changes import iter_log, log_record

    request = LogRequest(call.words[0], call.values.get("begin"), call.values.get("limit", 50))
    log = perform(call, log_section, request)
    console = call.console
    if console.json:
        console.write_json(log_record(log))
    for part in () if console.json else iter_log(log, console.style):
        console.write(part)
    return 0 if log.entries or log.ends_at else 1
