"""Worker processes, and batches of tasks for them.

A worker answers each batch with the results of its tasks, in order. It has no other state, so
killing it loses nothing.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import IO, Any, Generic, Protocol, TypeVar

from leafmark.child import (
    await_child,
    end_child,
    receive,
    receive_pickle,
    send,
    start_child,
    take_standard_streams,
)
from leafmark.environment import give_back_memory
from leafmark.errors import is_closed_pipe
from leafmark.index.manifest import gc_paused

if sys.platform == "linux":
    import fcntl


Task = TypeVar("Task")
Answer = TypeVar("Answer")
TaskIn = TypeVar("TaskIn", contravariant=True)
AnswerOut = TypeVar("AnswerOut")
T = TypeVar("T")

_PIPE_BYTES = 1 << 20
"""The size of the pipe for answers, if it can be set: the most that the system allows any user."""


def core_count() -> int:
    """Return how many processes can run at the same time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Helper(Protocol[TaskIn, AnswerOut]):
    """Answers batches in their order; with None after a failure."""

    def ask(self, batch: Sequence[TaskIn]) -> None: ...

    def has_answer(self) -> bool: ...

    def answer(self) -> list[AnswerOut] | None:
        """Wait for the answer to the oldest unanswered batch."""
        ...

    def stop(self) -> None: ...


class Worker(Generic[Task, Answer]):
    """A process that answers batches in their order.

    After a failure (it was killed, had no memory, or its work raised an error) answers are None.
    """

    def __init__(self, work: Callable[[Task], Answer]):
        """Start the process, and send it `work`; work, tasks and answers are pickled.

        Raises:
            OSError: it cannot be started.
        """
        self.process = start_child(serve)
        assert self.process.stdout is not None
        _widen(self.process.stdout)
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._send(work)

    def ask(self, batch: Sequence[Task]) -> None:
        self._send(list(batch))

    def has_answer(self) -> bool:
        return not self._answers.empty()

    def answer(self) -> list[Answer] | None:
        """Wait for the answer to the oldest unanswered batch."""
        data = self._answers.get()
        if data is None:
            self._answers.put(None)  # for later calls
            return None
        answers: list[Answer] = pickle.loads(data)
        return answers

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        self._listener.join()
        end_child(self.process)

    def _send(self, value: object) -> None:
        """Send a value; if the process is dead, its next answer is None."""
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):
            send(stream, value)

    def _listen(self) -> None:
        """Read answers as they arrive, so the worker never waits for us."""
        stream = self.process.stdout
        assert stream is not None
        with contextlib.suppress(EOFError):
            await_child(stream)
            while True:
                self._answers.put(receive_pickle(stream))
        self._answers.put(None)


def _widen(pipe: IO[bytes]) -> None:
    """Enlarge a pipe to the size of a whole answer, so the worker need not wait until we read it.

    The thread that reads it shares the interpreter with one that prepares sources, and would wait
    5 ms for each 64 KiB of a usual pipe.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def serve() -> None:
    """Answer batches until the input ends: the main function of a worker."""
    batches, answers = take_standard_streams()
    try:
        work: Callable[[Any], Any] = receive(batches)
        while True:
            batch = receive(batches)
            with gc_paused():  # until most objects are freed
                send(answers, [work(task) for task in batch])
            give_back_memory()
    except EOFError:
        pass
    except OSError as error:
        if not is_closed_pipe(error):
            raise
    os._exit(0)


def cut_batches(
    items: Iterable[T],
    size_of: Callable[[T], int],
    *,
    enough: Callable[[int], int],
    most: int,
    is_alone: Callable[[T], bool],
) -> Iterator[list[T]]:
    """Yield the items in batches of at most `most`; an item that `is_alone` has its own batch.

    A batch ends when its size reaches `enough(done)`, where `done` is the total size of the batches
    before it.

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
