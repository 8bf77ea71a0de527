"""Compute the missing vectors of a project, for `leafmark index`.

Vectors come after the commit of the text: a search is never kept waiting by a
model, and a chunk without a vector is pending, never wrong. Batches are on disk
before the next one is asked for, so that an interrupted run goes on where it was. From
time to time a run writes which chunks have vectors: they count from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from leafmark.app.configuration.project import Project
from leafmark.app.embedder import TEXT_RECIPE, current_view, embedder_spec, vector_model
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import Progress
from leafmark.embedding import (
    Embedder,
    EmbedderSpec,
    Vectors,
    check_dimension,
    load_numpy,
    open_embedder,
)
from leafmark.errors import LeafmarkError, LockedError, ProviderError, StorageError
from leafmark.index import IndexReader
from leafmark.index.folder import other_views, view_path
from leafmark.index.vector_view import (
    PENDING,
    VectorView,
    build_view,
    move_view,
    read_view,
    write_view,
)
from leafmark.index.vectors import (
    VectorModel,
    VectorWriter,
    deserialise_texts,
    document_key,
    has_whole_documents,
    open_vector_writer,
    serialise_texts,
    stored_model,
    text_hash,
    vector_folder,
)
from leafmark.model import DocumentKey, document_id
from leafmark.namedtuples import NamedTuple

BATCH_TEXTS = 64
"""Texts that are embedded and then synced together: a crash loses at most these.

As many as one request to a server has. 256 take `minilm` 3 % less time.
"""

VIEW_EVERY_S = 5.0
"""The least time between two written views of the vectors (chosen by eye)."""

VIEW_SHARE = 0.05
"""The largest share of a run's time for views: one of 240,000 vectors took 0.9 s."""

Interruptible: TypeAlias = Callable[[], AbstractContextManager[None]]
"""Returns a context in which Ctrl-C takes effect at once."""


class Embedded(NamedTuple):
    """The result of a run: vectors made, chunks still without one, and the problem that stopped it.

    `mended` has a message for each repaired damage.
    """

    computed: int = 0
    pending: int = 0
    problem: LeafmarkError | None = None
    interrupted: bool = False
    mended: tuple[str, ...] = ()


def embed_project(
    project: Project,
    reader: IndexReader,
    *,
    progress: Progress | None = None,
    check: Callable[[], None] = lambda: None,
    interruptible: Interruptible = nullcontext,
    anew: bool = False,
) -> Embedded:
    """Compute missing vectors. `check` raises KeyboardInterrupt to end the run.

    Within `interruptible` it may be raised at any time: nothing is written there.
    With `anew` the embedder reports its dimension: if that has changed, another model
    answers, and all vectors are computed again.
    The run waits for another one that computes them. If that takes too long, it is the
    `problem` of the result, as is a failing embedder or a store that cannot be written.
    """
    spec = embedder_spec(project)
    if spec is None:
        return Embedded()
    try:
        load_numpy()
    except ProviderError as error:
        return Embedded(0, reader.meta.chunks, error)
    view = current_view(project, reader, spec)
    if view is not None and not anew and _is_complete(view, reader, project, spec):
        return Embedded()
    spec = replace(spec, stop=check)
    lazy = LazyEmbedder(spec, interruptible)
    timeout_s = project.configuration.index.lock_timeout_s
    try:
        try:
            model = _whole_model(project.shared_dir, spec, lazy, anew=anew)
        except KeyboardInterrupt:  # nothing is made yet, but the text is indexed
            return Embedded(0, _pending(reader, view), interrupted=True)
        with open_vector_writer(project.shared_dir, model, timeout_s=timeout_s) as writer:
            if not reader.is_current():  # another run added texts meanwhile
                reader = project.open_reader()
            view = current_view(project, reader, spec)
            path = view_path(writer.folder, reader.root)
            on_disk = read_view(path)
            mended = [writer.mended]
            if on_disk is None and path.exists():
                mended.append("the list of vectors by chunk could not be read; it is written again")
            is_lost = _has_lost(writer, on_disk)
            done = _Run(project, reader, writer, lazy, view, progress, check).run()
            if is_lost and done.computed:
                mended.append("vectors were lost or damaged, and were made again")
            return done._replace(mended=tuple(filter(None, mended)))
    except (ProviderError, LockedError, StorageError) as error:
        return Embedded(0, _pending(reader, view), error)


def _has_lost(writer: VectorWriter, view: VectorView | None) -> bool:
    """Say whether vectors of chunks are missing from the sound records."""
    if view is None or view.rows_name != writer.rows_path.name:
        return False
    return not writer.has_rows(view.rows)


