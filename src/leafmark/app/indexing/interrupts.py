"""Delay Ctrl-C until a safe place: between two sources, never inside the writer.

While nothing is written, as when waiting for a server, it takes effect at once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]


class Interrupts:
    """Records Ctrl-C; `check` then runs the program's handler.

    The default one raises KeyboardInterrupt; a program that uses leafmark may have its own.
    """

    def __init__(self, handler: Handler = signal.default_int_handler) -> None:
        self.pressed = False
        self._handler = handler
        self._delayed = True

    def check(self) -> None:
        if self.pressed:
            self.pressed = False
            self._handler(signal.SIGINT, None)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Delay the first press until `check`; a second one before that takes effect at once."""
        self.check()
        self.pressed = True
        if not self._delayed:
            self.check()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let a press take effect at once in the body, which waits for a server or a model."""
        self._delayed = False
        try:
            self.check()
            yield
        finally:
            self._delayed = True


@contextmanager
def delayed_interrupts() -> Iterator[Interrupts]:
    """Delay Ctrl-C until `check`; a press that was never checked takes effect at the end.

    Nothing changes outside the main thread, or if Ctrl-C is ignored (a script's background) or
    its handler is not Python.
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
