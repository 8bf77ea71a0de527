"""Run the queries of a compiled topic: the engine's matches, tier by tier, over all trees.

The engine breaks ties by where a chunk happens to lie in its files. So scores are rounded,
for equal ones to be equal, and callers can ask for all matches that tie with the last one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, compress
from typing import Any, NamedTuple

import tantivy

from leafmark.index import SECONDARY_FACT, IndexReader
from leafmark.model import is_secondary
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.filters import Filters, any_of, unscored
from leafmark.retrieval.fusion import Fused
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.section_members import SectionMembers
from leafmark.retrieval.weights import WIDENED_BELOW

__all__ = [
    "Finder",
    "Hit",
    "best_first",
    "raisable",
    "replace_first",
    "rounded",
    "with_ties",
    "without",
]

SCORE_DIGITS = 4
"""Scores are rounded to this many decimals (below 1: to as many significant digits).

The engine adds 32-bit numbers in an order that depends on its segments.
"""

_SCALE = 10.0**SCORE_DIGITS
_LARGE = 1e9

_WIDER = 8
"""By what factor a search is widened while the last match ties with the one after it."""

_MUST = tantivy.Occur.Must


Spot = tuple[int, int]
"""Where a chunk lies in the engine's files: the number of a segment, and its number there."""


class Hit(NamedTuple):
    """A match of the engine: its rounded score, its address, and the topic that it matches.

    ("Hit" is the engine's word; what users see are matches and results.)

    `raw` is the engine's own score. `nearby` was added to it (see `surroundings`), and the
    sum was multiplied by `boost` (local trees), `secondary` (tests and their like),
    `lowered` (which puts corrections below exact matches), `coordinated` (see `coordination`)
    and `titled` (see `titles`), then rounded. `exact` matches need no correction of a word
    that occurs; `relaxed` ones match only some of the words.

    In a search by meaning, `fused` are the two parts of the score, `words` is the match by
    words alone (score 0 for none) and `similarity` that of the vectors. With `whole` the
    similarity is that of the whole document.
    """

    score: float
    address: tantivy.DocAddress
    compiled: Compiled
    exact: bool = False
    boost: float = 1.0
    relaxed: bool = False
    raw: float = 0.0
    lowered: float = 1.0
    titled: float = 1.0
    nearby: float = 0.0
    coordinated: float = 1.0
    words: Hit | None = None
    fused: Fused | None = None
    similarity: float | None = None
    whole: bool = False
    secondary: float = 1.0

    @property
    def factor(self) -> float:
        """What its source alone multiplies its score by."""
        return self.boost * self.secondary

    @property
    def spot(self) -> Spot:
        return self.address.segment_ord, self.address.doc


class _Scope(NamedTuple):
    """Trees to search (None: all), and the factor of their scores."""

    boost: float
    admitted: tantivy.Query | None = None

    def limited(self, query: tantivy.Query) -> tantivy.Query:
        """Return the query for what is in these trees."""
        if self.admitted is None:
            return query
        return tantivy.Query.boolean_query([(_MUST, query), (_MUST, self.admitted)])


