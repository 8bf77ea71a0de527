"""What goes back over HTTP: a status, a body of bounded size, and headers that trust nobody."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

from starlette.responses import Response

from leafmark.errors import AmbiguousError, ConfirmationError, LeafmarkError, UsageError
from leafmark.render.hints import PROGRAMS
from leafmark.render.jsontext import dump_line
from leafmark.render.terminal import error_record

MAX_ANSWER_BYTES = 64 << 20
"""Of one answer; a source may have 50 MB by default."""

JSON = "application/json"
PROBLEM = "application/problem+json"
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
"""Of the kinds of errors; of all others it is 500."""


class Reply(NamedTuple):
    """One answer. `headers` are those beside what every answer has."""

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
            hint="ask for less: a lower limit, brief results, the outline, or a section's id",
        )


def failed(error: LeafmarkError, status: int | None = None) -> Reply:
    """Return an error as a problem (RFC 9457) that has the usual error in it."""
    code = status_of(error) if status is None else status
    headers = (("retry-after", "1"),) if code == 503 else ()
    body = dump_line(problem_record(error, code)).encode()
    return Reply(body, PROBLEM, code, headers)


def problem_record(error: LeafmarkError, status: int) -> dict[str, Any]:
    """Return what is wrong: its status, the status in words, what happened, what to do."""
    record = error_record(error, PROGRAMS)
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    problem = {"type": "about:blank", "title": title, "status": status, "detail": error.message}
    return problem | record


def status_of(error: LeafmarkError) -> int:
    """Return the status of an error."""
    if isinstance(error, AmbiguousError):
        return 409
    if isinstance(error, ConfirmationError):  # whoever started the server has to agree
        return 503
    return _STATUS.get(error.kind, 500)


def respond(reply: Reply) -> Response:
    """Return a reply as a response with the headers that all have."""
    is_page = reply.media_type == HTML
    headers = {
        "cache-control": "no-store",
        "content-security-policy": PAGE_POLICY if is_page else _DATA_POLICY,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "same-origin",  # without one, forms of ours have no Origin
        "x-content-type-options": "nosniff",
    } | dict(reply.headers)
    return Response(reply.body, reply.status, headers, media_type=reply.media_type)
