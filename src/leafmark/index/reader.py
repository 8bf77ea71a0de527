"""A snapshot of the index: the structure of all documents, and the engine's searcher.

A reader sees one commit as long as it lives, whatever a writer does. Opening takes a few
milliseconds and no lock; entries are read when they are needed. Any number of threads may
share a reader.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

import tantivy

from leafmark.errors import DamagedError, NotFoundError, StorageError
from leafmark.index.bridge import Snapshot
from leafmark.index.engine import REBUILD, engine_guard, translate
from leafmark.index.generation import (
    IndexMeta,
    count_matches,
    every_chunk,
    index_languages,
    open_engine,
    read_counts,
    read_documents,
    read_meta,
    source_record,
    with_latest_state,
)
from leafmark.index.holders import chunk_addresses, iter_holders
from leafmark.index.layout import Current, Layout
from leafmark.index.manifest import (
    FoundSource,
    ManifestTable,
    SnapshotHead,
    digest_found,
    read_head,
    read_snapshot,
    row_of,
    write_snapshot,
)
from leafmark.index.records import StoredDocument, deserialise_document
from leafmark.index.runs import Recent, Runs, doc_id_at
from leafmark.index.schema import STATE_KEY, Language
from leafmark.model import DocumentEntry, Entry

__all__ = ["IndexReader", "TreeCounts", "has_index", "open_reader"]

T = TypeVar("T")

_ATTEMPTS = 3
"""How often opening is tried if a writer commits meanwhile."""

_REMEMBERED = 1000
"""How many sources' records a reader keeps; about 5 kB each."""


class TreeCounts(NamedTuple):
    """What is indexed of one tree; `bytes` counts the sources that made chunks."""

    documents: int = 0
    chunks: int = 0
    bytes: int = 0


def has_index(root: Path) -> bool:
    """Whether there is an index in the folder `root`, in whatever state.

    Raises:
        StorageError: the system does not allow to look there.
    """
    current = Layout(root).current
    try:
        return current.exists()
    except OSError as error:
        raise translate(error, "read the index", current) from error


def open_reader(root: Path) -> IndexReader:
    """Open the committed state of the index in the folder `root`.

    Raises:
        NotFoundError: there is no index, or one in an old format.
        DamagedError: it is not what was written.
        UsageError: a newer leafmark wrote it.
        StorageError: it cannot be read.
    """
    layout = Layout(root)
    for attempt in range(1, _ATTEMPTS + 1):
        current = layout.read_current()
        if current is None:
            raise NotFoundError(
                "there is no index yet", location=str(root), hint="run `leafmark index`"
            )
        last = attempt == _ATTEMPTS
        stamp = _stamp(layout.text(current.generation))
        try:
            reader = IndexReader(layout, current)
        except (DamagedError, StorageError):
            if last or _is_current(layout, current, stamp):
                raise
            continue
        if last or reader.is_current():  # else a commit came while it was being opened
            return reader
    raise AssertionError("unreachable")


