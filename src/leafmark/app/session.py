"""A project that answers many calls: its index stays open, and is looked after when it must be.

Libraries and servers share this one policy. Before a call, events of the system tell whether
anything changed below the trees, which costs next to nothing. Where there are no events, files
are looked at by the clock: an answer is never older than `POLL_S`, nor than a few times as long
as a look takes. Whoever looks does it through the
session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TypeVar
from weakref import WeakSet

from leafmark.app.configuration.project import Project
from leafmark.app.file_events import FileEvents, NoEventsError
from leafmark.environment import reset_after_fork
from leafmark.index import IndexReader, open_reader

__all__ = ["Session"]

T = TypeVar("T")

OpenProject = Callable[[Mapping[str, object]], Project]
"""Opens a project under settings that are stronger than all others."""

SETTLE_S = 2.0
"""How long after a change each call looks: a new folder can fill before it is watched, and a file
may be written again within the same tick of its times."""

SURE_S = 600.0
"""How often all is looked at without a reason: queues of events can overflow."""

POLL_S = 2.0
BUSY_SHARE = 4
"""Without events a look comes this many times as long after the last as that took, or `POLL_S`
after it if that is sooner; chosen by eye."""


class Session:
    """Opens a project, keeps its reader, and knows whether files must be looked at.

    Safe to use from several threads; a forked process begins with nothing kept.
    """

    def __init__(self, open_project: OpenProject):
        self._open_project = open_project
        self._begin()
        _SESSIONS.add(self)

    def _begin(self) -> None:
        self._looking = Lock()
        self._reading = Lock()
        self._reader: IndexReader | None = None
        self._lock = Lock()
        self._known: object = None  # what was looked at: the project, and which folders stand there
        self._events: FileEvents | None = None
        self._has_events = True
        self._changes = self._seen = 0
        self._settled_at = self._looked_at = self._next_look = 0.0

    def project(self, settings: Mapping[str, object] = MappingProxyType({})) -> Project:
        """Open the project under the configuration as it is now, `settings` above it.

        Raises:
            ConfigError, NotFoundError: see `open_project`.
        """
        return replace(self._open_project(settings), open_kept=self.open_reader)

    def open_reader(self, root: Path) -> IndexReader:
        """Return a reader of the last committed state of the index in the folder `root`.

        Raises:
            DamagedError, NotFoundError, StorageError, UsageError: see `open_reader`.
        """
        with self._reading:
            reader = self._reader
            if reader is None or reader.root != root or not reader.is_current():
                self._reader = None  # before it is replaced: two would hold their files open
                reader = self._reader = open_reader(root)
            return reader

    def must_look(self, project: Project) -> bool:
        """Whether the index may be behind the files of the project."""
        with self._lock:
            now = time.monotonic()
            if self._known != _known(project):
                self._stop_events()
                return True
            if now - self._looked_at >= SURE_S or not project.is_indexed:
                return True
            if self._events is None and self._has_events:
                self._begin_events(project)
                return True  # what changed before raised no event
            if self._events is None:
                return now >= self._next_look
            if self._events.changed():
                self._changes += 1
                self._settled_at = time.monotonic() + SETTLE_S
            return self._changes != self._seen or now < self._settled_at

    def ensure(self, project: Project, look: Callable[[], T]) -> T | None:
        """Have `look` look at the files, one thread at a time; None where nobody must look."""
        with self._looking:
            if not self.must_look(project):
                return None
            with self._noting(project):
                return look()

    @contextmanager
    def looking(self, project: Project) -> Iterator[None]:
        """Look at the files inside, whether somebody must or not."""
        with self._looking, self._noting(project):
            yield

    @contextmanager
    def _noting(self, project: Project) -> Iterator[None]:
        """Note a look: what changes meanwhile is looked at again; a failed one counts for none."""
        began = time.monotonic()
        with self._lock:
            changes, known = self._changes, _known(project)
            self._known = None
        yield
        with self._lock:
            self._known, self._seen = known, changes
            self._looked_at = time.monotonic()
            took = self._looked_at - began
            self._next_look = self._looked_at + min(POLL_S, BUSY_SHARE * took)

    def forget(self) -> None:
        """Look again before the next call."""
        with self._lock:
            self._known = None

    def close(self) -> None:
        """Let go of the index and of events; calls that still read from it end undisturbed."""
        with self._reading:
            self._reader = None
        with self._lock:
            self._stop_events()
            self._known = None

    def _begin_events(self, project: Project) -> None:
        roots = [tree.root for tree in project.trees if not tree.is_missing]
        ignored = [project.shared_dir, project.configuration.directories.cache]
        try:
            self._events = FileEvents(roots, ignored)
        except NoEventsError:
            self._has_events = False

    def _stop_events(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            events.close()

    def _reset(self) -> None:
        """Share nothing with the process that this one was forked of."""
        self._events = None  # whose threads are the parent's
        self._begin()


_SESSIONS: WeakSet[Session] = WeakSet()


@reset_after_fork
def _reset_all() -> None:
    """In a forked child: a lock that another thread of the parent held is never let go here."""
    for session in _SESSIONS:
        session._reset()


def _known(project: Project) -> object:
    """Which project is looked at, and which folders stand in the places of its trees."""
    return project, tuple(_folder(tree.root) for tree in project.trees)


def _folder(root: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        found = os.stat(root)
        return found.st_dev, found.st_ino
    return None
