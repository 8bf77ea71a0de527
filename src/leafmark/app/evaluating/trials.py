"""One way to search, tried on one query after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import search_index
from leafmark.app.configuration.project import Project
from leafmark.app.evaluating.judging import Library
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import EvaluationRequest, SearchRequest
from leafmark.chunking import token_counter
from leafmark.errors import NotFoundError, ProviderError, QueryError, UsageError
from leafmark.evaluation import (
    JudgedQuery,
    Outcome,
    Passage,
    Read,
    abridged,
    covers,
    measure,
    overlaps,
    perfect_values,
    rank_of,
    shared_bytes,
    tokens_to,
)
from leafmark.index import IndexReader
from leafmark.model import Answer, Entry, Result, whole_range
from leafmark.query import parse_topics
from leafmark.search.grain import introduction_of, may_introduce

__all__ = ["Reading", "Trial", "check_query"]

TOKENIZER = "o200k_base"
"""What a reader's tokens are counted in, whatever chunks are measured by."""

DOUBTFUL = "doubtful"
"""The code of the hint that marks an answer which may be none."""

WITHOUT_MODEL = {
    "provider": "by its meaning",
    "no-vectors": "by its meaning",
    "pending-vectors": "by the meaning of all chunks",
    "reranker": "with the reranker",
}
"""Codes of the hints that say that an answer lacks what a model was to give, or some of it."""

DEAR_TOKENS = 1000
"""Reading more than this to come upon an answer is worth a word; chosen by eye."""

MOST_DIAGNOSED = 200
"""Matches among which a lost answer is looked for."""


@dataclass(slots=True)
class Reading:
    """What a reader reads: the tokens of spans, each counted once for all ways to search."""

    library: Library
    counts: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def read(self, entry: Entry) -> Read:
        """Return a chunk with its heading and all that is below it."""
        key = (entry.doc_id, *whole_range(entry))
        if key not in self.counts:
            self.counts[key] = token_counter(TOKENIZER)(self.library.text(*key))
        return Read(*key, self.counts[key])


def check_query(project: Project, query: JudgedQuery) -> None:
    """Refuse a query that cannot be understood, or whose tree is not of this project.

    Raises:
        UsageError: it is such a query; it is named with its place.
    """
    with _searching(project, query):
        parse_topics((query.query,))
        if query.tree:
            project.get_tree(query.tree)


@contextmanager
def _searching(project: Project, query: JudgedQuery) -> Iterator[None]:
    """Within it a query is understood or searched; what is wrong with it is said with its place."""
    try:
        yield
    except (QueryError, NotFoundError) as error:
        trees = ", ".join(tree.name for tree in project.trees)
        known = f"there are: {trees}" if trees else None
        raise UsageError(
            f"the query {abridged(query.query)} cannot be searched: {error.message}",
            location=query.location,
            hint=error.hint if isinstance(error, QueryError) else error.hint or known,
        ) from error


