"""A project that answers many calls: its index stays open, and is refreshed when files changed.

Libraries, servers and `index --watch` share this one policy. Before a call, events of the system
tell whether anything changed below the trees, which costs next to nothing. Without events, files
are checked by the clock: an answer is never older than `POLL_S`, nor than a few times as long as
a check takes. Every check goes through the session.

Events are only hints and can be lost, so all files are also checked now and then without any. A
scan finds what really changed.
"""

from __future__ import annotations

import math
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, TypeVar
from weakref import WeakSet

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.refreshing import index_project
from leafmark.app.requests import IndexRequest, Progress
from leafmark.environment import give_back_memory, install_extra, reset_after_fork, share_heaps
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError
from leafmark.index import IndexReader, open_reader
from leafmark.model import IndexReport, WatchEvent

T = TypeVar("T")

OpenProject = Callable[[Mapping[str, object]], Project]
"""Opens a project with settings that override all others."""

SETTLE_S = 2.0
"""Each call checks the files for so long after a change: a new folder can fill before it is
watched, and a file may be written again within the same tick of its times."""

SURE_S = 600.0
"""How often all files are checked without an event: queues of events can overflow."""

POLL_S = 2.0
BUSY_SHARE = 4
"""Without events, the pause after a check is this many times the time that the check took, at
most `POLL_S`; chosen by eye."""

IDLE_SHARE = 20
"""The same factor for a session that waits, where no call may ever come; at least `POLL_S`."""


