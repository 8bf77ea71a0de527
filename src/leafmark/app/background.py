"""Work in the background: models are loaded and used in threads.

An answer does not wait for late results, but the end of the program does: a thread that is still in
the code of a model's runtime when Python ends crashes the process.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from leafmark.app.configuration.project import Project
from leafmark.embedding import Reranker, RerankerSpec, open_reranker
from leafmark.environment import reset_after_fork
from leafmark.errors import LeafmarkError, ProviderError
from leafmark.model import Hint

T = TypeVar("T")

MAX_WAIT_S = 10.0
"""The wait at the end of the program for all threads; loading a model takes less."""

RUNNING: set[threading.Thread] = set()


def begin(what: str, work: Callable[[], T], *, waited_for: bool = True) -> Future[T]:
    """Start work of the model `what` in a thread; its errors are ours, or `DeadlineExceeded`.

    The end of the program waits for it, unless `waited_for` is False: for requests to other
    machines.

    Raises:
        RuntimeError: the system refuses a thread.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except (LeafmarkError, DeadlineExceeded) as error:
            done.set_exception(error)
        except BaseException as error:  # also a panic, which would be lost in this thread
            message = f"the {what} failed: {type(error).__name__}: {error}"
            done.set_exception(ProviderError(message))

    thread = threading.Thread(target=run, name=what, daemon=True)
    thread.start()
    if waited_for:
        RUNNING.add(thread)
        done.add_done_callback(lambda _: RUNNING.discard(thread))  # at once where it is done
    return done


class DeadlineExceeded(TimeoutError):
    """The work was not started, since no search waits for it."""


class Deadline:
    """The time that a search waits for work in the background, counted from now."""

    def __init__(self, seconds: float):
        self._until = time.monotonic() + seconds
        self._is_over = False

    def left_s(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def result_of(self, work: Future[T]) -> T:
        """Return the result of the work, even after the deadline if it is ready.

        Raises:
            TimeoutError: it is late; later calls do not wait.
            LeafmarkError: it failed.
        """
        try:
            return work.result(self.left_s())
        except TimeoutError:
            self._is_over = True
            raise

    @contextmanager
    def holding(self, lock: threading.Lock) -> Iterator[None]:
        """Hold the lock of a model for this search, after waiting up to the deadline.

        A free lock is taken even after the deadline, since a search whose refresh takes longer
        needs the result only then.

        Raises:
            DeadlineExceeded: the lock was not free, or the search does not wait any more.
        """
        if not lock.acquire(timeout=self.left_s()):
            raise DeadlineExceeded
        try:
            if self._is_over:
                raise DeadlineExceeded
            yield
        finally:
            lock.release()


@atexit.register
def wait_for_all() -> None:
    """Wait for the work in progress, up to `MAX_WAIT_S`."""
    until = time.monotonic() + MAX_WAIT_S
    for thread in tuple(RUNNING):
        thread.join(max(0.0, until - time.monotonic()))


# Reranking by a cross-encoder, within a deadline. The model is loaded in a thread while the search
# runs, and stays loaded as long as the process runs.

_OPEN: dict[RerankerSpec, Future[Reranker]] = {}
_OPENING = threading.Lock()
READING = threading.Lock()
"""Lets a model serve one search at a time."""


@reset_after_fork
def forget_rerankers() -> None:
    """Forget all models: in a forked child their threads do not exist."""
    global _OPENING, READING
    _OPENING, READING = threading.Lock(), threading.Lock()
    _OPEN.clear()


_LATE = "the reranker did not answer within {:g} s"


def ask_reranker(project: Project, query: str) -> Reranking | None:
    """Start to load the reranker; None if the settings name none, or there are no words."""
    spec = reranker_spec(project)
    if spec is None or not query:
        return None
    return Reranking(spec, query, project.configuration.rerank.deadline_s)


def reranker_spec(project: Project) -> RerankerSpec | None:
    """Return the configured reranker, if any."""
    settings = project.configuration.rerank
    if settings.provider == "none":
        return None
    return RerankerSpec(settings.provider, settings.model or "")


class Reranking:
    """The relevance of texts to a query; if it is unknown, `hints` have the reason."""

    def __init__(self, spec: RerankerSpec, query: str, deadline_s: float):
        self.hints: tuple[Hint, ...] = ()
        self._query = query
        self._deadline_s = deadline_s
        self._loading = _opened(spec)

    def __call__(self, texts: Sequence[str]) -> Sequence[float] | None:
        patience = Deadline(self._deadline_s)
        try:
            reranker = patience.result_of(self._loading)
            reading = begin("reranker", lambda: self._read(reranker, texts, patience))
            return patience.result_of(reading)
        except TimeoutError:
            reason = _LATE.format(self._deadline_s)
            self.hints = (Hint("late-reranker", reason=reason, values={"reason": reason}),)
        except LeafmarkError as error:
            reason = error.placed_message
            self.hints = (Hint("reranker", reason=reason, values={"reason": reason}),)
        return None

    def _read(
        self, reranker: Reranker, texts: Sequence[str], patience: Deadline
    ) -> Sequence[float]:
        with patience.holding(READING):
            return reranker.relevance(self._query, texts)


def _opened(spec: RerankerSpec) -> Future[Reranker]:
    with _OPENING:
        known = _OPEN.get(spec)
        if known is None or (known.done() and known.exception() is not None):
            _OPEN[spec] = begin("reranker", lambda: open_reranker(spec))
        return _OPEN[spec]
