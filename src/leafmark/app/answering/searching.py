"""Answer a query: refresh the index, search it, and read the texts shown from the sources."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from leafmark.app.answering.opening import left_out_hints, mending, open_index, report_hints
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import Progress, SearchRequest, WhyNotRequest
from leafmark.errors import LeafmarkError, QueryError, UsageError
from leafmark.index import IndexReader
from leafmark.model import (
    Answer,
    Entry,
    Hint,
    Packing,
    Result,
    WhyNotReport,
    bytes_in,
    heading_and_span,
)
from leafmark.namedtuples import NamedTuple
from leafmark.patterns import lazy_pattern
from leafmark.query import (
    DEFAULT_LIMITS,
    Expression,
    Filter,
    Phrase,
    Prefix,
    all_of,
    any_of,
    iter_leaves,
    parse_topics,
    plain_query,
)
from leafmark.search import SearchOptions, search
from leafmark.search.options import Mode
from leafmark.search.pipeline import Compile
from leafmark.search.present import Texts

if TYPE_CHECKING:
    from leafmark.app.answering.meaning import QueryVectors
    from leafmark.app.background import Reranking
    from leafmark.search.fuse import Meaning
    from leafmark.search.order import Rerank


@mending
def search_project(
    project: Project, request: SearchRequest, *, progress: Progress | None = None
) -> Answer:
    """Return the answer to a request, its results read from the sources.

    Raises:
        QueryError: a query cannot be parsed.
        UsageError: a parameter is outside its range.
        NotFoundError: a tree is not of this project, or there is no index.
    """
    parsed = parse_request(project, request)
    reader, hints = open_index(project, request, progress)
    return _answer(project, reader, parsed, request, Sources(project), hints)


def search_index(
    project: Project, reader: IndexReader, request: SearchRequest, sources: Sources
) -> Answer:
    """Return the answer from an index that is open; many answers may share their `sources`."""
    return _answer(project, reader, parse_request(project, request), request, sources)


class ParsedRequest(NamedTuple):
    """A parsed request.

    The `vectors` of its topics are computed, and `reranking`, the model that orders the best
    results, is loaded in the background.
    """

    topics: Sequence[Expression]
    params: SearchOptions
    vectors: QueryVectors | None
    reranking: Reranking | None
    shortened: bool = False

    def meaning(
        self, reader: IndexReader, compiled: Compile, sources: Sources
    ) -> tuple[Meaning | None, tuple[Hint, ...]]:
        """Return the vector side of the search, and hints about missing vectors."""
        return (
            (None, ()) if self.vectors is None else self.vectors.answer(reader, compiled, sources)
        )


def parse_request(project: Project, request: SearchRequest) -> ParsedRequest:
    """Return the parsed request, and start its vectors and its reranker.

    A text too long for a query, such as a pasted log, is searched as plain text by its first words.
    """
    limits, text = DEFAULT_LIMITS, " ".join(request.queries)
    is_long = len(text) > limits.length or len(text.split()) > limits.terms
    is_plain = request.plain
    try:
        topics = _topics(project, request)
    except QueryError:
        if is_plain or not is_long:
            raise
        is_plain = True
        topics = _topics(project, request._replace(plain=True))
    params = search_params(project, request)
    vectors = ask_topics(project, topics, request)
    reranking = _reranking(project, topics)
    return ParsedRequest(topics, params, vectors, reranking, shortened=is_plain and is_long)


def _written(request: SearchRequest) -> Sequence[str]:
    """Return the queries to parse; with `plain`, without any operators."""
    if not request.plain:
        return request.queries
    return [query for query in map(plain_query, request.queries) if query] or request.queries


def _topics(project: Project, request: SearchRequest) -> Sequence[Expression]:
    """Return the topics of a request, each with all of its filters.

    A request without queries that narrows the search by tag, date or section gets one topic:
    all documents of the project's trees.
    """
    filters: list[Expression] = [Filter(name, value) for name, value in request.filters]
    if not request.queries and (request.tags or request.since or request.section):
        filters.append(any_of(Filter("tree", tree.name) for tree in project.trees))
    if filters and not request.queries:
        return [all_of(filters)]
    topics = parse_topics(_written(request))
    return [all_of([topic, *filters]) for topic in topics] if filters else topics


def _as_plain(parsed: ParsedRequest, request: SearchRequest) -> SearchRequest | None:
    """Return the request for the same words as plain text.

    None if it is plain already, has no operators, or has a filter in its query: a plain search
    would look for the words of that filter.
    """
    leaves = [leaf for topic in parsed.topics for leaf in iter_leaves(topic)]
    filters = sum(isinstance(leaf.leaf, Filter) for leaf in leaves)
    if request.plain or filters > len(request.filters) * len(parsed.topics):
        return None
    has_operators = any(
        leaf.negated or leaf.field or isinstance(leaf.leaf, Phrase | Prefix) for leaf in leaves
    )
    return request._replace(plain=True) if has_operators else None


def ask_topics(
    project: Project, topics: Sequence[Expression], request: SearchRequest
) -> QueryVectors | None:
    """Start to compute the vectors of topics, unless the search is by words only."""
    mode = search_mode(project, request.mode)
    if mode == "lexical":
        return None
    from leafmark.app.answering.meaning import (
        ask_meaning,  # late: searches by words need none of it
    )

    is_chosen = (request.mode or project.configuration.search.mode) != "auto"
    return ask_meaning(project, topics, mode, is_chosen=is_chosen)


def _reranking(project: Project, topics: Sequence[Expression]) -> Reranking | None:
    if project.configuration.rerank.provider == "none":
        return None
    from leafmark.app.background import ask_reranker  # late: few searches have one
    from leafmark.search.stop_words import topic_text

    return ask_reranker(project, " ".join(filter(None, map(topic_text, topics))))


def search_mode(project: Project, requested: Mode | None = None) -> str:
    """Return the mode of a search: the requested one, else the setting's, else by the embedder."""
    mode = requested or project.configuration.search.mode
    if mode != "auto":
        return mode
    return "lexical" if project.configuration.embedding.in_force == "none" else "hybrid"


