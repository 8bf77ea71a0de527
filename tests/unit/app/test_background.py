"""Work beside an answer: what is told where it fails, and the end of the program."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest

from leafmark.app import background
from leafmark.app.background import Deadline, DeadlineExceeded, begin
from leafmark.errors import ProviderError

PROGRAM = """
import threading
from leafmark.app.background import begin

begun = threading.Event()

def work():
    begun.set()
    threading.Event().wait({seconds})
    print("done", flush=True)

begin("model", work, waited_for={waited_for})
begun.wait()
"""


@pytest.mark.parametrize(
    ("waited_for", "seconds", "said"), [(True, 0.2, "done\n"), (False, 100, "")]
)
def test_the_end_of_the_program_waits(waited_for: bool, seconds: float, said: str) -> None:
    program = PROGRAM.format(waited_for=waited_for, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (said, "")


class PanicException(BaseException):
    """What a library in Rust raises when it panics: no `Exception`."""


@pytest.mark.parametrize("kind", [ValueError, PanicException, SystemExit])
def test_whatever_stops_the_work_is_told(kind: type[BaseException]) -> None:
    def work() -> None:
        raise kind("no")

    error = begin("model", work).exception(60)
    assert isinstance(error, ProviderError)
    assert error.message == f"the model failed: {kind.__name__}: no"


def test_the_end_waits_for_no_thread_that_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(background, "RUNNING", set())
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="new thread"):
            begin("model", lambda: None)
    background.wait_for_all()


def test_what_is_done_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """However early it is done: here before `start` returns."""
    start = threading.Thread.start

    def start_and_end(thread: threading.Thread) -> None:
        start(thread)
        thread.join()

    kept: set[threading.Thread] = set()
    monkeypatch.setattr(background, "RUNNING", kept)
    monkeypatch.setattr(threading.Thread, "start", start_and_end)
    assert begin("model", lambda: 1).result(60) == 1
    assert kept == set()


def asked_under(lock: threading.Lock, patience: Deadline) -> Future[int]:
    def ask() -> int:
        with patience.holding(lock):
            return 1

    return begin("model", ask)


def test_no_thread_waits_for_a_model_longer_than_its_search() -> None:
    lock = threading.Lock()
    with lock:
        waiting = [asked_under(lock, Deadline(0.0)) for _ in range(5)]
        assert {type(each.exception(60)) for each in waiting} == {DeadlineExceeded}


def test_a_model_is_not_asked_for_a_search_that_is_over() -> None:
    lock, patience = threading.Lock(), Deadline(0.0)
    with pytest.raises(TimeoutError):
        patience.result_of(Future())
    assert isinstance(asked_under(lock, patience).exception(60), DeadlineExceeded)
    assert not lock.locked()


def test_what_is_there_counts_after_the_deadline() -> None:
    """As for a search that brings the index up to date meanwhile."""
    patience = Deadline(0.0)
    asked = asked_under(threading.Lock(), patience)
    assert asked.exception(60) is None
    assert patience.result_of(asked) == 1
