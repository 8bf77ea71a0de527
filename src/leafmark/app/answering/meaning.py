"""The vectors of a query and of its best matches, within a deadline.

The model starts in a thread of its own before the index is refreshed. If it is not ready in
time, the answer is lexical and a hint says why. An embedder stays open as long as the process, so
that a server loads it once. A model inside leafmark then computes the vectors of the best matches
that have none: see `CandidateVectors`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from leafmark.app.background import Deadline, DeadlineExceeded, begin
from leafmark.app.configuration.project import Project
from leafmark.app.embedder import (
    IndexVectors,
    are_gone,
    embedder_spec,
    index_vectors,
    no_embedder,
    vector_model,
)
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
from leafmark.index.vector_search import Background, Near, Searcher
from leafmark.index.vectors import QueryVectorCache, text_hash, vector_folder
from leafmark.model import Hint, Recent
from leafmark.namedtuples import NamedTuple
from leafmark.query import Expression
from leafmark.search.compile import corrected_text
from leafmark.search.fuse import ChunkRef, Meaning, Usual
from leafmark.search.pipeline import Compile
from leafmark.search.present import Texts
from leafmark.search.stop_words import topic_text

LATE_S = 10.0
"""After the deadline, the thread of an embedder waits so much longer before it gives up."""

FIRST_SHARE = 1 / 3
"""The share of `embedding.deadline_s` for the vectors of matches in the first search of a process:
1 s, which the best 20 take on a slow machine."""

LATER_SHARE = 1 / 6
"""The same for later searches: 0.5 s."""

WINDOWS_KEPT = 500
"""Texts whose parts a process caches: those of a few hundred searches, some MB."""


class _Opened(NamedTuple):
    """An embedder, the lock for its use, and the windows of the last texts (`recent_windows`)."""

    embedder: Embedder
    lock: threading.Lock
    recent_windows: Recent[tuple[str, int], Sequence[str]]

    def windows(self, text: str, limit: int) -> Sequence[str]:
        windows = self.recent_windows.get((text, limit))
        if windows is None:
            windows = self.embedder.windows(text, limit)
            self.recent_windows.put((text, limit), windows)
        return windows


_OPEN: dict[EmbedderSpec, _Opened] = {}
_OPENING = threading.Lock()


@reset_after_fork
def forget_embedders() -> None:
    """Forget all open embedders, so that they are opened anew.

    A forked child has no threads of a model, and its connections are the parent's: two processes
    that share a connection get each other's answers.
    """
    global _OPENING
    _OPENING = threading.Lock()
    _OPEN.clear()


def ask_meaning(
    project: Project, topics: Sequence[Expression], mode: str, *, is_chosen: bool
) -> QueryVectors | None:
    """Start to compute the vectors of the topics; None if the search is by words only.

    That is so if no topic has text. It is also so for single words, which gain nothing, and for
    letters that the model was not trained on, unless the user chose the mode (`is_chosen`) or
    the embedder.

    Raises:
        UsageError: the mode needs an embedder, and the settings name none.
    """
    spec = embedder_spec(project)
    if spec is None:
        raise no_embedder(project, f"the mode {mode}")
    text_topics = [topic for topic in topics if topic_text(topic)]
    if not (is_chosen or project.configuration.embedding.is_named):
        texts = list(map(topic_text, text_topics))
        if not all(len(text.split()) > 1 and reads(spec, text) for text in texts):
            return None
    if not text_topics:
        return None
    return QueryVectors(project, spec, text_topics, mode)


class QueryVectors:
    """The vectors of a query, which are computed in a thread of their own."""

    def __init__(
        self, project: Project, spec: EmbedderSpec, topics: Sequence[Expression], mode: str
    ):
        self._project = project
        self._deadline_s = project.configuration.embedding.deadline_s
        self._patience = Deadline(self._deadline_s)
        self._spec = spec
        self._topics = topics
        self._mode = mode
        self._quick = replace(spec, retries=0, timeout_s=self._deadline_s + LATE_S)
        texts = list(map(topic_text, topics))
        self._missing = _unable(spec, [] if mode == "semantic" else texts)
        if self._missing is None:
            self._making = self._begin({text: text for text in texts})

    def _begin(self, texts: Mapping[str, str]) -> Future[dict[str, Vectors]]:
        """Start to compute the vectors of texts; `texts` and the result map the same names."""

        def embed() -> dict[str, Vectors]:
            opened = _opened(self._quick, self._patience)
            with self._patience.holding(opened.lock):
                embedder = opened.embedder
                return {name: embedder.embed_query(text) for name, text in texts.items()}

        return begin("embedder", embed, waited_for=not is_remote(self._spec))

    def _without_vectors(self) -> Hint:
        lost = are_gone(self._project, self._spec)
        return _lexical("no-vectors", "vectors were lost" if lost else "there are no vectors yet")

    def answer(
        self, reader: IndexReader, compiled: Compile, sources: Sources
    ) -> tuple[Meaning | None, tuple[Hint, ...]]:
        """Return the vector side of a search, within the deadline, and hints about missing parts.

        `compiled` has the compiled topics, `sources` the texts of matches.
        """
        if self._missing is not None:
            return None, (self._missing,)
        stored = index_vectors(self._project, reader, self._spec)
        makes = self._mode != "semantic" and self._spec.provider in MEASURED
        has_any = stored is not None and (stored.has_any or not stored.pending)
        if not (has_any or makes):
            return None, (self._without_vectors(),)
        try:
            vectors = self._patience.result_of(self._making)
        except TimeoutError:
            reason = f"the embedder did not answer within {self._deadline_s:g} s"
            return None, (_lexical("late-embedder", reason),)
        except LeafmarkError as error:
            return None, (_failed(error),)
        vectors = vectors | self._corrected(compiled)
        try:
            searcher = stored.open_searcher() if stored and has_any else None
        except OSError:
            return None, (self._without_vectors(),)
        dimension = stored.dimension if stored and searcher else 0
        if dimension and any(array.shape[1] != dimension for array in vectors.values()):
            return None, (_lexical("other-dimension", _OTHER_DIMENSION),)
        if not any(array.any() for array in vectors.values()):
            return None, (_lexical("unknown-words", _UNKNOWN),)
        meaning = VectorMeaning(
            searcher,
            vectors,
            chosen=self._project.configuration.embedding.least_similarity,
            provider=self._spec.provider,
            make=self._candidates(reader, sources) if makes else None,
        )
        return meaning, self._pending(stored)

    @property
    def _folder(self) -> Path:
        return vector_folder(self._project.shared_dir, vector_model(self._spec))

    def _pending(self, stored: IndexVectors | None) -> tuple[Hint, ...]:
        """Return a hint about chunks without a vector, if the user named an embedder."""
        if stored is None or not self._project.configuration.embedding.is_named:
            return ()
        pending = stored.pending
        if not pending:
            return ()
        some = "a chunk has" if pending == 1 else f"{pending:,} chunks have"
        return (Hint("pending-vectors", reason=f"{some} no vector yet", values={"count": pending}),)

    def _candidates(self, reader: IndexReader, sources: Sources) -> CandidateVectors | None:
        """Return the object that computes vectors of the best matches during this search.

        None if the model of the query's vectors is not open any more.
        """
        with _OPENING:
            opened = _OPEN.get(self._quick)
        if opened is None:
            return None
        embedder = opened.embedder
        patience: list[Deadline] = []
        texts = Texts(reader, sources.data, sources.readable)

        def embed(text: str) -> Vectors:
            if not patience:  # the time starts with the first text
                patience.append(Deadline(self._deadline_s * _share()))
            if not patience[0].left_s():
                raise DeadlineExceeded
            with patience[0].holding(opened.lock):
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
            windows=opened.windows,
            embed=embed,
            terms=terms,
            read=read,
        )

    def _corrected(self, compiled: Compile) -> dict[str, Vectors]:
        """Return the vectors of topics with corrected words, to replace those of misspelt ones.

        Return none if they are not ready in time: the vectors of the typed words remain.
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
    """Return why vectors cannot be computed, or are useless for the letters of texts; else None."""
    if not all(reads(spec, text) for text in texts):
        return _lexical("letters", f"{spec.provider} reads Latin letters alone")
    try:
        load_numpy()
    except ProviderError as error:
        return _failed(error)
    return None


