"""Find candidates by words and by meaning together.

The matches of the words, strict and relaxed, and the chunks with a near meaning become one
list with fused scores, which is cut at its elbow. All of them fulfil what the query states:
quotes, fields, filters and negations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from leafmark.index import IndexReader
from leafmark.model import Candidate, Phase
from leafmark.retrieval.candidates import (
    TopicCandidates,
    TopicSearch,
    cutoff_phase,
    find_candidates,
    first_of_ties,
    section_note,
)
from leafmark.retrieval.coordination import raise_by_coordination
from leafmark.retrieval.cutoff import elbow_cutoff
from leafmark.retrieval.doubt import is_doubtful
from leafmark.retrieval.fusion import MEANING_WEIGHT, Fused, fuse
from leafmark.retrieval.hits import (
    Finder,
    Hit,
    best_first,
    rounded,
    with_ties,
    without,
)
from leafmark.retrieval.meaning import Meaning, Place, Usual, topic_text
from leafmark.retrieval.ordering import key_of
from leafmark.retrieval.params import SearchParams

__all__ = ["find_in_topic"]

_WIDER = 8
"""By what factor a search is widened if too few of the nearest chunks pass the filters."""


class _Match(NamedTuple):
    """A chunk, its match by words, and the similarity of its meaning."""

    place: Place
    hit: Hit
    similarity: float | None


class _MeaningSearch(NamedTuple):
    """A search by words and meaning; `text` are the words whose meaning is searched.

    `usual` tells which similarities to them are usual.
    """

    words: TopicSearch
    finder: Finder
    meaning: Meaning
    text: str
    usual: Usual

    @property
    def params(self) -> SearchParams:
        return self.words.params

    @property
    def reader(self) -> IndexReader:
        return self.words.reader

    @property
    def admits(self) -> Callable[[str], bool] | None:
        return set(self.params.trees).__contains__ if self.params.trees else None

    @property
    def weight(self) -> float:
        return 1.0 if self.params.mode == "semantic" else MEANING_WEIGHT


def find_in_topic(search: TopicSearch, meaning: Meaning | None) -> TopicCandidates:
    """Return the candidates of one topic, by meaning too if that is asked for and possible."""
    text = "" if search.params.mode == "lexical" else topic_text(search.topic)
    if meaning is None or not text or not search.compiled:
        return find_candidates(search)
    usual = meaning.usual(text)
    return _find_by_meaning(_MeaningSearch(search, search.finder(), meaning, text, usual))


def _find_by_meaning(search: _MeaningSearch) -> TopicCandidates:
    """Return the candidates of one topic.

    In the mode `semantic` plain words do not count, but what the query states does.
    """
    params = search.params
    by_words = [] if params.mode == "semantic" else _by_words(search)
    hits = _fused(_matches(search, by_words), search)
    kept = _cut(hits, search)
    documents = _documents(search, kept, _nearest(hits))
    if documents:
        kept = _cut(best_first([*(hit for _, hit in kept), *documents]), search)
    matched = min(len(hits), params.candidates) + len(documents)
    note = _note(len(hits) - len(by_words), len(documents), params)
    return TopicCandidates(
        [candidate for candidate, _ in kept],
        matched,
        sum(1 for hit in by_words if not hit.relaxed),
        (
            Phase("candidates", len(hits) + len(documents), matched, note),
            cutoff_phase(matched, len(kept), params),
        ),
        {key_of(one.entry): hit for one, hit in kept},
        _is_doubtful(search, by_words, hits),
    )


def _by_words(search: _MeaningSearch) -> list[Hit]:
    """Return the best strict matches, then the best relaxed ones; ties at the end by id."""
    reader, compiled, most = search.reader, search.words.compiled, search.params.candidates
    strict = search.finder.strict(compiled, most, ties=True)
    relaxed = without(search.finder.relaxed(compiled, most + len(strict), ties=True), strict)
    if not strict:
        relaxed = raise_by_coordination(reader, relaxed, search.params)
    return [
        *first_of_ties(reader, strict, most),
        *first_of_ties(reader, with_ties(relaxed, most), most),
    ]


def _matches(search: _MeaningSearch, by_words: Sequence[Hit]) -> list[_Match]:
    """Return the matches by words, then the chunks that only their meaning found."""
    places = search.reader.refs([hit.chunk for hit in by_words])
    similar = search.meaning.similarities(search.text, places)
    matches = {
        place: _Match(place, hit, similarity)
        for place, hit, similarity in zip(places, by_words, similar, strict=True)
    }
    for near in _near(search):
        matches.setdefault(near.place, near)
    return list(matches.values())


def _note(by_meaning: int, documents: int, params: SearchParams) -> str:
    """Say how many chunks and documents only their meaning found."""
    notes = [f"{by_meaning} by meaning alone"] if by_meaning else []
    notes += [f"{documents} by the meaning of the whole document"] if documents else []
    return "; ".join([*notes, *section_note(params)])


def _near(search: _MeaningSearch) -> list[_Match]:
    """Return the nearest chunks that are near enough and fulfil what the query states."""
    params = search.params
    wanted = params.candidates
    while True:
        near = search.meaning.nearest(search.text, wanted, search.admits)
        similarities = {one.place: one.similarity for one in near}
        hits = search.finder.locate(search.words.compiled, similarities)
        if len(hits) >= params.limit or len(near) < wanted:
            break
        wanted *= _WIDER
    nearest_first = sorted(hits, key=lambda place: (-similarities[place], place))
    return [
        _Match(place, hits[place], similarities[place])
        for place in nearest_first
        if similarities[place] >= search.usual.least
    ]


def _fused(matches: Sequence[_Match], search: _MeaningSearch) -> list[Hit]:
    """Return the matches with fused scores, best first; ties in order of place."""
    scores = fuse(
        [match.hit.score / match.hit.factor for match in matches],
        [match.similarity for match in matches],
        usual=search.usual.mean,
        weight=search.weight,
    )
    hits = [
        (
            match.hit._replace(
                score=rounded(fused.score * match.hit.factor),
                words=match.hit,
                fused=fused,
                similarity=match.similarity,
                relaxed=False,
                lowered=1.0,
            ),
            match.place,
        )
        for match, fused in zip(matches, scores, strict=True)
    ]
    hits.sort(key=lambda pair: (-pair[0].score, pair[1]))
    return [hit for hit, _ in hits]


def _documents(
    search: _MeaningSearch, kept: Sequence[tuple[Candidate, Hit]], nearest: float
) -> list[Hit]:
    """Return the documents that are near as a whole and have no chunk among `kept`, best first.

    They score on the scale of the chunks, and at most as much as the nearest one, whose
    similarity is `nearest`: a document's mean can be nearer than each of its chunks. If no
    chunk is near, the nearest document sets the scale.
    """
    if search.params.grain not in ("auto", "document"):
        return []
    usual = search.usual
    shown = {candidate.entry.doc_id for candidate, _ in kept}
    near = search.meaning.documents(search.text, usual.least_document, search.admits)
    wanted = {one.place: one.similarity for one in near if one.place[0] not in shown}
    located = search.finder.locate(search.words.compiled, wanted)
    if located and nearest <= usual.mean:
        nearest = max(wanted[place] for place in located)
    if nearest <= usual.mean:
        return []
    found = []
    for place, hit in located.items():
        above = max(0.0, min(wanted[place], nearest) - usual.mean)
        fused = Fused(0.0, search.weight * above / (nearest - usual.mean))
        score = rounded(fused.score * hit.factor)
        near_hit = hit._replace(
            score=score, words=hit, fused=fused, similarity=wanted[place], whole=True
        )
        found.append((near_hit, place))
    found.sort(key=lambda pair: (-pair[0].score, pair[1]))
    return [hit for hit, _ in found if hit.score > 0]


def _cut(hits: Sequence[Hit], search: _MeaningSearch) -> list[tuple[Candidate, Hit]]:
    """Return the candidates before the elbow; ties at the cut are broken by id."""
    params, topics = search.params, (search.words.number,)
    scores = [hit.score for hit in hits[: params.candidates]]
    count = elbow_cutoff(scores, ratio=params.cutoff_ratio, max_results=params.kept)
    needed = [hit for hit in hits if count and hit.score >= scores[count - 1]]
    entries = search.reader.entries([hit.chunk for hit in needed])
    pairs = [
        (Candidate(entry, hit.score, False, topics, hit.score, whole=hit.whole), hit)
        for entry, hit in zip(entries, needed, strict=True)
    ]
    pairs.sort(key=lambda pair: (-pair[0].score, pair[0].entry.id))
    return pairs[:count]


def _nearest(hits: Sequence[Hit]) -> float:
    return max((hit.similarity for hit in hits if hit.similarity is not None), default=-1.0)


def _is_doubtful(search: _MeaningSearch, by_words: Sequence[Hit], hits: Sequence[Hit]) -> bool:
    """Whether neither the words nor the meaning of any chunk says much."""
    if _nearest(hits) >= search.usual.doubtful:
        return False
    if not by_words:  # in the mode `semantic` what is near may hold the words all the same
        return is_doubtful(hits, search.reader)
    return by_words[0].relaxed and is_doubtful(by_words, search.reader)
