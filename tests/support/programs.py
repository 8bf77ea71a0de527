"""The code that a process runs which is to be forked as the command, and that of the fork."""

from __future__ import annotations

__all__ = ["IMPORTS", "PROGRAM"]

IMPORTS = """
import leafmark, leafmark.app, leafmark.cli.entry, leafmark.render
for name in leafmark.cli.command.COMMANDS:
    leafmark.cli.command.find_command(name)
leafmark.chunk("# A word", path="a.md")
"""
PROGRAM = "from leafmark.__main__ import program; program()"
