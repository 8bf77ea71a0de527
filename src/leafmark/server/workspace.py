"""The project that a server answers for, brought up to date beside the answers.

Every call asks for a fresh index and waits a moment for it; files are looked at where they may
have changed (`app.session`). A large build goes
on in a thread of its own meanwhile: the call then answers from the last
committed state, or says how far the first build is. The configuration is read
again for every call. Vectors are made in another thread, and nobody waits for them: a model
may take minutes, or not answer at all.
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
"""What is said of a bug: it is logged, and the server answers on."""

_FIRST_TICK_S = 0.001
_MAX_TICK_S = 0.05


class Freshness(NamedTuple):
    """How the index stands: `fresh`, `building` (`done` of `total` sources), or `failed`.

    `total` is 0 while it is not known. `error` says why the last run failed.
    """

    state: str
    done: int = 0
    total: int = 0
    error: LeafmarkError | None = None

    @property
    def note(self) -> str:
        """What is to be told beside an answer; nothing where the index is fresh."""
        if self.state == "building":
            far = self._far(": ")
            return f"The index is being brought up to date{far}; this is what it held before."
        if self.error is not None:
            return f"The index could not be brought up to date: {self.error.message}."
        return ""

    def explain(self, error: NotFoundError) -> LeafmarkError:
        """Return why something is not there: the index is not yet, or it could not be made."""
        if self.state == "failed" and self.error is not None:
            return self.error
        if self.state != "building":
            return error
        return NotFoundError(
            f"the index is being built{self._far(', ')}", hint="ask again in a few seconds"
        )

    def _far(self, separator: str) -> str:
        return f"{separator}{self.done} of {self.total} sources" if self.total else ""


class Activity(NamedTuple):
    """What a workspace is doing: whether it runs, how far it is, what the last run changed.

    `version` grows with each run that changed the index. `changed` are the ids that the last
    such run added, modified and removed, `seconds` is how long the last run took, `look_s` how long
    it took to find, the last time, that nothing has changed.
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
        self._asked = 0
        self._answered = 0
        self._running = False
        self._progress = (0, 0)
        self._activity = Activity()
        self._error: LeafmarkError | None = None
        self._upkeep = Upkeep()
        self._embedding = False
        self._to_embed = False

    def project(self, settings: Mapping[str, object] = MappingProxyType({})) -> Project:
        """Open the project under the configuration as it is now, `settings` above it."""
        return self._session.project(settings)

    def ask(self) -> int:
        """Ask for an index as fresh as this moment; `wait` takes the number returned."""
        with self._changed:
            self._asked += 1
            if not self._running:
                # first the thread, which waits for us: where none can be had, the next call tries
                threading.Thread(target=self._run, name="leafmark-index", daemon=True).start()
                self._running = True
            return self._asked

    def wait(self, number: int, timeout_s: float) -> Freshness:
        """Wait at most `timeout_s` seconds for what was asked, and say how it stands."""
        with self._changed:
            done = self._changed.wait_for(lambda: self._answered >= number, timeout_s)
            if not done:
                return Freshness("building", *self._progress)
            if self._error is not None:
                return Freshness("failed", error=self._error)
            return Freshness("fresh")

    async def freshened(
        self,
        patience_s: float,
        sleep: Callable[[float], Awaitable[object]],
        told: Callable[[Freshness], Awaitable[object]] | None = None,
    ) -> Freshness:
        """Ask for a fresh index, wait at most `patience_s` seconds for it, and say how it stands.

        They are seconds of the clock, however many calls wait, and no thread is held
        meanwhile: `sleep` is that of the event loop. `told` gets how far a run is.
        """
        number, end, tick = self.ask(), time.monotonic() + patience_s, _FIRST_TICK_S
        state = self.wait(number, 0)
        while state.state == "building" and time.monotonic() < end:
            if told is not None:
                await told(state)
            await sleep(tick)
            tick = min(2 * tick, _MAX_TICK_S)
            state = self.wait(number, 0)
        return state

    @property
    def activity(self) -> Activity:
        """What is being done now, for those who watch; nothing is asked for."""
        with self._changed:
            return self._activity._replace(running=self._running, error=self._error)

    def cluster(self) -> ClusterState | None:
        """Return how the cluster is that holds the index, None where it is on this machine.

        Raises:
            LeafmarkError: the cluster does not answer, or the project cannot be opened.
        """
        remote = self._session.project().remote
        return None if remote is None else remote.health()

    def _run(self) -> None:
        """Bring the index up to date until nobody asks any more."""
        while True:
            with self._changed:
                if self._answered >= self._asked:
                    self._running = False
                    return
                number = self._asked
                self._progress = (0, 0)
                version = self._activity.version
            began = time.monotonic()
            error = self._refresh()
            look_s = time.monotonic() - began
            with self._changed:
                if self._activity.version == version:
                    self._activity = self._activity._replace(look_s=look_s)
                self._answered, self._error = number, error
                self._changed.notify_all()

    def _refresh(self) -> LeafmarkError | None:
        try:
            project = self._session.project()
            if project.remote is None:  # else those who have the documents bring it up to date
                self._session.ensure(project, lambda: self._look(project))
        except ConfirmationError as error:
            hint = "start the server with --yes, or in a smaller folder with -C"
            return ConfirmationError(error.message, hint=hint)
        except LeafmarkError as error:
            return error
        # a panic of the engine, too: without an answer all calls would wait for this run for ever
        except BaseException as error:
            refused = refusal_of(error)
            if refused is not None:
                return refused
            log.exception("bringing the index up to date failed")
            return LeafmarkError(INTERNAL_ERROR)
        return None

    def _look(self, project: Project) -> None:
        request = IndexRequest(confirmed=self._confirmed, vectors=False)
        began = time.monotonic()
        report = self._upkeep.run(project, request, progress=self._report)
        self._note(report, time.monotonic() - began)
        if project.configuration.embedding.is_named:
            self._ask_for_vectors()

    def _note(self, report: IndexReport, seconds: float) -> None:
        """Keep what a run changed, for those who watch."""
        changed = len(report.added), len(report.modified), len(report.removed)
        with self._changed:
            before = self._activity
            kept = changed if any(changed) else before.changed
            version = before.version + (any(changed) or before.version == 0)
            self._activity = Activity(version, changed=kept, seconds=seconds, look_s=before.look_s)

    def _report(self, what: str, done: int, total: int) -> None:
        """Note how far a run is; its progress is how many sources are read, and of how many."""
        with self._changed:
            if what == "indexing":
                self._progress = (done, total)
            self._activity = self._activity._replace(what=what, done=done, total=total)
            self._changed.notify_all()

    def _ask_for_vectors(self) -> None:
        with self._changed:
            self._to_embed = True
            if not self._embedding:
                threading.Thread(target=self._embed, name="leafmark-vectors", daemon=True).start()
                self._embedding = True

    def _embed(self) -> None:
        """Make the vectors that are missing until the index has not changed meanwhile."""
        while True:
            with self._changed:
                if not self._to_embed:
                    self._embedding = False
                    return
                self._to_embed = False
            try:
                problem = make_vectors(self._session.project())
                if isinstance(problem, StorageError):  # what else is missing, an answer says itself
                    log.warning("%s", problem.placed_message)
            except LeafmarkError as error:
                log.warning("%s", error.placed_message)
            except BaseException:  # a bug or a panic: the next call asks for vectors again
                log.exception("making vectors failed")
