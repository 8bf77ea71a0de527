"""Writing an index in a cluster, from any number of processes and machines at once.

There is no lock. Each source is a commit of its own: first its chunks, then its record, which
names the stamp of the valid chunks and carries a version. Of two writers of one source the later
one wins, in whichever order the writes arrive; the chunks of the other are removed. `commit` makes
all changes visible. Writes sent before an interruption stand, and the next run continues there.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import Any
from uuid import uuid4

from leafmark.errors import StorageError, UsageError
from leafmark.index.embedded.generation import IndexMeta, index_languages
from leafmark.index.engine_documents import EngineDocuments, fillers, prepare_source
from leafmark.index.folder import Current, IndexOptions
from leafmark.index.manifest import Manifest, ManifestTable, row_of
from leafmark.index.records import serialise_document
from leafmark.index.remote.bulk import (
    BATCH_BYTES,
    PATIENCE,
    Line,
    read_current,
    refresh,
    write_lines,
)
from leafmark.index.remote.client import Cluster, RefusedError, check_engine, path_of
from leafmark.index.remote.cluster_snapshot import RemoteMeta, TreeMeta, open_snapshot, read_meta
from leafmark.index.remote.layout import (
    ENTRY,
    FILLER_ID,
    META_ID,
    Names,
    chunk_id,
    filler_document,
    index_body,
    language_mapping,
    meta_document,
    owner_of,
    pack_source,
    record_id,
    routing_of,
    sources_body,
    stamp_of,
    words_body,
)
from leafmark.index.remote.vector_store import unused_lines, vector_indices
from leafmark.index.remote.word_index import Words
from leafmark.index.schema import Language
from leafmark.index.snapshot import require_whole
from leafmark.model import ChunkedDocument, DocumentEntry, DocumentKey, FileState, document_id
from leafmark.namedtuples import NamedTuple

MAX_WAITING = 2
"""Batches that wait for the cluster while the next one is prepared."""

_PREFETCHED = 200
"""Records that are read ahead of a requested one."""

_TRIES = 6
"""Attempts to change the index's record while others change it at the same time."""

_NEW, _REBUILD, _UNFINISHED = "it is new", "it was asked for", "it was begun"
"""Why all sources of a tree are read again. Sources indexed under the settings in force are kept,
except in a rebuild."""

_SOURCE = re.compile(r',"source":"([A-Za-z0-9+/=]*)"')
_UNSET = {"stamp": "", "chunks": 0, "version": 0}


class RemoteOptions(NamedTuple):
    """The layout of a new index."""

    shards: int = 3
    replicas: int = 1


class _State(NamedTuple):
    """The cluster's current state of a source."""

    stamp: str
    chunks: int
    version: int


@contextmanager
def open_store(
    cluster: Cluster,
    names: Names,
    options: IndexOptions,
    remote: RemoteOptions,
    *,
    rebuild: bool = False,
) -> Iterator[RemoteStore]:
    """Open a writer of the index at an address; a missing index is created.

    Raises:
        StorageError: the cluster does not answer, or refuses.
        DamagedError: the alias leads to something that leafmark did not make.
    """
    cluster.is_patient = True
    check_engine(cluster.get("/"), cluster.location)
    store = _prepare(cluster, names, options, remote, rebuild)
    try:
        yield store
    finally:
        store.close()


def _prepare(
    cluster: Cluster, names: Names, options: IndexOptions, remote: RemoteOptions, rebuild: bool
) -> RemoteStore:
    _create_index(cluster, names.words, words_body(remote.replicas))
    _create_index(cluster, names.sources, sources_body(remote.shards, remote.replicas))
    meta = read_meta(cluster, names)
    if meta is None:
        _create_chunk_index(cluster, names, options, remote)
        meta = _get_meta(cluster, names)
    reasons = {
        name: reason
        for name in options.languages
        if (reason := _reason_to_read(name, options, meta.trees.get(name), rebuild)) is not None
    }
    if _UNFINISHED in reasons.values():  # makes the writes of an interrupted run visible
        refresh(cluster, [meta.chunks])
    changed = [name for name, reason in reasons.items() if reason != _UNFINISHED]
    fields: dict[str, Any] = {"entry": ENTRY}  # an index of an older version lacks it
    for language in index_languages(options.languages):
        fields |= language_mapping(language)
    cluster.put(path_of(meta.chunks, "_mapping") + PATIENCE, {"properties": fields})
    if changed:
        metas = {name: TreeMeta(options.languages[name], options.fingerprint) for name in changed}
        change_trees(cluster, names, metas)
    return RemoteStore(cluster, names, options, reasons)


