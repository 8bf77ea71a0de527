"""The vectors of one model in a cluster: computed once, shared by all searches and indexing runs.

A chunk is embedded as one text or as several windows. Each window has a document, which names the
state of its source, its chunk and the hash of its text; a text that has a vector anywhere in the
index is not embedded again. A source of several chunks has one more vector, the direction of their
mean. The last document written for a state of a source says that its vectors are complete. Searches
skip the vectors of older states; only a look-up by hash finds them.

Up to `EXACT_UP_TO` vectors, the engine compares all; beyond, its graph chooses the nearest ones,
whose similarities are exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leafmark.index.remote.bulk import Line, read_current, write_lines
from leafmark.index.remote.client import Cluster, dump_json, path_of
from leafmark.index.remote.cluster_snapshot import RemoteSnapshot
from leafmark.index.remote.layout import (
    MAX_RESULTS,
    Names,
    completion_id,
    owner_of,
    place_of,
    vectors_body,
)
from leafmark.index.vector_search import Background, Near
from leafmark.index.vectors import UNUSED_S, VectorModel
from leafmark.namedtuples import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_UP_TO = 20_000
"""Vectors that are all compared with a query: a node needs some ten milliseconds for as many."""

SAMPLE = 4096
"""Vectors in the sample that gives the usual similarity of a query."""

MAX_WHOLES = 200
"""Maximum number of documents that `nearest_documents` considers."""

_SAMPLES = 1 << 16
_WIDER = 4
"""Vectors requested for each chunk: a chunk may have several windows, or outdated ones."""

_BATCH = 500

_SIMILARITY = "double score = _score.doubleValue(); return score >= 1 ? score - 1 : 1 - 1 / score"
"""`_similarity` as a script of the cluster."""

Json = dict[str, Any]


class VectorState(NamedTuple):
    """One state of a source; `chunks` has the hashes of the windows of each chunk."""

    tree: str
    doc_id: str
    stamp: str
    chunks: Sequence[Sequence[bytes]]

    @property
    def owner(self) -> str:
        return owner_of(self.doc_id, self.stamp)


class VectorCounts(NamedTuple):
    """The number of vectors, the number of chunks with all their vectors, and the dimension."""

    windows: int
    chunks: int
    dimension: int


class RemoteVectors:
    """The vectors of a model at one address; `recipe` identifies how chunks become texts."""

    def __init__(self, cluster: Cluster, names: Names, model: VectorModel, recipe: str):
        self.cluster = cluster
        self.index = names.vectors(f"{model.key}-{recipe}")

    def counts(self, trees: Iterable[str] | None = None) -> VectorCounts | None:
        """Return the counts (of some trees), None if the index of vectors does not exist."""
        sums = {"sum": {"field": "chunks"}}
        current: Json = {"bool": {"must_not": [{"exists": {"field": "unused_ms"}}]}}
        if trees is not None:
            current["bool"]["filter"] = [{"terms": {"tree": list(trees)}}]
        body = {
            "size": 0,
            "track_total_hits": True,
            "query": {"exists": {"field": "vector"}},
            "aggs": {
                "all": {
                    "global": {},
                    "aggs": {
                        "made": {"filter": current, "aggs": {"chunks": sums}},
                        "dimension": {"max": {"field": "dimension"}},
                    },
                }
            },
        }
        answer = self.cluster.post(path_of(self.index, "_search"), body, allowed=(404,))
        if "error" in answer:
            return None
        totals = answer["aggregations"]["all"]
        return VectorCounts(
            answer["hits"]["total"]["value"],
            int(totals["made"]["chunks"]["value"]),
            int(totals["dimension"]["value"] or 0),
        )

    # -- writing ----------------------------------------------------------------------------

    def make(self, dimension: int, shards: int, replicas: int) -> None:
        """Create the index; one with vectors of another dimension is replaced."""
        counts = self.counts()
        if counts is not None and counts.dimension not in (0, dimension):
            self.cluster.request("DELETE", path_of(self.index), allowed=(404,), limit="bulk")
            counts = None
        if counts is None:
            body = vectors_body(dimension, shards, replicas)
            answer = self.cluster.put(path_of(self.index), body, allowed=(400,))
            if "error" in answer and "already_exists" not in str(answer):
                self.cluster.put(path_of(self.index), body)  # raises the reason

    def refresh(self) -> None:
        """Make all writes visible to searches."""
        self.cluster.post(path_of(self.index, "_refresh"), limit="bulk")

    def find_complete(self, owners: Sequence[str]) -> dict[str, bool]:
        """Return the complete states among `owners`, each with whether it is marked as unused."""
        is_unused = dict[str, bool]()
        for at in range(0, len(owners), _BATCH):
            batch = owners[at : at + _BATCH]
            documents = [{"_id": completion_id(owner), "_source": ["unused_ms"]} for owner in batch]
            current = read_current(self.cluster, self.index, documents)
            for owner, document in zip(batch, current, strict=True):
                if document.get("found"):
                    is_unused[owner] = "unused_ms" in document["_source"]
        return is_unused

    def use(self, owners: Iterable[str]) -> None:
        """Mark states of sources as indexed again."""
        script = {"source": "ctx._source.remove('unused_ms')"}
        lines = []
        for owner in owners:
            head = {"update": {"_index": self.index, "_id": completion_id(owner)}}
            lines.append(Line(head, dump_json({"script": script}), may_miss=True))
        write_lines(self.cluster, lines)

    def find(self, hashes: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the stored vectors of texts, by the texts' hashes."""
        import numpy as np

        vectors = dict[bytes, Any]()
        for at in range(0, len(hashes), _BATCH):
            batch = [hash_.hex() for hash_ in hashes[at : at + _BATCH]]
            body = {
                "size": len(batch),
                "_source": ["hash", "vector"],
                "query": {"bool": {"filter": [{"terms": {"hash": batch}}]}},
                "collapse": {"field": "hash"},
            }
            answer = self.cluster.post(path_of(self.index, "_search"), body, limit="bulk")
            for hit in answer["hits"]["hits"]:
                source = hit["_source"]
                vectors[bytes.fromhex(source["hash"])] = np.array(source["vector"], np.float32)
        return vectors

    def write_windows(
        self, states: Iterable[VectorState], vectors: Mapping[bytes, NDArray[np.float32]]
    ) -> None:
        """Write the given vectors of states; a vector of zeros means nothing and is left out."""
        write_lines(self.cluster, [*self._windows(states, vectors)])

    def _windows(
        self, states: Iterable[VectorState], vectors: Mapping[bytes, NDArray[np.float32]]
    ) -> Iterator[Line]:
        for state in states:
            for position, hashes in enumerate(state.chunks):
                for number, hash_ in enumerate(hashes):
                    vector = vectors.get(hash_)
                    if vector is None or not vector.any():
                        continue
                    facts = {**self._facts(state, position), "hash": hash_.hex()}
                    facts["sample"] = int.from_bytes(hash_[:2], "big")
                    yield self._line(
                        f"w{state.owner}.{position}.{number}", facts, ("vector", vector)
                    )

    def finish(
        self, states: Sequence[VectorState], vectors: Mapping[bytes, NDArray[np.float32]]
    ) -> None:
        """Mark the vectors of states as complete, and write those of whole documents."""
        import numpy as np

        whole: NDArray[np.float32]
        lines = list[Line]()
        for state in states:
            windows = (vectors[hash_] for chunk in state.chunks for hash_ in chunk)
            rows: list[Any] = [row for row in windows if row.any()]
            several = sum(any(vectors[h].any() for h in chunk) for chunk in state.chunks) > 1
            mean = np.array(rows or [[0.0]], np.float64).mean(axis=0)
            length = float(np.linalg.norm(mean))
            if several and length > 0:
                whole = np.asarray(mean / length, np.float32)
                lines.append(self._line(f"a{state.owner}", self._facts(state, 0), ("whole", whole)))
            facts: Json = {"tree": state.tree, "owner": state.owner, "doc_id": state.doc_id}
            facts["chunks"] = len(state.chunks)
            if rows:
                facts["dimension"] = len(rows[0])
            lines.append(self._line(completion_id(state.owner), facts))
        write_lines(self.cluster, lines)

    def _facts(self, state: VectorState, position: int) -> Json:
        return {
            "tree": state.tree,
            "doc_id": state.doc_id,
            "position": position,
            "place": place_of(state.doc_id, position),
            "owner": state.owner,
        }

    def _line(
        self, id_: str, facts: Json, vector: tuple[str, NDArray[np.float32]] | None = None
    ) -> Line:
        text = dump_json(facts)
        if vector is not None:
            name, numbers = vector
            text = f'{text[:-1]},"{name}":[{",".join(map(_number, numbers.tolist()))}]}}'
        return Line({"index": {"_index": self.index, "_id": id_}}, text)

    def drop_unused(self, is_indexed: Callable[[Sequence[str]], Sequence[str | None]]) -> int:
        """Remove the states that no source has used for `UNUSED_S`; return their number.

        `is_indexed` returns the current stamp of each document, None if it is not indexed.
        """
        before = int((time.time() - UNUSED_S) * 1000)
        dropped = 0
        while True:
            body = {
                "size": _BATCH,
                "_source": ["doc_id", "owner"],
                "query": {"range": {"unused_ms": {"lt": before}}},
            }
            hits = self.cluster.post(path_of(self.index, "_search"), body)["hits"]["hits"]
            old = [(hit["_source"]["doc_id"], hit["_source"]["owner"]) for hit in hits]
            stamps = is_indexed([doc_id for doc_id, _ in old])
            now = {owner_of(doc, stamp or "") for (doc, _), stamp in zip(old, stamps, strict=True)}
            self.use(owner for _, owner in old if owner in now)
            unused = [owner for _, owner in old if owner not in now]
            if unused:
                path = path_of(self.index, "_delete_by_query") + "?conflicts=proceed&refresh=true"
                self.cluster.post(path, {"query": {"terms": {"owner": unused}}}, limit="bulk")
                dropped += len(unused)
            if len(hits) < _BATCH:
                return dropped
            self.refresh()


