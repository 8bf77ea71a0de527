"""Keep an index fresh while sources change: `leafmark index --watch`.

A session (`app.session`) says when to look, scans say what changed. Folders that vanish keep
their documents, and their state is told once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.refreshing import index_project
from leafmark.app.requests import IndexRequest, Progress
from leafmark.app.session import Session
from leafmark.environment import give_back_memory, share_heaps
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError
from leafmark.model import IndexReport, WatchEvent

RETRY_S = 5.0
"""How long after a failure the next attempt comes."""


class Watcher:
    """Watches the trees of a project and brings its index up to date.

    `open_project` is called again and again, since its configuration may change. `tell` gets
    each event, in the thread that runs.
    """

    def __init__(self, open_project: Callable[[], Project], tell: Callable[[WatchEvent], None]):
        self._open_project = open_project
        self._tell = tell
        self._session = Session(lambda _: open_project(), waits=True)
        self._project = open_project()
        self._wrong: str | None = None  # what is wrong with the configuration, once it is told
        self._missing: frozenset[str] = frozenset()
        self._how: object = None  # how changes are noticed, once it is told
        self._upkeep = Upkeep()
        self._not_before = 0.0
        self._interrupted = False

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set, or Ctrl-C came during a run of the index."""
        while not stop.is_set():
            self._reload()
            self._tell_missing()
            if time.monotonic() >= self._not_before and self._session.must_look(self._project):
                self._look()
                if self._interrupted:
                    break
            self._tell_how()
            self._session.wait(stop)
        self._session.close()

    def _look(self) -> None:
        """Bring the index up to date; what goes wrong is told, and tried again."""
        try:
            with self._session.looking(self._project):
                report = self._upkeep.run(self._project, IndexRequest(confirmed=True))
        except LeafmarkError as error:
            self._fail(error)
            return
        self._interrupted = report.interrupted
        if did_something(report):
            self._tell(WatchEvent("indexed", report=report))
        if report.failure is not None:
            self._session.forget()
            self._fail(report.failure)

    def _fail(self, error: LeafmarkError) -> None:
        self._not_before = time.monotonic() + RETRY_S
        self._tell(WatchEvent("failed", error.message, error=error))

    def _reload(self) -> None:
        """Open the project again; what is wrong with its configuration is told once."""
        try:
            self._project, self._wrong = self._open_project(), None
        except (ConfigError, NotFoundError) as error:
            if self._wrong != error.placed_message:
                self._wrong = error.placed_message
                self._tell(WatchEvent("failed", error.message, error=error))

    def _tell_how(self) -> None:
        """Say how changes are noticed, under each configuration once."""
        why = self._session.without_events
        how = (self._project, why)
        if how != self._how and (why is not None or self._session.has_events):
            self._how = how
            kind, words = (
                ("watching", "by events of the system") if why is None else ("polling", why)
            )
            self._tell(WatchEvent(kind, words))

    def _tell_missing(self) -> None:
        missing = frozenset(tree.name for tree in self._project.trees if tree.is_missing)
        for name in sorted(missing - self._missing):
            self._tell(
                WatchEvent(
                    "missing", f"the folder of tree {name!r} is gone; its documents are kept"
                )
            )
        for name in sorted(self._missing - missing):
            self._tell(WatchEvent("back", f"the folder of tree {name!r} is there again"))
        self._missing = missing


# What those do that look for long, again and again: `leafmark index --watch`, and servers.
#
# They try again now and then what failed: a source may have no memory only for once.
# `leafmark index` tries each time. A search never does: it would read the same files again.


RETRY_EVERY_S = 600.0


class Upkeep:
    """Brings an index up to date, for those who do it again and again."""

    def __init__(self) -> None:
        share_heaps()
        self._retry_at = 0.0

    def run(
        self, project: Project, request: IndexRequest, *, progress: Progress | None = None
    ) -> IndexReport:
        """Index what changed, and give back the memory that it took; raises what that does."""
        now = time.monotonic()
        retry = now >= self._retry_at
        if retry:
            self._retry_at = now + RETRY_EVERY_S
        report = index_project(project, request._replace(retry=retry), progress=progress)
        if did_something(report):
            give_back_memory()
        return report


def did_something(report: IndexReport) -> bool:
    return bool(report.added or report.modified or report.removed or report.rebuilt)
