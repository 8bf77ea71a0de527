"""Connections on which nothing moves are closed, and others are not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

uvicorn = pytest.importorskip("uvicorn")

from uvicorn.server import ServerState  # noqa: E402

from leafmark.server import listening  # noqa: E402
from leafmark.server.listening import Connection  # noqa: E402

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SHORT, LONG = 0.01, 3600.0

Client = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]


def run(client: Client, body: bytes = b"otter") -> Any:
    """Return what a client finds that connects to a server which answers with `body`."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        size = str(len(body)).encode()
        headers = [(b"content-length", size)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def main() -> Any:
        config = uvicorn.Config(app, http=Connection, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            try:
                return await client(reader, writer)
            finally:
                writer.transport.abort()
                while state.connections:
                    await asyncio.sleep(0)

    return asyncio.run(main())


async def _read_all(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("sent", [b"", b"GET / HT", REQUEST + b"GET / HT"])
def test_who_sends_no_whole_head_is_cut_off(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(listening, "HEAD_TIMEOUT_S", SHORT)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(sent)
        return await _read_all(reader)

    assert run(client).count(b"otter") == (REQUEST in sent)


def test_more_letters_of_a_head_give_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_TIMEOUT_S", SHORT)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"GET / HTTP/1.1\r\n")
        while not reader.at_eof() and reader.exception() is None:
            writer.write(b"X: y\r\n")
            await asyncio.sleep(0)
        return await _read_all(reader)

    assert run(client) == b""


def test_requests_one_after_another_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_TIMEOUT_S", LONG)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> list[bytes]:
        found = []
        for _ in range(3):
            for part in (REQUEST[:9], REQUEST[9:]):
                writer.write(part)
                await asyncio.sleep(0)
            found.append(await reader.readuntil(b"otter"))
        return found

    assert len(run(client)) == 3


@pytest.mark.parametrize("takes", [False, True])
def test_who_takes_nothing_of_an_answer_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, takes: bool
) -> None:
    monkeypatch.setattr(listening, "WRITE_TIMEOUT_S", LONG if takes else SHORT)
    body = bytes(30_000_000)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        writer.write(REQUEST)
        if not takes:
            await asyncio.sleep(10 * SHORT)
            while writer.transport.get_extra_info("socket").fileno() >= 0:
                found = await _read_all(reader)
                break
            return len(found)
        return len(await reader.readexactly(len(body)))

    assert (run(client, body) == len(body)) == takes


def test_who_takes_little_at_a_time_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "WRITE_TIMEOUT_S", LONG)
    calls: list[float] = []

    class Loop:
        def call_later(self, delay: float, function: Callable[..., None], *values: Any) -> object:
            calls.append(values[0])
            return object()

    class Transport:
        left = 100
        aborted = False

        def get_write_buffer_size(self) -> int:
            return self.left

        def abort(self) -> None:
            self.aborted = True

    connection = Connection.__new__(Connection)
    connection.loop, connection.transport = Loop(), Transport()
    connection._start_write_timer(100)
    connection.transport.left = 60
    connection._check_writing(100)
    assert (calls, connection.transport.aborted) == ([100, 60], False)
    connection._check_writing(60)
    assert connection.transport.aborted
