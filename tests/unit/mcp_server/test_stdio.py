"""How a conversation over standard input and output ends."""

from __future__ import annotations

import signal
from typing import Any, cast

import pytest

from leafmark import errors
from leafmark.mcp_server import stdio


def test_on_windows_a_client_that_is_gone_is_an_invalid_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raised = [OSError(22, "Invalid argument"), BrokenPipeError()]

    def run(_: object) -> None:
        raise BaseExceptionGroup("of tasks", [ExceptionGroup("inner", raised)])

    monkeypatch.setattr("anyio.run", run)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(BaseExceptionGroup) as caught:
        stdio.run_stdio(cast("Any", None), 1)
    assert caught.group_contains(OSError, match="Invalid argument")
    assert not caught.group_contains(BrokenPipeError)
    monkeypatch.setattr(errors, "_WINDOWS", True)
    stdio.run_stdio(cast("Any", None), 1)
