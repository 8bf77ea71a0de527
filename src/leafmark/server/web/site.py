"""`leafmark serve`: the routes of requests, their arguments, and the time that answers may take.

Slow work runs in a few threads. A call whose client has disconnected before it began is not run.
No path of a request is joined to the path of a file.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.resources import files
from threading import Event
from typing import Any
from urllib.parse import parse_qs, parse_qsl

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as HttpRoute

from leafmark.app import Project
from leafmark.errors import ChangedError, LeafmarkError, NotFoundError, UsageError, refusal_of
from leafmark.model import ClusterState
from leafmark.render.jsontext import dump_line, fields_of
from leafmark.server.listening import SIGN_IN, Place, Scope, is_loopback, serve
from leafmark.server.parameters import Arguments, Parameter, check_arguments
from leafmark.server.web.calls import HTML, Reply, Request, json_reply, problem, respond, status_of
from leafmark.server.web.jobs import RevisionJobs, Threads, TooManyError
from leafmark.server.web.lab import lab_page
from leafmark.server.web.pages import changes_page, document_page, help_page, status_page
from leafmark.server.web.routes import ROUTES, Route, describe
from leafmark.server.web.search_page import search_page, why_page
from leafmark.server.web.visits import EDITORS, Address, Visit, render_page
from leafmark.server.workspace import INTERNAL_ERROR, Activity, Freshness, Workspace
from leafmark.suggest import nearest

log = logging.getLogger("leafmark.server.web")

PATIENCE_S = 3.0
"""How long a call waits for a fresh index before it answers from the present one."""

PAGE_PATIENCE_S = 0.3
"""How long a page waits for a fresh index: it hears of changes later, and shows them."""

REVISION_PATIENCE_S = 1.5
"""How long a page waits for a revision; after that it shows the progress."""

ANSWER_TIMEOUT_S = 60.0
"""How long an answer may take; chosen by eye."""

MAX_WAITING = 400
"""Most calls that wait at once; further calls are answered with 503."""

MAX_LISTENERS = 100
"""Most pages that listen for changes at once."""

TICK_S = 0.25
LOOK_S = 2.0
"""How often progress is sent to a listening page, and sources are checked for changes."""

HEARTBEAT_S = 15.0

_PUBLIC_CLUSTER_FIELDS = "status", "nodes", "missing_shards"
"""The fields of a cluster's state that need no token."""

METRICS = "text/plain; version=0.0.4; charset=utf-8"

_THREADS = 4
_MAX_ARGUMENTS = 100

_PAST_PAGES = frozenset(("/", "/doc", "/lab", "/why"))
"""Pages that can show documents as they were at a revision."""

_FILES = {
    "/style.css": "text/css; charset=utf-8",
    "/page.js": "text/javascript; charset=utf-8",
    "/icon.svg": "image/svg+xml",
}
_DESCRIPTION = "/openapi.json"

OPEN_PATHS = frozenset((*_FILES, _DESCRIPTION, "/health", SIGN_IN))
"""Paths whose answers hold nothing of the documents."""


def run_web(workspace: Workspace, place: Place, *, started: Callable[[str], None]) -> None:
    """Serve until interrupted; `started` gets the address once the port is bound."""
    serve(
        lambda: Site(workspace, is_local=is_loopback(place.host)),
        place,
        started=lambda address: started(f"{address}/"),
        open_paths=OPEN_PATHS,
    )


