"""Score the chunks that match one topic: the mechanisms of the ranking, one sentence for each.

- *Words*: BM25 over the text of a chunk read with all titles above it, plus a share of BM25 over
  the line of titles, its tags and its path.
- *Completeness*: a chunk gains the mean rarity of the words if it, or the section that it was
  cut from, has them all; of a few keywords, such chunks come first.
- *Nearness*: neighbouring words of the query that stand near each other add to the score.
- *Roles*: what repeats, tests or lists other texts counts less, as does code for a question.
- *Names*: the bearers of a name that is all of the query come first.
- *Places*: the project's own trees count more than the user's.

Nothing is read from sources or records here: the engine and its columns tell all.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import chain, islice, pairwise
from operator import itemgetter, or_

from leafmark.index import Snapshot
from leafmark.index.filter_terms import cut_fact
from leafmark.index.queries import AllOf, AnyOf, Constant, HasAny, HasPhrase, Query, unscored
from leafmark.index.roles import CODE, GLOSSARY, ROLES, TRANSLATION
from leafmark.index.snapshot import Handle, Match
from leafmark.namedtuples import NamedTuple
from leafmark.search.compile import CompiledTopic, Filters
from leafmark.search.names import (
    DOCUMENT_LEVELS,
    MAX_BEARERS,
    find_bearers,
    name_levels,
    title_fits,
)
from leafmark.search.options import SearchOptions
from leafmark.search.sections import SectionFilter

MIN_MATCHES = 200
"""The matches by words that are scored: more would not change any result
(measured on 1,483 queries)."""

MAX_TIED = 20
"""So many more are requested, since some may tie with the last one; more hardly ever do."""

NEAR_MATCHES = 30
"""The best matches that are checked for nearness, which reorders the first ones only."""

MAX_NEAR = 10_000
"""The most chunks of their documents that are checked: all of them, except in huge documents."""

MAX_SLOP = 7
"""The most words between two that stand near each other."""

BESIDE_SHARE = 0.65
"""The share of nearness that only words beside each other get (1 against 0.35 at a distance)."""

MAX_CUT_MATCHES = 2000
"""The most pieces of sections that are checked for the words that others lack."""

PIECES_AROUND = 4
"""The distance, in pieces, within which others of a section may have the words that one lacks."""

MAX_EXACT = 20
"""So many powers of two add up exactly in the engine's 32-bit scores."""

GLOSSARY_STEP = 0.5
"""The level of a name's bearer in a glossary above that of others in a text."""

NAME_STEP = 0.001
"""The share of the best score by which each bearer of a name leads the next one."""

WIDER = 8
"""The factor by which a search grows while too few matches are in the requested sections."""

SAME_SHARE = 1 - 2e-6
"""Scores in this ratio or closer are equal: the engine adds 32-bit numbers in an order that
depends on its segments."""

SCORE_DIGITS = 4
"""Scores are rounded to so many digits; smaller differences are decided by place."""


_SCALE = 10.0**SCORE_DIGITS


class Scored(NamedTuple):
    """A chunk that matches a topic, and the parts of its score.

    `score` is (`words` + `completeness` + `nearness`) × `factor` of its place and kind, or of the
    bearer of a name the score that puts it first (`name` is its level, `fit` how its titles suit
    the name beside those of its level: see `names`).
    `relaxed` ones lack some of the words.
    """

    score: float
    chunk: Handle
    topic: CompiledTopic
    relaxed: bool = False
    words: float = 0.0
    completeness: float = 0.0
    nearness: float = 0.0
    role: float = 1.0
    role_name: str = ""
    local: float = 1.0
    name: float = 0.0
    fit: int = 0
    meaning: float | None = None
    similarity: float | None = None
    is_whole: bool = False

    @property
    def factor(self) -> float:
        return self.role * self.local

    def with_score(self, score: float) -> Scored:
        return Scored(score, *self[1:])  # a third of the time of `_replace`

    def with_nearness(self, nearness: float) -> Scored:
        near = self._replace(nearness=nearness)
        return near.with_score(near.base)

    @property
    def base(self) -> float:
        """The score without the lift of a name."""
        return rounded((self.words + self.completeness + self.nearness) * self.factor)