def _answer(
    project: Project,
    reader: IndexReader,
    parsed: ParsedRequest,
    request: SearchRequest,
    sources: Sources,
    hints: tuple[Hint, ...] = (),
) -> Answer:
    """Return the answer, or the answer to the same words as plain text if that is better.

    The plain one is better where no result matches all words and its best result is missing from
    the first answer: the user pasted a message that has quotes of its own.
    """
    began = time.perf_counter()
    answer = _searched(project, reader, parsed, sources)
    is_met = not all(result.relaxed for result in answer.results)
    plain = None if is_met or request.offset else _as_plain(parsed, request)
    if plain is not None:
        plain_answer = _searched(project, reader, parse_request(project, plain), sources)
        known = {part.id for result in answer.results for part in result.with_constituents()}
        if plain_answer.results and plain_answer.results[0].id not in known:
            marked = tuple(result._replace(relaxed=True) for result in plain_answer.results)
            others = (hint for hint in plain_answer.hints if hint.code != "relaxed")
            answer = plain_answer._replace(results=marked, hints=(Hint("plain"), *others))
    if parsed.shortened:
        hints = (*hints, Hint("shortened"))
    answer = answer._replace(
        query=" ".join(request.queries),
        hints=(*hints, *project_hints(project, answer)),
        elapsed_ms=(time.perf_counter() - began) * 1000,
    )
    return complete_answer(project, reader, answer, request, sources)


def _searched(
    project: Project, reader: IndexReader, parsed: ParsedRequest, sources: Sources
) -> Answer:
    """Return the bare answer, with hints about missing vectors and a missing reranker."""
    compiled = Compile(reader, parsed.params)
    meaning, missing = parsed.meaning(reader, compiled, sources)
    reranking = parsed.reranking
    answer = answer_topics(
        project,
        reader,
        parsed.topics,
        parsed.params,
        sources,
        meaning=meaning,
        rerank=reranking,
        compiled=compiled,
    )
    missing = (*missing, *vector_hints(meaning))
    if reranking is not None:
        missing = (*missing, *reranking.hints)
    return answer._replace(hints=(*missing, *answer.hints))


