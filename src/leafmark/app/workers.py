"""Another process that works on sources, and the few words spoken with it.

A worker is this Python, started afresh: it imports only leafmark, never the
program that leafmark is used in. It gets batches of tasks on its standard input
and answers each with what its work made of them, in order. It ends when its input does,
so it never outlives us, however we end; keys pressed in the terminal are ours
alone. It holds nothing that is not in an answer: killing it loses nothing.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import IO, Any, Generic, TypeVar

from leafmark.errors import is_closed_pipe
from leafmark.index import gc_paused

__all__ = [
    "Worker",
    "can_start",
    "core_count",
    "cut_batches",
    "serve",
]


if sys.platform == "linux":
    import fcntl


Task = TypeVar("Task")
Answer = TypeVar("Answer")

_START = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from leafmark.app.workers import serve; serve()"
)
_HEAD_BYTES = 8

_NEW_PROCESS_GROUP = 0x0000_0200
_NO_WINDOW = 0x0800_0000

_PIPE_BYTES = 1 << 20
"""What the pipe for answers holds, where that can be chosen: the most that any user may ask for."""


def can_start() -> bool:
    """Whether there is a Python to start: none inside a frozen program, or one that embeds it."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def core_count() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker(Generic[Task, Answer]):
    """A process that answers batches in the order in which they were given.

    Once it failed (it was killed, found no memory, or its work raised an error),
    its answers are None.
    """

    def __init__(self, work: Callable[[Task], Answer]):
        """Start the process; it may be asked at once. `work`, tasks and answers are pickled.

        Raises:
            OSError: it cannot be started.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **_apart(os.name),
        )
        assert self._process.stdout is not None
        _widen(self._process.stdout)
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._tell(sys.path)
        self._tell(work)

    def ask(self, batch: Sequence[Task]) -> None:
        self._tell(list(batch))

    def has_answer(self) -> bool:
        return not self._answers.empty()

    def answer(self) -> list[Answer] | None:
        """Wait for the answer to the oldest batch that has none yet."""
        data = self._answers.get()
        if data is None:
            self._answers.put(None)  # to whoever asks again
            return None
        found: list[Answer] = pickle.loads(data)
        return found

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _tell(self, value: object) -> None:
        """Send a value; what a dead process does not get, its end will tell."""
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):
            pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL)
            stream.flush()

    def _listen(self) -> None:
        """Keep taking answers, so that the worker never waits for us to take them."""
        stream = self._process.stdout
        assert stream is not None
        while True:
            size = int.from_bytes(stream.read(_HEAD_BYTES), "little")
            data = stream.read(size)
            if not size or len(data) < size:
                break
            self._answers.put(data)
        self._answers.put(None)


def _apart(system: str) -> dict[str, Any]:
    """Keep it out of reach of the keys of our terminal.

    Where we have no terminal, Windows would open a window for it.
    """
    if system == "nt":
        return {"creationflags": _NEW_PROCESS_GROUP | _NO_WINDOW}
    return {"process_group": 0}


def _widen(pipe: IO[bytes]) -> None:
    """Let the system hold a whole answer, so that the worker goes on before we have taken it.

    The thread that takes it shares the interpreter with one that prepares sources, and
    comes to its turn 5 ms later for each 64 KiB of a usual pipe.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def serve() -> None:
    """Be a worker: answer batches until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no answer
    try:
        _answer_all(sys.stdin.buffer, answers)
    except EOFError:
        pass
    except OSError as error:
        if not is_closed_pipe(error):
            raise
    os._exit(0)


def _answer_all(batches: IO[bytes], answers: IO[bytes]) -> None:
    work: Callable[[Any], Any] = pickle.load(batches)
    while True:
        batch = pickle.load(batches)
        with gc_paused():  # till hardly anything is left that could be looked at
            data = pickle.dumps([work(task) for task in batch], pickle.HIGHEST_PROTOCOL)
        answers.write(len(data).to_bytes(_HEAD_BYTES, "little"))
        answers.write(data)
        answers.flush()
        del data


# Work cut into batches that are handed to other processes: neighbours, in their order.


T = TypeVar("T")


def cut_batches(
    items: Iterable[T],
    size_of: Callable[[T], int],
    *,
    enough: Callable[[int], int],
    most: int,
    is_alone: Callable[[T], bool],
) -> Iterator[list[T]]:
    """Yield the items in batches of at most `most`; one that `is_alone` is a batch by itself.

    A batch ends with the item that makes its size `enough(done)` or more, where `done` is the
    size of the batches before it.

    >>> list(cut_batches([1, 1, 9, 2, 2, 2], int, enough=lambda done: 4, most=9,
    ...     is_alone=lambda size: size > 8))
    [[1, 1], [9], [2, 2], [2]]
    """
    batch: list[T] = []
    size = done = 0
    for item in items:
        alone = is_alone(item)
        if batch and (alone or size >= enough(done) or len(batch) >= most):
            yield batch
            done += size
            batch, size = [], 0
        batch.append(item)
        size += size_of(item)
        if alone:
            yield batch
            done += size
            batch, size = [], 0
    if batch:
        yield batch
