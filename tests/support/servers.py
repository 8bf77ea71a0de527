"""The servers, started as a user starts them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0
MCP_COMMAND = [sys.executable, "-m", "leafmark", "mcp"]


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


class Raw:
    """A server of MCP as lines in and lines out."""

    def __init__(self, folder: Path, environment: dict[str, str]):
        self.process = subprocess.Popen(
            MCP_COMMAND,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        timer = threading.Timer(PATIENCE_S, self.process.kill)
        timer.start()
        try:
            return self.process.stdout.readline()
        finally:
            timer.cancel()

    def ask(self, method: str, params: Any, number: int = 7) -> str:
        """Send a request and return the line of its answer."""
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            line = self.line()
            assert line, "the server is gone"
            if json.loads(line).get("id") == number:
                return line

    def greet(self, name: str = "test") -> None:
        about = {"name": name, "version": "1"}
        self.ask(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def kill(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.communicate(timeout=PATIENCE_S)

    def end(self) -> tuple[int, str]:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        _, noise = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, noise


@contextmanager
def speaking(folder: Path, environment: dict[str, str]) -> Iterator[Raw]:
    """Run `leafmark mcp`, greeted; it ends with its input, and makes no noise."""
    server = Raw(folder, environment)
    server.greet()
    yield server
    if server.process.poll() is None:
        assert server.end() == (0, "")