def vector_hints(meaning: Meaning | None) -> tuple[Hint, ...]:
    """Return hints about vectors that a search found damaged or not ready."""
    hints = []
    if meaning is not None and meaning.late:
        some, is_one = meaning.late, meaning.late == 1
        reason = "a match has no vector yet" if is_one else f"{some} matches have no vector yet"
        hints.append(Hint("late-vectors", reason=reason, values={"count": some}))
    if meaning is not None and meaning.damaged:
        hints.append(Hint("damaged-vectors", reason="some vectors are damaged"))
    return tuple(hints)


def project_hints(project: Project, answer: Answer) -> tuple[Hint, ...]:
    """Return hints about sources that were not searched, then the hints of the answer itself.

    A project without trees was not searched, so the hints of its answer are left out.
    """
    hints = left_out_hints(project)
    if not answer.results:
        hints += _folder_hints(project)
    return hints + answer.hints if project.trees else hints


def answer_topics(  # noqa: PLR0913 - the last three are given by name
    project: Project,
    reader: IndexReader,
    topics: Sequence[Expression],
    params: SearchOptions,
    sources: Sources,
    *,
    meaning: Meaning | None = None,
    rerank: Rerank | None = None,
    compiled: Compile | None = None,
) -> Answer:
    """Return the answer to topics, without what `complete_answer` adds."""
    return search(
        reader,
        topics,
        params,
        read_source=sources.data,
        make_readable=sources.readable,
        local_trees=project.local_trees,
        meaning=meaning,
        rerank=rerank,
        compiled=compiled,
    )


def complete_answer(
    project: Project, reader: IndexReader, answer: Answer, request: SearchRequest, sources: Sources
) -> Answer:
    """Return the answer with the texts and records that the request asks for.

    A hint says so if a part of the index did not answer.
    """
    results = answer.results
    if request.full_text:
        results = tuple(_with_text(result, sources) for result in results)
    if request.expand:
        from leafmark.app.answering.budgeting import expand_found  # late: few searches ask for it

        whole = request.full_text or request.packed
        results = expand_found(results, request.expand, reader, sources, whole=whole)
    records = _records(results, sources, reader) if request.full_records else {}
    packing, tokenizer = _packed(project, request, results, reader, sources)
    partial = (Hint("partial"),) if reader.is_partial else ()
    return answer._replace(
        results=results,
        hints=(*answer.hints, *partial),
        records=records,
        roots={tree.name: str(tree.root) for tree in project.trees},
        packing=packing,
        tokenizer=tokenizer,
    )


def _packed(
    project: Project,
    request: SearchRequest,
    results: tuple[Result, ...],
    reader: IndexReader,
    sources: Sources,
) -> tuple[Packing | None, str]:
    """Return the packing, None unless requested, and the tokenizer that budgets are counted in."""
    tokenizer = project.configuration.chunking.tokenizer
    if not request.packed:
        return None, tokenizer
    from leafmark.app.answering.budgeting import pack_found  # late: few searches have a budget

    return pack_found(results, reader, sources, tokenizer), tokenizer


def _folder_hints(project: Project) -> tuple[Hint, ...]:
    """Return a hint if the user's own trees were searched instead of the current folder."""
    folder = project.configuration.directory
    if project.keys_of(folder) or project.local_trees or not project.trees:
        return ()
    names = [tree.name for tree in project.trees]
    return (Hint("other-folder", values={"folder": str(folder), "trees": names}),)


def search_params(project: Project, request: SearchRequest) -> SearchOptions:
    """Return the options of the search: those of the request, else the settings.

    Raises:
        NotFoundError: a tree is not of this project.
        UsageError: a parameter is outside its range, or `since` is no time.
    """
    settings = project.configuration.search
    for name in request.trees:
        project.get_tree(name)
    values: dict[str, Any] = {name: getattr(settings, name) for name in SearchOptions._fields}
    fields = request._asdict()
    since = None
    if request.since is not None:
        since = parse_since(request.since, now=datetime.now().astimezone()) / 1_000_000_000
    values |= {name: fields[name] for name in values if fields.get(name) is not None}
    values |= {
        "mode": search_mode(project, request.mode),
        "rerank_results": project.configuration.rerank.results,
        "since": since,
    }
    return SearchOptions(**values)


