"""Reading an index in a cluster, in batches, so that a query takes few round trips.

A snapshot caches records and counts as long as it lives. Each request sees the cluster's last
refresh. Where a document changes between two requests, its chunks and its record disagree:
`ChangedError` says so, and a search tries once more.
"""

from __future__ import annotations

import time
from base64 import b64decode, urlsafe_b64decode
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import product
from threading import RLock
from typing import Any, TypeVar, cast
from uuid import uuid4

from leafmark.errors import ChangedError, NotFoundError, Remedy
from leafmark.index.embedded.generation import IndexMeta, index_languages
from leafmark.index.folder import Current
from leafmark.index.manifest import FoundSource, ManifestRow, ManifestTable
from leafmark.index.queries import Query
from leafmark.index.records import StoredDocument, deserialise_document
from leafmark.index.remote.client import (
    UNAVAILABLE,
    Cluster,
    RefusedError,
    damaged,
    other_program,
    path_of,
    reason_of,
)
from leafmark.index.remote.compiling import EVERY_CHUNK, NOTHING, compile_query, present
from leafmark.index.remote.layout import (
    MAX_RESULTS,
    META_ID,
    Names,
    chunk_id,
    find_changed_field,
    language_mapping,
    read_source,
    record_id,
    routing_of,
)
from leafmark.index.remote.word_index import Words
from leafmark.index.schema import Language
from leafmark.index.snapshot import ChunkRef, Handle, Lookup, Match, TreeCounts
from leafmark.model import DocumentEntry, DocumentKey, Entry, FileState, Recent, document_id
from leafmark.namedtuples import NamedTuple

T = TypeVar("T")

_MAX_RECORDS = 5000
"""Records that a snapshot caches."""

_MAX_COUNTED = 2000
"""Terms of a prefix whose chunks are counted; each further term counts as in one chunk."""

_MAX_PREFETCHED = 20_000
"""Counts that are requested before a caller needs them."""

_MAX_SINGLE_COUNTS = 200
"""Up to this many counts are requests of their own (measured: 2 ms each beside other work)."""

_NO_WORDS: Mapping[str, Any] = {
    "_shards": {"successful": 0, "total": 1},
    "hits": {"hits": []},
}

_TRANSIENT = frozenset({429, 500})
"""The status of a request for which a node had no room, or during which it died."""

_PAUSE_S = 0.3

_FEW_TERMS = 50

_BATCH = 500
"""Queries or documents of one request."""

_COLUMN_BATCH = 5000
"""Documents of one request that reads some of their columns, not their records."""

_KEYWORDS = frozenset({"facts", "names", "doc_id", "key", "tree"})
_COLUMNS = ("doc_id", "stamp", "position", "cut", "role")
_ENTRY = ("entry", "chunks")
_STATE = ("size", "modified_ns", "changed_ns", "inode", "chunks", "noted")


class Hit(NamedTuple):
    """A chunk of a search's answer, with its columns."""

    doc_id: str
    stamp: str
    position: int
    cut: int
    role: int


class TreeMeta(NamedTuple):
    """The index's record of a tree.

    `fingerprint` stands for the settings of its chunks. `complete` is true once a whole run has
    ended since the tree was begun or begun again. `looked_ns` is when the last run began to look
    at its sources.
    """

    stemmer: str | None
    fingerprint: str
    complete: bool = False
    looked_ns: int = 0


class RemoteMeta(NamedTuple):
    """The index's record of itself, with that record's sequence number in the cluster."""

    chunks: str
    """The cluster's index of the chunks."""
    uuid: str
    trees: Mapping[str, TreeMeta]
    seq_no: int
    primary_term: int

    @property
    def languages(self) -> dict[str, str | None]:
        """The stemmer of each tree."""
        return {name: tree.stemmer for name, tree in self.trees.items()}


def find_index(cluster: Cluster, names: Names) -> str | None:
    """Return the index behind the alias, None if there is none; its shards may be unavailable.

    Raises:
        DamagedError: the alias leads to several indices.
    """
    indices = cluster.get(path_of("_alias", names.alias) + cluster.anywhere, allowed=(404,))
    if not indices or (indices.get("status") == 404 and "error" in indices):
        return None
    if not all(isinstance(about, dict) and about.get("aliases") for about in indices.values()):
        raise other_program(cluster.location)
    index, *others = map(str, indices)
    if others:
        what = f"the alias {names.alias} leads to {', '.join(indices)}"
        raise damaged(what, cluster.location, "take the alias away from all but one of them")
    return index