_Weighed = tuple[float, Handle, float, bool, int]
"""A future match: its score, the chunk, the score of its words, whether it has all, its role."""

_HAS_ALL = itemgetter(3)


class Matches(NamedTuple):
    """The matches that may become candidates, and the chunks of all others."""

    best: list[Scored]
    others: set[Handle]


def score_topic(
    snapshot: Snapshot,
    compiled: Sequence[CompiledTopic],
    options: SearchOptions,
    local_trees: Collection[str] = (),
    *,
    without: Collection[str] = (),
) -> Matches:
    """Return the matches of a topic, compiled for each language, in no order.

    `without` are documents that are left out, by id.
    """
    left_out = (HasAny("doc_id", tuple(sorted(without))),) if without else ()
    tiers = _has_tiers(compiled, options)
    scorers = [
        _Scorer(snapshot, topic, options, admitted, boost, left_out, tiers=tiers)
        for topic in compiled
        for admitted, boost in _places(snapshot, local_trees, options)
    ]
    answers = iter(snapshot.search([search for scorer in scorers for search in scorer.searches]))
    all_matches = Matches([], set())
    for scorer in scorers:
        best, others = scorer.scored(list(islice(answers, len(scorer.searches))))
        all_matches.best.extend(best)
        all_matches.others.update(others)
    return all_matches


def _has_tiers(compiled: Iterable[CompiledTopic], options: SearchOptions) -> bool:
    """Whether matches with all words come before all others."""
    return options.strict or (
        options.all_words_first and all(topic.is_few_keywords for topic in compiled)
    )


def order_matches(
    snapshot: Snapshot,
    matches: Sequence[Scored],
    compiled: Sequence[CompiledTopic],
    options: SearchOptions,
) -> list[Scored]:
    """Return the matches best first, ties in the order of their documents, documents themselves
    before their parts.

    With all words first, relaxed ones follow those that have all words. What is cut off later
    must not depend on where a chunk happens to lie in the index.
    """
    tiers = _has_tiers(compiled, options)
    ordered = _names_first(snapshot, matches)
    if tiers:
        ordered = _all_words_first(ordered)
    return _in_order(snapshot, ordered, tiers=tiers)


def order_fused(
    matches: Iterable[Scored], compiled: Sequence[CompiledTopic], options: SearchOptions
) -> list[Scored]:
    """Return matches whose scores include meaning, in the tiers that those of words alone have."""
    ordered = sorted(matches, key=_SCORE, reverse=True)
    if options.mode == "semantic" or not _has_tiers(compiled, options):
        return ordered
    return sorted(_all_words_first(ordered), key=_is_first, reverse=True)


def _in_order(snapshot: Snapshot, matches: Sequence[Scored], *, tiers: bool) -> list[Scored]:
    """Return the matches by score, ties by place; relaxed ones behind all others with `tiers`."""
    ordered = list(matches)
    count = Counter(map(_SCORE, matches))
    if len(count) < len(ordered):
        tied = [match for match in matches if count[match.score] > 1]
        place = _places_of(snapshot, tied)
        tied.sort(key=lambda match: place[match.chunk])
        ordered = [*tied, *[match for match in matches if count[match.score] == 1]]
    ordered.sort(key=_SCORE, reverse=True)
    if tiers:
        ordered.sort(key=_is_first, reverse=True)
    return ordered


def _is_first(match: Scored) -> bool:
    """Whether a match comes before those that lack words: tests and lists do not, code does."""
    if match.relaxed or match.name:
        return match.name > 0
    return match.words > 0 and (match.role == 1 or match.role_name == ROLES[CODE])


