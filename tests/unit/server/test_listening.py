"""Why a port cannot be held, in the words of the system."""

from __future__ import annotations

import socket

import pytest

from leafmark.errors import StorageError
from leafmark.server.listening import Place, serve

NOT_KNOWN = "Name or service not known"
IN_USE = "Only one usage of each socket address is normally permitted"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (socket.gaierror(-2, NOT_KNOWN), "name or service not known"),
        (
            OSError(10048, f"{IN_USE} (while attempting to bind on address ('127.0.0.1', 1))"),
            "only one usage of each socket address is normally permitted",
        ),
        (OverflowError("bind(): port must be 0-65535."), "bind(): port must be 0-65535."),
    ],
)
def test_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise error

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(StorageError) as caught:
        serve(pytest.fail, Place("127.0.0.1", 1, None), started=pytest.fail)
    assert caught.value.message == f"the port cannot be used: {reason}"
