"""A few threads for calls that take a while, none of which keeps the process from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

__all__ = ["Threads"]


class Threads:
    """Runs calls in the order in which they come; one that was cancelled before is not begun."""

    def __init__(self, count: int):
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        for number in range(count):
            threading.Thread(target=self._work, name=f"leafmark-{number}", daemon=True).start()

    def run(self, function: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._calls.put((future, function))
        return future

    def _work(self) -> None:
        while True:
            future, function = self._calls.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except BaseException as error:  # whatever it is belongs to whoever waits for it
                future.set_exception(error)
            del future, function  # the answer may be large
