"""Compute the missing vectors of an index in a cluster.

Several machines may do so at once, each for its own trees: a text that has a vector anywhere in the
cluster is not embedded again. Vectors that are written stay, however a run ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from leafmark.app.cluster_index import RemoteIndex
from leafmark.app.configuration.project import Project
from leafmark.app.embedder import TEXT_RECIPE, embedder_spec, vector_model
from leafmark.app.indexed_sources import Sources
from leafmark.app.indexing.embedding import BATCH_TEXTS, Embedded, Interruptible, LazyEmbedder
from leafmark.app.requests import Progress
from leafmark.embedding import Vectors, load_numpy
from leafmark.errors import LeafmarkError, ProviderError, StorageError
from leafmark.index.remote import RemoteSnapshot, RemoteVectors, VectorState
from leafmark.index.vectors import text_hash
from leafmark.model import DocumentKey, document_id

if TYPE_CHECKING:
    from leafmark.index import IndexReader

BLOCK = 50
"""Documents per request; machines that work at the same time seldom have the same ones."""


def embed_in_cluster(
    project: Project,
    reader: IndexReader,
    *,
    progress: Progress | None = None,
    check: Callable[[], None] = lambda: None,
    interruptible: Interruptible = nullcontext,
    anew: bool = False,
) -> Embedded:
    """Compute the missing vectors, as `embed_project` does on one machine."""
    spec, remote = embedder_spec(project), project.remote
    if spec is None or remote is None:
        return Embedded()
    try:
        load_numpy()
    except ProviderError as error:
        return Embedded(0, reader.meta.chunks, error)
    lazy = LazyEmbedder(replace(spec, stop=check), interruptible)
    vectors = remote.vectors(vector_model(spec), TEXT_RECIPE)
    snapshot = cast("RemoteSnapshot", reader)
    return _Run(project, remote, snapshot, vectors, lazy, progress, check).run(anew=anew)


@dataclass(slots=True)
class _Run:
    project: Project
    remote: RemoteIndex
    snapshot: RemoteSnapshot
    vectors: RemoteVectors
    lazy: LazyEmbedder
    progress: Progress | None
    check: Callable[[], None]
    computed: int = 0
    done: int = 0
    total: int = 0
    dimension: int = 0
    changed: bool = False
    waiting: list[VectorState] = field(default_factory=list)
    texts: dict[bytes, str] = field(default_factory=dict)

    def run(self, *, anew: bool) -> Embedded:
        problem: LeafmarkError | None = None
        interrupted = False
        try:
            self._embed_all(anew=anew)
        except (ProviderError, StorageError) as error:
            problem = error
        except KeyboardInterrupt:
            interrupted = True
        return Embedded(self.computed, self.total - self.done, problem, interrupted)

    def _embed_all(self, *, anew: bool) -> None:
        rows = list(self._rows())
        self.total = sum(chunks for _, chunks in rows)
        if anew:  # the model may give vectors of another dimension now
            self._open()
        start = random.randrange(len(rows)) if rows else 0
        rows = rows[start:] + rows[:start]
        try:
            for at in range(0, len(rows), BLOCK):
                self.check()
                self._take(rows[at : at + BLOCK])
                if len(self.texts) >= BATCH_TEXTS:
                    self._flush()
            self._flush()
        finally:
            if self.changed:
                self.vectors.refresh()
        self.vectors.drop_unused(self.remote.open().stamps)

    def _rows(self) -> Iterator[tuple[DocumentKey, int]]:
        """Yield the sources of our trees that were indexed with our settings."""
        fingerprint = self.project.index_options().fingerprint
        own = [
            tree.name
            for tree in self.project.trees
            if self.snapshot.fingerprint_of(tree.name) == fingerprint
        ]
        rows = self.snapshot.rows(own) if own else ()
        return ((key, row.chunks) for key, row in rows if row.chunks)

    def _open(self) -> None:
        """Create the index of vectors before the first one is written, with its dimension."""
        if not self.dimension:
            self.dimension = self.lazy.dimension()
            self.remote.make_vectors(self.vectors, self.dimension)

    def _take(self, rows: Sequence[tuple[DocumentKey, int]]) -> None:
        """Collect the states and texts of the sources that lack vectors."""
        states = list[VectorState]()
        names = [document_id(*key) for key, _ in rows]
        for (key, chunks), name, stamp in zip(
            rows, names, self.snapshot.stamps(names), strict=True
        ):
            if stamp is not None:  # else it is gone meanwhile
                states.append(VectorState(key[0], name, stamp, [()] * chunks))
        complete = self.vectors.find_complete([state.owner for state in states])
        unused = [owner for owner, was_unused in complete.items() if was_unused]
        self.vectors.use(unused)
        self.changed = self.changed or bool(unused)
        for state in states:
            if state.owner in complete:
                self._count(state)
            else:
                self._read(state)

    def _read(self, state: VectorState) -> None:
        """Collect the texts of one source, unless it changed meanwhile: a later run has it."""
        entry = self.snapshot.document(state.doc_id)
        # it has the same methods
        reader = cast("IndexReader", self.snapshot)
        chunked = None if entry is None else Sources(self.project).chunked(entry, reader)
        if chunked is None or len(chunked.chunks) != len(state.chunks):
            return
        windows_of = self.lazy.get().windows
        chunks = list[list[bytes]]()
        for chunk in chunked.chunks:
            has_text = chunk.content_type != "empty" and chunk.text.strip()
            hashes = {text_hash(text): text for text in windows_of(chunk.text)} if has_text else {}
            self.texts.update(hashes)
            chunks.append(list(hashes))
        self.waiting.append(state._replace(chunks=chunks))

    def _flush(self) -> None:
        """Compute and write the vectors of the collected texts, batch by batch."""
        if not self.waiting:
            return
        self._open()
        self.changed = True
        known: dict[bytes, Vectors] = dict(self.vectors.find(list(self.texts)))
        known = {hash_: row for hash_, row in known.items() if len(row) == self.dimension}
        self.vectors.write_windows(self.waiting, known)
        missing = [hash_ for hash_ in self.texts if hash_ not in known]
        for at in range(0, len(missing), BATCH_TEXTS):
            self.check()
            batch = missing[at : at + BATCH_TEXTS]
            rows = self.lazy.embed([self.texts[hash_] for hash_ in batch], self.dimension)
            new = dict(zip(batch, rows, strict=True))
            self.vectors.write_windows(self.waiting, new)
            known |= new
            self.computed += len(batch)
            if self.progress is not None:
                self.progress("embedding", self.done, self.total)
        self.vectors.finish(self.waiting, known)
        for state in self.waiting:
            self._count(state)
        self.waiting, self.texts = [], {}

    def _count(self, state: VectorState) -> None:
        self.done += len(state.chunks)
        if self.progress is not None:
            self.progress("embedding", self.done, self.total)
