"""Ctrl-C at a place of our choosing: between two sources, never inside the writer.

Where nothing is written, as while a server is waited for, it may come at any time.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]


class Interrupts:
    """Whether Ctrl-C was pressed; `check` then does what the program has it do.

    That is to raise KeyboardInterrupt, unless the program that leafmark is used in has
    another way with it.
    """

    def __init__(self, heed: Handler = signal.default_int_handler) -> None:
        self.pressed = False
        self._heed = heed
        self._held = True

    def check(self) -> None:
        if self.pressed:
            self.pressed = False
            self._heed(signal.SIGINT, None)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The first press waits for `check`; an impatient second one is not held."""
        self.check()
        self.pressed = True
        if not self._held:
            self.check()

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Within it no press waits: it ends what waits for a server or a model."""
        self._held = False
        try:
            self.check()
            yield
        finally:
            self._held = True


@contextmanager
def held_interrupts() -> Iterator[Interrupts]:
    """Hold Ctrl-C back until it is asked for; a press that nobody asked about comes at the end.

    Nothing changes outside the main thread, or where Ctrl-C is ignored (a script's
    background) or goes to what is not Python.
    """
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not in_main or not callable(before):
        yield Interrupts()
        return
    interrupts = Interrupts(before)
    signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
        if interrupts.pressed:
            signal.raise_signal(signal.SIGINT)
