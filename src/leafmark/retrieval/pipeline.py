"""Topics to an answer: the one pipeline that every search goes through.

compile → candidates → cutoff → topics → grain (aggregation, introductions, ancestors) →
duplicates → rerank → limit → presentation. Each phase goes from list to list and says
what it did. Records are read only for what passed the cutoff, and texts only for
what is shown and for what may be an introduction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from leafmark.errors import DamagedError
from leafmark.index import IndexReader
from leafmark.model import Answer, Candidate, Entry, Hint, Phase, Result, whole_range
from leafmark.query import Expression, format_query
from leafmark.retrieval.candidates import TopicCandidates, TopicSearch
from leafmark.retrieval.compiler import Compile, Compiled, compiling
from leafmark.retrieval.grain import bring_to_grain
from leafmark.retrieval.hints import hints_about
from leafmark.retrieval.hits import Hit
from leafmark.retrieval.hybrid import find_in_topic
from leafmark.retrieval.introductions import Introduce
from leafmark.retrieval.meaning import Meaning
from leafmark.retrieval.naming import find_chunks
from leafmark.retrieval.ordering import Key, join_duplicates, limit_results, sort_results
from leafmark.retrieval.params import SearchParams
from leafmark.retrieval.presenting import Presenter
from leafmark.retrieval.reranking import Rerank, rerank_candidates
from leafmark.retrieval.sections import Admits, section_filter, within_bounds
from leafmark.retrieval.texts import MakeReadable, ReadSource, Texts
from leafmark.retrieval.topics import join_topics
from leafmark.retrieval.versions import join_versions

__all__ = ["Trace", "search", "trace_search"]

BYTES_PER_TOKEN = 4
"""By this a text's tokens are estimated where `aggregation_max_tokens` limits them.

