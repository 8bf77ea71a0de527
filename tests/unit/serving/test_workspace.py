"""The project of a server: what is asked for is answered, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from leafmark.app import Project, open_project
from leafmark.serving import workspace
from leafmark.serving.workspace import Workspace

PATIENCE_S = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Workspace:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\ntext\n")
    environ = {"HOME": str(tmp_path), "LEAFMARK_HOME": str(tmp_path / "home")}

    def opened(settings: Mapping[str, object]) -> Project:
        return open_project(tmp_path / "docs", flags=settings, environ=environ)

    return Workspace(opened)


def test_what_is_asked_for_is_fresh(server: Workspace) -> None:
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"


def test_a_bug_is_logged_and_the_next_call_tries_again(
    server: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(workspace, "index_project", broken)
        failed = server.wait(server.ask(), PATIENCE_S)
    assert failed.error is not None
    assert (failed.state, failed.error.message) == (
        "failed",
        "internal error; the server's log says more",
    )
    assert "ZeroDivisionError: a bug" in caplog.text
    assert server.wait(server.ask(), PATIENCE_S).state == "fresh"
