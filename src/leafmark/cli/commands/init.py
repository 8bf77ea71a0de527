"""`leafmark init`."""

from __future__ import annotations

from leafmark.cli.options import JSON, Call, Command, Option

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Write a configuration file."""
    from leafmark.app import write_config
    from leafmark.app.requests import InitRequest
    from leafmark.render.jsontext import SCHEMA_VERSION
    from leafmark.render.terminal import clean_line

    console = call.console
    request = InitRequest(everywhere=call.on("global"), force=call.on("force"))
    path = str(write_config(console.directory, request, environ=console.environ))
    if console.json:
        console.write_json({"schema_version": SCHEMA_VERSION, "path": path})
    else:
        console.write(f"wrote {clean_line(path)}\n")
    return 0


COMMAND = Command(
    name="init",
    summary="write a configuration file to start from",
    description=(
        "leafmark works without one. A configuration names the trees of a project and changes "
        "settings. An existing file is left alone, unless --force is given."
    ),
    examples=(
        ("leafmark init", "leafmark.toml in the current folder"),
        ("leafmark init --global", "the file for all your projects"),
    ),
    run=run,
    options=(
        Option(("--global",), "Write the user's file, not the folder's."),
        Option(("--force",), "Replace an existing file."),
        JSON,
    ),
)