def _failed(error: LeafmarkError) -> Hint:
    """Return the hint about an answer without vectors because of an error."""
    return _lexical("provider", error.placed_message)


def _lexical(code: str, reason: str) -> Hint:
    """Return the hint that an answer is lexical, with the reason."""
    return Hint(code, reason=reason, values={"reason": reason})


_UNKNOWN = "the embedder's model knows no word of the query"
_OTHER_DIMENSION = "the embedder gives vectors of another dimension than those of the index"

_answered = False


def _share() -> float:
    """Return the share of the deadline for vectors of matches; the model is cold at first."""
    global _answered
    was, _answered = _answered, True
    return LATER_SHARE if was else FIRST_SHARE


def _opened(spec: EmbedderSpec, patience: Deadline) -> _Opened:
    """Return the open embedder, and open it if need be.

    Raises:
        DeadlineExceeded: another search was still opening one at the deadline.
    """
    with patience.holding(_OPENING):
        if spec not in _OPEN:
            _OPEN[spec] = _Opened(open_embedder(spec), threading.Lock(), Recent(WINDOWS_KEPT))
        return _OPEN[spec]


# The similarities of chunks to a text, and the bounds from which on they are meaningful.
#
# In: the vectors of the texts and of the index, and a source of missing ones during a search. Out:
# the similarities for `search.fuse`. Their range differs between models: `MEASURED` has the bounds
# of measured models, those of others are estimated from the usual similarity of a text.


