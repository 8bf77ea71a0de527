"""Fuse the scores of words with similarities of meaning.

The matches of the words and the chunks with a near meaning become one list. All of them fulfil
what the query states: quotes, fields, filters and negations. Scores by words are unbounded;
similarities lie close together, and each model has its own range. So each is taken as a share
of the best one: scores counted from zero, similarities from what is usual for the query.

Nothing here knows a model or a number format: an implementation of `Meaning` gives
similarities, and makes vectors that are missing as far as its time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from leafmark.index import ROLES, Snapshot
from leafmark.index.queries import AllOf, AnyOf, HasTerm, InRange, Query, unscored
from leafmark.query import Expression
from leafmark.search.compile import CompiledTopic
from leafmark.search.options import SearchOptions
from leafmark.search.score import Scored, role_factor, rounded
from leafmark.search.words import topic_text

__all__ = ["ChunkRef", "Meaning", "NearChunk", "Usual", "fuse_meaning"]

ChunkRef = tuple[str, int]
"""Document id and position of a chunk."""

WIDER = 8
"""By what factor a search is widened if too few of the nearest chunks pass the filters."""


class NearChunk(Protocol):
    """A chunk near to a text, or a document, whose position is 0."""

    @property
    def place(self) -> ChunkRef: ...
    @property
    def similarity(self) -> float: ...


class Usual(NamedTuple):
    """Which similarities to a text are usual, and which are enough.

    `mean` is the mean of all chunks. A chunk with at least `least` may be a result by its
    meaning alone, and so may a document with at least `least_document` as a whole. If all
    are below `doubtful`, meaning gives no reason to trust the answer.
    """

    mean: float
    least: float
    doubtful: float
    least_document: float


class Meaning(Protocol):
    """Similarities between a text and the chunks of the index, by vectors."""

    @property
    def damaged(self) -> bool:
        """Whether vectors that were met so far are damaged; they count as missing."""
        ...

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the nearest chunks, best first; `admits` is asked about trees by name."""
        ...

    def similarities(self, text: str, places: Sequence[ChunkRef]) -> Sequence[float | None]:
        """Return the similarity of each chunk, best candidates first; None where none is there."""
        ...

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the documents of several chunks that are near as a whole, best first."""
        ...

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        """Return the similarity of a document as a whole, None where vectors are missing."""
        ...

    def usual(self, text: str) -> Usual: ...


def fuse_meaning(
    snapshot: Snapshot,
    topic: Expression,
    compiled: Sequence[CompiledTopic],
    scored: Sequence[Scored],
    options: SearchOptions,
    meaning: Meaning,
) -> list[Scored]:
    """Return the matches with fused scores, best first, with those that only their meaning found.

    In the mode `semantic` plain words do not count, but what the query states does. A chunk
    without a vector is scored by its words alone, so that it neither gains nor loses.
    """
    text = topic_text(topic)
    if not text or not compiled:
        return list(scored)
    return _Fusion(snapshot, compiled, options, meaning, text).fused(scored)


class _Match(NamedTuple):
    match: Scored
    ref: ChunkRef
    similarity: float | None


class _Fusion:
    def __init__(
        self,
        snapshot: Snapshot,
        compiled: Sequence[CompiledTopic],
        options: SearchOptions,
        meaning: Meaning,
        text: str,
    ):
        self._snapshot = snapshot
        self._compiled = compiled
        self._options = options
        self._meaning = meaning
        self._text = text
        self._usual = meaning.usual(text)
        self._admits = set(options.trees).__contains__ if options.trees else None
        self._weight = 1.0 if options.mode == "semantic" else options.meaning_weight

    def fused(self, scored: Sequence[Scored]) -> list[Scored]:
        by_words = (
            [] if self._options.mode == "semantic" else list(scored[: self._options.candidates])
        )
        refs = self._snapshot.refs([one.chunk for one in by_words])
        similar = self._meaning.similarities(self._text, refs)
        matches = {
            ref: _Match(one, ref, similarity)
            for one, ref, similarity in zip(by_words, refs, similar, strict=True)
        }
        for near in self._near():
            matches.setdefault(near.ref, near)
        found = self._scored(list(matches.values()))
        found += self._documents(found, matches)
        return sorted(found, key=lambda one: -one.score)

    def _scored(self, matches: Sequence[_Match]) -> list[Scored]:
        """Return the matches with the shares of words and meaning in place of their scores."""
        usual = self._usual.mean
        best = max((each.match.score for each in matches), default=0.0)
        highest = max(
            (each.similarity for each in matches if each.similarity is not None), default=usual
        )
        found = []
        for each in matches:
            words = each.match.score / best if best else 0.0
            if each.similarity is None:
                fused, meaning = words, None
            else:
                above = max(0.0, each.similarity - usual)
                meaning = self._weight * above / (highest - usual) if highest > usual else 0.0
                meaning *= each.match.factor
                fused = (1 - self._weight) * words + meaning
            found.append(
                each.match._replace(
                    score=rounded(fused),
                    relaxed=False,
                    meaning=meaning,
                    similarity=each.similarity,
                )
            )
        return _bearers_first(found)

    def _near(self) -> list[_Match]:
        """Return the nearest chunks that are near enough and fulfil what the query states."""
        wanted = self._options.candidates
        while True:
            near = self._meaning.nearest(self._text, wanted, self._admits)
            similarities = {one.place: one.similarity for one in near}
            found = self._locate(similarities)
            if len(found) >= self._options.limit or len(near) < wanted:
                break
            wanted *= WIDER
        return [
            _Match(found[ref], ref, similarities[ref])
            for ref in sorted(found, key=lambda ref: (-similarities[ref], ref))
            if similarities[ref] >= self._usual.least
        ]

    def _locate(self, wanted: Mapping[ChunkRef, float]) -> dict[ChunkRef, Scored]:
        """Return the wanted chunks that fulfil what the query states; plain words are not in it."""
        if not wanted:
            return {}
        chunks: Query = AnyOf(tuple(_chunk(*ref) for ref in wanted))
        found: dict[ChunkRef, Scored] = {}
        for topic in self._compiled:
            query = AllOf(
                (topic.every_word if self._options.strict else topic.required, unscored(chunks))
            )
            (matches,) = self._snapshot.search([(query, len(wanted))])
            handles = [match.chunk for match in matches]
            columns = self._snapshot.columns(handles)
            for ref, handle, of in zip(self._snapshot.refs(handles), handles, columns, strict=True):
                role = role_factor(of, self._options)
                found[ref] = Scored(0.0, handle, topic, role=role, role_name=ROLES[of.role])
        return found

    def _documents(
        self, found: Sequence[Scored], matches: Mapping[ChunkRef, _Match]
    ) -> list[Scored]:
        """Return the documents that are near as a whole and have no chunk among the matches.

        They score on the scale of the chunks, and at most as much as the nearest one: a
        document's mean can be nearer than each of its chunks.
        """
        if self._options.grain not in ("auto", "document"):
            return []
        usual, shown = self._usual, {doc_id for doc_id, _ in matches}
        near = self._meaning.documents(self._text, usual.least_document, self._admits)
        wanted = {one.place: one.similarity for one in near if one.place[0] not in shown}
        located = self._locate(wanted)
        similarities = [one.similarity for one in found if one.similarity is not None]
        nearest = max(similarities, default=usual.mean)
        if located and nearest <= usual.mean:
            nearest = max(wanted[ref] for ref in located)
        if nearest <= usual.mean:
            return []
        whole = []
        for ref, one in located.items():
            above = max(0.0, min(wanted[ref], nearest) - usual.mean)
            meaning = self._weight * above / (nearest - usual.mean)
            score = rounded(meaning)
            if score > 0:
                whole.append(
                    one._replace(
                        score=score, meaning=meaning, similarity=wanted[ref], is_whole=True
                    )
                )
        return whole


def _chunk(doc_id: str, position: int) -> Query:
    return AllOf((HasTerm("doc_id", doc_id), InRange("position", position, position)))


def _bearers_first(matches: Sequence[Scored]) -> list[Scored]:
    """Return the matches with the bearers of the query's name before all others again."""
    best = max((one.score for one in matches), default=0.0)
    return [
        one._replace(score=rounded(best * (1 + 0.001 * one.name) + 1e-4 * one.score))
        if one.name
        else one
        for one in matches
    ]
