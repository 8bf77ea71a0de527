"""Find the candidates of one topic: its best matches, tier by tier, each up to its elbow.

At a cut, ties are broken by id, documents before their parts: a document that matches by
its path or tags ties with all its parts, which would leave no place for other documents.
Only matches that can still become results are read from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import compress
from typing import NamedTuple

from leafmark.index import IndexReader
from leafmark.index.queries import any_of
from leafmark.model import Candidate, Entry, Phase
from leafmark.query import Expression
from leafmark.retrieval.admitted import admitted_entries, may_be_first_by_id
from leafmark.retrieval.compiler import Compiled, compile_for_languages
from leafmark.retrieval.coordination import raise_by_coordination
from leafmark.retrieval.cutoff import elbow_cutoff
from leafmark.retrieval.doubt import is_doubtful
from leafmark.retrieval.hits import Finder, Hit, with_ties, without
from leafmark.retrieval.ordering import Key, key_of, sort_candidates, sort_with_ties
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.surroundings import raise_by_surroundings
from leafmark.retrieval.titles import raise_by_titles

__all__ = [
    "TopicCandidates",
    "TopicSearch",
    "cutoff_phase",
    "find_candidates",
    "first_of_ties",
    "section_note",
]

FEW_TIES = 50
"""With this many ties or fewer, all are read without a look at their documents (by eye)."""


class TopicCandidates(NamedTuple):
    """The candidates of one topic after the cutoff.

    `matched` counts the candidates before the cutoff, `strict` those of them that match all
    words. `hits` has each candidate's match. `doubtful` says that even the best candidates
    hold little of what the words ask for.
    """

    candidates: list[Candidate]
    matched: int
    strict: int
    phases: tuple[Phase, ...]
    hits: dict[Key, Hit]
    doubtful: bool = False


class TopicSearch(NamedTuple):
    """One topic, what it is searched in, and how.

    `compiled` is the topic in each language of the index, `number` its place among the
    topics of the query. `local_trees` are the project's own.
    """

    reader: IndexReader
    topic: Expression
    compiled: Sequence[Compiled]
    params: SearchParams
    number: int = 0
    local_trees: Collection[str] = ()

    @classmethod
    def of(cls, reader: IndexReader, topic: Expression, params: SearchParams) -> TopicSearch:
        """Return the search for another topic than the query's own, compiled here."""
        compiled = compile_for_languages(reader, topic, params)
        return cls(reader, topic, list(compiled.values()), params)

    def finder(self) -> Finder:
        return Finder(self.reader, self.params, self.local_trees)


def find_candidates(search: TopicSearch) -> TopicCandidates:
    """Return the candidates of one topic by its words.

    If fewer than the limit match strictly, relaxed matches follow them. Each of the two
    tiers is cut at its own elbow.
    """
    reader, params, topics = search.reader, search.params, (search.number,)
    if search.compiled and search.compiled[0].filters_only:
        return _admitted(search)
    tiers = _Tiers(search, search.finder())
    strict = tiers.strict()
    relaxed = tiers.relaxed(strict) if len(strict) < params.limit else []
    kept = [
        *_cut(reader, strict, lambda: tiers.strict(ties=True), params),
        *_cut(reader, relaxed, lambda: tiers.relaxed(strict, ties=True), params),
    ]
    matched = len(strict) + min(len(relaxed), params.candidates)
    return TopicCandidates(
        [Candidate(entry, hit.score, hit.relaxed, topics, hit.score) for entry, hit in kept],
        matched,
        len(strict),
        (
            _phase_of_matches(strict, relaxed, matched, params),
            cutoff_phase(matched, len(kept), params),
        ),
        {key_of(entry): hit for entry, hit in kept},
        bool(kept) and kept[0][1].relaxed and is_doubtful([hit for _, hit in kept], reader),
    )


