"""What is answered over standard input and output, and how a conversation ends."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Iterable
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest
from mcp import types
from mcp.shared.message import SessionMessage

from leafmark import errors
from leafmark.server.mcp import server


def test_on_windows_a_client_that_is_gone_is_an_invalid_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raised = [OSError(22, "Invalid argument"), BrokenPipeError()]

    def run(_: object) -> None:
        raise BaseExceptionGroup("of tasks", [ExceptionGroup("inner", raised)])

    monkeypatch.setattr("anyio.run", run)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(BaseExceptionGroup) as caught:
        server.run_stdio(cast("Any", None), 1)
    assert caught.group_contains(OSError, match="Invalid argument")
    assert not caught.group_contains(BrokenPipeError)
    monkeypatch.setattr(errors, "WINDOWS", True)
    server.run_stdio(cast("Any", None), 1)


def converse(*lines: str) -> tuple[list[str], list[tuple[Any, int, str]]]:
    """Return the methods that reach the server, and the errors that are sent."""
    sent: list[dict[str, Any]] = []

    async def write(line: str) -> None:
        sent.append(json.loads(line))

    async def run() -> list[str]:
        talk = server.Conversation(each(lines), write)
        async with anyio.create_task_group() as group:
            group.start_soon(talk.listen)
            group.start_soon(talk.speak)
            async with talk.incoming, talk.outgoing:
                methods = [_method(one) async for one in talk.incoming]
        return methods

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "LAST_ANSWERS_S", 0)
        methods = anyio.run(run)
    return methods, [(each["id"], each["error"]["code"], each["error"]["message"]) for each in sent]


async def each(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line + "\n"


def _method(item: Any) -> str:
    return str(item.message.method)


PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
NO_ID = (None, -32600, "a request needs an `id` that is a text or a whole number")


@pytest.mark.parametrize("number", ["null", "1.5", "true", "[1]", "{}", "NaN", "1e400", None])
def test_a_request_whose_id_is_none_is_answered_all_the_same(number: str | None) -> None:
    line = '{"jsonrpc": "2.0", "method": "ping"'
    line += "}" if number is None else f', "id": {number}}}'
    assert converse(line, PING) == (["ping"], [NO_ID])


def test_an_id_of_half_a_character_is_not_sent_back() -> None:
    told = (None, -32600, "the line is not a message of JSON-RPC 2.0")
    assert converse('{"jsonrpc": "2.0", "method": "ping", "id": "\\ud800"}', PING) == (
        ["ping"],
        [told],
    )


@pytest.mark.parametrize("number", ["[1]", "{}", "null"])
def test_a_request_that_cannot_be_one_is_not_cancelled(number: str) -> None:
    method = "notifications/cancelled"
    line = f'{{"jsonrpc": "2.0", "method": "{method}", "params": {{"requestId": {number}}}}}'
    assert converse(line, PING) == ([method, "ping"], [])


@pytest.mark.parametrize("number", ["1", "-1", "1" + "0" * 40, '""', '"a"'])
def test_every_text_and_whole_number_is_an_id(number: str) -> None:
    line = f'{{"jsonrpc": "2.0", "method": "ping", "id": {number}}}'
    assert converse(line) == (["ping"], [])


def test_notifications_are_not_answered() -> None:
    methods = ["notifications/initialized", "notifications/otter"]
    assert converse(*(f'{{"jsonrpc":"2.0","method":"{each}"}}' for each in methods)) == (
        methods,
        [],
    )


@pytest.mark.parametrize("line", ["", "  ", "\t", "\r"])
def test_nobody_waits_for_an_answer_to_an_empty_line(line: str) -> None:
    assert converse(line, PING) == (["ping"], [])


def test_a_mark_of_utf_8_before_a_line_is_no_part_of_it() -> None:
    assert converse("\ufeff" + PING) == (["ping"], [])
    told = "the line is not JSON"
    assert converse("\ufeff{", "\ufeff", PING) == (["ping"], [(None, -32700, told)])


CANCEL = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([PING], ["answered", "ended"]),
        ([PING, PING], ["answered", "answered", "ended"]),  # with one id, against the protocol
        ([PING, CANCEL], ["ended", "answered"]),
    ],
)
def test_what_was_asked_is_answered_before_the_end(lines: list[str], expected: list[str]) -> None:
    """A script pipes its requests, and closes the input at once."""
    said: list[str] = []

    async def write(line: str) -> None:
        said.append("answered")

    async def run() -> None:
        talk = server.Conversation(each(lines), write)

        async def answer(steps: int) -> None:
            for _ in range(steps):
                await anyio.lowlevel.checkpoint()
            result = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={})
            await talk.outgoing.send(SessionMessage(result))

        async with anyio.create_task_group() as group:
            group.start_soon(talk.listen)
            group.start_soon(talk.speak)
            async with talk.incoming, talk.outgoing, anyio.create_task_group() as answering:
                steps = 0
                async for message in talk.incoming:
                    if _method(message) == "ping":
                        answering.start_soon(answer, steps := steps + 9)
                said.append("ended")

    anyio.run(run)
    assert said == expected
