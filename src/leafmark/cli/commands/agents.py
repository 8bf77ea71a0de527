"""`leafmark agents`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from leafmark.cli.options import (
    JSON,
    NO_REFRESH,
    Argument,
    Call,
    Command,
    Option,
    exclude_each_other,
    positive,
    text,
)
from leafmark.errors import UsageError

if TYPE_CHECKING:
    from leafmark.model import AgentsReport

__all__ = ["COMMAND"]

_MODES = ("write", "diff", "check", "stdout", "package", "llms")


def run(call: Call) -> int:
    """Print, compare or write the block; 1 when `--check` finds one that is not fresh."""
    from leafmark.app import update_agents
    from leafmark.app.requests import AgentsRequest
    from leafmark.cli.projects import perform

    mode = _mode(call)
    if mode in ("package", "llms"):
        return _package(call) if mode == "package" else _llms(call)
    report = perform(
        call,
        update_agents,
        lambda confirmed: AgentsRequest(
            files=call.words,
            write=mode == "write",
            refresh=not call.on("no_refresh"),
            confirmed=confirmed,
        ),
    )
    _print(call, mode, report)
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


def _print(call: Call, mode: str, report: AgentsReport) -> None:
    from leafmark.render.agents import agents_record, render_agents, render_diff

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
    from leafmark.render.jsontext import SCHEMA_VERSION

    path = str(package_folder())
    if call.console.json:
        call.console.write_json({"schema_version": SCHEMA_VERSION, "path": path})
    else:
        call.console.write(path + "\n")
    return 0


def _llms(call: Call) -> int:
    """Write `llms.txt` and `llms-full.txt`."""
    from leafmark.app import write_llms
    from leafmark.app.requests import LlmsRequest
    from leafmark.cli.projects import perform
    from leafmark.render.agents import llms_record, render_llms

    values = call.values
    report = perform(
        call,
        write_llms,
        lambda confirmed: LlmsRequest(
            directory=values["llms"],
            tree=values.get("tree"),
            base_url=values.get("base_url"),
            max_tokens=values.get("max_tokens"),
            refresh=not call.on("no_refresh"),
            confirmed=confirmed,
        ),
    )
    if call.console.json:
        call.console.write_json(llms_record(report))
    else:
        call.console.write(render_llms(report))
    return 0


COMMAND = Command(
    name="agents",
    summary="tell programs that work in this folder how to use leafmark",
    description=(
        "Keeps a marked block in AGENTS.md, CLAUDE.md and GEMINI.md that says how to find, read "
        "and cite the project's documents, and leaves the rest of these files as it is. Without "
        "names, the files are those that exist in the project's folder, else AGENTS.md."
    ),
    examples=(
        ("leafmark agents", "print the block"),
        ("leafmark agents --write", "put it into the agent files, or bring it up to date"),
        ("leafmark agents --check", "exit code 1 if a file's block is not what it should be"),
        ("leafmark agents --diff docs/AGENTS.md", "what writing would change in one file"),
        ("leafmark agents --llms public --base-url https://example.org", "llms.txt for a site"),
    ),
    run=run,
    argument=Argument("FILE", "An agent file; it is made if it does not exist.", 0),
    options=(
        Option(("--stdout",), "Print the block (the default)."),
        Option(("--write",), "Write it into the files."),
        Option(("--diff",), "Show what writing would change."),
        Option(("--check",), "Only say whether the files are up to date, and exit with 1 if not."),
        Option(
            ("--package",),
            "Print the folder of the skill file and the manifests that ship with leafmark.",
        ),
        Option(
            ("--llms",), "Write llms.txt and llms-full.txt of a tree into this folder.", "DIR", text
        ),
        Option(("-t", "--tree"), "With --llms: the tree, if there are several.", "TREE", text),
        Option(("--base-url",), "With --llms: what links begin with.", "URL", text),
        Option(
            ("--max-tokens",), "With --llms: the most that llms-full.txt may hold.", "N", positive
        ),
        NO_REFRESH,
        JSON,
    ),
)
