"""The vectors of a query, within a deadline.

The model is started in a thread of its own before the index is refreshed. When it
is not ready in time, the answer is lexical and a hint says why. An embedder stays
open as long as the process does, so that a server loads it once.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace

from leafmark.app.answering.similarity import VectorMeaning
from leafmark.app.background import Patience, begin
from leafmark.app.configuration.project import Project
from leafmark.app.embedder import current_view, embedder_spec, vector_model
from leafmark.embedding import (
    Embedder,
    EmbedderSpec,
    Vectors,
    is_remote,
    load_numpy,
    open_embedder,
    reads,
)
from leafmark.errors import LeafmarkError, ProviderError, UsageError
from leafmark.forking import in_forked_child
from leafmark.index import IndexReader
from leafmark.index.vector_search import VectorSearcher
from leafmark.index.vectors import vector_folder
from leafmark.model import Hint
from leafmark.query import Expression
from leafmark.search.compile import corrected_text
from leafmark.search.fuse import Meaning
from leafmark.search.pipeline import Compile
from leafmark.search.words import topic_text

__all__ = ["QueryVectors", "ask_meaning", "no_embedder"]

LATE_S = 10.0
"""How much longer than it is waited for an answer may take, before its thread gives up."""

_OPEN: dict[EmbedderSpec, tuple[Embedder, threading.Lock]] = {}
_OPENING = threading.Lock()


@in_forked_child
def _begin_anew() -> None:
    """In a forked child: the threads of a model are not here, and a connection is the parent's.

    Two processes that ask over one connection get each other's answers.
    """
    global _OPENING
    _OPENING = threading.Lock()
    _OPEN.clear()


def ask_meaning(project: Project, topics: Sequence[Expression], mode: str) -> QueryVectors | None:
    """Begin to make the vectors of the topics; None where there is nothing to ask.

    Words in letters that the model was not trained on are left to the search by words.

    Raises:
        UsageError: the mode needs an embedder, and the settings name none.
    """
    spec = embedder_spec(project)
    if spec is None:
        raise no_embedder(project, mode)
    asked = [topic for topic in topics if topic_text(topic)]
    if not asked:
        return None
    return QueryVectors(project, spec, asked, mode)


def no_embedder(project: Project, mode: str) -> UsageError:
    """Say that a mode needs an embedder, where the settings in force name none."""
    wish = project.configuration.untrusted("embedding.provider")
    if wish is not None:
        message = f"the mode {mode} needs an embedder, and the configured one is not trusted"
        return UsageError(message, hint=wish.notice)
    return UsageError(
        f"the mode {mode} needs an embedder, and none is configured",
        hint="set provider in [embedding] of your configuration file, which "
        "`leafmark init --global` writes, then run `leafmark index`",
    )


class QueryVectors:
    """The vectors of a query, which are being made in a thread of their own."""

    def __init__(
        self, project: Project, spec: EmbedderSpec, topics: Sequence[Expression], mode: str
    ):
        self._project = project
        self._deadline_s = project.configuration.embedding.deadline_s
        self._patience = Patience(self._deadline_s)
        self._spec = spec
        self._topics = topics
        texts = list(map(topic_text, topics))
        self._missing = _unable(spec, [] if mode == "semantic" else texts)
        if self._missing is None:
            self._making = self._begin({text: text for text in texts})

    def _begin(self, texts: Mapping[str, str]) -> Future[dict[str, Vectors]]:
        """Begin to make the vectors of some texts, by the names that they are asked for by."""

        def embed() -> dict[str, Vectors]:
            quick = replace(self._spec, retries=0, timeout_s=self._deadline_s + LATE_S)
            embedder, lock = _opened(quick, self._patience)
            with self._patience.holding(lock):
                return {name: embedder.embed_query(text) for name, text in texts.items()}

        return begin("embedder", embed, waited_for=not is_remote(self._spec))

    def answer(
        self, reader: IndexReader, compiled: Compile
    ) -> tuple[Meaning | None, tuple[Hint, ...]]:
        """Return what can be asked of vectors, waiting up to the deadline, and what is missing.

        `compiled` gives the topics as they are searched.
        """
        if self._missing is not None:
            return None, (self._missing,)
        view = current_view(self._project, reader, self._spec)
        if view is None or (view.pending and not view.has_any):
            return None, (_NO_VECTORS,)
        try:
            vectors = self._patience.result_of(self._making)
        except TimeoutError:
            return None, (_lexical("provider", _LATE.format(self._deadline_s), _DEADLINE),)
        except LeafmarkError as error:
            return None, (_failed(error),)
        vectors = vectors | self._corrected(compiled)
        folder = vector_folder(self._project.shared_dir, vector_model(self._spec))
        try:
            searcher = VectorSearcher(view, folder)
        except OSError:
            return None, (_NO_VECTORS,)
        if any(each.shape[1] != view.dimension for each in vectors.values()):
            return None, (_lexical("provider", _OTHER_DIMENSION, _ANEW),)
        if not any(each.any() for each in vectors.values()):
            return None, (_lexical("unknown-words", _UNKNOWN),)
        hints = (_pending(view.pending),) if view.pending else ()
        stated = self._project.configuration.embedding.least_similarity
        provider = self._spec.provider
        return VectorMeaning(searcher, vectors, stated=stated, provider=provider), hints

    def _corrected(self, compiled: Compile) -> dict[str, Vectors]:
        """Return the vectors of the corrected words, to stand for those of misspelt ones.

        Where they are not there in time, those of the words as typed remain.
        """
        texts = {
            topic_text(topic): corrected_text(topic, compiled(topic).values())
            for topic in self._topics
        }
        texts = {name: text for name, text in texts.items() if name != text}
        try:
            return self._patience.result_of(self._begin(texts)) if texts else {}
        except (TimeoutError, LeafmarkError):
            return {}


def _unable(spec: EmbedderSpec, texts: Sequence[str]) -> Hint | None:
    """Return why vectors cannot be made, or would mean nothing for the letters of texts."""
    if not all(reads(spec, text) for text in texts):
        return _lexical("letters", _LETTERS.format(spec.provider), _ALL_LETTERS)
    try:
        load_numpy()
    except ProviderError as error:
        return _failed(error)
    return None


def _failed(error: LeafmarkError) -> Hint:
    """Return what is said of an answer without vectors because of an error."""
    reason = error.placed_message
    return Hint("provider", f"{reason}; this answer is lexical", reason)


def _lexical(code: str, reason: str, remedy: str = "") -> Hint:
    """Return what is said of an answer that is lexical for a reason."""
    return Hint(
        code, "; ".join(filter(None, (f"{reason}, so this answer is lexical", remedy))), reason
    )


def _pending(count: int) -> Hint:
    """Return what is said of chunks without a vector."""
    some, them = ("a chunk has", "it") if count == 1 else (f"{count:,} chunks have", "them")
    are = "is" if count == 1 else "are"
    reason = f"{some} no vector yet"
    message = f"{reason} and {are} found by words alone; `leafmark index` makes {them}"
    return Hint("pending-vectors", message, reason)


_NO_VECTORS = _lexical("no-vectors", "there are no vectors yet", "`leafmark index` makes them")
_LATE = "the embedder did not answer within {:g} s"
_DEADLINE = "embedding.deadline_s is how long a search waits"
_LETTERS = "{} reads Latin letters alone"
_ALL_LETTERS = "another model may read all letters"
_UNKNOWN = "the embedder's model knows no word of the query"
_OTHER_DIMENSION = "the embedder gives vectors of another dimension than those of the index"
_ANEW = "`leafmark index --rebuild` makes them anew"


def _opened(spec: EmbedderSpec, patience: Patience) -> tuple[Embedder, threading.Lock]:
    """Return the embedder with the lock under which it is asked.

    Raises:
        LateError: another search has been opening one up to the deadline.
    """
    with patience.holding(_OPENING):
        if spec not in _OPEN:
            _OPEN[spec] = (open_embedder(spec), threading.Lock())
        return _OPEN[spec]
