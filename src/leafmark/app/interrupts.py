"""Ctrl-C at a place of our choosing: between two sources, never inside the writer."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Interrupts", "held_interrupts"]


class Interrupts:
    """Whether Ctrl-C was pressed; `check` raises KeyboardInterrupt if so."""

    def __init__(self) -> None:
        self.pressed = False

    def check(self) -> None:
        if self.pressed:
            raise KeyboardInterrupt

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The first press waits for `check`; an impatient second one is not held."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


@contextmanager
def held_interrupts() -> Iterator[Interrupts]:
    """Hold Ctrl-C back until it is asked for; outside the main thread nothing changes.

    A press that nobody asked about is delivered at the end.
    """
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
