"""The only writer, which lives briefly: sources in, one commit out.

Text and manifest change in the same commit. After a failed write, the engine may report
success although it lost data. So any exception ends the writer, and a commit counts only
after it was read back.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from leafmark.errors import (
    MAKE_ROOM,
    DamagedError,
    LeafmarkError,
    NotFoundError,
    StorageError,
    UsageError,
    reason_of,
)
from leafmark.index.embedded.checking import (
    are_sound,
    check_index,
    listed_files,
    mark_suspect,
    note_verified,
)
from leafmark.index.embedded.generation import (
    IndexMeta,
    count_chunks,
    create_engine,
    index_languages,
    open_engine,
    read_document,
    read_documents,
    read_meta,
)
from leafmark.index.engine import engine_guard, is_held_open
from leafmark.index.engine_documents import EngineDocuments, fillers, prepare_source
from leafmark.index.folder import (
    ENGINE_DRAFTS,
    OTHER_LEAFMARK,
    Current,
    IndexOptions,
    Layout,
    has_other,
    make_folder,
    remove_drafts,
    replace_index_file,
    sealed,
    sync_folder,
    when_free,
)
from leafmark.index.lock import hold_lock
from leafmark.index.manifest import (
    Manifest,
    ManifestTable,
    read_head,
    read_snapshot,
    row_of,
    write_snapshot,
)
from leafmark.index.records import serialise_document, serialise_object, serialise_state
from leafmark.index.schema import FILLER, META_KEY, SOURCE_KEY, STATE_KEY, measured_fields
from leafmark.model import ChunkedDocument, DocumentEntry, FileState, ids
from leafmark.patterns import lazy_pattern

HEAP_BYTES = 32_000_000
"""The engine's memory before it writes a segment; four times as much saves nothing (measured)."""

_SEGMENT_FILE = lazy_pattern(r"[0-9a-f]{32}\..+")

THREADS = 1
"""The engine's indexing threads; preparing their input takes longer than indexing."""


@contextmanager
def open_writer(
    root: Path,
    options: IndexOptions,
    *,
    timeout_s: float = 30.0,
    rebuild: bool = False,
) -> Iterator[IndexWriter]:
    """Give the writer of the index in the folder `root`, which is created if necessary.

    Changes that are not committed when the block ends are lost. If the settings changed, the
    format is older, the index is damaged, or with `rebuild`, the writer starts empty in a new
    generation (`rebuilt` says why), which replaces the old one on commit.

    Raises:
        LockedError: another process was writing for `timeout_s`.
        UsageError: a newer leafmark wrote the index.
        StorageError: the folder cannot be written, or the process may take too little memory.
    """
    check_memory(root)
    layout = Layout(root)
    with engine_guard("create the index folder", root):
        make_folder(root)
    with hold_lock(layout.lock, timeout_s=timeout_s) as was_abandoned:
        if was_abandoned:
            mark_suspect(layout)
        writer = _open(layout, options, rebuild)
        try:
            yield writer
        finally:
            writer.discard()


def _open(layout: Layout, options: IndexOptions, rebuild: bool) -> IndexWriter:
    """Open the current generation for writing, or begin the next one."""
    current, reason = usable_current(layout, options, rebuild)
    if current is not None and reason is None:
        layout.collect(current.generation)
        with contextlib.suppress(OSError):
            layout.building.unlink(missing_ok=True)
        # not later: the engine's merges write such files, too
        remove_drafts(layout.text(current.generation), ENGINE_DRAFTS)
        try:
            known = current._replace(languages={**current.languages, **options.languages})
            if known != current:  # more trees in languages that the index has
                layout.write_current(known)
            return IndexWriter(layout, known, is_new=False)
        except (DamagedError, NotFoundError) as err:
            reason = err.message
    return _begin(layout, options, current, None if rebuild else layout.read_building(), reason)


def _begin(
    layout: Layout,
    options: IndexOptions,
    current: Current | None,
    building: Current | None,
    reason: str | None,
) -> IndexWriter:
    """Continue the generation that a killed run was building, if it fits; else begin one."""
    in_use = [current.generation] if current else []
    if building is not None and _fits(building, options) and building.generation not in in_use:
        layout.collect(*in_use, building.generation)
        if are_sound(layout.text(building.generation)):
            with contextlib.suppress(DamagedError, NotFoundError):  # then a new one is begun
                return IndexWriter(layout, building, is_new=True, rebuilt=reason, goes_on=True)
    layout.collect(*in_use)
    begun = Current(
        generation=max(layout.generations(), default=0) + 1,
        uuid=os.urandom(16).hex(),
        fingerprint=options.fingerprint,
        languages=dict(options.languages),
    )
    return IndexWriter(layout, begun, is_new=True, rebuilt=reason)


