"""What a watcher says of how it watches."""

from __future__ import annotations

import sys
import threading

import pytest
from support.projects import Here

from leafmark.app import Watcher
from leafmark.model import WatchEvent


def test_without_the_extra_nothing_is_said_of_events(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    told: list[WatchEvent] = []
    stop = threading.Event()

    def tell(event: WatchEvent) -> None:
        told.append(event)
        if event.kind != "indexed":
            stop.set()

    Watcher(here.project, tell).run(stop)
    assert [(event.kind, event.message) for event in told if event.kind != "indexed"] == [
        ("polling", 'the extra is not installed: pip install "leafmark[watch]"')
    ]
