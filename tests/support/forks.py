"""Processes forked of one that has imported what they need.

A test that starts many processes waits for their imports more than for what they do.
Each has its own environment, folder, arguments and streams, and shares with the others
what the imports made, and the seed of hashes: what is about either starts a Python anew.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from support.command import Ran

CAN_FORK = hasattr(os, "fork")

TIMEOUT_S = 100.0

# A fork leaves the loop and ends as a program does; the first process never runs what is asked.
_FIRST = """
import gc, json, os, socket, sys
exec(sys.argv[2])
gc.collect()
gc.freeze()
calls = socket.socket(fileno=int(sys.argv[1]))
while True:
    line, streams, _, _ = socket.recv_fds(calls, 65536, 3)
    if not line:
        os._exit(0)
    while not line.endswith(b"\\n"):
        line += calls.recv(65536)
    child = os.fork()
    if not child:
        break
    for stream in streams:
        os.close(stream)
    calls.sendall(f"{child}\\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    calls.sendall(f"{code}\\n".encode())
calls.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
asked = json.loads(line)
os.environ.clear()
os.environ.update(asked["environ"])
os.chdir(asked["cwd"])
sys.argv[:] = ["-c", *asked["arguments"]]
exec(compile(asked["code"], "<forked>", "exec"), {"__name__": "__main__"})
"""


class Forks:
    """One process, and those forked of it, one at a time. Made by `open_forks`."""

    def __init__(self, calls: socket.socket):
        self._calls = calls
        self._told = calls.makefile("r")

    def start(
        self,
        code: str,
        arguments: Sequence[str],
        streams: Sequence[int],
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> int:
        """Run `code` in a fork, with `streams` for its standard ones; return its process id."""
        asked = {
            "code": code,
            "arguments": [*arguments],
            "cwd": str(cwd or Path.cwd()),
            "environ": dict(os.environ if environ is None else environ),
        }
        line = json.dumps(asked).encode() + b"\n"
        sent = socket.send_fds(self._calls, [line], [*streams])
        self._calls.sendall(line[sent:])
        return int(self._told.readline())

    def close(self) -> None:
        """Make no forks any more: the first process ends."""
        self._told.close()
        self._calls.close()

    def wait(self) -> int:
        """Wait for the end of the fork; return its exit code, of a signal as a negative number."""
        return int(self._told.readline())

    def run(
        self, code: str, arguments: Sequence[str], *, stdin: str | None = None, **options: Any
    ) -> Ran:
        """Run `code` in a fork to its end, and take what it prints."""
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        read_err, write_err = os.pipe()
        given = (read_in, write_out, write_err)
        try:
            child = self.start(code, arguments, given, **options)
        finally:
            for stream in given:
                os.close(stream)
        patience = threading.Timer(TIMEOUT_S, os.kill, (child, 9))
        patience.start()
        printed: dict[int, str] = {}
        helpers = [
            threading.Thread(target=_write, args=(write_in, stdin or "")),
            threading.Thread(target=lambda: printed.update({2: _read(read_err)})),
        ]
        for helper in helpers:
            helper.start()
        out = _read(read_out)
        for helper in helpers:
            helper.join()
        ended = self.wait()
        patience.cancel()
        patience.join()
        return Ran(ended, out, printed[2])


def _write(stream: int, text: str) -> None:
    try:
        with open(stream, "w", encoding="utf-8") as file:
            file.write(text)
    except BrokenPipeError:  # it did not read all
        pass


def _read(stream: int) -> str:
    file: IO[str]
    with open(stream, encoding="utf-8") as file:
        return file.read()


@contextmanager
def open_forks(imports: str, environ: Mapping[str, str] | None = None) -> Iterator[Forks]:
    """Start a process that runs `imports` and can then be forked."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            # Python's own streams know what they were opened on: pipes, as those of the forks
            first = subprocess.Popen(
                [sys.executable, "-c", _FIRST, str(theirs.fileno()), imports],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if environ is None else dict(environ),
                pass_fds=[theirs.fileno()],
            )
        forks = Forks(ours)
        try:
            yield forks
        finally:
            forks.close()
            _, complaints = first.communicate(timeout=TIMEOUT_S)
            assert not complaints, complaints.decode()
