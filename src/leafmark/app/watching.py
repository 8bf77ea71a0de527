"""Keep an index fresh while sources change: `leafmark index --watch`, and servers.

Events say when to look, scans say what changed. So a lost event costs time and
no truth: every change is followed by a second look when it has become quiet,
and there is a look now and then without any event. Where the system has no
events, looks go by the clock. Folders that vanish keep their documents, and
their state is told once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from leafmark.app.configuration.paths import CONFIG_NAME
from leafmark.app.configuration.project import Project
from leafmark.app.indexing.refreshing import index_project
from leafmark.app.requests import IndexRequest
from leafmark.app.session import NoEventsError, is_remote, watch_by_clock, watch_files
from leafmark.environment import give_back_memory, share_heaps
from leafmark.errors import ConfigError, LeafmarkError, NotFoundError
from leafmark.model import IndexReport, WatchEvent

SETTLE_S = 2.0
"""How long after a change a second look comes: a new folder can fill before it is watched."""

SURE_S = 600.0
"""How often all is scanned without a reason: queues of events can overflow."""

RETRY_S = 5.0
"""How long after a failure the next attempt comes."""

POLL_S = 2.0
"""How often to look where there are no events, but never more than a twentieth of the time."""

_BUSY_SHARE = 20


class Watcher:
    """Watches the trees of a project and brings its index up to date.

    `open_project` is called at the start and whenever a configuration file
    changed. `tell` gets each event, in the thread that runs.
    """

    def __init__(self, open_project: Callable[[], Project], tell: Callable[[WatchEvent], None]):
        self._open_project = open_project
        self._tell = tell
        self._without_events: str | None = None  # why the system tells of none
        self._project = open_project()
        self._settings = self._settings_stamp()
        self._project = open_project()  # what was changed before the stamp is read now
        self._missing: frozenset[str] = frozenset()
        self._took_s = 0.0
        self._retries = Retries()
        self._due: list[float] = []
        self._interrupted = False

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set, or Ctrl-C came during a run of the index."""
        share_heaps()
        self._look()
        while not stop.is_set() and not self._interrupted:
            roots = self._roots_stamp()  # before what is told: one that vanishes then is noticed
            self._tell_missing()
            self._listen(stop, roots)

    def _listen(self, stop: threading.Event, roots: tuple[object, ...]) -> None:
        """Look whenever there is reason to, until the folders to watch are others."""
        self._due.append(0.0)  # what changed while the system began to watch raised no event
        for changed in self._signals(stop):
            if changed:
                self._look()
                self._due.append(time.monotonic() + SETTLE_S)
            elif min(self._due) <= time.monotonic():
                self._look()
            if self._interrupted:
                return
            reloaded = self._reload()
            if reloaded or self._roots_stamp() != roots:
                self._look()
                return

    def _signals(self, stop: threading.Event) -> Iterator[bool]:
        roots = [tree.root for tree in self._project.trees if not tree.is_missing]
        why = self._reason_to_poll(roots)
        if why is None:
            directories = self._project.configuration.directories
            ignored = [self._project.shared_dir, directories.cache]
            try:
                events = watch_files(roots, ignored, stop)
                self._tell(WatchEvent("watching", "by events of the system"))
                yield from events
                return
            except NoEventsError as error:
                if not all(root.is_dir() for root in roots):
                    return
                why = self._without_events = str(error)
        self._tell(WatchEvent("polling", why))
        yield from watch_by_clock(self._interval_s, stop)

    def _reason_to_poll(self, roots: list[Path]) -> str | None:
        if self._without_events is not None:
            return self._without_events
        if not roots:
            return "no folder of a tree is there"
        remote = next((root for root in roots if is_remote(root)), None)
        return None if remote is None else f"{remote} is on a file system of the network"

    def _interval_s(self) -> float:
        return max(POLL_S, _BUSY_SHARE * self._took_s)

    def _look(self) -> None:
        """Bring the index up to date; what goes wrong is told, and tried again."""
        began = time.monotonic()
        self._due = [began + SURE_S]
        try:
            request = IndexRequest(confirmed=True, retry=self._retries.are_due())
            report = index_project(self._project, request)
        except LeafmarkError as error:
            self._fail(error)
            return
        self._took_s = time.monotonic() - began
        self._interrupted = report.interrupted
        if _did_something(report):
            give_back_memory()
            self._tell(WatchEvent("indexed", report=report))
        if report.failure is not None:
            self._fail(report.failure)

    def _fail(self, error: LeafmarkError) -> None:
        self._due.append(time.monotonic() + RETRY_S)
        self._tell(WatchEvent("failed", error.message, error=error))

    def _reload(self) -> bool:
        """Open the project again if its configuration changed; say whether it did."""
        stamp = self._settings_stamp()
        if stamp == self._settings:
            return False
        self._settings = stamp
        try:
            self._project = self._open_project()
        except (ConfigError, NotFoundError) as error:
            self._tell(WatchEvent("failed", error.message, error=error))
            return False
        # what changed while the project was opened is noticed at the next look
        self._settings = {
            path: stamp.get(path, new) for path, new in self._settings_stamp().items()
        }
        return True

    def _settings_stamp(self) -> dict[Path, object]:
        configuration = self._project.configuration
        files = {*configuration.config_files, *configuration.project_files}
        files |= {configuration.directory / CONFIG_NAME, configuration.directories.config_file}
        files.add(configuration.directories.trust_file)
        return {path: _stamp(path) for path in files}

    def _roots_stamp(self) -> tuple[object, ...]:
        """Which folders stand in the places of the trees: another folder must be watched anew."""
        found = []
        for tree in self._project.trees:
            stamp = _stamp(tree.root)
            found.append((tree.name, stamp and stamp[:2]))
        return tuple(found)

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


def _did_something(report: IndexReport) -> bool:
    return bool(report.added or report.modified or report.removed or report.rebuilt)


def _stamp(path: Path) -> tuple[int, int, int, int] | None:
    """Device, inode, time and size of what stands at `path`; None where nothing does."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino, info.st_mtime_ns, info.st_size


# When those that run for long try again what failed: a source may have no memory only for once.
#
# `leafmark index` tries each time. A search never does: it would read the same files again.


RETRY_EVERY_S = 600.0


class Retries:
    """Says when sources that failed are to be tried again: at first, then now and then."""

    def __init__(self) -> None:
        self._due_s = 0.0

    def are_due(self) -> bool:
        """Whether to try now; if so, the next time is a while away."""
        now = time.monotonic()
        if now < self._due_s:
            return False
        self._due_s = now + RETRY_EVERY_S
        return True
