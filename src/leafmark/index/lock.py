"""The writer's lock: a file lock that the system frees when its holder dies.

The file names the holder and the time, for people only: the lock decides, never the text. Text
in a file that is not locked is from a holder that was killed, or failed.

A waiting process holds a second lock meanwhile, the turn. A process that does not want to wait
gives way to it: else searches that update the index one after the other would leave a writer no
gap.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from leafmark.environment import reset_after_fork
from leafmark.errors import LockedError
from leafmark.index.engine import translate
from leafmark.namedtuples import NamedTuple

_POLL_S = 0.05

_ENGINE_LOCKS = ("/.tantivy-writer.lock", "/.tantivy-meta.lock")

_TRIES = 10
"""How many times a lock file may be replaced meanwhile; some file systems always report that."""

_open_handles: set[int] = set()
"""The handles of our open lock files."""

_PROBE_S = 1.0
"""How long to wait for a process that only checks whether the lock is held (microseconds)."""


class LockHolder(NamedTuple):
    """The holder of the lock: process id, and start in seconds since the epoch (0: not known)."""

    pid: int
    since: float

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        if not self.since:
            return f"process {self.pid}"
        return f"process {self.pid}, for {max(0, round(time.time() - self.since))} s"


@contextmanager
def hold_lock(
    path: Path, *, timeout_s: float, doing: str = "the index is being written"
) -> Iterator[bool]:
    """Hold the lock at `path`, waiting for it up to `timeout_s` (0: not at all).

    Yields whether the last holder was killed, or ended by an exception.

    Raises:
        LockedError: another process holds it or waits for it; `doing` says what a holder does.
        StorageError: the file cannot be opened.
    """
    end = time.monotonic() + timeout_s
    with ExitStack() as turn:
        if timeout_s > 0:
            turn.enter_context(_locked_file(turn_path(path), end, _Refusal(path, doing)))
        else:
            _refuse_if_others_wait(path, doing)
        with _locked_file(path, end, _Refusal(path, doing)) as handle:
            turn.close()
            is_left = bool(os.fstat(handle).st_size)
            _write_holder(handle)
            yield is_left
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)


def turn_path(path: Path) -> Path:
    """Return the path of the lock that a process holds while it waits for the one at `path`."""
    return path.with_name(f"{path.name}.next")


def _refuse_if_others_wait(path: Path, doing: str) -> None:
    """Give way to a process that is waiting already.

    Raises:
        LockedError: there is one.
    """
    if lock_holder(turn_path(path)) is not None:
        raise _Refusal(path, doing).error(" and others wait")


class _Refusal(NamedTuple):
    """The error message for the lock at `path`."""

    path: Path
    doing: str

    def error(self, more: str = "") -> LockedError:
        return LockedError(
            f"{self.doing} by {_read_holder(self.path)}{more}",
            location=str(self.path),
            hint="searching works meanwhile; `index.lock_timeout_s` says how long to wait",
        )


@contextmanager
def _locked_file(path: Path, end: float, refusal: _Refusal) -> Iterator[int]:
    """Yield the handle of the file at `path`, locked.

    Another process may remove the file while we wait. A lock on a removed file is worthless: the
    next process creates a new file and locks that. So we then try again.
    """
    for left in reversed(range(_TRIES)):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as err:
            raise translate(err, "write the index", path) from err
        _open_handles.add(handle)
        try:
            _wait_for(handle, path, end, refusal)
            if not left or _is_file_at(handle, path):
                try:
                    yield handle
                finally:
                    _unlock(handle)
                return
        finally:
            _open_handles.discard(handle)
            os.close(handle)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _is_file_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def _wait_for(handle: int, path: Path, end: float, refusal: _Refusal) -> None:
    began = time.monotonic()
    while not _locked(handle, path):
        patience = end if _is_held(handle) else max(end, began + _PROBE_S)
        left = patience - time.monotonic()
        if left <= 0:
            raise refusal.error()
        time.sleep(min(_POLL_S, left))


def _locked(handle: int, path: Path) -> bool:
    try:
        return _try_lock(handle)
    except OSError as err:  # a file system without locks
        raise translate(err, "lock the index", path) from err


def lock_holder(path: Path) -> LockHolder | None:
    """Return the holder of the lock at `path`, None if nobody holds it."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        return _read_holder(path) if _is_held(handle) else None
    except OSError:  # a file system without locks: nobody can be writing
        return None
    finally:
        os.close(handle)


def was_abandoned(path: Path) -> bool:
    """Whether the last holder was killed or ended by an exception, and the lock is free now."""
    try:
        if not path.stat().st_size:
            return False
    except OSError:
        return False
    return lock_holder(path) is None


def _write_holder(handle: int) -> None:
    record = json.dumps({"pid": os.getpid(), "since": round(time.time(), 3)})
    # Information only: if the disk is full, a write that matters will fail.
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, record.encode(), 0) if hasattr(os, "pwrite") else os.write(
            handle, record.encode()
        )


def _read_holder(path: Path) -> LockHolder:
    try:
        record = json.loads(path.read_bytes()[:1000])
        return LockHolder(int(record["pid"]), float(record["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return LockHolder(0, 0.0)


if sys.platform == "win32":
    import msvcrt

    # Far behind the text, which stays readable while the lock is held.
    _LOCKED_AT = 1 << 30

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _LOCKED_AT, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, _LOCKED_AT, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

    def _is_held(handle: int) -> bool:
        if not _try_lock(handle):
            return True
        _unlock(handle)
        return False

else:
    import fcntl

    @reset_after_fork
    def _close_inherited_locks() -> None:
        """Close the lock files that a forked child inherits from its parent.

        Each would stay locked after the parent released it, as long as the child lives, and
        nobody could write meanwhile. The engine's lock files are found by their names.
        """
        for handle in [*_open_handles, *_engine_handles()]:
            with contextlib.suppress(OSError):
                os.close(handle)
        _open_handles.clear()

    def _engine_handles() -> list[int]:
        try:
            names = os.listdir("/dev/fd")
        except OSError:
            return []
        return [int(name) for name in names if _path_of(int(name)).endswith(_ENGINE_LOCKS)]

    def _path_of(handle: int) -> str:
        """Return the path of an open file; "" if the system does not reveal it."""
        try:
            if hasattr(fcntl, "F_GETPATH"):  # macOS
                return os.fsdecode(fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
            return os.readlink(f"/proc/self/fd/{handle}")
        except OSError:
            return ""

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

    def _is_held(handle: int) -> bool:
        """Whether a writer has the lock; processes that only check share it for a moment."""
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        _unlock(handle)
        return False
