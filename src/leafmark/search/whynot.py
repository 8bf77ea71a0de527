"""Why a chunk is not among the results: the phase that lost it, and changes that would show it.

The pipeline runs as it does for a search, and the chunk (or one below it) is looked for in
the output of each phase. Then remedies are tried: the options named by a reason are
changed, and the search runs again, until the chunk is a result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from leafmark.index import Snapshot
from leafmark.index.queries import AllOf, Query, unscored
from leafmark.model import AbsenceReason, Candidate, Entry, LostAt, UnmatchedPart
from leafmark.namedtuples import NamedTuple
from leafmark.query import (
    Expression,
    Filter,
    Not,
    Term,
    all_of,
    filters_only,
    format_query,
    iter_terms,
    parts_of,
    plain_words,
)
from leafmark.search.candidates import Trace, find_in_topic
from leafmark.search.compile import CompiledTopic, Filters, compile_topic
from leafmark.search.fuse import Meaning
from leafmark.search.hints import FILTERS, unfiltered, without_parts
from leafmark.search.options import SearchOptions
from leafmark.search.pipeline import trace_search
from leafmark.search.present import Texts
from leafmark.search.sections import section_filter
from leafmark.search.stop_words import (
    detect_language,
    frequencies_in,
    split_words,
    stop_words,
    topic_text,
)
from leafmark.suggest import MAX_SUGGESTED, nearest

FARTHEST = 10_000
"""The matches that are searched for the chunk; beyond them its rank is unknown."""

MAX_CHANGES = 8
"""The most changes of options and query that are tried in a row to show a chunk."""

MAX_READ = 200_000
"""Characters of a chunk that are searched for similar words."""

_ORDER: tuple[LostAt, ...] = (
    "document", "cutoff", "candidates", "relaxed", "strict", "meaning", "match", "filter"
)  # fmt: skip
"""The phases in which a topic may lose a chunk, latest first."""

Ask = Callable[[Sequence[Expression]], Meaning | None]
"""Returns the similarities of topics; None if the search would use none."""


class Absence(NamedTuple):
    """The contents of `model.WhyNotReport`, without the query as typed."""

    reasons: tuple[AbsenceReason, ...]
    shown: Candidate | None = None
    rank: int | None = None
    remedy: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None


def explain_missing(
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions,
    target: Entry,
    texts: Texts,
    *,
    local_trees: Collection[str] = (),
    ask: Ask | None = None,
) -> Absence:
    """Return why `target` is not among the results; a result below it counts as `target`.

    `ask` returns the similarities that a search for some topics would use: these topics, or
    changed ones.

    Raises:
        DamagedError, StorageError: the index cannot be read.
    """
    inquiry = _Inquiry(snapshot, target, texts, local_trees, ask)
    return inquiry.answer(topics, options)


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of a search; `without` is for one topic, `added` for all of them."""

    options: Mapping[str, Any]
    without: tuple[Expression, ...] = ()
    added: Filter | None = None


_Loss: TypeAlias = tuple[AbsenceReason, _Change]
"""Why a chunk was lost, and the change that would keep it."""


class _Trial(NamedTuple):
    """A search, and its changes from the original one."""

    topics: Sequence[Expression]
    options: SearchOptions
    changed: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None

    def after(self, reason: AbsenceReason, change: _Change) -> _Trial | None:
        """Return the search with one more change, None if nothing to look up would be left."""
        topics = list(self.topics)
        if change.without:
            shorter = without_parts(topics[reason.topic], change.without)
            if shorter is None:
                return None
            topics[reason.topic] = shorter
        added = self.added
        if change.added is not None:
            topics = [all_of([topic, change.added]) for topic in topics]
            added = format_query(change.added)
        return _Trial(
            topics,
            self.options._replace(**change.options),
            {**self.changed, **change.options},
            (*self.without, *map(format_query, change.without)),
            added,
        )


