"""Fuse the scores of words with similarities of meaning.

The matches of the words and the chunks with a near meaning become one list. All of them fulfil
what the query states: quotes, fields, filters and negations. Scores by words are unbounded;
similarities lie close together, and each model has its own range. So each is taken as a share
of the best one: scores counted from zero, similarities from what is usual for the query.

Nothing here knows a model or a number format: an implementation of `Meaning` gives
similarities, and makes vectors that are missing as far as its time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from leafmark.index import Snapshot
from leafmark.index.queries import AllOf, AnyOf, HasTerm, InRange, Query, unscored
from leafmark.index.snapshot import Handle
from leafmark.namedtuples import NamedTuple
from leafmark.query import Expression
from leafmark.search.compile import CompiledTopic
from leafmark.search.options import SearchOptions
from leafmark.search.score import Scored, matches_without_words, order_fused, rounded
from leafmark.search.sections import SectionFilter
from leafmark.search.stop_words import topic_text

ChunkRef = tuple[str, int]
"""Document id and position of a chunk."""

WIDER = 8
"""The factor by which a search grows if too few of the nearest chunks pass the filters."""


class NearChunk(Protocol):
    """A chunk near to a text; a document has position 0."""

    @property
    def place(self) -> ChunkRef: ...
    @property
    def similarity(self) -> float: ...


class Usual(NamedTuple):
    """The usual similarity to a text, and the least ones that are enough.

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
        """Whether a vector used so far is damaged; damaged vectors count as missing."""
        ...

    @property
    def late(self) -> int:
        """The number of matches that got no vector within the time so far."""
        ...

    def prepare(
        self,
        text: str,
        places: Sequence[ChunkRef],
        limit: int,
        admits: Callable[[str], bool] | None,
    ) -> None:
        """Prepare for the calls below, in one round trip at most."""
        ...

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the nearest chunks, best first; `admits` filters trees by name."""
        ...

    def similarities(self, text: str, places: Sequence[ChunkRef]) -> Sequence[float | None]:
        """Return the similarity of each chunk, None without a vector; `places` are best first."""
        ...

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the documents of several chunks that are near as a whole, best first."""
        ...

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        """Return the similarity of a document as a whole, None if vectors are missing."""
        ...

    def usual(self, text: str) -> Usual: ...


