"""The configured embedder, and the vectors that chunks of an index have from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from leafmark.app.configuration.project import Project
from leafmark.embedding import EmbedderSpec, completed, load_numpy, revision_of
from leafmark.environment import install_extra
from leafmark.errors import ProviderError, Remedy, UsageError
from leafmark.index import IndexReader
from leafmark.index.folder import view_path
from leafmark.index.vector_view import VectorView, build_view, read_view
from leafmark.index.vectors import VectorModel, map_rows, vector_folder
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    from leafmark.index.remote import RemoteSnapshot, RemoteVectors
    from leafmark.index.vector_search import Searcher

TEXT_RECIPE = "1"
"""Raised when `Chunk.text` changes for the same bytes and settings."""

OPENAI_HOST = "https://api.openai.com/"
OPENAI_VARIABLE = "OPENAI_API_KEY"


def embedder_spec(
    project: Project, environ: Mapping[str, str] | None = None
) -> EmbedderSpec | None:
    """Return the configured embedder with its key; None if there is none.

    `environ` None stands for the environment of this process.
    """
    settings = project.configuration.embedding
    provider = settings.in_force
    if provider == "none":
        return None
    spec = EmbedderSpec(
        provider=provider,
        model=settings.model or "",
        endpoint=settings.endpoint or "",
        limit=settings.limit,
        query_prefix=settings.query_prefix or "",
        document_prefix=settings.document_prefix or "",
        batch_tokens=settings.batch_tokens,
        timeout_s=settings.timeout_s,
        retries=settings.retries,
        threads=settings.threads,
    )
    variable = settings.key_variable or _usual_variable(spec)
    if not variable:
        return spec
    return replace(spec, key=(os.environ if environ is None else environ).get(variable, ""))


def _usual_variable(spec: EmbedderSpec) -> str:
    """Return the variable of the key if the endpoint is the one that the key belongs to."""
    own = spec.provider == "openai" and (spec.endpoint + "/").startswith(("/", OPENAI_HOST))
    return OPENAI_VARIABLE if own else ""


def no_embedder(project: Project, what: str) -> UsageError:
    """Return the error that `what` needs an embedder, and the settings name none."""
    permission = project.configuration.untrusted("embedding.provider")
    if permission is not None:
        message = f"{what} needs an embedder, and the configured one is not trusted"
        return UsageError(message, hint=permission.notice)
    return UsageError(
        f"{what} needs an embedder, and none is configured",
        hint=Remedy(
            "embedder",
            f"{install_extra('embed')} installs one that needs no network, or set provider in "
            "[embedding] of your configuration file",
        ),
    )


def vector_model(spec: EmbedderSpec) -> VectorModel:
    """Return the model whose vectors belong together under this spec, without its dimension."""
    return VectorModel(completed(spec).model or spec.provider, revision_of(spec))


def current_view(project: Project, reader: IndexReader, spec: EmbedderSpec) -> VectorView | None:
    """Return the vectors of the chunks of this commit; None if there are none.

    Sources that changed after the last run are pending. A truncated file of vectors counts as none.
    An index in a cluster has no view: see `index_vectors`.
    """
    if project.remote is not None:
        return None
    folder = vector_folder(project.shared_dir, vector_model(spec))
    view = read_view(view_path(folder, reader.root))
    if view is None or view.uuid != reader.meta.uuid or not view.has_rows(folder):
        return None
    if view.seq == reader.meta.seq:
        return view
    try:
        store = map_rows(folder / view.rows_name, view.dimension)[: view.row_count]
    except OSError:
        return None
    return build_view(
        reader.manifest,
        lambda key: None,
        store,
        uuid=reader.meta.uuid,
        seq=reader.meta.seq,
        rows_name=view.rows_name,
        old=view,
    )


class IndexVectors(NamedTuple):
    """The vectors of an index by one model; `pending` chunks have none yet.

    `open_searcher` raises OSError if their file is gone: a newer view names another file.
    """

    pending: int
    has_any: bool
    dimension: int
    open_searcher: Callable[[], Searcher]


def index_vectors(project: Project, reader: IndexReader, spec: EmbedderSpec) -> IndexVectors | None:
    """Return the vectors of the chunks of an index; None if there are none."""
    model = vector_model(spec)
    if project.remote is not None:
        return _cluster_vectors(project.remote.vectors(model, TEXT_RECIPE), reader)
    view = current_view(project, reader, spec)
    if view is None:
        return None

    def open_searcher() -> Searcher:
        from leafmark.index.vector_search import VectorSearcher  # late: a status asks nothing

        return VectorSearcher(view, vector_folder(project.shared_dir, model))

    return IndexVectors(view.pending, view.has_any, view.dimension, open_searcher)


def _cluster_vectors(vectors: RemoteVectors, reader: IndexReader) -> IndexVectors | None:
    counts = vectors.counts()
    if counts is None:
        return None
    snapshot = cast("RemoteSnapshot", reader)

    def open_searcher() -> Searcher:
        from leafmark.index.remote import RemoteSearcher

        return RemoteSearcher(vectors, snapshot, counts.windows)

    pending = max(0, snapshot.chunk_count - counts.chunks)
    return IndexVectors(pending, counts.windows > 0, counts.dimension, open_searcher)


def lost_vectors(project: Project, spec: EmbedderSpec) -> str:
    """Return a message if vectors of an index are gone or damaged, else ""; reads all of them."""
    if are_gone(project, spec):
        return "vectors were lost: their file is gone, or shorter than it was"
    folder = vector_folder(project.shared_dir, vector_model(spec))
    view = read_view(view_path(folder, project.index_dir))
    is_sound = view is None or view.has_valid_rows(folder)
    return "" if is_sound else "stored vectors have changed"


def are_gone(project: Project, spec: EmbedderSpec) -> bool:
    """Say whether the file of an index's vectors is gone, or shorter than it was."""
    if project.remote is not None:
        return False
    folder = vector_folder(project.shared_dir, vector_model(spec))
    view = read_view(view_path(folder, project.index_dir))
    return view is not None and view.has_any and not view.has_rows(folder)


def pending_vectors(project: Project, reader: IndexReader | None) -> int:
    """Return the number of chunks without a vector; 0 unless the user chose an embedder.

    Chunks without text count, too, in sources that have no vectors yet.
    """
    spec = embedder_spec(project) if project.configuration.embedding.is_named else None
    if spec is None or reader is None:
        return 0
    try:
        load_numpy()
    except ProviderError:
        return reader.meta.chunks
    stored = index_vectors(project, reader, spec)
    return reader.meta.chunks if stored is None else stored.pending
