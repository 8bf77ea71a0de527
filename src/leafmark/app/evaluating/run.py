"""`leafmark eval`: search by judged queries in several ways, and say how well each one did.

Every way to search has an index of its own beside the project's, in the cache
folder, named after what decides its content: a second evaluation refreshes it.
Searches go through `search_index`, so what is judged is what users get.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leafmark.app.answering.searching import search_mode
from leafmark.app.configuration.project import Project, open_project
from leafmark.app.evaluating.answered_sections import sections_of
from leafmark.app.evaluating.judging import Library, read_queries
from leafmark.app.evaluating.trial_indexes import forget_unused, place_of
from leafmark.app.evaluating.trials import Reading, Trial, check_query
from leafmark.app.evaluating.variants import parse_variants
from leafmark.app.indexing.outcome import source_notes
from leafmark.app.indexing.refreshing import check_concern, refresh
from leafmark.app.requests import DraftRequest, EvaluationRequest, Progress
from leafmark.errors import QueryError, UsageError
from leafmark.evaluation import (
    KINDS,
    LEAST_RESAMPLES,
    Drafts,
    EvaluationReport,
    Gate,
    GateOutcome,
    Group,
    JudgedQuery,
    Passage,
    Resampler,
    Variant,
    VariantOutcomes,
    build_groups,
    check_all,
    draft_queries,
    half_of,
    parse_gate,
    queries_of,
)
from leafmark.likeness import choices_hint
from leafmark.query import parse_query, parts_of, plain_query, plain_words

if TYPE_CHECKING:
    from leafmark.index import IndexReader

__all__ = ["draft_judgments", "evaluate_project"]

PATIENCE_S = 600.0
"""How long a query's vector, and a reranker, are waited for.