def _is_complete(
    view: VectorView, reader: IndexReader, project: Project, spec: EmbedderSpec
) -> bool:
    """Say whether each chunk of the index has a vector on disk, by the current view."""
    if view.pending or view.seq != reader.meta.seq:
        return False
    folder = vector_folder(project.shared_dir, vector_model(spec))
    if stored_model(folder) is None or not has_whole_documents(folder):
        return False
    on_disk = read_view(view_path(folder, reader.root))
    return on_disk is not None and on_disk.seq == view.seq and view.has_valid_rows(folder)


def _pending(reader: IndexReader, view: VectorView | None) -> int:
    return reader.meta.chunks if view is None else view.pending


def _whole_model(
    folder: Path, spec: EmbedderSpec, lazy: LazyEmbedder, *, anew: bool
) -> VectorModel:
    """Return the model with its dimension: as it is on disk, else as the model says.

    With `anew` it is the model that says it, if it can.
    """
    model = vector_model(spec)
    known = stored_model(vector_folder(folder, model))
    if known is not None and (known.name, known.revision) != (model.name, model.revision):
        known = None
    if known is not None and not anew:
        return known
    try:
        return VectorModel(model.name, model.revision, lazy.dimension())
    except ProviderError:
        if known is None:
            raise
        return known


class LazyEmbedder:
    """An embedder that is opened on first use, as often there is nothing to embed.

    Ctrl-C ends its requests at once: a server may be silent for long.
    """

    def __init__(self, spec: EmbedderSpec, interruptible: Interruptible):
        self._spec = spec
        self._interruptible = interruptible
        self._embedder: Embedder | None = None

    def get(self) -> Embedder:
        if self._embedder is None:
            with self._interruptible():
                self._embedder = open_embedder(self._spec)
        return self._embedder

    def dimension(self) -> int:
        embedder = self.get()
        with self._interruptible():
            return embedder.dimension

    def embed(self, texts: Sequence[str], dimension: int) -> Vectors:
        """Return the vectors of texts; they must have the given dimension."""
        embedder = self.get()
        with self._interruptible():
            vectors = embedder.embed_documents(texts)
        check_dimension(vectors, dimension, embedder.name)
        return vectors