def _reason_to_read(
    name: str, options: IndexOptions, known: TreeMeta | None, rebuild: bool
) -> str | None:
    """Return why all sources of a tree must be read again, None if they need not be."""
    if known is None:
        return _NEW
    if rebuild:
        return _REBUILD
    if known.stemmer != options.languages[name]:
        return "it is in another language now"
    if known.fingerprint != options.fingerprint:
        return "the settings changed"
    return None if known.complete else _UNFINISHED


def _get_meta(cluster: Cluster, names: Names) -> RemoteMeta:
    meta = read_meta(cluster, names)
    if meta is None:
        raise StorageError("the index is gone", location=cluster.location)
    return meta


def _create_index(cluster: Cluster, index: str, body: Mapping[str, Any]) -> None:
    """Create an index unless it exists; another process may create it at the same time."""
    if "error" not in cluster.get(path_of(index, "_settings"), allowed=(404,)):
        return
    try:
        cluster.put(path_of(index) + PATIENCE, body)
    except RefusedError as error:
        if "already exists" not in error.reason:
            raise


def _create_chunk_index(
    cluster: Cluster, names: Names, options: IndexOptions, remote: RemoteOptions
) -> None:
    """Create the index of chunks, with its alias."""
    index = names.text(1)
    languages = index_languages(options.languages)
    _create_index(cluster, index, index_body(languages, remote.shards, remote.replicas))
    facts: dict[str, Any] = {"uuid": uuid4().hex, "trees": {}}
    where = path_of(index, "_create", META_ID) + f"?routing={META_ID}&refresh=true"
    _put_filler(cluster, index, languages)
    cluster.put(where, meta_document(facts), allowed=(409,))  # another process may be first
    added = {"add": {"index": index, "alias": names.alias}}
    cluster.post("/_aliases" + PATIENCE, {"actions": [added]})


def _put_filler(
    cluster: Cluster, index: str, languages: Iterable[Language], *, replace: bool = False
) -> None:
    """Write the filler document if it is missing; `replace` it when there are more languages."""
    where = path_of(index, "_doc" if replace else "_create", FILLER_ID) + f"?routing={META_ID}"
    cluster.put(where, filler_document(languages), allowed=(409,))


def change_trees(cluster: Cluster, names: Names, trees: Mapping[str, TreeMeta | None]) -> None:
    """Change the index's record of some trees; None removes a tree. Other writers may do the same.

    Raises:
        StorageError: too many others changed the record at the same time.
    """
    for _ in range(_TRIES):
        meta = _get_meta(cluster, names)
        merged = {**meta.trees, **trees}
        facts = {
            "uuid": meta.uuid,
            "trees": {name: tree._asdict() for name, tree in merged.items() if tree is not None},
        }
        where = path_of(meta.chunks, "_doc", META_ID) + (
            f"?routing={META_ID}&refresh=true&timeout=20s"
            f"&if_seq_no={meta.seq_no}&if_primary_term={meta.primary_term}"
        )
        stemmers = {name: tree.stemmer for name, tree in merged.items() if tree is not None}
        languages = index_languages(stemmers)
        before = index_languages({name: tree.stemmer for name, tree in meta.trees.items()})
        has_more = bool(meta.trees) and languages != before
        _put_filler(cluster, meta.chunks, languages, replace=has_more)
        answer = cluster.put(where, meta_document(facts), allowed=(409,))
        if "error" not in answer:
            return
    raise StorageError("too many processes change the index's record", location=cluster.location)