class Session:
    """Opens a project, keeps its reader open, and knows whether files must be checked.

    A session that `waits` gets changes from `wait` and checks the files again once a change has
    settled. Any other asks for changes at each call, and checks at each call until they settle.
    Safe to use from several threads; a forked process starts with an empty session.
    """

    def __init__(self, open_project: OpenProject, *, waits: bool = False):
        self._open_project = open_project
        self._waits = waits
        self._begin()
        _SESSIONS.add(self)

    def _begin(self) -> None:
        self._checking = Lock()
        self._reading = Lock()
        self._reader: IndexReader | None = None
        self._lock = Lock()
        self._known: object = None  # the project and its folders at the last check
        self._events: FileEvents | None = None
        self.without_events: str | None = None  # why there are none
        self._changes = self._seen = 0
        self._settled_at = self._checked_at = self._next_check = 0.0

    def project(self, settings: Mapping[str, object] = MappingProxyType({})) -> Project:
        """Open the project with the current configuration; `settings` override it."""
        return self._open_project(settings)._replace(open_kept=self.open_reader)

    def open_reader(self, root: Path) -> IndexReader:
        """Return a reader of the last committed state of the index in the folder `root`."""
        with self._reading:
            reader = self._reader
            if reader is None or reader.root != root or not reader.is_current():
                self._reader = None  # before it is replaced: two would hold their files open
                reader = self._reader = open_reader(root)
            return reader

    def needs_check(self, project: Project) -> bool:
        """Whether the index may be behind the files of the project."""
        with self._lock:
            now = time.monotonic()
            if self._known != _known(project):
                self._stop_events()
                return True
            if now - self._checked_at >= SURE_S or not project.is_indexed:
                return True
            if self._events is None and self.without_events is None:
                self._begin_events(project)
                return True  # what changed before raised no event
            if self._events is None:
                return now >= self._next_check
            if self._waits:
                is_settling = self._checked_at < self._settled_at <= now
            else:
                self._note(self._events.changed(), self._events)
                is_settling = now < self._settled_at
            return self._changes != self._seen or is_settling

    def wait(self, stop: threading.Event) -> None:
        """Wait until the files must be checked, at most `POLL_S`, or until `stop` is set."""
        with self._lock:
            events, until = self._events, self._next_check
            if events is not None:
                until = self._settled_at if self._checked_at < self._settled_at else math.inf
            elif self.without_events is None:
                until = 0.0  # events are still to begin
            seconds = min(POLL_S, max(_QUIET_MS / 1000, until - time.monotonic()))
        if events is None:
            stop.wait(seconds)
            return
        try:
            changed = events.wait(seconds, stop)
        except NoEventsError as error:
            changed, self.without_events = True, str(error)
        with self._lock:
            self._note(changed, events)

    @property
    def has_events(self) -> bool:
        return self._events is not None

    def _note(self, changed: bool, events: FileEvents) -> None:
        if changed:
            self._changes += 1
            self._settled_at = time.monotonic() + SETTLE_S
        if events.is_over or self.without_events is not None:
            self._stop_events()

    def ensure(self, project: Project, check: Callable[[], T]) -> T | None:
        """Return `check()`, in one thread at a time; None if the files need no check."""
        with self._checking:
            if not self.needs_check(project):
                return None
            with self._noting(project):
                return check()

    @contextmanager
    def checking(self, project: Project) -> Iterator[None]:
        """Guard a check of the files in the body, whether they need one or not."""
        with self._checking, self._noting(project):
            yield

    @contextmanager
    def _noting(self, project: Project) -> Iterator[None]:
        """Record a check; changes during it cause another, and a failed check does not count."""
        began = time.monotonic()
        with self._lock:
            changes, known = self._changes, _known(project)
            self._known = None
        yield
        with self._lock:
            self._known, self._seen = known, changes
            self._checked_at = time.monotonic()
            took = self._checked_at - began
            seldom, soon = max(POLL_S, IDLE_SHARE * took), min(POLL_S, BUSY_SHARE * took)
            self._next_check = self._checked_at + (seldom if self._waits else soon)

    def forget(self) -> None:
        """Check the files again before the next call."""
        with self._lock:
            self._known = None

    def close(self) -> None:
        """Close the index and the events; calls that still read from it end undisturbed."""
        with self._reading:
            self._reader = None
        with self._lock:
            self._stop_events()
            self._known = None

    def _begin_events(self, project: Project) -> None:
        roots = [tree.root for tree in project.trees if not tree.is_missing]
        cache = project.configuration.directories.cache
        own = None if self._waits else cache / "events"
        try:
            self._events = FileEvents(roots, [project.shared_dir, cache], own)
        except NoEventsError as error:
            if all(root.is_dir() for root in roots):
                self.without_events = str(error)

    def _stop_events(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            events.close()

    def _reset(self) -> None:
        """Share nothing with the parent process of a fork."""
        self._events = None  # its threads are the parent's
        self._begin()


_SESSIONS: WeakSet[Session] = WeakSet()


@reset_after_fork
def _reset_all() -> None:
    """Reset all sessions of a forked child, where a lock of a parent's thread is never released."""
    for session in _SESSIONS:
        session._reset()


def _known(project: Project) -> object:
    """Return the project, and the device and inode of each of its trees' folders."""
    return project, tuple(_folder(tree.root) for tree in project.trees)


def _folder(root: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        info = os.stat(root)
        return info.st_dev, info.st_ino
    return None


# Whether something below some folders may have changed, by events of the system.


_QUIET_MS = 100
_MAX_GATHERING_MS = 1_000
"""A wait gathers events until none came for `_QUIET_MS`, at most for `_MAX_GATHERING_MS`."""

_LAST_EVENT_S = 0.5
"""How long to wait for the event of our own file; if it does not come, assume a change."""

_OLD_S = 3600.0
"""The age after which no process waits for the event of its own file any more."""

_GATHERING_MS = 50

_NOISY = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__"))
"""Folders with many changes and no sources."""

_REMOTE_TYPES = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse.sshfs", "fuse.rclone")
"""File systems on which changes by other machines raise no event here."""


class NoEventsError(Exception):
    """The system cannot watch these folders; the text says why."""


def _noise(folders: Sequence[Path], ignored: Sequence[Path]) -> Callable[[str], bool]:
    roots = [os.path.join(folder, "") for folder in folders]
    silent = tuple(os.path.join(folder, "") for folder in ignored)

    def is_noise(path: str) -> bool:
        root = next((root for root in roots if path.startswith(root)), "")
        parts = path[len(root) :].split(os.sep)
        return path.startswith(silent) or not _NOISY.isdisjoint(parts)

    return is_noise


class FileEvents:
    """Events below some folders since the last call of `changed` or `wait`.

    `changed` reports every write that came before it: it writes a file of its own, and as events
    come in order, it reads them up to the event of that file.
    `is_over` is set when one of the folders was deleted: a new folder in its place, which may have
    the same inode, must be watched anew.
    """

    def __init__(self, folders: Sequence[Path], ignored: Sequence[Path], own: Path | None):
        """`own` is the folder for our file, where only watching processes write.

        It is None if `changed` is never called.

        Raises:
            NoEventsError: the folders cannot be watched, or events have no order here.
        """
        if own is not None and sys.platform == "win32":
            raise NoEventsError("each folder has events of its own, in no common order")
        remote = next((folder for folder in folders if is_remote(folder)), None)
        if remote is not None:
            raise NoEventsError(f"{remote} is on a file system of the network")
        try:
            from watchfiles._rust_notify import RustNotify
        except ImportError:
            raise NoEventsError(f"the extra is not installed: {install_extra('watch')}") from None
        try:
            place = None if own is None else _swept(own)
            watched = [os.fspath(folder) for folder in (*folders, place) if folder is not None]
            self._events = RustNotify(watched, False, False, _QUIET_MS, True, True)
        except (OSError, RuntimeError) as error:  # the limit of watches
            raise NoEventsError(str(error)) from error
        self._last = (
            "" if place is None else os.path.join(place, f"{os.getpid()}-{secrets.token_hex(4)}")
        )
        self._is_noise = _noise(folders, [*ignored, *([] if place is None else [place])])
        self._ends = {(_DELETED, os.fspath(folder)) for folder in folders}
        self.is_over = False

    def changed(self) -> bool:
        """Whether anything may have changed since this was last called; True where unsure."""
        is_changed = False
        until = time.monotonic() + _LAST_EVENT_S
        try:
            with open(self._last, "w"):
                pass
            while time.monotonic() < until:
                events = self._events.watch(_GATHERING_MS, 1, _GATHERING_MS, None)
                if not isinstance(events, set):
                    continue  # none yet
                is_changed = self._counts(events) or is_changed
                if any(path == self._last for _, path in events):
                    return is_changed
        except (OSError, RuntimeError):
            return True
        return True

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        """Wait for a change, at most `seconds` or until `stop` is set; say whether there was one.

        Raises:
            NoEventsError: the folders cannot be watched any more.
        """
        timeout_ms = max(1, int(1000 * seconds))
        try:
            events = self._events.watch(_MAX_GATHERING_MS, _QUIET_MS, timeout_ms, stop)
        except (OSError, RuntimeError) as error:
            raise NoEventsError(str(error)) from error
        if events == "signal":
            raise KeyboardInterrupt
        return isinstance(events, set) and self._counts(events)

    def _counts(self, events: set[Any]) -> bool:
        """Say whether an event may concern a source, or says that a folder was deleted."""
        ends = not self._ends.isdisjoint(events)
        self.is_over = self.is_over or ends
        paths = (path for _, path in events if path != self._last)
        return ends or not all(map(self._is_noise, paths))

    def close(self) -> None:
        """Stop watching, and remove our file."""
        self._events.close()
        if self._last:
            with suppress(OSError):
                os.unlink(self._last)


_DELETED = 3
"""The number of a deletion in watchfiles."""


def _swept(place: Path) -> Path:
    """Return the folder, created if need be, without the old files of processes that were killed.

    A process that still watches writes its file again, so removing an old one does no harm.
    """
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.scandir(place) as files:
        for file in files:
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > _OLD_S:
                    os.unlink(file)
    return place.resolve()


def is_remote(folder: Path) -> bool:
    """Whether `folder` lies on a file system that other machines change (Linux; else unknown)."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except (OSError, ValueError):
        return False
    return type_of_mount(os.path.realpath(folder), mounts).startswith(_REMOTE_TYPES)


def type_of_mount(path: str, mounts: Sequence[Sequence[str]]) -> str:
    """Return the type of the innermost mount that holds `path`, the last of equal ones.

    >>> type_of_mount("/srv/docs", [("/", "ext4"), ("/srv", "nfs4"), ("/srvx", "cifs")])
    'nfs4'
    """
    best, best_kind = -1, ""
    for place, kind in mounts:
        where = place.replace("\\040", " ").rstrip("/")
        if (path == where or path.startswith(where + "/")) and len(where) >= best:
            best, best_kind = len(where), kind
    return best_kind


# Keep an index fresh while sources change: `leafmark index --watch`.
#
# A session (`app.session`) says when to look, scans say what changed. Folders that vanish keep
# their documents, and their state is told once.


RETRY_S = 5.0
"""How long after a failure the next attempt comes."""


class Watcher:
    """Watches the trees of a project and brings its index up to date.

    `open_project` is called before each round, since the configuration may change. `report_event`
    gets each event, in the thread of `run`.
    """

    def __init__(
        self, open_project: Callable[[], Project], report_event: Callable[[WatchEvent], None]
    ):
        self._open_project = open_project
        self._report = report_event
        self._session = Session(lambda _: open_project(), waits=True)
        self._project = open_project()
        self._wrong: str | None = None  # the last reported problem of the configuration
        self._missing: frozenset[str] = frozenset()
        self._how: object = None  # the last reported way to notice changes
        self._upkeep = Upkeep()
        self._not_before = 0.0
        self._interrupted = False

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set, or Ctrl-C interrupts a run of the index."""
        while not stop.is_set():
            self._reload()
            self._report_missing()
            if time.monotonic() >= self._not_before and self._session.needs_check(self._project):
                self._check()
                if self._interrupted:
                    break
            self._report_mode()
            self._session.wait(stop)
        self._session.close()

    def _check(self) -> None:
        """Bring the index up to date; report a failure, and try again later."""
        try:
            with self._session.checking(self._project):
                report = self._upkeep.run(self._project, IndexRequest(confirmed=True))
        except LeafmarkError as error:
            self._fail(error)
            return
        self._interrupted = report.interrupted
        if did_something(report):
            self._report(WatchEvent("indexed", report=report))
        if report.failure is not None:
            self._session.forget()
            self._fail(report.failure)

    def _fail(self, error: LeafmarkError) -> None:
        self._not_before = time.monotonic() + RETRY_S
        self._report(WatchEvent("failed", error.message, error=error))

    def _reload(self) -> None:
        """Open the project again; report a problem of its configuration once."""
        try:
            self._project, self._wrong = self._open_project(), None
        except (ConfigError, NotFoundError) as error:
            if self._wrong != error.placed_message:
                self._wrong = error.placed_message
                self._report(WatchEvent("failed", error.message, error=error))

    def _report_mode(self) -> None:
        """Report how changes are noticed, once for each configuration."""
        why = self._session.without_events
        how = (self._project, why)
        if how != self._how and (why is not None or self._session.has_events):
            self._how = how
            kind, words = (
                ("watching", "by events of the system") if why is None else ("polling", why)
            )
            self._report(WatchEvent(kind, words))

    def _report_missing(self) -> None:
        missing = frozenset(tree.name for tree in self._project.trees if tree.is_missing)
        for name in sorted(missing - self._missing):
            self._report(
                WatchEvent(
                    "missing", f"the folder of tree {name!r} is gone; its documents are kept"
                )
            )
        for name in sorted(self._missing - missing):
            self._report(WatchEvent("back", f"the folder of tree {name!r} is there again"))
        self._missing = missing


# Upkeep of an index by long-running processes: `leafmark index --watch`, and servers.
#
# They retry failed sources now and then, as memory may only have been short for a moment.
# `leafmark index` retries each time, a search never: it would read the same files again.


RETRY_EVERY_S = 600.0


class Upkeep:
    """Brings an index up to date again and again, in a long-running process."""

    def __init__(self) -> None:
        share_heaps()
        self._retry_at = 0.0

    def run(
        self, project: Project, request: IndexRequest, *, progress: Progress | None = None
    ) -> IndexReport:
        """Index the changes, and give back the memory; raises as `index_project` does."""
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
