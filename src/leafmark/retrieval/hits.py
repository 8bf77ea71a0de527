"""A compiled topic to the engine's matches: by tier, over the trees, with one fixed order of ties.

The engine breaks ties by where a chunk happens to lie, so all that tie at an edge
are given where they are asked for, and scores are rounded so that equals are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import Any, NamedTuple, overload

import tantivy

from leafmark.index import IndexReader
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.filters import Filters, any_of, unscored
from leafmark.retrieval.fusion import Fused
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.sections import SectionMembers, path_filter
from leafmark.retrieval.weights import WIDENED_BELOW

__all__ = [
    "Finder",
    "Hit",
    "best_first",
    "led_by",
    "relaxed_matches",
    "rounded",
    "scores_of",
    "strict_matches",
    "sure_of",
    "with_ties",
    "without",
]

SCORE_DIGITS = 4
"""Scores are rounded to this many decimals (below 1: significant digits), for ties to be ties.

The engine adds 32-bit numbers in an order that depends on its segments.
"""

_SCALE = 10.0**SCORE_DIGITS
_LARGE = 1e9

_WIDER = 8
"""How much further is looked when the last match ties with the one after it."""

_MUST = tantivy.Occur.Must


Place = tuple[int, int]
"""Where a chunk lies: the number of its segment, and its own there."""


class Hit(NamedTuple):
    """A match of the engine, whose word a hit is; to people they are matches and results.

    It has a rounded score, an address, and the compiled topic that gave it.

    `boost` is the factor for local trees in the score, `lowered` the one by which
    it was put below the exact matches, `titled` the one by which its title raised it: see
    `titles`. `exact` ones match without corrections of words that occur, `relaxed` ones by
    some of the words. `raw` is the engine's own score, before all these and rounding;
    `nearby` is what was added to it: see `surroundings`.

    Where the meaning counts too, `fused` are the two parts of the score, `words` is
    the match by words alone (score 0 for none) and `similarity` that of the vectors.
    With `whole`, it is the document that is near, and not its own text.
    """

    score: float
    address: tantivy.DocAddress
    compiled: Compiled
    exact: bool = False
    boost: float = 1.0
    lowered: float = 1.0
    titled: float = 1.0
    relaxed: bool = False
    raw: float = 0.0
    nearby: float = 0.0
    words: Hit | None = None
    fused: Fused | None = None
    similarity: float | None = None
    whole: bool = False

    @property
    def place(self) -> Place:
        return self.address.segment_ord, self.address.doc


_Match = tuple[Any, tantivy.DocAddress]
"""The engine's score, a float, and an address."""


class _Scope(NamedTuple):
    """Some of the trees: how to limit a query to them, and the boost of their scores."""

    limited: Callable[[tantivy.Query], tantivy.Query]
    boost: float


_Search = Callable[["Finder", Compiled, _Scope, int], Sequence[Hit]]