def _best(snapshot: Snapshot, matches: Sequence[Scored], count: int) -> list[Scored]:
    """Return the matches, the best `count` in front; ties are decided by place."""
    ordered = sorted(matches, key=_SCORE, reverse=True)
    if len(ordered) <= count:
        return ordered
    last = ordered[count - 1].score
    better = [match for match in ordered if match.score > last]
    place = _places_of(snapshot, [match for match in ordered if match.score == last])
    tied = sorted(
        ordered[len(better) : len(better) + len(place)], key=lambda match: place[match.chunk]
    )
    return [*better, *tied, *ordered[len(better) + len(tied) :]]


_SCORE = itemgetter(0)

_Place = tuple[bool, str, int]


def _places_of(snapshot: Snapshot, matches: Sequence[Scored]) -> dict[Handle, _Place]:
    """Return the sort keys of ties: documents before their parts, then by id."""
    chunks = [match.chunk for match in matches]
    return {
        chunk: (position > 0, doc_id, position)
        for chunk, (doc_id, position) in zip(chunks, snapshot.refs(chunks), strict=True)
    }


def _places(
    snapshot: Snapshot, local_trees: Collection[str], options: SearchOptions
) -> list[tuple[tuple[Query, ...], float]]:
    """Return the groups of trees to search separately, each with the factor of its scores."""
    local = snapshot.tree_names & set(local_trees)
    others = snapshot.tree_names - local
    if not local or not others or options.local_boost == 1:
        return [((), options.local_boost if local and others else 1.0)]
    trees = Filters(snapshot).trees
    return [
        ((unscored(trees(sorted(local))),), options.local_boost),
        ((unscored(trees(sorted(others))),), 1.0),
    ]


def matches_without_words(
    snapshot: Snapshot,
    topic: CompiledTopic,
    chunks: Sequence[Handle],
    options: SearchOptions,
    local_trees: Collection[str],
) -> list[Scored]:
    """Return chunks as matches with the factors of their place and role only."""
    local = snapshot.tree_names & set(local_trees)
    boost = options.local_boost if local and snapshot.tree_names - local else 1.0
    matches = []
    refs, roles = snapshot.refs(chunks), snapshot.roles(chunks)
    for chunk, (doc_id, _), kind in zip(chunks, refs, roles, strict=True):
        matches.append(
            Scored(
                0.0,
                chunk,
                topic,
                role=role_factor(kind, options, topic),
                role_name=ROLES[kind],
                local=boost if doc_id.partition(":")[0] in local else 1.0,
            )
        )
    return matches


