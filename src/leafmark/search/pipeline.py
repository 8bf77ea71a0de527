"""Topics to an answer: the one pipeline that every search goes through.

compile → score → cutoff → topics → grain (aggregation, introductions, ancestors) → versions
and duplicates → rerank → places per document → limit → presentation. Each phase goes from list
to list and reports what it did. Order is decided before any text is read for show; records
are read only for candidates that passed the cutoff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from leafmark.errors import DamagedError
from leafmark.index import Snapshot
from leafmark.model import (
    Answer,
    Candidate,
    Entry,
    Hint,
    Phase,
    Result,
    whole_range,
)
from leafmark.namedtuples import NamedTuple
from leafmark.query import Expression, Filter, format_query, iter_leaves
from leafmark.search.candidates import (
    FindCandidates,
    TopicMatches,
    Trace,
    find_in_topic,
    names_documents,
)
from leafmark.search.compile import CompiledTopic, compile_topic
from leafmark.search.grain import Introduce, bring_to_grain, filter_ancestors
from leafmark.search.lookup import find_chunks
from leafmark.search.names import name_terms, query_name
from leafmark.search.options import SearchOptions
from leafmark.search.order import (
    Rerank,
    document_of,
    join_duplicates,
    join_topics,
    rerank_candidates,
    sort_results,
)
from leafmark.search.present import MakeReadable, Presenter, ReadSource, Texts
from leafmark.search.sections import Admits, section_filter, within_bounds
from leafmark.search.stop_words import query_language
from leafmark.search.versions import fold_formats, fold_repeats, fold_translations, join_versions
from leafmark.search.vocabulary import vocabulary_of

if TYPE_CHECKING:
    from leafmark.search.fuse import Meaning

BYTES_PER_TOKEN = 4
"""Estimates a text's tokens for `aggregation_max_tokens`.

`o200k_base` gives 4.0 bytes a token on Fastify's Markdown and 4.4 on Django's text (measured on
the sets of `eval/`).
"""

MARKUP_BYTES_PER_TOKEN: Mapping[str, int] = {"html": 10, "notebook": 7, "roff": 5}
"""The same for formats whose bytes are not their text: tags take the rest (measured on manuals)."""

FIRST_PLACES = 10
"""The places of which a document takes at most `max_per_document`: a page of results."""


class Compile:
    """Compiles the topics of one search, and remembers each."""

    def __init__(self, snapshot: Snapshot, options: SearchOptions):
        self._snapshot = snapshot
        self._options = options
        self._known: dict[int, tuple[Expression, Mapping[str | None, CompiledTopic]]] = {}

    def __call__(self, topic: Expression) -> Mapping[str | None, CompiledTopic]:
        known = self._known.get(id(topic))
        if known is None:
            self._expect(topic)
            known = topic, compile_topic(self._snapshot, topic, self._options)
            self._known[id(topic)] = known
        return known[1]

    def _expect(self, topic: Expression) -> None:
        """Count the words of a topic in one call of the engine."""
        leaves = [node.leaf for node in iter_leaves(topic)]
        texts = [leaf.text for leaf in leaves if not isinstance(leaf, Filter)]
        vocabulary_of(self._snapshot).expect(
            (field, term)
            for language in self._snapshot.languages
            for text in texts
            for term in language.analyzer.terms(text)
            for field in language.fields
        )
        vocabulary_of(self._snapshot).expect(
            ("names", term)
            for language in self._snapshot.languages
            for term in name_terms(query_name(language, texts))
        )


def search(  # noqa: PLR0913 - all but three are given by name
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions | None = None,
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
    `compiled` the topics under these options, where they have been compiled.

    Raises:
        DamagedError, StorageError: the index cannot be read.
    """
    texts = Texts(snapshot, read_source, make_readable)
    run = _Run(snapshot, options or SearchOptions(), texts, meaning, rerank, compiled)
    return run.answer(topics, local_trees)


def trace_search(
    snapshot: Snapshot,
    topics: Sequence[Expression],
    options: SearchOptions,
    texts: Texts,
    *,
    local_trees: Collection[str],
    meaning: Meaning | None,
) -> Trace:
    """Return the results of each phase of a search, without presenting them."""
    return _Run(snapshot, options, texts, meaning).trace(topics, local_trees)


class _Unique(NamedTuple):
    """Results that are shown once each, and those of the phases before."""

    by_topic: Sequence[TopicMatches]
    joined: Sequence[Candidate]
    grained: Sequence[Candidate]
    candidates: Sequence[Candidate]
    phases: Sequence[Phase]


