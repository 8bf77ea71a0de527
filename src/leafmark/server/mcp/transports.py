"""The ways in: standard input and output, where a line that is no message is answered too; HTTP.

The SDK drops such lines, and a client that sent one would wait for ever. What was asked before the
input ended is answered before we end: whoever pipes requests into the command closes it at once.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from leafmark.errors import is_closed_pipe
from leafmark.server.mcp.server import make_server
from leafmark.server.workspace import Workspace

if TYPE_CHECKING:
    from leafmark.server.guard import App
    from leafmark.server.listening import Place

_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_CANCELLED = "notifications/cancelled"

LAST_ANSWERS_S = 30.0
"""How long answers may take after the input has ended; chosen by eye."""


def run_http(workspace: Workspace, place: Place, *, started: Callable[[str], None]) -> None:
    """Serve over HTTP until interrupted; `started` gets the address once the port is held."""
    from mcp.server.transport_security import TransportSecuritySettings

    from leafmark.server.guard import MAX_BODY_BYTES
    from leafmark.server.listening import serve

    def make_app() -> App:
        return make_server(workspace).streamable_http_app(
            host=place.host,
            max_request_body_size=MAX_BODY_BYTES,
            # the guard checks both, more strictly
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    serve(make_app, place, started=lambda address: started(f"{address}/mcp"), lifespan="on")


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
            answering = Answering(incoming, outgoing)
            answers = Answers(outgoing, answering.answered)
            await server.run(answering, answers, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* OSError as group:
        _, others = group.split(_is_closed_pipe)
        if others is not None:
            raise others from None


def _is_closed_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and is_closed_pipe(error)


class _Wrapped:
    """A stream of the SDK that is opened and closed with what wraps it."""

    def __init__(self, stream: Any):
        self._stream = stream

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Answering(_Wrapped):
    """A stream of messages in which what is none is answered with an error, and left out.

    It ends when what was asked is answered.
    """

    def __init__(self, incoming: Any, outgoing: Any):
        super().__init__(incoming)
        self._outgoing = outgoing
        self._asked: set[types.RequestId] = set()
        self._all_answered = anyio.Event()

    async def receive(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._stream.receive()
            except anyio.EndOfStream:
                await self._wait_for_answers()
                raise
            refusal = _refusal_of(item)
            if refusal is not None:
                await self._outgoing.send(SessionMessage(message=refusal))
            elif isinstance(item, SessionMessage):
                self._note(item.message)
                return item

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._asked.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCELLED:
            number = (message.params or {}).get("requestId")
            self.answered(number if isinstance(number, int | str) else "")

    def answered(self, number: types.RequestId | None) -> None:
        """Note that nobody waits for the answer to a request any more."""
        if number is not None:
            self._asked.discard(number)
        if not self._asked:
            self._all_answered.set()
            self._all_answered = anyio.Event()

    async def _wait_for_answers(self) -> None:
        if self._asked:
            with anyio.move_on_after(LAST_ANSWERS_S):
                await self._all_answered.wait()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Answers(_Wrapped):
    """The stream that messages go out on; who waits for answers is told of each."""

    def __init__(self, outgoing: Any, answered: Callable[[types.RequestId | None], None]):
        super().__init__(outgoing)
        self._answered = answered

    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._answered(item.message.id)


def _refusal_of(item: SessionMessage | Exception) -> types.JSONRPCError | None:
    """Return the answer to a line that is no message, to its id where it has one.

    Nobody waits for an answer to an empty line.
    """
    if not isinstance(item, Exception):
        return None
    inputs = [each.get("input") for each in getattr(item, "errors", list)()]
    if any(isinstance(one, str) and one.isspace() for one in inputs):
        return None
    number = next((one["id"] for one in map(_read, inputs) if "id" in one), None)
    is_id = isinstance(number, int | str) and not isinstance(number, bool)
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number if is_id else None,
        error=types.ErrorData(
            code=_INVALID_REQUEST if is_id else _PARSE_ERROR,
            message="the line is no message of JSON-RPC 2.0",
        ),
    )


def _read(sent: object) -> Mapping[str, Any]:
    """Return the object that was sent; its texts may hold halves of characters."""
    if isinstance(sent, str):
        try:
            sent = json.loads(sent)
        except (ValueError, RecursionError):
            return {}
    return sent if isinstance(sent, dict) else {}
