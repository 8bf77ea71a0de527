"""The process that works for this one: what starts it, what it says, and who may end it."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from leafmark import child
from leafmark.child import (
    await_child,
    end_child,
    receive,
    send,
    start_child,
    take_standard_streams,
)


def answer_doubled() -> None:
    requests, answers = take_standard_streams()
    print("what a library prints is no answer")
    send(answers, 2 * receive(requests))


def test_a_child_greets_and_answers() -> None:
    process = start_child(answer_doubled, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    await_child(process.stdout)
    send(process.stdin, [21])
    assert receive(process.stdout) == [21, 21]
    with pytest.raises(EOFError):
        receive(process.stdout)
    end_child(process)
    assert process.returncode is not None


@pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")
def test_the_keys_of_our_terminal_do_not_reach_it() -> None:
    process = start_child(answer_doubled)
    try:
        assert os.getpgid(process.pid) != os.getpgid(0)
    finally:
        end_child(process)


def test_windows_opens_no_window_for_it() -> None:
    new_process_group, no_window = 0x200, 0x8000000
    assert child._own_group("nt") == {"creationflags": new_process_group | no_window}


@pytest.mark.parametrize("sent", [b"", b"leaf", b"Usage: program [options]"])
def test_another_program_is_no_child(sent: bytes) -> None:
    with pytest.raises(EOFError):
        await_child(io.BytesIO(sent))


def test_a_value_that_is_cut_short_is_no_value() -> None:
    whole = io.BytesIO()
    send(whole, "x" * 100)
    for length in (0, 7, 8, 50):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole.getvalue()[:length]))


def test_a_frozen_program_starts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert child.can_start()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not child.can_start()
