"""How far a run is, on one line of a terminal that is drawn over again."""

from __future__ import annotations

from collections.abc import Callable

from leafmark.render.terminal import Style, clean_line, shorten

__all__ = ["ProgressLine"]

_INTERVAL_S = 0.1
"""Time between two drawings; chosen by eye."""


class ProgressLine:
    """Draws `reading 120 of 800` by `write`; `clock` gives seconds that only grow."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float], style: Style):
        self._write = write
        self._clock = clock
        self._width = (style.width or 80) - 1
        self._due = clock() + _INTERVAL_S
        self._drawn = False

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Draw, unless the last drawing is too recent: short runs never draw at all."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _INTERVAL_S
        count = f"{done:,} of {total:,}" if total else f"{done:,}"
        self._write("\r\x1b[K" + shorten(f"{clean_line(doing)} {count}", self._width))
        self._drawn = True

    def clear(self) -> None:
        """Take the line away, so that what is printed next starts on a clean one."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False
