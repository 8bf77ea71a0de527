"""Notice that something below some folders may have changed: by events, or by the clock.

`notice` yields again and again whether something may have changed. It knows
nothing of the index; what really changed is found by a scan. Events are only
hints: they can be lost, so whoever listens also scans now and then.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence, Set
from pathlib import Path

from leafmark.environment import install_extra

__all__ = ["NoticeError", "is_remote", "notice", "notice_by_clock"]

TICK_MS = 500
"""How often a quiet wait ends, so that the listener can look around."""

_QUIET_MS = 100
_LONGEST_MS = 1_000
"""Events are gathered until none came for the first, at most for the second."""

_NOISY = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__"))
"""Folders in which much changes and no source lies."""

_REMOTE_TYPES = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse.sshfs", "fuse.rclone")
"""File systems whose changes, when made elsewhere, raise no event here."""


class NoticeError(Exception):
    """The system cannot watch these folders; the text says why."""


def notice(
    folders: Sequence[Path], ignored: Sequence[Path], stop: threading.Event
) -> Iterator[bool]:
    """Give True after changes below `folders`, False after a while without any.

    Ends when `stop` is set, or one of the folders was deleted: another one in its place, which
    may have the same inode, must be watched anew. What lies below `ignored` is not noticed.

    Raises:
        NoticeError: the folders cannot be watched, at the call or, while it goes on, any more.
    """
    try:
        import watchfiles  # late: it comes with the extra `watch`
    except ImportError:
        raise NoticeError(f"the extra is not installed: {install_extra('watch')}") from None
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
        debounce=_LONGEST_MS,
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
        raise NoticeError(str(error)) from error
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


def notice_by_clock(interval_s: Callable[[], float], stop: threading.Event) -> Iterator[bool]:
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
