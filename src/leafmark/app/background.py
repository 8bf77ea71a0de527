"""Work beside an answer: models are loaded and asked in threads, and the end of the program waits.

Nobody else does: an answer goes without what is late. But a thread that is still inside the
code of a model's runtime when Python ends takes the whole process down with it.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from leafmark.errors import LeafmarkError, ProviderError

__all__ = ["begin"]

T = TypeVar("T")

LONGEST_WAIT_S = 10.0
"""At the end of the program, for all threads together; a model is loaded in less."""

_RUNNING: set[threading.Thread] = set()


def begin(what: str, work: Callable[[], T], *, waited_for: bool = True) -> Future[T]:
    """Do some work of the model `what` beside the answer; its error is always one of ours.

    What only waits for another machine need not be `waited_for`.

    Raises:
        RuntimeError: the system refuses a thread.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except LeafmarkError as error:
            done.set_exception(error)
        except BaseException as error:  # or a panic: nobody would see it in this thread
            message = f"the {what} failed: {type(error).__name__}: {error}"
            done.set_exception(ProviderError(message))

    thread = threading.Thread(target=run, name=what, daemon=True)
    thread.start()
    if waited_for:
        _RUNNING.add(thread)
        done.add_done_callback(lambda _: _RUNNING.discard(thread))  # at once where it is done
    return done


@atexit.register
def _wait_for_all() -> None:
    until = time.monotonic() + LONGEST_WAIT_S
    for thread in tuple(_RUNNING):
        thread.join(max(0.0, until - time.monotonic()))
