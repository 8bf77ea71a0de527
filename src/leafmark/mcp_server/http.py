"""Streamable HTTP: loopback by default, Host and Origin checked, a token elsewhere.

A guard stands before everything else. It reads Host and Origin strictly, since
a web page in the user's browser can send requests to this machine but cannot
forge them; where the server can be reached from elsewhere, every request needs
the token.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import re
import secrets
import socket
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import closing
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from leafmark.errors import StorageError, UsageError
from leafmark.mcp_server.server import make_server
from leafmark.mcp_server.workspace import Workspace

__all__ = ["Guard", "run_http"]

MOST_BODY_BYTES = 1 << 20
"""Of a request; a text to verify has half of it."""

MOST_CONNECTIONS = 800
"""Beyond it requests are answered with 503: a process may usually open 1,024 files."""

BODY_TIMEOUT_S = 30.0
"""In which the body of a request must have come; chosen by eye."""

_LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
App = Callable[
    [Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


def run_http(
    workspace: Workspace,
    *,
    host: str,
    port: int,
    token: str | None,
    started: Callable[[str], None],
) -> None:
    """Serve until interrupted; `started` gets the address once the port is held.

    Raises:
        UsageError: the host is not this machine's loopback, and there is no token.
        StorageError: the port cannot be held.
    """
    loopback = is_loopback(host)
    if not loopback and not token:
        raise UsageError(
            f"{host} can be reached from elsewhere, and there is no token",
            hint="put one into LEAFMARK_TOKEN, or leave out --host",
        )
    app = make_server(workspace).streamable_http_app(
        host=host,
        max_request_body_size=MOST_BODY_BYTES,
        # the guard checks both, more strictly
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    with closing(_listen(host, port)) as listener:
        held = listener.getsockname()[1]
        guard = Guard(app, port=held, names=None if not loopback else _LOOPBACK_NAMES, token=token)
        shown = f"[{host}]" if ":" in host else host
        started(f"http://{shown}:{held}/mcp")
        _serve(guard, listener)


def _serve(guard: Guard, listener: socket.socket) -> None:
    config = uvicorn.Config(
        guard,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=MOST_CONNECTIONS,
        lifespan="on",
    )
    logging.getLogger("uvicorn.error").addFilter(_is_worth_telling)
    uvicorn.Server(config).run(sockets=[listener])


def _is_worth_telling(record: logging.LogRecord) -> bool:
    """Whether a line of the log is; that a server which ends cuts streams short is not."""
    cut = record.exc_info is not None and record.exc_info[0] is asyncio.CancelledError
    return not cut and not str(record.msg).startswith("Cancel ")


def is_loopback(host: str) -> bool:
    """
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        code = error.errno if isinstance(error, OSError) else None
        reason = (os.strerror(code) if code else str(error)).lower()
        raise StorageError(
            f"the port cannot be used: {reason}",
            location=f"{host}:{port}",
            hint="choose another with --port; 0 takes any free one",
        ) from error


class Guard:
    """Lets through what may come: from a loopback name, from no foreign page, with the token."""

    def __init__(self, app: App, *, port: int, names: frozenset[str] | None, token: str | None):
        self._app = app
        self._port = port
        self._names = names
        self._token = token

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(scope["headers"])
        if refusal is None:
            try:
                async with asyncio.timeout(BODY_TIMEOUT_S):
                    body = await _read_body(receive)
            except TimeoutError:
                refusal = 408, "the body of the request did not come in time"
            else:
                if body[-1]["type"] == "http.request":  # else the client is gone
                    await self._app(scope, _replay(body, receive), send)
                return
        await _refuse(send, *refusal)

    def refusal(self, headers: list[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused, None if it is not."""
        found: dict[bytes, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts, origins = found.get(b"host", []), found.get(b"origin", [])
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 421, "the Host is not this server"
        if len(origins) > 1 or (origins and not self._is_our_page(origins[0])):
            return 403, "the Origin is not allowed"
        if self._token and not self._has_token(found.get(b"authorization", [])):
            return 401, "the token is missing or wrong"
        return None

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        if self._names is None:  # reached from elsewhere, by names that we do not know
            return True
        return match[1].lower() in self._names and match[2] in (None, str(self._port))

    def _is_our_page(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        match = _HOST.fullmatch(host)
        if scheme not in ("http", "https") or match is None:
            return False
        return match[1].lower() in _LOOPBACK_NAMES and match[2] == str(self._port)

    def _has_token(self, values: list[str]) -> bool:
        expected = f"Bearer {self._token}".encode("utf-8", "surrogateescape")
        return len(values) == 1 and secrets.compare_digest(values[0].encode("latin-1"), expected)


async def _read_body(receive: Callable[[], Awaitable[Message]]) -> deque[Message]:
    """Return the messages up to the end of the body, or until it is too large."""
    found: deque[Message] = deque()
    size = 0
    while size <= MOST_BODY_BYTES:
        message = await receive()
        found.append(message)
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    return found


def _replay(
    read: deque[Message], receive: Callable[[], Awaitable[Message]]
) -> Callable[[], Awaitable[Message]]:
    """Return a `receive` that gives what was read already, then what comes."""

    async def again() -> Message:
        return read.popleft() if read else await receive()

    return again


async def _refuse(send: Callable[[Message], Awaitable[None]], status: int, message: str) -> None:
    body = message.encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    headers += [(b"www-authenticate", b"Bearer")] if status == 401 else []
    headers += [(b"connection", b"close")] if status == 408 else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
