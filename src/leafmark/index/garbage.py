"""Python's collector of garbage in cycles, kept from looking where there is none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from leafmark.forking import in_forked_child

__all__ = ["collection_paused"]


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the collector while rows are made that all stay: it would look at each many times.

    That costs as much as making a snapshot's rows, and a tenth of an index run.
    """
    was_on = gc.isenabled()
    _pauses.append(was_on)
    gc.disable()
    try:
        yield
    finally:
        _pauses.remove(was_on)
        if was_on:
            gc.enable()


_pauses: list[bool] = []
"""Whether the collector was on, for each of the pauses that threads have at once."""


@in_forked_child
def _end_pauses() -> None:
    """In a forked child, in which no other thread goes on that could end its pause."""
    if True in _pauses:
        gc.enable()
    _pauses.clear()
