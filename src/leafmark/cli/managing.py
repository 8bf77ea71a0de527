"""`config`, `init`, `doctor`, `trust`, `agents`, `index`, `migrate` and `status`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from leafmark.cli.command import JSON, Argument, Option, command
from leafmark.cli.console import (
    INTERRUPTED,
    Call,
    exclude_pairs,
    perform,
    progress_line,
    project_of,
    request_of,
)
from leafmark.cli.show_commands import no_refresh
from leafmark.errors import ConfirmationError, NotFoundError, UsageError
from leafmark.suggest import MAX_SUGGESTED, nearest

if TYPE_CHECKING:
    from leafmark.model import AgentsReport, IndexReport, TrustedFile, TrustReport, WatchEvent


@command(
    "config",
    examples=(
        ("leafmark config --origin", "every setting and where it comes from"),
        ("leafmark config search", "the settings of one table"),
        ("leafmark config search.cutoff_ratio --json", "one setting, for programs"),
    ),
    argument=Argument("NAME", "A setting or a table of settings.", most=1),
    options=(Option("--origin", help="Say where each value comes from."), JSON),
)
def _config(call: Call) -> int:
    """Show the settings in force.

    Prints every setting with its value, as files, environment and flags make it. With --origin,
    it says where each value comes from.
    """
    from leafmark.app import list_settings
    from leafmark.render.reports import render_settings, settings_record

    settings = list_settings(project_of(call))
    if call.words:
        name = call.words[0]
        names = [setting.name for setting in settings]
        settings = tuple(
            setting
            for setting in settings
            if setting.name == name or setting.name.startswith(f"{name}.")
        )
        if not settings:
            tables = [] if "." in name else [name.partition(".")[0] for name in names]
            near = nearest(name, [*tables, *names], MAX_SUGGESTED)
            raise NotFoundError(
                f"there is no setting `{name}`",
                did_you_mean=near,
                hint=None if near else "`leafmark config` lists them",
            )
    call.print(settings, settings_record, partial(render_settings, origin=call.on("origin")))
    return 0


@command(
    "init",
    examples=(
        ("leafmark init", "leafmark.toml in the current folder"),
        ("leafmark init --global", "the file for all your projects"),
    ),
    options=(
        Option("--global", help="Write the user's file, not the folder's."),
        Option("--force", help="Replace an existing file."),
        JSON,
    ),
)
def _init(call: Call) -> int:
    """Write a configuration file to start from.

    leafmark works without one. A configuration names the trees of a project and changes
    settings. An existing file is left alone, unless --force is given.
    """
    from leafmark.app import write_config
    from leafmark.app.requests import InitRequest

    console = call.console
    request = InitRequest(everywhere=call.on("global"), force=call.on("force"))
    path = str(write_config(console.directory, request, environ=console.environ))
    _print_path(call, path, "wrote ")
    return 0


@command(
    "doctor",
    examples=(
        ("leafmark doctor", "look at everything"),
        ("leafmark doctor --json", "for programs"),
    ),
    options=(JSON,),
)
def _doctor(call: Call) -> int:
    """Find problems, and suggest remedies.

    Checks the installation and its extras, the configuration, the folders, every byte of the
    index and its vectors, the sources and the tokenizer. Asks a configured embedder for one
    vector, and a reranker how relevant one text is. Changes nothing. Exit code 1 means that
    something is wrong; a warning alone does not count.
    """
    from leafmark.app import examine
    from leafmark.render.reports import doctor_record, render_doctor

    console = call.console
    report = examine(console.directory, flags=call.settings, environ=console.environ)
    call.print(report, doctor_record, render_doctor)
    return 0 if report.ok else 1


@command(
    "trust",
    examples=(
        ("leafmark trust", "show the permissions that the folder's configuration needs, and allow"),
        ("leafmark trust --list", "needed and allowed permissions, here and elsewhere"),
        ("leafmark trust --revoke", "revoke the permissions of this folder"),
    ),
    options=(
        Option("--list", help="Only show the needed and the allowed permissions."),
        Option("--revoke", help="Revoke the permissions of this folder's configuration."),
        JSON,
    ),
)
def _trust(call: Call) -> int:
    """Allow a folder's configuration to reach beyond the folder.

    A configuration that came with a folder may not reach outside of it, name services or include
    files that may hold secrets: such settings are left out, with a warning, and the others apply.
    This command shows them and asks whether to allow them; with --yes it does not ask. Exactly
    the shown settings are allowed: if they change, they must be allowed again.
    """
    from leafmark.app import list_trust, revoke

    console = call.console
    where, environ = console.directory, console.environ
    exclude_pairs(call, [("list", "revoke")])
    if call.on("revoke"):
        done = revoke(where, environ=environ)
        return _print_trust(call, list_trust(where, environ=environ), done)
    report = list_trust(where, environ=environ)
    pending = [file for file in report.files if file.state in ("pending", "changed")]
    if call.on("list") or not pending:
        return _print_trust(call, report, ())
    return _approve(call, pending)


def _approve(call: Call, pending: Sequence[TrustedFile]) -> int:
    from leafmark.app import approve, list_trust
    from leafmark.render.reports import render_permissions

    console = call.console
    console.note("this folder's configuration asks for:\n" + render_permissions(pending))
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
    return _print_trust(call, list_trust(where, environ=environ), [file.path for file in pending])


def _print_trust(call: Call, report: TrustReport, changed: Sequence[str]) -> int:
    from leafmark.render.reports import render_trust, trust_record
    from leafmark.render.terminal import clean_line

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


_MODES = ("write", "diff", "check", "stdout", "package", "llms")


@command(
    "agents",
    examples=(
        ("leafmark agents", "print the block"),
        ("leafmark agents --write", "put it into the agent files, or bring it up to date"),
        ("leafmark agents --check", "exit code 1 if a file's block is not what it should be"),
        ("leafmark agents --diff docs/AGENTS.md", "what writing would change in one file"),
        ("leafmark agents --llms public --base-url https://example.org", "llms.txt for a site"),
    ),
    argument=Argument("FILE", "An agent file; it is made if it does not exist.", complete="file"),
    options=(
        Option("--stdout", help="Print the block (the default)."),
        Option("--write", help="Write it into the files."),
        Option("--diff", help="Show what writing would change."),
        Option(
            "--check", help="Only say whether the files are up to date, and exit with 1 if not."
        ),
        Option(
            "--package",
            help="Print the folder of the skill file and the manifests that ship with leafmark.",
        ),
        Option(
            "--llms",
            help="Write llms.txt and llms-full.txt of a tree into this folder.",
            metavar="DIR",
        ),
        Option("-t", "--tree", help="With --llms: the tree, if there are several.", metavar="TREE"),
        Option("--base-url", help="With --llms: what links begin with.", metavar="URL"),
        no_refresh(),
        JSON,
    ),
)
def _agents(call: Call) -> int:
    """Tell programs that work in this folder how to use leafmark.

    Keeps a marked block in AGENTS.md, CLAUDE.md and GEMINI.md that says how to find, read and
    cite the project's documents, and leaves the rest of these files as it is. Without names,
    the files are those that exist in the project's folder, else AGENTS.md.
    """
    from leafmark.app import update_agents
    from leafmark.app.requests import AgentsRequest

    mode = _mode(call)
    if mode in ("package", "llms"):
        return _package(call) if mode == "package" else _llms(call)
    report = perform(call, update_agents, request_of(call, AgentsRequest, files=call.words))
    _print_agents(call, mode, report)
    return int(mode == "check" and any(file.state != "fresh" for file in report.files))


def _mode(call: Call) -> str:
    modes = [mode for mode in _MODES if call.on(mode)]
    for name in ("tree", "base-url"):
        if modes != ["llms"] and call.values.get(name.replace("-", "_")) is not None:
            raise UsageError(f"--{name} belongs to --llms")
    exclude_pairs(call, combinations(_MODES, 2))
    mode = modes[0] if modes else "stdout"
    if call.words and mode in ("stdout", "package", "llms"):
        raise UsageError(
            f"a file was named, but not what to do with it: {call.words[0]}",
            hint="add --write, --diff or --check",
        )
    return mode


def _print_agents(call: Call, mode: str, report: AgentsReport) -> None:
    from leafmark.render.reports import agents_record, render_agents, render_diff

    console = call.console
    if console.json:
        console.write_json(agents_record(report, written=mode == "write"))
    elif mode == "stdout":
        console.write(report.block + "\n")
    elif mode == "diff":
        console.write(render_diff(report, console.style))
    else:
        console.write(render_agents(report, written=mode == "write"))


def _package(call: Call) -> int:
    """Print the folder of the skill file and the manifests of the package."""
    from leafmark.app import package_folder

    _print_path(call, str(package_folder()), "")
    return 0


def _print_path(call: Call, path: str, what: str) -> None:
    """Print a path; as text, with the words `what` before it."""
    from leafmark.render.jsontext import SCHEMA_VERSION
    from leafmark.render.terminal import clean_line

    call.print(
        path,
        lambda path: {"schema_version": SCHEMA_VERSION, "path": path},
        lambda path, _: f"{what}{clean_line(path)}\n",
    )


def _llms(call: Call) -> int:
    """Write `llms.txt` and `llms-full.txt`."""
    from leafmark.app import write_llms
    from leafmark.app.requests import LlmsRequest
    from leafmark.render.reports import llms_record, render_llms

    report = perform(call, write_llms, request_of(call, LlmsRequest, directory=call.values["llms"]))
    call.print(report, llms_record, lambda report, _: render_llms(report))
    return 0


# `index`, `migrate` and `status`: the content of the index.


SKIPPED_SHOWN = 10
"""How many skipped files are printed without -v when paths are named; chosen by eye."""

_EXCLUSIVE = (
    ("remove", "rebuild"),
    ("prune", "remove"),
    *(("watch", option) for option in ("remove", "dry_run", "strict", "ray")),
)

_INDEX_OPTIONS = (
    Option(
        "--rebuild",
        help="Index everything again; the old index answers until the new one is ready.",
    ),
    Option(
        "--remove",
        help="Remove the given paths from the index; the next run adds them again, unless a rule "
        "leaves them out.",
    ),
    Option(
        "--prune",
        help="Forget missing documents even if most of a tree is missing; otherwise they are kept, "
        "as a disk may not be mounted.",
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

    Reads new and changed files, forgets missing ones, and reports the changes. A search does the
    same; use this command to build a large index ahead, to see diagnostics, or to rebuild. Without
    paths all trees are indexed.

    An interrupted run loses nothing: the index stays as it was after the last commit.
    """
    from leafmark.app import index_project
    from leafmark.app.requests import IndexRequest

    if call.on("remove") and not call.words:
        raise UsageError("--remove needs paths", hint="leafmark index --remove PATH...")
    exclude_pairs(call, _EXCLUSIVE)
    if call.on("watch") and call.words:
        raise UsageError("--watch takes no paths", hint="it watches all trees")

    report = perform(call, index_project, request_of(call, IndexRequest, paths=call.words))
    _print_index_report(call, report, line=call.on("watch"))
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

    target, source = (call.values.get(name) for name in ("to", "from"))
    if (target is None) == (source is None):
        raise UsageError(
            "say where the index goes, or where it comes from", hint="add --to URL or --from URL"
        )
    console = call.console

    flags = {**call.settings, "index.url": target or source}
    cluster = open_project(console.directory, flags=flags, environ=console.environ)
    local = cluster._replace(remote=None)
    ends = (local, cluster) if target else (cluster, local)
    with progress_line(call) as progress:
        report = migrate(*ends, progress=progress)
    call.print(report, migration_record, lambda report, _: render_migration(report))
    return 0 if report.is_equal else 1


def _watch(call: Call) -> int:
    """Print events until Ctrl-C."""
    import threading

    from leafmark.app import Watcher, open_project
    from leafmark.render.reports import event_record, render_event

    console = call.console

    def print_event(event: WatchEvent) -> None:
        if console.json:
            console.write_line(event_record(event))
        elif event.error is not None:
            console.error(event.error)
        elif event.kind == "indexed":
            console.write(render_event(event, console.style))
        else:
            console.note(render_event(event, console.err_style))
        console.flush()

    directory = Path(os.path.abspath(console.directory))  # stays valid if the folder is replaced
    watcher = Watcher(
        lambda: open_project(directory, flags=call.settings, environ=console.environ), print_event
    )
    watcher.run(threading.Event())
    return INTERRUPTED


def _print_index_report(call: Call, report: IndexReport, *, line: bool) -> None:
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
        console.note("interrupted: the work so far is kept, and the next run continues\n")


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
    """Show the folder and the content of the index.

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
