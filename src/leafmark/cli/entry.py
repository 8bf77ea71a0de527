"""From the arguments of the process to an exit code.

0 found or done, 1 nothing found or a failed check, 2 an error, 130 interrupted.
Errors raised on purpose are printed, and what the system refused; a closed pipe is quiet;
a bug is a traceback, and an error too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

from leafmark.cli.arguments import parse_arguments, split_command, wants_json
from leafmark.cli.catalogue import all_commands, find_command
from leafmark.cli.console import Console, open_console
from leafmark.cli.options import INTERRUPTED, Call, Command
from leafmark.errors import LeafmarkError, UsageError, refusal_of

__all__ = ["run"]


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command and return its exit code; nothing is printed after a pipe was closed."""
    console = open_console({}, environ, json=wants_json(argv))
    told = ""
    try:
        try:
            code = _run(argv, environ, console)
            console.flush()
        except Exception as error:
            known = error if isinstance(error, LeafmarkError) else refusal_of(error)
            if known is None or isinstance(error, BrokenPipeError):
                raise
            console.error(known)
            told = "" if console.json else known.message
            console.flush()
            code = known.exit_code
    except BrokenPipeError:
        _abandon_output()
        code = 0
    except LeafmarkError as error:
        # Standard output takes nothing any more: the error can only go elsewhere.
        _abandon_output()
        if error.message != told:
            console.complain(error)
        code = error.exit_code
    except KeyboardInterrupt:
        console.note("\ninterrupted\n" if console.err_style.is_terminal else "interrupted\n")
        code = INTERRUPTED
    return code


def _run(argv: Sequence[str], environ: Mapping[str, str], console: Console) -> int:
    name, arguments = split_command(argv)
    if name is None:
        return _without_command(arguments, console)
    command = find_command(name)
    words, values = parse_arguments(command, arguments)
    if values.get("help"):
        from leafmark.cli.help import command_help

        console.write(command_help(command))
        return 0
    json = bool(values.get("json")) or values.get("output") in ("json", "jsonl")
    console = open_console(values, environ, json=json)
    with redirect_stdout(console.err):  # for what is no data: libraries print, too
        return command.run(Call(words, values, console, _settings(command, values)))


def _without_command(arguments: Sequence[str], console: Console) -> int:
    from leafmark.cli.help import overview

    if any(argument in ("-h", "--help") for argument in arguments):
        console.write(overview(all_commands()))
        return 0
    raise UsageError(
        "no command was given",
        hint='leafmark search "what you look for" searches the current folder; '
        "leafmark --help lists the commands",
    )


def _settings(command: Command, values: Mapping[str, Any]) -> dict[str, object]:
    """Return the settings that options give: their own, and those of `--set NAME=VALUE`.

    A name without a table is one of a search.
    """
    found: dict[str, object] = {
        option.setting: values[option.dest]
        for option in command.all_options
        if option.setting and option.dest in values
    }
    for given in values.get("set", ()):
        name, sign, value = given.partition("=")
        if not sign or not name:
            raise UsageError(f"--set {given} has no value", hint="write --set NAME=VALUE")
        found[name if "." in name else f"search.{name}"] = value
    return found


def _abandon_output() -> None:
    """Point standard output at nothing, so that the interpreter's last flush says nothing."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None
    os.close(nothing)