class _Inquiry:
    """The search for the reasons why one chunk is missing."""

    def __init__(
        self,
        snapshot: Snapshot,
        target: Entry,
        texts: Texts,
        local_trees: Collection[str],
        ask: Ask | None,
    ):
        self._ask = ask
        self._meaning: Meaning | None = None
        self._snapshot = snapshot
        self._target = target
        self._texts = texts
        self._local_trees = local_trees

    def answer(self, topics: Sequence[Expression], options: SearchOptions) -> Absence:
        self._meaning = None if self._ask is None else self._ask(topics)
        trial = _Trial(topics, options)
        trace = self._trace(trial)
        shown = self._shown(trace)
        if shown is not None:
            return shown
        lost = self._lost(trial, trace)
        reasons = tuple(reason for reason, _ in lost)
        remedy = self._remedy(trial, lost)
        if remedy is None:
            return Absence(reasons)
        return Absence(reasons, remedy=remedy.changed, without=remedy.without, added=remedy.added)

    def _trace(self, trial: _Trial) -> Trace:
        return trace_search(
            self._snapshot,
            trial.topics,
            trial.options,
            self._texts,
            local_trees=self._local_trees,
            meaning=self._meaning,
        )

    def _remedy(self, trial: _Trial, lost: Sequence[_Loss]) -> _Trial | None:
        """Make the change for each reason until the chunk is a result; None if it never is."""
        for _ in range(MAX_CHANGES):
            changed = trial.after(*lost[0])
            if changed is None or not self._ask_again(changed, trial):
                return None
            trial = changed
            trace = self._trace(trial)
            if self._shown(trace) is not None:
                return trial
            now = self._lost(trial, trace)
            if [reason for reason, _ in now] == [reason for reason, _ in lost]:
                return None
            lost = now
        return None

    def _ask_again(self, trial: _Trial, before: _Trial) -> bool:
        """Get the similarities to the changed topics; return whether all needed ones are there.

        If no words changed, the present ones are used.
        """
        same = [*map(topic_text, trial.topics)] == [*map(topic_text, before.topics)]
        if self._meaning is None or self._ask is None or same:
            return True
        self._meaning = self._ask(trial.topics)
        return self._meaning is not None

    # -- among the results ------------------------------------------------------------

    def _shown(self, trace: Trace) -> Absence | None:
        """Return the result that is the chunk or is below it, None if there is none."""
        ranked = [
            (rank, candidate)
            for rank, candidate in enumerate(trace.shown, 1)
            if self._target.holds(candidate.entry)
        ]
        if not ranked:
            return None
        itself = self._target.position  # its entry may be that of its introduction
        rank, candidate = min(ranked, key=lambda pair: pair[1].entry.position != itself)
        return Absence((), candidate, rank)

    def _lost(self, trial: _Trial, trace: Trace) -> list[_Loss]:
        """Return why the chunk is not shown, for each topic, the latest phase first."""
        for rank, candidate in enumerate(trace.ranked, start=1):
            reason = self._beside(candidate, rank, trial.options)
            if reason is not None:
                return [reason]
        crowded = self._crowded(trace, trial.options)
        if crowded is not None:
            return [crowded]
        reasons = [
            self._in_topic(topic, trace.compiled[at], at, trial.options)
            for at, topic in enumerate(trial.topics)
        ]
        return sorted(reasons, key=lambda pair: _ORDER.index(pair[0].lost_at))

    def _crowded(self, trace: Trace, options: SearchOptions) -> _Loss | None:
        """Return the loss of a match whose document has taken all its places."""
        target = self._target
        same = [
            candidate
            for candidate in trace.ranked
            if candidate.entry.doc_id == target.doc_id and candidate.more
        ]
        matched = next(
            (candidate for candidate in trace.grained if target.holds(candidate.entry)), None
        )
        if not same or matched is None:
            return None
        values = {"places": options.max_per_document}
        reason = AbsenceReason("document", matched.entry.id, score=matched.score, values=values)
        return reason, _Change({"max_per_document": 0})

    def _beside(self, candidate: Candidate, rank: int, options: SearchOptions) -> _Loss | None:
        """Return why a result hides the chunk: beyond the limit, around it, or a copy."""
        by = candidate.entry.id
        values: dict[str, Any] = {"limit": options.limit}
        part = next(
            (
                candidate
                for candidate in candidate.with_constituents()
                if self._target.holds(candidate.entry)
            ),
            None,
        )
        if part is None:
            copy = self._copied(candidate)
            if copy is None:
                return None
            values |= {"itself": self._target.holds(copy), "exact": copy.id in candidate.also_in}
            change = _Change({}, added=Filter("under", self._target.id))
            return AbsenceReason("duplicate", copy.id, rank=rank, by=by, values=values), change
        score = part.score
        if part is candidate:
            reason = AbsenceReason("limit", by, rank=rank, score=score, values=values)
            return reason, _Change({"limit": rank})
        reason = AbsenceReason(
            "merged", part.entry.id, rank=rank, score=score, by=by, values=values
        )
        return reason, _Change({"aggregation": False})

    def _copied(self, candidate: Candidate) -> Entry | None:
        """Return the chunk named beside a result that is the target, below it, or above it."""
        target = self._target
        names = {*candidate.also_in, *(entry.id for entry in candidate.other_versions)}
        for entry in self._snapshot.chunks_of(target.doc_id) if names else ():
            if entry.id in names and (entry.holds(target) or target.holds(entry)):
                return entry
        return None

    # -- before the results -------------------------------------------------------------

    def _in_topic(
        self,
        topic: Expression,
        compiled: Mapping[str | None, CompiledTopic],
        at: int,
        options: SearchOptions,
    ) -> _Loss:
        """Return the phase in which a topic lost the chunk, if it is not among its candidates."""
        wide = options._replace(
            candidate_limit=FARTHEST,
            max_results=FARTHEST,
            cutoff_ratio=0.0,
            max_per_document=0,
        )
        matches = find_in_topic(
            self._snapshot,
            topic,
            list(compiled.values()),
            wide,
            number=at,
            local_trees=self._local_trees,
            meaning=self._meaning,
        )(wide.keep_count)
        number = next(
            (
                n
                for n, candidate in enumerate(matches.candidates, 1)
                if self._target.holds(candidate.entry)
            ),
            None,
        )
        if number is not None:
            reason, change = _past_the_cut(matches.candidates, number, options)
        else:
            reason, change = self._unseen(topic, compiled, options, complete=matches.complete)
        return reason._replace(topic=at), change

    def _unseen(
        self,
        topic: Expression,
        compiled: Mapping[str | None, CompiledTopic],
        options: SearchOptions,
        *,
        complete: int,
    ) -> _Loss:
        """Return why the chunk is not even among the first `FARTHEST` candidates of a topic."""
        demands = _Demands(self._snapshot, self._target, options)
        refusing = demands.refusing_filters()
        if refusing:
            change = _Change({name: FILTERS[name] for name in refusing})
            return AbsenceReason("filter", self._target.id, values={"options": refusing}), change
        own = demands.own(compiled)
        far = self._far(topic, options) if own and demands.is_matched(own.required) else None
        if far is not None and options.mode == "semantic":
            return AbsenceReason("meaning", self._target.id, values=far), _Change(
                {"mode": "hybrid"}
            )
        if own and demands.is_matched(own.every_word):
            return AbsenceReason(
                "candidates", self._target.id, values={"better": FARTHEST}
            ), _Change({})
        return self._unmatched(topic, options, demands, far, complete=complete)

    def _unmatched(
        self,
        topic: Expression,
        options: SearchOptions,
        demands: _Demands,
        far: Mapping[str, Any] | None,
        *,
        complete: int,
    ) -> _Loss:
        """Return the parts of a topic that the chunk lacks; `far` is its distance in meaning."""
        best, unmet = demands.unmet(topic)
        if self._meaning is not None and options.mode == "semantic":
            words = plain_words(topic)
            unmet = [part for part in unmet if not any(part is word for word in words)]
        parts = tuple(
            demands.describe(best, demand, self._texts)
            for part in unmet
            for demand in demands.lacking(best, part)
        )
        filtered = bool(unmet) and all(
            filters_only(demand) and not isinstance(demand, Not) for demand in unmet
        )
        lost_at: LostAt = "filter" if filtered else "match"
        change = _Change({}, tuple(unmet))
        values: dict[str, Any] = {"far": far} if far is not None else {}
        lax = demands.own(compile_topic(self._snapshot, topic, options._replace(strict=False)))
        if lax and demands.is_matched(lax.some_words):
            if options.strict:
                lost_at, change = "strict", _Change({"strict": False})
            else:
                lost_at, change = "relaxed", _Change({"max_results": complete + 1})
                values |= {"limit": options.keep_count, "complete": complete}
        return AbsenceReason(lost_at, best.id, unmatched=parts, values=values), change

    def _far(self, topic: Expression, options: SearchOptions) -> dict[str, Any] | None:
        """Return the distance of the chunk's meaning; None if the search does not use meaning."""
        text = "" if options.mode == "lexical" else topic_text(topic)
        if self._meaning is None or not text:
            return None
        target = self._target
        below = range(target.position, target.last_position + 1)
        refs = [(target.doc_id, position) for position in below]
        near = [
            similarity
            for similarity in self._meaning.similarities(text, refs)
            if similarity is not None
        ]
        if not near:
            return {"similarity": None}
        usual = self._meaning.usual(text)
        values: dict[str, Any] = {"similarity": max(near), "least": usual.least}
        whole = self._meaning.document_similarity(text, target.doc_id) if below[1:] else None
        if target.kind == "document" and whole is not None:
            values |= {"whole": whole, "least_whole": usual.least_document}
        return values