An answer without them would be judged as one with them.
"""


def evaluate_project(
    project: Project,
    request: EvaluationRequest,
    *,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    progress: Progress | None = None,
) -> EvaluationReport:
    """Return how well each way to search answers the judged queries.

    `flags` and `environ` are those that the project was opened with.

    Raises:
        UsageError: a file, query, reference, way to search or gate is wrong, or too few
            resamples are asked for.
        StorageError: a file cannot be read, or documents were changed meanwhile.
        ProviderError: there are no vectors, where they are asked for.
        ConfirmationError, LockedError, ...: see `check_concern` and `refresh`.
    """
    _check_resamples(request.resamples)
    variants = parse_variants(
        request.compare, project.configuration.chunking.strategy, request.modes
    )
    opened = [_opened_apart(project, {**flags, **one.settings}, environ) for one in variants]
    library = Library(project)
    judged, reading = _judged(project, request, library), Reading(library)
    gates = _gates(request, variants, judged)
    found = []
    for variant, apart in zip(variants, opened, strict=True):
        reader = _index_apart(apart, request, progress)
        trial = Trial(apart, reader, request, reading)
        found.append(_judge(variant, trial, judged, progress))
        library.check_unchanged(reader)
    _, diagnostics = source_notes(library.scan, reader)
    forget_unused({apart.shared_dir for apart in opened})
    resampler = Resampler(seed=request.seed, resamples=request.resamples)
    groups = build_groups(found, resampler, request.by or "")
    return EvaluationReport(
        mode=", ".join(dict.fromkeys(map(search_mode, opened))),
        answers=request.answers,
        seed=request.seed,
        resamples=request.resamples,
        drafts=sum(query.draft for query, _ in judged),
        variants=tuple(found),
        groups=groups,
        gates=tuple(_held(gate, variants, groups[0]) for gate in gates),
        warnings=project.left_out(),
        diagnostics=diagnostics,
    )


def _check_resamples(resamples: int) -> None:
    if resamples < LEAST_RESAMPLES:
        raise UsageError(
            f"{resamples} resamples make no interval of 95 %",
            hint=f"draw at least {LEAST_RESAMPLES} times",
        )


def _judged(
    project: Project, request: EvaluationRequest, library: Library
) -> list[tuple[JudgedQuery, tuple[Passage, ...]]]:
    """Return the queries that the request chooses, each with what answers it."""
    queries = _chosen(read_queries(request.files, project.directory), request)
    check_all(queries, lambda query: check_query(project, query))
    passages = library.passages(queries)
    if request.answers == "section":
        passages = [sections_of(library, each) for each in passages]
    return list(zip(queries, passages, strict=True))


def _opened_apart(
    project: Project, settings: Mapping[str, object], environ: Mapping[str, str]
) -> Project:
    """Return the project under other settings, with the index of one way to search."""
    patience = dict.fromkeys(("embedding.deadline_s", "rerank.deadline_s"), PATIENCE_S)
    flags = {**patience, **settings}
    opened = open_project(project.directory, flags=flags, environ=environ)
    if search_mode(opened) != "lexical" and opened.configuration.embedding.provider == "none":
        from leafmark.app.answering.meaning import no_embedder  # late: few evaluations need it

        raise no_embedder(opened, search_mode(opened))
    return replace(opened, index_dir=place_of(opened) / opened.index_dir.name)


def _index_apart(
    project: Project, request: EvaluationRequest, progress: Progress | None
) -> IndexReader:
    """Return the refreshed index of one way to search, with the vectors that it needs.

    Another evaluation that makes it is waited for: an older state would be judged as this one.
    """
    check_concern(project, confirmed=request.confirmed)
    timeout_s = project.configuration.index.lock_timeout_s
    reader = refresh(project, progress=progress, timeout_s=timeout_s)
    if search_mode(project) != "lexical":
        _embed(project, reader, progress)
    return reader


def _judge(
    variant: Variant,
    trial: Trial,
    judged: Sequence[tuple[JudgedQuery, tuple[Passage, ...]]],
    progress: Progress | None,
) -> VariantOutcomes:
    """Return how one way to search answers each of the judged queries."""
    outcomes = []
    for done, (query, passages) in enumerate(judged, start=1):
        outcomes.append(trial.run(query, passages))
        if progress is not None:
            progress(f"judging {variant.name}", done, len(judged))
    return VariantOutcomes(variant, trial.chunks, trial.limit, tuple(outcomes))


def _embed(project: Project, reader: IndexReader, progress: Progress | None) -> None:
    """Make the vectors that are missing: what has none yet would be judged by words alone.

    Raises:
        ProviderError: the embedder failed.
    """
    from leafmark.app.indexing.embedding import (
        embed_project,  # late: lexical searches need no embedder
    )

    embedded = embed_project(project, reader, progress=progress, anew=True)
    if embedded.problem is not None:
        raise embedded.problem
    if embedded.interrupted:
        raise KeyboardInterrupt


def draft_judgments(project: Project, request: DraftRequest) -> Drafts:
    """Return queries drafted from the project's documents.

    Raises:
        NotFoundError: a tree is not of this project.
        UsageError: there are no drafts of a kind that is asked for.
        ConfirmationError: see `check_concern`.
    """
    for kind in request.kinds:
        if kind not in KINDS:
            raise UsageError(f"no draft is of the kind {kind!r}", hint=choices_hint(kind, KINDS))
    check_concern(project, confirmed=request.confirmed)
    trees = {project.get_tree(name).name for name in request.trees} or {
        tree.name for tree in project.trees
    }
    library = Library(project)
    owners = (owner for owner in library.documents() if owner.tree in trees)
    kinds = request.kinds or KINDS
    drafts = draft_queries(owners, limit=request.limit, kinds=kinds, ask=_query_of)
    return Drafts(tuple(drafts), project.left_out(), library.unread())


def _query_of(text: str) -> str:
    """Return a query for the words of a text: the text itself where nothing in it is an operator.

    >>> _query_of("Restore a backup"), _query_of("bun check -b")
    ('Restore a backup', 'bun check \\\\-b')
    """
    try:
        asked = parse_query(text)
    except QueryError:
        return plain_query(text)
    return text if len(plain_words(asked)) == len(parts_of(asked)) else plain_query(text)


def _chosen(queries: Sequence[JudgedQuery], request: EvaluationRequest) -> list[JudgedQuery]:
    """Return the queries that the request is about."""
    chosen = [
        query
        for query in queries
        if (not request.kinds or query.kind in request.kinds)
        and (not request.trees or query.tree in request.trees)
        and (request.half is None or half_of(query.query) == request.half)
    ]
    if not chosen:
        hints = [
            _named(what, {getattr(query, what) for query in queries})
            for what, asked in (("kind", request.kinds), ("tree", request.trees))
            if asked
        ]
        raise UsageError(
            f"none of the {len(queries)} queries is asked for", hint="; ".join(hints) or None
        )
    return chosen


def _named(what: str, names: Iterable[str]) -> str:
    known = ", ".join(sorted(filter(None, names)))
    return f"there are queries of the {what}s {known}" if known else f"no query names its {what}"


def _gates(
    request: EvaluationRequest,
    variants: Sequence[Variant],
    judged: Sequence[tuple[JudgedQuery, tuple[Passage, ...]]],
) -> list[Gate]:
    """Return the gates that the request states, before minutes are spent on searching.

    Raises:
        UsageError: one is not a gate, or there is nothing that it is about.
    """
    gates = [parse_gate(text) for text in request.gates]
    names = [variant.name for variant in variants]
    kinds = {"answerable" if passages else "unanswerable" for _, passages in judged}
    for gate in gates:
        if gate.variant and gate.variant not in names:
            raise UsageError(
                f"the gate {gate} names a way to search that is not compared",
                hint="there are: " + ", ".join(names),
            )
        if queries_of(gate.metric) not in kinds:
            raise UsageError(f"the gate {gate} is about queries that there are none of")
    return gates


def _held(gate: Gate, variants: Sequence[Variant], table: Group) -> GateOutcome:
    """Return whether a gate holds; without a name it binds the last way to search."""
    names = [variant.name for variant in variants]
    at = names.index(gate.variant) if gate.variant else len(names) - 1
    value = table.rows[gate.metric][at].value.mean
    return GateOutcome(str(gate), value, gate.admits(value))
