"""Explain why a chunk is not among the results: which phase lost it, and what would show it.

The pipeline runs as it does for a search, and the chunk (or one below it) is looked for in
the output of each phase. Then remedies are tried: the settings that a reason calls for are
changed, and the search runs again, until the chunk is a result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from leafmark.index import IndexReader
from leafmark.model import AbsenceReason, Candidate, Entry, LostAt, UnmatchedPart
from leafmark.query import (
    Expression,
    Filter,
    Not,
    all_of,
    filters_only,
    format_query,
    plain_words,
)
from leafmark.retrieval.candidates import TopicSearch
from leafmark.retrieval.compiler import Compiled, compile_for_languages
from leafmark.retrieval.hybrid import find_in_topic
from leafmark.retrieval.meaning import Meaning, topic_text
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.pipeline import Trace, trace_search
from leafmark.retrieval.remedies import PARAM_FILTERS, Change, past_the_cut, without_parts
from leafmark.retrieval.texts import Texts
from leafmark.retrieval.unmatched import Demands

__all__ = ["Absence", "explain_absence"]

FARTHEST = 10_000
"""How many matches are searched for the chunk; beyond them its rank is not told."""

MOST_CHANGES = 8
"""The most changes of settings and query that are tried in a row to show a chunk."""

_ORDER: tuple[LostAt, ...] = (
    "cutoff", "candidates", "relaxed", "strict", "meaning", "match", "filter"
)  # fmt: skip
"""How far a chunk came in a topic, farthest first."""

Ask = Callable[[Sequence[Expression]], Meaning | None]
"""Returns the similarities of topics; None if the search would ask for none."""


class Absence(NamedTuple):
    """What `model.WhyNotReport` says, without the words of the user."""

    reasons: tuple[AbsenceReason, ...]
    shown: Candidate | None = None
    rank: int | None = None
    remedy: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None


def explain_absence(
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams,
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
    with reader.guard("search the index"):
        inquiry = _Inquiry(reader, target, texts, local_trees, ask)
        return inquiry.answer(topics, params)


_Loss: TypeAlias = tuple[AbsenceReason, Change]
"""Why a chunk was lost, and the change that would keep it."""


class _Trial(NamedTuple):
    """A search, and how it differs from the one that was asked for."""

    topics: Sequence[Expression]
    params: SearchParams
    changed: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None

    def after(self, reason: AbsenceReason, change: Change) -> _Trial | None:
        """Return the search with one more change, None if nothing to look for would be left."""
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
            replace(self.params, **change.params),
            {**self.changed, **change.params},
            (*self.without, *map(format_query, change.without)),
            added,
        )


class _Inquiry:
    """The questions about one chunk."""

    def __init__(
        self,
        reader: IndexReader,
        target: Entry,
        texts: Texts,
        local_trees: Collection[str],
        ask: Ask | None,
    ):
        self._ask = ask
        self._meaning: Meaning | None = None
        self._reader = reader
        self._target = target
        self._texts = texts
        self._local_trees = local_trees

    def answer(self, topics: Sequence[Expression], params: SearchParams) -> Absence:
        self._meaning = None if self._ask is None else self._ask(topics)
        trial = _Trial(topics, params)
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
            self._reader,
            trial.topics,
            trial.params,
            self._texts,
            local_trees=self._local_trees,
            meaning=self._meaning,
        )

    def _remedy(self, trial: _Trial, lost: Sequence[_Loss]) -> _Trial | None:
        """Make the change for each reason until the chunk is a result; None if it never is."""
        for _ in range(MOST_CHANGES):
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
        """Get the similarities to the changed topics; return whether all that are needed are there.

        If no words changed, those at hand will do.
        """
        same = [*map(topic_text, trial.topics)] == [*map(topic_text, before.topics)]
        if self._meaning is None or self._ask is None or trial.params.mode == "lexical" or same:
            return True
        self._meaning = self._ask(trial.topics)
        return self._meaning is not None

    # -- among the results ------------------------------------------------------------

    def _shown(self, trace: Trace) -> Absence | None:
        """Return the result that is the chunk or is below it, None if there is none."""
        ranked = [
            (rank, one) for rank, one in enumerate(trace.kept, 1) if self._target.holds(one.entry)
        ]
        if not ranked:
            return None
        itself = self._target.position  # its entry may be that of its introduction
        rank, candidate = min(ranked, key=lambda pair: pair[1].entry.position != itself)
        return Absence((), candidate, rank)

    def _lost(self, trial: _Trial, trace: Trace) -> list[_Loss]:
        """Return why the chunk is not shown, for each topic; where it came farthest first."""
        for rank, candidate in enumerate(trace.ranked, start=1):
            found = self._beside(candidate, rank, trial.params)
            if found is not None:
                return [found]
        reasons = [
            self._in_topic(topic, trace.compiled[at], at, trial.params)
            for at, topic in enumerate(trial.topics)
        ]
        return sorted(reasons, key=lambda pair: _ORDER.index(pair[0].lost_at))

    def _beside(self, candidate: Candidate, rank: int, params: SearchParams) -> _Loss | None:
        """Return how a result hides the chunk: it is past the limit, holds it, or is a copy."""
        by = candidate.entry.id
        past = f", which is result {rank}, past the {params.limit} shown"
        where = past if rank > params.limit else f" (result {rank})"
        parts = candidate.with_constituents()
        part = next((one for one in parts if self._target.holds(one.entry)), None)
        if part is None:
            copy = self._copied(candidate)
            if copy is None:
                return None
            holder = "it" if self._target.holds(copy) else f"it is part of {copy.id}, which"
            exact = copy.id in candidate.also_in
            same = "the same text" if exact else "nearly the same text"
            message = f"{holder} has {same} as {by}{where}, and is named beside it"
            change = Change({}, added=Filter("under", self._target.id))
            return AbsenceReason("duplicate", message, copy.id, rank=rank, by=by), change
        score = part.score
        if part is candidate:
            message = f"it is result {rank}, and {params.limit} are shown"
            reason = AbsenceReason("limit", message, by, rank=rank, score=score)
            return reason, Change({"limit": rank})
        message = f"it is part of {by}{where}"
        reason = AbsenceReason("merged", message, part.entry.id, rank=rank, score=score, by=by)
        return reason, Change({"aggregation": False})

    def _copied(self, candidate: Candidate) -> Entry | None:
        """Return the chunk named beside a result that is the target, below it, or above it."""
        target = self._target
        names = {*candidate.also_in, *(entry.id for entry in candidate.other_versions)}
        for entry in self._reader.chunks_of(target.doc_id) if names else ():
            if entry.id in names and (entry.holds(target) or target.holds(entry)):
                return entry
        return None

    # -- before the results -------------------------------------------------------------

    def _in_topic(
        self,
        topic: Expression,
        compiled: Mapping[str | None, Compiled],
        at: int,
        params: SearchParams,
    ) -> _Loss:
        """Return where a topic lost the chunk, if it is not among its candidates."""
        wide = replace(params, candidate_limit=FARTHEST, max_results=FARTHEST, cutoff_ratio=0.0)
        search = TopicSearch(
            self._reader, topic, list(compiled.values()), wide, at, self._local_trees
        )
        found = find_in_topic(search, self._meaning)
        for tier in (False, True):
            hits = [one for one in found.candidates if one.relaxed == tier]
            number = next(
                (n for n, one in enumerate(hits, 1) if self._target.holds(one.entry)), None
            )
            if number is not None:
                reason, change = past_the_cut(hits, number, params)
                return reason._replace(topic=at), change
        reason, change = self._unseen(topic, compiled, params, strict=found.strict)
        return reason._replace(topic=at), change

    def _unseen(
        self,
        topic: Expression,
        compiled: Mapping[str | None, Compiled],
        params: SearchParams,
        *,
        strict: int,
    ) -> _Loss:
        """Return why the chunk is not even among the first `FARTHEST` candidates of a topic."""
        demands = Demands(self._reader, self._target, params)
        refusing = demands.refusing_filters()
        if refusing:
            options = [PARAM_FILTERS[name].option for name in refusing]
            message = f"{' and '.join(options)} {'leave' if options[1:] else 'leaves'} it out"
            change = Change({name: PARAM_FILTERS[name].everything for name in refusing})
            return AbsenceReason("filter", message, self._target.id), change
        far = self._far(topic, params) if demands.is_matched(compiled, "required") else None
        if far is not None and params.mode == "semantic":
            return AbsenceReason("meaning", far, self._target.id), Change({"mode": "hybrid"})
        if demands.is_matched(compiled, "strict"):
            message = f"more than {FARTHEST:,} chunks match better"
            return AbsenceReason("candidates", message, self._target.id), Change({})
        return self._unmatched(topic, params, demands, far, strict=strict)

    def _unmatched(
        self,
        topic: Expression,
        params: SearchParams,
        demands: Demands,
        far: str | None,
        *,
        strict: int,
    ) -> _Loss:
        """Return which parts of a topic the chunk does not match; `far` says how far it is."""
        best, unmet = demands.unmet(topic)
        if self._meaning is not None and params.mode == "semantic":
            words = plain_words(topic)
            unmet = [part for part in unmet if not any(part is word for word in words)]
        parts = tuple(
            demands.describe(best, each, self._texts)
            for part in unmet
            for each in demands.lacking(best, part)
        )
        lax = compile_for_languages(self._reader, topic, replace(params, strict=False))
        filtered = bool(unmet) and all(map(_is_filter, unmet))
        lost_at: LostAt = "filter" if filtered else "match"
        message, change = _lacking(parts), Change({}, tuple(unmet))
        if far is not None:
            message += f", and {far}"
        if demands.is_matched(lax, "relaxed"):
            if params.strict:
                lost_at, change = "strict", Change({"strict": False})
                message += "; --strict asks for all words"
            else:
                lost_at, change = "relaxed", Change({"limit": strict + 1})
                message += (
                    f"; such matches are added where fewer than {params.limit} chunks match "
                    f"all words, and {strict} do"
                )
        return AbsenceReason(lost_at, message, best.id, unmatched=parts), change

    def _far(self, topic: Expression, params: SearchParams) -> str | None:
        """Say how far the meaning of the chunk is; None if the search does not go by meaning."""
        text = "" if params.mode == "lexical" else topic_text(topic)
        if self._meaning is None or not text:
            return None
        target = self._target
        below = range(target.position, target.last_position + 1)
        places = [(target.doc_id, position) for position in below]
        near = [one for one in self._meaning.similarities(text, places) if one is not None]
        if not near:
            return "it has no vector yet; `leafmark index` makes it"
        usual = self._meaning.usual(text)
        compared = f"{max(near):.2f}, and {usual.least:.2f} is the least"
        whole = self._meaning.document_similarity(text, target.doc_id) if below[1:] else None
        if target.kind == "document" and whole is not None:
            compared += f"; as a whole {whole:.2f}, and {usual.least_document:.2f}"
        return f"its meaning is not near enough ({compared})"


def _is_filter(part: Expression) -> bool:
    return filters_only(part) and not isinstance(part, Not)


def _lacking(parts: Sequence[UnmatchedPart]) -> str:
    """Say which parts of a query the chunk does not match, and why."""
    lacks = [f"“{part.text}”" for part in parts if not part.refuses]
    has = [f"“{part.text}”" for part in parts if part.refuses]
    said = []
    if lacks:
        said.append(f"it lacks {', '.join(lacks)}")
    if has:
        said.append(f"it has {', '.join(has)}, which the query leaves out")
    return " and ".join(said) or "it does not match"
