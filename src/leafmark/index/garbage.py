"""Python's collector of garbage in cycles, kept from looking where there is none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collection_paused"]


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the collector while rows are made that all stay: it would look at each many times.

    That costs as much as making a snapshot's rows, and a tenth of an index run.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