def _past_the_cut(
    hits: Sequence[Candidate], number: int, options: SearchOptions
) -> tuple[AbsenceReason, _Change]:
    """Return why match `number`, sorted best first, did not become a result."""
    candidate = hits[number - 1]
    facts: dict[str, Any] = {"rank": number, "score": candidate.score, "of": len(hits)}
    if number > options.candidates:
        values: dict[str, float] = {"better": number - 1, "considered": options.candidates}
        reason = AbsenceReason("candidates", candidate.entry.id, **facts, values=values)
        return reason, _Change({"candidate_limit": number})
    drops = [worse.score / better.score for better, worse in pairwise(hits[:number])]
    cut = next((at for at, drop in enumerate(drops) if drop < options.cutoff_ratio), None)
    change: dict[str, Any] = {"max_results": number} if number > options.keep_count else {}
    if cut is None and not change and options.max_per_document:
        values = {"places": options.max_per_document}
        reason = AbsenceReason("document", candidate.entry.id, score=candidate.score, values=values)
        return reason, _Change({"max_per_document": 0})
    values = {"kept": options.keep_count}
    if cut is not None:
        change["cutoff_ratio"] = math.floor(min(drops) * 1000) / 1000
        facts["ratio"] = drops[cut]
        values |= {
            "ended": cut + 1,
            "last": hits[cut].score,
            "next": hits[cut + 1].score,
            "cutoff_ratio": options.cutoff_ratio,
        }
    return AbsenceReason("cutoff", candidate.entry.id, **facts, values=values), _Change(change)