def _fits(building: Current, options: IndexOptions) -> bool:
    return (building.fingerprint, building.languages) == (options.fingerprint, options.languages)


class IndexWriter:
    """Changes one generation. Use `open_writer`; nothing counts before `commit`.

    `is_new`: no reader has seen the generation yet; it is empty unless it continues a killed
    run. `rebuilt` is the reason why it replaces an older one, None if it replaces none.
    """

    def __init__(
        self,
        layout: Layout,
        current: Current,
        *,
        is_new: bool,
        rebuilt: str | None = None,
        goes_on: bool = False,
    ):
        self.is_new = is_new
        self.rebuilt = rebuilt
        self.current = current
        self._layout = layout
        self._folder = layout.text(current.generation)
        self._manifest = ManifestTable()
        self._changed = is_new
        self._languages = index_languages(current.languages)
        self._by_tree = {tree: language for language in self._languages for tree in language.trees}
        self._fillers = fillers(self._languages)
        if is_new and not goes_on:
            self._index = create_engine(self._folder, self._languages)
            self.meta = IndexMeta(0, current.uuid, current.fingerprint, 0, 0, 0)
        else:
            self._index = open_engine(self._folder, self._languages)
            self.meta = self._read_back()
            self._manifest = self._load_manifest()
        with engine_guard("write the index", self._folder):
            self.engine: tantivy.IndexWriter | None = self._index.writer(HEAP_BYTES, THREADS)
            self.engine.garbage_collect_files()

    @property
    def manifest(self) -> Manifest:
        """The manifest, including the changes of this writer."""
        return self._manifest

    @property
    def looked_ns(self) -> int:
        """See `IndexReader.looked_ns`."""
        path = self._layout.manifest(self.current.generation)
        known = read_head(path, uuid=self.current.uuid, seq=self.meta.seq)
        return self.meta.started_ns if known is None else known.looked_ns

    # -- changes -----------------------------------------------------------------

    def put(self, chunked: ChunkedDocument, state: FileState) -> None:
        """Index a source; it replaces any source with the same tree and path.

        Raises:
            UsageError: its tree has no language in the settings.
        """
        with self._discarding_on_error():
            stemmer = self.stemmer(chunked.tree)
            self.put_prepared(prepare_source(chunked, state, stemmer=stemmer))

    def put_prepared(self, source: EngineDocuments) -> None:
        """Index a prepared source, as `put` does; another process may have prepared it.

        A source without rows could not be read or produced no chunk.

        Raises:
            UsageError: its tree has no language in the settings, or a different one.
        """
        entry = source.entry
        with self._discarding_on_error() as engine:
            if self.stemmer(entry.tree) != source.stemmer:
                raise UsageError(f"the tree {entry.tree!r} is not in {source.stemmer}")
            self._delete(engine, entry.tree, entry.path)
            if not source.rows:
                self._add_stub(engine, entry)
                return
            for document in source.documents(self._fillers[source.stemmer]):
                engine.add_json(document)
            self._manifest[entry.tree, entry.path] = row_of(entry)

    def stemmer(self, tree: str) -> str | None:
        """Return the language of a tree.

        Raises:
            UsageError: the settings have none for it.
        """
        language = self._by_tree.get(tree)
        if language is None:
            raise UsageError(f"the index knows no tree named {tree!r}")
        return language.name

    def touch(self, tree: str, path: str, state: FileState) -> bool:
        """Record a new state of a source whose indexed bytes have not changed.

        Returns False if it must be put again: its bytes differ from the committed ones, or its
        modification time does, which chunks carry.
        """
        old = self.state(tree, path)
        if old is None or (old.digest, old.modified_ns) != (state.digest, state.modified_ns):
            return False
        if old == state:
            return True
        doc_id = ids.document_id(tree, path)
        document = tantivy.Document()
        document.add_text("key", STATE_KEY + doc_id)
        document.add_bytes("source", serialise_state(doc_id, state))
        with self._discarding_on_error() as engine:
            engine.delete_documents_by_term("key", STATE_KEY + doc_id)
            engine.add_document(document)
        self._manifest[tree, path] = self._manifest[tree, path]._replace(
            size=state.size, changed_ns=state.changed_ns, inode=state.inode
        )
        return True

    def state(self, tree: str, path: str) -> FileState | None:
        """Return the state of a source at the last commit, None if it was not indexed then."""
        entry = self.entry(tree, path)
        return None if entry is None else entry.state

    def entry(self, tree: str, path: str) -> DocumentEntry | None:
        """Return the entry of a source at the last commit, None if it was not indexed then."""
        with engine_guard("read the index", self._folder):
            doc_id = ids.document_id(tree, path)
            stored = read_document(self._index, self._index.searcher(), doc_id)
        return None if stored is None else stored.entry

    def remove(self, tree: str, path: str) -> None:
        """Remove a source from the index, if it is there."""
        with self._discarding_on_error() as engine:
            self._delete(engine, tree, path)

    def _delete(self, engine: tantivy.IndexWriter, tree: str, path: str) -> None:
        if self._manifest.pop((tree, path), None) is None:
            return
        doc_id = ids.document_id(tree, path)
        engine.delete_documents_by_term("doc_id", doc_id)
        engine.delete_documents_by_term("key", SOURCE_KEY + doc_id)
        engine.delete_documents_by_term("key", STATE_KEY + doc_id)

    def _add_stub(self, engine: tantivy.IndexWriter, entry: DocumentEntry) -> None:
        document = tantivy.Document()
        document.add_text("key", SOURCE_KEY + entry.doc_id)
        document.add_bytes("source", serialise_document(entry))
        engine.add_document(document)
        self._manifest[entry.tree, entry.path] = row_of(entry)

    # -- the commit ----------------------------------------------------------------

    def commit(self, *, started_ns: int) -> IndexMeta:
        """Make all changes visible at once, durable, and check them by reading them back.

        `started_ns` is the time when the run began to check the sources. If nothing changed,
        only that time is recorded.

        Raises:
            StorageError: the disk is full, or the commit cannot be read back.
        """
        if not self._changed:
            if started_ns:
                self._write_snapshot(started_ns)
            return self.meta
        self._commit(started_ns)
        self._changed = False
        self._publish()
        return self.meta

    def checkpoint(self, *, started_ns: int) -> None:
        """Save a new generation as it is now, so that a run after a kill continues from here.

        No reader sees it before `commit`.

        Raises:
            StorageError: see `commit`.
        """
        if self.is_new:
            self._commit(started_ns)
            self._write_snapshot(started_ns)
            replace_index_file(self._layout.building, [sealed(self.current._asdict())])
            sync_folder(self._layout.root)

    def _commit(self, started_ns: int) -> None:
        counts = array("I", self._manifest.chunk_counts)
        meta = IndexMeta(
            seq=self.meta.seq + 1,
            uuid=self.current.uuid,
            fingerprint=self.current.fingerprint,
            documents=len(counts) - counts.count(0),
            chunks=sum(counts),
            started_ns=started_ns,
        )
        record = tantivy.Document()
        record.add_text("key", META_KEY)
        record.add_bytes("source", serialise_object(meta._asdict()))
        for field in measured_fields(self._languages):
            record.add_text(field, FILLER)
        with self._discarding_on_error() as engine:
            engine.delete_documents_by_term("key", META_KEY)
            engine.add_document(record)
            # on Windows, a reader may have the file open that a commit replaces
            when_free(engine.commit, is_held_open)
            sync_folder(self._folder)
            self._check(meta)
        self.meta = meta

    def _check(self, meta: IndexMeta) -> None:
        """Read the commit back: after a full disk, the engine may report success wrongly."""
        meta_read = self._read_back()
        if meta_read != meta:
            raise StorageError(
                "the index did not keep what was written; what it held before stands",
                location=str(self._folder),
                hint=MAKE_ROOM,
            )

    def _read_back(self) -> IndexMeta:
        with engine_guard("read the index", self._folder):
            self._index.reload()
            searcher = self._index.searcher()
            meta = read_meta(self._index, searcher)
            chunks = count_chunks(searcher)
        if meta is None or meta.uuid != self.current.uuid or meta.chunks != chunks:
            raise DamagedError(
                "the index is damaged: it does not hold what its own record says",
                location=str(self._folder),
            )
        return meta

    def _publish(self) -> None:
        """Write the snapshot, and make the generation current if it is new."""
        generation = self.current.generation
        self._write_snapshot(self.meta.started_ns)
        if self.is_new:
            sync_folder(self._layout.root)
            note_verified(self._layout, generation)
            self.is_new = False  # from here on readers may see it, even if a later step fails
            self._layout.write_current(self.current)
            self._forget_building()
            self._layout.collect(generation)

    def _forget_building(self) -> None:
        with contextlib.suppress(OSError):
            self._layout.building.unlink(missing_ok=True)

    def _write_snapshot(self, looked_ns: int) -> None:
        """Write the snapshot, if possible: without it, readers rebuild it from the index."""
        path = self._layout.manifest(self.current.generation)
        uuid, seq = self.current.uuid, self.meta.seq
        with contextlib.suppress(StorageError):
            write_snapshot(path, self._manifest, uuid=uuid, seq=seq, looked_ns=looked_ns)

    def _load_manifest(self) -> ManifestTable:
        path = self._layout.manifest(self.current.generation)
        snapshot = read_snapshot(path, uuid=self.meta.uuid, seq=self.meta.seq)
        if snapshot is not None:
            return snapshot
        with engine_guard("read the index", self._folder):
            entries = read_documents(self._index, self._index.searcher())
            return ManifestTable(((entry.tree, entry.path), row_of(entry)) for entry in entries)

    # -- its end ---------------------------------------------------------------------

    @contextmanager
    def _discarding_on_error(self) -> Iterator[tantivy.IndexWriter]:
        """Yield the engine's writer; discard it on any exception."""
        self._changed = True
        if self.engine is None:
            raise StorageError(
                "this writer failed before and takes no more", location=str(self._folder)
            )
        try:
            with engine_guard("write the index", self._folder):
                yield self.engine
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Drop uncommitted changes, wait for merges, and release the engine's lock.

        Merges must end under our lock: a merge that ends later would remove files that the next
        writer needs. They merge only committed segments, so nothing is lost.
        """
        engine, self.engine = self.engine, None
        if engine is None:
            return
        with contextlib.suppress(LeafmarkError), engine_guard("close the index", self._folder):
            engine.wait_merging_threads()
        del engine
        if self.is_new and (self.rebuilt or not self.meta.seq):
            self._forget_building()
            shutil.rmtree(self._layout.generation(self.current.generation), ignore_errors=True)
        elif self._changed:
            self._remove_uncommitted()

    def _remove_uncommitted(self) -> None:
        """Remove the engine's files that no commit lists, to free a disk that was full."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            committed = {*listed_files(self._folder)}
            for path in self._folder.iterdir():
                if _SEGMENT_FILE.fullmatch(path.name) and path not in committed:
                    with contextlib.suppress(OSError):
                        path.unlink()
            remove_drafts(self._folder, ENGINE_DRAFTS)


