"""`leafmark serve`: which path a request names, with which arguments, how long the answer may take.

What is slow runs in threads, a few at a time; a client that is gone is forgotten,
and its call is not begun. No path of a request is joined to one of a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from importlib.resources import files
from threading import Event
from typing import Any
from urllib.parse import parse_qsl

from leafmark.errors import LeafmarkError, NotFoundError, UsageError, refusal_of
from leafmark.render.jsontext import dump_line
from leafmark.server.guard import Scope
from leafmark.server.listening import Place, serve
from leafmark.server.parameters import Parameter, check_arguments
from leafmark.server.web.calls import ChangedError, Request
from leafmark.server.web.openapi import describe
from leafmark.server.web.replies import PAGE_POLICY, Reply, failed, send_reply
from leafmark.server.web.routes import ROUTES, Route
from leafmark.server.web.threads import Threads
from leafmark.server.workspace import INTERNAL_ERROR, Freshness, Workspace
from leafmark.suggest import nearest

__all__ = ["OPEN_PATHS", "Site", "read_query", "run_web"]

log = logging.getLogger("leafmark.server.web")

PATIENCE_S = 3.0
"""How long a call waits for a fresh index before it answers from the one there is."""

ANSWER_TIMEOUT_S = 60.0
"""In which an answer must be there; chosen by eye."""

MOST_WAITING = 400
"""Calls that wait for one another; beyond it they are answered with 503."""

_THREADS = 4
_MOST_ARGUMENTS = 100

_PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/app.js": ("app.js", "text/javascript; charset=utf-8"),
    "/source.js": ("source.js", "text/javascript; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
}
_DESCRIPTION = "/openapi.json"

OPEN_PATHS = frozenset((*_PAGES, _DESCRIPTION))
"""What holds nothing of the documents."""


def run_web(workspace: Workspace, place: Place, *, started: Callable[[str], None]) -> None:
    """Serve until interrupted; `started` gets the address once the port is held.

    Raises:
        UsageError, StorageError: see `serve`.
    """
    serve(
        lambda: Site(workspace),
        place,
        started=lambda address: started(f"{address}/"),
        open_paths=OPEN_PATHS,
    )


class Site:
    """The ASGI application."""

    def __init__(self, workspace: Workspace):
        workspace.ask()  # and not waited for
        self._workspace = workspace
        self._threads = Threads(_THREADS)
        self._waiting = 0
        self._routes = {route.path: route for route in ROUTES}
        self._fixed = {path: _page(*page) for path, page in _PAGES.items()}
        self._fixed[_DESCRIPTION] = Reply(
            dump_line(describe(ROUTES)).encode(), headers=(("cache-control", "no-cache"),)
        )

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[..., Any]
    ) -> None:
        if scope["type"] != "http":
            return
        reply = await self._reply(scope, receive)
        if reply is not None:
            await send_reply(send, reply, head=scope["method"] == "HEAD")

    async def _reply(self, scope: Scope, receive: Callable[[], Awaitable[Any]]) -> Reply | None:
        """Return the answer to a request; None where nobody waits for it any more."""
        path = scope["path"]
        if path not in self._routes and path not in self._fixed:
            near = nearest(path, [*self._routes, *self._fixed])
            return failed(NotFoundError(f"there is nothing at {path}", did_you_mean=near))
        if scope["method"] not in ("GET", "HEAD"):
            refused = failed(
                UsageError(f"{scope['method']} is not allowed for {path}: use GET"), 405
            )
            return refused._replace(headers=(("allow", "GET, HEAD"),))
        if path in self._fixed:
            return self._fixed[path]
        if self._waiting >= MOST_WAITING:
            return failed(UsageError("too many requests at once", hint="ask again"), 503)
        self._waiting += 1
        try:
            left = Event()
            answer = self._answer(self._routes[path], scope, left)
            return await self._while_there(answer, receive, left)
        finally:
            self._waiting -= 1

    async def _while_there(
        self, answer: Any, receive: Callable[[], Awaitable[Any]], left: Event
    ) -> Reply | None:
        """Wait for an answer until it is there, its client is gone, or it takes too long."""
        answering = asyncio.ensure_future(answer)
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            done, _ = await asyncio.wait(
                (answering, leaving),
                timeout=ANSWER_TIMEOUT_S,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if answering in done:
                return answering.result()  # type: ignore[no-any-return]
            if leaving in done:
                return None
            return failed(UsageError("the answer took too long", hint="ask for less"), 504)
        finally:
            left.set()
            answering.cancel()
            leaving.cancel()

    async def _answer(self, route: Route, scope: Scope, left: Event) -> Reply:
        try:
            arguments = read_query(route.parameters, scope["query_string"])
            state = await self._fresh(route, arguments)
            return await asyncio.wrap_future(
                self._threads.run(lambda: self._call(route, arguments, state, left))
            )
        except LeafmarkError as error:
            return failed(error, 409 if isinstance(error, ChangedError) else None)
        except Exception as error:
            refused = refusal_of(error)
            if refused is not None:
                return failed(refused, 503)
            log.exception("%s failed", route.path)  # a bug; the server answers on
            return failed(LeafmarkError(INTERNAL_ERROR), 500)

    async def _fresh(self, route: Route, arguments: dict[str, Any]) -> Freshness:
        """Wait for a fresh index, but not for long."""
        if not route.refreshed or arguments["no_refresh"]:
            return Freshness("fresh")
        return await self._workspace.freshened(PATIENCE_S, asyncio.sleep)

    def _call(
        self, route: Route, arguments: dict[str, Any], state: Freshness, left: Event
    ) -> Reply:
        try:
            return route.run(Request(self._workspace, arguments, state, left))
        except NotFoundError as error:
            if state.state == "building":
                return failed(state.explain(error), 503)
            raise state.explain(error) from error


async def _gone(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _page(name: str, media_type: str) -> Reply:
    body = files("leafmark.server.web").joinpath("page", name).read_bytes()
    policy = (("cache-control", "no-cache"), ("content-security-policy", PAGE_POLICY))
    return Reply(body, media_type, headers=policy)


def read_query(parameters: tuple[Parameter, ...], query: bytes) -> dict[str, Any]:
    """Return the arguments of a query string, checked.

    Raises:
        UsageError: it is no UTF-8, or an argument is unknown, missing or not acceptable.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_ARGUMENTS,
        )
    except UnicodeDecodeError:
        raise UsageError("the arguments are not UTF-8, percent-encoded") from None
    except ValueError:
        raise UsageError(f"there are more than {_MOST_ARGUMENTS} arguments") from None
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    kinds = {each.name: each.kind for each in parameters}
    values = {
        name: _typed(name, kinds.get(name, "strings"), texts) for name, texts in given.items()
    }
    return check_arguments(parameters, values)


def _typed(name: str, kind: str, texts: list[str]) -> Any:
    """Return the texts as the value of a kind; what is none stays a text, to be refused."""
    if kind == "strings":
        return texts
    if len(texts) > 1:
        raise UsageError(f"`{name}` is given {len(texts)} times", hint="give it once")
    text = texts[0]
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind == "integer" and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return text