@dataclass(slots=True)
class _Run:
    """One run of `embed_project`, with its store open for writing."""

    project: Project
    reader: IndexReader
    writer: VectorWriter
    lazy: LazyEmbedder
    view: VectorView | None
    progress: Progress | None
    check: Callable[[], None]
    computed: int = 0
    done: int = 0
    total: int = 0
    due_s: float = field(default_factory=lambda: time.monotonic() + VIEW_EVERY_S)
    waiting: dict[bytes, str] = field(default_factory=dict)

    def run(self) -> Embedded:
        problem, interrupted = None, False
        try:
            self._embed_all()
        except ProviderError as error:
            problem = error
        except KeyboardInterrupt:
            interrupted = True
        self.writer.sync()
        if not (problem or interrupted):
            self._compact()
        view = self._show()
        return Embedded(self.computed, view.pending, problem, interrupted)

    def _show(self) -> VectorView:
        """Write the view of stored vectors by chunk, which searches use."""
        began_s = time.monotonic()
        self.view = self._build()
        write_view(view_path(self.writer.folder, self.reader.root), self.view)
        ended_s = time.monotonic()
        self.due_s = ended_s + max(VIEW_EVERY_S, (ended_s - began_s) / VIEW_SHARE)
        return self.view

    def _embed_all(self) -> None:
        keys = [key for key, row in sorted(self.reader.manifest.items()) if row.chunks]
        self.total = sum(self.reader.manifest[key].chunks for key in keys)
        for key in keys:
            self.check()
            for hash_, text in self._missing(key):
                self.waiting[hash_] = text
                if len(self.waiting) >= BATCH_TEXTS:
                    self._flush()
            self.done += self.reader.manifest[key].chunks
        self._flush()

    def _missing(self, key: DocumentKey) -> Iterator[tuple[bytes, str]]:
        """Record the windows of a source, and yield those without a vector."""
        name = self._name(key)
        if name is None:
            return
        serialised = self.writer.documents.get(name)
        if serialised is not None and self._is_whole(serialised, key):
            return
        texts = self._texts(key)
        if texts is None:
            return
        windows_of = self.lazy.get().windows
        windows = [windows_of(text) if text.strip() else () for text in texts]
        self.writer.note(
            name, serialise_texts([text_hash(text) for text in texts] for texts in windows)
        )
        for text in dict.fromkeys(text for chunk in windows for text in chunk):
            hash_ = text_hash(text)
            if hash_ not in self.writer.known:
                yield hash_, text

    def _is_whole(self, serialised: bytes, key: DocumentKey) -> bool:
        """Whether all that is noted of a source has vectors, and is of each of its chunks.

        A parser of another version may have made others of the same bytes.
        """
        texts = list(deserialise_texts(serialised))
        if len(texts) != self.reader.manifest[key].chunks:
            return False
        return all(hash_ in self.writer.known for hashes in texts for hash_ in hashes)

    def _name(self, key: DocumentKey) -> bytes | None:
        """Return the key of a source's texts: from the source, its bytes and its chunking."""
        doc_id = document_id(*key)
        entry = self.reader.document(doc_id)
        if entry is None:
            return None
        return document_key(TEXT_RECIPE, doc_id, entry.state.digest, self.reader.fingerprint)

    def _texts(self, key: DocumentKey) -> list[str] | None:
        """Return the texts of a source's chunks; None if it changed since it was indexed."""
        entry = self.reader.document(document_id(*key))
        chunked = None if entry is None else Sources(self.project).chunked(entry, self.reader)
        if chunked is None or len(chunked.chunks) != self.reader.manifest[key].chunks:
            return None
        return ["" if chunk.content_type == "empty" else chunk.text for chunk in chunked.chunks]

    def _flush(self) -> None:
        """Compute the vectors of the waiting texts, and write them to disk."""
        if not self.waiting:
            return
        self.check()
        texts = list(self.waiting.values())
        vectors = self.lazy.embed(texts, self.writer.model.dimension)
        self.writer.add(list(self.waiting), vectors)
        self.writer.sync()
        self.computed += len(texts)
        self.waiting.clear()
        if time.monotonic() >= self.due_s:
            self._show()
        if self.progress is not None:
            self.progress("embedding", self.done, self.total)

    def _build(self) -> VectorView:
        meta = self.reader.meta
        store = self.writer.map_rows()
        old = self.view
        same = old is not None and self.writer.has_rows(old.rows)
        return build_view(
            self.reader.manifest,
            self._rows,
            store,
            uuid=meta.uuid,
            seq=meta.seq,
            rows_name=self.writer.rows_path.name,
            old=old if same else None,
        )

    def _rows(self, key: DocumentKey) -> Sequence[Sequence[int]] | None:
        name = self._name(key)
        serialised = None if name is None else self.writer.documents.get(name)
        if serialised is None:
            return None
        known = self.writer.known
        return [
            [known.get(hash_, PENDING) for hash_ in hashes]
            for hashes in deserialise_texts(serialised)
        ]

    def _compact(self) -> None:
        """Drop vectors that no source of any index has used for long, if that is worth it."""
        others = self._views_of_others()
        if others is None:
            return
        live = {}
        for key, row in self.reader.manifest.items():
            name = self._name(key) if row.chunks else None
            if name is not None and name in self.writer.documents:
                live[name] = self.writer.documents[name]
        known = self.writer.known
        rows = {row for view in others.values() for row in view.rows.tolist()}
        used = {hash_ for hash_, row in known.items() if row in rows}
        used.update(hash_ for serialised in live.values() for hash_ in _hashes(serialised))
        unused = self.writer.unused_for_long(used)
        if not self.writer.worth_compacting(len(known) - len(unused)):
            return
        remaining = known.keys() - unused
        live |= {
            name: serialised
            for name, serialised in self.writer.documents.items()
            if remaining >= set(_hashes(serialised))
        }
        self.writer.compact(live, remaining)
        store = self.writer.map_rows()
        moved = {row: self.writer.known.get(hash_, PENDING) for hash_, row in known.items()}
        for path, view in others.items():
            write_view(path, move_view(view, moved, store, rows_name=self.writer.rows_path.name))

    def _views_of_others(self) -> dict[Path, VectorView] | None:
        """Return the views of other leafmarks' indexes; None if one of them is unusable.

        That is so for a view of another format, or of a missing file of rows.
        """
        views = {}
        own = view_path(self.writer.folder, self.reader.root)
        for path in other_views(own):
            view = read_view(path)
            if view is None or view.rows_name != self.writer.rows_path.name:
                return None
            views[path] = view
        return views


def _hashes(serialised: bytes) -> Iterator[bytes]:
    return (hash_ for hashes in deserialise_texts(serialised) for hash_ in hashes)