class Finder:
    """Runs the queries of one topic, in each of its languages.

    Hits come best first. With `ties`, all that score as the last one are among them.
    """

    def __init__(self, reader: IndexReader, params: SearchParams, local_trees: Collection[str]):
        self._reader = reader
        self._filters = Filters(reader)
        self._members = SectionMembers(reader, params.section) if params.section else None
        self._scopes = self._make_scopes(params.local_boost, local_trees)
        has_secondary = reader.searcher.doc_freq("facts", SECONDARY_FACT) > 0
        self._secondary_boost = params.secondary_boost if has_secondary else 1.0

    def _make_scopes(self, boost: float, local_trees: Collection[str]) -> list[_Scope]:
        """Return the trees in the groups that are searched separately.

        Local trees are a group of their own if there are global ones too, so that the boost
        is an exact factor of the score.
        """
        local = self._reader.tree_names & set(local_trees)
        others = self._reader.tree_names - local
        if not local or not others or boost == 1:
            return [_Scope(boost if local else 1.0)]
        return [_Scope(boost, self._trees(local)), _Scope(1.0, self._trees(others))]

    def _trees(self, names: Iterable[str]) -> tantivy.Query:
        return unscored(self._filters.trees(sorted(names)))

    def strict(self, compiled: Iterable[Compiled], limit: int, *, ties: bool = False) -> list[Hit]:
        """Return the best strict matches: exact ones first, then those that need a correction."""
        found = [
            self._strict(each, scope, limit, ties) for each in compiled for scope in self._scopes
        ]
        return _best_of(found, limit, ties)

    def relaxed(self, compiled: Iterable[Compiled], limit: int, *, ties: bool = False) -> list[Hit]:
        """Return the best chunks that match enough of the words, strict matches included."""
        found = [
            self._hits(each.relaxed, each, scope, limit, ties, relaxed=True)
            for each in compiled
            if each.relaxed is not None
            for scope in self._scopes
        ]
        return _best_of(found, limit, ties)

    def _strict(self, compiled: Compiled, scope: _Scope, limit: int, ties: bool) -> list[Hit]:
        hits = self._hits(compiled.strict, compiled, scope, limit, ties)
        if compiled.exact is None:
            return hits
        exact = self._hits(compiled.exact, compiled, scope, limit, ties, exact=True)
        wider = without(hits, exact)
        if not exact or not wider:
            return exact or wider
        return [*exact, *_lowered(wider, below=WIDENED_BELOW * exact[-1].score)]

    def _hits(
        self,
        query: tantivy.Query,
        compiled: Compiled,
        scope: _Scope,
        limit: int,
        ties: bool,
        *,
        exact: bool = False,
        relaxed: bool = False,
    ) -> list[Hit]:
        """Return the `limit` best hits or more; with `ties`, all that tie with the last one."""
        query, boost = scope.limited(query), scope.boost
        wanted = limit + 1
        weighs = self._secondary_boost != 1
        every = max(1, self._reader.searcher.num_docs)  # the engine makes room for all it may give
        while True:
            found = self._reader.searcher.search(query, min(wanted, every), count=False).hits
            are_all = len(found) < wanted
            if self._members is not None:
                found = list(compress(found, self._members.choose(at for _, at in found)))
                are_all = are_all or len(found) == self._members.count
            scores = _all_rounded(found, boost)
            hits = [
                Hit(score, address, compiled, exact, boost, relaxed, raw)
                for score, (raw, address) in zip(scores, found, strict=True)
            ]
            if are_all or _is_enough(hits, limit, ties or weighs):
                # which of those that tie come first must not decide what rises
                return self._weigh_secondary(with_ties(hits, limit)) if weighs else hits
            wanted *= _WIDER

    def _weigh_secondary(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits, best first, with those of secondary sources weighed."""
        doc_ids = [doc_id for doc_id, _ in self._reader.places(hit.address for hit in hits)]
        if not any(map(is_secondary, doc_ids)):
            return hits
        return best_first(
            hit._replace(
                score=rounded(hit.score * self._secondary_boost), secondary=self._secondary_boost
            )
            if is_secondary(doc_id)
            else hit
            for hit, doc_id in zip(hits, doc_ids, strict=True)
        )

    def locate(
        self, compiled: Iterable[Compiled], wanted: Collection[tuple[str, int]]
    ) -> dict[tuple[str, int], Hit]:
        """Return the wanted chunks (document id, position) that fulfil the topic's filters.

        Quotes and fields count as filters here; plain words do not.
        """
        found: dict[tuple[str, int], Hit] = {}
        if not wanted:
            return found
        chunks = any_of([self._filters.chunk(*place) for place in wanted])
        for each in compiled:
            both = [(_MUST, each.required), (_MUST, unscored(chunks))]
            query = tantivy.Query.boolean_query(both)
            for scope in self._scopes:
                hits = self._hits(query, each, scope, len(wanted), ties=False)
                places = self._reader.places(hit.address for hit in hits)
                for place, hit in zip(places, hits, strict=True):
                    found[place] = hit._replace(score=0.0, raw=0.0)
        return found


def _is_enough(hits: Sequence[Hit], limit: int, ties: bool) -> bool:
    """Whether `limit` hits are there, and with `ties` also one that scores less."""
    if not ties:
        return len(hits) >= limit
    return len(hits) > limit and hits[-1].score < hits[limit - 1].score


def _best_of(found: Sequence[list[Hit]], limit: int, ties: bool) -> list[Hit]:
    """Return the `limit` best of several lists of hits, each sorted best first."""
    hits = found[0] if len(found) == 1 else best_first(chain.from_iterable(found))
    return with_ties(hits, limit) if ties else hits[:limit]


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits sorted by score; ties keep their order."""
    return sorted(hits, key=lambda hit: -hit.score)


def replace_first(raised: Iterable[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with `raised`, sorted best first, in place of as many first ones."""
    first = best_first(raised)
    return [*first, *hits[len(first) :]]


def without(hits: Iterable[Hit], others: Iterable[Hit]) -> list[Hit]:
    """Return the hits whose chunk is not among the others' chunks."""
    known = {hit.spot for hit in others}
    return [hit for hit in hits if hit.spot not in known]


def _lowered(hits: Sequence[Hit], *, below: float) -> list[Hit]:
    """Return the hits with their scores scaled down so that the best is at most `below`.

    A best score of 0 (a match only in fields of weight 0) is left alone.
    """
    best = hits[0].score
    factor = min(1.0, below / best) if best > 0 else 1.0
    return [hit._replace(score=rounded(hit.score * factor), lowered=factor) for hit in hits]


def with_ties(hits: Sequence[Hit], count: int) -> list[Hit]:
    """Return the first `count` hits and those after them that score the same."""
    end = min(count, len(hits))
    while 0 < end < len(hits) and hits[end].score == hits[count - 1].score:
        end += 1
    return list(hits[:end])


def raisable(hits: Sequence[Hit], most: int, params: SearchParams) -> list[Hit]:
    """Return the first hits that may be raised, at most `most`; `hits` are sorted best first.

    They are no more than there may be candidates, and none ties with the next one, so that the
    answer does not depend on the segments of the index.
    """
    most = min(most, params.candidates)
    if len(hits) <= most:
        return list(hits)
    return [hit for hit in hits[:most] if hit.score > hits[most].score]


def _all_rounded(matches: Iterable[tuple[Any, tantivy.DocAddress]], boost: float) -> list[float]:
    """Return each match's score times `boost`, `rounded`; usual scores without a call."""
    scores = [score * boost for score, _ in matches]
    return [round(one * _SCALE) / _SCALE if 1 <= one < _LARGE else rounded(one) for one in scores]


def rounded(score: float) -> float:
    """Return a rounded score; rounding to a whole number is five times as fast as to decimals."""
    if 1 <= score < _LARGE:
        return round(score * _SCALE) / _SCALE
    return round(score, SCORE_DIGITS) if score >= 1 else float(f"{score:.{SCORE_DIGITS}g}")
