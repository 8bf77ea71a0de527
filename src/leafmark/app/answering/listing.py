"""List trees, documents, chunks, tags, the state of the index, and the settings in force."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import overload

from leafmark.app.answering.opening import UNREADABLE, mending, open_reporting
from leafmark.app.answering.resolving import Resolver
from leafmark.app.configuration.project import Project
from leafmark.app.indexing.outcome import source_notes
from leafmark.app.indexing.scanning import Scan, scan
from leafmark.app.indexing.source_changes import emptied
from leafmark.app.requests import ListRequest, Progress
from leafmark.errors import LeafmarkError, Remedy
from leafmark.index import IndexReader
from leafmark.index.filter_terms import tag_fact
from leafmark.index.folder import read_missing
from leafmark.index.lock import lock_holder
from leafmark.index.snapshot import TreeCounts
from leafmark.model import (
    DocumentEntry,
    Entry,
    FolderEntry,
    SettingOrigin,
    StatusReport,
    TreeStatus,
    age_of,
    document_id,
    encode_path,
)
from leafmark.search.lookup import with_slashes


@mending
def list_trees(
    project: Project, request: ListRequest, *, progress: Progress | None = None
) -> tuple[TreeStatus, ...]:
    """Return the project's trees with the sizes of their indexed parts.

    Raises, as all listings do:
        NotFoundError: a tree is not of this project, or there is no index.
        ConfirmationError, LockedError, StorageError, DamagedError: see `open_index`.
    """
    reader = _open(project, request, progress)
    states = _tree_states(project, reader)
    return tuple(tree for tree in states if not request.trees or tree.name in request.trees)


def _open(project: Project, request: ListRequest, progress: Progress | None) -> IndexReader:
    """Open the index for a listing; see `list_trees`."""
    for name in request.trees:
        project.get_tree(name)
    return open_reporting(project, request, progress)


def _tree_states(project: Project, reader: IndexReader | None) -> tuple[TreeStatus, ...]:
    counts = {} if reader is None else reader.trees
    trees = list(project.trees)
    if project.remote is not None:  # those that other machines index are as good
        known = {tree.name for tree in trees}
        others = (project.tree(name) for name in sorted(counts.keys() - known))
        trees = [tree for tree in trees if tree.name in counts] + list(filter(None, others))
    return tuple(
        TreeStatus(
            name=tree.name,
            path=str(tree.root) if tree in project.trees else "",
            scope=tree.scope,
            documents=counted.documents,
            chunks=counted.chunks,
            bytes=counted.bytes,
            missing=tree.is_missing and project.remote is None,
        )
        for tree in trees
        for counted in (counts.get(tree.name, TreeCounts()),)
    )


@mending
def list_documents(
    project: Project, request: ListRequest, *, progress: Progress | None = None
) -> DocumentList:
    """Return the requested documents, sorted by id."""
    reader = _open(project, request, progress)
    return DocumentList(reader, [doc_id for doc_id, _ in _documents(reader, request)])


class DocumentList(Sequence[DocumentEntry]):
    """Documents of one commit, each read on access; `ids` need no reading."""

    def __init__(self, reader: IndexReader, ids: Sequence[str]):
        self._reader = reader
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> DocumentEntry: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[DocumentEntry]: ...
    def __getitem__(self, at: int | slice) -> DocumentEntry | Sequence[DocumentEntry]:
        if isinstance(at, slice):
            return DocumentList(self._reader, self.ids[at])
        return self._reader.get_document(self.ids[at])


@mending
def list_folder(
    project: Project, request: ListRequest, *, most: int, progress: Progress | None = None
) -> tuple[DocumentEntry | FolderEntry, ...]:
    """Return the requested documents, by id; if more than `most`, folders replace their documents.

    The folders are those of the first level with more than one entry, or trees if several.
    They come before the documents of that level.
    """
    reader = _open(project, request, progress)
    rows = _documents(reader, request)
    if len(rows) <= most:
        names = [doc_id for doc_id, _ in rows]
        folders: Counter[str] = Counter()
    else:
        names, folders = _folded([doc_id for doc_id, _ in rows])
    documents = (reader.document(doc_id) for doc_id in names)
    return (
        *(FolderEntry(name, count) for name, count in sorted(folders.items())),
        *(document for document in documents if document is not None),
    )


def _folded(doc_ids: Sequence[str]) -> tuple[list[str], Counter[str]]:
    """Return the ids directly in the folder common to all, and the number in each folder of it."""
    start = _common_folder_end(doc_ids[0], doc_ids[-1]) if doc_ids else 0
    documents: list[str] = []
    folders: Counter[str] = Counter()
    for doc_id in doc_ids:
        tree, colon, _ = doc_id.partition(":")
        at = len(tree + colon) if start == 0 else doc_id.find("/", start) + 1
        if at:
            folders[doc_id[:at]] += 1
        else:
            documents.append(doc_id)
    return documents, folders


def _common_folder_end(first: str, last: str) -> int:
    """Return the end of the last folder, or else of the tree, that begins both ids."""
    pairs = zip(first, last, strict=False)
    differ = next((at for at, (name, other) in enumerate(pairs) if name != other), len(first))
    return max(first.rfind("/", 0, differ), first.find(":", 0, differ)) + 1


def _documents(reader: IndexReader, request: ListRequest) -> list[tuple[str, int]]:
    """Return the sorted ids of the requested documents, each with its number of chunks."""
    filter_terms = {tag_fact(tag) for tag in request.tags}
    prefixes = _spellings(request.under or "")
    documents = []
    for (tree, path), row in reader.manifest.items():
        doc_id = document_id(tree, path)
        if not row.chunks or (request.trees and tree not in request.trees):
            continue
        if not doc_id.startswith(prefixes) and not doc_id[len(tree) + 1 :].startswith(prefixes):
            continue
        if filter_terms and not filter_terms <= _tag_facts(reader, doc_id):
            continue
        documents.append((doc_id, row.chunks))
    return sorted(documents)


def _tag_facts(reader: IndexReader, doc_id: str) -> set[str]:
    document = reader.document(doc_id)
    return set() if document is None else set(map(tag_fact, document.tags))


def _spellings(prefix: str) -> tuple[str, ...]:
    """The beginning of an id or a path as it was typed, and as ids have it."""
    plain = "" if prefix == "." else prefix.removeprefix("./")
    slashed = with_slashes(prefix)
    return prefix, plain, encode_path(plain), slashed, encode_path(slashed)


@mending
def list_chunks(
    project: Project, request: ListRequest, *, progress: Progress | None = None
) -> Collection[Entry]:
    """Return the chunks of the requested documents, or those at and below one chunk's id.

    They are read as one goes through them, each time, and not kept.
    """
    reader = _open(project, request, progress)
    documents = _documents(reader, request)
    if request.under and not documents:
        top = Resolver(reader, reader.manifest).resolve(request.under)
        return tuple(filter(top.holds, reader.chunks_of(top.doc_id)))
    return _Chunks(reader, documents)


class _Chunks(Collection[Entry]):
    """All chunks of documents, which are given by id with their number of chunks."""

    def __init__(self, reader: IndexReader, documents: Sequence[tuple[str, int]]):
        self._reader = reader
        self._documents = documents

    def __len__(self) -> int:
        return sum(count for _, count in self._documents)

    def __iter__(self) -> Iterator[Entry]:
        for doc_id, _ in self._documents:
            yield from self._reader.iter_chunks(doc_id)

    def __contains__(self, entry: object) -> bool:
        return any(entry == other for other in self)


@mending
def list_tags(
    project: Project, request: ListRequest, *, progress: Progress | None = None
) -> tuple[tuple[str, int], ...]:
    """Return every tag with the number of documents that have it, most used first."""
    reader = _open(project, request, progress)
    counts: Counter[str] = Counter()
    for doc_id, _ in _documents(reader, request):
        document = reader.document(doc_id)
        counts.update(set(document.tags) if document is not None else ())
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def project_status(project: Project) -> StatusReport:
    """Return the state of the index as it is, without refreshing or writing it."""
    warnings = list(project.configuration.warnings)
    reader: IndexReader | None = None
    is_unreadable = False
    try:
        reader = project.open_reader() if project.is_indexed else None
    except LeafmarkError as error:
        is_unreadable = True
        warnings.append(f"{error.message}; {error.hint}" if error.hint else error.message)
    remote = project.remote
    if reader is not None and remote is None and reader.root != project.index_dir:
        warnings.append(
            "the index belongs to another version of leafmark: "
            "the next run makes one for this version"
        )
    if reader is None and remote is None and project.was_indexed and not project.has_own_index:
        warnings.append(f"{UNREADABLE}: the next run makes one for this version")
    warnings += project.missing_trees()
    warnings += map(emptied, read_missing(project.index_dir).values())
    scan_result = scan(project, ())
    if reader is not None:
        warnings += _unindexed_trees(project, scan_result, reader)
    skipped, diagnostics = source_notes(scan_result, reader)
    pending = 0
    if project.configuration.embedding.is_named:
        from leafmark.app.embedder import pending_vectors  # late: it loads NumPy

        pending = pending_vectors(project, reader)
    holder = lock_holder(project.index_dir / "LOCK")
    cluster = age_s = None
    if remote is not None:
        cluster = remote.health()
    if remote is not None and reader is not None:
        age_s = age_of(reader.looked_ns)
        if reader.is_partial:
            warnings.append("a part of the cluster does not answer: the counts lack what it holds")
    return StatusReport(
        config_files=tuple(str(path) for path in project.configuration.config_files),
        index_dir=str(project.shared_dir) if remote is None else remote.location,
        trees=_tree_states(project, reader),
        pending_vectors=pending,
        warnings=tuple(warnings),
        exists=project.is_indexed if remote is None else reader is not None or is_unreadable,
        bytes=_size_of(project, reader),
        lock_holder=None if holder is None else str(holder),
        skipped=skipped,
        diagnostics=diagnostics,
        cluster=cluster,
        age_s=age_s,
    )


def _size_of(project: Project, reader: IndexReader | None) -> int:
    if project.remote is None:
        return _size(project.shared_dir)
    return 0 if reader is None else project.remote.size_bytes


def _unindexed_trees(project: Project, scan_result: Scan, reader: IndexReader) -> Iterator[str]:
    """Yield a message for each tree with sources of which none is indexed."""
    there = {source.tree for source in scan_result.sources} - reader.trees.keys()
    for tree in project.trees:
        if tree.name in there:
            yield Remedy("tree-unindexed", f"nothing of tree {tree.name!r} is indexed yet")


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(where, name)).st_size
            except OSError:  # a writer tidies up meanwhile
                continue
    return total


def list_settings(project: Project) -> tuple[SettingOrigin, ...]:
    """Return every setting in force and where it comes from."""
    return project.configuration.origins()