class RemoteStore:
    """A `Store` that writes to a cluster. Use `open_store`; readers see nothing before `commit`.

    `lost` has the ids of the sources that another writer replaced with a later version.
    """

    def __init__(
        self, cluster: Cluster, names: Names, options: IndexOptions, reasons: Mapping[str, str]
    ):
        self.rebuilt = next(
            (reason for reason in reasons.values() if reason not in (_NEW, _UNFINISHED)), None
        )
        self.lost = list[str]()
        self.read_source: Callable[[DocumentEntry], bytes | None] = lambda entry: None
        """Returns the bytes of a source, which are stored beside it; None stores none."""
        self._cluster = cluster
        self._names = names
        self._options = options
        self._reasons = dict(reasons)
        self._snapshot = open_snapshot(cluster, names)
        self._index = self._snapshot.about.chunks
        self.current: Current = self._snapshot.current
        self.meta: IndexMeta = self._snapshot.meta
        complete = [name for name in options.languages if name not in reasons]
        reread = [name for name, reason in reasons.items() if reason not in (_NEW, _REBUILD)]
        rows = [self._snapshot.rows(complete)] if complete else []
        rows += [self._snapshot.rows(reread, self._stamp_now)] if reread else []
        self._manifest = ManifestTable(chain.from_iterable(rows))
        require_whole(self._snapshot)
        self._by_tree = {
            t: language for language in self._snapshot.languages for t in language.trees
        }
        self._fillers = fillers(self._snapshot.languages)
        self._words = Words(
            cluster, names, [language.body for language in self._snapshot.languages]
        )
        self._vectors = vector_indices(cluster, names)
        self._op_type = "index" if _REBUILD in reasons.values() else "create"
        """How the bytes of a source are written: a rebuild also replaces damaged ones."""
        self._batch = list[_Change]()
        self._bytes = 0
        self._pool = ThreadPoolExecutor(1, "leafmark-writes")
        self._waiting: deque[Future[None]] = deque()
        self._ahead = list[DocumentKey]()
        self._changed = bool(reasons)

    @property
    def is_new(self) -> bool:
        """Whether all sources of all trees must be read."""
        return {*self._reasons} == {*self._options.languages}

    @property
    def looked_ns(self) -> int:
        """When the last run began to look at the sources; of several trees, the oldest time."""
        trees = self._snapshot.about.trees
        return min((trees[name].looked_ns for name in self._options.languages), default=0)

    @property
    def manifest(self) -> Manifest:
        """The indexed sources, including the changes of this writer."""
        return self._manifest

    # -- changes --------------------------------------------------------------------------

    def put(self, chunked: ChunkedDocument, state: FileState) -> None:
        """Index a source; it replaces the one with the same tree and path."""
        self.put_prepared(prepare_source(chunked, state, stemmer=self.stemmer(chunked.tree)))

    def put_prepared(self, source: EngineDocuments, data: bytes | None = None) -> None:
        """Index a prepared source; `data` are the bytes of its file, which are stored beside it.

        Raises:
            UsageError: the settings have no language for its tree, or another one.
        """
        entry = source.entry
        if self.stemmer(entry.tree) != source.stemmer:
            raise UsageError(f"the tree {entry.tree!r} is not in {source.stemmer}")
        if data is None:
            data = self.read_source(entry)
        self._manifest[entry.tree, entry.path] = row_of(entry)
        self._add_change(_Change(entry.doc_id, time.time_ns() // 1000, source, data))

    def stemmer(self, tree: str) -> str | None:
        """Return the language of a tree.

        Raises:
            UsageError: the settings have none for it.
        """
        language: Language | None = self._by_tree.get(tree)
        if language is None:
            raise UsageError(f"the index knows no tree named {tree!r}")
        return language.name

    def state(self, tree: str, path: str) -> FileState | None:
        """Return the file state of a source at the last commit, None if it was not indexed."""
        entry = self.entry(tree, path)
        return None if entry is None else entry.state

    def entry(self, tree: str, path: str) -> DocumentEntry | None:
        """Return the entry of a source, None if it is not indexed."""
        self._snapshot.preload(document_id(*key) for key in self._following((tree, path)))
        return self._snapshot.document(document_id(tree, path))

    def _following(self, key: DocumentKey) -> list[DocumentKey]:
        """Return a key and those behind it, which a run needs next."""
        if not self._ahead:
            self._ahead = sorted(self._manifest)
        at = bisect_left(self._ahead, key)
        return [key, *self._ahead[at : at + _PREFETCHED]]

    def touch(self, tree: str, path: str, state: FileState) -> bool:
        """Return whether the bytes of a source are indexed; times and inodes differ by machine."""
        old = self.state(tree, path)
        return old is not None and old.digest == state.digest

    def remove(self, tree: str, path: str) -> None:
        """Remove a source from the index, if it is there."""
        if self._manifest.pop((tree, path), None) is not None:
            self._add_change(_Change(document_id(tree, path), time.time_ns() // 1000))

    def _add_change(self, change: _Change) -> None:
        self._changed = True
        self._batch.append(change)
        self._bytes += change.size
        if self._bytes >= BATCH_BYTES:
            self._send()

    # -- batches --------------------------------------------------------------------------

    def _send(self) -> None:
        """Hand the batch to the writing thread; wait while `MAX_WAITING` others are queued."""
        batch, self._batch, self._bytes = self._batch, [], 0
        if not batch:
            return
        while len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(self._write, batch))

    def _write(self, batch: Sequence[_Change]) -> None:
        """Write one batch: words, sources and chunks, then records, then remove stale chunks."""
        known = self._read_indexed([change.doc_id for change in batch])
        changes, records = list[Line](), list[Line]()
        leftovers = list[Line]()
        for change, old in zip(batch, known, strict=True):
            version = max(change.version, old.version + 1)
            changes += self._words_of(change)
            if change.source is None:
                records.append(self._removal(change.doc_id, version))
                leftovers += self._stale_lines(change.doc_id, old, "", 0)
                continue
            entry = change.source.entry
            if change.data is not None:
                document = pack_source(change.data, time.time_ns() // 1_000_000)
                head = {self._op_type: {"_index": self._names.sources, "_id": entry.state.digest}}
                changes.append(Line(head, json.dumps(document)))
            changes += self._chunks(change.source)
            records.append(self._record(change.source, version))
            stamp = self._stamp(entry)
            leftovers += self._stale_lines(change.doc_id, old, stamp, entry.chunk_count)
        write_lines(self._cluster, changes)
        overtaken = write_lines(self._cluster, records)
        write_lines(self._cluster, [line for line in leftovers if line.doc_id not in overtaken])
        if overtaken:
            self._remove_superseded([change for change in batch if change.doc_id in overtaken])

    def _read_indexed(self, doc_ids: Sequence[str]) -> list[_State]:
        """Return the cluster's current state of each document, in their order."""
        documents = [
            {
                "_id": record_id(doc_id),
                "routing": routing_of(doc_id),
                "_source": ["stamp", "chunks", "version"],
            }
            for doc_id in doc_ids
        ]
        current = read_current(self._cluster, self._index, documents)
        if any("error" in document for document in current):
            raise StorageError("the index is gone", location=self._cluster.location)
        return [_State(**{**_UNSET, **document.get("_source", {})}) for document in current]

    def _words_of(self, change: _Change) -> Iterator[Line]:
        if change.source is None:
            return
        language = self._by_tree[change.source.entry.tree]
        terms = dict[str, None]()
        for row in change.source.rows:
            terms.update(dict.fromkeys(_text(row, language.body).split(" ")))
        yield from self._words.new(
            language.body, (term for term in terms if term and term[0] != "\\")
        )

    def _chunks(self, source: EngineDocuments) -> Iterator[Line]:
        entry = source.entry
        doc_id, stamp = entry.doc_id, self._stamp(entry)
        routing = routing_of(doc_id)
        for position, row in enumerate(source.documents(self._fillers[source.stemmer])):
            fields = row if position else _SOURCE.sub("", row, count=1)
            head = {
                "index": {
                    "_index": self._index,
                    "_id": chunk_id(doc_id, stamp, position),
                    "routing": routing,
                }
            }
            yield Line(head, f'{fields[:-1]},"stamp":"{stamp}"}}', doc_id=doc_id)

    def _stamp(self, entry: DocumentEntry) -> str:
        return self._stamp_now(entry.tree, entry.state.digest)

    def _stamp_now(self, tree: str, digest: str) -> str:
        """Return the stamp of a source under the settings in force."""
        return stamp_of(digest, self._options.fingerprint, self._options.languages[tree])

    def _record(self, source: EngineDocuments, version: int) -> Line:
        entry = source.entry
        record = _SOURCE.search(source.rows[0]) if source.rows else None
        head = b64encode(serialise_document(entry._replace(chunk_count=0))).decode()
        row = row_of(entry)
        fields = {
            "stamp": self._stamp(entry),
            "tree": entry.tree,
            "path": entry.path,
            "digest": entry.state.digest,
            "size": row.size,
            "modified_ns": row.modified_ns,
            "changed_ns": row.changed_ns,
            "inode": str(row.inode),
            "chunks": row.chunks,
            "noted": row.noted,
            "version": version,
            "entry": head,
            "source": record[1] if record else head,
        }
        action = self._versioned("index", entry.doc_id, version)
        return Line(action, json.dumps(fields), doc_id=entry.doc_id, versioned=True)

    def _removal(self, doc_id: str, version: int) -> Line:
        return Line(self._versioned("delete", doc_id, version), doc_id=doc_id, versioned=True)

    def _versioned(self, action: str, doc_id: str, version: int) -> dict[str, Any]:
        return {
            action: {
                "_index": self._index,
                "_id": record_id(doc_id),
                "routing": routing_of(doc_id),
                "version": version,
                "version_type": "external_gte",
            }
        }

    def _stale_lines(self, doc_id: str, old: _State, stamp: str, chunks: int) -> Iterator[Line]:
        """Yield the lines that remove the chunks of an older state that the new one lacks.

        Its vectors are only marked as unused: a removed source may come back.
        """
        first = chunks if old.stamp == stamp else 0
        if old.stamp not in ("", stamp):
            now_ms = time.time_ns() // 1_000_000
            yield from unused_lines(self._vectors, owner_of(doc_id, old.stamp), now_ms)
        routing = routing_of(doc_id)
        for position in range(first, old.chunks):
            action = {
                "_index": self._index,
                "_id": chunk_id(doc_id, old.stamp, position),
                "routing": routing,
            }
            yield Line({"delete": action}, doc_id=doc_id)

    def _remove_superseded(self, changes: Sequence[_Change]) -> None:
        """Remove our chunks of sources that another writer replaced, unless they are the same."""
        known = self._read_indexed([change.doc_id for change in changes])
        lines = list[Line]()
        for change, now in zip(changes, known, strict=True):
            self.lost.append(change.doc_id)
            if change.source is None:
                continue
            entry = change.source.entry
            stamp = self._stamp(entry)
            if stamp != now.stamp:
                ours = _State(stamp, entry.chunk_count, 0)
                lines += self._stale_lines(change.doc_id, ours, now.stamp, now.chunks)
        write_lines(self._cluster, lines)

    # -- the commit -----------------------------------------------------------------------

    def flush(self) -> None:
        """Wait until all changes are written; they are not visible yet."""
        self._send()
        while self._waiting:
            self._waiting.popleft().result()

    def checkpoint(self, *, started_ns: int) -> None:
        """Make the finished part of a first build visible; a later run continues from it.

        Raises:
            StorageError: some writes were refused, or the cluster did not answer.
        """
        self.flush()
        self._refresh()
        trees = self._snapshot.about.trees
        metas = {name: trees[name]._replace(looked_ns=started_ns) for name in self._reasons}
        if metas:
            change_trees(self._cluster, self._names, metas)

    def _refresh(self) -> None:
        names = self._names
        refresh(self._cluster, (self._index, names.words, names.sources, *self._vectors))

    def commit(self, *, started_ns: int) -> IndexMeta:
        """Make all changes visible.

        Raises:
            StorageError: some writes were refused, or the cluster did not answer.
        """
        if started_ns:
            self._drop_missing()
        self.flush()
        if self._changed:
            self._refresh()
        trees = self._snapshot.about.trees
        metas = {
            name: trees[name]._replace(
                complete=trees[name].complete or started_ns > 0,
                looked_ns=started_ns or trees[name].looked_ns,
            )
            for name in self._options.languages
        }
        if any(metas[name] != trees[name] for name in metas):
            change_trees(self._cluster, self._names, metas)
        self._changed = False
        self._reasons.clear()
        self._snapshot = open_snapshot(self._cluster, self._names)
        self.meta = self._snapshot.meta
        return self.meta

    def _drop_missing(self) -> None:
        """Remove the gone sources of trees that were read again as a whole; a new tree has none."""
        before = [name for name, reason in self._reasons.items() if reason != _NEW]
        if not before:
            return
        for key, _ in list(self._snapshot.rows(before)):
            if key not in self._manifest:
                self._add_change(_Change(document_id(*key), time.time_ns() // 1000))

    def close(self) -> None:
        """Stop writing; waiting batches are dropped, sent ones stand."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    discard = close


class _Change(NamedTuple):
    """A source to write, or to remove if `source` is None."""

    doc_id: str
    version: int
    source: EngineDocuments | None = None
    data: bytes | None = None

    @property
    def size(self) -> int:
        rows = () if self.source is None else self.source.rows
        return 200 + sum(map(len, rows)) + len(self.data or b"")


def _text(row: str, field: str) -> str:
    """Return a text field of a chunk's JSON. Its terms have no character that JSON escapes."""
    _, mark, rest = row.partition(f',"{field}":"')
    return rest[: rest.index('"')] if mark else ""