class _Run:
    """One search."""

    def __init__(
        self,
        snapshot: Snapshot,
        options: SearchOptions,
        texts: Texts,
        meaning: Meaning | None,
        rerank: Rerank | None = None,
        compiled: Compile | None = None,
    ):
        self._compile = compiled or Compile(snapshot, options)
        self._rerank = rerank
        self._meaning = None if options.mode == "lexical" else meaning
        self._snapshot = snapshot
        self._options = options
        self._texts = texts

    def trace(self, topics: Sequence[Expression], local_trees: Collection[str]) -> Trace:
        """Return the results of each phase.

        If results do not reach the limit because matches were joined, candidates get twice the
        places, and what these add comes behind, unless another order than that by score is wanted.
        """
        options, results = self._options, list[Candidate]()
        compiled = [self._compile(topic) for topic in topics]
        searches = self._searches(topics, compiled, local_trees)
        places, end, is_cut = options.keep_count, options.offset + options.limit, True
        while is_cut and len(results) < end:
            unique = self._unique([search(places) for search in searches], topics)
            steps = self._append(results, unique.candidates, topics)
            is_cut = any(topic.is_cut for topic in unique.by_topic)
            places *= 2
        results = sort_results(
            results, options.sort, lambda entry: self._texts.document(entry).state.modified_ns
        )
        shown = results[options.offset : end]
        left = len(results) - end
        note = f"{left} more follow; a larger limit or an offset shows them" if left > 0 else ""
        phases = (*unique.phases, *steps, Phase("limit", len(results), len(shown), note))
        shown = _with_more(shown, results, unique.by_topic)
        return Trace(
            compiled, unique.by_topic, unique.joined, unique.grained, results, shown, phases
        )

    def _searches(
        self,
        topics: Sequence[Expression],
        compiled: Sequence[Mapping[str | None, CompiledTopic]],
        local_trees: Collection[str],
    ) -> list[FindCandidates]:
        return [
            find_in_topic(
                self._snapshot,
                topic,
                list(compiled_topic.values()),
                self._options,
                number=number,
                local_trees=local_trees,
                meaning=self._meaning,
            )
            for number, (topic, compiled_topic) in enumerate(zip(topics, compiled, strict=True))
        ]

    def _unique(self, by_topic: list[TopicMatches], topics: Sequence[Expression]) -> _Unique:
        """Return the results of some candidates, each once."""
        phases = _add_phases(by_topic)
        joined, phase = join_topics([topic.candidates for topic in by_topic])
        if len(topics) > 1:
            phases.append(phase)
        grained, steps = bring_to_grain(
            joined,
            self._options,
            find_parent=lambda entry: self._entry(entry, entry.parent_position, "the parent"),
            measure_text=self._measure,
            introduce=Introduce(
                lambda entry: self._entry(entry, entry.position + 1, "the next chunk")
            ),
            may_stand=self._may_stand(topics),
        )
        candidates, duplicates = self._join_alike(grained, topics)
        return _Unique(by_topic, joined, grained, candidates, (*phases, *steps, duplicates))

    def _append(
        self,
        results: list[Candidate],
        candidates: Sequence[Candidate],
        topics: Sequence[Expression],
    ) -> list[Phase]:
        """Append the candidates that no result stands for to the results, best first."""
        options, phases = self._options, list[Phase]()
        if self._rerank is not None and options.sort == "score" and not results:
            candidates, phase = rerank_candidates(
                candidates,
                options.rerank_results,
                self._rerank,
                lambda entry: self._texts.readable(entry, entry.byte_start, entry.byte_end),
            )
            phases.append(phase)
        is_open = any(map(names_documents, topics))
        most = 0 if is_open or options.sort != "score" else options.max_per_document
        placed, phase = _give_places(_apart(candidates, results), results, most)
        results += placed
        return [*phases, phase]

    def _join_alike(
        self, candidates: Sequence[Candidate], topics: Sequence[Expression]
    ) -> tuple[list[Candidate], Phase]:
        """Fold versions, translations, and results with the same bytes into one result each."""
        digest = self._texts.comparable_digest
        single = list(candidates)
        if self._options.fold_versions:
            single = fold_translations(single, lambda: query_language(topics))
            single = join_versions(single, self._texts.whole, digest)
            single = fold_repeats(
                single,
                self._texts.whole,
                digest,
                lambda entry: self._texts.document(entry).chunk_count,
            )
            single = fold_formats(single, self._texts.titles)
        unique = join_duplicates(single, digest)
        note = ""
        if len(unique) < len(candidates):
            note = "results with the same text are shown once"
            if any(candidate.other_versions for candidate in unique):
                note += ", and those of several versions, languages or formats"
        return unique, Phase("duplicates", len(candidates), len(unique), note)

    def answer(self, topics: Sequence[Expression], local_trees: Collection[str]) -> Answer:
        trace = self.trace(topics, local_trees)
        results = self._present(trace)
        return Answer(
            query="",
            mode="lexical" if self._meaning is None else self._options.mode,
            results=results,
            phases=trace.phases,
            hints=self._hints(topics, trace, results),
            counts={
                "candidates": sum(topic.total for topic in trace.matches),
                "after_cutoff": len(trace.joined),
                "after_aggregation": len(trace.grained),
                "ranked": len(trace.ranked),
                "returned": len(results),
            },
            expressions=tuple(format_query(topic) for topic in topics),
        )

    def _may_stand(self, topics: Sequence[Expression]) -> Admits | None:
        """Return the further condition for a parent to stand for its children."""
        sections = section_filter(self._options.section)
        bounds = within_bounds(topics, lambda name: find_chunks(self._snapshot, name))
        if sections is None or bounds is None:
            return sections or bounds
        return lambda entry: sections(entry) and bounds(entry)

    def _entry(self, entry: Entry, position: int, what: str) -> Entry:
        """Return the chunk at a position of the document of `entry`."""
        parent = self._snapshot.entry(entry.doc_id, position)
        if parent is None:
            raise DamagedError(f"the index is damaged: it lacks {what} of {entry.id}")
        return parent

    def _measure(self, entry: Entry) -> int:
        """Estimate the tokens of a chunk's whole text."""
        start, end = whole_range(entry)
        form = self._texts.document(entry).format
        return (end - start) // MARKUP_BYTES_PER_TOKEN.get(form, BYTES_PER_TOKEN)

    def _present(self, trace: Trace) -> tuple[Result, ...]:
        presenter = Presenter(self._snapshot, self._texts, trace.compiled)
        results = []
        for rank, candidate in enumerate(trace.shown, start=self._options.offset + 1):
            result = presenter.present(candidate, rank)
            if self._options.explain:
                from leafmark.search.explain import explain  # late: few ask

                scored = [topic.scored for topic in trace.matches]
                result = result._replace(factors=explain(candidate, scored, self._snapshot))
            results.append(result)
        return presenter.with_sections(results, trace.shown)

    def _hints(
        self, topics: Sequence[Expression], trace: Trace, results: Sequence[Result]
    ) -> tuple[Hint, ...]:
        from leafmark.search.hints import hints_about  # late: it imports what few searches need

        return hints_about(
            self._snapshot, topics, self._options, trace, results, self._meaning, self._texts
        )


