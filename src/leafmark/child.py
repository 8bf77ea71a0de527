"""A child process of Python that works for this one, and the frames of their messages.

The child imports only leafmark, never the program that uses leafmark. Requests go to its standard
input. On its standard output it sends a greeting when it is ready, then answers. Each message is a
pickle after its length. The child ends when its input ends, so it never outlives us; it does not
get the keys pressed in our terminal.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from typing import IO, Any

_START = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from {module} import {name}; {name}()"
)
_GREETING = b"leafmark"
_LENGTH = struct.Struct("<Q")

_NEW_PROCESS_GROUP = 0x0000_0200
_NO_WINDOW = 0x0800_0000


def can_start() -> bool:
    """Whether there is a Python to start: not in a frozen program, or one that embeds Python."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def start_child(main: Callable[[], None], *, stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a Python that calls `main`, a function of a module, with our module search path.

    Raises:
        OSError: the process cannot be started.
    """
    process = subprocess.Popen(
        # -P: the current folder, which may be the user's documents, is not on the search path
        [sys.executable, "-P", "-c", _START.format(module=main.__module__, name=main.__name__)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        **_own_group(os.name),
    )
    assert process.stdin is not None
    try:
        pickle.dump(sys.path, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
    except OSError:
        end_child(process)
        raise
    return process


def _own_group(system: str) -> dict[str, Any]:
    """Return the options that protect a child from the keys of our terminal.

    They also keep Windows from opening a window for it when we have no terminal.
    """
    if system == "nt":
        return {"creationflags": _NEW_PROCESS_GROUP | _NO_WINDOW}
    return {"process_group": 0}


def end_child(process: subprocess.Popen[bytes]) -> None:
    """Kill the process. A reader of its answers comes to their end."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def await_child(answers: IO[bytes]) -> None:
    """Wait until a new child is ready.

    Raises:
        EOFError: it has ended, or is another program.
    """
    if answers.read(len(_GREETING)) != _GREETING:
        raise EOFError


def send(stream: IO[bytes], value: object) -> None:
    """Send a value.

    Raises:
        OSError: the other side has ended.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Return the next value of the other side, which is leafmark itself.

    Raises:
        EOFError: the other side has ended.
    """
    return pickle.loads(receive_pickle(stream))


def receive_pickle(stream: IO[bytes]) -> bytes:
    """Return the next value as its pickle, so that another thread can unpickle it.

    Raises:
        EOFError: the other side has ended.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def take_standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """In the child: send the greeting, and return the streams of requests and answers.

    From then on, anything printed goes to standard error and not among the answers.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(_GREETING)
    answers.flush()
    return sys.stdin.buffer, answers
