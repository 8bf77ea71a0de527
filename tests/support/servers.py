"""The servers, started as a user starts them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["PATIENCE_S", "Spoken", "serving", "serving_process", "speaking"]

PATIENCE_S = 60.0


@contextmanager
def serving(
    folder: Path, environment: dict[str, str], command: str, *options: str, told: str
) -> Iterator[str]:
    """Run a command that serves on a free port; give the address in its line, a pattern `told`."""
    with serving_process(folder, environment, command, *options, told=told) as (address, _):
        yield address


@contextmanager
def serving_process(
    folder: Path, environment: dict[str, str], command: str, *options: str, told: str
) -> Iterator[tuple[str, int]]:
    """Do as `serving`; give the number of the process, too."""
    with subprocess.Popen(
        [sys.executable, "-m", "leafmark", command, "--port", "0", *options],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(told, line)
        assert found, line + process.stderr.read()
        try:
            yield found[1], process.pid
        finally:
            process.send_signal(signal.SIGINT)
            _, noise = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, noise) == (130, "interrupted\n")


class Spoken:
    """A server of MCP to which lines are written, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0
        client = {"name": "test", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._write({"method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        return self._process.pid

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **values: Any) -> dict[str, Any]:
        """Return the result of a call."""
        self._asked += 1
        self._write({"id": self._asked, "method": method, "params": values})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._asked:
                return dict(message["result"])
        raise EOFError


@contextmanager
def speaking(folder: Path, environment: dict[str, str]) -> Iterator[Spoken]:
    """Run `leafmark mcp` on standard input and output until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "leafmark", "mcp"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield Spoken(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
