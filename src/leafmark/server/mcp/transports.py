"""The ways in: standard input and output, where a line that is no message is answered too; HTTP.

The SDK drops such lines, and a client that sent one would wait for ever. What was asked before the
input ended is answered before we end: whoever pipes requests into the command closes it at once.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping, Sequence
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

_NO_MESSAGE = "the line is not a message of JSON-RPC 2.0"
_NO_ID = "a request needs an `id` that is a text or a whole number"

_NOTIFICATIONS = "notifications/"
_CANCELLED = _NOTIFICATIONS + "cancelled"

_BOM = "\ufeff"

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
            message = _without_bom(item) if isinstance(item, Exception) else item
            refusal = _refusal_of(message)
            if refusal is not None:
                await self._outgoing.send(SessionMessage(message=refusal))
            elif isinstance(message, SessionMessage):
                self._note(message.message)
                return message

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


def _without_bom(error: Exception) -> SessionMessage | Exception:
    """Read a line once more that begins with a mark of UTF-8, as some shells on Windows write."""
    line = _line_of(error)
    if not line.startswith(_BOM):
        return error
    try:
        found = types.jsonrpc_message_adapter.validate_json(line.removeprefix(_BOM), by_name=False)
    except ValueError as again:
        return again
    return SessionMessage(found)


def _refusal_of(item: SessionMessage | Exception) -> types.JSONRPCError | None:
    """Return the answer to what is no message; nobody waits for one to an empty line.

    What is asked without a usable id is a notification to the SDK, and dropped. But each
    notification of MCP has a name that says so.
    """
    if isinstance(item, Exception):
        return None if _line_of(item, "-").isspace() else _answer_to(item)
    message = item.message
    if not isinstance(message, types.JSONRPCNotification):
        return None
    if message.method.startswith(_NOTIFICATIONS):
        return None
    error = types.ErrorData(code=_INVALID_REQUEST, message=_NO_ID)
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=error)


def _answer_to(error: Exception) -> types.JSONRPCError:
    """Say whether the line was no JSON or no message, to the request's id where it has one."""
    details: list[Any] = getattr(error, "errors", list)()
    if not details or details[0].get("type") == "json_invalid":
        value = _read_otherwise(details)
    else:  # it was read, and tried as each kind of message
        value = next((each["input"] for each in details if _is_whole(each)), {})
    code, message = _INVALID_REQUEST, _NO_MESSAGE
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
    try:
        return json.loads(_text_in(details, ""))
    except (ValueError, RecursionError):
        return None


def _line_of(error: Exception, unknown: str = "") -> str:
    """Return the line that was no message, `unknown` where it is not told."""
    return _text_in(getattr(error, "errors", list)(), unknown)


def _text_in(details: Sequence[Mapping[str, Any]], unknown: str) -> str:
    return next((each["input"] for each in details if isinstance(each.get("input"), str)), unknown)
