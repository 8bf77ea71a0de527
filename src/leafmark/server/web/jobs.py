"""Work beside the event loop: calls in threads, and revisions that are indexed on request.

A revision that must be indexed first may take minutes. A request waits a moment for it, gets the
progress, and asks again; the work goes on meanwhile. The work that visitors can cause is bounded.
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
"""Most revisions being indexed or waiting for it; more are refused until one is done."""

MAX_AN_HOUR = 30
"""Most revisions that a server for other machines begins to index within an hour."""

_HOUR_S = 3600.0
_THREADS = 2


class Threads:
    """Runs calls in the order of their arrival, and skips those cancelled before they begin.

    The threads do not keep the process from ending.
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
            except BaseException as error:  # the caller who waits for the future handles it
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

    With `is_local`, all visitors sit at this machine, and have no limit per hour.
    """

    def __init__(self, *, is_local: bool):
        self._is_local = is_local
        self._threads = Threads(_THREADS)
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._starts: deque[float] = deque(maxlen=MAX_AN_HOUR)

    def ask(self, project: Project, revision: str) -> Future[Project]:
        """Return the future project at a revision; requests for the same revision share it.

        Raises:
            TooManyError: a limit on indexing revisions is reached.
        """
        with self._lock:
            job = self._jobs.get(revision)
            if job is None:
                self._check_limits()
                job = self._jobs[revision] = _Job()
                job.future = self._threads.run(lambda: self._open(project, revision, job))
            return job.future

    def _open(self, project: Project, revision: str, job: _Job) -> Project:
        return project_at(project, revision, progress=lambda *done: self._report(job, *done))

    def _report(self, job: _Job, what: str, done: int, total: int) -> None:
        """Note a job's progress; a job that has work to do counts towards the hour's limit."""
        if not job.total:
            with self._lock:
                self._starts.append(time.monotonic())
        job.report(what, done, total)

    def _check_limits(self) -> None:
        for name in [name for name, job in self._jobs.items() if job.future.done()]:
            del self._jobs[name]  # nobody asked for it again
        if len(self._jobs) >= MAX_QUEUED:
            raise TooManyError("too many revisions are being indexed", hint="ask again later")
        is_full = len(self._starts) == MAX_AN_HOUR and time.monotonic() - self._starts[0] < _HOUR_S
        if is_full and not self._is_local:
            raise TooManyError(
                f"{MAX_AN_HOUR} revisions were indexed within an hour", hint="ask again later"
            )

    def forget(self, revision: str) -> None:
        """Forget a finished job whose result was delivered: the next request starts anew."""
        with self._lock:
            if (job := self._jobs.get(revision)) is not None and job.future.done():
                del self._jobs[revision]

    def explain(self, revision: str) -> LeafmarkError:
        """Return the error for a revision that is not indexed yet."""
        done, total = self.progress().get(revision, (0, 0))
        progress = f": {done:,} of {total:,} sources" if total else ""
        return LeafmarkError(
            f"the revision {revision} is being indexed{progress}", hint="ask again in a few seconds"
        )

    def progress(self) -> dict[str, tuple[int, int]]:
        """Return how many sources are done, of how many, for each revision being indexed."""
        with self._lock:
            return {
                name: (job.done, job.total)
                for name, job in self._jobs.items()
                if not job.future.done()
            }


class TooManyError(UsageError):
    """The server refuses more work for its visitors."""
