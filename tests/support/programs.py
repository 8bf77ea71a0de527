"""The code that a process runs which is to be forked as the command, and that of the fork."""

from __future__ import annotations

__all__ = ["IMPORTS", "PROGRAM"]

IMPORTS = """
import importlib, pkgutil
import leafmark, leafmark.app, leafmark.cli.commands, leafmark.cli.entry, leafmark.render
for module in pkgutil.iter_modules(leafmark.cli.commands.__path__):
    importlib.import_module(f"leafmark.cli.commands.{module.name}")
leafmark.chunk("# A word", path="a.md")
"""
PROGRAM = "from leafmark.__main__ import program; program()"