class _Scorer:
    """Scores the matches of a topic in one language and one group of trees."""

    def __init__(
        self,
        snapshot: Snapshot,
        topic: CompiledTopic,
        options: SearchOptions,
        admitted: tuple[Query, ...],
        boost: float,
        left_out: tuple[Query, ...],
        *,
        tiers: bool,
    ):
        self._snapshot = snapshot
        self._left_out = left_out
        self._tiers = tiers
        self._topic = topic
        self._options = options
        self._admitted = admitted
        self._boost = boost
        self._limit = max(MIN_MATCHES, options.candidates)
        self._sections = SectionFilter(snapshot, options.section) if options.section else None
        if self._sections is not None:
            self._admitted = (*admitted, self._sections.query(topic.language))

        several = len(topic.words) > 1 or any(len(word.terms) > 1 for word in topic.words)
        queries = [topic.some_words, topic.every_word] if several else [topic.some_words]
        self._queries = [(self._scoped(query), self._limit) for query in queries]

    @cached_property
    def searches(self) -> list[tuple[Query, int]]:
        """The first searches; none if only the matches of a section are wanted."""
        if self._sections is not None:
            return []
        return [(query, limit + MAX_TIED) for query, limit in self._requests]

    @cached_property
    def _requests(self) -> list[tuple[Query, int]]:
        """Return the queries for the words and for the bearers of the name."""
        return [*self._queries, *((self._bearing(query), MAX_BEARERS) for _, query in self._levels)]

    @property
    def _asks_name(self) -> bool:
        """Whether to look for bearers of a name; those of excluded documents are known."""
        return self._options.names_first and bool(self._topic.name) and not self._left_out

    @cached_property
    def _levels(self) -> list[tuple[float, Query]]:
        """The queries for the bearers of the query's name, by level."""
        return name_levels(self._snapshot, self._topic.name) if self._asks_name else []

    def scored(self, found_lists: Sequence[list[Match]]) -> tuple[list[Scored], list[Handle]]:
        """Return the best matches, and the chunks of others; `found` answers `searches`."""
        requests = self._requests
        answers = self._cut_each(requests, found_lists) if found_lists else self._search(requests)
        some, *others = answers[: len(self._queries)]
        raw = {chunk: score for score, chunk in some}
        every = set(raw)
        if others:
            every = {chunk for _, chunk in others[0]}
            for score, chunk in others[0]:  # behind any number of better partial matches
                raw.setdefault(chunk, score)
        bearers = self._bearers(raw, answers[len(self._queries) :])
        roles = self._snapshot.roles(list(raw))
        complete = self._complete(every, [chunk for chunk in raw if chunk not in every])
        named = self._named(bearers, dict(zip(raw, roles, strict=True))) if bearers else {}
        best, rest = self._first(self._weighed(raw, complete, roles), named)
        matches = self._matches(best, named)
        return self._with_nearness(_best(self._snapshot, matches, NEAR_MATCHES), every), rest

    def _search(self, requests: Sequence[tuple[Query, int]]) -> list[Sequence[Match]]:
        """Return the scored chunks that match each query, with all that tie with the last."""
        if self._sections is not None:
            return [self._in_sections(query, limit) for query, limit in requests]
        searches = [(query, limit + MAX_TIED) for query, limit in requests]
        return self._cut_each(requests, self._snapshot.search(searches))

    def _cut_each(
        self, requests: Sequence[tuple[Query, int]], found_lists: Sequence[list[Match]]
    ) -> list[Sequence[Match]]:
        return [
            self._cut(query, limit, evened(matches))
            for (query, limit), matches in zip(requests, found_lists, strict=True)
        ]

    def _cut(self, query: Query, limit: int, matches: Sequence[Match]) -> Sequence[Match]:
        """Return the first `limit` matches; ties with the last one are decided by id.

        The engine breaks ties by where a chunk happens to lie in its files.
        """
        if len(matches) <= limit:
            return matches
        last = rounded(matches[limit][0])
        first = limit
        while first and rounded(matches[first - 1][0]) == last:
            first -= 1
        if first == limit:
            return matches[:limit]
        wanted_count = limit + MAX_TIED
        while len(matches) >= wanted_count and rounded(matches[-1][0]) == last:
            wanted_count *= 2
            matches = evened(*self._snapshot.search([(query, wanted_count)]))
        tied = [match for match in matches[first:] if rounded(match[0]) == last]
        refs = self._snapshot.refs([chunk for _, chunk in tied])
        ranked = sorted(zip(refs, tied, strict=True), key=lambda pair: (pair[0][1] > 0, pair[0]))
        return [*matches[:first], *(match for _, match in ranked[: limit - first])]

    def _in_sections(self, query: Query, limit: int) -> list[Match]:
        """Return the first matches in the requested sections; each match is checked once."""
        assert self._sections is not None
        count, seen = limit, 0
        in_section: list[Match] = []
        while True:
            matches = evened(*self._snapshot.search([(query, count)]))
            fresh = matches[seen:]
            chosen = self._sections.choose([chunk for _, chunk in fresh])
            in_section += [match for match, is_in in zip(fresh, chosen, strict=True) if is_in]
            seen = len(matches)
            if seen < count or len(in_section) >= limit:
                return in_section[:limit]
            count *= WIDER

    def _scoped(self, query: Query) -> Query:
        if not self._admitted and not self._left_out:
            return query
        return AllOf((query, *self._admitted), without=self._left_out)

    def _bearing(self, name: Query) -> Query:
        """Return the query for the bearers of a name; its score is that of the words."""
        topic = self._topic
        return self._scoped(AllOf((unscored(name), topic.required), should=topic.scored_words))

    def _bearers(
        self, raw: dict[Handle, float], by_level: Sequence[Sequence[Match]]
    ) -> dict[Handle, float]:
        """Return the bearers of the query's name; those that are no matches are added to `raw`.

        `by_level` are the matches of `_levels`.
        """
        if not self._asks_name:
            return {}

        def noted(match_lists: Sequence[Sequence[Match]]) -> list[list[Handle]]:
            for score, chunk in chain.from_iterable(match_lists):
                raw.setdefault(chunk, score)
            return [[chunk for _, chunk in match_list] for match_list in match_lists]

        def bearing(queries: Sequence[Query]) -> list[list[Handle]]:
            return noted(self._search([(self._bearing(names), MAX_BEARERS) for names in queries]))

        topic = self._topic
        levels = [level for level, _ in self._levels]
        first = zip(levels, noted(by_level), strict=True)
        written = topic.name_written
        return find_bearers(self._snapshot, topic.language, topic.name, written, first, bearing)

    def _named(
        self, bearers: Mapping[Handle, float], roles: Mapping[Handle, int]
    ) -> dict[Handle, tuple[float, int]]:
        """Return the bearers of the name, each with its level and the fit of its titles."""
        topic = self._topic
        named = {
            chunk: named_level
            for chunk, level in bearers.items()
            if (named_level := self._level(level, roles[chunk]))
        }
        if len(named) > 1:
            return title_fits(self._snapshot, topic.language, topic.name, topic.name_written, named)
        return {chunk: (level, 0) for chunk, level in named.items()}

    def _level(self, level: float, role: int) -> float:
        """Return the level of a bearer of a name, given its role: 0 in lists and the like.

        Who asks what is new wants sections of changelogs called so.
        """
        if not level or role in (0, CODE):
            return level
        if role == GLOSSARY:
            return level if level in DOCUMENT_LEVELS else level + GLOSSARY_STEP
        is_asked = role_factor(role, self._options, self._topic) == 1
        return level if is_asked or level in DOCUMENT_LEVELS else 0.0

    @cached_property
    def _gain(self) -> float:
        """The gain of a match with all words."""
        idfs = [word.idf for word in self._topic.words]
        if len(idfs) < 2 or not self._options.completeness:
            return 0.0
        return self._options.completeness * sum(idfs) / len(idfs)

    def _factors(self, roles: Iterable[int]) -> dict[int, float]:
        return {role: role_factor(role, self._options, self._topic) for role in set(roles)}

    def _weighed(
        self, raw: Mapping[Handle, float], complete: Collection[Handle], roles: Sequence[int]
    ) -> list[_Weighed]:
        """Return the matches of the words; only those with all words if the search is strict."""
        gains, boost, factors = (0.0, self._gain), self._boost, self._factors(roles)
        weighed = [
            ((words + gains[has_all]) * factors[role] * boost, chunk, words, has_all, role)
            for (chunk, words), role in zip(raw.items(), roles, strict=True)
            for has_all in (chunk in complete,)
        ]
        if not self._options.strict:
            return weighed
        return [] if self._topic.is_split else [match for match in weighed if match[3]]

    def _first(
        self, weighed: Sequence[_Weighed], named: Collection[Handle]
    ) -> tuple[list[_Weighed], list[Handle]]:
        """Return the matches that may be candidates, and the chunks of all others."""
        most = self._options.candidates
        ordered = sorted(weighed, reverse=True)
        if self._tiers:
            ordered.sort(key=_HAS_ALL, reverse=True)
        if len(ordered) <= most:
            return ordered, []
        last = rounded(ordered[most - 1][0])
        while most < len(ordered) and rounded(ordered[most][0]) == last:
            most += 1
        rest = ordered[most:]
        named_later = [match for match in rest if match[1] in named]
        return [*ordered[:most], *named_later], [
            chunk for _, chunk, *_ in rest if chunk not in named
        ]

    def _matches(
        self, weighed: Sequence[_Weighed], named: Mapping[Handle, tuple[float, int]]
    ) -> list[Scored]:
        """Return matches with the parts of their scores."""
        topic, boost, gains = self._topic, self._boost, (0.0, self._gain)
        factors, nameless = self._factors(match[4] for match in weighed), (0.0, 0)
        matches = []
        for score, chunk, words, has_all, role in weighed:
            name, fit = named.get(chunk, nameless)
            gained, factor = gains[has_all], factors[role]
            relaxed = topic.is_split or not has_all
            score, role_name = rounded(score), ROLES[role]
            matches.append(
                Scored(
                    score, chunk, topic, relaxed, words, gained, 0.0, factor, role_name, boost,
                    name, fit,
                )
            )  # fmt: skip
        return matches

    # -- completeness -----------------------------------------------------------------

    def _complete(self, every: set[Handle], others: Sequence[Handle]) -> Collection[Handle]:
        """Return the chunks with all words: `every`, and others with the pieces around them."""
        words = self._topic.words
        if not others or not all(word.queries for word in words):
            return every
        places = self._places(others)
        pieces = sorted({cut for cut, _ in places} - {0})
        has = self._words_of_pieces(pieces) if pieces else {}
        all_words = (1 << len(words)) - 1
        of_section: dict[int, int] = defaultdict(int)
        for (cut, _), words_held in has.items():
            of_section[cut] |= words_held
        complete = set(every)
        for chunk, (cut, position) in zip(others, places, strict=True):
            if of_section.get(cut) != all_words:
                continue  # as most
            near = range(position - PIECES_AROUND, position + PIECES_AROUND + 1)
            words_near = reduce(or_, (has.get((cut, at), 0) for at in near), 0)
            if words_near == all_words:
                complete.add(chunk)
        return complete

    def _places(self, chunks: Sequence[Handle]) -> list[tuple[int, int]]:
        """Return the section of which each chunk is a piece, and its position.

        A search for all words shows the section, wherever in it they stand.
        """
        cuts = self._snapshot.cuts(chunks)
        if self._options.strict:
            return [(cut, 0) for cut in cuts]
        return list(zip(cuts, self._snapshot.positions(chunks), strict=True))

    def _words_of_pieces(self, cuts: Sequence[int]) -> dict[tuple[int, int], int]:
        """Return the words of the pieces of cut sections, as bits, by section and position.

        A piece scores a power of two for each word that it has: the sum tells which.
        """
        words = self._topic.words
        pieces = unscored(HasAny("facts", tuple(map(cut_fact, cuts))))
        firsts = range(0, len(words), MAX_EXACT)
        groups = (words[first : first + MAX_EXACT] for first in firsts)
        has_some = [
            AnyOf(tuple(Constant(word.query, float(1 << at)) for at, word in enumerate(group)))
            for group in groups
        ]
        answers = self._snapshot.search(
            [(AllOf((pieces, word)), MAX_CUT_MATCHES) for word in has_some]
        )
        has: dict[tuple[int, int], int] = defaultdict(int)
        for first, matches in zip(firsts, answers, strict=True):
            places = self._places([chunk for _, chunk in matches])
            for (score, _), place in zip(matches, places, strict=True):
                has[place] |= int(score) << first
        return has

    # -- nearness ---------------------------------------------------------------------

    def _with_nearness(self, matches: Sequence[Scored], every: Collection[Handle]) -> list[Scored]:
        """Return the matches with the nearness of the words of the first ones.

        For a query of two words, only chunks in `every` have both.
        """
        pairs = self._pairs()
        chunks = [match.chunk for match in matches[:NEAR_MATCHES]] if pairs else []
        if [len(word.terms) for word in self._topic.words] == [1, 1]:
            chunks = [chunk for chunk in chunks if chunk in every]
        if not chunks:
            return list(matches)
        refs = self._snapshot.refs(chunks)
        documents = HasAny("doc_id", tuple(dict.fromkeys(doc_id for doc_id, _ in refs)))
        query = AllOf((AnyOf(tuple(pairs)), unscored(documents)))
        (near_matches,) = self._snapshot.search([(query, MAX_NEAR)])
        near = {chunk: score for score, chunk in near_matches}
        first = matches[:NEAR_MATCHES]
        return [
            *(
                match.with_nearness(near[match.chunk]) if match.chunk in near else match
                for match in first
            ),
            *matches[NEAR_MATCHES:],
        ]

    def _pairs(self) -> list[Query]:
        weight = self._options.nearness
        queries: list[Query] = []
        for word, other in pairwise(self._topic.words):
            terms = (*word.terms[-1:], *other.terms[:1])
            if not weight or len(terms) < 2 or word.corrected or other.corrected:
                continue
            least = weight * min(word.idf, other.idf)
            body = self._topic.language.body
            near = HasPhrase(body, terms, MAX_SLOP)
            queries += [
                Constant(near, least * (1 - BESIDE_SHARE)),
                Constant(HasPhrase(body, terms), least * BESIDE_SHARE),
            ]
        return queries


