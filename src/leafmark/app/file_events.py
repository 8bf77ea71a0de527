"""Whether something below some folders may have changed: by events of the system, or by the clock.

`watch_files` yields again and again whether something may have changed; `FileEvents` answers
when it is asked. They know nothing of the index; what really changed is found by a scan. Events
are only hints: they can be lost, so whoever listens also scans now and then.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Collection, Generator, Iterator, Sequence, Set
from pathlib import Path

from leafmark.environment import install_extra

__all__ = ["FileEvents", "NoEventsError", "is_remote", "watch_by_clock", "watch_files"]

TICK_MS = 500
"""How often a quiet wait ends, so that the listener can look around."""

_QUIET_MS = 100
_MAX_GATHERING_MS = 1_000
"""Events are gathered until none came for the first, at most for the second."""

_LAST_EVENT_S = 0.5
"""How long to wait for the event of our own file; without it, anything may have changed."""

_GATHERING_MS = 50

_NOISY = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__"))
"""Folders in which much changes and no source lies."""

_REMOTE_TYPES = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse.sshfs", "fuse.rclone")
"""File systems whose changes, when made elsewhere, raise no event here."""


class NoEventsError(Exception):
    """The system cannot watch these folders; the text says why."""


def watch_files(
    folders: Sequence[Path], ignored: Sequence[Path], stop: threading.Event
) -> Iterator[bool]:
    """Give True after changes below `folders`, False after a while without any.

    Ends when `stop` is set, or one of the folders was deleted: another one in its place, which
    may have the same inode, must be watched anew. What lies below `ignored` is not noticed.

    Raises:
        NoEventsError: the folders cannot be watched, at the call or, while it goes on, any more.
    """
    try:
        import watchfiles  # late: it comes with the extra `watch`
    except ImportError:
        raise NoEventsError(f"the extra is not installed: {install_extra('watch')}") from None
    ends = {(watchfiles.Change.deleted, os.fspath(folder)) for folder in folders}
    return _watch(watchfiles.watch, folders, ignored, stop, ends)


def _watch(
    watch: Callable[..., Generator[Collection[object]]],
    folders: Sequence[Path],
    ignored: Sequence[Path],
    stop: threading.Event,
    ends: Set[object],
) -> Iterator[bool]:
    is_noise = _noise(folders, ignored)
    events = watch(
        *folders,
        watch_filter=lambda change, path: (change, path) in ends or not is_noise(path),
        debounce=_MAX_GATHERING_MS,
        step=_QUIET_MS,
        stop_event=stop,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    try:
        for changes in events:
            yield bool(changes)
            if not ends.isdisjoint(changes):
                return
    except (OSError, RuntimeError) as error:  # the limit of watches, a file system without events
        raise NoEventsError(str(error)) from error
    finally:
        events.close()


def _noise(folders: Sequence[Path], ignored: Sequence[Path]) -> Callable[[str], bool]:
    roots = [os.path.join(folder, "") for folder in folders]
    silent = tuple(os.path.join(folder, "") for folder in ignored)

    def is_noise(path: str) -> bool:
        root = next((root for root in roots if path.startswith(root)), "")
        parts = path[len(root) :].split(os.sep)
        return path.startswith(silent) or not _NOISY.isdisjoint(parts)

    return is_noise


class FileEvents:
    """Events below some folders since they were last asked for.

    What was written before `changed` is called is told by it: a file of ours is written
    then, and events come in their order, so that its own event is the last that counts.
    """

    def __init__(self, folders: Sequence[Path], ignored: Sequence[Path]):
        """
        Raises:
            NoEventsError: the folders cannot be watched, or events have no order here.
        """
        if sys.platform == "win32":
            raise NoEventsError("each folder has events of its own, in no common order")
        remote = next((folder for folder in folders if is_remote(folder)), None)
        if remote is not None:
            raise NoEventsError(f"{remote} is on a file system of the network")
        try:
            from watchfiles._rust_notify import RustNotify
        except ImportError:
            raise NoEventsError(f"the extra is not installed: {install_extra('watch')}") from None
        place = tempfile.mkdtemp(prefix="leafmark-events-")
        self._remove = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        self._last = os.path.join(os.path.realpath(place), "last")
        self._is_noise = _noise(folders, ignored)
        watched = [*map(os.fspath, folders), place]
        try:
            self._events = RustNotify(watched, False, False, _QUIET_MS, True, True)
        except (OSError, RuntimeError) as error:
            self._remove()
            raise NoEventsError(str(error)) from error

    def changed(self) -> bool:
        """Whether anything may have changed since this was last called; True where unsure."""
        found = False
        until = time.monotonic() + _LAST_EVENT_S
        try:
            with open(self._last, "w"):
                pass
            while time.monotonic() < until:
                events = self._events.watch(_GATHERING_MS, 1, _GATHERING_MS, None)
                if not isinstance(events, set):
                    continue  # none yet
                paths = {path for _, path in events}
                found = found or any(
                    path != self._last and not self._is_noise(path) for path in paths
                )
                if self._last in paths:
                    return found
        except (OSError, RuntimeError):
            return True
        return True

    def close(self) -> None:
        """Watch no longer."""
        self._events.close()
        self._remove()


def watch_by_clock(interval_s: Callable[[], float], stop: threading.Event) -> Iterator[bool]:
    """Yield True whenever `interval_s()` has passed, False in between, until `stop` is set."""
    last = time.monotonic()
    while not stop.wait(TICK_MS / 1000):
        due = time.monotonic() - last >= interval_s()
        yield due
        if due:
            last = time.monotonic()


def is_remote(folder: Path) -> bool:
    """Whether `folder` lies on a file system that other machines change (Linux; else unknown)."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except (OSError, ValueError):
        return False
    return _type_of(os.path.realpath(folder), mounts).startswith(_REMOTE_TYPES)


def _type_of(path: str, mounts: Sequence[Sequence[str]]) -> str:
    """Return the type of the mount that holds `path`; of several the innermost, of equals the last.

    >>> _type_of("/srv/docs", [("/", "ext4"), ("/srv", "nfs4"), ("/srvx", "cifs")])
    'nfs4'
    """
    best, found = -1, ""
    for place, kind in mounts:
        where = place.replace("\\040", " ").rstrip("/")
        if (path == where or path.startswith(where + "/")) and len(where) >= best:
            best, found = len(where), kind
    return found
