"""Queries to candidates: the engine's best matches, in tiers, with one fixed order of ties.

The engine breaks ties by where a chunk happens to lie, so ties at an edge are
settled here by id. Only those matches are read from the index that can still
become results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import tantivy

from leafmark.index import IndexReader
from leafmark.model import Candidate, Phase
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.cutoff import elbow_cutoff
from leafmark.retrieval.doubt import is_doubtful
from leafmark.retrieval.filters import Filters, any_of, unscored
from leafmark.retrieval.fusion import Fused
from leafmark.retrieval.ordering import Key, key_of, sort_candidates
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.sections import section_filter
from leafmark.retrieval.weights import WIDENED_BELOW

__all__ = [
    "Finder",
    "Found",
    "Hit",
    "cut_note",
    "find_candidates",
    "relaxed_matches",
    "rounded",
    "section_note",
    "strict_matches",
]

SCORE_DIGITS = 4
"""Scores are rounded to this many decimals (below 1: significant digits), for ties to be ties.

The engine adds 32-bit numbers in an order that depends on its segments.
"""

FEW_MATCHES = 2000
"""Up to here it is faster to look at each match than to list the documents (measured: 26,000)."""

_WIDER = 8
"""How much further is looked when the last match ties with the one after it."""

_MUST = tantivy.Occur.Must


class Hit(NamedTuple):
    """A match of the engine: a rounded score, an address, and which compiled topic gave it.

    `boost` is the factor for local trees in the score, `lowered` the one by which
    it was put below the exact matches. `exact` ones match without corrections of
    words that occur, `relaxed` ones by some of the words. `raw` is the engine's own
    score, before boost, lowering and rounding. A named tuple since a query has a
    hundred of them.

    Where the meaning counts too, `fused` are the two parts of the score, `words` is
    the match by words alone (score 0 for none) and `similarity` that of the vectors.
    """

    score: float
    address: tantivy.DocAddress
    compiled: Compiled
    exact: bool = False
    boost: float = 1.0
    lowered: float = 1.0
    relaxed: bool = False
    raw: float = 0.0
    words: Hit | None = None
    fused: Fused | None = None
    similarity: float | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.address.segment_ord, self.address.doc


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of one topic after the cutoff.

    `matched` counts those before it, `strict` those of them that matched all
    words. `hits` tells for each candidate how the engine found it. `doubtful` says
    that even the best of them holds little of what the words ask for.
    """

    candidates: list[Candidate]
    matched: int
    strict: int
    phases: tuple[Phase, ...]
    hits: dict[Key, Hit]
    doubtful: bool = False


def find_candidates(
    reader: IndexReader,
    compiled: Sequence[Compiled],
    params: SearchParams,
    *,
    topic: int,
    local_trees: Collection[str],
) -> Found:
    """Return the candidates of one topic, compiled for each language of the index.

    Where fewer than the limit match strictly, relaxed ones are added behind them;
    each of these tiers is cut at its own elbow.
    """
    finder = Finder(reader, params, local_trees)
    if compiled and compiled[0].filters_only:
        return finder.admit(compiled, topic)
    limit = params.candidates

    def strict_hits(*, ties: bool = False) -> list[Hit]:
        return finder.tier(compiled, strict_matches, limit, ties=ties)

    def relaxed_hits(*, ties: bool = False) -> list[Hit]:
        found = finder.tier(compiled, relaxed_matches, limit + len(strict), ties=ties)
        return [hit for hit in found if hit.place not in known]

    strict = strict_hits()
    known = {hit.place for hit in strict}
    relaxed = relaxed_hits() if len(strict) < params.limit else []
    kept = [
        *finder.cut(strict, strict_hits, topic, relaxed=False),
        *finder.cut(relaxed, relaxed_hits, topic, relaxed=True),
    ]
    candidates = [candidate for candidate, _ in kept]
    matched = len(strict) + min(len(relaxed), limit)
    return Found(
        candidates,
        matched,
        len(strict),
        (
            _phase_of_matches(strict, relaxed, matched, params),
            Phase("cutoff", matched, len(candidates), cut_note(matched, len(candidates), params)),
        ),
        {key_of(one.entry): hit for one, hit in kept},
        bool(kept) and kept[0][0].relaxed and is_doubtful(kept[0][1], reader),
    )


def _phase_of_matches(
    strict: Sequence[Hit], relaxed: Sequence[Hit], matched: int, params: SearchParams
) -> Phase:
    notes = [f"{len(relaxed)} match some of the words only"] if relaxed else []
    notes += section_note(params)
    return Phase("candidates", len(strict) + len(relaxed), matched, "; ".join(notes))


def section_note(params: SearchParams) -> list[str]:
    patterns = " or ".join(f"“{one}”" for one in params.section)
    return [f"only sections like {patterns}"] if patterns else []


def cut_note(before: int, after: int, params: SearchParams) -> str:
    if before == after:
        return ""
    return f"scores fall below {params.cutoff_ratio:g} of the one before, or {params.kept} are kept"