def _names_first(snapshot: Snapshot, matches: Iterable[Scored]) -> list[Scored]:
    """Return the matches with the bearers of the query's name before all others.

    They are in the order of their levels, those of a level by how their titles suit the name, then
    by score. A bearer has all words: its name has them.
    """
    ordered = list(matches)
    bearers = [match for match in ordered if match.name]
    if not bearers:
        return ordered
    place = _places_of(snapshot, bearers)
    bearers.sort(key=lambda match: (-match.name, -match.fit, -match.score, place[match.chunk]))
    best = max(match.score for match in ordered)
    lifted = {
        match.chunk: rounded(best * (1 + NAME_STEP * (len(bearers) - at)))
        for at, match in enumerate(bearers)
    }
    return [
        match._replace(score=lifted[match.chunk], relaxed=False) if match.name else match
        for match in ordered
    ]


def _all_words_first(matches: Sequence[Scored]) -> list[Scored]:
    """Return the matches with the scores of those that do not stand first below all others.

    One factor lowers them, so that their order and their elbow stay the same.
    """
    last = min((match.score for match in matches if _is_first(match)), default=0.0)
    first = max((match.score for match in matches if not _is_first(match)), default=0.0)
    if not last or first < last:
        return list(matches)
    factor = last / first / (1 + NAME_STEP)
    return [
        match if _is_first(match) else match.with_score(rounded(match.score * factor))
        for match in matches
    ]


def role_factor(role: int, options: SearchOptions, topic: CompiledTopic) -> float:
    """Return the factor of a chunk that repeats, tests or lists other texts, or is code.

    Queries in the language of a translation and queries about news lift the factor of
    translations and of changelogs. Code counts less for questions that are not about code.
    """
    if role in (0, GLOSSARY):
        return 1.0
    is_asked = role == topic.requested_role or (role == TRANSLATION and topic.is_foreign)
    return 1.0 if is_asked else options.role_factor


def evened(matches: Sequence[Match]) -> list[Match]:
    """Return an engine's matches; scores that differ only in the last bits become equal.

    Rounding alone would separate scores on both sides of a boundary.
    """
    evened_matches = list[Match]()
    score = last = math.inf
    for score_found, chunk in matches:
        if score_found < last * SAME_SHARE:
            score = score_found
        evened_matches.append((score, chunk))
        last = score_found
    return evened_matches


def rounded(score: float) -> float:
    """Return a rounded score; below 1, rounded to as many significant digits."""
    if score >= 1:
        return round(score * _SCALE) / _SCALE  # five times as fast as to decimals
    return float(f"{score:.{SCORE_DIGITS}g}")
