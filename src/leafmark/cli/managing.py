"""`config`, `init`, `doctor`, `trust` and `agents`: the set-up of a project."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from leafmark.cli.command import JSON, Argument, Option, at_least, command
from leafmark.cli.console import Call, exclude_each_other, perform, project_of, request_of
from leafmark.cli.reading import no_refresh
from leafmark.errors import ConfirmationError, NotFoundError, UsageError
from leafmark.suggest import MAX_SUGGESTED, nearest

if TYPE_CHECKING:
    from leafmark.model import AgentsReport, TrustedFile, TrustReport


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
        wanted = call.words[0]
        names = [setting.name for setting in settings]
        settings = tuple(
            one for one in settings if one.name == wanted or one.name.startswith(f"{wanted}.")
        )
        if not settings:
            tables = [] if "." in wanted else [name.partition(".")[0] for name in names]
            near = nearest(wanted, [*tables, *names], MAX_SUGGESTED)
            raise NotFoundError(
                f"there is no setting `{wanted}`",
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
    """Say what is wrong, and what to do about it.

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
        ("leafmark trust", "show what the folder's configuration asks for, and allow it"),
        ("leafmark trust --list", "what it asks for and what was allowed, here and elsewhere"),
        ("leafmark trust --revoke", "take it back for this folder"),
    ),
    options=(
        Option("--list", help="Only show what is asked for and what was allowed."),
        Option("--revoke", help="Take back what was allowed for this folder's configuration."),
        JSON,
    ),
)
def _trust(call: Call) -> int:
    """Allow what a folder's configuration asks for beyond the folder.

    A configuration that came with a folder may not reach outside of it, name services or take
    in files that may hold secrets: such parts are left out, with a warning, and the rest of it
    works. This command shows them and asks whether to allow them; with --yes it does not ask.
    Only what was shown is allowed: any change to it must be allowed again.
    """
    from leafmark.app import list_trust, revoke

    console = call.console
    where, environ = console.directory, console.environ
    exclude_each_other(call, [("list", "revoke")])
    if call.on("revoke"):
        done = revoke(where, environ=environ)
        return _tell_trust(call, list_trust(where, environ=environ), done)
    report = list_trust(where, environ=environ)
    pending = [file for file in report.files if file.state in ("pending", "changed")]
    if call.on("list") or not pending:
        return _tell_trust(call, report, ())
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
    return _tell_trust(call, list_trust(where, environ=environ), [file.path for file in pending])


def _tell_trust(call: Call, report: TrustReport, changed: Sequence[str]) -> int:
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
        Option(
            "--max-tokens",
            help="With --llms: the most that llms-full.txt may hold.",
            metavar="N",
            type=at_least(1),
        ),
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
    wanted = [mode for mode in _MODES if call.on(mode)]
    for name in ("tree", "base-url", "max-tokens"):
        if wanted != ["llms"] and call.values.get(name.replace("-", "_")) is not None:
            raise UsageError(f"--{name} belongs to --llms")
    exclude_each_other(call, combinations(_MODES, 2))
    mode = wanted[0] if wanted else "stdout"
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
    """Print where the skill file and the manifests of the package lie."""
    from leafmark.app import package_folder

    _print_path(call, str(package_folder()), "")
    return 0


def _print_path(call: Call, path: str, what: str) -> None:
    """Print a path, as text behind what is to be said of it."""
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
