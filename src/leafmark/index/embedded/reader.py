"""A snapshot of the index: the structure of all documents, and the engine's searcher.

A reader sees one commit for its whole life, even while a writer commits others. Opening takes
a few milliseconds and no lock; entries are read on demand. Any number of threads may share a
reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

import tantivy

from leafmark.errors import DamagedError, NotFoundError, StorageError
from leafmark.index.embedded.generation import (
    IndexMeta,
    count_matches,
    index_languages,
    open_engine,
    read_counts,
    read_documents,
    read_meta,
    source_record,
    with_latest_state,
)
from leafmark.index.embedded.querying import Compilation, Compiler, Frequencies, Vocabulary
from leafmark.index.engine import INDEX_AGAIN, REBUILD, engine_guard, translate
from leafmark.index.folder import Current, Layout
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
from leafmark.index.queries import AllOf, HasAny, HasTerm, InRange, Query, any_of, unscored
from leafmark.index.records import StoredDocument, deserialise_document
from leafmark.index.schema import STATE_KEY, Language
from leafmark.index.snapshot import ChunkRef, Handle, Lookup, Match, TreeCounts
from leafmark.model import DocumentEntry, Entry, Recent

T = TypeVar("T")

_ATTEMPTS = 3
"""How many times opening is tried if a writer commits meanwhile."""

REMEMBERED = 1000
"""How many source records a reader caches; about 5 kB each."""


_REMEMBERED_REFS = 50_000
"""How many chunk references a reader caches; about 200 bytes each."""

FEW_MATCHES = 2000
"""Up to this many matches, reading each is faster than listing 26,000 documents (measured)."""

_WIDER = 4
"""The factor for the next list of terms if deleted chunks may have changed the order."""


def has_index(root: Path) -> bool:
    """Whether there is an index in the folder `root`, in whatever state.

    Raises:
        StorageError: the system denies access to the folder.
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
        DamagedError: the index is damaged.
        UsageError: a newer leafmark wrote it.
        StorageError: it cannot be read.
    """
    layout = Layout(root)
    for attempt in range(1, _ATTEMPTS + 1):
        current = layout.read_current()
        if current is None:
            raise NotFoundError("there is no index yet", location=str(root), hint=INDEX_AGAIN)
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


class IndexReader:
    """One commit of one generation. Use `open_reader`.

    `Snapshot` documents most of its methods.
    """

    def __init__(self, layout: Layout, current: Current):
        self._layout = layout
        self.current = current
        self._folder = layout.text(current.generation)
        self._stamp = _stamp(self._folder)
        self.languages: tuple[Language, ...] = index_languages(current.languages)
        self._language_of = {
            tree: language for language in self.languages for tree in language.trees
        }
        self.engine = open_engine(self._folder, self.languages)
        self._stored: Recent[str, StoredDocument | None] = Recent(REMEMBERED)
        with engine_guard("read the index", self._folder):
            self.searcher = self.engine.searcher()
            self._refs: dict[int, ChunkRef] = {}
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
        self._frequencies = Frequencies(self.searcher, self.engine.schema, counts)
        self._compiler = Compiler(self.engine.schema, self._frequencies)
        self._vocabularies: dict[tuple[str, ...], Vocabulary] = {}

    @property
    def root(self) -> Path:
        """The folder of the index."""
        return self._layout.root

    @property
    def fingerprint(self) -> str:
        return self.current.fingerprint

    def fingerprint_of(self, _tree: str) -> str:
        """Return the fingerprint of a tree's settings: all trees share one."""
        return self.fingerprint

    @property
    def chunk_count(self) -> int:
        return self.meta.chunks

    @property
    def scored_count(self) -> int:
        return self.counts.live

    @property
    def is_partial(self) -> bool:
        """Always False: a local index answers as a whole or raises an error."""
        return False

    @property
    def tree_names(self) -> Set[str]:
        return self._language_of.keys()

    def language_of(self, tree: str) -> Language | None:
        return self._language_of.get(tree)

    def is_current(self) -> bool:
        """Whether nothing was committed since this reader was opened."""
        return _is_current(self._layout, self.current, self._stamp)

    def guard(self, action: str) -> engine_guard:
        """Translate the engine's errors inside the block into ours: see `engine_guard`.

        Damage is noted in the index's folder, so that the next writer checks the index.
        """
        return engine_guard(action, self._folder, self._note_damage)

    def _note_damage(self) -> None:
        with suppress(OSError):
            self._layout.suspect(self.current.generation).touch()

    @property
    def is_suspect(self) -> bool:
        """Whether a reader of this generation noted damage that no writer has checked yet."""
        return self._layout.suspect(self.current.generation).exists()

    # -- the manifest -----------------------------------------------------------------

    @cached_property
    def manifest(self) -> ManifestTable:
        """The manifest: read from the snapshot, or else built from all entries (linear)."""
        path = self._layout.manifest(self.current.generation)
        meta = self.meta
        manifest = read_snapshot(path, uuid=meta.uuid, seq=meta.seq)
        if manifest is None:
            entries = self.documents()
            manifest = ManifestTable(((entry.tree, entry.path), row_of(entry)) for entry in entries)
            with suppress(StorageError):  # a folder that cannot be written can be searched
                write_snapshot(
                    path, manifest, uuid=meta.uuid, seq=meta.seq, looked_ns=meta.started_ns
                )
        return manifest

    def has_exactly(self, sources: Sequence[FoundSource]) -> bool:
        """Whether exactly these sources are indexed and unchanged; False if it is not certain.

        The sources must be in the order of a walk. Three times as fast as the manifest.
        """
        known = self._head()
        return known is not None and bool(known.digest) and known.digest == digest_found(sources)

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
        counts_by_tree: dict[str, list[int]] = {}
        for (tree, _), row in self.manifest.items():
            counts = counts_by_tree.setdefault(tree, [0, 0, 0])
            if row.chunks:
                counts[0] += 1
                counts[1] += row.chunks
                counts[2] += row.size
        return {tree: TreeCounts(*counts) for tree, counts in counts_by_tree.items()}

    # -- documents ----------------------------------------------------------------------

    def documents(self) -> list[DocumentEntry]:
        with self.guard("read the index"):
            entries = list(read_documents(self.engine, self.searcher))
        return sorted(entries, key=lambda entry: (entry.tree, entry.path))

    def stored(self, doc_id: str) -> StoredDocument | None:
        """Return the stored document of a source, with all its chunks; cached."""
        known = self._stored.get(doc_id, self)  # `self` means not cached: None is a value
        if not isinstance(known, IndexReader):
            return known
        with self.guard("read the index"):
            return self._read(doc_id, None)

    def _read(self, doc_id: str, record: bytes | None) -> StoredDocument | None:
        """Read and cache the stored document of a source, from `record` if it is given."""
        record = record or source_record(self.engine, self.searcher, doc_id)
        stored = None if record is None else deserialise_document(record)
        if stored is not None and self._has_states:
            stored = with_latest_state(self.engine, self.searcher, stored)
        self._stored.put(doc_id, stored)
        return stored

    @cached_property
    def _has_states(self) -> bool:
        """Whether any source has a newer state than its record."""
        return bool(self.searcher.terms_with_prefix("key", STATE_KEY, limit=1))

    def document(self, doc_id: str) -> DocumentEntry | None:
        stored = self.stored(doc_id)
        return None if stored is None else stored.entry

    def get_document(self, doc_id: str) -> DocumentEntry:
        entry = self.document(doc_id)
        if entry is None:
            raise self._missing_record_error(doc_id)
        return entry

    def _missing_record_error(self, doc_id: str) -> DamagedError:
        """Note the damage, and return the error for a source that the index names but lacks."""
        self._note_damage()
        return DamagedError(
            f"the index is damaged: no record of {doc_id}",
            location=str(self._folder),
            hint=REBUILD,
        )

    # -- chunks ---------------------------------------------------------------------------

    def entries(self, chunks: Sequence[Handle]) -> list[Entry]:
        places = self._records_at(chunks)
        return self._noting_damage(lambda: [stored.chunk(at) for stored, at in places])

    def section_paths(self, chunks: Sequence[Handle]) -> list[tuple[str, ...]]:
        """Return the section paths of the chunks, in their order.

        A few times faster than entries. Chunks are visited in the order of the index: in any
        other order, a document's record would be read once for each of its chunks.
        """
        places = _places(chunks)
        order = sorted(range(len(places)), key=places.__getitem__)
        records = self._records_at([places[at] for at in order])
        paths = self._noting_damage(lambda: [stored.section_path(at) for stored, at in records])
        return [path for _, path in sorted(zip(order, paths, strict=True))]

    def titles(self, chunks: Sequence[Handle]) -> list[str]:
        """Return the titles of the chunks, in their order; faster than `section_paths`."""
        records = self._records_at(chunks)
        return self._noting_damage(lambda: [stored.title(at) for stored, at in records])

    def _records_at(self, chunks: Sequence[Handle]) -> Iterator[tuple[StoredDocument, int]]:
        """Yield the stored document of each chunk, and the chunk's position in it."""
        for place, (doc_id, position) in zip(_places(chunks), self.refs(chunks), strict=True):
            stored = self._stored.get(doc_id)
            if stored is None:
                with self.guard("read the index"):
                    stored = self._read(doc_id, self._adjacent_record(place, doc_id, position))
            if stored is None or not 0 <= position < len(stored):
                raise self._missing_record_error(doc_id)
            yield stored, position

    def refs(self, chunks: Sequence[Handle]) -> list[ChunkRef]:
        """Return document id and position of the chunks, in their order.

        A few times faster than their entries; cached, since each phase of a search needs them.
        """
        places = _places(chunks)
        known = self._refs if len(self._refs) < _REMEMBERED_REFS else {}
        new = [place for place in places if place not in known]
        if new:
            with self.guard("read the index"):
                addresses = _addresses_of(new)
                read = self.searcher.doc
                names = [str(read(address).get_first("doc_id")) for address in addresses]
                positions = self.searcher.fast_field_values("position", addresses)
            numbers = (-1 if position is None else int(position) for position in positions)
            known.update(zip(new, zip(names, numbers, strict=True), strict=True))
            self._refs = known
        return [known[place] for place in places]

    def cuts(self, chunks: Sequence[Handle]) -> list[int]:
        return self._column("cut", chunks)

    def positions(self, chunks: Sequence[Handle]) -> list[int]:
        return self._column("position", chunks)

    def roles(self, chunks: Sequence[Handle]) -> list[int]:
        return self._column("role", chunks)

    def _column(self, name: str, chunks: Sequence[Handle]) -> list[int]:
        """Return a column of the chunks, in their order; several times faster than `refs`."""
        with self.guard("read the index"):
            numbers = self.searcher.fast_field_values(name, _addresses_of(_places(chunks)))
        return cast("list[int]", numbers)

    def _adjacent_record(self, place: int, doc_id: str, position: int) -> bytes | None:
        """Return the record of a chunk's source if its chunks are contiguous, as is usual.

        A search for the record takes several times as long.
        """
        (address,) = _addresses_of([place])
        if address.doc < position:
            return None
        (first,) = _addresses_of([place - position])
        head = self.searcher.doc(first)
        record: bytes | None = head.get_first("source")
        return record if head.get_first("doc_id") == doc_id else None

    def entry(self, doc_id: str, position: int) -> Entry | None:
        stored = self.stored(doc_id)
        if stored is None or not 0 <= position < len(stored):
            return None
        return self._noting_damage(lambda: stored.chunk(position))

    def _noting_damage(self, read: Callable[[], T]) -> T:
        """Call `read` and note damage. A `guard` would take as long as the reading itself."""
        try:
            return read()
        except DamagedError:
            self._note_damage()
            raise

    def chunks_of(self, doc_id: str) -> list[Entry]:
        with self.guard("read the index"):
            return list(self.stored(doc_id) or ())

    def iter_chunks(self, doc_id: str) -> Iterator[Entry]:
        with self.guard("read the index"):
            stored = self.stored(doc_id)
            yield from () if stored is None else stored.iter_uncached()

    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None:
        stored = self.stored(doc_id)
        position = None if stored is None else stored.position_of(slug, piece)
        return None if position is None else self.entry(doc_id, position)

    # -- queries ------------------------------------------------------------------------------

    def search(self, requests: Sequence[tuple[Query, int]]) -> list[list[Match]]:
        """Return for each query its best matches, best first, up to its limit.

        Ties at the limit go to the chunks that come first in the engine's files.
        """
        compilation = Compilation(self._compiler)
        with self.guard("search the index"):
            return [self._matches(compilation, *request) for request in requests]

    def _matches(self, compilation: Compilation, query: Query, limit: int) -> list[Match]:
        most = max(1, min(limit, self.searcher.num_docs))  # the engine allocates for the limit
        return _matches_at(self.searcher.search(compilation.compile(query), most, count=False).hits)

    def count(self, queries: Sequence[Query]) -> list[int]:
        compilation = Compilation(self._compiler)
        with self.guard("search the index"):
            return [
                count_matches(self.searcher, compilation.compile(query, scored=False))
                for query in queries
            ]

    def scores(
        self, queries: Sequence[Query], chunks: Sequence[Handle]
    ) -> list[list[float | None]]:
        """Return for each query the score of each chunk, None if it does not match.

        Searches the chunks' documents. The engine's explanation of a score takes as long, and
        reports a match for some chunks that match no query.
        """
        spans: dict[str, tuple[int, int]] = {}
        for doc_id, at in self.refs(chunks):
            first, last = spans.get(doc_id, (at, at))
            spans[doc_id] = min(first, at), max(last, at)
        within = unscored(
            any_of(
                AllOf((HasTerm("doc_id", doc_id), InRange("position", *span)))
                for doc_id, span in spans.items()
            )
        )
        most = sum(last - first + 1 for first, last in spans.values())
        matches_by_query = self.search([(AllOf((query, within)), most) for query in queries])
        by_chunk = [{chunk: score for score, chunk in matches} for matches in matches_by_query]
        return [[scores.get(chunk) for chunk in chunks] for scores in by_chunk]

    def first(self, query: Query, limit: int) -> tuple[list[ChunkRef], int]:
        (count,) = self.count([query])
        if not count:
            return [], 0
        compilation = Compilation(self._compiler)
        with self.guard("search the index"):
            if count <= FEW_MATCHES:
                matches = self._matches(compilation, unscored(query), count)
                refs = self.refs([chunk for _, chunk in matches])
                first = set(_first_documents(Counter(name for name, _ in refs).items(), limit))
                return sorted(ref for ref in refs if ref[0] in first), count
            within = compilation.compile(query, scored=False)
            listed = self.searcher.terms_with_prefix("doc_id", "", filter_query=within)
            first = set(_first_documents(listed, limit))
            total = sum(number for name, number in listed if name in first)
            both = AllOf((unscored(query), unscored(HasAny("doc_id", tuple(sorted(first))))))
            matches = self._matches(compilation, both, total)
            return sorted(self.refs([chunk for _, chunk in matches])), count

    def expect(self, _terms: Iterable[tuple[str, str]], _lookups: Iterable[Lookup] = ()) -> None:
        """Do nothing: a local look-up needs no batch."""

    def frequencies(self, terms: Sequence[tuple[str, str]]) -> list[int]:
        """Return for each field and term how many chunks have it.

        Linear in the result if chunks were deleted, else constant.
        """
        live = self._frequencies.live
        with self.guard("search the index"):
            return [live(field, term) for field, term in terms]

    def terms(
        self, field: str, prefix: str, *, limit: int | None = None, within: Query | None = None
    ) -> list[tuple[str, int]]:
        """Return the terms of a field that begin with `prefix`: see `Snapshot.terms`.

        With a limit, the engine lists terms by its own counts, which include deleted chunks. So
        the list grows until no further term can be among the first.
        """
        with self.guard("search the index"):
            if within is not None or limit is None:
                query = None if within is None else self._compiler.compile(within, scored=False)
                listed = self.searcher.terms_with_prefix(field, prefix, filter_query=query)
                return listed if limit is None else sorted(listed, key=_most_frequent)[:limit]
            return self._most_frequent(field, prefix, limit)

    def _most_frequent(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        list_limit, frequency = limit, self._frequencies.live
        while True:
            listed = self.searcher.terms_with_prefix(field, prefix, limit=list_limit)
            live = [(term, frequency(field, term)) for term, _ in listed]
            best = sorted([counted for counted in live if counted[1]], key=_most_frequent)[:limit]
            is_all = len(listed) < list_limit
            last_is_later = len(best) == limit and (
                _most_frequent(best[-1]) <= _most_frequent(listed[-1])
            )
            if is_all or last_is_later:
                return best
            list_limit *= _WIDER

    def near(self, fields: Sequence[str], words: Sequence[str], distance: int) -> list[str]:
        """Return the terms within `distance` edits of a word, of deleted chunks too."""
        with self.guard("search the index"):
            near = self._vocabulary(fields).near
            return list(dict.fromkeys(term for word in words for term in near(word, distance)))

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return the terms that differ from a word only in marks: see `Snapshot.alike`."""
        with self.guard("search the index"):
            return self._vocabulary(fields).alike(words)

    def holding(self, field: str, text: str) -> list[str]:
        """Return the terms that contain a text: see `Snapshot.holding`."""
        with self.guard("search the index"):
            return self._vocabulary([field]).holding(text)

    def _vocabulary(self, fields: Sequence[str]) -> Vocabulary:
        """Return the fields' vocabulary, cached: listing it takes a tenth of a second."""
        key = tuple(fields)
        if key not in self._vocabularies:
            list_terms = self.searcher.terms_with_prefix
            self._vocabularies[key] = Vocabulary(
                lambda field: (term for term, _ in list_terms(field, "")), key
            )
        return self._vocabularies[key]


_SEGMENT_BITS = 32
"""A chunk's handle is its segment's number, then in so many bits its number in the segment."""


def _matches_at(hits: Iterable[tuple[float, tantivy.DocAddress]]) -> list[Match]:
    """Return the engine's hits as matches: handles can be hashed, the engine's addresses cannot.

    >>> _matches_at([(1.5, each) for each in _addresses_of([5 << 32 | 7])]) == [(1.5, 5 << 32 | 7)]
    True
    """
    return [(score, hit.segment_ord << _SEGMENT_BITS | hit.doc) for score, hit in hits]


def _addresses_of(places: Iterable[int]) -> list[tantivy.DocAddress]:
    last = (1 << _SEGMENT_BITS) - 1
    return [tantivy.DocAddress(place >> _SEGMENT_BITS, place & last) for place in places]


def _places(chunks: Sequence[Handle]) -> Sequence[int]:
    """Return the handles typed as the integers that they are here: see `_matches_at`."""
    return cast("Sequence[int]", chunks)


def _most_frequent(counted: tuple[str, int]) -> tuple[int, str]:
    """Sort key for a term with its count, as the engine lists them."""
    term, count = counted
    return -count, term


def _first_documents(counts: Iterable[tuple[str, int]], limit: int) -> list[str]:
    """Return the ids of the documents with the first `limit` matches by id.

    A document whose id begins with an earlier document's id is included too: its chunks may
    sort between that document's chunks.
    """
    names: list[str] = []
    total = 0
    for name, count in sorted(counts):
        if total >= limit and not any(name.startswith(taken) for taken in names):
            break
        names.append(name)
        total += count
    return names


_Stamp = tuple[int, int, int] | None


def _is_current(layout: Layout, current: Current, stamp: _Stamp) -> bool:
    """Whether nothing was committed since the stamp was taken."""
    try:
        known = layout.read_current()
    except (DamagedError, NotFoundError, StorageError):
        return False
    return known == current and stamp == _stamp(layout.text(current.generation))


def _stamp(folder: Path) -> _Stamp:
    """Return time, inode and size of the engine's list of files: every commit changes them."""
    try:
        facts = (folder / "meta.json").stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_ino, facts.st_size
