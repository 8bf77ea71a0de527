"""The ways in: standard input and output, where a line that is no message is answered too; HTTP.

The SDK's own transport drops such lines, and a client that sent one would wait for ever. What was
asked before the input ended is answered before we end: whoever pipes requests into the command
closes it at once.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from collections.abc import AsyncIterable, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
from mcp import types
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
        answers = await anyio.open_file(out, "w", encoding="utf-8", newline="\n", closefd=False)

        async def write(line: str) -> None:
            await answers.write(line)
            await answers.flush()

        options = server.create_initialization_options()
        async with (
            await anyio.open_file(_take_input(), encoding="utf-8", errors="replace") as lines,
            anyio.create_task_group() as group,
        ):
            talk = Conversation(lines, write)
            group.start_soon(talk.listen)
            group.start_soon(talk.speak)
            await server.run(talk.incoming, talk.outgoing, options)

    try:
        anyio.run(serve)
    except* OSError as group:
        _, others = group.split(_is_closed_pipe)
        if others is not None:
            raise others from None


def _is_closed_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and is_closed_pipe(error)


def _take_input() -> int:
    """Return standard input under another number: whatever else reads it finds nothing there."""
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


class Conversation:
    """What a client sends, line by line, and the answers to it.

    A line that is no message is answered with an error. What comes in ends when what was asked is
    answered.
    """

    def __init__(self, lines: AsyncIterable[str], write: Callable[[str], Awaitable[object]]):
        self._lines, self._write = lines, write
        self._read, self.incoming = anyio.create_memory_object_stream[SessionMessage](0)
        self.outgoing, self._written = anyio.create_memory_object_stream[SessionMessage](0)
        self._asked = Counter[types.RequestId]()  # two may have one id
        self._all_answered = anyio.Event()

    async def listen(self) -> None:
        """Hand on what the client sends, up to its end."""
        async with self._read:
            async for line in self._lines:
                text = line.removeprefix(_BOM)
                if not text.strip():
                    continue  # nobody waits for an answer to it
                try:
                    message = read_message(text)
                except NoMessageError as error:
                    await self.outgoing.send(SessionMessage(error.answer))
                    continue
                self._note(message)
                await self._read.send(SessionMessage(message))
            if self._asked:
                with anyio.move_on_after(LAST_ANSWERS_S):
                    await self._all_answered.wait()

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._asked[message.id] += 1
        elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCELLED:
            number = (message.params or {}).get("requestId")
            if _is_id(number):
                self._answered(number)

    def _answered(self, number: Any) -> None:
        """Note that nobody waits for the answer to a request any more."""
        self._asked -= Counter((number,))
        if not self._asked:
            self._all_answered.set()
            self._all_answered = anyio.Event()

    async def speak(self) -> None:
        """Write what the server says."""
        async with self._written:
            async for item in self._written:
                message = item.message
                await self._write(message.model_dump_json(by_alias=True, exclude_unset=True) + "\n")
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    self._answered(message.id)


class NoMessageError(Exception):
    """A line is no message; `answer` tells the client."""

    def __init__(self, code: int, message: str, number: Any = None):
        super().__init__(message)
        self.answer = types.JSONRPCError(
            jsonrpc="2.0",
            id=number if _is_id(number) else None,
            error=types.ErrorData(code=code, message=message),
        )


def _is_id(number: Any) -> bool:
    """Whether it names a request: a text with half a surrogate pair cannot be sent back."""
    if isinstance(number, str):
        return not re.search("[\ud800-\udfff]", number)
    return isinstance(number, int) and not isinstance(number, bool)


def read_message(line: str) -> types.JSONRPCMessage:
    """Return the message that a line is.

    Raises:
        NoMessageError: it is none, or a request without a usable id. To the SDK that is a
            notification, and dropped; but each notification of MCP has a name that says so.
    """
    try:
        found = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    else:
        if isinstance(found, types.JSONRPCNotification) and not found.method.startswith(
            _NOTIFICATIONS
        ):
            raise NoMessageError(_INVALID_REQUEST, _NO_ID)
        return found
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise NoMessageError(_PARSE_ERROR, "the line is not JSON") from None
    number = value.get("id") if isinstance(value, dict) else None
    raise NoMessageError(_INVALID_REQUEST, _NO_MESSAGE, number)
