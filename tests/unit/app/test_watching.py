"""What a watcher says of how it watches, and that nothing comes between its looks unseen."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import NoReturn

import pytest
from support.projects import Here

from leafmark.app import Project, Watcher, index_project, session
from leafmark.app.requests import IndexRequest
from leafmark.app.session import NoEventsError
from leafmark.model import IndexReport, WatchEvent


def test_why_there_are_no_events_is_said_again_under_another_configuration(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "POLL_S", 0.1)
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    told: list[str] = []
    stop = threading.Event()

    def tell(event: WatchEvent) -> None:
        if event.kind == "polling":
            told.append(event.message)
            here.configure('[tree.other]\npath = "."\n')
            if len(told) == 2:
                stop.set()

    _run(Watcher(here.project, tell), stop)
    assert told == ['the extra is not installed: pip install "leafmark[watch]"'] * 2


def test_a_folder_that_vanishes_while_another_is_told_missing_is_told_too(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "POLL_S", 0.1)
    here.configure('[tree.a]\npath = "a"\n[tree.b]\npath = "b"\n')
    (here.root / "b").mkdir()
    told: list[str] = []
    stop = threading.Event()

    def tell(event: WatchEvent) -> None:
        if event.kind == "missing":
            told.append(event.message)
            if len(told) == 1:
                (here.root / "b").rmdir()
            else:
                stop.set()

    monkeypatch.setattr(session, "FileEvents", _no_events)
    _run(Watcher(here.project, tell), stop)
    assert told == [
        f"the folder of tree {name!r} is gone; its documents are kept" for name in ("a", "b")
    ]


@pytest.mark.parametrize("late", [1, 2, 3])
def test_a_configuration_that_changes_while_it_is_read_is_read_again(
    here: Here, monkeypatch: pytest.MonkeyPatch, late: int
) -> None:
    monkeypatch.setattr(session, "POLL_S", 0.1)
    here.write("a.md", "# A\n\nfirst\n")
    here.configure('[tree.first]\npath = "."\n')
    opened: list[Project] = []
    stop = threading.Event()

    def open_it() -> Project:
        opened.append(here.project())
        if len(opened) == late:
            here.configure('[tree.last]\npath = "."\n')
        return opened[-1]

    def tell(event: WatchEvent) -> None:
        if event.kind == "polling" and len(opened) == 2 < late:
            here.configure('[tree.second]\npath = "."\n')
        if event.report is not None and "last:a.md" in event.report.added:
            stop.set()

    monkeypatch.setattr(session, "FileEvents", _no_events)
    _run(Watcher(open_it, tell), stop)


def test_ctrl_c_while_what_changed_is_indexed_ends_it(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more look came after the one that was interrupted, and nothing knew of it any more."""
    monkeypatch.setattr(session, "POLL_S", 0.1)
    looks: list[bool] = []

    def index(project: Project, request: IndexRequest, **_: object) -> IndexReport:
        looks.append(len(looks) == 1)
        return index_project(project, request)._replace(interrupted=looks[-1])

    monkeypatch.setattr(session, "index_project", index)
    monkeypatch.setattr(session, "FileEvents", _no_events)
    _run(Watcher(here.project, lambda event: None), threading.Event())
    assert looks == [False, True]


def _no_events(*_: object) -> NoReturn:
    raise NoEventsError("none here")


def _run(watcher: Watcher, stop: threading.Event) -> None:
    """Run it until it stops itself."""
    running = threading.Thread(target=watcher.run, args=(stop,), daemon=True)
    running.start()
    running.join(60)
    assert not running.is_alive()


def test_what_failed_is_tried_again_now_and_then(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    clock = [0.0]

    def index(project: Project, request: IndexRequest, **_: object) -> IndexReport:
        asked.append(request.retry)
        return IndexReport()

    monkeypatch.setattr(session, "index_project", index)
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    upkeep = session.Upkeep()
    for now in (1.0, 2.0, 599.0, 601.0, 602.0):
        clock[0] = now
        upkeep.run(here.project(), IndexRequest())
    assert asked == [True, False, False, True, False]