class Bounds(NamedTuple):
    """The bounds from which on a similarity is meaningful: see `search.fuse.Usual`."""

    least: float
    doubtful: float
    least_document: float


MEASURED = {"minilm": (0.15, Bounds(least=0.35, doubtful=0.65, least_document=0.5))}
"""By provider: the usual mean over all chunks, and the bounds. Only these models compute vectors
during a search: a few vectors do not show the usual similarity."""

MIN_DEVIATIONS = 3.0
"""For other models: how far above the mean of all chunks, in standard deviations.

With the next two it gives `minilm` the answers that its own bounds give, within 0.004 of
overlap-MRR, and as many marks of doubt.
"""

DOCUMENT_FACTOR = 1.5
"""The bound for a whole document is this many times as far above the mean."""

DOUBTFUL_FACTOR = 2.0
"""An answer by meaning is doubtful up to this many times as far above the mean."""

ENOUGH = 64
"""The least number of vectors whose mean is usual for a text; below, the measured mean counts."""


CANDIDATES = 20
"""So many of the best matches by words get a vector during a search. 20 bring 82 to 86 % of the
gain by vectors of all chunks, 50 bring 93 %."""

WINDOW_TOKENS = 128
"""Tokens of the part of a match that gets a vector: the part with most of the query's words.

The model was trained on as many. It takes 17 ms, all parts of 256 take 80, and 20 matches gain
the same.
"""

MAX_CHARACTERS = 32_000
"""The length of a text that is cut into parts: more than the most windows that a text has."""


class CandidateVectors:
    """Computes missing vectors of a search's best matches, as far as its time allows.

    `embed` returns the vector of one text, or raises `TimeoutError`. `terms` returns the index
    terms of a text in the language of a tree, `read` a chunk's text, or None if its source has
    changed. New vectors are cached for later searches.
    """

    def __init__(
        self,
        cache: QueryVectorCache,
        *,
        windows: Callable[[str, int], Sequence[str]],
        embed: Callable[[str], Vectors],
        terms: Callable[[str, str], Sequence[str]],
        read: Callable[[ChunkRef], str | None],
    ):
        self._cache = cache
        self._windows = windows
        self._embed = embed
        self._terms = terms
        self._read = read
        self._texts: dict[ChunkRef, Sequence[str]] = {}
        self._known: dict[bytes, Vectors] = {}
        self._is_over = False
        self.late = 0
        """The number of matches without a vector for lack of time."""

    def similarities(
        self, query: Vectors, text: str, refs: Sequence[ChunkRef]
    ) -> list[float | None]:
        """Return the similarities of chunks to a query with that text, None without a vector."""
        new_vectors: dict[bytes, Vectors] = {}
        similarities = [self._similarity(query, text, ref, new_vectors) for ref in refs]
        if new_vectors:
            self._cache.keep(new_vectors)
        return similarities

    def _similarity(
        self, query: Vectors, text: str, ref: ChunkRef, new_vectors: dict[bytes, Vectors]
    ) -> float | None:
        window = self._window(text, ref)
        if window is None:
            return None
        hash_ = text_hash(window)
        vector = self._known.get(hash_)
        if vector is None:
            vector = self._cache.find(hash_)
        if vector is None:
            vector = self._new(window)
            if vector is None:
                self.late += 1
                return None
            new_vectors[hash_] = vector
        self._known[hash_] = vector
        return float(vector @ query.ravel()) if vector.any() else None

    def _new(self, window: str) -> Vectors | None:
        """Return the vector of a text, None once time is over or the model fails."""
        if self._is_over:
            return None
        try:
            return self._embed(window).ravel()
        except (TimeoutError, LeafmarkError):
            self._is_over = True
            return None

    def _window(self, text: str, ref: ChunkRef) -> str | None:
        """Return the part of a chunk with most words of the query; None if there is no text."""
        if ref not in self._texts:
            whole = self._read(ref)
            self._texts[ref] = self._windows(whole, WINDOW_TOKENS) if whole else ()
        parts = self._texts[ref]
        if len(parts) < 2:
            return parts[0] if parts else None
        tree = ref[0].partition(":")[0]
        query_terms = set(self._terms(tree, text))
        return max(parts, key=lambda part: len(query_terms.intersection(self._terms(tree, part))))


