"""Whether a terminal heeds the escapes that colours and links are made of.

A console of Windows prints them as they are until a program asks it to heed them, which
shells do or do not; before Windows 10 none can be asked.
"""

from __future__ import annotations

import sys
from typing import IO, Protocol

__all__ = ["Modes", "heeds_escapes"]

_ASKED_FOR = 0x1 | 0x4
"""That output is processed, and as that of a virtual terminal."""


class Modes(Protocol):
    """What Windows tells of a console, and takes for it."""

    def get(self, descriptor: int) -> int | None:
        """Return the console's mode, None where it is no console."""

    def set(self, descriptor: int, mode: int) -> bool:
        """Say whether the console took the mode."""


def heeds_escapes(terminal: IO[str], modes: Modes | None = None) -> bool:
    """Whether escapes may be printed on a terminal; a console keeps the mode when we are done."""
    modes = modes or _MODES
    if modes is None:
        return True
    try:
        descriptor = terminal.fileno()
    except (OSError, ValueError):  # no console: whoever made it a terminal knows what it heeds
        return True
    mode = modes.get(descriptor)
    if mode is None:  # NUL calls itself a terminal, too
        return False
    return mode & _ASKED_FOR == _ASKED_FOR or modes.set(descriptor, mode | _ASKED_FOR)


_MODES: Modes | None = None

if sys.platform == "win32":

    class _WindowsModes:
        """The modes of this system's consoles."""

        def get(self, descriptor: int) -> int | None:
            import ctypes  # late: needed on a terminal only

            mode = ctypes.c_uint32()
            known = _of_console("GetConsoleMode", descriptor, ctypes.byref(mode))
            return mode.value if known else None

        def set(self, descriptor: int, mode: int) -> bool:
            return _of_console("SetConsoleMode", descriptor, mode)

    def _of_console(function: str, descriptor: int, value: object) -> bool:
        import ctypes
        import msvcrt

        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        return bool(getattr(ctypes.WinDLL("kernel32"), function)(handle, value))

    _MODES = _WindowsModes()
