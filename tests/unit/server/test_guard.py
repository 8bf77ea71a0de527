"""What may come over HTTP: the Host of this machine, no foreign page, the token where needed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import pytest

from leafmark.server import listening
from leafmark.server.listening import LOOPBACK_NAMES, Guard, is_loopback


async def _never(scope: object, receive: object, send: object) -> None:
    raise AssertionError("not asked")


LOCAL = Guard(_never, port=8000, names=LOOPBACK_NAMES, token=None)
REMOTE = Guard(_never, port=8000, names=None, token="s3cret")


def _headers(host: str | None, origin: str | None = None, **more: str) -> list[tuple[bytes, bytes]]:
    found = [] if host is None else [(b"host", host.encode("latin-1"))]
    found += [] if origin is None else [(b"origin", origin.encode("latin-1"))]
    return found + [(name.encode(), value.encode("latin-1")) for name, value in more.items()]


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000", "localhost"]
)
def test_our_own_names_may_come(host: str) -> None:
    assert LOCAL.refusal(_headers(host)) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "127.0.0.1:80@evil",
        "127.0.0.1:8001",
        "127.0.0.1:8000.evil",
        "localhost.evil:8000",
        "0.0.0.0:8000",
        "127.0.0.1:8000 ",
        "localhost:",
        "localhost:80000000",
    ],
)
def test_other_names_may_not(host: str | None) -> None:
    assert LOCAL.refusal(_headers(host)) == (421, "the Host is not this server")


def test_two_hosts_may_not() -> None:
    twice = _headers("localhost:8000") + _headers("evil.example")
    assert LOCAL.refusal(twice) == (421, "the Host is not this server")


@pytest.mark.parametrize(
    "origin", ["http://localhost:8000", "https://127.0.0.1:8000", "http://[::1]:8000"]
)
def test_our_own_pages_may_come(origin: str) -> None:
    assert LOCAL.refusal(_headers("localhost:8000", origin)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://localhost",
        "http://localhost:8001",
        "file://localhost:8000",
    ],
)
def test_foreign_pages_may_not(origin: str) -> None:
    refused = LOCAL.refusal(_headers("localhost:8000", origin))
    assert refused == (403, "the Origin is not allowed")


def test_the_token_is_needed_where_others_can_come() -> None:
    refused = (401, "the token is missing or wrong")
    assert REMOTE.refusal(_headers("docs.example:8000")) == refused
    assert REMOTE.refusal(_headers("x", authorization="Bearer s3cre")) == refused
    assert REMOTE.refusal(_headers("x", authorization="Bearer s3cret\xff")) == refused
    assert REMOTE.refusal(_headers("x", authorization="Bearer s3cret")) is None


OPEN = Guard(_never, port=8000, names=None, token="s3cret", open_paths=frozenset(("/",)))


def test_an_open_path_needs_no_token_and_may_be_linked_to() -> None:
    assert OPEN.refusal(_headers("x"), "/") is None
    assert OPEN.refusal([*_headers("x"), (b"sec-fetch-site", b"cross-site")], "/") is None
    assert OPEN.refusal(_headers("x"), "/api/search") == (401, "the token is missing or wrong")
    assert OPEN.refusal(_headers("x", "http://evil.example"), "/") == (
        403,
        "the Origin is not allowed",
    )


@pytest.mark.parametrize(
    ("site", "refused"),
    [("same-origin", False), ("none", False), ("same-site", True), ("cross-site", True)],
)
def test_a_foreign_page_may_not_ask_without_an_origin_either(site: str, refused: bool) -> None:
    found = LOCAL.refusal([*_headers("localhost:8000"), (b"sec-fetch-site", site.encode())])
    assert found == ((403, "the request comes from a foreign page") if refused else None)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("docs", False),
    ],
)
def test_what_can_be_reached_from_elsewhere(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


Message = MutableMapping[str, Any]
PART: Message = {"type": "http.request", "body": b"{", "more_body": True}
LAST: Message = {"type": "http.request", "body": b"}", "more_body": False}
GONE: Message = {"type": "http.disconnect"}


def _answers(*messages: Message) -> tuple[list[Message], list[Message]]:
    """Send messages through a guard, and nothing after them; give what the app got, and sent."""
    got: list[Message] = []
    sent: list[Message] = []
    left = list(messages)

    async def receive() -> Message:
        if not left:
            await asyncio.sleep(3600)
        return left.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(scope: object, receive: Any, send: object) -> None:
        got.append(await receive())
        while got[-1].get("more_body"):
            got.append(await receive())

    guard = Guard(app, port=8000, names=LOOPBACK_NAMES, token=None)
    scope: Message = {"type": "http", "headers": _headers("localhost:8000")}
    asyncio.run(guard(scope, receive, send))
    return got, sent


def _refusal(*messages: Message) -> tuple[int, str, str]:
    """Give the status, kind and message with which a guard refuses messages before the app."""
    got, sent = _answers(*messages)
    assert got == []
    error = json.loads(sent[1]["body"])["error"]
    return sent[0]["status"], error["kind"], error["message"]


def test_a_body_comes_through_as_it_was_sent() -> None:
    assert _answers(PART, PART, LAST) == ([PART, PART, LAST], [])


def test_a_client_that_goes_away_within_its_body_is_forgotten() -> None:
    assert _answers(PART, GONE) == ([], [])


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "BODY_TIMEOUT_S", 0.01)
    assert _refusal(PART) == (408, "usage", "the body of the request did not come in time")


def test_a_body_that_is_too_large_is_refused() -> None:
    half: Message = {**PART, "body": b" " * (listening.MAX_BODY_BYTES // 2)}
    assert len(_answers(half, {**half, "more_body": False})[0]) == 2
    for messages in ([half, half, LAST], [half, half, PART, PART]):
        message = "the body of the request is over 1,048,576 bytes"
        assert _refusal(*messages) == (413, "usage", message)
