"""The vectors of a query and of its best matches, within a deadline.

The model is started in a thread of its own before the index is refreshed. When it
is not ready in time, the answer is lexical and a hint says why. An embedder stays
open as long as the process does, so that a server loads it once. A model inside leafmark
then makes the vectors of the best matches that have none: see `similarity.CandidateVectors`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from leafmark.app.answering.similarity import (
    MAX_CHARACTERS,
    MEASURED,
    CandidateVectors,
    VectorMeaning,
)
from leafmark.app.background import LateError, Patience, begin
from leafmark.app.configuration.project import Project
from leafmark.app.embedder import current_view, embedder_spec, no_embedder, vector_model
from leafmark.app.indexed_sources import Sources
from leafmark.embedding import (
    Embedder,
    EmbedderSpec,
    Vectors,
    is_remote,
    load_numpy,
    open_embedder,
    reads,
)
from leafmark.environment import reset_after_fork
from leafmark.errors import LeafmarkError, ProviderError
from leafmark.index import IndexReader
from leafmark.index.query_vectors import QueryVectorCache
from leafmark.index.vector_search import VectorSearcher
from leafmark.index.vector_view import VectorView
from leafmark.index.vectors import vector_folder
from leafmark.model import Hint
from leafmark.query import Expression
from leafmark.search.compile import corrected_text
from leafmark.search.fuse import ChunkRef, Meaning
from leafmark.search.pipeline import Compile
from leafmark.search.present import Texts
from leafmark.search.words import topic_text

__all__ = ["QueryVectors", "ask_meaning"]

LATE_S = 10.0
"""How much longer than it is waited for an answer may take, before its thread gives up."""

FIRST_SHARE = 1 / 3
"""The share of `embedding.deadline_s` that the vectors of matches may take, of the first search
of a process: 1 s, which the best 20 take on a slow machine."""

LATER_SHARE = 1 / 6
"""The same for later searches: 0.5 s."""

_OPEN: dict[EmbedderSpec, tuple[Embedder, threading.Lock]] = {}
_OPENING = threading.Lock()


@reset_after_fork
def _begin_anew() -> None:
    """In a forked child: the threads of a model are not here, and a connection is the parent's.

    Two processes that ask over one connection get each other's answers.
    """
    global _OPENING
    _OPENING = threading.Lock()
    _OPEN.clear()


def ask_meaning(
    project: Project, topics: Sequence[Expression], mode: str, *, is_chosen: bool
) -> QueryVectors | None:
    """Begin to make the vectors of the topics; None where there is nothing to ask.

    Words in letters that the model was not trained on are left to the search by words. So is
    one word by itself, which gains nothing, where neither the mode nor the embedder `is_chosen`.

    Raises:
        UsageError: the mode needs an embedder, and the settings name none.
    """
    spec = embedder_spec(project)
    if spec is None:
        raise no_embedder(project, f"the mode {mode}")
    asked = [topic for topic in topics if topic_text(topic)]
    if not (is_chosen or project.configuration.embedding.is_named):
        texts = list(map(topic_text, asked))
        if not all(len(text.split()) > 1 and reads(spec, text) for text in texts):
            return None
    if not asked:
        return None
    return QueryVectors(project, spec, asked, mode)


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
        self._mode = mode
        self._quick = replace(spec, retries=0, timeout_s=self._deadline_s + LATE_S)
        texts = list(map(topic_text, topics))
        self._missing = _unable(spec, [] if mode == "semantic" else texts)
        if self._missing is None:
            self._making = self._begin({text: text for text in texts})

    def _begin(self, texts: Mapping[str, str]) -> Future[dict[str, Vectors]]:
        """Begin to make the vectors of some texts, by the names that they are asked for by."""

        def embed() -> dict[str, Vectors]:
            embedder, lock = _opened(self._quick, self._patience)
            with self._patience.holding(lock):
                return {name: embedder.embed_query(text) for name, text in texts.items()}

        return begin("embedder", embed, waited_for=not is_remote(self._spec))

    def answer(
        self, reader: IndexReader, compiled: Compile, sources: Sources
    ) -> tuple[Meaning | None, tuple[Hint, ...]]:
        """Return what can be asked of vectors, waiting up to the deadline, and what is missing.

        `compiled` gives the topics as they are searched, `sources` the texts of matches.
        """
        if self._missing is not None:
            return None, (self._missing,)
        view = current_view(self._project, reader, self._spec)
        makes = self._mode != "semantic" and self._spec.provider in MEASURED
        has_any = view is not None and (view.has_any or not view.pending)
        if not (has_any or makes):
            return None, (_lexical("no-vectors", "there are no vectors yet"),)
        try:
            vectors = self._patience.result_of(self._making)
        except TimeoutError:
            reason = f"the embedder did not answer within {self._deadline_s:g} s"
            return None, (_lexical("late-embedder", reason),)
        except LeafmarkError as error:
            return None, (_failed(error),)
        vectors = vectors | self._corrected(compiled)
        try:
            searcher = VectorSearcher(view, self._folder) if view and has_any else None
        except OSError:
            return None, (_lexical("no-vectors", "there are no vectors yet"),)
        if searcher and any(each.shape[1] != view.dimension for each in vectors.values()):  # type: ignore[union-attr]
            return None, (_lexical("other-dimension", _OTHER_DIMENSION),)
        if not any(each.any() for each in vectors.values()):
            return None, (_lexical("unknown-words", _UNKNOWN),)
        meaning = VectorMeaning(
            searcher,
            vectors,
            stated=self._project.configuration.embedding.least_similarity,
            provider=self._spec.provider,
            make=self._candidates(reader, sources) if makes else None,
        )
        return meaning, self._pending(view)

    @property
    def _folder(self) -> Path:
        return vector_folder(self._project.shared_dir, vector_model(self._spec))

    def _pending(self, view: VectorView | None) -> tuple[Hint, ...]:
        """Return what is said of chunks without a vector, where all were to have one."""
        pending = 0 if view is None else view.pending
        if not (pending and self._project.configuration.embedding.is_named):
            return ()
        some = "a chunk has" if pending == 1 else f"{pending:,} chunks have"
        return (Hint("pending-vectors", reason=f"{some} no vector yet", values={"count": pending}),)

    def _candidates(self, reader: IndexReader, sources: Sources) -> CandidateVectors | None:
        """Return what makes vectors of the best matches in the time of this search.

        None where the model is not open, as one is that gave the vectors of the query.
        """
        with _OPENING:
            opened = _OPEN.get(self._quick)
        if opened is None:
            return None
        embedder, lock = opened
        patience: list[Patience] = []
        texts = Texts(reader, sources.data, sources.readable)

        def embed(text: str) -> Vectors:
            if not patience:  # time is counted from when it is needed
                patience.append(Patience(self._deadline_s * _share()))
            if not patience[0].left_s():
                raise LateError
            with patience[0].holding(lock):
                return embedder.embed_documents([text])

        def read(ref: ChunkRef) -> str | None:
            entry = reader.entry(*ref)
            body = None if entry is None else texts.body(entry)
            if entry is None or body is None or not body.text.strip():
                return None
            return f"{entry.breadcrumb}\n\n{body.shown.strip()[:MAX_CHARACTERS]}"

        def terms(tree: str, text: str) -> Sequence[str]:
            language = reader.language_of(tree)
            return text.lower().split() if language is None else language.analyzer.terms(text)

        return CandidateVectors(
            QueryVectorCache(self._folder, embedder.dimension),
            windows=embedder.windows,
            embed=embed,
            terms=terms,
            read=read,
        )

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
        return _lexical("letters", f"{spec.provider} reads Latin letters alone")
    try:
        load_numpy()
    except ProviderError as error:
        return _failed(error)
    return None


def _failed(error: LeafmarkError) -> Hint:
    """Return what is said of an answer without vectors because of an error."""
    return _lexical("provider", error.placed_message)


def _lexical(code: str, reason: str) -> Hint:
    """Return what is said of an answer that is lexical for a reason."""
    return Hint(code, reason=reason, values={"reason": reason})


_UNKNOWN = "the embedder's model knows no word of the query"
_OTHER_DIMENSION = "the embedder gives vectors of another dimension than those of the index"

_answered = False


def _share() -> float:
    """Return the share of the deadline for vectors of matches; the model is cold at first."""
    global _answered
    was, _answered = _answered, True
    return LATER_SHARE if was else FIRST_SHARE


def _opened(spec: EmbedderSpec, patience: Patience) -> tuple[Embedder, threading.Lock]:
    """Return the embedder with the lock under which it is asked.

    Raises:
        LateError: another search has been opening one up to the deadline.
    """
    with patience.holding(_OPENING):
        if spec not in _OPEN:
            _OPEN[spec] = (open_embedder(spec), threading.Lock())
        return _OPEN[spec]