class Site:
    """The ASGI application."""

    def __init__(
        self, workspace: Workspace, *, is_local: bool = True, api: Sequence[Route] = ROUTES
    ):
        workspace.ask()  # without waiting
        self.workspace = workspace
        self._is_local = is_local
        self._threads = Threads(_THREADS)
        self._revisions = RevisionJobs(is_local=is_local)
        self._waiting = 0
        self._listeners = 0
        self._metrics = Metrics(workspace)
        pages: dict[str, Callable[[Visit], str]] = {
            "/": search_page,
            "/doc": document_page,
            "/lab": lambda visit: lab_page(visit, workspace.project),
            "/why": why_page,
            "/changes": changes_page,
            "/status": lambda visit: status_page(visit, workspace.activity),
            "/help": help_page,
        }
        routes = [HttpRoute(path, _file_endpoint(path, kind)) for path, kind in _FILES.items()]
        routes += [HttpRoute(path, self._page(path, make)) for path, make in pages.items()]
        routes.append(HttpRoute("/lab", self._page("/lab", pages["/lab"]), methods=["POST"]))
        routes += [HttpRoute(route.path, self._api(route), methods=[route.method]) for route in api]
        description = Reply(
            dump_line(describe(ROUTES)).encode(), headers=(("cache-control", "no-cache"),)
        )
        routes += [
            HttpRoute(_DESCRIPTION, _reply_endpoint(lambda: description)),
            HttpRoute("/health", self._health),
            HttpRoute("/metrics", _reply_endpoint(lambda: Reply(self._metrics.text(), METRICS))),
            HttpRoute("/events", self._events),
            HttpRoute(SIGN_IN, self._sign_in),
        ]
        self._known = [route.path for route in routes]
        self._app = Starlette(routes=routes, exception_handlers={HTTPException: self._refuse})

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[..., Any]
    ) -> None:
        if scope["type"] != "http":
            return
        status = 500
        began = time.perf_counter()

        async def record_status(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, record_status)
        finally:
            path = scope["path"] if scope["path"] in self._known else "other"
            self._metrics.note(path, status, time.perf_counter() - began)

    # -- pages and calls ------------------------------------------------------------------

    def _api(self, route: Route) -> Callable[[HttpRequest], Awaitable[Response]]:
        async def endpoint(request: HttpRequest) -> Response:
            left = Event()
            return await self._wait_for(request, self._call(route, request, left), left)

        return endpoint

    async def _call(self, route: Route, request: HttpRequest, left: Event) -> Reply:
        try:
            if route.method == "POST":
                arguments = read_body(route.parameters, await request.body())
            else:
                arguments = read_query(route.parameters, request.scope["query_string"])
            at = arguments.get("at")
            needs_refresh = route.refreshed and not at and not arguments.get("no_refresh")
            state = await self._refresh(PATIENCE_S) if needs_refresh else Freshness("fresh")
            project = await self._project(at, PATIENCE_S)
            request_ = Request(self.workspace, project, arguments, state, left)
            return await self._in_thread(lambda: route.run(request_), state)
        except Exception as error:
            return problem(*self._problem(error, route.path))

    def _page(
        self, path: str, make: Callable[[Visit], str]
    ) -> Callable[[HttpRequest], Awaitable[Response]]:
        async def endpoint(request: HttpRequest) -> Response:
            return await self._wait_for(request, self._visit(path, make, request), Event())

        return endpoint

    async def _visit(self, path: str, make: Callable[[Visit], str], request: HttpRequest) -> Reply:
        visit: Visit | None = None
        try:
            values = _form(request.scope["query_string"], await request.body())
            text = "\n".join(values.pop("text", []))
            address = Address(path, values)
            rev = address["rev"] if path in _PAST_PAGES else ""
            state = Freshness("fresh") if rev else await self._refresh(PAGE_PATIENCE_S)
            version = self.workspace.activity.version
            editor = _editor(address, request)
            visit = Visit(
                address, self.workspace.project(), state, version, self._is_local, text, editor
            )
            if rev:  # its files lie where no editor should write
                project = await self._project(rev, REVISION_PATIENCE_S)
                visit = replace(visit, project=project, is_local=False)
            page = visit
            cookie = _editor_cookie(editor) if address["editor"] else ()
            return await self._in_thread(
                lambda: Reply(make(page).encode(), HTML, 200, cookie), state
            )
        except Exception as error:
            return self._problem_page(visit or self._empty_visit(path), *self._problem(error, path))

    def _empty_visit(self, path: str) -> Visit:
        version, state = self.workspace.activity.version, Freshness("fresh")
        return Visit(Address(path, {}), None, state, version, self._is_local)  # type: ignore[arg-type]

    def _problem_page(self, visit: Visit, error: LeafmarkError, status: int) -> Reply:
        activity = self.workspace.activity
        rev = visit.address["rev"] if status == 503 and visit.address.path in _PAST_PAGES else ""
        progress = self._revisions.progress().get(rev)
        html = render_page(
            "problem.html", visit, error=error, status=status, activity=activity, building=progress
        )
        return Reply(html.encode(), HTML, status)

    async def _project(self, revision: str | None, patience_s: float) -> Project:
        """Return the project as it is, or as it was at a revision, which may be indexed first.

        Raises:
            BuildingError: indexing takes more than `patience_s` seconds; it goes on.
        """
        project = self.workspace.project()
        if not revision:
            return project
        future = asyncio.wrap_future(self._revisions.ask(project, revision))
        done, _ = await asyncio.wait((future,), timeout=patience_s)
        if not done:
            raise BuildingError(self._revisions.explain(revision))
        self._revisions.forget(revision)
        return future.result()

    async def _refresh(self, patience_s: float) -> Freshness:
        """Wait at most `patience_s` seconds for a fresh index, and return how it stands."""
        return await self.workspace.wait_async(patience_s, asyncio.sleep)

    async def _in_thread(self, call: Callable[[], Reply], state: Freshness) -> Reply:
        def run_call() -> Reply:
            try:
                return call()
            except NotFoundError as error:
                if state.state == "building":
                    raise BuildingError(state.explain(error)) from error
                raise state.explain(error) from error

        return await asyncio.wrap_future(self._threads.run(run_call))

    def _problem(self, error: Exception, path: str) -> tuple[LeafmarkError, int]:
        """Return an error as ours, with its status; a bug is logged, and the server goes on."""
        if isinstance(error, BuildingError):
            return error.error, 503
        if isinstance(error, TooManyError):
            return error, 503
        if isinstance(error, ChangedError):
            return error, 409
        if isinstance(error, LeafmarkError):
            return error, status_of(error)
        refused = refusal_of(error)
        if refused is not None:
            return refused, 503
        log.error("%s failed", path, exc_info=error)
        return LeafmarkError(INTERNAL_ERROR), 500

    async def _wait_for(
        self, request: HttpRequest, answer: Awaitable[Reply], left: Event
    ) -> Response:
        """Wait for an answer until it is ready, its client disconnects, or it takes too long."""
        if self._waiting >= MAX_WAITING:
            answer.close()  # type: ignore[attr-defined]
            return respond(problem(UsageError("too many requests at once", hint="ask again"), 503))
        self._waiting += 1
        self._metrics.waiting.set(self._waiting)
        await request.body()  # after the body, the only message is that the client disconnected
        answering = asyncio.ensure_future(answer)
        leaving = asyncio.ensure_future(_wait_for_disconnect(request))
        try:
            done, _ = await asyncio.wait(
                (answering, leaving), timeout=ANSWER_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if answering in done:
                return respond(answering.result())
            if leaving in done:
                return Response(status_code=499)
            refusal = UsageError("the answer took too long", hint="ask for less")
            return respond(problem(refusal, 504))
        finally:
            self._waiting -= 1
            self._metrics.waiting.set(self._waiting)
            left.set()
            answering.cancel()
            leaving.cancel()

    async def _refuse(self, request: HttpRequest, error: Exception) -> Response:
        """Answer a request with an unknown path, or with a method that the path does not have."""
        assert isinstance(error, HTTPException)
        path = request.url.path
        if error.status_code == 405:
            allowed = (error.headers or {}).get("Allow", "GET, HEAD")
            refusal = UsageError(f"{request.method} is not allowed for {path}: use {allowed}")
            return respond(problem(refusal, 405)._replace(headers=(("allow", allowed),)))
        near = nearest(path, self._known)
        hint = f"{_DESCRIPTION} describes the API" if path.startswith("/api") else None
        missing = NotFoundError(f"there is nothing at {path}", did_you_mean=near, hint=hint)
        if "text/html" in request.headers.get("accept", ""):
            return respond(self._problem_page(self._empty_visit(path), missing, 404))
        return respond(problem(missing, error.status_code))

    # -- the state ------------------------------------------------------------------------

    def _record(self) -> dict[str, Any]:
        """Return the state of the workspace for listening pages."""
        return _activity_record(self.workspace.activity) | {"revisions": self._revisions.progress()}

    async def _health(self, _: HttpRequest) -> Response:
        """Return the state of the server, of the index and of its cluster."""
        cluster, error = await run_in_threadpool(self._cluster)
        activity = self.workspace.activity
        state = "building" if activity.version == 0 and cluster is None else "ok"
        state = "degraded" if cluster is not None and cluster.is_degraded else state
        state = "failing" if error is not None or activity.error is not None else state
        record = {
            "status": state,
            "index": _activity_record(activity),
            "cluster": None if cluster is None else fields_of(cluster, *_PUBLIC_CLUSTER_FIELDS),
        }
        return respond(json_reply(record))

    def _cluster(self) -> tuple[ClusterState | None, LeafmarkError | None]:
        try:
            return self.workspace.cluster(), None
        except LeafmarkError as error:
            return None, error

    async def _sign_in(self, request: HttpRequest) -> Response:
        values = _form(request.scope["query_string"], b"")
        visit = self._empty_visit(SIGN_IN)
        page = render_page("sign_in.html", visit, form=Address(SIGN_IN, values))
        return respond(Reply(page.encode(), HTML))

    async def _events(self, request: HttpRequest) -> Response:
        """Send progress and changes to a page for as long as it listens."""
        if self._listeners >= MAX_LISTENERS:
            return respond(problem(UsageError("too many pages listen already"), 503))
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
        return StreamingResponse(
            self._event_stream(), headers=headers, media_type="text/event-stream"
        )

    async def _event_stream(self) -> AsyncIterator[str]:
        self._listeners += 1
        self._metrics.listeners.set(self._listeners)
        last: Mapping[str, Any] | None = None
        last_sent = last_check = 0.0
        try:
            while True:
                now = time.monotonic()
                activity = self.workspace.activity
                if now - last_check >= max(LOOK_S, 20 * activity.look_s):
                    self.workspace.ask()
                    last_check = now
                record = self._record()
                if record != last:
                    last, last_sent = record, now
                    yield f"event: index\ndata: {json.dumps(record)}\n\n"
                elif now - last_sent >= HEARTBEAT_S:
                    last_sent = now
                    yield ": still here\n\n"
                await asyncio.sleep(TICK_S)
        finally:
            self._listeners -= 1
            self._metrics.listeners.set(self._listeners)


class BuildingError(Exception):
    """The index, or a revision of it, is still being built."""

    def __init__(self, error: LeafmarkError):
        super().__init__(error.message)
        self.error = error


def _activity_record(activity: Activity) -> dict[str, Any]:
    added, modified, removed = activity.changed
    return {
        "version": activity.version,
        "running": activity.running and activity.total > 0,
        "what": activity.what,
        "done": activity.done,
        "total": activity.total,
        "added": added,
        "modified": modified,
        "removed": removed,
        "error": None if activity.error is None else activity.error.message,
    }


async def _wait_for_disconnect(request: HttpRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _editor(address: Address, request: HttpRequest) -> str:
    """Return the editor that the address names, else that of the browser's cookie."""
    names = (address["editor"], request.cookies.get(_EDITOR_COOKIE, ""))
    return next((name for name in names if name in EDITORS), next(iter(EDITORS)))


def _editor_cookie(editor: str) -> tuple[tuple[str, str], ...]:
    cookie = f"{_EDITOR_COOKIE}={editor}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"
    return (("set-cookie", cookie),)


_EDITOR_COOKIE = "leafmark-editor"


def _file_endpoint(path: str, media_type: str) -> Callable[[HttpRequest], Awaitable[Response]]:
    """Return an endpoint that sends a file of the page; a browser that has it gets no body."""
    body = files("leafmark.server.web").joinpath("page", path[1:]).read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    reply = Reply(body, media_type, headers=(("cache-control", "no-cache"), ("etag", tag)))
    unchanged = reply._replace(body=b"", status=304)

    async def endpoint(request: HttpRequest) -> Response:
        return respond(unchanged if request.headers.get("if-none-match") == tag else reply)

    return endpoint


def _reply_endpoint(make: Callable[[], Reply]) -> Callable[[HttpRequest], Awaitable[Response]]:
    async def endpoint(_: HttpRequest) -> Response:
        return respond(make())

    return endpoint


def _form(query: bytes, body: bytes) -> dict[str, list[str]]:
    """Return the parameters of a page; those of a form override those of its address.

    Raises:
        UsageError: there are too many.
    """
    values: dict[str, list[str]] = {}
    try:
        for part in (query, body):
            text = part.decode("latin-1")
            values |= parse_qs(text, errors="replace", max_num_fields=_MAX_ARGUMENTS)
    except ValueError:
        raise UsageError(f"there are more than {_MAX_ARGUMENTS} arguments") from None
    return values


def read_body(parameters: tuple[Parameter, ...], body: bytes) -> Arguments:
    """Return the arguments of a JSON object, checked.

    Raises:
        UsageError: it is not an object, or an argument is unknown, missing or not acceptable.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError("the body is not a JSON object", hint='send one, such as {"text": "# A"}')
    return check_arguments(parameters, value)


def read_query(parameters: tuple[Parameter, ...], query: bytes) -> Arguments:
    """Return the arguments of a query string, checked.

    Raises:
        UsageError: it is not UTF-8, or an argument is unknown, missing or not acceptable.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_ARGUMENTS,
        )
    except UnicodeDecodeError:
        raise UsageError("the arguments are not UTF-8, percent-encoded") from None
    except ValueError:
        raise UsageError(f"there are more than {_MAX_ARGUMENTS} arguments") from None
    texts_by_name: dict[str, list[str]] = {}
    for name, value in pairs:
        texts_by_name.setdefault(name, []).append(value)
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    values = {
        name: _convert_texts(name, kinds.get(name, "strings"), texts)
        for name, texts in texts_by_name.items()
    }
    return check_arguments(parameters, values)


def _convert_texts(name: str, kind: str, texts: list[str]) -> Any:
    """Return the value of a kind; a text that has another form stays a text, to be refused."""
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


# The metrics of a server, in the text format of Prometheus.


_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts and times the requests of one server by path, the counts also by status."""

    def __init__(self, workspace: Workspace):
        self._registry = CollectorRegistry()
        names = ("path", "status")
        self._requests = Counter(
            "leafmark_requests", "Requests answered.", names, registry=self._registry
        )
        self._seconds = Histogram(
            "leafmark_request_seconds",
            "How long answers took.",
            ("path",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.waiting = Gauge(
            "leafmark_requests_waiting", "Requests being answered.", registry=self._registry
        )
        self.listeners = Gauge(
            "leafmark_event_streams", "Pages that listen for changes.", registry=self._registry
        )
        info = Gauge("leafmark_info", "The version.", ("version",), registry=self._registry)
        info.labels(version("leafmark")).set(1)
        self._registry.register(_State(workspace))
        ProcessCollector(registry=self._registry)

    def note(self, path: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class _State(Collector):
    """The state of the index at the time of each collection."""

    def __init__(self, workspace: Workspace):
        self._workspace = workspace

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, (doc, value) in self._values().items():
            yield GaugeMetricFamily(name, doc, value=value)

    def _values(self) -> Mapping[str, tuple[str, float]]:
        activity: Activity = self._workspace.activity
        return {
            "leafmark_index_version": ("Runs that changed the index.", activity.version),
            "leafmark_index_running": ("Whether it is brought up to date.", activity.running),
            "leafmark_index_failed": ("Whether the last run failed.", activity.error is not None),
            "leafmark_index_seconds": ("How long the last run took.", activity.seconds),
        }
