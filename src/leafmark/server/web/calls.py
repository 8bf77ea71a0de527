"""Each path's answer: one use case, and the JSON that the command line prints for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from leafmark.app import (
    Project,
    chunk_sources,
    list_documents,
    list_trees,
    plan_chunking,
    project_status,
    search_project,
    show_chunks,
)
from leafmark.app.chunking.run import SourceReport
from leafmark.app.requests import ChunkRequest, ListRequest, SearchRequest, ShowRequest
from leafmark.app.settings import SETTINGS
from leafmark.chunking import ChunkingOptions
from leafmark.errors import ConfigError, NotFoundError, StorageError, UsageError
from leafmark.model import Answer, ChunkedDocument, Hint, Shown
from leafmark.render import chunks as chunkjson
from leafmark.render.listing import listing_record, status_record
from leafmark.render.searchjson import answer_record
from leafmark.render.show import show_record
from leafmark.server.web.replies import Reply, check_size, json_reply
from leafmark.server.workspace import Freshness, Workspace

__all__ = [
    "ChangedError",
    "Request",
    "chunks",
    "documents",
    "outline",
    "raw",
    "search",
    "show",
    "status",
    "trees",
]


class ChangedError(StorageError):
    """A source is not what was indexed, so that no byte of it can be told by its place."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the workspace, its checked arguments, and how fresh the index is.

    `left` is set when nobody waits for the answer any more.
    """

    workspace: Workspace
    arguments: Mapping[str, Any]
    freshness: Freshness
    left: Event = field(default_factory=Event)
    project: Project = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "project", self.workspace.project())

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def texts(self, name: str) -> tuple[Any, ...]:
        return tuple(self.arguments[name] or ())

    def settings(self, table: str) -> dict[str, Any]:
        """The arguments that are called as settings of a table, by the settings' whole names."""
        named = {f"{table}.{name}": value for name, value in self.arguments.items()}
        return {
            name: value for name, value in named.items() if name in SETTINGS and value is not None
        }


def search(request: Request) -> Reply:
    """Raises what `search_project` does."""
    brief = request["brief"]
    wanted = SearchRequest(
        queries=request.texts("q"),
        limit=request["limit"],
        trees=request.texts("tree"),
        tags=request.texts("tag"),
        since=request["since"],
        section=request.texts("section"),
        mode=request["mode"],
        grain=request["grain"],
        sort=request["sort"],
        expand=request.texts("expand"),
        strict=request["strict"],
        aggregation=not request["no_aggregation"],
        refresh=False,
        explain=request["explain"],
        full_records=not brief,
    )
    answer = _told(search_project(request.project, wanted), request.freshness)
    if brief:
        without = tuple(result._replace(body=None) for result in answer.results)
        answer = answer._replace(results=without)
    return json_reply(answer_record(answer, explain=request["explain"]))


def _told(answer: Answer, freshness: Freshness) -> Answer:
    """The answer, and where the index is not fresh a hint that says so."""
    note = freshness.note
    return answer._replace(hints=(Hint("index", note), *answer.hints)) if note else answer


def show(request: Request) -> Reply:
    """Raises what `show_chunks` does; unknown ids are part of the answer."""
    report = show_chunks(
        request.project,
        ShowRequest(
            ids=request.texts("id"),
            own=request["own"],
            full_document=request["full_document"],
            expand=request.texts("expand"),
            refresh=False,
        ),
    )
    return json_reply(show_record(report), 200 if report.shown else 404)


def raw(request: Request) -> Reply:
    """Raises what `show_chunks` does, and NotFoundError, ChangedError."""
    data = _shown(request, full_document=False).raw
    assert data is not None, "what is not stale has bytes"
    check_size(len(data))
    return Reply(data, "text/plain; charset=utf-8")


def _shown(request: Request, *, full_document: bool) -> Shown:
    """Return what an id names, read from its source.

    Raises:
        NotFoundError: nothing.
        ChangedError: the source is not what was indexed.
    """
    name = request["id"]
    wanted = ShowRequest((name,), full_document=full_document, records=False, refresh=False)
    report = show_chunks(request.project, wanted)
    if not report.shown:
        raise NotFoundError(f"there is no {name!r}", did_you_mean=report.not_found[0][1])
    if report.shown[0].stale:
        raise ChangedError(
            "the source has changed since it was indexed",
            location=report.shown[0].id,
            hint="ask again: what changed is indexed meanwhile",
        )
    return report.shown[0]


def chunks(request: Request) -> Reply:
    """Raises what `_shown` does; UsageError: sizes do not fit, or the answer is too large."""
    pieces: list[str] = []
    report = _chunked(request, chunkjson.iter_chunk_items, pieces.append)
    text = "".join(chunkjson.open_chunk_object(pieces))
    return Reply((text + chunkjson.close_chunk_object((), report.diagnostics, None)).encode())


def outline(request: Request) -> Reply:
    """Raises what `chunks` does."""
    found: list[dict[str, Any]] = []

    def keep(document: ChunkedDocument, options: ChunkingOptions) -> Iterable[str]:
        found.append(chunkjson.outline_record(document, options))
        return ()

    _chunked(request, keep, lambda _: None)
    return json_reply(found[0])


def _chunked(
    request: Request,
    render: Callable[[ChunkedDocument, ChunkingOptions], Iterable[str]],
    take: Callable[[str], None],
) -> SourceReport:
    """Chunk the document of an id under the settings asked for; `take` gets the output.

    It is chunked from the bytes that were indexed: no path is taken from a request.
    """
    shown = _shown(request, full_document=True)
    settings = request.settings("chunking")
    try:
        plan = plan_chunking(
            request.workspace.project(settings),
            ChunkRequest(data=shown.raw, name=shown.entry.path, tree=shown.entry.tree),
        )
    except ConfigError as error:
        if not settings:
            raise
        raise UsageError(error.message, hint=error.hint) from error
    size = 0
    for answer in chunk_sources(plan, render=render, linked=True, workers=0):
        if isinstance(answer, SourceReport):
            return answer
        if request.left.is_set():
            raise UsageError("nobody waits for the answer")
        size += len(answer)
        check_size(size)
        take(answer)
    raise NotFoundError(f"there is no chunk in {shown.id!r}")


def trees(request: Request) -> Reply:
    """Raises what `list_trees` does."""
    found = list_trees(request.project, ListRequest(refresh=False))
    return json_reply(listing_record("trees", found))


def documents(request: Request) -> Reply:
    """Raises what `list_documents` does."""
    wanted = ListRequest(
        trees=request.texts("tree"),
        tags=request.texts("tag"),
        under=request["under"],
        refresh=False,
    )
    return json_reply(listing_record("documents", list_documents(request.project, wanted)))


def status(request: Request) -> Reply:
    return json_reply(status_record(project_status(request.project)))
