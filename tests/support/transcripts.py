"""Pages whose examples are run: the output below each `$ …` is what it prints.

An example is a block fenced by three or four backticks. `console` is run as in
a pipe, `console terminal` on a terminal of 80 columns, its escape codes written
as `␛`; `console plain` on the same terminal with NO_COLOR.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

Run = Callable[[str, str], str]

PROGRAM = f"{shlex.quote(sys.executable)} -m leafmark"

_BLOCK = re.compile(r"^(`{3,4})console ?(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_DURATION = re.compile(r"\d+\.\d ms")
_SCORE = re.compile(r"\b\d+\.\d{2,4}\b")
_PROGRESS = re.compile(r"(?:\r\x1b\[K[^\r\n\x1b]+)+\r\x1b\[K")
"""A line of progress until it is taken away: a slow machine has one."""

_CODE = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\")


def fill(page: str, run: Run) -> str:
    """Return the page with every example's output as `run(how, command)` gives it."""

    def block(match: re.Match[str]) -> str:
        fence, how, text = match.groups()
        commands = [line for line in text.split("\n") if line.startswith("$ ")]
        parts = [f"{command}\n{run(how, command[2:])}" for command in commands]
        printed = _DURATION.sub("… ms", "\n".join(parts))
        return f"{fence}console{' ' + how if how else ''}\n{printed}{fence}"

    return _BLOCK.sub(block, page)


def without_scores(page: str) -> str:
    """Return the page with `0.00` for every score: ranking is measured elsewhere."""
    return _SCORE.sub("0.00", page)


def runner(folder: Path, environ: Mapping[str, str], *, words: str = PROGRAM) -> Run:
    """Return what runs a command line in `folder`, as a shell does, and gives what it prints.

    `words` are those that start `leafmark` in a shell.
    """
    program = folder.parent / "bin" / "leafmark"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
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
    return _PROGRESS.sub("", printed.decode()).replace("\r\n", "\n")
