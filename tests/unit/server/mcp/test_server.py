"""The protocol's side: how long calls wait for a fresh index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import anyio
import pytest

from leafmark.app import Project
from leafmark.server import workspace
from leafmark.server.mcp import server
from leafmark.server.mcp.server import _Handlers
from leafmark.server.workspace import Freshness, Workspace

CALLS = 40


class Building(Workspace):
    """An index that is never done, a source further with each look."""

    def __init__(self) -> None:
        def no_project(_: Mapping[str, object]) -> Project:
            raise NotImplementedError

        super().__init__(no_project)
        self.looks = 0

    def ask(self) -> int:
        return 1

    def wait(self, number: int, timeout_s: float) -> Freshness:
        assert timeout_s == 0, "a thread is held"
        self.looks += 1
        return Freshness("building", min(self.looks, 60), 100)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    """A clock that goes on where all calls have slept, by as long as one of them does."""
    slept = [0.0]
    pause = anyio.sleep

    async def sleep(seconds: float) -> None:
        slept[0] += seconds / CALLS
        await pause(0)

    monkeypatch.setattr(anyio, "sleep", sleep)
    monkeypatch.setattr(workspace, "time", SimpleNamespace(monotonic=lambda: slept[0]))
    return lambda: slept[0]


def test_many_calls_at_once_wait_no_longer_than_one(clock: Callable[[], float]) -> None:
    handlers = _Handlers(Building())
    states: list[Freshness] = []

    async def call() -> None:
        told: list[float] = []

        async def report(done: float, total: float | None, message: str) -> None:
            assert (total, message) == (100, f"{done} of 100 sources read")
            told.append(done)

        session = SimpleNamespace(report_progress=report)
        states.append(await handlers._wait_for_fresh(SimpleNamespace(session=session)))
        assert told == sorted(set(told)) != []

    async def call_all() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(CALLS):
                group.start_soon(call)

    anyio.run(call_all)
    assert states == [Freshness("building", 60, 100)] * CALLS
    assert server.PATIENCE_S <= clock() < server.PATIENCE_S + 0.1
