"""Which commands there are, in the order in which help lists them, and how to load one."""

from __future__ import annotations

from importlib import import_module

from leafmark.cli.options import ALIASES, Command
from leafmark.errors import UsageError
from leafmark.suggest import nearest

__all__ = ["COMMANDS", "all_commands", "find_command"]

COMMANDS = (
    "search",
    "show",
    "why-not",
    "context",
    "like",
    "verify",
    "chunk",
    "index",
    "ls",
    "status",
    "doctor",
    "eval",
    "config",
    "init",
    "trust",
    "agents",
    "mcp",
    "serve",
    "completion",
    "help",
)

_LIST = ", ".join(COMMANDS)


def find_command(name: str) -> Command:
    """Return the command of this name or alias, importing only its own module.

    Raises:
        UsageError: there is none.
    """
    known = ALIASES.get(name, name)
    if known not in COMMANDS:
        near = nearest(name, [*COMMANDS, *ALIASES])
        hint = f"did you mean `leafmark {near[0]}`?" if near else f"there are: {_LIST}"
        raise UsageError(f"there is no command `{name}`", hint=hint)
    command: Command = import_module(_module(known)).COMMAND
    return command


def all_commands() -> list[Command]:
    return [import_module(_module(name)).COMMAND for name in COMMANDS]


def _module(name: str) -> str:
    return f"leafmark.cli.commands.{name.replace('-', '_')}"
