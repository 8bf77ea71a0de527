"""When files are looked at before a call: by events, by the clock, and after what failed."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace

import pytest
from support.projects import Here

from leafmark.app import session as module
from leafmark.app.session import NoEventsError, Session


class Looked:
    """A session of a project, and how often its files were looked at."""

    def __init__(self, here: Here):
        self.session = Session(lambda _: here.project())
        self.count = 0

    def ask(self) -> int:
        """Ask for what is fresh; return how often files were looked at so far."""

        def look() -> None:
            self.count += 1

        self.session.ensure(self.session.project(), look)
        return self.count


@pytest.fixture
def looked(here: Here) -> Looked:
    here.write("a.md", "# A\n\ntext\n")
    here.index()
    return Looked(here)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTLE_S", 0.0)


def _no_events(*_: object) -> None:
    raise NoEventsError("the system tells of none")


@pytest.mark.usefixtures("settled")
def test_with_events_nobody_looks_until_something_changes(looked: Looked, here: Here) -> None:
    assert [looked.ask() for _ in range(4)] == [1, 2, 2, 2]  # the second begins to listen
    here.write("b.md", "# B\n")
    assert [looked.ask() for _ in range(3)] == [3, 3, 3]
    here.write("new/folder/c.md", "# C\n")
    assert looked.ask() == 4
    os.remove(here.root / "b.md")
    assert looked.ask() == 5
    looked.session.close()


@pytest.mark.usefixtures("settled")
def test_what_a_killed_process_left_to_tell_events_by_is_removed(
    looked: Looked, here: Here
) -> None:
    place = here.project().configuration.directories.cache / "events"
    place.mkdir(parents=True)
    left, running = place / "1-left", place / "2-running"
    left.touch()
    running.touch()
    os.utime(left, (1, 1))
    assert [looked.ask() for _ in range(3)] == [1, 2, 2]
    assert running.exists()
    assert not left.exists()
    looked.session.close()
    assert [*place.iterdir()] == [running]


@pytest.mark.usefixtures("settled")
def test_what_is_no_source_is_no_change(looked: Looked, here: Here) -> None:
    looked.ask()
    assert looked.ask() == 2
    here.write(".git/index", "x")
    assert looked.ask() == 2


def test_after_a_change_each_call_looks_for_a_while(looked: Looked, here: Here) -> None:
    looked.ask()
    looked.ask()
    here.write("b.md", "# B\n")
    assert [looked.ask() for _ in range(3)] == [3, 4, 5]


def test_a_folder_that_was_made_anew_is_looked_at(looked: Looked, here: Here) -> None:
    looked.ask()
    looked.ask()
    shutil.move(here.root, here.root.parent / "old")
    here.root.mkdir()
    assert looked.ask() == 3


def test_without_events_the_clock_says_when(
    looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FileEvents", _no_events)
    now = [1000.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def ask(seconds_later: float, took_s: float) -> bool:
        now[0] += seconds_later
        before = looked.count

        def look() -> None:
            looked.count += 1
            now[0] += took_s

        looked.session.ensure(looked.session.project(), look)
        return looked.count > before

    assert ask(0, 0.1)
    assert ask(0, 0.1)  # there are no events
    assert not ask(0.3, 0.1)
    assert ask(0.2, 60)
    assert not ask(1.9, 60)
    assert ask(0.2, 60)


def test_a_folder_in_the_place_of_a_deleted_one_is_watched(looked: Looked, here: Here) -> None:
    looked.ask()
    looked.ask()
    shutil.rmtree(here.root)
    here.root.mkdir()
    assert looked.ask() == 3
    assert looked.ask() == 4
    here.write("z.md", "# Z\n")
    assert looked.ask() == 5
    looked.session.close()


def test_a_look_that_fails_counts_for_none(looked: Looked) -> None:
    def fail() -> None:
        raise OSError("no")

    looked.ask()
    looked.session.forget()
    with pytest.raises(OSError, match="no"):
        looked.session.ensure(looked.session.project(), fail)
    assert looked.ask() == 2


@pytest.mark.usefixtures("settled")
def test_a_look_forced_is_a_look(looked: Looked) -> None:
    looked.ask()
    looked.ask()
    with looked.session.checking(looked.session.project()):
        pass
    assert looked.ask() == 2
