"""Help texts from what the commands declare: on the terminal, and in docs/cli.md.

`python -m leafmark.cli.help docs/cli.md` writes the page.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from leafmark.cli.command import (
    ALIASES,
    COMMANDS,
    COMMON,
    Argument,
    Command,
    Option,
    find_command,
)
from leafmark.cli.command import command as declare
from leafmark.cli.console import Call

__all__ = ["command_help", "overview", "reference", "usage"]

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


def overview() -> str:
    """Return the text of `leafmark --help`."""
    rows = [(name, find_command(name).summary) for name in COMMANDS]
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
    aliases = [alias for alias, name in ALIASES.items() if name == command.name]
    if aliases:
        parts.append(f"Also called: {', '.join(aliases)}")
    for paragraph in str(command.help).split("\n\n"):
        parts += ["", textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False)]
    if command.argument:
        parts += ["", "Arguments:", *_columns([(command.argument.shown, command.argument.about)])]
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
    words = ["leafmark", str(command.name), "[OPTION...]"]
    if command.argument:
        name = command.argument.shown
        more = "..." if command.argument.most is None else ""
        words.append(f"{name}{more}" if command.argument.least else f"[{name}{more}]")
    return " ".join(words)


def _examples(examples: Iterable[tuple[str, str]]) -> list[str]:
    lines = ["Examples:"]
    for line, purpose in examples:
        lines += [f"  {line}", f"      {purpose}"]
    return lines


def _option_row(option: Option) -> tuple[str, str]:
    names = ", ".join(option.spellings)
    metavar = f" {option.metavar}" if option.metavar else ""
    notes = [str(option.help)]
    if option.choices:
        notes.append(f"One of: {', '.join(option.choices)}.")
    if option.multiple:
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


_PAGE = """# The command line

Every command with its options, as `leafmark COMMAND --help` prints them, but for the
options of every command, which stand once, under [`leafmark`](#leafmark).

Data go to standard output, everything else to standard error. `--json` prints
one JSON object, errors too, of the shapes in `leafmark/render/schema.json`;
keys are only ever added to them. `index --watch` prints one a line, whenever
something happened, and `eval make` a query a line, as `eval` reads them.

Colour and links are for terminals, and there `COLUMNS` sets the width. `NO_COLOR`,
`CLICOLOR=0` and `TERM=dumb` switch colour off, `CLICOLOR_FORCE=1` switches it on, and
`--color` decides over all of them. Control characters of documents are printed as
`\\x1b`, on a terminal or not; JSON writes them as `\\u001b`, and only `show --raw`
gives the exact bytes, to a file or a pipe.

(This page is generated: `python -m leafmark.cli.help docs/cli.md`.)
"""


def reference() -> str:
    """Return the whole of docs/cli.md."""
    commands = [find_command(name) for name in COMMANDS]
    linked = [f"- [{one.name}](#leafmark-{one.name}): {one.summary}" for one in commands]
    parts = [_PAGE, "\n".join(linked) + "\n", f"## leafmark\n\n```\n{overview()}```\n"]
    for command in commands:
        text = command_help(command, common=False)
        parts.append(f"## leafmark {command.name}\n\n```\n{text}```\n")
    return "\n".join(parts)


@declare(
    "help",
    examples=(("leafmark help search", "examples and options of search"),),
    argument=Argument("COMMAND", "The command to explain.", most=1, choices=(*COMMANDS, *ALIASES)),
)
def _help(call: Call) -> int:
    """Show the help of a command.

    The same as leafmark COMMAND --help; without a command, their list.
    """
    call.console.write(command_help(find_command(call.words[0])) if call.words else overview())
    return 0


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8", newline="\n")