def _records(
    results: tuple[Result, ...], sources: Sources, reader: IndexReader
) -> dict[str, Mapping[str, Any]]:
    """Return the full records of the results whose sources and settings have not changed."""
    # late: only records have links
    from leafmark.app.linking import KnownKeys, Links, indexed_place

    links = Links(indexed_place(reader), KnownKeys(reader.manifest))
    records: dict[str, Mapping[str, Any]] = {}
    for result in results:
        chunked = None if result.stale else sources.chunked(result.document, reader)
        if chunked is not None:
            record = chunked.chunks[result.entry.position].to_dict()
            records[result.entry.id] = links.resolve(record, result.document)
    return records


def _with_text(result: Result, sources: Sources) -> Result:
    """Return the result with its heading and whole section as text."""
    data = None if result.stale else sources.data(result.document)
    if data is None:
        return result
    ranges = heading_and_span(result.entry)
    reading = sources.reading(result.document, ranges)
    if reading is not None:
        return result._replace(full_text=reading.all_shown, reading=reading)
    return result._replace(full_text=bytes_in(data, ranges).decode("utf-8", "replace"))


# `--since`: an age such as `7d`, or a date, as a point in time.


_AGE = lazy_pattern(r"(\d{1,6})\s*([smhdwy])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_since(text: str, *, now: datetime) -> int:
    """Return the moment that `text` names, in nanoseconds since 1970, as `st_mtime_ns` counts.

    `text` is an age before `now`, which has a time zone (`90s`, `15m`, `36h`, `7d`, `2w`, `1y`),
    or an ISO 8601 date or time; one without an offset is in `now`'s zone.

    Raises:
        UsageError: `text` is neither.

    >>> parse_since("1970-01-02", now=datetime(2026, 1, 1, tzinfo=UTC))
    86400000000000
    """
    moment = _before(text, now) or _read_date(text, now)
    if moment is None:
        raise UsageError(
            f"`{text}` is neither an age nor a date",
            hint="write an age (90s, 15m, 36h, 7d, 2w, 1y) or a date (2026-01-31)",
        )
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def _before(text: str, now: datetime) -> datetime | None:
    match = _AGE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return now - timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _read_date(text: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


# Why a chunk is not among the results of a search: `leafmark why-not`.


@mending
def explain_why_not(
    project: Project, request: WhyNotRequest, *, progress: Progress | None = None
) -> WhyNotReport:
    """Return the phase that lost the chunk, and what would show it, with the hints of a search.

    Raises:
        AmbiguousError, NotFoundError: the id names several chunks or none; there is no index.
        QueryError, UsageError: see `search_project`.
    """
    from leafmark.search.whynot import explain_missing  # late: searches need none of it

    search = request.search
    parsed = parse_request(project, search)
    reader, hints = open_index(project, search, progress)
    hints = (*hints, *left_out_hints(project))
    target = _resolved(project, reader, request.id, hints)
    compiled = Compile(reader, parsed.params)
    sources = Sources(project)
    meaning, missing = parsed.meaning(reader, compiled, sources)

    def ask(topics: Sequence[Expression]) -> Meaning | None:
        if topics is parsed.topics:
            return meaning
        vectors = ask_topics(project, topics, search)
        return None if vectors is None else vectors.answer(reader, compiled, sources)[0]

    explanation = explain_missing(
        reader,
        parsed.topics,
        parsed.params,
        target,
        Texts(reader, sources.data, sources.readable),
        local_trees=project.local_trees,
        ask=ask,
    )
    return WhyNotReport(
        target.id,
        " ".join(search.queries),
        explanation.reasons,
        None if explanation.shown is None else explanation.shown.entry.id,
        explanation.rank,
        explanation.remedy,
        explanation.without,
        explanation.added,
        (*hints, *missing, *vector_hints(meaning)),
    )


def _resolved(project: Project, reader: IndexReader, id_: str, hints: Sequence[Hint]) -> Entry:
    """Return the chunk with this id; if there is none, tell the hints first: they may say why."""
    from leafmark.app.answering.resolving import Resolver

    try:
        return Resolver(reader, reader.manifest).resolve(id_)
    except LeafmarkError:
        report_hints(project, hints)
        raise
