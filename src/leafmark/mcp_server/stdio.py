"""Standard input and output, where a line that is no message is answered too.

The SDK drops such lines, and a client that sent one would wait for ever.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import anyio
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from leafmark.errors import is_closed_pipe
from leafmark.mcp_server.server import make_server
from leafmark.serving.workspace import Workspace

__all__ = ["run_stdio"]

_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600


def run_stdio(workspace: Workspace, out: int) -> None:
    """Serve on standard input and the descriptor `out` until the input ends, or Ctrl-C.

    Ctrl-C ends the process at once: an orderly end would wait for the thread
    that reads the input, and there is nothing to tidy up that a kill would leave.
    A client that is gone before its answer is no error, as with any closed pipe.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def serve() -> None:
        server = make_server(workspace)
        written = await anyio.open_file(out, "w", encoding="utf-8", newline="\n", closefd=False)
        async with stdio_server(stdout=written) as (incoming, outgoing):
            answering = _Answering(incoming, outgoing)
            await server.run(answering, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* OSError as group:
        _, others = group.split(_is_closed_pipe)
        if others is not None:
            raise others from None


def _is_closed_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and is_closed_pipe(error)


class _Answering:
    """A stream of messages in which what is none is answered with an error, and left out."""

    def __init__(self, incoming: Any, outgoing: Any):
        self._incoming = incoming
        self._outgoing = outgoing

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item = await self._incoming.receive()
            if not isinstance(item, Exception):
                return item  # type: ignore[no-any-return]
            await self._outgoing.send(SessionMessage(message=_answer_to(item)))

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, error, trace)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._incoming, name)


def _answer_to(error: Exception) -> types.JSONRPCError:
    """Say whether the line was no JSON or no message, to the request's id where it has one."""
    details: list[Any] = getattr(error, "errors", list)()
    if not details or details[0].get("type") == "json_invalid":
        value = _read_otherwise(details)
    else:  # it was read, and tried as each kind of message
        value = next((each["input"] for each in details if _is_whole(each)), {})
    code, message = _INVALID_REQUEST, "the line is not a message of JSON-RPC 2.0"
    if value is None:
        code, message = _PARSE_ERROR, "the line is not JSON"
    number = value.get("id") if isinstance(value, dict) else None
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number if isinstance(number, int | str) and not isinstance(number, bool) else None,
        error=types.ErrorData(code=code, message=message),
    )


def _is_whole(detail: Mapping[str, Any]) -> bool:
    """Whether what is wrong is that the message lacks something: its input is all of it."""
    return detail["type"] == "missing" and isinstance(detail["input"], dict)


def _read_otherwise(details: Sequence[Mapping[str, Any]]) -> Any:
    """Return what the line is to a reader that takes halves of characters; None for no JSON."""
    line = next((each["input"] for each in details if isinstance(each.get("input"), str)), "")
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
