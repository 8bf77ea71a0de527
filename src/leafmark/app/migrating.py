"""`leafmark migrate`: copy an index from this machine to a cluster, or back.

Every source of the old index is read, cut and written again, as by `leafmark index`; then the
counts and some answers of both indexes are compared.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import indexed_bytes
from leafmark.app.requests import Progress
from leafmark.errors import NotFoundError, QueryError, UsageError
from leafmark.index.snapshot import require_whole
from leafmark.model import Migration
from leafmark.query import parse_plain
from leafmark.search import SearchOptions, search

if TYPE_CHECKING:
    from leafmark.index import IndexReader
    from leafmark.model import DocumentEntry

SAMPLES = 50
"""The number of titles to search for in both indexes."""

FIRST = 10


def migrate(source: Project, target: Project, *, progress: Progress | None = None) -> Migration:
    """Copy the index of `source` into that of `target`, and compare the two.

    Both projects are the same folder, one of them with the address of a cluster.

    Raises:
        UsageError: they have the same index, or no tree in common.
        NotFoundError: the source has no index.
        StorageError, LockedError, DamagedError: one index cannot be read or written.
    """
    if (source.remote is None) == (target.remote is None):
        raise UsageError("an index is migrated between this machine and a cluster")
    if not source.is_indexed:
        raise NotFoundError(
            "there is no index to migrate",
            location=_place(source),
            hint="run `leafmark index` first",
        )
    reader = source.open_reader()
    trees = _names(target) & reader.tree_names
    if not trees:
        names = ", ".join(sorted(reader.tree_names)) or "none"
        raise UsageError(
            "the index and this folder have no tree in common",
            location=_place(source),
            hint=f"the trees of the index: {names}; -C names the folder of one of them",
        )
    missing = _copy(source, reader, target, progress)
    there = target.open_reader()
    documents = [
        document
        for document in reader.documents()
        if document.chunk_count and document.tree in trees
    ]
    counted = [there.trees[name] for name in trees if name in there.trees]
    overlap = _overlap(source, reader, target, there, documents)
    require_whole(reader)
    require_whole(there)
    return Migration(
        source=_place(source),
        target=_place(target),
        documents=len(documents),
        chunks=sum(document.chunk_count for document in documents),
        target_documents=sum(part.documents for part in counted),
        target_chunks=sum(part.chunks for part in counted),
        overlap=overlap,
        missing=tuple(missing),
    )


def _place(project: Project) -> str:
    return str(project.index_dir) if project.remote is None else project.remote.location


def _copy(
    source: Project, reader: IndexReader, target: Project, progress: Progress | None
) -> list[str]:
    """Write each document; return the ids of those whose sources are missing."""
    from leafmark.app.sources.source_formats import parse_source
    from leafmark.chunking import chunk_document
    from leafmark.index import prepare_source

    missing = list[str]()
    timeout_s = target.configuration.index.lock_timeout_s
    documents = reader.documents()
    require_whole(reader)
    with target.open_writer(timeout_s=timeout_s, rebuild=True) as writer:
        for done, document in enumerate(documents, start=1):
            tree = target.tree(document.tree)
            at_source = source.tree(document.tree)
            if tree is None or at_source is None or document.tree not in _names(target):
                continue
            data = indexed_bytes(source, at_source, document)
            if data is None:
                missing.append(document.doc_id)
                continue
            options = target.chunking_options(tree)
            outputs = options.notebook_outputs
            parsed = parse_source(tree, document.path, data, notebook_outputs=outputs)
            chunked = chunk_document(parsed, tree=tree.name, options=options)
            prepared = prepare_source(
                chunked, document.state, stemmer=writer.stemmer(tree.name), named=document.named
            )
            writer.put_prepared(prepared)
            if progress is not None:
                progress("migrating", done, len(documents))
        writer.commit(started_ns=1)
    return missing


def _names(project: Project) -> set[str]:
    return {tree.name for tree in project.trees}


def _overlap(
    source: Project,
    reader: IndexReader,
    target: Project,
    there: IndexReader,
    documents: list[DocumentEntry],
) -> float:
    """Return the mean share of common results in the first `FIRST`, over some titles."""
    rng = random.Random(1)
    trees = tuple(sorted({document.tree for document in documents}))
    some = rng.sample(documents, min(SAMPLES, len(documents)))
    shares = list[float]()
    for document in some:
        entry = rng.choice(reader.chunks_of(document.doc_id))
        first = list(_first(source, reader, entry.title, trees))
        second = list(_first(target, there, entry.title, trees))
        most = max(len(first), len(second))
        shares.append(len({*first} & {*second}) / most if most else 1.0)
    return sum(shares) / len(shares) if shares else 1.0


def _first(
    project: Project, reader: IndexReader, title: str, trees: tuple[str, ...]
) -> Iterator[str]:
    def read(document: DocumentEntry) -> bytes | None:
        tree = project.tree(document.tree)
        return None if tree is None else indexed_bytes(project, tree, document)

    options = SearchOptions(mode="lexical", limit=FIRST, trees=trees)
    try:
        query = parse_plain(title)
    except QueryError:  # the title has no words
        return iter(())
    answer = search(reader, [query], options, read_source=read)
    return (result.id for result in answer.results)
