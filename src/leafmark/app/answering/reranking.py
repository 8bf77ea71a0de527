"""The order of a cross-encoder within a deadline; without it the order stays as it was.

The model is loaded in a thread of its own while the search runs, and stays open as
long as the process does.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future

from leafmark.app.background import Deadline, begin
from leafmark.app.configuration.project import Project
from leafmark.embedding import Reranker, RerankerSpec, open_reranker
from leafmark.environment import reset_after_fork
from leafmark.errors import LeafmarkError
from leafmark.model import Hint

__all__ = ["Reranking", "ask_reranker", "reranker_spec"]

_OPEN: dict[RerankerSpec, Future[Reranker]] = {}
_OPENING = threading.Lock()
_READING = threading.Lock()
"""A model reads for one search at a time."""


@reset_after_fork
def _begin_anew() -> None:
    """In a forked child: the threads of a model, and of whoever loads it, are not here."""
    global _OPENING, _READING
    _OPENING, _READING = threading.Lock(), threading.Lock()
    _OPEN.clear()


_LATE = "the reranker did not answer within {:g} s"


def ask_reranker(project: Project, query: str) -> Reranking | None:
    """Begin to load the reranker; None where the settings name none, or there are no words."""
    spec = reranker_spec(project)
    if spec is None or not query:
        return None
    return Reranking(spec, query, project.configuration.rerank.deadline_s)


def reranker_spec(project: Project) -> RerankerSpec | None:
    """Return the reranker that the settings name, None for none."""
    settings = project.configuration.rerank
    if settings.provider == "none":
        return None
    return RerankerSpec(settings.provider, settings.model or "")


class Reranking:
    """How relevant texts are to a query; `hints` tell why that could not be said."""

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
        with patience.holding(_READING):
            return reranker.relevance(self._query, texts)


def _opened(spec: RerankerSpec) -> Future[Reranker]:
    with _OPENING:
        if spec not in _OPEN or _failed(_OPEN[spec]):
            _OPEN[spec] = begin("reranker", lambda: open_reranker(spec))
        return _OPEN[spec]


def _failed(loading: Future[Reranker]) -> bool:
    return loading.done() and loading.exception() is not None