def read_meta(cluster: Cluster, names: Names) -> RemoteMeta | None:
    """Return the record of the index behind the alias, None if there is no index.

    Raises:
        DamagedError: the alias leads to something that leafmark did not make.
    """
    index = find_index(cluster, names)
    if index is None:
        return None
    answer = cluster.get(path_of(index, "_doc", META_ID) + f"?routing={META_ID}", allowed=(404,))
    try:
        facts = answer["_source"]["meta"]
        trees = {name: TreeMeta(**tree) for name, tree in facts["trees"].items()}
        place = answer["_seq_no"], answer["_primary_term"]
        return RemoteMeta(index, facts["uuid"], trees, *place)
    except (KeyError, TypeError, AttributeError) as error:
        what = f"{index} has no record of leafmark"
        hint = f"take the alias {names.alias} away from it, or name another index in index.url"
        raise damaged(what, cluster.location, hint) from error


def open_snapshot(cluster: Cluster, names: Names) -> RemoteSnapshot:
    """Open the index of an address.

    Raises:
        NotFoundError: there is none.
        DamagedError: leafmark did not write it.
        StorageError: the cluster does not answer.
    """
    meta = read_meta(cluster, names)
    if meta is None:
        raise NotFoundError(
            f"there is no index {names.base!r} yet",
            location=cluster.location,
            hint=Remedy("index-remote", "the machine with the documents makes it"),
        )
    return RemoteSnapshot(cluster, names, meta)


