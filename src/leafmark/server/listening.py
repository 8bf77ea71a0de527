"""A port that is held, and one server on it until Ctrl-C."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Literal, NamedTuple

import uvicorn

from leafmark.errors import StorageError, UsageError
from leafmark.server.connections import Connection
from leafmark.server.guard import LOOPBACK_NAMES, App, Guard, is_loopback

__all__ = ["Place", "serve"]

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
        held = listener.getsockname()[1]
        guard = Guard(
            make_app(),
            port=held,
            names=LOOPBACK_NAMES if loopback else None,
            token=token,
            open_paths=open_paths,
        )
        shown = f"[{host}]" if ":" in host else host
        started(f"http://{shown}:{held}")
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
    told = getattr(error, "strerror", None) or str(error)
    return told.partition(" (while attempting")[0].lower()


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
