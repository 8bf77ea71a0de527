"""One server on a port until Ctrl-C, with limits on waiting clients and a guard."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import secrets
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import closing
from http import HTTPStatus
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

import uvicorn
from starlette.responses import Response
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from leafmark.errors import ForbiddenError, LeafmarkError, StorageError, UsageError
from leafmark.render.hint_texts import PROGRAMS
from leafmark.render.jsontext import dump_line
from leafmark.render.terminal import error_record

PROBLEM = "application/problem+json"

_HINTS = {
    401: "send `Authorization: Bearer TOKEN`, with the server's token",
    403: "call it from a page of this server, or from a program that sends no Origin",
    421: "use the address that the server printed when it started",
}
"""What to do about a refused request, by its status."""

MAX_CONNECTIONS = 800
"""Beyond it requests are answered with 503: a process may usually open 1,024 files."""


_NOISE = ("Cancel ", "Unsupported upgrade request", "No supported WebSocket library")
"""Prefixes of log lines that are useless to a reader."""


class Place(NamedTuple):
    """The host and port of a server, and the token that its clients need."""

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
    """Serve until interrupted; `started` gets the address once the port is bound.

    The app is built only then. Requests for `open_paths` need no token.

    Raises:
        UsageError: the host is not this machine's loopback, and there is no token.
        StorageError: the port cannot be bound.
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
        address = f"[{host}]" if ":" in host else host
        started(f"http://{address}:{bound}")
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
        ws="none",  # the guard reads only HTTP requests
        server_header=False,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_useful)
    uvicorn.Server(config).run(sockets=[listener])


def _is_useful(record: logging.LogRecord) -> bool:
    """Whether a line of the log is useful to its reader.

    Lines about streams that the end of the server cuts are not, nor lines about requests for a
    WebSocket, which are answered like any request.
    """
    cut = record.exc_info is not None and record.exc_info[0] is asyncio.CancelledError
    return not cut and not str(record.msg).startswith(_NOISE)


