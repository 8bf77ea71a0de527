"""What readers ask of an engine, and what writers use: the two protocols that engines implement.

A `Snapshot` shows one state of the index as long as it lives. Its questions come in batches,
so that an engine across a network answers each in one round trip.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal, Protocol, TypeAlias

from leafmark.errors import Remedy, StorageError
from leafmark.index.manifest import Manifest
from leafmark.index.queries import Query
from leafmark.index.records import StoredDocument
from leafmark.index.schema import Language
from leafmark.model import ChunkedDocument, DocumentEntry, Entry, FileState
from leafmark.namedtuples import NamedTuple

Handle: TypeAlias = Hashable
"""A chunk as the engine names it; valid for one snapshot."""

ChunkRef: TypeAlias = tuple[str, int]
"""A chunk by the id of its document and its position in it."""


Match: TypeAlias = tuple[float, Handle]
"""The score of a chunk that matches a query, and the chunk."""


class TreeCounts(NamedTuple):
    """What is indexed of one tree; `bytes` counts the sources that made chunks."""

    documents: int = 0
    chunks: int = 0
    bytes: int = 0


class Lookup(NamedTuple):
    """A question for the terms of some fields, as `terms`, `near`, `alike` and `holding` ask it."""

    how: Literal["begins", "near", "alike", "holds"]
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    distance: int = 0


class Snapshot(Protocol):
    """One state of the index. Any number of threads may share it.

    Each method raises `DamagedError` if the index is not what was written, and `StorageError`
    if it cannot be read.
    """

    languages: tuple[Language, ...]

    @property
    def is_partial(self) -> bool:
        """Whether a part of the index did not answer."""

    @property
    def chunk_count(self) -> int:
        """How many chunks there are."""

    @property
    def scored_count(self) -> int:
        """How many records the rarity of a term is computed from: the chunks and a few more."""

    @property
    def tree_names(self) -> Set[str]:
        """The names of the trees that the index knows, including trees without sources."""

    def language_of(self, tree: str) -> Language | None:
        """Return the language of a tree, None for an unknown tree."""

    @property
    def trees(self) -> Mapping[str, TreeCounts]:
        """What is indexed of every tree, by name."""

    @property
    def manifest(self) -> Manifest:
        """What is indexed, by tree and path."""

    # -- queries -----------------------------------------------------------------------

    def search(self, requests: Sequence[tuple[Query, int]]) -> list[list[Match]]:
        """Return for each query its best matches, best first, at most as many as given.

        Which of those that tie at the end are among them is up to the engine.
        """

    def first(self, query: Query, limit: int) -> tuple[list[ChunkRef], int]:
        """Return the first `limit` matches by document, or a few more, and the number of all.

        The matches in a document are complete, and so are those in documents whose id begins
        with the id of one before them: sorted by the ids of chunks, the first `limit` are the
        first of all.
        """

    def count(self, queries: Sequence[Query]) -> list[int]:
        """Return how many chunks each query matches; linear in the matches."""

    def scores(
        self, queries: Sequence[Query], chunks: Sequence[Handle]
    ) -> list[list[float | None]]:
        """Return for each query the score of each chunk, None if it does not match."""

    def expect(self, terms: Iterable[tuple[str, str]], lookups: Iterable[Lookup] = ()) -> None:
        """Note the frequencies and the look-ups that will probably be asked for.

        An engine across a network asks for them together with the next ones, and reads both then:
        they may ask for frequencies that were expected before.
        """

    def frequencies(self, terms: Sequence[tuple[str, str]]) -> list[int]:
        """Return for each field and term how many chunks have it."""

    def terms(
        self, field: str, prefix: str, *, limit: int | None = None, within: Query | None = None
    ) -> list[tuple[str, int]]:
        """Return the terms of a field that begin with `prefix`, each with its number of chunks.

        The most frequent come first, ties by term. `within` counts only chunks that match a
        query. Without it and without a `limit`, deleted chunks may count, too.
        """

    def near(self, fields: Sequence[str], words: Sequence[str], distance: int) -> list[str]:
        """Return the terms of the fields that are within `distance` edits of one of the words.

        There may be terms of deleted chunks among them.
        """

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return the terms that differ from a word only in marks on letters, or in `ß` for `ss`.

        `words` are written without marks and with `ss`. There may be terms of deleted chunks
        among them.
        """

    def holding(self, field: str, text: str) -> list[str]:
        """Return the terms of a field that have a text inside; of deleted chunks, too."""

    # -- chunks ------------------------------------------------------------------------

    def cuts(self, chunks: Sequence[Handle]) -> Sequence[int]:
        """Return the same number for all pieces of a section that was cut (see `cut_number`).

        0 for chunks that are no piece. Like roles, they are read fast, without records.
        """

    def positions(self, chunks: Sequence[Handle]) -> Sequence[int]:
        """Return the chunks' positions in their documents, in their order."""

    def roles(self, chunks: Sequence[Handle]) -> Sequence[int]:
        """Return the numbers of the chunks' roles (see `roles`), in their order."""

    def refs(self, chunks: Sequence[Handle]) -> list[ChunkRef]:
        """Return the chunks' documents and positions, in their order."""

    def entries(self, chunks: Sequence[Handle]) -> list[Entry]:
        """Return the entries of the chunks, in their order."""

    def titles(self, chunks: Sequence[Handle]) -> list[str]:
        """Return the titles of the chunks, in their order; a piece's is its section's."""

    def section_paths(self, chunks: Sequence[Handle]) -> list[tuple[str, ...]]:
        """Return the titles from the document down to each chunk, in their order."""

    # -- documents ---------------------------------------------------------------------

    def stored(self, doc_id: str) -> StoredDocument | None:
        """Return what is stored of a source, with all its chunks; None if it is not indexed."""

    def document(self, doc_id: str) -> DocumentEntry | None:
        """Return the entry of a source, None if it is not indexed."""

    def held_document(self, doc_id: str) -> DocumentEntry:
        """Return the entry of a source that the index itself names.

        Raises:
            DamagedError, ChangedError: it is not there.
        """

    def documents(self) -> list[DocumentEntry]:
        """Return the entry of every source, also of those without chunks, by tree and path."""

    def entry(self, doc_id: str, position: int) -> Entry | None:
        """Return the chunk at a position of a document, None if there is none."""

    def chunks_of(self, doc_id: str) -> list[Entry]:
        """Return all chunks of a document by position; none if it is not indexed."""

    def iter_chunks(self, doc_id: str) -> Iterator[Entry]:
        """Yield what `chunks_of` returns: the chunks are not kept, so there may be many."""

    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None:
        """Return the chunk with a slug (None: the document) and piece number, if there is one."""


LOOK_AT_NODES = Remedy("cluster", "look which of its nodes are missing, and start them")
"""What to do where a part of a cluster does not answer."""


def require_whole(snapshot: Snapshot) -> None:
    """Look whether all of the index has answered what was asked so far.

    Raises:
        StorageError: a part did not, so that what seems to be missing may be there.
    """
    if snapshot.is_partial:
        raise StorageError(
            "a part of the cluster does not answer",
            hint=LOOK_AT_NODES,
        )


class Store(Protocol):
    """Changes an index; what it is given becomes visible at once, with `commit`."""

    @property
    def manifest(self) -> Manifest:
        """What is indexed, including the changes of this writer."""

    def put(self, chunked: ChunkedDocument, state: FileState) -> None:
        """Index a source in place of what was indexed under its tree and path."""

    def touch(self, tree: str, path: str, state: FileState) -> bool:
        """Record the state of a source whose bytes are those that are indexed.

        False if it must be put again.
        """

    def remove(self, tree: str, path: str) -> None:
        """Remove a source from the index, if it is there."""

    def commit(self, *, started_ns: int) -> object:
        """Make all changes visible at once, and durable."""
