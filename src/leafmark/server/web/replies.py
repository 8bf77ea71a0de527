"""What goes back over HTTP: a status, a body of bounded size, and headers that trust nobody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple

from leafmark.errors import AmbiguousError, ConfirmationError, LeafmarkError, UsageError
from leafmark.render.errors import error_record
from leafmark.render.jsontext import dump_line

__all__ = ["JSON", "PAGE_POLICY", "Reply", "check_size", "failed", "json_reply", "send_reply"]

MOST_ANSWER_BYTES = 64 << 20
"""Of one answer; a source may have 50 MB by default."""

JSON = "application/json"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
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
    if size > MOST_ANSWER_BYTES:
        raise UsageError(
            f"the answer is larger than {MOST_ANSWER_BYTES >> 20} MiB",
            hint="ask for less: a lower limit, brief results, the outline, or a section's id",
        )


def failed(error: LeafmarkError, status: int | None = None) -> Reply:
    """Return an error in the shape that it has everywhere."""
    code = _status(error) if status is None else status
    headers = (("retry-after", "1"),) if code == 503 else ()
    return Reply(dump_line(error_record(error)).encode(), status=code, headers=headers)


def _status(error: LeafmarkError) -> int:
    if isinstance(error, AmbiguousError):
        return 409
    if isinstance(error, ConfirmationError):  # whoever started the server has to agree
        return 503
    return _STATUS.get(error.kind, 500)


async def send_reply(
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]], reply: Reply, *, head: bool
) -> None:
    """Send an answer, of a HEAD request all but its body."""
    given = dict(reply.headers)
    headers = {
        "content-type": reply.media_type,
        "content-length": str(len(reply.body)),
        "cache-control": "no-store",
        "content-security-policy": _DATA_POLICY,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    } | given
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if head else reply.body})