def _reason_of(error: OSError | OverflowError) -> str:
    """Return the system's reason for an error, without the address that Python adds.

    Errors of name resolution and of Windows have other numbers than the usual ones, so that the
    words must come from the error itself.
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


# Idle connections are closed: a client with hundreds of them must not keep others out.
#
# A client may vanish silently, send the head of a request letter by letter, or read nothing of its
# answer. The web server itself would wait for ever. The guard limits the time for the body of a
# request.


HEAD_TIMEOUT_S = 20.0
"""How long the head of a request may take to arrive; browsers open connections ahead."""

WRITE_TIMEOUT_S = 60.0
"""How long a client may take to read a part of its answer."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection of the web server, with a limit for each wait; times chosen by eye."""

    _head_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._update_head_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._head_timer)
        _cancel(self._write_timer)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_write_timer(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        _cancel(self._write_timer)
        super().resume_writing()

    def _update_head_timer(self) -> None:
        """Start the timer unless a request is running; a part of a head does not restart it."""
        if self._has_request():
            _cancel(self._head_timer)
            self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self._end_without_head)

    def _has_request(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _end_without_head(self) -> None:
        self._head_timer = None
        if not self._has_request():
            self.transport.abort()

    def _start_write_timer(self, left: int) -> None:
        self._write_timer = self.loop.call_later(WRITE_TIMEOUT_S, self._check_writing, left)

    def _check_writing(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._start_write_timer(left)
        else:
            self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


# Access over HTTP: by default from loopback names and our own pages; from elsewhere with a token.
#
# The guard runs before everything else. It checks Host and Origin strictly: a web
# page in the user's browser can send requests to this machine but cannot forge
# these headers. Where the server can be reached from elsewhere, every request
# needs the token.


MAX_BODY_BYTES = 1 << 20
"""Most bytes of the body of a request; a text to verify may have half of it."""

BODY_TIMEOUT_S = 30.0
"""How long the body of a request may take to arrive; chosen by eye."""

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)

SIGN_IN = "/sign-in"
"""The path to which a browser sends the token once; a cookie replaces it from then on."""

COOKIE = "leafmark"

_TRUSTED_SITES = frozenset(("same-origin", "none"))
"""Origins of a request, as the browser states them: our page, or the user. A foreign page can ask
for an image or a script without an Origin, and learn something from the time that takes."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
App = Callable[
    [Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


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


class Guard:
    """Admits requests to a loopback name, from our own pages, with the token.

    `names` None admits any name. `open_paths` hold nothing of the documents and need no token. A
    browser that has sent the token once has a cookie instead, which is valid for this guard alone;
    without it a page redirects to the sign-in page.
    """

    def __init__(
        self,
        app: App,
        *,
        port: int,
        names: frozenset[str] | None,
        token: str | None,
        open_paths: frozenset[str] = frozenset(),
    ):
        self._app = app
        self._port = port
        self._names = names
        self._token = token
        self._open_paths = open_paths
        self._session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(scope["headers"], scope.get("path", ""))
        body: deque[Message] = deque()
        if refusal is None:
            try:
                async with asyncio.timeout(BODY_TIMEOUT_S):
                    body = await _read_body(receive)
            except TimeoutError:
                refusal = 408, "the body of the request did not come in time"
            except _TooLargeError:
                refusal = 413, f"the body of the request is over {MAX_BODY_BYTES:,} bytes"
        if refusal is not None and refusal[0] == 401 and _wants_page(scope):
            to_page = _redirect(f"{SIGN_IN}?{urlencode({'to': _address(scope)})}")
            await to_page(scope, receive, send)
        elif refusal is not None:
            await _refusal(*refusal)(scope, receive, send)
        elif self._token and scope["method"] == "POST" and scope["path"] == SIGN_IN:
            await self._sign_in(body)(scope, receive, send)
        elif body[-1]["type"] == "http.request":  # else the client has disconnected
            await self._app(scope, _replay(body, receive), send)

    def refusal(self, headers: list[tuple[bytes, bytes]], path: str = "") -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused, None if it is not."""
        values_by_name: dict[bytes, list[str]] = {}
        for name, value in headers:
            values_by_name.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts, origins = values_by_name.get(b"host", []), values_by_name.get(b"origin", [])
        if len(hosts) != 1 or not self._is_our_host(hosts[0]):
            return 421, "the Host is not this server"
        if len(origins) > 1 or (origins and not self._is_our_page(origins[0], hosts[0])):
            return 403, "the Origin is not allowed"
        return None if path in self._open_paths else self._check_access(values_by_name)

    def _check_access(self, headers: dict[bytes, list[str]]) -> tuple[int, str] | None:
        """Return the refusal of a request for a path that is not open; see `refusal`."""
        is_near = _TRUSTED_SITES.issuperset(headers.get(b"sec-fetch-site", []))
        if not is_near and not _is_followed_link(headers):
            return 403, "the request comes from a foreign page"
        if self._token and not (
            self._has_token(headers.get(b"authorization", [])) or self._is_signed_in(headers)
        ):
            return 401, "the token is missing or wrong"
        return None

    def _is_signed_in(self, headers: Mapping[bytes, list[str]]) -> bool:
        cookies = (cookie for line in headers.get(b"cookie", []) for cookie in line.split(";"))
        pairs = (cookie.strip().partition("=") for cookie in cookies)
        return any(
            name == COOKIE and secrets.compare_digest(value.encode(), self._session.encode())
            for name, _, value in pairs
        )

    def _sign_in(self, body: deque[Message]) -> Response:
        """Check the token of a form; redirect to the page requested before."""
        data = b"".join(message.get("body", b"") for message in body)
        form = dict(parse_qsl(data.decode("latin-1"), encoding="utf-8", errors="surrogateescape"))
        to = form.get("to", "/")
        to = to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"
        header = f"Bearer {form.get('token', '').strip()}".encode("utf-8", "surrogateescape")
        if not self._has_token([header.decode("latin-1")]):
            return _redirect(f"{SIGN_IN}?{urlencode({'to': to, 'wrong': 1})}")
        return _redirect(to, f"{COOKIE}={self._session}; Path=/; HttpOnly; SameSite=Lax")

    def _is_our_host(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        if self._names is None:  # reachable from elsewhere, by unknown names
            return True
        return match[1].lower() in self._names and match[2] in (None, str(self._port))

    def _is_our_page(self, origin: str, own: str) -> bool:
        """Whether a request comes from a page of this server; `own` is the request's Host."""
        scheme, _, host = origin.partition("://")
        match = _HOST.fullmatch(host)
        if scheme not in ("http", "https") or match is None:
            return False
        if self._names is None and host.lower() == own.lower():
            return True
        return match[1].lower() in LOOPBACK_NAMES and match[2] == str(self._port)

    def _has_token(self, values: list[str]) -> bool:
        expected = f"Bearer {self._token}".encode("utf-8", "surrogateescape")
        return len(values) == 1 and secrets.compare_digest(values[0].encode("latin-1"), expected)


def _is_followed_link(headers: Mapping[bytes, list[str]]) -> bool:
    """Whether a person followed a link to a page; the page with the link cannot read ours."""
    return headers.get(b"sec-fetch-mode") == ["navigate"] and headers.get(b"sec-fetch-dest") == [
        "document"
    ]


def _wants_page(scope: Scope) -> bool:
    accepted = b",".join(value for name, value in scope["headers"] if name.lower() == b"accept")
    return scope["method"] == "GET" and b"text/html" in accepted


def _address(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")
    return f"{quote(scope['path'])}{'?' + query if query else ''}"


def _redirect(to: str, cookie: str = "") -> Response:
    headers = {"location": to, "cache-control": "no-store", "content-length": "0"}
    return Response(status_code=303, headers=headers | ({"set-cookie": cookie} if cookie else {}))


class _TooLargeError(Exception):
    """The body of a request is over `MAX_BODY_BYTES`."""


async def _read_body(receive: Callable[[], Awaitable[Message]]) -> deque[Message]:
    """Return the messages up to the end of the body.

    Raises:
        _TooLargeError: it is over `MAX_BODY_BYTES`; the rest is not read.
    """
    messages: deque[Message] = deque()
    size = 0
    while not messages or messages[-1].get("more_body", False):
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
        if size > MAX_BODY_BYTES:
            raise _TooLargeError
    return messages


def _replay(
    read: deque[Message], receive: Callable[[], Awaitable[Message]]
) -> Callable[[], Awaitable[Message]]:
    """Return a `receive` that gives the messages `read` already, then new ones."""

    async def receive_again() -> Message:
        return read.popleft() if read else await receive()

    return receive_again


def problem_record(error: LeafmarkError, status: int) -> dict[str, Any]:
    """Return the record of an error: its status, the status in words, what happened, what to do."""
    record = error_record(error, PROGRAMS)
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    problem = {"type": "about:blank", "title": title, "status": status, "detail": error.message}
    return problem | record


def _refusal(status: int, message: str) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    headers |= {"www-authenticate": "Bearer"} if status == 401 else {}
    headers |= {"connection": "close"} if status in (408, 413) else {}
    body = dump_line(problem_record(_error(status, message), status))
    return Response(body, status, headers, media_type=PROBLEM)


def _error(status: int, message: str) -> LeafmarkError:
    if status in (408, 413):
        return UsageError(message)
    return ForbiddenError(message, hint=_HINTS.get(status))
