"""Help texts from the tables of the commands: what is shown on the terminal and in docs/cli.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from leafmark.cli.options import COMMON, Command, Option

__all__ = ["command_help", "overview", "usage"]

_COLUMN = 26
_WIDTH = 88

_EXAMPLES = (
    ('leafmark search "restore a backup"', "search the current folder"),
    ("leafmark show guides/backups.md#restoring-a-backup", "read what was found, by its id"),
    ("leafmark ls docs", "see what is indexed"),
)

_SETTINGS = "Settings of [{0}], for this run only (`leafmark config {0}` prints them):"

_FOOT = """Run `leafmark help COMMAND` for examples and options of one command.

Exit codes: 0 found or done, 1 nothing found or a failed check, 2 an error, 130 interrupted.
"""


def overview(commands: Iterable[Command]) -> str:
    """Return the text of `leafmark --help`."""
    rows = [(command.name, command.summary) for command in commands]
    return "\n".join(
        [
            "leafmark: find, read and cite the one part of many documents that matters",
            "",
            "Usage: leafmark [-C DIR] COMMAND [OPTION...] [ARGUMENT...]",
            "",
            *_examples(_EXAMPLES),
            "",
            "Commands:",
            *_columns(rows),
            "",
            "Options of every command:",
            *_columns(_option_row(option) for option in COMMON),
            "",
            "Instead of a command:",
            *_columns([("-V, --version", "Print the version.")]),
            "",
            _FOOT,
        ]
    )


def command_help(command: Command, *, common: bool = True) -> str:
    """Return the text of `leafmark COMMAND --help`: examples first.

    Without `common`, the options of every command are left out.
    """
    parts = [f"leafmark {command.name}: {command.summary}", "", *_examples(command.examples)]
    parts += ["", f"Usage: {usage(command)}"]
    if command.aliases:
        parts.append(f"Also called: {', '.join(command.aliases)}")
    for paragraph in command.description.split("\n\n"):
        parts += ["", textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False)]
    if command.argument:
        parts += ["", "Arguments:", *_columns([(command.argument.name, command.argument.help)])]
    groups = _option_groups(command)
    if common:
        groups["Options of every command:"] = COMMON
    for title, options in groups.items():
        parts += ["", title, *_columns(_option_row(option) for option in options)]
    return "\n".join(parts) + "\n"


def _option_groups(command: Command) -> dict[str, Sequence[Option]]:
    """Return a command's own options by the line above them: those for settings come last."""
    groups: dict[str, list[Option]] = {}
    for option in sorted(command.options, key=lambda option: option.setting is not None):
        table = option.setting.partition(".")[0] if option.setting else ""
        title = _SETTINGS.format(table) if table else "Options:"
        groups.setdefault(title, []).append(option)
    return dict(groups)


def usage(command: Command) -> str:
    """Return the usage line.

    A name in brackets may be left out; an ellipsis says that there may be more.
    """
    words = ["leafmark", command.name, "[OPTION...]"]
    if command.argument:
        name = command.argument.name
        more = "..." if command.argument.most is None else ""
        words.append(f"{name}{more}" if command.argument.least else f"[{name}{more}]")
    return " ".join(words)


def _examples(examples: Iterable[tuple[str, str]]) -> list[str]:
    lines = ["Examples:"]
    for line, purpose in examples:
        lines += [f"  {line}", f"      {purpose}"]
    return lines


def _option_row(option: Option) -> tuple[str, str]:
    names = ", ".join(option.names)
    metavar = f" {option.metavar}" if option.metavar else ""
    notes = [option.help]
    if option.choices:
        notes.append(f"One of: {', '.join(option.choices)}.")
    if option.repeat:
        notes.append("May be repeated.")
    return names + metavar, " ".join(notes)


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Two columns, the right one wrapped; a long left side has a line of its own."""
    lines = []
    for left, right in rows:
        wrapped = textwrap.wrap(right, _WIDTH - _COLUMN, break_on_hyphens=False) or [""]
        if len(left) > _COLUMN - 4:
            lines.append(f"  {left}")
        else:
            lines.append(f"  {left:<{_COLUMN - 2}}{wrapped.pop(0)}")
        lines += [" " * _COLUMN + line for line in wrapped]
    return lines
