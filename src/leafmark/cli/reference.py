"""docs/cli.md from the tables of the commands: `python -m leafmark.cli.reference docs/cli.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from leafmark.cli.catalogue import all_commands
from leafmark.cli.help import command_help, overview

__all__ = ["reference"]

_HEAD = """# The command line

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

(This page is generated: `python -m leafmark.cli.reference docs/cli.md`.)
"""


def reference() -> str:
    """Return the whole page as Markdown."""
    commands = all_commands()
    linked = [
        f"- [{command.name}](#leafmark-{command.name}): {command.summary}" for command in commands
    ]
    parts = [_HEAD, "\n".join(linked) + "\n", f"## leafmark\n\n```\n{overview(commands)}```\n"]
    for command in commands:
        text = command_help(command, common=False)
        parts.append(f"## leafmark {command.name}\n\n```\n{text}```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8", newline="\n")