class _SearchAgain(Protocol):
    def __call__(self, *, ties: bool = False) -> list[Hit]: ...


class _Scope(NamedTuple):
    """Some of the trees: how to limit a query to them, and the boost of their scores."""

    limited: Callable[[tantivy.Query], tantivy.Query]
    boost: float


_Search = Callable[["Finder", Compiled, _Scope, int], list[Hit]]


class Finder:
    """Runs the queries of one topic."""

    def __init__(self, reader: IndexReader, params: SearchParams, local_trees: Collection[str]):
        self._reader = reader
        self._params = params
        self._filters = Filters(reader)
        self._complete = False
        known = {tree for language in reader.languages for tree in language.trees}
        self._admits = section_filter(params.section)
        self._admitted: dict[tuple[int, int], bool] = {}
        self._local = known & set(local_trees)
        self._global = known - self._local

    def tier(
        self, compiled: Iterable[Compiled], search: _Search, limit: int, *, ties: bool = False
    ) -> list[Hit]:
        """Return the best hits of all languages and scopes, best first.

        With `ties`, all that score as the last one are among them.
        """
        self._complete = ties
        hits = [
            hit
            for each in compiled
            for scope in self._scopes()
            for hit in search(self, each, scope, limit)
        ]
        hits.sort(key=lambda hit: -hit.score)
        return _with_ties(hits, limit) if ties else hits[:limit]

    def _scopes(self) -> list[_Scope]:
        """Return the local and the global trees, searched apart where both are there.

        So the boost is a factor of the score exactly.
        """
        boost = self._params.local_boost
        if not self._local or not self._global or boost == 1:
            return [_Scope(_as_it_is, boost if self._local else 1.0)]
        return [_Scope(self._within(self._local), boost), _Scope(self._within(self._global), 1.0)]

    def _within(self, trees: Iterable[str]) -> Callable[[tantivy.Query], tantivy.Query]:
        admitted = unscored(self._filters.trees(sorted(trees)))
        return lambda query: tantivy.Query.boolean_query([(_MUST, query), (_MUST, admitted)])

    def hits(
        self, query: tantivy.Query, compiled: Compiled, scope: _Scope, limit: int, exact: bool
    ) -> list[Hit]:
        """Return the `limit` best hits, and all that tie with the last of them if need be."""
        query, boost = scope.limited(query), scope.boost
        wanted = limit + self._complete
        while True:
            found = self._reader.searcher.search(query, wanted, count=False).hits
            hits = [
                Hit(rounded(score * boost), at, compiled, exact, boost, 1.0, False, score)
                for score, at in found
            ]
            exhausted = len(hits) < wanted
            if self._admits is not None:
                hits = self._in_sections(hits)
            enough = len(hits) > limit or (len(hits) == limit and not self._complete)
            if exhausted or (
                enough and (not self._complete or hits[-1].score < hits[limit - 1].score)
            ):
                return hits
            wanted *= _WIDER

    def locate(
        self, compiled: Iterable[Compiled], wanted: Collection[tuple[str, int]]
    ) -> dict[tuple[str, int], Hit]:
        """Return those of the wanted chunks (document id, position) that a topic may have.

        They fulfil what the topic states; their words are not looked at.
        """
        chunks = any_of([self._filters.chunk(*place) for place in wanted])
        found: dict[tuple[str, int], Hit] = {}
        for each in compiled:
            for scope in self._scopes():
                both = [(_MUST, scope.limited(each.required)), (_MUST, unscored(chunks))]
                query = tantivy.Query.boolean_query(both)
                hits = self.hits(query, each, scope, len(wanted), exact=False)
                places = self._reader.places(hit.address for hit in hits)
                for place, hit in zip(places, hits, strict=True):
                    found[place] = hit._replace(score=0.0, boost=scope.boost, raw=0.0)
        return found

    def _in_sections(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits in the sections asked for; each chunk is looked at once."""
        unknown = [hit for hit in hits if hit.place not in self._admitted]
        entries = self._reader.entries(hit.address for hit in unknown)
        for hit, entry in zip(unknown, entries, strict=True):
            self._admitted[hit.place] = self._admits is None or self._admits(entry)
        return [hit for hit in hits if self._admitted[hit.place]]

    def cut(
        self, hits: Sequence[Hit], search: _SearchAgain, topic: int, *, relaxed: bool
    ) -> list[tuple[Candidate, Hit]]:
        """Return the candidates before the elbow, best first; ties at the cut are settled by id.

        `search` gives the same hits with all that tie with the last one: needed
        only when the cut is among those.
        """
        params = self._params
        scores = [hit.score for hit in hits[: params.candidates]]
        kept = elbow_cutoff(scores, ratio=params.cutoff_ratio, max_results=params.kept)
        if not kept:
            return []
        if len(hits) >= params.candidates and hits[kept - 1].score == scores[-1]:
            hits = search(ties=True)
        needed = _with_ties(hits, kept)
        entries = self._reader.entries(hit.address for hit in needed)
        pairs = [
            (Candidate(entry, hit.score, relaxed, (topic,), hit.score), hit)
            for entry, hit in zip(entries, needed, strict=True)
        ]
        pairs.sort(key=lambda pair: (-pair[0].score, pair[0].entry.id))
        return pairs[:kept]

    def admit(self, compiled: Sequence[Compiled], topic: int) -> Found:
        """Return what filters alone admit: score 1.0 each, in order of id."""
        query = any_of([each.strict for each in compiled])
        limit = self._params.candidates
        found = self._reader.live_count(query)
        if self._admits is None:
            entries = self._reader.entries(self._first_by_id(query, found, limit))
        else:
            every = self._reader.searcher.search(query, max(1, found), count=False).hits
            addresses = [address for _, address in every]
            entries = [one for one in self._reader.entries(addresses) if self._admits(one)]
            entries = sorted(entries, key=lambda one: one.id)
            found = len(entries)
        candidates = sort_candidates(
            Candidate(entry, 1.0, False, (topic,), 1.0) for entry in entries
        )
        matched = min(found, limit)
        kept = candidates[: min(self._params.kept, matched)]
        return Found(
            kept,
            matched,
            matched,
            (
                Phase("candidates", found, matched, "".join(section_note(self._params))),
                Phase("cutoff", matched, len(kept), cut_note(matched, len(kept), self._params)),
            ),
            {},
        )

    def _first_by_id(
        self, query: tantivy.Query, count: int, limit: int
    ) -> list[tantivy.DocAddress]:
        """Return those of `count` matches that hold the first `limit` by id, and few more."""
        if not count:
            return []
        searcher = self._reader.searcher
        if count <= FEW_MATCHES:
            hits = searcher.search(query, count, count=False).hits
            places = self._reader.places(address for _, address in hits)
            counts = Counter(doc_id for doc_id, _ in places)
            names = set(_first_documents(counts.items(), limit))
            pairs = zip(hits, places, strict=True)
            return [address for (_, address), (doc_id, _) in pairs if doc_id in names]
        listed = searcher.terms_with_prefix("doc_id", "", filter_query=query)
        first = _first_documents(listed, limit)
        taken = set(first)
        documents = tantivy.Query.term_set_query(self._reader.schema, "doc_id", first)
        both = tantivy.Query.boolean_query([(_MUST, query), (_MUST, documents)])
        total = sum(number for name, number in listed if name in taken)
        return [address for _, address in searcher.search(both, total, count=False).hits]


def _first_documents(counts: Iterable[tuple[str, int]], limit: int) -> list[str]:
    """Return the ids of the documents that hold the first `limit` matches by id.

    One whose id goes on from that of a taken one may stand among its chunks, so it
    is taken too.
    """
    names: list[str] = []
    total = 0
    for name, count in sorted(counts):
        if total >= limit and not any(name.startswith(taken) for taken in names):
            break
        names.append(name)
        total += count
    return names


def strict_matches(finder: Finder, compiled: Compiled, scope: _Scope, limit: int) -> list[Hit]:
    """Return the strict matches; those that rest on a correction stand below the exact ones."""
    hits = finder.hits(compiled.strict, compiled, scope, limit, exact=False)
    if compiled.exact is None:
        return hits
    exact = finder.hits(compiled.exact, compiled, scope, limit, exact=True)
    known = {hit.place for hit in exact}
    wider = [hit for hit in hits if hit.place not in known]
    if not exact or not wider:
        return exact or wider
    return [*exact, *_lowered(wider, below=WIDENED_BELOW * exact[-1].score)]


def relaxed_matches(finder: Finder, compiled: Compiled, scope: _Scope, limit: int) -> list[Hit]:
    if compiled.relaxed is None:
        return []
    hits = finder.hits(compiled.relaxed, compiled, scope, limit, exact=False)
    return [hit._replace(relaxed=True) for hit in hits]


def _lowered(hits: Sequence[Hit], *, below: float) -> list[Hit]:
    """Return the hits with scores multiplied so that the best is at most `below`."""
    factor = min(1.0, below / hits[0].score)
    return [hit._replace(score=rounded(hit.score * factor), lowered=factor) for hit in hits]


def _with_ties(hits: Sequence[Hit], count: int) -> list[Hit]:
    """Return the first `count` hits and those after them that score the same."""
    if len(hits) <= count:
        return list(hits)
    end = count
    while end < len(hits) and hits[end].score == hits[count - 1].score:
        end += 1
    return list(hits[:end])


def rounded(score: float) -> float:
    return round(score, SCORE_DIGITS) if score >= 1 else float(f"{score:.{SCORE_DIGITS}g}")


def _as_it_is(query: tantivy.Query) -> tantivy.Query:
    return query
