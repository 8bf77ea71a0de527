"""The answer of each path: it runs one use case, and returns the command line's JSON for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event
from typing import Any, NamedTuple

from starlette.responses import Response

from leafmark.app import (
    Project,
    explain_unread,
    explain_why_not,
    list_documents,
    list_trees,
    project_status,
    search_project,
    show_chunks,
    verify_texts,
)
from leafmark.app.requests import (
    ListRequest,
    SearchRequest,
    ShowRequest,
    VerifyRequest,
    WhyNotRequest,
)
from leafmark.errors import (
    AmbiguousError,
    ChangedError,
    ConfigError,
    ConfirmationError,
    LeafmarkError,
    NotFoundError,
    UsageError,
)
from leafmark.model import Answer, Hint, Shown
from leafmark.render import chunks as chunkjson
from leafmark.render.explaining import why_not_record
from leafmark.render.hint_texts import PROGRAMS, hints_for
from leafmark.render.json_objects import answer_record
from leafmark.render.jsontext import dump_line
from leafmark.render.reading import show_record, verification_record
from leafmark.render.reports import listing_record, status_record
from leafmark.server.listening import PROBLEM, problem_record
from leafmark.server.parameters import Arguments
from leafmark.server.web.lab import MAX_TEXT_BYTES, chunk_text
from leafmark.server.workspace import Freshness, Workspace


@dataclass(frozen=True, slots=True)
class Request:
    """One call: the workspace, its project, the checked arguments, how fresh the index is.

    With the argument `at`, `project` is as it was at that revision. `left` is set when the client
    no longer waits for the answer.
    """

    workspace: Workspace
    project: Project
    arguments: Arguments
    freshness: Freshness
    left: Event = field(default_factory=Event)

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def texts(self, name: str) -> tuple[Any, ...]:
        return tuple(self.arguments[name] or ())

    def settings(self, table: str) -> dict[str, Any]:
        """Return the arguments that are settings of a table, by the settings' full names."""
        return {f"{table}.{key}": value for key, value in self.arguments.fields_for(table).items()}


def search(request: Request) -> Reply:
    """Raises the errors of `search_project`."""
    search_request = _search_request(request, full_records=True)
    answer = _word_hints(search_project(request.project, search_request), request.freshness)
    return json_reply(answer_record(answer, explain=request["explain"]))


def _search_request(request: Request, **also: Any) -> SearchRequest:
    fields = request.arguments.fields_for("search") | {"refresh": False}
    return SearchRequest(request.texts("q"), **fields, **also)


def _word_hints(answer: Answer, freshness: Freshness) -> Answer:
    """Return the answer with hints in the API's terms, and one more if the index is not fresh."""
    note = freshness.note
    hints = hints_for(answer.hints, PROGRAMS)
    return answer._replace(hints=(Hint("index", note), *hints) if note else hints)


def show(request: Request) -> Reply:
    """Raises the errors of `show_chunks`; unknown ids are part of the answer."""
    report = show_chunks(
        request.project,
        ShowRequest(
            ids=request.texts("id"), **(request.arguments.fields_for("show") | {"refresh": False})
        ),
    )
    return json_reply(show_record(report), 200 if report.shown else 404)


def _get_document(request: Request) -> Shown:
    """Return the document of an id, read from its source.

    Raises:
        NotFoundError: nothing has the id.
        ChangedError: the source has changed since it was indexed.
    """
    name = request["id"]
    show_request = ShowRequest((name,), full_document=True, records=False, refresh=False)
    report = show_chunks(request.project, show_request)
    if not report.shown:
        near = report.not_found[0][1]
        unread = explain_unread(request.project, name)
        raise unread or NotFoundError(f"there is no {name!r}", did_you_mean=near)
    if report.shown[0].stale:
        raise ChangedError(
            "the source has changed since it was indexed",
            location=report.shown[0].id,
            hint="ask again: what changed is indexed meanwhile",
        )
    return report.shown[0]


def chunk_posted(request: Request) -> Reply:
    """Raises UsageError: sizes do not fit, or the text or the answer is too large."""
    data = request["text"].encode("utf-8", "replace")
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(
            f"the text has {len(data):,} bytes, and {MAX_TEXT_BYTES:,} can be sent",
            hint="save it in a folder that is indexed, and ask for its outline by id",
        )
    settings = request.settings("chunking")
    try:
        chunked = chunk_text(request.workspace.project(settings), data, request["name"], None)
    except ConfigError as error:
        raise UsageError(error.message, hint=error.hint) from error
    pieces: list[str] = []
    size = 0
    for piece in chunkjson.iter_chunk_items(chunked.document, chunked.options):
        if request.left.is_set():
            raise UsageError("nobody waits for the answer")
        size += len(piece)
        check_size(size)
        pieces.append(piece)
    text = "".join(chunkjson.open_chunk_object(pieces))
    report = chunked.report
    end = chunkjson.close_chunk_object((), report.diagnostics, report.findings)
    return Reply((text + end).encode())