def vector_indices(cluster: Cluster, names: Names) -> tuple[str, ...]:
    """Return the indices of vectors at an address."""
    indices = cluster.get(path_of(names.vectors(), "_alias"), allowed=(404,))
    return () if "error" in indices else tuple(indices)


def unused_lines(indices: Iterable[str], owner: str, now_ms: int) -> Iterator[Line]:
    """Yield the lines that mark a state of a source as unused, in all indices of vectors."""
    for index in indices:
        head = {"update": {"_index": index, "_id": completion_id(owner)}}
        yield Line(head, f'{{"doc":{{"unused_ms":{now_ms}}}}}', may_miss=True)


class RemoteSearcher:
    """A `Searcher` for the vectors of one model and one snapshot of the index.

    Answers are cached; `prepare` sends all queries of a search in one request.
    """

    damaged = False

    def __init__(self, vectors: RemoteVectors, snapshot: RemoteSnapshot, windows: int):
        self._index = vectors.index
        self._snapshot = snapshot
        self._windows = windows
        self._answers: dict[str, Any] = {}
        self._stamps: dict[str, str | None] = {}

    def prepare(
        self,
        query: NDArray[np.float32],
        places: Sequence[tuple[str, int]],
        limit: int,
        admits: Callable[[str, str], bool] | None,
    ) -> None:
        """Cache the answers that a search with one text needs."""
        if query.any():
            self._ask(
                [
                    self._usual(query),
                    self._similar(query, places),
                    self._best("vector", query, limit, admits),
                    self._best("whole", query, MAX_WHOLES, admits),
                ]
            )

    def nearest(
        self,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the chunks nearest to the query, best first; ties by document and position."""
        hit_limit = limit
        while query.any():
            question = self._best("vector", query, hit_limit, admits)
            hits = self._hits(question)
            near = self._near(hits)
            if len(near) >= limit or len(hits) < hit_limit or hit_limit >= MAX_RESULTS:
                return near[:limit]
            hit_limit *= _WIDER  # some hits are outdated
        return []

    def nearest_documents(
        self,
        query: NDArray[np.float32],
        least: float,
        admits: Callable[[str, str], bool] | None = None,
    ) -> list[Near]:
        """Return the nearest whole documents with a similarity of at least `least`."""
        if not query.any():
            return []
        question = self._best("whole", query, MAX_WHOLES, admits)
        documents = self._near(self._hits(question))
        return [near for near in documents if near.similarity >= least]

    def document_similarity(self, query: NDArray[np.float32], doc_id: str) -> float | None:
        """Return the similarity of a whole document, None if it has no vector as a whole."""
        if not query.any():
            return None
        question = _exact(query, "whole", [{"term": {"doc_id": doc_id}}], 10)
        documents = self._near(self._hits(question))
        return documents[0].similarity if documents else None

    def similarities(
        self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]
    ) -> list[float | None]:
        """Return the similarity of each chunk, None for a chunk without a vector (yet)."""
        if not (query.any() and places):
            return [None] * len(places)
        question = self._similar(query, places)
        by_place = {near.place: near.similarity for near in self._near(self._hits(question))}
        return [by_place.get(place) for place in places]

    def background(self, query: NDArray[np.float32]) -> Background:
        """Return the usual similarity, of all windows or of an even sample of them."""
        if not query.any():
            return Background(0.0, 1.0, 0)
        (answer,) = self._ask([self._usual(query)])
        statistics = answer["aggregations"]["usual"]
        if statistics["count"] < 2:
            return Background(0.0, 1.0, statistics["count"])
        deviation = max(statistics["std_deviation_population"], 1e-6)
        return Background(statistics["avg"], deviation, statistics["count"])

    # -- questions --------------------------------------------------------------------------

    def _usual(self, query: NDArray[np.float32]) -> Json:
        filters: list[Json] = []
        if self._windows > SAMPLE:
            upto = max(1, _SAMPLES * SAMPLE // self._windows)
            filters.append({"range": {"sample": {"lt": upto}}})
        question = _exact(query, "vector", filters, 0)
        question["aggs"] = {"usual": {"extended_stats": {"script": {"source": _SIMILARITY}}}}
        return question

    def _similar(self, query: NDArray[np.float32], places: Sequence[tuple[str, int]]) -> Json:
        place_ids = [place_of(*place) for place in places]
        return _exact(query, "vector", [{"terms": {"place": place_ids}}], MAX_RESULTS)

    def _best(
        self,
        field: str,
        query: NDArray[np.float32],
        limit: int,
        admits: Callable[[str, str], bool] | None,
    ) -> Json:
        """Return the query for the best vectors of a field, one for each chunk or document."""
        filters: list[Json] = []
        if admits is not None:
            trees = sorted(tree for tree in self._snapshot.tree_names if admits(tree, ""))
            filters.append({"terms": {"tree": trees}})
        limit = min(limit, MAX_RESULTS)
        ask = _exact if self._windows <= EXACT_UP_TO else _by_graph
        question = ask(query, field, filters, limit)
        question["collapse"] = {"field": "owner" if field == "whole" else "place"}
        return question

    # -- answers ----------------------------------------------------------------------------

    def _ask(self, questions: Sequence[Json]) -> list[Any]:
        keys = [dump_json(question) for question in questions]
        new = {
            key: question
            for key, question in zip(keys, questions, strict=True)
            if key not in self._answers
        }
        answers = self._snapshot.ask_all([*new.values()], index=self._index)
        self._answers.update(zip(new, answers, strict=True))
        results = [self._answers[key] for key in keys]
        documents = {_value(hit, "doc_id") for answer in results for hit in answer["hits"]["hits"]}
        unknown = [doc_id for doc_id in documents if doc_id not in self._stamps]
        if unknown:
            self._stamps.update(zip(unknown, self._snapshot.stamps(unknown), strict=True))
        return results

    def _hits(self, question: Json) -> list[Any]:
        (answer,) = self._ask([question])
        hits: list[Any] = answer["hits"]["hits"]
        return hits

    def _near(self, hits: Iterable[Any]) -> list[Near]:
        """Return the chunks of hits in the indexed state of their source, best first, each once."""
        best = dict[tuple[str, int], float]()
        for hit in hits:
            doc_id, position = _value(hit, "doc_id"), _value(hit, "position")
            if owner_of(doc_id, self._stamps[doc_id] or "") == _value(hit, "owner"):
                similarity = _similarity(hit["_score"])
                best[doc_id, position] = max(best.get((doc_id, position), -2.0), similarity)
        near = [Near(*place, similarity) for place, similarity in best.items()]
        return sorted(near, key=lambda chunk: (-chunk.similarity, chunk.place))


def _exact(query: NDArray[np.float32], field: str, filters: Sequence[Json], limit: int) -> Json:
    """Return the query that compares all vectors of a field, within `filters`."""
    within = {"bool": {"filter": [{"exists": {"field": field}}, *filters]}}
    numbers = query.ravel().tolist()
    params = {"field": field, "query_value": numbers, "space_type": "innerproduct"}
    script = {"lang": "knn", "source": "knn_score", "params": params}
    comparison = {"script_score": {"query": within, "script": script}}
    return _body(comparison, limit)


def _by_graph(query: NDArray[np.float32], field: str, filters: Sequence[Json], limit: int) -> Json:
    """Return the query that follows the engine's graph of neighbours."""
    graph_query: Json = {"vector": query.ravel().tolist(), "k": min(limit * _WIDER, MAX_RESULTS)}
    if filters:
        graph_query["filter"] = {"bool": {"filter": list(filters)}}
    return _body({"knn": {field: graph_query}}, limit)


def _body(query: Json, limit: int) -> Json:
    return {
        "size": limit,
        "stored_fields": "_none_",
        "docvalue_fields": ["doc_id", "position", "owner"],
        "query": query,
    }


def _similarity(score: float) -> float:
    """Return the product x from the engine's score: 1 + x, or 1 / (1 - x) if x is negative."""
    return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score


def _value(hit: Mapping[str, Any], field: str) -> Any:
    return hit["fields"][field][0]


def _number(value: float) -> str:
    """Return a 32-bit float in digits that give back the same float."""
    return f"{value:.9g}"
