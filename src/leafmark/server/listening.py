"""A port that is held, and one server on it until Ctrl-C."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any, Literal, NamedTuple

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from leafmark.errors import StorageError, UsageError
from leafmark.server.guard import LOOPBACK_NAMES, App, Guard, is_loopback

MAX_CONNECTIONS = 800
"""Beyond it requests are answered with 503: a process may usually open 1,024 files."""


_UNTOLD = ("Cancel ", "Unsupported upgrade request", "No supported WebSocket library")
"""What lines of the log begin with that are of no use to who reads them."""


class Place(NamedTuple):
    """Where a server listens, and what whoever comes must know."""

    host: str
    port: int
    token: str | None


def serve(
    make_app: Callable[[], App],
    place: Place,
    *,
    started: Callable[[str], None],
    open_paths: frozenset[str] = frozenset(),
    lifespan: Literal["on", "off"] = "off",
) -> None:
    """Serve until interrupted; `started` gets the address once the port is held.

    The app is made only then. What is at `open_paths` is there without the token.

    Raises:
        UsageError: the host is not this machine's loopback, and there is no token.
        StorageError: the port cannot be held.
    """
    host, port, token = place
    loopback = is_loopback(host)
    if not loopback and not token:
        raise UsageError(
            f"{host} can be reached from elsewhere, and there is no token",
            hint="put one into LEAFMARK_TOKEN, or leave out --host",
        )
    with closing(_listen(host, port)) as listener:
        bound = listener.getsockname()[1]
        guard = Guard(
            make_app(),
            port=bound,
            names=LOOPBACK_NAMES if loopback else None,
            token=token,
            open_paths=open_paths,
        )
        shown = f"[{host}]" if ":" in host else host
        started(f"http://{shown}:{bound}")
        _run(guard, listener, lifespan)


def _run(guard: Guard, listener: socket.socket, lifespan: Literal["on", "off"]) -> None:
    config = uvicorn.Config(
        guard,
        http=Connection,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=MAX_CONNECTIONS,
        lifespan=lifespan,
        ws="none",  # the guard reads requests of HTTP
        server_header=False,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_worth_telling)
    uvicorn.Server(config).run(sockets=[listener])


def _is_worth_telling(record: logging.LogRecord) -> bool:
    """Whether a line of the log is.

    That a server which ends cuts streams short is not, nor that somebody asked for a
    WebSocket, which is answered as any request.
    """
    cut = record.exc_info is not None and record.exc_info[0] is asyncio.CancelledError
    return not cut and not str(record.msg).startswith(_UNTOLD)


def _reason_of(error: OSError | OverflowError) -> str:
    """Return why the system refused, in its own words, without the address that Python adds.

    Those of another list than the usual errors, as of names and on Windows, are found by no number.
    """
    reason = getattr(error, "strerror", None) or str(error)
    return reason.partition(" (while attempting")[0].lower()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise StorageError(
            f"the port cannot be used: {_reason_of(error)}",
            location=f"{host}:{port}",
            hint="choose another with --port; 0 takes any free one",
        ) from error


# Connections on which nothing moves are closed; whoever holds hundreds must not keep others out.
#
# A client may vanish without a word, send a head of a request letter by letter, or take nothing
# of its answer. The web server itself waits for all of that for ever. The time for the body of a
# request is the guard's.


HEAD_TIMEOUT_S = 20.0
"""In which the head of a request must have come; browsers open connections ahead."""

TAKE_TIMEOUT_S = 60.0
"""In which a client must have taken something of its answer."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection of the web server, with an end to all waiting; times chosen by eye."""

    _head: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _stop(self._head)
        _stop(self._taking)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_taking(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        _stop(self._taking)
        super().resume_writing()

    def _await_head(self) -> None:
        """Begin to wait, unless there is a request; a part of its head gives no more time."""
        if self._has_request():
            _stop(self._head)
            self._head = None
        elif self._head is None:
            self._head = self.loop.call_later(HEAD_TIMEOUT_S, self._end_without_head)

    def _has_request(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _end_without_head(self) -> None:
        self._head = None
        if not self._has_request():
            self.transport.abort()

    def _await_taking(self, left: int) -> None:
        self._taking = self.loop.call_later(TAKE_TIMEOUT_S, self._check_taking, left)

    def _check_taking(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._await_taking(left)
        else:
            self.transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