def fuse_meaning(
    snapshot: Snapshot,
    topic: Expression,
    compiled: Sequence[CompiledTopic],
    scored: Sequence[Scored],
    options: SearchOptions,
    meaning: Meaning,
    local_trees: Collection[str] = (),
) -> list[Scored]:
    """Return the matches with fused scores, best first, including those found by meaning only.

    In the mode `semantic` plain words do not count, but what the query states does. A chunk
    without a vector is scored by its words alone: it neither gains nor loses. A query
    that is a name asks for its bearers, and meaning adds nothing to them.
    """
    text = topic_text(topic)
    is_name = options.mode != "semantic" and any(match.name for match in scored)
    if not text or not compiled or is_name:
        return list(scored)
    fusion = _Fusion(snapshot, compiled, options, meaning, text, local_trees)
    return fusion.fused(scored)


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
        local_trees: Collection[str],
    ):
        self._local_trees = local_trees
        self._snapshot = snapshot
        self._compiled = compiled
        self._options = options
        self._meaning = meaning
        self._text = text
        self._admits = set(options.trees).__contains__ if options.trees else None
        self._weight = 1.0 if options.mode == "semantic" else options.meaning_weight

    @cached_property
    def _usual(self) -> Usual:
        return self._meaning.usual(self._text)

    def fused(self, scored: Sequence[Scored]) -> list[Scored]:
        by_words = (
            [] if self._options.mode == "semantic" else list(scored[: self._options.candidates])
        )
        refs = self._snapshot.refs([match.chunk for match in by_words])
        self._meaning.prepare(self._text, refs, self._options.candidates, self._admits)
        similar = self._meaning.similarities(self._text, refs)
        matches = {
            ref: _Match(match, ref, similarity)
            for match, ref, similarity in zip(by_words, refs, similar, strict=True)
        }
        for near in self._near():
            matches.setdefault(near.ref, near)
        fused = self._scored(list(matches.values()))
        fused += self._documents(fused, matches)
        return order_fused(fused, self._compiled, self._options)

    def _scored(self, matches: Sequence[_Match]) -> list[Scored]:
        """Return the matches with the shares of words and meaning in place of their scores."""
        usual = self._usual.mean
        best = max((candidate.match.score for candidate in matches), default=0.0)
        highest = max(
            (candidate.similarity for candidate in matches if candidate.similarity is not None),
            default=usual,
        )
        scored = []
        for candidate in matches:
            words = candidate.match.score / best if best else 0.0
            if candidate.similarity is None:
                fused, meaning = words, 0.0
            else:
                above = max(0.0, candidate.similarity - usual)
                meaning = self._weight * above / (highest - usual) if highest > usual else 0.0
                meaning *= candidate.match.factor
                fused = (1 - self._weight) * words + meaning
            scored.append(
                candidate.match._replace(
                    score=rounded(fused),
                    meaning=meaning,
                    similarity=candidate.similarity,
                )
            )
        return scored

    def _near(self) -> list[_Match]:
        """Return the nearest chunks that are near enough and fulfil what the query states."""
        count = self._options.candidates
        while True:
            near = self._meaning.nearest(self._text, count, self._admits)
            similarities = {place.place: place.similarity for place in near}
            located = self._locate(similarities)
            if len(located) >= self._options.limit or len(near) < count:
                break
            count *= WIDER
        return [
            _Match(located[ref], ref, similarities[ref])
            for ref in sorted(located, key=lambda ref: (-similarities[ref], ref))
            if similarities[ref] >= self._usual.least
        ]

    def _locate(self, similarities: Mapping[ChunkRef, float]) -> dict[ChunkRef, Scored]:
        """Return the wanted chunks that fulfil what the query states; plain words are not in it."""
        strict = self._options.strict
        located: dict[ChunkRef, Scored] = {}
        for topic in self._compiled:
            if not similarities or (strict and topic.asks_nothing):
                continue
            chunks: Query = AnyOf(tuple(_chunk(*ref) for ref in similarities))
            query = AllOf((topic.every_word if strict else topic.required, unscored(chunks)))
            (matches,) = self._snapshot.search([(query, len(similarities))])
            handles = self._in_sections([chunk for _, chunk in matches])
            bare = matches_without_words(
                self._snapshot, topic, handles, self._options, self._local_trees
            )
            located.update(zip(self._snapshot.refs(handles), bare, strict=True))
        return located

    def _in_sections(self, chunks: Sequence[Handle]) -> list[Handle]:
        """Return the chunks in the requested sections."""
        if not (chunks and self._options.section):
            return list(chunks)
        chosen = SectionFilter(self._snapshot, self._options.section).choose(chunks)
        return [chunk for chunk, is_in in zip(chunks, chosen, strict=True) if is_in]

    def _documents(
        self, scored: Sequence[Scored], matches: Mapping[ChunkRef, _Match]
    ) -> list[Scored]:
        """Return the documents that are near as a whole and have no chunk among the matches.

        Their scores are on the scale of the chunks', and at most that of the nearest one: a
        document's mean can be nearer than each of its chunks.
        """
        if self._options.grain not in ("auto", "document"):
            return []
        usual, shown = self._usual, {doc_id for doc_id, _ in matches}
        near = self._meaning.documents(self._text, usual.least_document, self._admits)
        similarity_of = {
            place.place: place.similarity for place in near if place.place[0] not in shown
        }
        located = self._locate(similarity_of)
        similarities = [match.similarity for match in scored if match.similarity is not None]
        nearest = max(similarities, default=usual.mean)
        if located and nearest <= usual.mean:
            nearest = max(similarity_of[ref] for ref in located)
        if nearest <= usual.mean:
            return []
        whole = []
        for ref, match in located.items():
            above = max(0.0, min(similarity_of[ref], nearest) - usual.mean)
            meaning = self._weight * match.factor * above / (nearest - usual.mean)
            score = rounded(meaning)
            if score > 0:
                whole.append(
                    match._replace(
                        score=score, meaning=meaning, similarity=similarity_of[ref], is_whole=True
                    )
                )
        return whole


def _chunk(doc_id: str, position: int) -> Query:
    return AllOf((HasTerm("doc_id", doc_id), InRange("position", position, position)))