def outline(request: Request) -> Reply:
    """Raises the errors of `_get_document`; UsageError: the answer is too large."""
    shown = _get_document(request)
    assert shown.raw is not None, "a chunk that is not stale has bytes"
    entry = shown.entry
    chunked = chunk_text(request.workspace.project(), shown.raw, entry.path, entry.tree)
    return json_reply(chunkjson.outline_record(chunked.document, chunked.options))


def verify(request: Request) -> Reply:
    """Raises the errors of `verify_texts`."""
    verify_request = VerifyRequest((("text", request["text"]),), refresh=False)
    (report,) = verify_texts(request.project, verify_request)
    return json_reply(verification_record([report]))


def why_not(request: Request) -> Reply:
    """Raises the errors of `explain_why_not`."""
    why_request = WhyNotRequest(request["id"], _search_request(request))
    report = explain_why_not(request.project, why_request)
    return json_reply(why_not_record(report, PROGRAMS))


def trees(request: Request) -> Reply:
    """Raises the errors of `list_trees`."""
    listed = list_trees(request.project, ListRequest(refresh=False))
    return json_reply(listing_record("trees", listed))


def documents(request: Request) -> Reply:
    """Raises the errors of `list_documents`."""
    list_request = ListRequest(
        trees=request.texts("tree"),
        tags=request.texts("tag"),
        under=request["under"],
        refresh=False,
    )
    listed = list_documents(request.project, list_request)
    first, limit = request["offset"], request["limit"]
    page = listed[first:] if limit is None else listed[first : first + limit]
    return json_reply(listing_record("documents", page))


def status(request: Request) -> Reply:
    return json_reply(status_record(project_status(request.project)))


# Replies over HTTP: a status, a body of bounded size, and strict security headers.


MAX_ANSWER_BYTES = 64 << 20
"""Most bytes of one answer; a source may have 50 MB by default."""

JSON = "application/json"
HTML = "text/html; charset=utf-8"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

_STATUS = {
    "usage": 400,
    "query": 400,
    "not_found": 404,
    "permission": 403,
    "locked": 503,
    "provider": 502,
}
"""The status of each kind of error; all others have 500."""


class Reply(NamedTuple):
    """One answer. `headers` are added to those of every answer."""

    body: bytes
    media_type: str = JSON
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


def json_reply(value: Any, status: int = 200) -> Reply:
    """Return a value as JSON.

    Raises:
        UsageError: it is too large.
    """
    body = dump_line(value).encode()
    check_size(len(body))
    return Reply(body, status=status)


def check_size(size: int) -> None:
    """
    Raises:
        UsageError: an answer of so many bytes is too large.
    """
    if size > MAX_ANSWER_BYTES:
        raise UsageError(
            f"the answer is larger than {MAX_ANSWER_BYTES >> 20} MiB",
            hint="ask for less: a lower limit, the outline, or a section's id",
        )


def problem(error: LeafmarkError, status: int | None = None) -> Reply:
    """Return an error as a problem (RFC 9457) that has the usual error in it."""
    code = status_of(error) if status is None else status
    headers = (("retry-after", "1"),) if code == 503 else ()
    body = dump_line(problem_record(error, code)).encode()
    return Reply(body, PROBLEM, code, headers)


def status_of(error: LeafmarkError) -> int:
    """Return the status of an error."""
    if isinstance(error, AmbiguousError):
        return 409
    if isinstance(error, ConfirmationError):  # the person who started the server must confirm
        return 503
    return _STATUS.get(error.kind, 500)


def respond(reply: Reply) -> Response:
    """Return a reply as a response, with the headers of every response."""
    is_page = reply.media_type == HTML
    headers = {
        "cache-control": "no-store",
        "content-security-policy": PAGE_POLICY if is_page else _DATA_POLICY,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "same-origin",  # without it our forms send no Origin
        "x-content-type-options": "nosniff",
    } | dict(reply.headers)
    return Response(reply.body, reply.status, headers, media_type=reply.media_type)
