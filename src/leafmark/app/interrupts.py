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
        self.heeded = False

    def check(self) -> None:
        if self.pressed:
            self.heeded = True
            raise KeyboardInterrupt

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The first press waits for `check`; an impatient second one is not held."""
        if self.pressed:
            self.check()
        self.pressed = True


@contextmanager
def held_interrupts() -> Iterator[Interrupts]:
    """Hold Ctrl-C back until it is asked for; a press that nobody asked about comes at the end.

    Nothing changes outside the main thread, or where Ctrl-C is ignored (a script's
    background) or goes to what is not Python.
    """
    interrupts = Interrupts()
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not in_main or before in (None, signal.SIG_IGN):
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
        if interrupts.pressed and not interrupts.heeded:
            signal.raise_signal(signal.SIGINT)