class _Found(Sequence[Hit]):
    """What the engine found; a `Hit` is made of a match when it is looked at, as few are.

    `first` are given in the place of as many that would be made.
    """

    __slots__ = ("_first", "_make", "_matches", "scores")

    def __init__(
        self,
        matches: Sequence[_Match],
        scores: Sequence[float],
        make: Callable[[float, _Match], Hit],
        first: Sequence[Hit] = (),
    ):
        self._matches = matches
        self.scores = scores
        self._make = make
        self._first = first

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Hit]: ...
    def __getitem__(self, at: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(at, slice):
            at = slice(*at.indices(len(self)))
            return _Found(self._matches[at], self.scores[at], self._make, self._first[at])
        at = range(len(self))[at]
        if at < len(self._first):
            return self._first[at]
        return self._make(self.scores[at], self._matches[at])

    def led_by(self, first: Sequence[Hit]) -> _Found:
        """Return the matches with other hits in the place of as many first ones."""
        scores = [*[hit.score for hit in first], *self.scores[len(first) :]]
        return _Found(self._matches, scores, self._make, [*first, *self._first[len(first) :]])

    def without(self, places: Collection[Place]) -> _Found:
        """Return the matches that are none of the places."""
        known = len(self._first)
        first = [hit for hit in self._first if hit.place not in places]
        kept = [(at.segment_ord, at.doc) not in places for _, at in self._matches[known:]]
        matches = [*self._matches[: len(first)], *compress(self._matches[known:], kept)]
        scores = [*[hit.score for hit in first], *compress(self.scores[known:], kept)]
        return _Found(matches, scores, self._make, first)

    def __iter__(self) -> Iterator[Hit]:
        known = len(self._first)
        yield from self._first
        yield from map(self._make, self.scores[known:], self._matches[known:])

    def __len__(self) -> int:
        return len(self._matches)


def led_by(first: Sequence[Hit], hits: Sequence[Hit]) -> Sequence[Hit]:
    """Return the hits with others in the place of as many first ones, best first."""
    first = best_first(first)
    return hits.led_by(first) if isinstance(hits, _Found) else [*first, *hits[len(first) :]]


def without(hits: Sequence[Hit], places: Collection[Place]) -> Sequence[Hit]:
    """Return the hits that are none of the places."""
    if isinstance(hits, _Found):
        return hits.without(places)
    return [hit for hit in hits if hit.place not in places]


def scores_of(hits: Sequence[Hit]) -> Sequence[float]:
    return hits.scores if isinstance(hits, _Found) else [hit.score for hit in hits]


class Finder:
    """Runs the queries of one topic."""

    def __init__(self, reader: IndexReader, params: SearchParams, local_trees: Collection[str]):
        self._reader = reader
        self._params = params
        self._filters = Filters(reader)
        self._complete = False
        known = {tree for language in reader.languages for tree in language.trees}
        admits = path_filter(params.section)
        self._members = None if admits is None else SectionMembers(reader, admits)
        self._local = known & set(local_trees)
        self._global = known - self._local

    def tier(
        self, compiled: Iterable[Compiled], search: _Search, limit: int, *, ties: bool = False
    ) -> Sequence[Hit]:
        """Return the best hits of all languages and scopes, best first.

        With `ties`, all that score as the last one are among them.
        """
        self._complete = ties
        found = [search(self, each, scope, limit) for each in compiled for scope in self._scopes()]
        hits = found[0] if len(found) == 1 else best_first(chain.from_iterable(found))
        return with_ties(hits, limit) if ties else hits[:limit]

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
        self,
        query: tantivy.Query,
        compiled: Compiled,
        scope: _Scope,
        limit: int,
        *,
        exact: bool = False,
        relaxed: bool = False,
    ) -> Sequence[Hit]:
        """Return the `limit` best hits, and all that tie with the last of them if need be."""
        query, boost = scope.limited(query), scope.boost
        wanted = limit + self._complete
        while True:
            found = self._reader.searcher.search(query, wanted, count=False).hits
            scores = _all_rounded(found, boost)
            hits: Sequence[Hit] = _Found(
                found,
                scores,
                lambda score, match: Hit(
                    score, match[1], compiled, exact, boost, 1.0, 1.0, relaxed, match[0]
                ),
            )
            exhausted = len(hits) < wanted
            if self._members is not None:
                hits = list(compress(hits, self._members.choose(hit.address for hit in hits)))
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
        found: dict[tuple[str, int], Hit] = {}
        if not wanted:
            return found
        chunks = any_of([self._filters.chunk(*place) for place in wanted])
        for each in compiled:
            for scope in self._scopes():
                both = [(_MUST, scope.limited(each.required)), (_MUST, unscored(chunks))]
                query = tantivy.Query.boolean_query(both)
                hits = self.hits(query, each, scope, len(wanted))
                places = self._reader.places(hit.address for hit in hits)
                for place, hit in zip(places, hits, strict=True):
                    found[place] = hit._replace(score=0.0, boost=scope.boost, raw=0.0)
        return found


def best_first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits by score; ties stay in the order in which they come."""
    return sorted(hits, key=lambda hit: -hit.score)


def strict_matches(finder: Finder, compiled: Compiled, scope: _Scope, limit: int) -> Sequence[Hit]:
    """Return the strict matches; those that rest on a correction stand below the exact ones."""
    hits = finder.hits(compiled.strict, compiled, scope, limit)
    if compiled.exact is None:
        return hits
    exact = finder.hits(compiled.exact, compiled, scope, limit, exact=True)
    known = {hit.place for hit in exact}
    wider = [hit for hit in hits if hit.place not in known]
    if not exact or not wider:
        return exact or wider
    return [*exact, *_lowered(wider, below=WIDENED_BELOW * exact[-1].score)]


def relaxed_matches(finder: Finder, compiled: Compiled, scope: _Scope, limit: int) -> Sequence[Hit]:
    if compiled.relaxed is None:
        return []
    return finder.hits(compiled.relaxed, compiled, scope, limit, relaxed=True)


def _lowered(hits: Sequence[Hit], *, below: float) -> list[Hit]:
    """Return the hits with scores multiplied so that the best is at most `below`."""
    factor = min(1.0, below / hits[0].score)
    return [hit._replace(score=rounded(hit.score * factor), lowered=factor) for hit in hits]


def with_ties(hits: Sequence[Hit], count: int) -> list[Hit]:
    """Return the first `count` hits and those after them that score the same."""
    scores = scores_of(hits)
    end = min(count, len(scores))
    while 0 < end < len(scores) and scores[end] == scores[count - 1]:
        end += 1
    return list(hits[:end])


def sure_of(hits: Sequence[Hit], most: int) -> int:
    """Return how many of the hits are the first, whatever the order of those that tie."""
    if len(hits) <= most:
        return len(hits)
    scores = scores_of(hits)
    return sum(1 for score in scores[:most] if score > scores[most])


def _all_rounded(matches: Iterable[_Match], boost: float) -> list[float]:
    """Return `rounded` of each match's score times `boost`: for most of them that is short."""
    scores = [score * boost for score, _ in matches]
    return [round(one * _SCALE) / _SCALE if 1 <= one < _LARGE else rounded(one) for one in scores]


def rounded(score: float) -> float:
    """Return a score rounded, by way of whole numbers: to decimals takes five times as long."""
    if 1 <= score < _LARGE:
        return round(score * _SCALE) / _SCALE
    return round(score, SCORE_DIGITS) if score >= 1 else float(f"{score:.{SCORE_DIGITS}g}")


def _as_it_is(query: tantivy.Query) -> tantivy.Query:
    return query