class VectorMeaning:
    """The vectors of an index, searched by text: a `search.fuse.Meaning`.

    `vectors` are those of the texts. `searcher` is None if the index has no vectors yet, `make` if
    none are computed during a search. `chosen` is the configured least similarity, 0 for
    none: then the bounds of the `provider` hold.
    """

    def __init__(
        self,
        searcher: Searcher | None,
        vectors: Mapping[str, Vectors],
        *,
        chosen: float,
        provider: str,
        make: CandidateVectors | None = None,
    ):
        self._searcher = searcher
        self._vectors = vectors
        self._chosen = chosen
        self._measured = MEASURED.get(provider)
        self._make = make

    @property
    def damaged(self) -> bool:
        return self._searcher is not None and self._searcher.damaged

    @property
    def late(self) -> int:
        return 0 if self._make is None else self._make.late

    def prepare(
        self,
        text: str,
        places: Sequence[ChunkRef],
        limit: int,
        admits: Callable[[str], bool] | None,
    ) -> None:
        if self._searcher is not None:
            self._searcher.prepare(self._vectors[text], places, limit, _by_tree(admits))

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        if self._searcher is None:
            return ()
        return self._searcher.nearest(self._vectors[text], limit, _by_tree(admits))

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[Near]:
        if self._searcher is None:
            return ()
        return self._searcher.nearest_documents(self._vectors[text], least, _by_tree(admits))

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        if self._searcher is None:
            return None
        return self._searcher.document_similarity(self._vectors[text], doc_id)

    def similarities(self, text: str, places: Sequence[ChunkRef]) -> Sequence[float | None]:
        query = self._vectors[text]
        similarities: list[float | None] = [None] * len(places)
        if self._searcher is not None:
            similarities = list(self._searcher.similarities(query, places))
        if self._make is None:
            return similarities
        missing = [at for at, value in enumerate(similarities[:CANDIDATES]) if value is None]
        computed = self._make.similarities(query, text, [places[at] for at in missing])
        for at, similarity in zip(missing, computed, strict=True):
            similarities[at] = similarity
        return similarities

    def usual(self, text: str) -> Usual:
        """Return the mean of all chunks with the bounds of the model, measured or estimated."""
        background = Background(0.0, 1.0, 0)
        if self._searcher is not None:
            background = self._searcher.background(self._vectors[text])
        if self._measured is None:
            return Usual(background.mean, *_estimated(background, self._chosen))
        mean, bounds = self._measured
        if background.size < ENOUGH:
            background = background._replace(mean=mean)
        return Usual(
            background.mean, *(_estimated(background, self._chosen) if self._chosen else bounds)
        )


def _estimated(background: Background, chosen: float) -> Bounds:
    """Return bounds estimated from the distance of the least one above the mean."""
    least = chosen or background.mean + _deviations(background.size) * background.deviation
    above = max(0.0, least - background.mean)
    return Bounds(
        least=least,
        doubtful=background.mean + DOUBTFUL_FACTOR * above,
        least_document=background.mean + DOCUMENT_FACTOR * above,
    )


def _deviations(count: int) -> float:
    """Return the least distance above the mean of `count` vectors, in standard deviations.

    None of `count` numbers is more than (count - 1) / √count above their mean, so few vectors need
    only half of that.

    >>> [round(_deviations(count), 2) for count in (1, 3, 10, 40, 4096)]
    [0.0, 0.58, 1.42, 3.0, 3.0]
    """
    return min(MIN_DEVIATIONS, 0.5 * (count - 1) / math.sqrt(max(count, 1)))


def _by_tree(admits: Callable[[str], bool] | None) -> Callable[[str, str], bool] | None:
    return None if admits is None else (lambda tree, path: admits(tree))
