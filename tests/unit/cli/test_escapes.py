"""A console of Windows is asked to heed escapes; what does not gets none."""

from __future__ import annotations

import io

import pytest
from support.fake_app import Leafmark, Terminal

from leafmark.cli import escapes
from leafmark.cli.escapes import heeds_escapes


class Numbered(io.StringIO):
    def fileno(self) -> int:
        return 1


class Console:
    """A console in a mode (None: it is none), and whether it takes another one."""

    def __init__(self, mode: int | None, *, takes: bool = True):
        self.mode = mode
        self.takes = takes
        self.asked: list[int] = []

    def get(self, descriptor: int) -> int | None:
        return self.mode

    def set(self, descriptor: int, mode: int) -> bool:
        self.asked.append(mode)
        return self.takes


@pytest.mark.parametrize(
    ("mode", "takes", "asked", "heeds"),
    [
        (0b0011, True, [0b0111], True),  # as cmd.exe and PowerShell 5 start a program
        (0b1010, True, [0b1111], True),
        (0b0111, False, [], True),  # as Windows Terminal may
        (0b0011, False, [0b0111], False),  # before Windows 10
        (None, True, [], False),  # NUL
    ],
)
def test_a_console_is_asked_to_heed_escapes(
    mode: int | None, takes: bool, asked: list[int], heeds: bool
) -> None:
    console = Console(mode, takes=takes)
    assert heeds_escapes(Numbered(), console) is heeds
    assert console.asked == asked


def test_what_is_no_console_of_the_system_heeds_what_it_may() -> None:
    assert heeds_escapes(io.StringIO(), Console(0b0011, takes=False))


def test_a_console_that_does_not_gets_neither_colour_nor_links(
    leafmark_run: Leafmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(escapes, "_MODES", Console(0b0011, takes=False))
    monkeypatch.setattr(Terminal, "fileno", lambda self: 1, raising=False)
    assert "\x1b" not in leafmark_run("search", "x", terminal=True).out
