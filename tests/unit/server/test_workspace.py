"""The project of a server: what is asked for is answered, whatever goes wrong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from leafmark.app import Project, list_documents, open_project, session
from leafmark.app.indexing import embedding
from leafmark.app.indexing.embedding import Embedded
from leafmark.app.requests import ListRequest
from leafmark.server import workspace
from leafmark.server.workspace import Freshness, Workspace

PATIENCE_S = 60.0


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\ntext\n")
    return folder


def serve(docs: Path, **flags: object) -> Workspace:
    environ = {"HOME": str(docs.parent), "LEAFMARK_HOME": str(docs.parent / "home")}

    def opened(settings: Mapping[str, object]) -> Project:
        return open_project(docs, flags=flags | dict(settings), environ=environ)

    return Workspace(opened)


@pytest.fixture
def server(docs: Path) -> Workspace:
    return serve(docs)


def test_what_is_asked_for_is_fresh(server: Workspace) -> None:
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"


class PanicException(BaseException):
    """What the engine raises when it panics: no `Exception`."""


@pytest.mark.parametrize("kind", [ZeroDivisionError, PanicException])
def test_a_bug_is_logged_and_the_next_call_tries_again(
    kind: type[BaseException],
    server: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise kind("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(session, "index_project", broken)
        failed = server.wait(server.ask(), PATIENCE_S)
    assert failed.error is not None
    assert (failed.state, failed.error.message) == (
        "failed",
        "internal error; the server's log says more",
    )
    assert f"{kind.__name__}: a bug" in caplog.text
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"


@pytest.mark.parametrize("kind", [ZeroDivisionError, PanicException])
def test_vectors_are_made_again_after_a_bug(
    kind: type[BaseException], docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(docs, **{"embedding.provider": "minilm"})
    threads: SimpleQueue[threading.Thread] = SimpleQueue()

    def broken(_: Project) -> None:
        threads.put(threading.current_thread())
        raise kind("a bug")

    monkeypatch.setattr(workspace, "make_vectors", broken)
    for _ in range(2):
        assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
        threads.get(timeout=PATIENCE_S).join(PATIENCE_S)


def test_without_a_thread_the_next_call_tries_again(
    server: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All calls after it waited for a run that was never begun."""

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError, match="new thread"):
            server.ask()
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"


def test_nobody_waits_for_a_model(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(docs, **{"embedding.provider": "minilm"})
    answers, asked = threading.Event(), threading.Semaphore(0)

    def silent(*_: object, **__: object) -> Embedded:
        asked.release()
        answers.wait(2 * PATIENCE_S)
        return Embedded()

    monkeypatch.setattr(embedding, "embed_project", silent)
    try:
        assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
        assert asked.acquire(timeout=PATIENCE_S)
        (docs / "b.md").write_text("# B\n\nmore\n")
        assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
        held = list_documents(server.project(), ListRequest(refresh=False))
        assert [entry.path for entry in held] == ["a.md", "b.md"]
        assert not asked.acquire(blocking=False)  # one at a time
    finally:
        answers.set()
    assert asked.acquire(timeout=PATIENCE_S)


class Clock:
    """Goes on while somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now = 0.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr(workspace, "time", clock)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Steps(Workspace):
    """Goes from state to state with each look, and stays at the last."""

    def __init__(self, *states: Freshness):
        self.states = list(states)

    def ask(self) -> int:
        return 1

    def wait(self, number: int, timeout_s: float) -> Freshness:
        assert (number, timeout_s) == (1, 0)
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def test_an_index_is_waited_for_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    building = Steps(Freshness("building", 1, 9))
    state = asyncio.run(building.wait_async(2.0, clock.sleep))
    assert state == Freshness("building", 1, 9)
    assert 2.0 <= clock.now < 2.1


def test_what_is_waited_for_is_told_and_not_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [Freshness("building"), Freshness("building", 1, 2), Freshness("fresh")]
    told: list[Freshness] = []

    async def tell(state: Freshness) -> None:
        told.append(state)

    clock = Clock(monkeypatch)
    assert asyncio.run(Steps(*steps).wait_async(2.0, clock.sleep, tell)) == steps[-1]
    assert told == steps[:-1]
    assert asyncio.run(Steps(steps[-1]).wait_async(2.0, clock.sleep, tell)) == steps[-1]
    assert told == steps[:-1]