class RemoteSnapshot:
    """An index in a cluster. `Snapshot` documents most of its methods."""

    def __init__(self, cluster: Cluster, names: Names, meta: RemoteMeta):
        self.cluster = cluster
        self.names = names
        self.is_partial = False
        self.when_partial: Callable[[], object] = lambda: None
        """Called once when a part of the cluster does not answer."""
        self._preference = f"snapshot-{uuid4().hex}"
        """The same copies answer all requests: of two copies, one may be ahead for a moment."""
        self._about = meta
        self.languages: tuple[Language, ...] = index_languages(meta.languages)
        self._language_of = {
            tree: language for language in self.languages for tree in language.trees
        }
        self._stored: Recent[str, tuple[str, StoredDocument] | None] = Recent(_MAX_RECORDS)
        self._entries: Recent[str, DocumentEntry] = Recent(2 * _COLUMN_BATCH)
        self._counts: Recent[tuple[str, str], int] = Recent(_MAX_PREFETCHED * 2)
        self._lock = RLock()
        self._expected = list[tuple[Iterable[tuple[str, str]], Iterable[Lookup]]]()
        self._pending_terms: dict[tuple[str, str], None] = {}
        self._pending_lookups: dict[Lookup, None] = {}
        self._is_gathering = False
        self._field_languages = {
            field: language for language in self.languages for field in language.fields
        }
        self._words = Words(cluster, names, [language.body for language in self.languages])
        self._check_fields()

    def _check_fields(self) -> None:
        """Raise `DamagedError` if somebody changed a field by hand: scores would differ."""
        path = path_of(self._about.chunks, "_mapping") + self.cluster.anywhere
        mappings = self.cluster.get(path)
        fields = mappings[self._about.chunks]["mappings"].get("properties", {})
        for language in self.languages:
            name = find_changed_field(language_mapping(language), fields)
            if name is not None:
                what = f"another program changed the field {name}"
                hint = f"delete {self._about.chunks} in the cluster, and index again"
                raise damaged(what, self.cluster.location, hint)

    # -- the index ------------------------------------------------------------------------

    @property
    def location(self) -> str:
        """Where the index is, for messages."""
        return f"{self.cluster.location}/{self.names.base}"

    @property
    def about(self) -> RemoteMeta:
        """The index's record of itself."""
        return self._about

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the settings of all trees; empty where trees have different ones."""
        fingerprints = {tree.fingerprint for tree in self._about.trees.values()}
        return fingerprints.pop() if len(fingerprints) == 1 else ""

    @property
    def current(self) -> Current:
        """The values that the file CURRENT has in an embedded index."""
        about = self._about
        return Current(0, about.uuid, self.fingerprint, about.languages)

    is_suspect = False

    @property
    def looked_ns(self) -> int:
        """When the last run began to look at the sources; of several trees, the oldest time."""
        return min((tree.looked_ns for tree in self._about.trees.values()), default=0)

    def is_current(self) -> bool:
        """Whether the next answer may use it. False: the next answer opens the index again."""
        return False

    def has_exactly(self, _sources: Sequence[FoundSource]) -> bool:
        """Whether nothing has changed since the last run: unknown without a request."""
        return False

    @cached_property
    def meta(self) -> IndexMeta:
        """Counts of documents and chunks."""
        about = self._about
        documents = sum(counts.documents for counts in self.trees.values())
        return IndexMeta(0, about.uuid, self.fingerprint, documents, self.chunk_count, 0)

    @property
    def tree_names(self) -> Set[str]:
        return self._language_of.keys()

    def language_of(self, tree: str) -> Language | None:
        return self._language_of.get(tree)

    @cached_property
    def chunk_count(self) -> int:
        (total,) = self._totals([EVERY_CHUNK])
        return total

    @cached_property
    def document_count(self) -> int:
        """The number of indexed sources, including those without chunks."""
        (total,) = self._totals([{"exists": {"field": "digest"}}])
        return total

    @property
    def scored_count(self) -> int:
        return self.chunk_count + 1  # the record of the index counts, as in the embedded engine

    @cached_property
    def trees(self) -> Mapping[str, TreeCounts]:
        sums = {name: {"sum": {"field": name}} for name in ("chunks", "size")}
        with_chunks = {"filter": {"range": {"chunks": {"gt": 0}}}, "aggs": sums}
        answer = self._ask(
            {
                "size": 0,
                "query": {"exists": {"field": "digest"}},
                "aggs": {
                    "trees": {
                        "terms": {"field": "tree", "size": MAX_RESULTS},
                        "aggs": {"indexed": with_chunks},
                    }
                },
            }
        )
        return {
            bucket["key"]: TreeCounts(
                bucket["indexed"]["doc_count"],
                int(bucket["indexed"]["chunks"]["value"]),
                int(bucket["indexed"]["size"]["value"]),
            )
            for bucket in answer["aggregations"]["trees"]["buckets"]
        }

    @cached_property
    def manifest(self) -> RemoteManifest:
        return RemoteManifest(self)

    def source(self, digest: str) -> bytes | None:
        """Return the bytes of a source: see `read_source`."""
        return read_source(self.cluster, self.names, digest)

    # -- requests -------------------------------------------------------------------------

    def _ask(self, body: Mapping[str, Any], limit: str = "search") -> Any:
        path = path_of(self._about.chunks, "_search") + f"?preference={self._preference}"
        answer = self.cluster.post(path, body, limit=limit)
        self._check_shards(answer)
        return answer

    def _pages(self, body: Mapping[str, Any], limit: str = "search") -> Iterator[Any]:
        """Yield the answers to a sorted search, page by page."""
        body = {"stored_fields": "_none_", **body}
        while True:
            answer = self._ask(body, limit)
            yield answer
            hits = answer["hits"]["hits"]
            if len(hits) < body["size"]:
                return
            body = {**body, "search_after": hits[-1]["sort"], "track_total_hits": False}

    def ask_all(
        self, bodies: Sequence[Mapping[str, Any]], search_type: str = "", index: str = ""
    ) -> list[Any]:
        """Return the answers to searches of the chunks or another `index`, `_BATCH` in a request.

        Raises:
            StorageError: the cluster cannot answer one of them.
        """
        head: dict[str, Any] = {"index": index or self._about.chunks}
        if search_type:
            head["search_type"] = search_type
        return self._ask_lines([(head, body) for body in bodies])

    def _ask_lines(self, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Any]:
        responses = list[Any]()
        for at in range(0, len(pairs), _BATCH):
            batch = pairs[at : at + _BATCH]
            answers = self._responses(batch)
            for (head, _), answer in zip(batch, answers, strict=True):
                if answer.get("status") == UNAVAILABLE and head["index"] == self.names.words:
                    self._note_partial()  # other forms of a word stay unknown
                    answer = _NO_WORDS
                if "error" in answer:
                    status = int(answer.get("status") or 0)
                    reason = reason_of(answer["error"]) or f"status {status}"
                    raise RefusedError(status, reason, location=self.cluster.location)
                self._check_shards(answer)
                responses.append(answer)
        return responses

    def _responses(
        self, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], tries: int = 2
    ) -> list[Any]:
        """Return the answers of one request; transient failures are tried again."""
        shared = {"preference": self._preference}
        lines = [part for head, body in pairs for part in ({**head, **shared}, body)]
        answers: list[Any] = self.cluster.lines("/_msearch", lines)["responses"]
        busy = [at for at, answer in enumerate(answers) if answer.get("status") in _TRANSIENT]
        if busy and tries > 1:
            time.sleep(_PAUSE_S)
            responses = self._responses([pairs[at] for at in busy], tries - 1)
            for at, answer in zip(busy, responses, strict=True):
                answers[at] = answer
        return answers

    def _check_shards(self, answer: Mapping[str, Any]) -> None:
        """Note whether a shard did not answer; a shard without copies is not counted as failed."""
        shards = answer["_shards"]
        if shards["successful"] < shards["total"] or answer.get("timed_out"):
            self._note_partial()

    def _note_partial(self) -> None:
        if not self.is_partial:
            self.is_partial = True
            self.when_partial()

    def _totals(self, queries: Sequence[Any]) -> list[int]:
        answers = self.ask_all([_count_body(query) for query in queries])
        return [answer["hits"]["total"]["value"] for answer in answers]

    # -- queries --------------------------------------------------------------------------

    def search(self, requests: Sequence[tuple[Query, int]]) -> list[list[Match]]:
        compiled = [
            (compile_query(present(query, self._is_absent)), limit) for query, limit in requests
        ]
        bodies = [_hits_body(query, limit) for query, limit in compiled if query != NOTHING]
        answers = iter(self.ask_all(bodies, "dfs_query_then_fetch"))
        return [
            []
            if query == NOTHING
            else [(hit["_score"], _hit(hit)) for hit in next(answers)["hits"]["hits"]]
            for query, _ in compiled
        ]

    def _is_absent(self, field: str, term: str) -> bool:
        return self._counts.get((field, term)) == 0

    def first(self, query: Query, limit: int) -> tuple[list[ChunkRef], int]:
        refs, names = list[ChunkRef](), dict[str, None]()
        total = 0
        body = {
            "size": min(MAX_RESULTS, max(limit, 100)),
            "docvalue_fields": ["doc_id", "position"],
            "sort": [{"doc_id": "asc"}, {"position": "asc"}],
            "track_total_hits": True,
            "query": {"bool": {"filter": [compile_query(query, scored=False)]}},
        }
        for answer in self._pages(body):
            total = total or answer["hits"]["total"]["value"]
            for hit in answer["hits"]["hits"]:
                doc_id, position = (hit["fields"][name][0] for name in ("doc_id", "position"))
                if len(refs) >= limit and not any(map(doc_id.startswith, names)):
                    return refs, total
                names[doc_id] = None
                refs.append((doc_id, position))
        return refs, total

    def count(self, queries: Sequence[Query]) -> list[int]:
        return self._totals([compile_query(query, scored=False) for query in queries])

    def scores(
        self, queries: Sequence[Query], chunks: Sequence[Handle]
    ) -> list[list[float | None]]:
        hits = cast("Sequence[Hit]", chunks)
        ids = [chunk_id(hit.doc_id, hit.stamp, hit.position) for hit in hits]
        if not ids:
            return [[] for _ in queries]
        within = {"ids": {"values": ids}}
        bodies = [
            _hits_body({"bool": {"must": [compile_query(query)], "filter": [within]}}, len(ids))
            for query in queries
        ]
        answers = self.ask_all(bodies, "dfs_query_then_fetch")
        score_maps = [
            {_hit(hit): hit["_score"] for hit in answer["hits"]["hits"]} for answer in answers
        ]
        return [[scores.get(hit) for hit in hits] for scores in score_maps]

    def expect(self, terms: Iterable[tuple[str, str]], lookups: Iterable[Lookup] = ()) -> None:
        with self._lock:
            self._expected.append((terms, lookups))

    def frequencies(self, terms: Sequence[tuple[str, str]]) -> list[int]:
        known = {term: self._counts.get(term) for term in terms}
        unknown = [term for term, count in known.items() if count is None]
        if not unknown:
            return [known[term] or 0 for term in terms]
        if len(unknown) <= _FEW_TERMS:  # a search needs the other fields' counts next
            unknown += [sibling for term in unknown for sibling in self._in_all_fields(*term)]
        with self._lock:
            self._pending_terms.update(dict.fromkeys(unknown))
            self._gather()
            known |= self._answer_pending()
        return [known.get(term) or self._counts.get(term) or 0 for term in terms]

    def _look_up(self, lookup: Lookup) -> list[str]:
        """Return the terms of a look-up; the same request answers all expected ones."""
        terms = self._words.find_terms(lookup)
        if terms is None:
            with self._lock:
                self._pending_lookups[lookup] = None
                self._gather()
                self._answer_pending()
            terms = self._words.find_terms(lookup)
        return terms or []

    def _gather(self) -> None:
        """Collect the expected terms and look-ups; reading them may call `frequencies` again."""
        if self._is_gathering:
            return
        self._is_gathering = True
        try:
            while self._expected and len(self._pending_terms) < _MAX_PREFETCHED:
                terms, lookups = self._expected.pop(0)
                unknown = (term for term in terms if self._counts.get(term) is None)
                self._pending_terms.update(dict.fromkeys(unknown))
                unanswered = (
                    lookup for lookup in lookups if self._words.find_terms(lookup) is None
                )
                self._pending_lookups.update(dict.fromkeys(unanswered))
        finally:
            self._is_gathering = False

    def _answer_pending(self) -> dict[tuple[str, str], int | None]:
        """Request all pending counts and look-ups at once; cache and return the counts."""
        terms = [term for term in self._pending_terms if self._counts.get(term) is None]
        lookups = [
            lookup for lookup in self._pending_lookups if self._words.find_terms(lookup) is None
        ]
        self._pending_terms.clear()
        self._pending_lookups.clear()
        queries: list[Any] = [{"term": {field: term}} for field, term in terms]
        if "chunk_count" not in vars(self):  # the rarity of a term needs it next
            queries.append(EVERY_CHUNK)
        bodies = [*_count_bodies(queries)]
        chunks, words = {"index": self._about.chunks}, {"index": self.names.words}
        answers = iter(
            self._ask_lines(
                [(words, self._words.body(lookup)) for lookup in lookups]
                + [(chunks, body) for body in bodies]
            )
        )
        for lookup in lookups:
            self._expect_counts(lookup, self._words.read(lookup, next(answers)))
        counts = [count for answer in answers for count in _read_counts(answer)]
        if len(counts) > len(terms):
            self.chunk_count = counts.pop()
        term_counts = dict[tuple[str, str], int | None](zip(terms, counts, strict=True))
        for term, count in term_counts.items():
            self._counts.put(term, count or 0)
        return term_counts

    def _expect_counts(self, lookup: Lookup, terms: Sequence[str]) -> None:
        """Expect the counts of the terms of a look-up."""
        body = next(field for field in lookup.fields if field in self._field_languages)
        fields = self._field_languages[body].fields if len(terms) <= _FEW_TERMS else (body,)
        self._expected.append((product(fields, terms[:_MAX_COUNTED]), ()))

    def _in_all_fields(self, field: str, term: str) -> Iterator[tuple[str, str]]:
        """Yield a term with each field of the language of its field."""
        language = self._field_languages.get(field)
        return ((name, term) for name in (() if language is None else language.fields))

    def terms(
        self, field: str, prefix: str, *, limit: int | None = None, within: Query | None = None
    ) -> list[tuple[str, int]]:
        if field in _KEYWORDS:
            pairs = self._buckets(field, prefix, within)
        else:
            words = self._look_up(Lookup("begins", (field,), (prefix,)))
            counts = self.frequencies([(field, term) for term in words[:_MAX_COUNTED]])
            pairs = [pair for pair in zip(words, counts, strict=False) if pair[1]]
            pairs += [(term, 1) for term in words[_MAX_COUNTED:]]
        pairs.sort(key=lambda pair: (-pair[1], pair[0]))
        return pairs if limit is None else pairs[:limit]

    def _buckets(self, field: str, prefix: str, within: Query | None) -> list[tuple[str, int]]:
        """Return the values of a keyword field that start with `prefix`, with their counts."""
        terms: dict[str, Any] = {"field": field, "size": MAX_RESULTS}
        if prefix:
            terms["include"] = _literal(prefix) + ".*"
        query = EVERY_CHUNK if within is None else compile_query(within, scored=False)
        answer = self._ask({"size": 0, "query": query, "aggs": {"values": {"terms": terms}}})
        buckets = answer["aggregations"]["values"]["buckets"]
        return [(bucket["key"], bucket["doc_count"]) for bucket in buckets]

    def near(self, fields: Sequence[str], words: Sequence[str], distance: int) -> list[str]:
        return self._look_up(Lookup("near", tuple(fields), tuple(words), distance))

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        return self._look_up(Lookup("alike", tuple(fields), tuple(words)))

    def holding(self, field: str, text: str) -> list[str]:
        return self._look_up(Lookup("holds", (field,), (text,)))

    # -- chunks ---------------------------------------------------------------------------

    def cuts(self, chunks: Sequence[Handle]) -> list[int]:
        return [hit.cut for hit in cast("Sequence[Hit]", chunks)]

    def positions(self, chunks: Sequence[Handle]) -> list[int]:
        return [hit.position for hit in cast("Sequence[Hit]", chunks)]

    def roles(self, chunks: Sequence[Handle]) -> list[int]:
        return [hit.role for hit in cast("Sequence[Hit]", chunks)]

    def refs(self, chunks: Sequence[Handle]) -> list[ChunkRef]:
        return [(hit.doc_id, hit.position) for hit in cast("Sequence[Hit]", chunks)]

    def entries(self, chunks: Sequence[Handle]) -> list[Entry]:
        return self._read_chunks(chunks, lambda stored, position: stored.chunk(position))

    def titles(self, chunks: Sequence[Handle]) -> list[str]:
        return self._read_chunks(chunks, lambda stored, position: stored.title(position))

    def section_paths(self, chunks: Sequence[Handle]) -> list[tuple[str, ...]]:
        return self._read_chunks(chunks, lambda stored, position: stored.section_path(position))

    def _read_chunks(
        self, chunks: Sequence[Handle], read: Callable[[StoredDocument, int], T]
    ) -> list[T]:
        hits = cast("Sequence[Hit]", chunks)
        self._load(hit.doc_id for hit in hits)
        outdated = {hit.doc_id for hit in hits if self._stamp(hit.doc_id) != hit.stamp}
        if outdated:  # the cached records may be outdated
            self._load(outdated, fresh=True)
        values = list[T]()
        for hit in hits:
            known = self._stored.get(hit.doc_id)
            if known is None or known[0] != hit.stamp or hit.position >= len(known[1]):
                raise self._changed(hit.doc_id)
            values.append(read(known[1], hit.position))
        return values

    def _changed(self, doc_id: str) -> ChangedError:
        message = f"{doc_id} was changed meanwhile"
        return ChangedError(message, location=self.location, hint="ask once more")

    def _stamp(self, doc_id: str) -> str | None:
        known = self._stored.get(doc_id)
        return None if known is None else known[0]

    # -- documents ------------------------------------------------------------------------

    def _load(self, doc_ids: Iterable[str], *, fresh: bool = False) -> None:
        """Read the records of documents that are not cached, `_BATCH` in a request."""
        get = self._stored.get  # the default `self` differs from a cached None
        unread = [doc_id for doc_id in dict.fromkeys(doc_ids) if fresh or get(doc_id, self) is self]
        for at in range(0, len(unread), _BATCH):
            batch = unread[at : at + _BATCH]
            for doc_id, document in zip(batch, self._get(batch), strict=True):
                self._stored.put(doc_id, self._read(doc_id, document.get("_source")))

    def _get(self, doc_ids: Sequence[str]) -> list[Any]:
        """Return the cluster's answer for the record of each document."""
        documents = [
            {"_id": record_id(doc_id), "routing": routing_of(doc_id)} for doc_id in doc_ids
        ]
        path = path_of(self._about.chunks, "_mget")
        path += f"?realtime=false&preference={self._preference}"
        records: list[Any] = self.cluster.post(path, {"docs": documents})["docs"]
        if any("error" in record for record in records):
            self._note_partial()
        return records

    def _columns(
        self, doc_ids: Sequence[str], names: Sequence[str]
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each indexed document's id with the named columns of its record.

        Columns are cheaper than records: to read a record, the cluster inflates its neighbours too.
        """
        for at in range(0, len(doc_ids), _COLUMN_BATCH):
            ids = [record_id(doc_id) for doc_id in doc_ids[at : at + _COLUMN_BATCH]]
            body = {
                "size": len(ids),
                "stored_fields": "_none_",
                "docvalue_fields": ["tree", "path", *names],
                "track_total_hits": False,
                "query": {"ids": {"values": ids}},
            }
            for hit in self._ask(body, limit="bulk")["hits"]["hits"]:
                columns = {name: values[0] for name, values in hit["fields"].items()}
                yield document_id(columns["tree"], columns["path"]), columns

    def _read(
        self, doc_id: str, record: Mapping[str, Any] | None
    ) -> tuple[str, StoredDocument] | None:
        if record is None:
            return None
        try:
            stored = deserialise_document(b64decode(record["source"]))
            state = FileState(
                record["size"],
                record["modified_ns"],
                record["changed_ns"],
                int(record["inode"]),
                record["digest"],
            )
            stored.entry = stored.entry._replace(state=state)
            return str(record["stamp"]), stored
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(f"the record of {doc_id} cannot be read", self.location) from error

    def stamps(self, doc_ids: Sequence[str]) -> list[str | None]:
        """Return the stamp of each document in the index, None if it is not indexed."""
        known = {doc_id: self._stamp(doc_id) for doc_id in doc_ids}
        unknown = [doc_id for doc_id, stamp in known.items() if stamp is None]
        known |= {doc_id: columns["stamp"] for doc_id, columns in self._columns(unknown, ["stamp"])}
        return [known[doc_id] for doc_id in doc_ids]

    def fingerprint_of(self, tree: str) -> str:
        """Return the fingerprint of a tree's settings; empty for an unknown tree."""
        about = self._about.trees.get(tree)
        return "" if about is None else about.fingerprint

    def preload(self, doc_ids: Iterable[str]) -> None:
        """Cache the records of documents that the caller needs next."""
        self._load(doc_ids)

    def stored(self, doc_id: str) -> StoredDocument | None:
        if self._stored.get(doc_id) is None:
            self._load([doc_id, *self.manifest.following(doc_id)])
        known = self._stored.get(doc_id)
        return None if known is None else known[1]

    def document(self, doc_id: str) -> DocumentEntry | None:
        known = self._stored.get(doc_id)
        if known is not None:
            return known[1].entry
        entry = self._entries.get(doc_id)
        if entry is None:
            following = self.manifest.following(doc_id, _COLUMN_BATCH)
            doc_ids = [doc_id, *following] if following else []
            for entry_id, columns in self._columns(doc_ids, _ENTRY):
                if "entry" in columns:  # an index of an older version has no such column
                    self._entries.put(entry_id, _entry_of(columns))
            entry = self._entries.get(doc_id)
        if entry is None:
            stored = self.stored(doc_id)
            entry = None if stored is None else stored.entry
        return entry

    def get_document(self, doc_id: str) -> DocumentEntry:
        entry = self.document(doc_id)
        if entry is None:
            raise self._changed(doc_id)
        return entry

    def documents(self) -> list[DocumentEntry]:
        entries = (self.document(document_id(*key)) for key in sorted(self.manifest))
        return [entry for entry in entries if entry is not None]

    def entry(self, doc_id: str, position: int) -> Entry | None:
        stored = self.stored(doc_id)
        if stored is None or not 0 <= position < len(stored):
            return None
        return stored.chunk(position)

    def chunks_of(self, doc_id: str) -> list[Entry]:
        return list(self.stored(doc_id) or ())

    def iter_chunks(self, doc_id: str) -> Iterator[Entry]:
        stored = self.stored(doc_id)
        return iter(()) if stored is None else stored.iter_uncached()

    def find(self, doc_id: str, slug: str | None, piece: int = 0) -> Entry | None:
        stored = self.stored(doc_id)
        position = None if stored is None else stored.position_of(slug, piece)
        return None if position is None else self.entry(doc_id, position)

    # -- the manifest ---------------------------------------------------------------------

    def rows(
        self,
        trees: Sequence[str] | None = None,
        stamps: Callable[[str, str], str] | None = None,
    ) -> Iterator[tuple[DocumentKey, ManifestRow]]:
        """Yield the rows of the manifest, of some trees or of all, page by page.

        `stamps` returns, from a tree and a source's digest, the stamp under the settings in force.
        With it, only the sources that have this stamp are in the rows.
        """
        query: Any = {"exists": {"field": "digest"}}
        if trees is not None:
            query = {"bool": {"filter": [query, {"terms": {"tree": list(trees)}}]}}
        body = {
            "size": MAX_RESULTS,
            "docvalue_fields": ["tree", "path", "stamp", "digest", *_STATE],
            "sort": [{"tree": "asc"}, {"path": "asc"}],
            "query": query,
        }
        for answer in self._pages(body, limit="bulk"):
            for hit in answer["hits"]["hits"]:
                columns = {name: values[0] for name, values in hit["fields"].items()}
                key = columns["tree"], columns["path"]
                if stamps is None or stamps(columns["tree"], columns["digest"]) == columns["stamp"]:
                    yield key, _row(columns)

    def rows_of(self, keys: Sequence[DocumentKey]) -> Iterator[tuple[DocumentKey, ManifestRow]]:
        """Yield the rows of the keys that are indexed."""
        for _, columns in self._columns([document_id(*key) for key in keys], _STATE):
            yield (columns["tree"], columns["path"]), _row(columns)


class RemoteManifest(Mapping[DocumentKey, ManifestRow]):
    """The manifest of a cluster's index. It reads single rows until a caller needs all of them."""

    def __init__(self, snapshot: RemoteSnapshot):
        self._snapshot = snapshot
        self._some: dict[DocumentKey, ManifestRow | None] = {}
        self._all: ManifestTable | None = None
        self._ids = list[str]()
        self._at = 0

    def __getitem__(self, key: DocumentKey) -> ManifestRow:
        if self._all is not None:
            return self._all[key]
        if key not in self._some:
            self.ask([key])
        row = self._some[key]
        if row is None:
            raise KeyError(key)
        return row

    def ask(self, keys: Sequence[DocumentKey]) -> None:
        """Read and cache the rows of many keys in one request."""
        unknown = [key for key in keys if key not in self._some]
        self._some.update(dict.fromkeys(unknown))
        self._some.update(self._snapshot.rows_of(unknown))

    def __iter__(self) -> Iterator[DocumentKey]:
        return iter(self.table)

    def __len__(self) -> int:
        return self._snapshot.document_count if self._all is None else len(self._all)

    @property
    def table(self) -> ManifestTable:
        """All rows."""
        if self._all is None:
            self._all = ManifestTable(self._snapshot.rows())
        return self._all

    def following(self, doc_id: str, limit: int = _BATCH) -> list[str]:
        """Return the ids behind `doc_id` if the caller reads all documents in order, else none."""
        if self._all is None:
            return []
        if not self._ids:
            self._ids = sorted(document_id(*key) for key in self._all)
        before, self._at = self._at, bisect_left(self._ids, doc_id)
        following = self._ids[self._at + 1 : self._at + limit]
        return following if 0 <= self._at - before <= limit else []

    @property
    def has_retries(self) -> bool:
        return self.table.has_retries


def _hits_body(query: Any, limit: int) -> dict[str, Any]:
    return {
        "size": max(1, min(limit, MAX_RESULTS)),
        "stored_fields": "_none_",
        "docvalue_fields": list(_COLUMNS),
        "track_total_hits": False,
        "query": query,
    }


def _count_body(query: Any) -> dict[str, Any]:
    return {"size": 0, "track_total_hits": True, "query": query}


def _count_bodies(queries: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield the searches that count the matches of each of some simple queries.

    The cluster counts a single term without reading documents, but each search has its price. So
    many terms are counted together, over the documents with one of them: most of them are rare.
    """
    if len(queries) <= _MAX_SINGLE_COUNTS:
        yield from map(_count_body, queries)
        return
    for at in range(0, len(queries), _BATCH):
        batch = list(queries[at : at + _BATCH])
        yield {
            "size": 0,
            "track_total_hits": False,
            "query": {"bool": {"filter": [{"bool": {"should": batch}}]}},
            "aggs": {"counts": {"filters": {"filters": batch}}},
        }


def _read_counts(answer: Mapping[str, Any]) -> list[int]:
    """Return the counts in an answer to one of `_count_bodies`."""
    if "aggregations" not in answer:
        return [answer["hits"]["total"]["value"]]
    return [bucket["doc_count"] for bucket in answer["aggregations"]["counts"]["buckets"]]


def _entry_of(columns: Mapping[str, Any]) -> DocumentEntry:
    packed = urlsafe_b64decode(columns["entry"] + "==")  # the cluster omits the padding
    entry = deserialise_document(packed).entry
    return entry._replace(chunk_count=columns["chunks"])


def _row(columns: Mapping[str, Any]) -> ManifestRow:
    return ManifestRow(*(int(columns[name]) for name in _STATE))


def _hit(hit: Mapping[str, Any]) -> Hit:
    fields = hit["fields"]
    return Hit(*(fields[name][0] for name in _COLUMNS))


def _literal(text: str) -> str:
    """Return a regular expression of the cluster that matches `text` literally."""
    return "".join(f"\\{char}" if char in '.?+*|(){}[]\\"#@&<>~^$-' else char for char in text)