def usable_current(
    layout: Layout, options: IndexOptions, rebuild: bool
) -> tuple[Current | None, str | None]:
    """Return the current generation, and the reason why a writer cannot continue it, if any.

    The generation is None if it cannot be read or there is none yet. In the second case, the
    reason is None unless another version of leafmark has an index here.
    """
    try:
        current = layout.read_current()
    except (DamagedError, NotFoundError) as err:
        return None, err.message
    if current is None:
        return None, OTHER_LEAFMARK if has_other(layout.root) else None
    if rebuild:
        return current, "a rebuild was asked for"
    if current.fingerprint != options.fingerprint:
        return current, "settings have changed"
    known = current.languages
    if set(options.languages.values()) - set(known.values()):
        return current, "a language was added"
    if any(known.get(tree, name) != name for tree, name in options.languages.items()):
        return current, "the language of a tree has changed"
    return current, _find_damage(layout, current)


def _find_damage(layout: Layout, current: Current) -> str | None:
    """Check every byte of a generation in which a reader noted damage; return the problem."""
    suspect = layout.suspect(current.generation)
    if not suspect.exists():
        return None
    problems = check_index(layout.root)
    if problems:
        return f"the index is damaged: {problems[0]}"
    try:
        note_verified(layout, current.generation)
        suspect.unlink(missing_ok=True)  # a false alarm, or gone with a merged segment
    except OSError as err:  # a folder, say
        return f"the index is damaged: its mark cannot be removed: {reason_of(err)}"
    return None


MIN_BYTES = 600_000_000
"""With this limit, an index of a few pages was written; with 512 MB, the process was killed
(2026-11). Most of the memory is only reserved, for the engine's threads."""


def check_memory(root: Path) -> None:
    """Refuse to write the index in `root` if the process may take too little memory.

    Raises:
        StorageError: the limit is too low.
    """
    if sys.platform == "win32":
        return
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < MIN_BYTES:
        raise StorageError(
            f"cannot write the index: {most // 1_000_000} MB of memory are allowed",
            location=str(root),
            hint=f"allow {MIN_BYTES // 1_000_000} MB or more: `ulimit -v unlimited`",
        )
