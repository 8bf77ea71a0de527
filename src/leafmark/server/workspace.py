"""The project of a server, whose index is brought up to date beside the calls.

Every call asks for a fresh index and waits a moment for it; files are checked where they may have
changed (`app.session`). A large build goes on in a thread of its own: the call then answers from
the last committed state, or gives the progress of the first build. The configuration is read
again for every call. Another thread makes the vectors, and no call waits for them: a model may take
minutes, or not answer at all.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from leafmark.app import Project, make_vectors
from leafmark.app.requests import IndexRequest
from leafmark.app.session import Session, Upkeep
from leafmark.errors import (
    ConfirmationError,
    LeafmarkError,
    NotFoundError,
    StorageError,
    refusal_of,
)
from leafmark.model import ClusterState, IndexReport

log = logging.getLogger("leafmark.server")

INTERNAL_ERROR = "internal error; the server's log says more"
"""The message for a bug, which is logged; the server goes on."""

_FIRST_TICK_S = 0.001
_MAX_TICK_S = 0.05


class Freshness(NamedTuple):
    """The state of the index: `fresh`, `building` (`done` of `total` sources), or `failed`.

    `total` is 0 while it is not known. `error` is that of the last run, if it failed.
    """

    state: str
    done: int = 0
    total: int = 0
    error: LeafmarkError | None = None

    @property
    def note(self) -> str:
        """The note to an answer; "" where the index is fresh."""
        if self.state == "building":
            progress = self._count_text(": ")
            return f"The index is being brought up to date{progress}; this is what it held before."
        if self.error is not None:
            return f"The index could not be brought up to date: {self.error.message}."
        return ""

    def explain(self, error: NotFoundError) -> LeafmarkError:
        """Return the reason why something is missing: `error`, or the state of the index."""
        if self.state == "failed" and self.error is not None:
            return self.error
        if self.state != "building":
            return error
        return NotFoundError(
            f"the index is being built{self._count_text(', ')}", hint="ask again in a few seconds"
        )

    def _count_text(self, separator: str) -> str:
        return f"{separator}{self.done} of {self.total} sources" if self.total else ""


class Activity(NamedTuple):
    """The activity of a workspace: whether it runs, its progress, the changes of the last run.

    `version` grows with each run that changed the index. `changed` counts the documents that the
    last such run added, modified and removed, `seconds` is the time of the last run, `look_s` the
    time of the last check that found no change.
    """

    version: int = 0
    running: bool = False
    what: str = ""
    done: int = 0
    total: int = 0
    changed: tuple[int, int, int] = (0, 0, 0)
    seconds: float = 0.0
    look_s: float = 0.0
    error: LeafmarkError | None = None


class Workspace:
    """Opens the project and keeps its index fresh; safe to use from several threads."""

    def __init__(
        self, open_project: Callable[[Mapping[str, object]], Project], *, confirmed: bool = False
    ):
        self._session = Session(open_project)
        self._confirmed = confirmed
        self._changed = threading.Condition()
        self._requested = 0
        self._completed = 0
        self._running = False
        self._progress = (0, 0)
        self._activity = Activity()
        self._error: LeafmarkError | None = None
        self._upkeep = Upkeep()
        self._embedding = False
        self._needs_vectors = False

    def project(self, settings: Mapping[str, object] = MappingProxyType({})) -> Project:
        """Open the project under its present configuration; `settings` override it."""
        return self._session.project(settings)

    def ask(self) -> int:
        """Ask for an index as fresh as this moment; `wait` takes the number returned."""
        with self._changed:
            self._requested += 1
            if not self._running:
                # first the thread, which waits for the lock: if that fails, the next call tries
                threading.Thread(target=self._run, name="leafmark-index", daemon=True).start()
                self._running = True
            return self._requested

    def wait(self, number: int, timeout_s: float) -> Freshness:
        """Wait at most `timeout_s` seconds for request `number`, and return the index's state."""
        with self._changed:
            done = self._changed.wait_for(lambda: self._completed >= number, timeout_s)
            if not done:
                return Freshness("building", *self._progress)
            if self._error is not None:
                return Freshness("failed", error=self._error)
            return Freshness("fresh")

    async def wait_async(
        self,
        patience_s: float,
        sleep: Callable[[float], Awaitable[object]],
        report: Callable[[Freshness], Awaitable[object]] | None = None,
    ) -> Freshness:
        """Ask for a fresh index, wait at most `patience_s` seconds for it, and return its state.

        The seconds are those of the clock, however many calls wait, and no thread is blocked
        meanwhile: `sleep` is that of the event loop. `report` gets the progress of a run.
        """
        number, end, tick = self.ask(), time.monotonic() + patience_s, _FIRST_TICK_S
        state = self.wait(number, 0)
        while state.state == "building" and time.monotonic() < end:
            if report is not None:
                await report(state)
            await sleep(tick)
            tick = min(2 * tick, _MAX_TICK_S)
            state = self.wait(number, 0)
        return state

    @property
    def activity(self) -> Activity:
        """The present activity; reading it asks for nothing."""
        with self._changed:
            return self._activity._replace(running=self._running, error=self._error)

    def cluster(self) -> ClusterState | None:
        """Return the state of the cluster with the index, None where it is on this machine.

        Raises:
            LeafmarkError: the cluster does not answer, or the project cannot be opened.
        """
        remote = self._session.project().remote
        return None if remote is None else remote.health()

    def _run(self) -> None:
        """Bring the index up to date until no request is left."""
        while True:
            with self._changed:
                if self._completed >= self._requested:
                    self._running = False
                    return
                number = self._requested
                self._progress = (0, 0)
                version = self._activity.version
            began = time.monotonic()
            error = self._refresh()
            look_s = time.monotonic() - began
            with self._changed:
                if self._activity.version == version:
                    self._activity = self._activity._replace(look_s=look_s)
                self._completed, self._error = number, error
                self._changed.notify_all()

    def _refresh(self) -> LeafmarkError | None:
        try:
            project = self._session.project()
            if project.remote is None:  # else the machines with the documents bring it up to date
                self._session.ensure(project, lambda: self._update_index(project))
        except ConfirmationError as error:
            hint = "start the server with --yes, or in a smaller folder with -C"
            return ConfirmationError(error.message, hint=hint)
        except LeafmarkError as error:
            return error
        # also a panic of the engine: without an answer all calls would wait for ever
        except BaseException as error:
            refused = refusal_of(error)
            if refused is not None:
                return refused
            log.exception("bringing the index up to date failed")
            return LeafmarkError(INTERNAL_ERROR)
        return None

    def _update_index(self, project: Project) -> None:
        request = IndexRequest(confirmed=self._confirmed, vectors=False)
        began = time.monotonic()
        report = self._upkeep.run(project, request, progress=self._report)
        self._record_changes(report, time.monotonic() - began)
        if project.configuration.embedding.is_named:
            self._ask_for_vectors()

    def _record_changes(self, report: IndexReport, seconds: float) -> None:
        """Record the changes of a run for `activity`."""
        changed = len(report.added), len(report.modified), len(report.removed)
        with self._changed:
            before = self._activity
            counts = changed if any(changed) else before.changed
            version = before.version + (any(changed) or before.version == 0)
            self._activity = Activity(
                version, changed=counts, seconds=seconds, look_s=before.look_s
            )

    def _report(self, what: str, done: int, total: int) -> None:
        """Record the progress of a run: how many sources are done, of how many."""
        with self._changed:
            if what == "indexing":
                self._progress = (done, total)
            self._activity = self._activity._replace(what=what, done=done, total=total)
            self._changed.notify_all()

    def _ask_for_vectors(self) -> None:
        with self._changed:
            self._needs_vectors = True
            if not self._embedding:
                threading.Thread(target=self._embed, name="leafmark-vectors", daemon=True).start()
                self._embedding = True

    def _embed(self) -> None:
        """Make the missing vectors, again if the index has changed meanwhile."""
        while True:
            with self._changed:
                if not self._needs_vectors:
                    self._embedding = False
                    return
                self._needs_vectors = False
            try:
                problem = make_vectors(self._session.project())
                if isinstance(problem, StorageError):  # an answer reports other problems itself
                    log.warning("%s", problem.placed_message)
            except LeafmarkError as error:
                log.warning("%s", error.placed_message)
            except BaseException:  # a bug or a panic: the next call asks for vectors again
                log.exception("making vectors failed")
