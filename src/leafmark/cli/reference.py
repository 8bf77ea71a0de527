"""docs/cli.md from the tables of the commands: `python -m leafmark.cli.reference docs/cli.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from leafmark.cli.catalogue import all_commands
from leafmark.cli.help import command_help, overview

__all__ = ["reference"]

_HEAD = """# The command line

This page is generated from the commands' own help:
`python -m leafmark.cli.reference docs/cli.md`.

Data go to standard output, everything else to standard error. `--json` prints
one JSON object, errors too, of the shapes in `leafmark/render/schema.json`;
keys are only ever added to them.

Colour and links are for terminals. `NO_COLOR`, `CLICOLOR=0` and `TERM=dumb`
switch colour off, `CLICOLOR_FORCE=1` switches it on, and `--color` decides over
all of them. `COLUMNS` sets the width. Control characters of documents are
printed as `\\x1b`, on a terminal or not; JSON writes them as `\\u001b`, and only
`show --raw` gives the exact bytes, to a file or a pipe.
"""


def reference() -> str:
    """Return the whole page as Markdown."""
    commands = all_commands()
    parts = [_HEAD, f"```\n{overview(commands)}```\n"]
    parts += [
        f"## leafmark {command.name}\n\n```\n{command_help(command)}```\n" for command in commands
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8", newline="\n")
