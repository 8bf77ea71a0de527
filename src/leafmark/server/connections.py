"""Connections on which nothing moves are closed; whoever holds hundreds must not keep others out.

A client may vanish without a word, send a head of a request letter by letter, or take nothing
of its answer. The web server itself waits for all of that for ever. The time for the body of a
request is the guard's.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

__all__ = ["Connection"]

HEAD_TIMEOUT_S = 20.0
"""In which the head of a request must have come; browsers open connections ahead."""

TAKE_TIMEOUT_S = 60.0
"""In which a client must have taken something of its answer."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection of the web server, with an end to all waiting; times chosen by eye."""

    _head: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _stop(self._head)
        _stop(self._taking)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_taking(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        _stop(self._taking)
        super().resume_writing()

    def _await_head(self) -> None:
        """Begin to wait, unless there is a request; a part of its head gives no more time."""
        if self._has_request():
            _stop(self._head)
            self._head = None
        elif self._head is None:
            self._head = self.loop.call_later(HEAD_TIMEOUT_S, self._end_without_head)

    def _has_request(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _end_without_head(self) -> None:
        self._head = None
        if not self._has_request():
            self.transport.abort()

    def _await_taking(self, left: int) -> None:
        self._taking = self.loop.call_later(TAKE_TIMEOUT_S, self._check_taking, left)

    def _check_taking(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._await_taking(left)
        else:
            self.transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