def _apart(candidates: Sequence[Candidate], results: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the candidates that are not, have no part of and are no part of the results."""
    if not results:
        return candidates
    shown = {id for result in results for id in _ids(result)}
    merged, _ = filter_ancestors([*results, *candidates])
    outermost = {candidate.entry.id for candidate in merged}
    return [
        candidate
        for candidate in candidates
        if candidate.entry.id in outermost and shown.isdisjoint(_ids(candidate))
    ]


def _ids(result: Candidate) -> Iterator[str]:
    """Yield the ids of all that a result stands for."""
    for part in result.with_constituents():
        yield part.entry.id
        yield from part.also_in
        yield from (entry.id for entry in part.other_versions)


def _give_places(
    ranked: Sequence[Candidate], before: Sequence[Candidate], most: int
) -> tuple[list[Candidate], Phase]:
    """Return the results that follow those `before`, with surplus ones of a document at the end.

    A document takes at most `most` of the first places; 0 is no limit.
    """
    if not most:
        return list(ranked), Phase("documents", len(ranked), len(ranked))
    taken = Counter(document_of(candidate.entry) for candidate in before)
    placed: list[Candidate] = []
    behind: list[Candidate] = []
    for at, candidate in enumerate(ranked):
        if len(before) + len(placed) >= FIRST_PLACES:
            behind += ranked[at:]
            break
        document = document_of(candidate.entry)
        taken[document] += 1
        (placed if taken[document] <= most else behind).append(candidate)
    moved = sum(candidate is not other for candidate, other in zip(ranked, placed, strict=False))
    note = f"{most} of the first {FIRST_PLACES} are of one document at most" if moved else ""
    return [*placed, *behind], Phase("documents", len(ranked), len(ranked), note)


def _with_more(
    page: Sequence[Candidate], ranked: Sequence[Candidate], by_topic: Sequence[TopicMatches]
) -> list[Candidate]:
    """Return the results, the last one of each document with the number of further ones."""
    more = Counter([document_of(candidate.entry) for candidate in ranked])
    shown = [document_of(candidate.entry) for candidate in page]
    last = {document: at for at, document in enumerate(shown)}
    found_more = list(page)
    for document, at in last.items():
        doc_id = page[at].entry.doc_id
        beyond = sum(topic.beyond.get(doc_id, 0) for topic in by_topic)
        count = more[document] + beyond - shown.count(document)
        if count:
            found_more[at] = page[at]._replace(more=count)
    return found_more


def _add_phases(by_topic: Sequence[TopicMatches]) -> list[Phase]:
    """Return the phases of all topics as one list: numbers added, notes joined."""
    if len(by_topic) == 1:
        return list(by_topic[0].phases)
    columns = zip(*(topic.phases for topic in by_topic), strict=True)
    return [
        Phase(
            steps[0].name,
            sum(step.before for step in steps),
            sum(step.after for step in steps),
            "; ".join(dict.fromkeys(step.note for step in steps if step.note)),
        )
        for steps in columns
    ]
