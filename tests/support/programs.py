"""The code that a process runs which is to be forked as the command, and that of the fork."""

from __future__ import annotations

IMPORTS = """
import importlib, pkgutil
import leafmark
for module in pkgutil.walk_packages(leafmark.__path__, "leafmark."):
    if not module.name.startswith(("leafmark.__main__", "leafmark.adapters")):
        importlib.import_module(module.name)
for name in leafmark.cli.command.COMMANDS:
    leafmark.cli.command.find_command(name)
leafmark.chunking.token_counter("o200k_base")("a")  # its table takes longer than all imports
"""
PROGRAM = "from leafmark.__main__ import program; program()"
