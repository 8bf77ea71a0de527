"""Ctrl-C is held back, and never lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

import pytest
from support.projects import Here

from leafmark.app import Watcher
from leafmark.app.indexing.interrupts import delayed_interrupts
from leafmark.index import IndexWriter
from leafmark.model import WatchEvent


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def hold(*work: Callable[[], object]) -> None:
    with delayed_interrupts():
        for each in work:
            each()


def fail() -> None:
    raise ValueError("x")


def test_a_press_waits_until_it_is_asked_for_and_comes_once() -> None:
    done = []
    with delayed_interrupts() as interrupts:
        interrupts.check()
        press()
        done.append("after the press")
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        done.append("after it was heeded")
    assert done == ["after the press", "after it was heeded"]


def test_a_press_is_heeded_at_once_where_that_is_said() -> None:
    done: list[str] = []

    def work(*steps: Callable[[], object]) -> None:
        with interrupts.at_once():
            for step in steps:
                step()

    with delayed_interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            work(press, lambda: done.append("after the press"))
        press()
        done.append("held again")
        with pytest.raises(KeyboardInterrupt):
            work(lambda: done.append("after the one that was held"))
    assert done == ["held again"]


def test_a_press_that_nobody_asked_about_comes_at_the_end() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        hold(press, lambda: done.append("all that was held"))
    assert done == ["all that was held"]


def test_a_press_comes_at_the_end_of_what_failed_too() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        hold(press, fail)
    assert isinstance(caught.value.__context__, ValueError)


def test_a_second_press_is_not_held() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        hold(press, press, fail)
    assert caught.value.__context__ is None


def test_a_program_that_has_its_own_way_with_a_press_gets_it() -> None:
    given: list[int] = []

    def heed(number: int, frame: FrameType | None) -> None:
        given.append(number)

    before = signal.signal(signal.SIGINT, heed)
    try:
        with delayed_interrupts():
            press()
            assert given == []
        assert given == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_its_own_way_is_gone_where_a_press_is_asked_for_and_the_work_goes_on() -> None:
    given: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: given.append(number))
    try:
        with delayed_interrupts() as interrupts:
            for presses in (1, 2, 3):
                press()
                interrupts.check()
                assert len(given) == presses
        assert len(given) == 3
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_ends_at_a_press_at_once_still_does() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        with delayed_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_ignores_a_press_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with delayed_interrupts() as interrupts:
            press()
            interrupts.check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_press_while_the_index_is_committed_ends_a_watcher(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asks between the commit and the next look, which may not come for minutes."""
    here.write("a.md", "# A\n\nfirst\n")
    here.index()
    here.write("b.md", "# B\n\nsecond\n")
    commit = IndexWriter.commit
    stop = threading.Event()

    def pressed(writer: IndexWriter, *, started_ns: int) -> object:
        press()
        return commit(writer, started_ns=started_ns)

    def tell(event: WatchEvent) -> None:
        stop.set()

    with monkeypatch.context() as patch:
        patch.setattr(IndexWriter, "commit", pressed)
        with pytest.raises(KeyboardInterrupt):
            Watcher(here.project, tell).run(stop)
    assert here.index().added == ()
