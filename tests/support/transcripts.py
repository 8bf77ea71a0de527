"""Pages whose examples are run: the output below each `$ leafmark …` is what it prints.

An example is a fenced block. `console` is run as in a pipe, `console terminal`
on a terminal of 80 columns, its escape codes written as `␛`; `console plain` on
the same terminal with NO_COLOR.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["fill", "runner"]

Run = Callable[[str, str], str]

_BLOCK = re.compile(r"^````console ?(\w*)\n(.*?)^````$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\")


def fill(page: str, run: Run) -> str:
    """Return the page with every example's output as `run(how, command)` gives it."""

    def block(match: re.Match[str]) -> str:
        how, text = match[1], match[2]
        commands = [line for line in text.split("\n") if line.startswith("$ ")]
        parts = [f"{command}\n{run(how, command[2:])}" for command in commands]
        return f"````console{' ' + how if how else ''}\n" + "\n".join(parts) + "````"

    return _BLOCK.sub(block, page)


def runner(folder: Path, environ: Mapping[str, str]) -> Run:
    """Return what runs a command line in `folder`, as a shell does, and gives what it prints."""
    program = folder.parent / "bin" / "leafmark"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m leafmark "$@"\n')
    program.chmod(0o755)
    env = {**environ, "PATH": f"{program.parent}:{environ['PATH']}", "COLUMNS": "80"}

    def run(how: str, command: str) -> str:
        if not how:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
                check=False,
            )
            return done.stdout.decode()
        printed = _on_terminal(command, folder, env | ({"NO_COLOR": "1"} if how == "plain" else {}))
        return _CODE.sub("", printed).replace("\x1b", "␛")

    return run


def _on_terminal(command: str, folder: Path, env: Mapping[str, str]) -> str:
    """Run a command with a terminal for all its streams; links are left out, paths differ."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    printed = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        printed += data
    os.close(ours)
    child.wait(60)
    return printed.decode().replace("\r\n", "\n")
