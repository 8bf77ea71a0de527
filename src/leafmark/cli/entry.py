"""From the arguments of the process to an exit code.

0 found or done, 1 nothing found or a failed check, 2 an error, 130 interrupted.
Errors raised on purpose and refusals of the system are printed; a closed pipe is silent;
a bug prints a traceback, and counts as an error too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

import click

from leafmark.cli.command import (
    ALIASES,
    COMMANDS,
    COMMON,
    JSON,
    Command,
    find_command,
    given_values,
)
from leafmark.cli.console import INTERRUPTED, Call, open_console
from leafmark.errors import LeafmarkError, UsageError, refusal_of


class Program(click.Group):
    """The command `leafmark`: the common options, and a command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *ALIASES]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        try:
            return find_command(name)
        except UsageError:
            if ctx.resilient_parsing:
                return None
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*COMMON, JSON]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return click.Command.parse_args(self, ctx, args)  # the rest is the command
        except click.NoSuchOption as error:
            raise UsageError(
                f"there is no option `{error.option_name}` before a command",
                hint="options stand after the command: leafmark COMMAND [OPTION...]; "
                "`leafmark help` lists the commands",
            ) from None
        except click.BadOptionUsage as error:
            known = {name: option.metavar for option in COMMON for name in option.spellings}
            hint = f"write {error.option_name} {known[error.option_name]}"
            raise UsageError(f"{error.option_name} needs a value", hint=hint) from None

    def invoke(self, ctx: click.Context) -> int:
        """Run the command that the line names, and return its exit code."""
        if ctx.args:
            name, *rest = ctx.args
            command = find_command(name)
            with command.make_context(command.name, rest, parent=ctx) as inner:
                return self._run(inner, command)
        if not ctx.params.get("help"):
            raise UsageError(
                "no command was given",
                hint='leafmark search "what you look for" searches the current folder; '
                "leafmark --help lists the commands",
            )
        from leafmark.cli.help import overview

        open_console(given_values(ctx), ctx.obj, json=False).write(overview())
        return 0

    def _run(self, ctx: click.Context, command: Command) -> int:
        """Run a command, or print its help, and return the exit code."""
        values = given_values(ctx.find_root()) | given_values(ctx)
        json = bool(values.get("json")) or values.get("output") in ("json", "jsonl")
        console = open_console(values, ctx.obj, json=json)
        if values.get("help"):
            from leafmark.cli.help import command_help

            console.write(command_help(command))
            return 0
        words = ctx.params.get("words", ())
        with redirect_stdout(console.err):  # libraries print, too, and that is not data
            return command.run(Call(words, values, console, _settings(command, values)))


def _settings(command: Command, values: Mapping[str, Any]) -> dict[str, object]:
    """Return the settings from the options: their own, and those of `--set NAME=VALUE`.

    A name without a table belongs to the table of the command's own options, else to `search`.
    """
    settings: dict[str, object] = {
        option.setting: values[str(option.name)]
        for option in command.options
        if option.setting and option.name in values
    }
    own_settings = (option.setting for option in command.options if option.setting)
    table = next(own_settings, "search").partition(".")[0]
    for assignment in values.get("set", ()):
        name, sign, value = assignment.partition("=")
        if not sign or not name:
            raise UsageError(f"--set {assignment} has no value", hint="write --set NAME=VALUE")
        settings[name if "." in name else f"{table}.{name}"] = value
    return settings


COMPLETE = "_LEAFMARK_COMPLETE"
"""The variable by which a shell asks for completions."""

PROGRAM = Program("leafmark", invoke_without_command=True, add_help_option=False)


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command and return its exit code; nothing is printed after a pipe has closed."""
    if environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(PROGRAM, {"obj": environ}, "leafmark", COMPLETE, environ[COMPLETE])
    console = open_console(_early_values(argv), environ, json=_wants_json(argv))
    message = ""
    try:
        try:
            with PROGRAM.make_context("leafmark", list(argv), obj=environ) as context:
                code = PROGRAM.invoke(context)
            console.flush()
        except Exception as error:
            known = error if isinstance(error, LeafmarkError) else refusal_of(error)
            if known is None or isinstance(error, BrokenPipeError):
                raise
            console.error(known)
            message = "" if console.json else known.message
            console.flush()
            code = known.exit_code
    except BrokenPipeError:
        _discard_output()
        code = 0
    except LeafmarkError as error:
        # Standard output cannot be written any more: the error goes to standard error.
        _discard_output()
        if error.message != message:
            console.write_error(error)
        code = error.exit_code
    except KeyboardInterrupt:
        console.note("\ninterrupted\n" if console.err_style.is_terminal else "interrupted\n")
        code = INTERRUPTED
    return code


def _early_values(argv: Sequence[str]) -> Mapping[str, object]:
    """Return the values that printing errors needs, whatever is wrong with the arguments."""
    color = _last_value(argv, ("--color",))
    return {"color": color} if color in ("always", "never") else {}


def _wants_json(argv: Sequence[str]) -> bool:
    """Whether the arguments ask for JSON, whatever is wrong with the others."""
    options = _options(argv)
    formats = ("json", "jsonl")
    return (
        "--json" in options
        or "--jsonl" in options
        or _last_value(argv, ("-o", "--output")) in formats
    )


def _options(argv: Sequence[str]) -> Sequence[str]:
    return argv[: argv.index("--")] if "--" in argv else argv


def _last_value(argv: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the last value of any of these options, None without one."""
    last = None
    options = _options(argv)
    for at, argument in enumerate(options):
        name, equals, value = argument.partition("=")
        if name in names:
            following = options[at + 1] if at + 1 < len(options) else None
            last = value if equals else following
    return last


def _discard_output() -> None:
    """Redirect standard output to the null device, so that the last flush cannot fail."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None
    os.close(nothing)
