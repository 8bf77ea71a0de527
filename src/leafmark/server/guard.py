"""Who may come over HTTP: loopback names by default, no foreign page, a token elsewhere.

A guard stands before everything else. It reads Host and Origin strictly, since
a web page in the user's browser can send requests to this machine but cannot
forge them; where the server can be reached from elsewhere, every request needs
the token.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.responses import Response

from leafmark.errors import ForbiddenError, LeafmarkError, UsageError
from leafmark.render.jsontext import dump_line
from leafmark.render.terminal import error_record

MAX_BODY_BYTES = 1 << 20
"""Of a request; a text to verify has half of it."""

BODY_TIMEOUT_S = 30.0
"""In which the body of a request must have come; chosen by eye."""

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)

SIGN_IN = "/sign-in"
"""Where a browser sends the token once; a cookie stands for it from then on."""

COOKIE = "leafmark"

_NEAR = frozenset(("same-origin", "none"))
"""Where a browser says that a request comes from: our page, or the user. A foreign page can ask
for an image or a script without an Origin, and learn something from how long that takes."""

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
    """Lets through what may come: from a loopback name, from no foreign page, with the token.

    `names` None stands for any name. What is at `open_paths` needs no token: it holds nothing of
    the documents. A browser that was given the token once has a cookie instead, which holds for
    this guard alone; without it a page leads to where the token is asked for.
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
        elif body[-1]["type"] == "http.request":  # else the client is gone
            await self._app(scope, _replay(body, receive), send)

    def refusal(self, headers: list[tuple[bytes, bytes]], path: str = "") -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused, None if it is not."""
        found: dict[bytes, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts, origins = found.get(b"host", []), found.get(b"origin", [])
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 421, "the Host is not this server"
        if len(origins) > 1 or (origins and not self._is_our_page(origins[0], hosts[0])):
            return 403, "the Origin is not allowed"
        return None if path in self._open_paths else self._closed(found)

    def _closed(self, found: dict[bytes, list[str]]) -> tuple[int, str] | None:
        """Return why what is not open to everybody is refused; see `refusal`."""
        is_near = _NEAR.issuperset(found.get(b"sec-fetch-site", []))
        if not is_near and not _is_followed_link(found):
            return 403, "the request comes from a foreign page"
        if self._token and not (
            self._has_token(found.get(b"authorization", [])) or self._is_signed_in(found)
        ):
            return 401, "the token is missing or wrong"
        return None

    def _is_signed_in(self, found: Mapping[bytes, list[str]]) -> bool:
        cookies = (one for line in found.get(b"cookie", []) for one in line.split(";"))
        pairs = (one.strip().partition("=") for one in cookies)
        return any(
            name == COOKIE and secrets.compare_digest(value.encode(), self._session.encode())
            for name, _, value in pairs
        )

    def _sign_in(self, body: deque[Message]) -> Response:
        """Take the token from a form; lead back to the page that was asked for."""
        data = b"".join(message.get("body", b"") for message in body)
        form = dict(parse_qsl(data.decode("latin-1"), encoding="utf-8", errors="surrogateescape"))
        to = form.get("to", "/")
        to = to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"
        given = f"Bearer {form.get('token', '').strip()}".encode("utf-8", "surrogateescape")
        if not self._has_token([given.decode("latin-1")]):
            return _redirect(f"{SIGN_IN}?{urlencode({'to': to, 'wrong': 1})}")
        return _redirect(to, f"{COOKIE}={self._session}; Path=/; HttpOnly; SameSite=Lax")

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        if self._names is None:  # reached from elsewhere, by names that we do not know
            return True
        return match[1].lower() in self._names and match[2] in (None, str(self._port))

    def _is_our_page(self, origin: str, own: str) -> bool:
        """Whether a request comes from a page that is served here; `own` is the Host it names."""
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


def _is_followed_link(found: Mapping[bytes, list[str]]) -> bool:
    """Whether a person followed a link to a page; where it stood, nobody can read the page."""
    return found.get(b"sec-fetch-mode") == ["navigate"] and found.get(b"sec-fetch-dest") == [
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
        _TooLargeError: it is over `MAX_BODY_BYTES`; what is left is not read.
    """
    found: deque[Message] = deque()
    size = 0
    while not found or found[-1].get("more_body", False):
        found.append(await receive())
        size += len(found[-1].get("body", b""))
        if size > MAX_BODY_BYTES:
            raise _TooLargeError
    return found


def _replay(
    read: deque[Message], receive: Callable[[], Awaitable[Message]]
) -> Callable[[], Awaitable[Message]]:
    """Return a `receive` that gives what was read already, then what comes."""

    async def again() -> Message:
        return read.popleft() if read else await receive()

    return again


def _refusal(status: int, message: str) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    headers |= {"www-authenticate": "Bearer"} if status == 401 else {}
    headers |= {"connection": "close"} if status in (408, 413) else {}
    body = dump_line(error_record(_error(status, message)))
    return Response(body, status, headers, media_type="application/json")


def _error(status: int, message: str) -> LeafmarkError:
    if status in (408, 413):
        return UsageError(message)
    hint = "send `Authorization: Bearer TOKEN`, with the server's token" if status == 401 else None
    return ForbiddenError(message, hint=hint)
