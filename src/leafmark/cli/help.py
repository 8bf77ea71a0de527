"""Help texts from the declarations of the commands, for the terminal and for docs/cli.md.

`python -m leafmark.cli.help docs/cli.md` writes the page.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from leafmark.cli.command import ALIASES, COMMANDS, COMMON, Argument, Command, Option, find_command
from leafmark.cli.command import command as declare
from leafmark.cli.console import Call

_COLUMN = 26
_WIDTH = 80

_EXAMPLES = (
    ('leafmark search "restore a backup"', "search the current folder"),
    ("leafmark show guides/backups.md#restoring-a-backup", "read a result, by its id"),
    ("leafmark ls docs", "list the documents of the index"),
)

_OPTIONS = "Options:"
_EVERY = "Options of every command:"
_SELDOM = "Seldom needed:"
_SETTINGS = "Settings of [{0}] for this run (`leafmark config {0}` prints them):"

_FOOT = """Run `leafmark help COMMAND` for examples and options of one command.

Exit codes: 0 found or done, 1 nothing found or a failed check, 2 an error,
130 interrupted.
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
            _EVERY,
            *_columns(_option_row(option) for option in COMMON),
            "",
            "Instead of a command:",
            *_columns([("-V, --version", "Print the version.")]),
            "",
            _FOOT,
        ]
    )


def command_help(command: Command, *, for_page: bool = False) -> str:
    """Return the text of `leafmark COMMAND --help`: examples first.

    The text for the page explains the seldom needed options, and leaves out the common ones.
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
    for title, options in _option_groups(command, for_page=for_page).items():
        parts += ["", title, *_columns(_option_row(option) for option in options)]
    seldom = [_names_of(option) for option in command.options if option.seldom]
    if not for_page:
        if seldom:
            parts += _columns([("Also:", ", ".join(seldom) + ".")])
        parts += ["", _EVERY, *_columns(_option_row(option) for option in COMMON)]
    return "\n".join(parts) + "\n"


def _option_groups(command: Command, *, for_page: bool) -> dict[str, list[Option]]:
    """Return the options by the title above them."""
    groups: dict[str, list[Option]] = {}
    for option in command.options:
        table = option.setting.partition(".")[0] if option.setting else ""
        title = _SELDOM if option.seldom else _SETTINGS.format(table) if table else _OPTIONS
        groups.setdefault(title, []).append(option)
    of_settings = sorted(title for title in groups if title not in (_OPTIONS, _SELDOM))
    ordered = [_OPTIONS, *([_SELDOM] if for_page else []), *of_settings]
    return {title: groups[title] for title in ordered if title in groups}


def usage(command: Command) -> str:
    """Return the usage line.

    A name in brackets is optional; an ellipsis means that there may be more words.
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
    notes = [str(option.help)]
    if option.choices:
        notes.append(f"One of: {', '.join(option.choices)}.")
    if option.multiple:
        notes.append("May be repeated.")
    return _names_of(option), " ".join(notes)


def _names_of(option: Option) -> str:
    return ", ".join(option.spellings) + (f" {option.metavar}" if option.metavar else "")


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines of two columns, the right one wrapped; a long left cell has its own line."""
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
    linked = [
        f"- [{command.name}](#leafmark-{command.name}): {command.summary}" for command in commands
    ]
    parts = [_PAGE, "\n".join(linked) + "\n", f"## leafmark\n\n```\n{overview()}```\n"]
    for command in commands:
        text = command_help(command, for_page=True)
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