class _Tiers(NamedTuple):
    """The tiers of one topic's matches by words, raised by surroundings, coordination
    and titles.

    With `ties`, all that tie with the last one are included. One more match than is wanted is
    looked for: it tells which of the last ones tie, and so must not be raised (`raisable`).
    """

    search: TopicSearch
    finder: Finder

    def strict(self, *, ties: bool = False) -> list[Hit]:
        search, limit = self.search, self.search.params.candidates
        hits = self.finder.strict(search.compiled, limit + 1, ties=ties)
        raised = raise_by_titles(search.reader, hits, search.params)
        return raised if ties else raised[:limit]

    def relaxed(self, strict: Sequence[Hit], *, ties: bool = False) -> list[Hit]:
        """Return the matches of only some words; `strict` are all matches of all words."""
        search, limit = self.search, self.search.params.candidates
        hits = self.finder.relaxed(search.compiled, len(strict) + limit + 1, ties=ties)
        if strict:
            others = without(hits, strict)
        else:
            near = raise_by_surroundings(search.reader, hits, search.params)
            others = raise_by_coordination(search.reader, near, search.params)
        raised = raise_by_titles(search.reader, others, search.params)
        return raised if ties else raised[:limit]


def _phase_of_matches(
    strict: Sequence[Hit], relaxed: Sequence[Hit], matched: int, params: SearchParams
) -> Phase:
    notes = [f"{len(relaxed)} match some of the words only"] if relaxed else []
    notes += section_note(params)
    return Phase("candidates", len(strict) + len(relaxed), matched, "; ".join(notes))


def section_note(params: SearchParams) -> list[str]:
    patterns = " or ".join(f"“{one}”" for one in params.section)
    return [f"only sections like {patterns}"] if patterns else []


def cutoff_phase(before: int, after: int, params: SearchParams) -> Phase:
    note = f"scores fall below {params.cutoff_ratio:g} of the one before, or {params.kept} are kept"
    return Phase("cutoff", before, after, "" if before == after else note)


def _cut(
    reader: IndexReader,
    hits: list[Hit],
    with_all_ties: Callable[[], list[Hit]],
    params: SearchParams,
) -> list[tuple[Entry, Hit]]:
    """Return the hits before the elbow, best first; ties at the cut are broken by `tie_of`.

    `with_all_ties` repeats the search with all that tie with the last hit. It is called only
    if the cut is among these.
    """
    scores = [hit.score for hit in hits[: params.candidates]]
    kept = elbow_cutoff(scores, ratio=params.cutoff_ratio, max_results=params.kept)
    if not kept:
        return []
    if len(hits) >= params.candidates and hits[kept - 1].score == scores[-1]:
        hits = with_all_ties()
    needed = first_of_ties(reader, with_ties(hits, kept), kept)
    entries = reader.entries([hit.chunk for hit in needed])
    pairs = list(zip(entries, needed, strict=True))
    ordered = sort_with_ties(pairs, [-hit.score for hit in needed], lambda pair: tie_of(pair[0]))
    return ordered[:kept]


def tie_of(entry: Entry) -> str:
    """Return the sort key of ties at a cut: documents first, then by id."""
    return f"{entry.kind != 'document':d}{entry.id}"


def first_of_ties(reader: IndexReader, hits: list[Hit], kept: int) -> list[Hit]:
    """Return the hits that may be among the first `kept` when ties at the end are broken.

    Thousands of short sections with the same title can tie: most need not be read.
    """
    if len(hits) <= kept + FEW_TIES:
        return hits
    sure = sum(hit.score > hits[-1].score for hit in hits)
    tied = hits[sure:]
    columns = reader.columns([hit.chunk for hit in tied])
    needed, found = kept - sure, list(hits[:sure])
    for wanted in (True, False):
        some = [hit for hit, at in zip(tied, columns, strict=True) if (at.position == 0) == wanted]
        if some and needed > 0:
            first = may_be_first_by_id(reader, (hit.chunk for hit in some), needed)
            found += compress(some, first)
            needed -= len(some)
    return found


def _admitted(search: TopicSearch) -> TopicCandidates:
    """Return the chunks that a topic of filters admits: each scores 1.0, in order of id."""
    params, topics = search.params, (search.number,)
    query, limit = any_of([each.strict for each in search.compiled]), params.candidates
    entries, found = admitted_entries(search.reader, query, limit, params.section)
    matched = min(found, limit)
    candidates = sort_candidates(Candidate(entry, 1.0, False, topics, 1.0) for entry in entries)
    kept = candidates[: min(params.kept, matched)]
    return TopicCandidates(
        kept,
        matched,
        matched,
        (
            Phase("candidates", found, matched, "".join(section_note(params))),
            cutoff_phase(matched, len(kept), params),
        ),
        {},
    )
