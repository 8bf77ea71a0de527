"""Threads beside an answer that load and ask models; the end of the program waits for them.

Nobody else does: an answer goes without what is late. But a thread that is still inside the
code of a model's runtime when Python ends takes the whole process down with it.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable

__all__ = ["start_thread"]

LONGEST_WAIT_S = 10.0
"""At the end of the program, for all threads together; a model is loaded in less."""

_RUNNING: set[threading.Thread] = set()


def start_thread(
    work: Callable[[], None], name: str, *, waited_for: bool = True
) -> threading.Thread:
    """Do some work beside the answer, and return the thread that does it.

    What only waits for another machine need not be `waited_for`.
    """

    def run() -> None:
        try:
            work()
        finally:
            _RUNNING.discard(thread)

    thread = threading.Thread(target=run, name=name, daemon=True)
    if waited_for:
        _RUNNING.add(thread)
    thread.start()
    return thread


@atexit.register
def _wait_for_all() -> None:
    until = time.monotonic() + LONGEST_WAIT_S
    for thread in tuple(_RUNNING):
        thread.join(max(0.0, until - time.monotonic()))
