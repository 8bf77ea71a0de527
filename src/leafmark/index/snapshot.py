"""The two protocols that an engine implements: `Snapshot` for reading, `Store` for writing.

A `Snapshot` shows one state of the index for its whole life. Its methods take batches, so that
an engine across a network answers a call in one round trip.
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
"""The engine's name of a chunk; valid for one snapshot."""

ChunkRef: TypeAlias = tuple[str, int]
"""The id of a chunk's document, and the chunk's position in it."""


Match: TypeAlias = tuple[float, Handle]
"""The score of a matching chunk, and the chunk."""


class TreeCounts(NamedTuple):
    """The indexed documents, chunks and bytes of one tree, of sources with chunks."""

    documents: int = 0
    chunks: int = 0
    bytes: int = 0


class Lookup(NamedTuple):
    """A look-up of terms in some fields, by `terms`, `near`, `alike` or `holding`."""

    how: Literal["begins", "near", "alike", "holds"]
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    distance: int = 0


class Snapshot(Protocol):
    """One state of the index. Any number of threads may share it.

    Each method raises `DamagedError` if the index is damaged, and `StorageError` if it cannot
    be read.
    """

    languages: tuple[Language, ...]

    @property
    def is_partial(self) -> bool:
        """Whether a part of the index did not answer."""

    @property
    def chunk_count(self) -> int:
        """The number of chunks."""

    @property
    def scored_count(self) -> int:
        """The number of records that the rarity of terms refers to: the chunks and a few more."""

    @property
    def tree_names(self) -> Set[str]:
        """The names of the trees that the index knows, including trees without sources."""

    def language_of(self, tree: str) -> Language | None:
        """Return the language of a tree, None for an unknown tree."""

    @property
    def trees(self) -> Mapping[str, TreeCounts]:
        """The counts of every tree, by name."""

    @property
    def manifest(self) -> Manifest:
        """The indexed sources, by tree and path."""

    # -- queries -----------------------------------------------------------------------

    def search(self, requests: Sequence[tuple[Query, int]]) -> list[list[Match]]:
        """Return for each query its best matches, best first, up to its limit.

        The engine decides between ties at the limit.
        """

    def first(self, query: Query, limit: int) -> tuple[list[ChunkRef], int]:
        """Return the first `limit` matches by document, or a few more, and the number of all.

        The matches of each returned document are complete, and documents whose id begins with
        the id of an earlier one are included: so sorted by chunk id, the first `limit` are the
        first of all matches.
        """

    def count(self, queries: Sequence[Query]) -> list[int]:
        """Return how many chunks each query matches; linear in the matches."""

    def scores(
        self, queries: Sequence[Query], chunks: Sequence[Handle]
    ) -> list[list[float | None]]:
        """Return for each query the score of each chunk, None if it does not match."""

    def expect(self, terms: Iterable[tuple[str, str]], lookups: Iterable[Lookup] = ()) -> None:
        """Note the frequencies and the look-ups that will probably be needed.

        An engine across a network fetches them together with the next call. Both arguments are
        read only then, and may themselves call for frequencies that were expected before.
        """

    def frequencies(self, terms: Sequence[tuple[str, str]]) -> list[int]:
        """Return for each field and term the number of chunks with it."""

    def terms(
        self, field: str, prefix: str, *, limit: int | None = None, within: Query | None = None
    ) -> list[tuple[str, int]]:
        """Return the terms of a field that begin with `prefix`, each with its number of chunks.

        The most frequent come first, ties by term. With `within`, only chunks that match that
        query count. Without it and without a `limit`, deleted chunks may count, too.
        """

    def near(self, fields: Sequence[str], words: Sequence[str], distance: int) -> list[str]:
        """Return the terms of the fields that are within `distance` edits of one of the words.

        Terms of deleted chunks may be included.
        """

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return the terms that differ from a word only in marks on letters, or in `ß` for `ss`.

        `words` are written without marks and with `ss`. Terms of deleted chunks may be included.
        """

    def holding(self, field: str, text: str) -> list[str]:
        """Return the terms of a field that contain a text; terms of deleted chunks, too."""

    # -- chunks ------------------------------------------------------------------------

    def cuts(self, chunks: Sequence[Handle]) -> Sequence[int]:
        """Return the chunks' cut numbers, in their order (see `cut_number`).

        All pieces of a section that was cut have the same number; chunks that are not pieces
        have 0. Like roles, the numbers are read fast, without records.
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
        """Return the stored document of a source, with all its chunks; None if not indexed."""

    def document(self, doc_id: str) -> DocumentEntry | None:
        """Return the entry of a source, None if it is not indexed."""

    def get_document(self, doc_id: str) -> DocumentEntry:
        """Return the entry of a source that the index itself names.

        Raises:
            DamagedError, ChangedError: it is not there.
        """

    def documents(self) -> list[DocumentEntry]:
        """Return the entry of every source, with or without chunks, by tree and path."""

    def entry(self, doc_id: str, position: int) -> Entry | None:
        """Return the chunk at a position of a document, None if it has none there."""

    def chunks_of(self, doc_id: str) -> list[Entry]:
        """Return all chunks of a document by position; an empty list if it is not indexed."""

    def iter_chunks(self, doc_id: str) -> Iterator[Entry]:
        """Yield the chunks of `chunks_of` without caching them, so that there may be many."""

    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None:
        """Return the chunk with a slug (None: the document) and piece number, if there is one."""


LOOK_AT_NODES = Remedy("cluster", "look which of its nodes are missing, and start them")
"""The remedy for a part of a cluster that does not answer."""


def require_whole(snapshot: Snapshot) -> None:
    """Make sure that all parts of the index have answered so far.

    Raises:
        StorageError: a part did not, so that a missing chunk may exist all the same.
    """
    if snapshot.is_partial:
        raise StorageError(
            "a part of the cluster does not answer",
            hint=LOOK_AT_NODES,
        )


class Store(Protocol):
    """Changes an index; all changes become visible together, with `commit`."""

    @property
    def manifest(self) -> Manifest:
        """The indexed sources, including the changes of this writer."""

    def put(self, chunked: ChunkedDocument, state: FileState) -> None:
        """Index a source; it replaces any source with the same tree and path."""

    def touch(self, tree: str, path: str, state: FileState) -> bool:
        """Record a new state of a source whose indexed bytes have not changed.

        Returns False if it must be put again.
        """

    def remove(self, tree: str, path: str) -> None:
        """Remove a source from the index, if it is there."""

    def commit(self, *, started_ns: int) -> object:
        """Make all changes visible at once, and durable."""
