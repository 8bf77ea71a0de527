"""One writer at a time, across processes; a dead holder holds nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.indexes import SETTINGS, index, search

from leafmark.errors import LockedError, StorageError
from leafmark.index import lock as locks
from leafmark.index import open_reader, open_writer
from leafmark.index.lock import LockHolder, hold_lock, lock_holder, turn_path, was_abandoned

HOLD = """
import sys
from pathlib import Path
from types import SimpleNamespace
from leafmark.index.lock import hold_lock, turn_path, was_abandoned
with hold_lock(Path(sys.argv[1]), timeout_s=0):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process_holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "words\n"})
    lock = tmp_path / "LOCK"
    with another_process_holding(lock) as process:
        holder = lock_holder(lock)
        assert holder is not None
        assert holder.pid == process.pid
        with pytest.raises(LockedError) as caught:
            index(tmp_path, {"b.md": "x\n"})
        message = f"the index is being written by process {process.pid}, for "
        assert caught.value.message.startswith(message)
        assert caught.value.message.endswith(" s")
        assert caught.value.location == str(lock)
        assert caught.value.hint == (
            "searching works meanwhile; `index.lock_timeout_s` says how long to wait"
        )
        assert search(open_reader(tmp_path), "words") == ["t:a.md"]
    assert lock_holder(lock) is None
    index(tmp_path, {"b.md": "x\n"})


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "LOCK"
    with another_process_holding(lock) as process:
        process.kill()
        process.wait(20)
        with hold_lock(lock, timeout_s=0):
            assert lock_holder(lock) == LockHolder(
                os.getpid(), json.loads(lock.read_text())["since"]
            )


def test_waiting_ends_when_the_holder_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "LOCK"
    with another_process_holding(lock) as process:
        assert process.stdin is not None
        stdin = process.stdin

        def sleep(_: float) -> None:
            stdin.close()
            process.wait(20)

        monkeypatch.setattr(
            locks, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=sleep, time=time.time)
        )
        with hold_lock(lock, timeout_s=60):
            assert lock_holder(lock) is not None


def test_waiting_ends_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep, time=time.time)
    monkeypatch.setattr(locks, "time", clock)
    lock = tmp_path / "LOCK"
    with (
        hold_lock(lock, timeout_s=0),
        pytest.raises(LockedError),
        hold_lock(lock, timeout_s=1.02),
    ):
        pass
    assert sum(slept) == pytest.approx(1.02)
    assert max(slept) <= 0.05


@contextmanager
def asking(path: Path) -> Iterator[int]:
    """Be in the middle of asking who holds the lock."""
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield handle
    finally:
        os.close(handle)


posix = pytest.mark.skipif(os.name == "nt", reason="no locks that can be shared")


@posix
def test_who_asks_for_the_holder_is_none(tmp_path: Path) -> None:
    lock = tmp_path / "LOCK"
    lock.write_text('{"pid": 5, "since": 1000}')  # it was killed
    with asking(lock):
        assert lock_holder(lock) is None


@posix
def test_who_asks_for_the_holder_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "LOCK"
    with ExitStack() as asked:
        asked.enter_context(asking(lock))
        clock = SimpleNamespace(
            monotonic=lambda: 0.0, sleep=lambda _: asked.close(), time=time.time
        )
        monkeypatch.setattr(locks, "time", clock)
        with hold_lock(lock, timeout_s=0):
            assert lock_holder(lock) == LockHolder(
                os.getpid(), json.loads(lock.read_text())["since"]
            )


@posix
def test_who_asks_for_the_holder_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep, time=time.time)
    monkeypatch.setattr(locks, "time", clock)
    lock = tmp_path / "LOCK"
    with asking(lock), pytest.raises(LockedError) as caught, hold_lock(lock, timeout_s=0.5):
        pass
    assert now[0] == pytest.approx(1.0)
    assert caught.value.message == "the index is being written by another process"


