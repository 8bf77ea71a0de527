"""`leafmark help`."""

from __future__ import annotations

from leafmark.cli.catalogue import COMMANDS, all_commands, find_command
from leafmark.cli.options import ALIASES, Argument, Call, Command

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Print the help of a command, or the list of commands."""
    from leafmark.cli.help import command_help, overview

    if not call.words:
        call.console.write(overview(all_commands()))
        return 0
    call.console.write(command_help(find_command(call.words[0])))
    return 0


COMMAND = Command(
    name="help",
    summary="show the help of a command",
    description="The same as leafmark COMMAND --help; without a command, the list of commands.",
    examples=(("leafmark help search", "examples and options of search"),),
    run=run,
    argument=Argument("COMMAND", "The command to explain.", 0, 1, choices=(*COMMANDS, *ALIASES)),
)