Counting them would double a search. `o200k_base` gives 4.0 bytes a token on Fastify's
Markdown and 4.4 on Django's text (measured on the sets of `eval/`).
"""

MARKUP_FORMATS = ("html", "notebook", "pod", "roff", "info")
"""Formats whose bytes are not their text."""


def search(  # noqa: PLR0913 - all but three are given by name
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams | None = None,
    *,
    read_source: ReadSource,
    local_trees: Collection[str] = (),
    make_readable: MakeReadable | None = None,
    meaning: Meaning | None = None,
    rerank: Rerank | None = None,
    compiled: Compile | None = None,
) -> Answer:
    """Return the answer to one or more topics.

    `query` and `elapsed_ms` of the answer are left to the caller, who knows the
    arguments and the clock. `local_trees` are the project's own. `meaning` gives
    similarities for the modes that want them, `rerank` an order for the best results,
    `compiled` the topics under these parameters, where they have been compiled.

    Raises:
        DamagedError, StorageError: the index cannot be read.
    """
    with reader.guard("search the index"):
        texts = Texts(reader, read_source, make_readable)
        run = _Run(reader, params or SearchParams(), texts, meaning, rerank, compiled)
        return run.answer(topics, local_trees)


def trace_search(
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchParams,
    texts: Texts,
    *,
    local_trees: Collection[str],
    meaning: Meaning | None,
) -> Trace:
    """Return what each phase of a search leaves over, without presenting anything."""
    run = _Run(reader, params, texts, meaning)
    return run.trace(topics, local_trees)


class Trace(NamedTuple):
    """What each phase of a search left over.

    `compiled` and `found` are by topic. `ranked` are the results before the limit.
    """

    compiled: Sequence[Mapping[str | None, Compiled]]
    found: Sequence[TopicCandidates]
    joined: Sequence[Candidate]
    grained: Sequence[Candidate]
    ranked: Sequence[Candidate]
    kept: Sequence[Candidate]
    phases: tuple[Phase, ...]
    presenter: Presenter


class _Run:
    """One search."""

    def __init__(
        self,
        reader: IndexReader,
        params: SearchParams,
        texts: Texts,
        meaning: Meaning | None,
        rerank: Rerank | None = None,
        compiled: Compile | None = None,
    ):
        self._compile = compiled or compiling(reader, params)
        self._rerank = rerank
        self._meaning = None if params.mode == "lexical" else meaning
        self._reader = reader
        self._params = params
        self._texts = texts

    def trace(self, topics: Sequence[Expression], local_trees: Collection[str]) -> Trace:
        compiled = [self._compile(topic) for topic in topics]
        found = [
            find_in_topic(
                TopicSearch(
                    self._reader, topic, list(each.values()), self._params, number, local_trees
                ),
                self._meaning,
            )
            for number, (topic, each) in enumerate(zip(topics, compiled, strict=True))
        ]
        phases = _add_phases(found)
        joined, phase = join_topics([each.candidates for each in found])
        if len(topics) > 1:
            phases.append(phase)
        presenter = Presenter(self._reader, self._texts, compiled)
        grained, steps = bring_to_grain(
            joined,
            self._params,
            find_parent=self._find_parent,
            measure_text=self._measure,
            introduce=Introduce(self._find_next, self._has_matched(presenter)),
            stands_out=presenter.stands_out,
            may_stand=self._may_stand(topics),
        )
        unique, duplicates = self._join_alike(grained)
        phases += [*steps, duplicates]
        if self._rerank is not None and self._params.sort == "score":
            unique, phase = rerank_candidates(
                unique, self._params.rerank_results, self._rerank, self._whole_text
            )
            phases.append(phase)
        ranked = sort_results(unique, self._params.sort, self._modified_ns)
        kept, limited = limit_results(ranked, self._params.limit)
        phases.append(limited)
        return Trace(compiled, found, joined, grained, ranked, kept, tuple(phases), presenter)

    def _join_alike(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], Phase]:
        """Show once what is there in several versions, and what has the same bytes anywhere."""
        digest = self._texts.comparable_digest
        single = join_versions(candidates, self._texts.whole, digest)
        unique = join_duplicates(single, digest)
        note = "results with the same text are shown once"
        if any(one.other_versions for one in unique):
            note += ", and those of several versions that read nearly the same"
        joined = len(unique) < len(candidates)
        return unique, Phase("duplicates", len(candidates), len(unique), note if joined else "")

    def answer(self, topics: Sequence[Expression], local_trees: Collection[str]) -> Answer:
        trace = self.trace(topics, local_trees)
        results = self._present(trace)
        return Answer(
            query="",
            mode="lexical" if self._meaning is None else self._params.mode,
            results=results,
            phases=trace.phases,
            hints=self._hints(topics, trace, results),
            counts={
                "candidates": sum(each.matched for each in trace.found),
                "after_cutoff": len(trace.joined),
                "after_aggregation": len(trace.grained),
                "returned": len(results),
            },
            expressions=tuple(format_query(topic) for topic in topics),
        )

    def _may_stand(self, topics: Sequence[Expression]) -> Admits | None:
        """Return what a parent must fulfil to stand for its children, beside its share of them."""
        sections = section_filter(self._params.section)
        bounds = within_bounds(topics, lambda name: find_chunks(self._reader, name))
        if sections is None or bounds is None:
            return sections or bounds
        return lambda entry: sections(entry) and bounds(entry)

    def _find_parent(self, entry: Entry) -> Entry:
        return self._entry(entry, entry.parent_position, "the parent")

    def _find_next(self, entry: Entry) -> Entry:
        return self._entry(entry, entry.position + 1, "the next chunk")

    def _entry(self, entry: Entry, position: int, what: str) -> Entry:
        """Return the chunk at a position of the document that `entry` is of."""
        found = self._reader.entry(entry.doc_id, position)
        if found is None:
            raise DamagedError(f"the index is damaged: it lacks {what} of {entry.id}")
        return found

    def _measure(self, entry: Entry) -> int:
        """Estimate the tokens of a chunk's whole text; a changed page cannot be measured: 0."""
        start, end = whole_range(entry)
        if self._texts.document(entry).format not in MARKUP_FORMATS:
            return (end - start) // BYTES_PER_TOKEN
        text = self._texts.readable(entry, start, end) or ""
        return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN

    def _whole_text(self, entry: Entry) -> str | None:
        return self._texts.readable(entry, entry.byte_start, entry.byte_end)

    def _modified_ns(self, entry: Entry) -> int:
        return self._texts.document(entry).state.modified_ns

    def _has_matched(self, presenter: Presenter) -> Callable[[Candidate], bool]:
        """Return what tells whether a candidate's own text matched; by meaning it always did."""
        if self._meaning is not None:
            return lambda _candidate: True
        return presenter.has_matches

    def _present(self, trace: Trace) -> tuple[Result, ...]:
        presenter, candidates = trace.presenter, trace.kept
        hits: dict[tuple[int, Key], Hit] = {
            (at, key): hit for at, each in enumerate(trace.found) for key, hit in each.hits.items()
        }
        results = []
        for rank, candidate in enumerate(candidates, start=1):
            result = presenter.present(candidate, rank)
            if self._params.explain:
                from leafmark.retrieval.explaining import explain  # late: few ask

                result = result._replace(factors=explain(candidate, hits, self._reader))
            results.append(result)
        return presenter.with_sections(results, candidates)

    def _hints(
        self, topics: Sequence[Expression], trace: Trace, results: Sequence[Result]
    ) -> tuple[Hint, ...]:
        compiled = [list(each.values()) for each in trace.compiled]
        answered = [each for each in trace.found if each.candidates]
        doubtful = bool(answered) and all(each.doubtful for each in answered)
        found = hints_about(
            self._reader,
            topics,
            self._params,
            compiled,
            trace.ranked,
            results,
            doubtful=doubtful,
        )
        if results:
            return found
        from leafmark.retrieval.emptiness import explain_nothing  # late: most searches find

        why = explain_nothing(self._reader, topics, self._params, self._meaning)
        nowhere = any(hint.code == "nothing-indexed" for hint in why)
        return why if nowhere else (*found, *why)


def _add_phases(found: Sequence[TopicCandidates]) -> list[Phase]:
    """Return the phases of all topics as one list: numbers added, notes joined."""
    phases = []
    for steps in zip(*(each.phases for each in found), strict=True):
        notes = dict.fromkeys(step.note for step in steps if step.note)
        before, after = sum(step.before for step in steps), sum(step.after for step in steps)
        phases.append(Phase(steps[0].name, before, after, "; ".join(notes)))
    return phases
