"""Python's collector of garbage in cycles, run seldom while sources are prepared."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from leafmark.environment import reset_after_fork

__all__ = ["GARBAGE_THRESHOLD", "collection_seldom"]

GARBAGE_THRESHOLD = 50_000
"""Allocations between two collections of cycles while sources are prepared."""

_collecting = Lock()
_thresholds: list[tuple[int, int, int]] = []
"""What was set before each of the runs that are going on in this process."""


@contextmanager
def collection_seldom() -> Iterator[None]:
    """Look for cycles seldom: sources make many objects, and what they make goes soon.

    The last of the runs that threads have at once sets back what the first one found.
    """
    with _collecting:
        before = gc.get_threshold()
        _thresholds.append(before)
        gc.set_threshold(max(before[0], GARBAGE_THRESHOLD), *before[1:])
    try:
        yield
    finally:
        with _collecting:
            before = _thresholds.pop()
            if not _thresholds:
                gc.set_threshold(*before)


@reset_after_fork
def _begin_anew() -> None:
    """In a forked child, in which no run of another thread goes on."""
    global _collecting
    _collecting = Lock()
    if _thresholds:
        gc.set_threshold(*_thresholds[0])
        _thresholds.clear()