def test_one_process_cannot_write_twice(tmp_path: Path) -> None:
    with open_writer(tmp_path, SETTINGS), pytest.raises(LockedError, match=f"{os.getpid()}"):
        index(tmp_path, {"a.md": "x\n"})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "another process"),
        ("{", "another process"),
        ("[]", "another process"),
        ('{"pid": 5, "since": 0}', "process 5"),
        ('{"pid": 5, "since": 1000}', "process 5, for 3 s"),
    ],
)
def test_the_holder_is_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str
) -> None:
    (tmp_path / "LOCK").write_text(text)
    monkeypatch.setattr(time, "time", lambda: 1003.0)
    assert str(locks._read_holder(tmp_path / "LOCK")) == name


def test_no_lock_file_means_no_holder(tmp_path: Path) -> None:
    assert lock_holder(tmp_path / "LOCK") is None


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_lock_file_that_is_removed_while_it_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who held the removed one would write beside the next, which makes a file of its own."""
    path = tmp_path / "index" / "LOCK"
    path.parent.mkdir()
    with ExitStack() as stack:
        stack.enter_context(hold_lock(path, timeout_s=0))

        def remove(_: float) -> None:
            path.unlink()
            turn_path(path).unlink()
            path.parent.rmdir()
            stack.close()

        monkeypatch.setattr(time, "sleep", remove)
        with hold_lock(path, timeout_s=1), pytest.raises(LockedError), hold_lock(path, timeout_s=0):
            pass


def test_a_file_system_that_gives_a_file_two_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "samestat", lambda *_: False)
    with (
        hold_lock(tmp_path / "LOCK", timeout_s=0),
        pytest.raises(LockedError),
        hold_lock(tmp_path / "LOCK", timeout_s=0),
    ):
        pass


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError) as caught,
        hold_lock(tmp_path / "none" / "LOCK", timeout_s=0),
    ):
        pass
    assert caught.value.message == "cannot write the index: no such file or directory"


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(locks, "_try_lock", refuse)
    monkeypatch.setattr(locks, "_is_held", refuse)
    (tmp_path / "LOCK").touch()
    assert lock_holder(tmp_path / "LOCK") is None
    with pytest.raises(StorageError) as caught, hold_lock(tmp_path / "LOCK", timeout_s=0):
        pass
    assert caught.value.message == "cannot lock the index: no locks available"


WRITE_AGAIN_AND_AGAIN = """
import sys
from pathlib import Path
from leafmark.errors import LockedError
from leafmark.index.lock import hold_lock, turn_path, was_abandoned
import time
path = Path(sys.argv[1])
print("began", flush=True)
while not path.with_name("stop").exists():
    try:
        with hold_lock(path, timeout_s=0):
            time.sleep(0.02)
    except LockedError:
        time.sleep(0.001)
"""


def test_a_writer_that_waits_gets_its_turn_beside_those_that_do_not(tmp_path: Path) -> None:
    lock = tmp_path / "LOCK"
    others = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_AGAIN_AND_AGAIN, str(lock)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    try:
        for each in others:
            assert each.stdout is not None
            assert each.stdout.readline() == "began\n"
        for _ in range(10):
            with hold_lock(lock, timeout_s=60):
                assert lock_holder(turn_path(lock)) is None
    finally:
        (tmp_path / "stop").touch()
        for each in others:
            each.wait(60)
            assert each.stdout is not None
            each.stdout.close()


def test_who_does_not_wait_lets_pass_who_waits(tmp_path: Path) -> None:
    lock = tmp_path / "LOCK"
    with another_process_holding(lock) as process, another_process_holding(turn_path(lock)):
        with pytest.raises(LockedError) as caught, hold_lock(lock, timeout_s=0):
            pass
        said = caught.value.message
        assert said.startswith(f"the index is being written by process {process.pid}, for ")
        assert said.endswith(" s and others wait")
    with hold_lock(lock, timeout_s=0) as is_left:
        assert not is_left


def test_a_holder_that_was_killed_or_failed_is_noticed(tmp_path: Path) -> None:
    lock = tmp_path / "LOCK"
    with another_process_holding(lock) as process:
        assert not was_abandoned(lock)
        process.kill()
        process.wait(20)
    assert was_abandoned(lock)
    with hold_lock(lock, timeout_s=0) as is_left:
        assert is_left
    assert not was_abandoned(lock)
    with pytest.raises(OSError, match="no room"), hold_lock(lock, timeout_s=0):
        raise OSError("no room")
    assert was_abandoned(lock)
