"""Another Python that works for this one, and the frames in which the two talk.

The child imports only leafmark, never the program that leafmark is used in. Requests go to its
standard input. It greets on its standard output when it is ready, and answers there. Each is a
pickle with its length before it.
It ends when its input does, so it never outlives us; keys pressed in the terminal are ours alone.
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
    """Whether there is a Python to start: none inside a frozen program, or one that embeds it."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def start_child(main: Callable[[], None], *, stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a Python that calls `main`, a function of a module, and finds modules where we do.

    Raises:
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        # -P: of itself it imports nothing from the folder that is being read
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
    """Keep a child out of reach of the keys of our terminal.

    Where we have no terminal, Windows would open a window for it.
    """
    if system == "nt":
        return {"creationflags": _NEW_PROCESS_GROUP | _NO_WINDOW}
    return {"process_group": 0}


def end_child(process: subprocess.Popen[bytes]) -> None:
    """End the process, whatever it is doing. Whoever reads its answers comes to their end."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def await_child(answers: IO[bytes]) -> None:
    """Wait until a child that was just started is ready.

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
        EOFError: it has ended.
    """
    return pickle.loads(receive_pickle(stream))


def receive_pickle(stream: IO[bytes]) -> bytes:
    """Return the next value as its pickle, for whoever unpickles it in another thread.

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
    """In the child: greet, and return the streams of requests and answers.

    What anything prints from then on is no answer.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(_GREETING)
    answers.flush()
    return sys.stdin.buffer, answers