class IndexReader(Snapshot):
    """One commit of one generation. Use `open_reader`."""

    def __init__(self, layout: Layout, current: Current):
        self._layout = layout
        self.current = current
        self._folder = layout.text(current.generation)
        self._stamp = _stamp(self._folder)
        self.languages: tuple[Language, ...] = index_languages(current.languages)
        self._language_of = {tree: each for each in self.languages for tree in each.trees}
        self.engine = open_engine(self._folder, self.languages)
        self.schema = self.engine.schema
        self._stored: Recent[str, StoredDocument | None] = Recent(_REMEMBERED)
        with engine_guard("read the index", self._folder):
            self.searcher = self.engine.searcher()
            self._runs = Runs(self.searcher, _REMEMBERED)
            meta = read_meta(self.engine, self.searcher)
            counts = read_counts(self._folder)
        if meta is None or meta.uuid != current.uuid:
            raise DamagedError(
                "the index is damaged: its own record is missing",
                location=str(self._folder),
                hint=REBUILD,
            )
        self.meta: IndexMeta = meta
        self.counts = counts

    @property
    def root(self) -> Path:
        """The folder of the index."""
        return self._layout.root

    @property
    def fingerprint(self) -> str:
        return self.current.fingerprint

    @property
    def tree_names(self) -> Set[str]:
        """The names of the trees that the index knows, including trees without sources."""
        return self._language_of.keys()

    def language_of(self, tree: str) -> Language | None:
        """Return the language of a tree, None for an unknown tree."""
        return self._language_of.get(tree)

    def is_current(self) -> bool:
        """Whether nothing was committed since this reader was opened."""
        return _is_current(self._layout, self.current, self._stamp)

    def guard(self, action: str) -> engine_guard:
        """Turn what the engine raises inside the block into our errors: see `engine_guard`.

        Damage is noted beside the index, so that the next writer checks it.
        """
        return engine_guard(action, self._folder, self._note_damage)

    def _note_damage(self) -> None:
        with suppress(OSError):
            self._layout.suspect(self.current.generation).touch()

    @property
    def is_suspect(self) -> bool:
        """Whether a reader of this generation met damage that was not checked since."""
        return self._layout.suspect(self.current.generation).exists()

    # -- the manifest -----------------------------------------------------------------

    @cached_property
    def manifest(self) -> ManifestTable:
        """What is indexed, by tree and path: read fast from the snapshot, else in linear time."""
        path = self._layout.manifest(self.current.generation)
        meta = self.meta
        found = read_snapshot(path, uuid=meta.uuid, seq=meta.seq)
        if found is None:
            entries = self.documents()
            found = ManifestTable(((entry.tree, entry.path), row_of(entry)) for entry in entries)
            with suppress(StorageError):  # a folder that cannot be written can be searched
                write_snapshot(path, found, uuid=meta.uuid, seq=meta.seq, looked_ns=meta.started_ns)
        return found

    def holds_just(self, sources: Sequence[FoundSource]) -> bool:
        """Whether exactly these sources are indexed and unchanged; may be False even then.

        The sources are in the order of a walk. Takes a third of the time of the manifest.
        """
        known = self._head()
        return known is not None and bool(known.found) and known.found == digest_found(sources)

    @property
    def looked_ns(self) -> int:
        """When the last run began to look at the sources."""
        known = self._head()
        return self.meta.started_ns if known is None else known.looked_ns

    def _head(self) -> SnapshotHead | None:
        path, meta = self._layout.manifest(self.current.generation), self.meta
        return read_head(path, uuid=meta.uuid, seq=meta.seq)

    @cached_property
    def trees(self) -> Mapping[str, TreeCounts]:
        """What is indexed of every tree, by name."""
        found: dict[str, list[int]] = {}
        for (tree, _), row in self.manifest.items():
            counts = found.setdefault(tree, [0, 0, 0])
            if row.chunks:
                counts[0] += 1
                counts[1] += row.chunks
                counts[2] += row.size
        return {tree: TreeCounts(*counts) for tree, counts in found.items()}

    # -- documents ----------------------------------------------------------------------

    def documents(self) -> list[DocumentEntry]:
        """Return the entry of every source, also of those without chunks, by tree and path."""
        with self.guard("read the index"):
            found = list(read_documents(self.engine, self.searcher))
        return sorted(found, key=lambda entry: (entry.tree, entry.path))

    def stored(self, doc_id: str) -> StoredDocument | None:
        """Return what is stored of one source, with all its chunks; remembered for a while."""
        known = self._stored.get(doc_id, self)  # ourselves: not known, unlike None
        if not isinstance(known, IndexReader):
            return known
        with self.guard("read the index"):
            return self._read(doc_id, None)

    def _read(self, doc_id: str, record: bytes | None) -> StoredDocument | None:
        """Read what is stored of a source, from `record` if that is at hand, and remember it."""
        record = record or source_record(self.engine, self.searcher, doc_id)
        found = None if record is None else deserialise_document(record)
        if found is not None and self._has_states:
            found = with_latest_state(self.engine, self.searcher, found)
        self._stored.put(doc_id, found)
        return found

    @cached_property
    def _has_states(self) -> bool:
        """Whether any source has a newer state than its record."""
        return bool(self.searcher.terms_with_prefix("key", STATE_KEY, limit=1))

    def document(self, doc_id: str) -> DocumentEntry | None:
        """Return the entry of a source, None if it is not indexed."""
        stored = self.stored(doc_id)
        return None if stored is None else stored.entry

    # -- chunks ---------------------------------------------------------------------------

    def entries_at(self, addresses: Iterable[tantivy.DocAddress]) -> list[Entry]:
        """Return the entries of the chunks at a search's addresses, in their order."""
        found = self._records_at(addresses)
        return self._unless_damaged(lambda: [stored.chunk(at) for stored, at in found])

    def section_paths(self, addresses: Iterable[tantivy.DocAddress]) -> list[tuple[str, ...]]:
        """Return the section paths of the chunks at the addresses, in their order.

        A few times faster than entries. If there are many, sort the addresses, so that each
        record is read once.
        """
        found = self._records_at(addresses)
        return self._unless_damaged(lambda: [stored.section_path(at) for stored, at in found])

    def places_in(
        self, admits: Callable[[tuple[str, ...]], bool], wanted: Sequence[Collection[str]]
    ) -> Set[tuple[int, int]]:
        """Return the places of all chunks whose section path is admitted: segment, and number.

        A path that is admitted holds all words of one of the collections: see `iter_holders`.
        Takes half a second for 25,000 sources, and longer where many hold the words.
        """
        found = set()
        with self.guard("read the index"):
            for holder in iter_holders(self.engine, self.searcher, wanted):
                stored = holder.stored
                chosen = [at for at in range(len(stored)) if admits(stored.section_path(at))]
                addresses = chunk_addresses(self.engine, self.searcher, holder, chosen)
                found |= {(address.segment_ord, address.doc) for address in addresses}
        return found

    def titles(self, addresses: Iterable[tantivy.DocAddress]) -> list[str]:
        """Return the titles of the chunks at the addresses, in their order: faster again."""
        found = self._records_at(addresses)
        return self._unless_damaged(lambda: [stored.title(at) for stored, at in found])

    def _records_at(
        self, addresses: Iterable[tantivy.DocAddress]
    ) -> Iterator[tuple[StoredDocument, int]]:
        """Yield what is stored of each chunk's source, and the chunk's position in it."""
        given = list(addresses)
        for address, position in zip(given, self.positions(given), strict=True):
            stored = self._runs.find(address, position)
            if stored is None:
                with self.guard("read the index"):
                    stored = self._read_at(address, position)
            yield stored, position

    def _read_at(self, address: tantivy.DocAddress, position: int) -> StoredDocument:
        doc_id = doc_id_at(self.searcher, address)
        stored = known = self._stored.get(doc_id)
        if stored is None:
            stored = self._read(doc_id, self._record_beside(address, doc_id, position))
        if stored is None or not 0 <= position < len(stored):
            raise DamagedError(
                f"the index is damaged: no record of {doc_id}",
                location=str(self._folder),
                hint=REBUILD,
            )
        if known is not None:  # it was needed before, so it may be needed again
            self._runs.learn(address, position, stored)
        return stored

    def places(self, addresses: Iterable[tantivy.DocAddress]) -> list[tuple[str, int]]:
        """Return document id and position of the chunks at the addresses, in their order.

        A few times faster than their entries.
        """
        given = list(addresses)
        positions = self.positions(given)
        with self.guard("read the index"):
            names = map(self._doc_id_at, given, positions)
            return list(zip(names, positions, strict=True))

    def _doc_id_at(self, address: tantivy.DocAddress, position: int) -> str:
        stored = self._runs.find(address, position)
        return doc_id_at(self.searcher, address) if stored is None else stored.entry.doc_id

    def positions(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """Return only the positions, in the order of the addresses: several times faster again."""
        with self.guard("read the index"):
            found = self.searcher.fast_field_values("position", addresses)
        return [-1 if position is None else int(position) for position in found]

    def _record_beside(
        self, address: tantivy.DocAddress, doc_id: str, position: int
    ) -> bytes | None:
        """Return the record of a chunk's source if its chunks are side by side, as is usual.

        Searching for the record takes several times as long.
        """
        first = address.doc - position
        if first < 0:
            return None
        head = self.searcher.doc(tantivy.DocAddress(address.segment_ord, first))
        record: bytes | None = head.get_first("source")
        return record if head.get_first("doc_id") == doc_id else None

    def entry(self, doc_id: str, position: int) -> Entry | None:
        """Return the chunk at a position of a document, None if there is none."""
        stored = self.stored(doc_id)
        if stored is None or not 0 <= position < len(stored):
            return None
        return self._unless_damaged(lambda: stored.chunk(position))

    def _unless_damaged(self, read: Callable[[], T]) -> T:
        """Read from records, noting damage. A `guard` would take as long as the reading."""
        try:
            return read()
        except DamagedError:
            self._note_damage()
            raise

    def chunks_of(self, doc_id: str) -> list[Entry]:
        """Return all chunks of a document by position; none if it is not indexed."""
        with self.guard("read the index"):
            return list(self.stored(doc_id) or ())

    def iter_chunks(self, doc_id: str) -> Iterator[Entry]:
        """Yield what `chunks_of` returns: the chunks are not kept, so there may be many."""
        with self.guard("read the index"):
            stored = self.stored(doc_id)
            yield from () if stored is None else stored.iter_anew()

    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None:
        """Return the chunk with a slug (None: the document) and piece number, if there is one."""
        stored = self.stored(doc_id)
        position = None if stored is None else stored.position_of(slug, piece)
        return None if position is None else self.entry(doc_id, position)

    # -- queries ------------------------------------------------------------------------------

    def every_chunk(self) -> tantivy.Query:
        """Return a query that matches all chunks, and no other record, with score 1."""
        return every_chunk()

    def explanation(
        self, query: tantivy.Query, address: tantivy.DocAddress
    ) -> tantivy.Explanation | None:
        """Return the engine's explanation of a chunk's score, None if the query does not match."""
        try:
            return query.explain(self.searcher, address)
        except ValueError:  # the engine's way to say that it does not match
            return None

    def live_count(self, query: tantivy.Query) -> int:
        """Return how many live records match; linear in the matches."""
        with self.guard("read the index"):
            return count_matches(self.searcher, query)


_Stamp = tuple[int, int, int] | None


def _is_current(layout: Layout, current: Current, stamp: _Stamp) -> bool:
    """Whether nothing was committed since the stamp was taken."""
    try:
        known = layout.read_current()
    except (DamagedError, NotFoundError, StorageError):
        return False
    return known == current and stamp == _stamp(layout.text(current.generation))


def _stamp(folder: Path) -> _Stamp:
    """Return what changes with every commit: facts about the engine's list of files."""
    try:
        facts = (folder / "meta.json").stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_ino, facts.st_size