class Trial:
    """One way to search: an index with its settings."""

    def __init__(
        self, project: Project, reader: IndexReader, request: EvaluationRequest, reading: Reading
    ):
        self._project = project
        self._reader = reader
        self._request = request
        self._reading = reading
        self._sources = Sources(project)
        self._resolver = Resolver(reader, reader.manifest)

    @property
    def chunks(self) -> int:
        """How many chunks its index has."""
        return sum(counts.chunks for counts in self._reader.trees.values())

    @property
    def limit(self) -> int:
        """How many results of a query are judged: where nothing else is said, all that are kept.

        Metrics by rank look at the first ten of them. Those by tokens go on to 5,000, which ten
        small results do not reach.
        """
        search = self._project.configuration.search
        return self._request.limit or max(search.limit, search.max_results)

    def run(self, query: JudgedQuery, passages: tuple[Passage, ...]) -> Outcome:
        """Return what the query comes to.

        Raises:
            UsageError: the query cannot be searched.
        """
        answer = self._search(self._project, query)
        results = self._reads(answer, passages)
        doubtful = any(hint.code == DOUBTFUL for hint in answer.hints)
        cover_rank = rank_of(results, passages, covers)
        outcome = Outcome(
            query,
            measure(results, passages, doubtful=doubtful),
            tuple(result.entry.id for result in answer.results),
            rank_of(results, passages, overlaps),
            cover_rank,
            tokens_to(results, cover_rank),
            doubtful,
            perfect=perfect_values([*self._chunks_about(passages), *results], passages),
        )
        if not (self._request.diagnose and passages):
            return outcome
        return outcome._replace(lost=self._lost(outcome, passages, answer))

    def _search(self, project: Project, query: JudgedQuery, *, aggregation: bool = True) -> Answer:
        request = SearchRequest(
            queries=(query.query,),
            limit=self.limit if project is self._project else None,
            trees=(query.tree,) if query.tree else (),
            aggregation=aggregation,
        )
        with _searching(project, query):
            answer = search_index(project, self._reader, request, self._sources)
        for hint in answer.hints:
            if hint.code in WITHOUT_MODEL:
                raise ProviderError(
                    f"the query {abridged(query.query)} cannot be judged "
                    f"{WITHOUT_MODEL[hint.code]}: {hint.reason}",
                    location=query.location,
                    hint="without it the figures would be those of another search: evaluate again",
                )
        return answer

    def _reads(self, answer: Answer, passages: Sequence[Passage]) -> list[Read]:
        return [self._read(result, passages) for result in answer.results]

    def _read(self, result: Result, passages: Sequence[Passage]) -> Read:
        """Return a result as it is read; of places with the same bytes the one that answers."""
        first = self._reading.read(result.entry)
        others = [self._reading.read(self._resolver.resolve(name)) for name in result.also_in]
        return max(
            [first, *others],
            key=lambda read: max((shared_bytes(read, each) for each in passages), default=0),
        )

    def _chunks_about(self, passages: Sequence[Passage]) -> list[Read]:
        """Return the chunks and introductions that share bytes with a passage."""
        names = dict.fromkeys(passage.doc_id for passage in passages)
        entries = [entry for name in names for entry in self._with_introductions(name)]
        spans = [Passage(entry.doc_id, *whole_range(entry)) for entry in entries]
        return [
            self._reading.read(entry)
            for entry, span in zip(entries, spans, strict=True)
            if any(shared_bytes(span, passage) for passage in passages)
        ]

    def _with_introductions(self, doc_id: str) -> Iterator[Entry]:
        """Yield what a search may give of a document: its chunks, and the text of large ones."""
        for entry in self._reader.chunks_of(doc_id):
            yield entry
            introduction = self._introduction(entry)
            if introduction is not None:
                yield introduction

    def _introduction(self, entry: Entry) -> Entry | None:
        """Return a large chunk as it stands for its own text alone, None for any other."""
        limit = self._project.configuration.search.aggregation_max_tokens
        if limit and may_introduce(entry, limit, lambda one: self._reading.read(one).tokens):
            first_below = self._reader.entry(entry.doc_id, entry.position + 1)
            return None if first_below is None else introduction_of(entry, first_below)
        return None

    def _lost(self, outcome: Outcome, passages: Sequence[Passage], answer: Answer) -> str:
        """Say why the answer was not found, or was found dear; empty where nothing is wrong."""
        if outcome.rank is None:
            return self._lost_before(outcome.query, passages, answer)
        if outcome.tokens is None:
            return "cut up: no result covers half of it"
        if outcome.tokens <= DEAR_TOKENS:
            return ""
        found = self._reads(answer, passages)[(outcome.cover_rank or 1) - 1].tokens
        where = "its own" if 2 * found > outcome.tokens else "of results before it"
        return f"dear: {outcome.tokens:,} tokens, most of them {where}"

    def _lost_before(self, query: JudgedQuery, passages: Sequence[Passage], answer: Answer) -> str:
        """Say which phase lost an answer that no result overlaps."""
        matched = self._search(self._lenient(), query, aggregation=False)
        shown = [
            one._replace(entry=self._introduction(one.entry) or one.entry)
            for one in matched.results
        ]
        rank = rank_of([self._read(one, passages) for one in shown], passages, overlaps)
        if rank is None:
            return _not_among(matched)
        partly = " and matches some of the words only" if matched.results[rank - 1].relaxed else ""
        kept = answer.counts["after_cutoff"]
        if rank > kept:
            return f"cut off: ranks {rank} of the matches{partly}, of which {kept} were kept"
        return f"crowded out: ranks {rank} of the matches{partly}"

    def _lenient(self) -> Project:
        """Return the project with settings under which nothing is cut off or merged."""
        configuration = self._project.configuration
        most = MOST_DIAGNOSED
        search = replace(
            configuration.search,
            limit=most, max_results=most, candidate_limit=most, cutoff_ratio=0
        )
        return replace(self._project, configuration=replace(configuration, search=search))


def _not_among(matched: Answer) -> str:
    """Say that what answers a query is not among its matches, or not among the first of them."""
    shown, seen = len(matched.results), matched.counts["after_cutoff"]
    if not shown:
        return "nothing matches"
    if seen < matched.counts["candidates"]:
        return f"not found: not among the first {seen} matches, and there are more"
    return f"not matched: not among {shown} match{'' if shown == 1 else 'es'}"
