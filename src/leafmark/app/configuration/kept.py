"""A reader of the index that stays open between the calls of a long-lived program."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from leafmark.index import IndexReader, open_reader

__all__ = ["KeptReader"]


class KeptReader:
    """Keeps one index open until something is committed to it; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reader: IndexReader | None = None

    def open(self, root: Path) -> IndexReader:
        """Return a reader of the last committed state of the index in the folder `root`.

        Raises:
            DamagedError, NotFoundError, StorageError, UsageError: see `open_reader`.
        """
        with self._lock:
            reader = self._reader
            if reader is None or reader.root != root or not reader.is_current():
                self._reader = None  # before it is replaced: two would hold their files open
                reader = self._reader = open_reader(root)
            return reader

    def close(self) -> None:
        """Let go of the index; calls that still read from it end undisturbed."""
        with self._lock:
            self._reader = None
