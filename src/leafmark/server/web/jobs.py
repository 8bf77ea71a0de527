"""Work beside the event loop: calls in threads, and revisions that are indexed for those who ask.

A revision that must be indexed first may take minutes: whoever asks waits a moment, hears how far
it is, and asks again; the work goes on. What a visitor can cause is bounded.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from leafmark.app import Project
from leafmark.app.history import project_at
from leafmark.errors import LeafmarkError, UsageError

MAX_QUEUED = 8
"""Revisions that are indexed or wait for it; further ones are refused until one is done."""

MAX_AN_HOUR = 30
"""Revisions that a server for other machines takes up within an hour."""

_HOUR_S = 3600.0
_THREADS = 2


class Threads:
    """Runs calls in the order in which they come; one that was cancelled before is not begun.

    None of the threads keeps the process from ending.
    """

    def __init__(self, count: int):
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        for number in range(count):
            threading.Thread(target=self._work, name=f"leafmark-{number}", daemon=True).start()

    def run(self, function: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._calls.put((future, function))
        return future

    def _work(self) -> None:
        while True:
            future, function = self._calls.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except BaseException as error:  # whatever it is belongs to whoever waits for it
                future.set_exception(error)
            del future, function  # the answer may be large


class _Job:
    def __init__(self) -> None:
        self.future: Future[Project] = Future()
        self.done = self.total = 0

    def report(self, _: str, done: int, total: int) -> None:
        self.done, self.total = done, total


class RevisionJobs:
    """Projects as they were at revisions, which may have to be indexed first.

    `is_local` says that whoever asks sits at this machine.
    """

    def __init__(self, *, is_local: bool):
        self._is_local = is_local
        self._threads = Threads(_THREADS)
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._begun: deque[float] = deque(maxlen=MAX_AN_HOUR)

    def ask(self, project: Project, revision: str) -> Future[Project]:
        """Return what will be the project at a revision; those who ask for the same share it.

        Raises:
            TooManyError: too much is being done already.
        """
        with self._lock:
            job = self._jobs.get(revision)
            if job is None:
                self._admit()
                job = self._jobs[revision] = _Job()
                job.future = self._threads.run(lambda: self._open(project, revision, job))
            return job.future

    def _open(self, project: Project, revision: str, job: _Job) -> Project:
        return project_at(project, revision, progress=lambda *done: self._report(job, *done))

    def _report(self, job: _Job, what: str, done: int, total: int) -> None:
        """Note how far a job is; one that has something to do counts among those of the hour."""
        if not job.total:
            with self._lock:
                self._begun.append(time.monotonic())
        job.report(what, done, total)

    def _admit(self) -> None:
        for name in [name for name, job in self._jobs.items() if job.future.done()]:
            del self._jobs[name]  # nobody came for it
        if len(self._jobs) >= MAX_QUEUED:
            raise TooManyError("too many revisions are being indexed", hint="ask again later")
        is_full = len(self._begun) == MAX_AN_HOUR and time.monotonic() - self._begun[0] < _HOUR_S
        if is_full and not self._is_local:
            raise TooManyError(
                f"{MAX_AN_HOUR} revisions were indexed within an hour", hint="ask again later"
            )

    def take(self, revision: str) -> None:
        """Forget a job whose outcome was told: the next who asks hears of the state then."""
        with self._lock:
            if (job := self._jobs.get(revision)) is not None and job.future.done():
                del self._jobs[revision]

    def explain(self, revision: str) -> LeafmarkError:
        """Return what is told of a revision that is not there yet."""
        done, total = self.progress().get(revision, (0, 0))
        far = f": {done:,} of {total:,} sources" if total else ""
        return LeafmarkError(
            f"the revision {revision} is being indexed{far}", hint="ask again in a few seconds"
        )

    def progress(self) -> dict[str, tuple[int, int]]:
        """Return how far each revision is that is being indexed."""
        with self._lock:
            return {
                name: (job.done, job.total)
                for name, job in self._jobs.items()
                if not job.future.done()
            }


class TooManyError(UsageError):
    """More is being done for others than the server takes on."""