class _Demands:
    """The conditions that a topic sets for `target` or a chunk below it.

    Each part is searched for by itself, in the chunk and those below it.
    """

    def __init__(self, snapshot: Snapshot, target: Entry, options: SearchOptions):
        self._snapshot = snapshot
        self._target = target
        self._options = options
        self._language = snapshot.language_of(target.tree)
        self._below = Filters(snapshot).compile(Filter("under", target.id))

    def own(self, compiled: Mapping[str | None, CompiledTopic]) -> CompiledTopic | None:
        """Return a topic in the language of the target."""
        return None if self._language is None else compiled.get(self._language.name)

    def is_matched(self, query: Query) -> bool:
        return bool(self._positions(query))

    def refusing_filters(self) -> list[str]:
        """Return the names of the options that exclude the chunk."""
        names = []
        for name, everything in FILTERS.items():
            value = getattr(self._options, name)
            if value != everything and not self._admits(SearchOptions(**{name: value})):
                names.append(name)
        return names

    def _admits(self, options: SearchOptions) -> bool:
        """Whether the filters admit the target or a chunk below it."""
        queries = Filters(self._snapshot).of_options(options)
        admits = section_filter(options.section)
        chunks = self._snapshot.chunks_of(self._target.doc_id)
        below = chunks[self._target.position : self._target.last_position + 1]
        in_section = admits is None or any(map(admits, below))
        return in_section and all(map(self._positions, queries))

    def unmet(self, topic: Expression) -> tuple[Entry, list[Expression]]:
        """Return the chunk with most parts, preferably the target, and the parts it lacks."""
        met = [(part, self._meeting(part)) for part in self._required(topic)]
        first, last = self._target.position, self._target.last_position
        best = max(
            range(first, last + 1),
            key=lambda position: (sum(position in positions for _, positions in met), -position),
        )
        entry = self._snapshot.entry(self._target.doc_id, best) or self._target
        return entry, [part for part, positions in met if best not in positions]

    def lacking(self, entry: Entry, part: Expression) -> list[Expression]:
        """Return the subparts that `entry` lacks; for text without spaces, the words."""
        if not isinstance(part, Term) or part.text.isascii() or self._language is None:
            return [part]
        pieces = split_words(part.text, self._language.analyzer, frequencies_in(self._snapshot))
        words = [Term(piece.text) for piece in pieces if not piece.asks]
        return [word for word in words if entry.position not in self._meeting(word)] or [part]

    def describe(self, entry: Entry, part: Expression, texts: Texts) -> UnmatchedPart:
        """Describe a part that `entry` does not match."""
        inner = part.operand if isinstance(part, Not) else part
        query = self._query_of(inner)
        chunks = 0 if query is None else self._snapshot.count([query])[0]
        near: list[str] = []
        if not isinstance(part, Not):
            words = self._words(entry, texts)
            for node in iter_terms(inner):
                typed = "" if isinstance(node.leaf, Filter) else node.leaf.text.lower()
                near += nearest(typed, words, MAX_SUGGESTED)
        return UnmatchedPart(format_query(inner), isinstance(part, Not), chunks, tuple(near))

    def _required(self, topic: Expression) -> list[Expression]:
        """Return the parts that have to match: stop words only if there is nothing else."""
        parts = [*parts_of(topic)]
        typed_words = {part.text.lower() for part in parts if isinstance(part, Term)}
        spoken = detect_language(
            typed_words, [language.name for language in self._snapshot.languages]
        )
        own = self._language.name if self._language else None
        stops = stop_words(own) | stop_words(spoken)
        required = [
            part for part in parts if not (isinstance(part, Term) and part.text.lower() in stops)
        ]
        return required if any(not filters_only(part) for part in required) else parts

    def _meeting(self, part: Expression) -> Collection[int]:
        """Return the positions of the chunks that match a part; all of them if it has no query."""
        every = range(self._target.position, self._target.last_position + 1)
        negated = isinstance(part, Not)
        query = self._query_of(part.operand if isinstance(part, Not) else part, exact=negated)
        if query is None:
            return every
        meeting = self._positions(query)
        return [position for position in every if position not in meeting] if negated else meeting

    def _query_of(self, part: Expression, *, exact: bool = False) -> Query | None:
        """Return the query for a part alone, without filters; None if it has none."""
        options = unfiltered(self._options)._replace(strict=True)
        if exact:
            options = options._replace(fuzzy_distance=0)
        own = self.own(compile_topic(self._snapshot, part, options))
        return None if own is None else own.every_word

    def _positions(self, query: Query) -> set[int]:
        """Return the positions of the target and the chunks below it that match."""
        most = self._target.last_position - self._target.position + 1
        (matches,) = self._snapshot.search([(AllOf((unscored(query), self._below)), most)])
        return {position for _, position in self._snapshot.refs([chunk for _, chunk in matches])}

    def _words(self, entry: Entry, texts: Texts) -> list[str]:
        """Return the words of a chunk's title and unchanged body, in lower case."""
        body = texts.body(entry)
        text = f"{entry.title}\n{body.shown if body else ''}"[:MAX_READ]
        return list(dict.fromkeys(re.findall(r"\w+", text.lower())))
