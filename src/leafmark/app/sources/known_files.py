"""The bytes of files that were read lately, given again as long as the files look the same.

A warm search shows much the same few files as the one before it, and would spend a fifth
of its time on reading and hashing them. Whoever asks compares size, times and inode each
time: what a refresh of the index trusts, too. A file that changed within the last seconds
is not kept, since it might change once more without its times telling. Nor is any where the
system does not say when a file was changed last (Windows): there, its times can be set back.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Lock

from leafmark.model import FileState

__all__ = ["KnownFiles", "Look"]

Look = tuple[int, int, int, int]
"""Size, mtime, ctime and inode."""

MOST_BYTES = 32_000_000
"""How much is kept at most (chosen by eye: two thousand documents)."""

SETTLED_NS = 2_000_000_000
"""How long ago a file must have changed last: the times of some file systems have whole seconds."""


class KnownFiles:
    """Keeps files, the latest read; threads may share it."""

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most_bytes = most_bytes
        self.reset()

    def find(self, root: Path, path: str) -> tuple[bytes, FileState] | None:
        """Return a file as it was when it was read, if it is known; it may look otherwise now."""
        return self._kept.get((root, path))

    def keep(self, root: Path, path: str, data: bytes, state: FileState) -> None:
        """Keep what was just read, unless it is much or may be changing."""
        age = time.time_ns() - max(state.modified_ns, state.changed_ns)
        if os.name != "posix" or age < SETTLED_NS or len(data) > self._most_bytes // 8:
            return
        with self._lock:
            self._drop((root, path))
            self._kept[root, path] = data, state
            self._bytes += len(data)
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._kept)))

    def reset(self) -> None:
        """Know nothing; in a forked child, too, whoever had the lock in the parent."""
        self._kept: dict[tuple[Path, str], tuple[bytes, FileState]] = {}
        self._bytes = 0
        self._lock = Lock()

    def _drop(self, key: tuple[Path, str]) -> None:
        data, _ = self._kept.pop(key, (b"", None))
        self._bytes -= len(data)
