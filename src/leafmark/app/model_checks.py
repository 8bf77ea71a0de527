"""What `leafmark doctor` says of models: of the embedder, the vectors it made, and the reranker.

The embedder is asked for one vector, as a search asks for that of a query, in one attempt;
the reranker, how relevant one text is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from leafmark.app.answering.reranking import reranker_spec
from leafmark.app.configuration.project import Project
from leafmark.app.embedder import current_view, embedder_spec, lost_vectors, vector_model
from leafmark.embedding import (
    EmbedderSpec,
    load_numpy,
    open_embedder,
    open_reranker,
)
from leafmark.errors import LeafmarkError
from leafmark.index import IndexReader
from leafmark.index.vectors import stored_model, vector_folder
from leafmark.model import Check

__all__ = ["check_reranker", "check_vectors"]

_SAMPLE = "What answers this question?"


def check_vectors(
    project: Project, reader: IndexReader | None, environ: Mapping[str, str]
) -> Iterator[Check]:
    """Yield what is to be said; nothing where the settings name no embedder."""
    spec = embedder_spec(project, environ)
    if spec is None:
        return
    try:
        load_numpy()
        name = vector_model(spec).name
    except LeafmarkError as error:
        yield Check("embedder", "problem", error.placed_message, error.hint)
        return
    dimension: int | None = None
    try:
        dimension = _dimension_now(spec)
    except LeafmarkError as error:
        yield Check("embedder", "problem", error.placed_message, error.hint)
    else:
        yield Check("embedder", "ok", f"{name} answers, with vectors of {dimension} numbers")
    if reader is not None:
        yield _vectors(project, reader, spec, dimension)


def _dimension_now(spec: EmbedderSpec) -> int:
    vectors = open_embedder(replace(spec, retries=0)).embed_query(_SAMPLE)
    return int(vectors.shape[1])


def _vectors(
    project: Project, reader: IndexReader, spec: EmbedderSpec, dimension: int | None
) -> Check:
    """Return what is to be said of the stored vectors; their file is read whole."""
    view = current_view(project, reader, spec)
    is_named = project.configuration.embedding.is_named
    folder = vector_folder(project.shared_dir, vector_model(spec))
    lost = lost_vectors(project, spec)
    if lost:
        message = f"{lost}: the disk or its files may be damaged"
        return Check("vectors", "problem", message, "`leafmark index` makes those anew")
    if (folder / "MODEL").exists() and stored_model(folder) is None:
        message = "their description is not what was written: the disk may be damaged"
        return Check("vectors", "problem", message, "`leafmark index` writes it anew")
    if not is_named and (view is None or view.pending):
        return Check("vectors", "ok", "those of the best matches are made when a search needs them")
    if view is None:
        return Check("vectors", "warning", "there are none yet", "`leafmark index` makes them")
    if dimension not in (None, view.dimension):
        message = f"those of the index have {view.dimension} numbers: another model made them"
        return Check("vectors", "problem", message, "`leafmark index --rebuild` makes them anew")
    if view.pending:
        message = f"{view.pending:,} of {view.chunks:,} chunks have none yet"
        return Check("vectors", "warning", message, "`leafmark index` makes them")
    return Check("vectors", "ok", "every chunk has its own, every byte sound")


def check_reranker(project: Project) -> Iterator[Check]:
    """Yield whether the reranker answers; nothing where the settings name none."""
    spec = reranker_spec(project)
    if spec is None:
        return
    try:
        reranker = open_reranker(spec)
        reranker.relevance(_SAMPLE, [_SAMPLE])
    except LeafmarkError as error:
        yield Check("reranker", "problem", error.placed_message, error.hint)
    else:
        yield Check("reranker", "ok", f"{reranker.name} answers")
