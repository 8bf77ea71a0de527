"""`index` and `status`: what the index holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from leafmark.cli.command import JSON, Argument, Option, command
from leafmark.cli.console import (
    INTERRUPTED,
    Call,
    exclude_each_other,
    perform,
    progress_line,
    project_of,
    request_of,
)
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.model import IndexReport, WatchEvent

SKIPPED_SHOWN = 10
"""How many skipped files of named paths are printed without -v; chosen by eye."""

_EXCLUSIVE = (
    ("remove", "rebuild"),
    ("prune", "remove"),
    *(("watch", one) for one in ("remove", "dry_run", "strict", "ray")),
)

_INDEX_OPTIONS = (
    Option(
        "--rebuild",
        help="Index everything again; the old index answers until the new one is ready.",
    ),
    Option(
        "--remove",
        help="Remove the given paths from the index; what no rule leaves out comes back with the "
        "next run.",
    ),
    Option(
        "--prune",
        help="Forget documents that are gone even where that is most of a tree at once, which is "
        "otherwise taken for a disk that is not mounted.",
    ),
    Option("--watch", help="Keep running, and update the index when files change. Ctrl-C ends it."),
    Option(
        "--vectors",
        help="Also make the vectors of all chunks that have none, for searches by meaning; a "
        "configured embedder makes them without it.",
    ),
    Option(
        "--ray",
        help="Share the work with the machines of a Ray cluster, which see the same files. "
        "RAY_ADDRESS names it; without, it is this machine.",
    ),
    Option("--dry-run", help="Only say what would be done."),
    Option("--strict", help="Exit with 1 when there is any diagnostic or warning."),
    JSON,
)


@command(
    "index",
    examples=(
        ("leafmark index", "the current folder, or the trees of the configuration"),
        ("leafmark index guides/backups.md", "one file, even one that an ignore file leaves out"),
        ("leafmark index --rebuild", "everything again"),
        ("leafmark index --vectors", "vectors of all chunks, before the first search by meaning"),
        ("leafmark index --watch", "keep it fresh while files change"),
        ("leafmark index --dry-run -v", "which files would be read, and which are skipped"),
        ("leafmark index --strict --json", "in a build: fail when a document has a problem"),
    ),
    argument=Argument("PATH", "Files and folders to index.", complete="file"),
    options=_INDEX_OPTIONS,
)
def _index(call: Call) -> int:
    """Build or refresh the index.

    Reads what is new or changed, forgets what is gone, and says what it did. Searching does
    this by itself; call it to build a large index ahead, to see diagnostics, or to rebuild.
    Without paths all trees are indexed.

    An interrupted run loses nothing: the index stays as it was after the last commit.
    """
    from leafmark.app import index_project
    from leafmark.app.requests import IndexRequest

    if call.on("remove") and not call.words:
        raise UsageError("--remove needs paths", hint="leafmark index --remove PATH...")
    exclude_each_other(call, _EXCLUSIVE)
    if call.on("watch") and call.words:
        raise UsageError("--watch takes no paths", hint="it watches all trees")

    report = perform(call, index_project, request_of(call, IndexRequest, paths=call.words))
    _print_indexed(call, report, line=call.on("watch"))
    if report.interrupted:
        return INTERRUPTED
    if call.on("watch"):
        return _watch(call)
    if report.failure is not None:
        return report.failure.exit_code
    return 1 if call.on("strict") and (report.diagnostics or report.warnings) else 0


@command(
    "migrate",
    examples=(
        ("leafmark migrate --to https://search.example:9200/docs", "this machine's index moves"),
        ("leafmark migrate --from https://search.example:9200/docs", "and comes back"),
    ),
    options=(
        Option(
            "--to", help="The address of an index in a cluster, as for index.url.", metavar="URL"
        ),
        Option("--from", help="The same, where the index comes from.", metavar="URL"),
        JSON,
    ),
)
def _migrate(call: Call) -> int:
    """Copy the index to a cluster or from it, and compare both.

    Every source is read where the index has it: from the files, or from the cluster. Both
    indexes stand afterwards; index.url says which of them is asked. Exit code 1 means that
    the copy is not like what it was made from.
    """
    from leafmark.app import migrate, open_project
    from leafmark.render.reports import migration_record, render_migration

    there, back = (call.values.get(name) for name in ("to", "from"))
    if (there is None) == (back is None):
        raise UsageError(
            "say where the index goes, or where it comes from", hint="add --to URL or --from URL"
        )
    console = call.console

    flags = {**call.settings, "index.url": there or back}
    cluster = open_project(console.directory, flags=flags, environ=console.environ)
    here = cluster._replace(remote=None)
    ends = (here, cluster) if there else (cluster, here)
    with progress_line(call) as progress:
        report = migrate(*ends, progress=progress)
    call.print(report, migration_record, lambda report, _: render_migration(report))
    return 0 if report.is_equal else 1


def _watch(call: Call) -> int:
    """Print what happens until Ctrl-C ends it."""
    import threading

    from leafmark.app import Watcher, open_project
    from leafmark.render.reports import event_record, render_event

    console = call.console

    def tell(event: WatchEvent) -> None:
        if console.json:
            console.write_line(event_record(event))
        elif event.error is not None:
            console.error(event.error)
        elif event.kind == "indexed":
            console.write(render_event(event, console.style))
        else:
            console.note(render_event(event, console.err_style))
        console.flush()

    directory = Path(os.path.abspath(console.directory))  # holds when the folder is made anew
    watcher = Watcher(
        lambda: open_project(directory, flags=call.settings, environ=console.environ), tell
    )
    watcher.run(threading.Event())
    return INTERRUPTED


def _print_indexed(call: Call, report: IndexReport, *, line: bool) -> None:
    from leafmark.render.reports import index_record, render_index

    console = call.console
    if console.json:
        write = console.write_line if line else console.write_json
        write(index_record(report))
        return
    console.write(render_index(report, console.style, verbose=console.verbose))
    if call.words and not console.verbose:
        console.skipped(report.skipped[:SKIPPED_SHOWN])
    console.diagnostics(report.diagnostics)
    for warning in report.warnings:
        console.warn(warning)
    if report.failure is not None:
        console.error(report.failure)
    if report.interrupted:
        console.note("interrupted: what was done is kept, and the next run goes on\n")


@command(
    "status",
    examples=(
        ("leafmark status", "the index of the current folder"),
        ("leafmark status -v", "with what was skipped and every diagnostic"),
        ("leafmark status --json", "for programs"),
    ),
    options=(JSON,),
)
def _status(call: Call) -> int:
    """Show where the index is and what it holds.

    Reads only: nothing is indexed, and nothing is changed.
    """
    from leafmark.app import project_status
    from leafmark.render.reports import render_status, status_record

    console = call.console
    report = project_status(project_of(call))
    call.print(report, status_record, render_status)
    if console.json:
        return 0
    for warning in report.warnings:
        console.warn(warning)
    if console.verbose:
        console.skipped(report.skipped)
        console.diagnostics(report.diagnostics)
    return 0
