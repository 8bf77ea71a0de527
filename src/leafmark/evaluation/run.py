"""`leafmark eval`: search for judged queries in several ways, and measure each way.

A way is a strategy, then settings that differ, each after a `+`: `auto+relax_share=0.5`. A setting
needs its table's name only if several tables have it; a constant of the code is named in capitals.
`plain` ranks the chunks of `auto` by plain BM25. Each way has an index of its own in the cache
folder, named after the project and the settings of the index, so that the next evaluation only
refreshes it. Searches go through `search_index`, so users' results are judged.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from leafmark.app.answering.searching import search_mode, search_project
from leafmark.app.configuration.project import Project, open_project
from leafmark.app.indexing.outcome import source_notes
from leafmark.app.indexing.refreshing import check_large_folder, refresh
from leafmark.app.requests import DraftRequest, EvaluationRequest, Progress, SearchRequest
from leafmark.app.settings import CONSTANTS, SETTINGS
from leafmark.errors import QueryError, UsageError
from leafmark.evaluation.drafting import KINDS, draft_queries
from leafmark.evaluation.judgments import JudgedQuery, as_listed, check_all, half_of
from leafmark.evaluation.metrics import METRICS, Passage, overlaps
from leafmark.evaluation.references import Library, read_queries
from leafmark.evaluation.results import (
    SEED,
    Drafts,
    EvaluationReport,
    Gate,
    GateOutcome,
    Group,
    Resampler,
    Variant,
    VariantOutcomes,
    build_groups,
    parse_gate,
)
from leafmark.evaluation.trials import PlainRanking, Reading, Trial, check_tree
from leafmark.lint import MissedQuery
from leafmark.model import whole_range
from leafmark.model.option_types import parse_value
from leafmark.query import parse_query, parts_of, plain_query, plain_words
from leafmark.search import MECHANISMS
from leafmark.suggest import choices_hint, nearest

if TYPE_CHECKING:
    from leafmark.index import IndexReader

PLAIN = "plain"
"""The way to search that is not a strategy: see `PlainRanking`."""

FIRST_RESULTS = 10
"""First results that must have an answer, for `leafmark lint --eval`."""

PATIENCE_S = 600.0
"""How long an evaluation waits for a query's vector and for a reranker.

Otherwise an answer without them would be judged as one with them.
"""


def find_missed(
    project: Project, files: Iterable[str], *, progress: Progress | None = None
) -> tuple[MissedQuery, ...]:
    """Return each answer of the queries that have no answer among their first results.

    Raises:
        UsageError: a file, query or reference is wrong.
        StorageError, LockedError, ...: see `search_project`.
    """
    queries = read_queries(files, project.directory)
    passages = Library(project).passages(queries)
    missed = []
    for done, (query, answers) in enumerate(zip(queries, passages, strict=True), start=1):
        if progress is not None:
            progress("searching", done, len(queries))
        if not answers:
            continue
        trees = (query.tree,) if query.tree else ()
        request = SearchRequest((query.query,), limit=FIRST_RESULTS, trees=trees)
        results = [result.entry for result in search_project(project, request).results]
        read = [Passage(entry.doc_id, *whole_range(entry)) for entry in results]
        if not any(overlaps(passage, answer) for passage in read for answer in answers):
            first = results[0].id if results else None
            missed += [
                MissedQuery(
                    query.query, answer.doc_id, answer.start, answer.end, query.location, first
                )
                for answer in answers
            ]
    return tuple(missed)


def evaluate_project(
    project: Project,
    request: EvaluationRequest,
    *,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    progress: Progress | None = None,
) -> EvaluationReport:
    """Return the metrics of each way to search for the judged queries.

    `flags` and `environ` are those with which the project was opened.

    Raises:
        UsageError: a file, query, reference, way to search or gate is wrong.
        StorageError: a file cannot be read, or documents were changed meanwhile.
        ProviderError: a way to search needs vectors, and there are none.
        ConfirmationError, LockedError, ...: see `check_large_folder` and `refresh`.
    """
    variants = _variants(project, request)
    projects = [_open_variant(project, {**flags, **way.settings}, environ) for way in variants]
    library = Library(project)
    judged, reading = _read_judged(project, request, library), Reading(library)
    gates = _gates(request, variants, judged)
    outcomes = []
    for variant, own_project in zip(variants, projects, strict=True):
        reader = _index_variant(own_project, request, progress)
        trial = Trial(
            own_project,
            reader,
            reading,
            limit=request.limit,
            plain=PlainRanking(reader, library) if variant.plain else None,
        )
        outcomes.append(_judge(variant, trial, judged, progress))
        library.check_unchanged(reader)
    _, diagnostics = source_notes(library.scan, reader)
    forget_unused({own_project.shared_dir for own_project in projects})
    resampler = Resampler(seed=SEED, resamples=request.resamples)
    groups = build_groups(outcomes, resampler, request.by or "")
    return EvaluationReport(
        mode=", ".join(dict.fromkeys(map(search_mode, projects))),
        drafts=sum(query.draft for query, _ in judged),
        variants=tuple(outcomes),
        groups=groups,
        gates=tuple(_judge_gate(gate, variants, groups[0]) for gate in gates),
        warnings=(*project.left_out(), *_refusals(outcomes)),
        diagnostics=diagnostics,
    )


def _variants(project: Project, request: EvaluationRequest) -> tuple[Variant, ...]:
    """Return the ways to search of a request: the compared ones, or one without each mechanism."""
    strategy = project.configuration.chunking.strategy
    variants = parse_variants(request.compare, strategy, request.modes)
    for variant in variants:
        for name in variant.constants:
            constant_named(name)  # refuses an unknown name before anything is indexed
    if not request.ablate:
        return variants
    if len(variants) > 1 or variants[0].plain:
        raise UsageError(
            "mechanisms can be switched off in only one way to search",
            hint="leave out --compare, or name one strategy",
        )
    (whole,) = variants
    return (whole, *(_without_mechanism(whole, name, off) for name, off in MECHANISMS.items()))


def _without_mechanism(whole: Variant, name: str, off: Mapping[str, object]) -> Variant:
    settings = {f"search.{key}": value for key, value in off.items() if not key.isupper()}
    constants = {key: value for key, value in off.items() if key.isupper()}
    return Variant(
        f"without {name}", {**whole.settings, **settings}, {**whole.constants, **constants}
    )


def _refusals(variants: Sequence[VariantOutcomes]) -> list[str]:
    """Return a warning about the queries that a search refused: they count as without results."""
    refused = {
        outcome.query.location: f"{outcome.query.location}: refused: {outcome.refused}"
        for variant in variants
        for outcome in variant.outcomes
        if outcome.refused
    }
    if not refused:
        return []
    subject = "1 query counts" if len(refused) == 1 else f"{len(refused)} queries count"
    return [as_listed(f"{subject} as without results", list(refused.values()))]


def _read_judged(
    project: Project, request: EvaluationRequest, library: Library
) -> list[tuple[JudgedQuery, tuple[Passage, ...]]]:
    """Return the queries that the request chooses, each with its answering passages."""
    queries = _select(read_queries(request.files, project.directory), request)
    check_all(queries, lambda query: check_tree(project, query))
    return list(zip(queries, library.passages(queries), strict=True))


def _open_variant(
    project: Project, settings: Mapping[str, object], environ: Mapping[str, str]
) -> Project:
    """Return the project under other settings, with the index of one way to search."""
    patience = dict.fromkeys(("embedding.deadline_s", "rerank.deadline_s"), PATIENCE_S)
    flags = {**patience, **settings}
    opened = open_project(project.directory, flags=flags, environ=environ)
    if search_mode(opened) != "lexical" and opened.configuration.embedding.in_force == "none":
        from leafmark.app.embedder import no_embedder  # here, because few evaluations need it

        raise no_embedder(opened, f"the mode {search_mode(opened)}")
    return opened._replace(index_dir=place_of(opened) / opened.index_dir.name)


def _index_variant(
    project: Project, request: EvaluationRequest, progress: Progress | None
) -> IndexReader:
    """Return the refreshed index of one way to search, with the vectors that it needs.

    Without a named embedder, its searches compute their vectors themselves. If another evaluation
    builds the index, wait for it: an older state must not be judged as the current one.
    """
    check_large_folder(project, confirmed=request.confirmed)
    timeout_s = project.configuration.index.lock_timeout_s
    reader = refresh(project, progress=progress, timeout_s=timeout_s).reader
    if search_mode(project) != "lexical" and project.configuration.embedding.is_named:
        _embed(project, reader, progress)
    return reader


def _judge(
    variant: Variant,
    trial: Trial,
    judged: Sequence[tuple[JudgedQuery, tuple[Passage, ...]]],
    progress: Progress | None,
) -> VariantOutcomes:
    """Return the outcomes of the judged queries with one way to search."""
    outcomes = []
    with _constants(variant.constants):
        for done, (query, passages) in enumerate(judged, start=1):
            outcomes.append(trial.run(query, passages))
            if progress is not None:
                progress(f"judging {variant.name}", done, len(judged))
    return VariantOutcomes(variant, trial.chunks, trial.limit, tuple(outcomes))


def _embed(project: Project, reader: IndexReader, progress: Progress | None) -> None:
    """Compute the missing vectors: a chunk without one would be judged by words alone.

    Raises:
        ProviderError: the embedder failed.
    """
    from leafmark.app.indexing.embedding import embed_project  # lexical searches need no embedder

    embedded = embed_project(project, reader, progress=progress, anew=True)
    if embedded.problem is not None:
        raise embedded.problem
    if embedded.interrupted:
        raise KeyboardInterrupt


def draft_judgments(project: Project, request: DraftRequest) -> Drafts:
    """Return queries drafted from the project's documents.

    Raises:
        NotFoundError: a tree is not in this project.
        UsageError: a requested kind of drafts does not exist.
        ConfirmationError: see `check_large_folder`.
    """
    for kind in request.kinds:
        if kind not in KINDS:
            raise UsageError(f"no kind of drafts is {kind!r}", hint=choices_hint(kind, KINDS))
    check_large_folder(project, confirmed=request.confirmed)
    trees = {project.get_tree(name).name for name in request.trees} or {
        tree.name for tree in project.trees
    }
    library = Library(project)
    owners = (owner for owner in library.documents() if owner.tree in trees)
    kinds = request.kinds or KINDS
    drafts = draft_queries(owners, limit=request.limit, kinds=kinds, ask=_query_of)
    return Drafts(tuple(drafts), project.left_out(), library.unread())


def _query_of(text: str) -> str:
    """Return a query for the words of a text: the text itself if it contains no operator.

    >>> _query_of("Restore a backup"), _query_of("bun check -b")
    ('Restore a backup', 'bun check \\\\-b')
    """
    try:
        expression = parse_query(text)
    except QueryError:
        return plain_query(text)
    return text if len(plain_words(expression)) == len(parts_of(expression)) else plain_query(text)


def _select(queries: Sequence[JudgedQuery], request: EvaluationRequest) -> list[JudgedQuery]:
    """Return the queries of the requested kinds, trees and half."""
    chosen = [
        query
        for query in queries
        if (not request.kinds or query.kind in request.kinds)
        and (not request.trees or query.tree in request.trees)
        and (request.half is None or half_of(query.query) == request.half)
    ]
    if not chosen:
        hints = [
            _hint_of_names(what, {getattr(query, what) for query in queries})
            for what, names in (("kind", request.kinds), ("tree", request.trees))
            if names
        ]
        raise UsageError(
            f"the selection has none of the {len(queries)} queries", hint="; ".join(hints) or None
        )
    return chosen


def _hint_of_names(what: str, names: Iterable[str]) -> str:
    known = ", ".join(sorted(filter(None, names)))
    return f"there are queries of the {what}s {known}" if known else f"no query names its {what}"


def _gates(
    request: EvaluationRequest,
    variants: Sequence[Variant],
    judged: Sequence[tuple[JudgedQuery, tuple[Passage, ...]]],
) -> list[Gate]:
    """Return the gates of the request; errors come before minutes of searching.

    Raises:
        UsageError: a text is not a gate, or its way to search or its queries are missing.
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
        if METRICS[gate.metric] not in kinds:
            raise UsageError(f"the gate {gate} matches none of the queries")
    return gates


def _judge_gate(gate: Gate, variants: Sequence[Variant], table: Group) -> GateOutcome:
    """Return the outcome of a gate; one without a name is for the last way to search."""
    names = [variant.name for variant in variants]
    at = names.index(gate.variant) if gate.variant else len(names) - 1
    value = table.rows[gate.metric][at].value.mean
    return GateOutcome(str(gate), value, gate.admits(value))


# -- ways to search

_STRATEGY = "chunking.strategy"
_MODE = "search.mode"
_TABLES = ("chunking.", "search.", "embedding.", "rerank.")


def parse_variants(
    texts: Sequence[str], strategy: str, modes: Sequence[str] = ()
) -> tuple[Variant, ...]:
    """Return the ways to search that the texts name, each in each of the `modes`.

    Without texts, it is the project's own `strategy`.

    Raises:
        UsageError: a text has an unknown strategy or setting, or two texts are the same way.
        ConfigError: a setting cannot have that value.
    """
    variants = tuple(_variant(text) for text in texts) or (Variant(strategy, {}),)
    if len(modes) == 1:
        variants = tuple(
            variant._replace(settings={_MODE: modes[0], **variant.settings}) for variant in variants
        )
    elif modes:
        variants = tuple(
            variant._replace(
                name=f"{variant.name}+mode={mode}", settings={**variant.settings, _MODE: mode}
            )
            for variant in variants
            for mode in modes
        )
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name!r} is compared with itself", hint="name each way once")
    return variants


def _variant(text: str) -> Variant:
    strategy, *changes = [part.strip() for part in text.split("+")]
    choices = SETTINGS[_STRATEGY].choices
    if strategy not in (*choices, PLAIN):
        raise UsageError(
            f"{text!r} names no strategy",
            hint=f"begin with one of {', '.join((*choices, PLAIN))}; settings follow, as in "
            "auto+relax_share=0.5",
        )
    settings: dict[str, object] = {_STRATEGY: "auto" if strategy == PLAIN else strategy}
    constants: dict[str, object] = {}
    for change in changes:
        name, equals, value = (part.strip() for part in change.partition("="))
        if not equals or not value:
            raise UsageError(f"{change!r} changes no setting", hint="write it like relax_share=0.5")
        if name.isupper():
            constants[name] = _literal(name, value)
        else:
            settings[_setting(name, value, text)] = value
    return Variant(text, settings, constants, plain=strategy == PLAIN)


def _literal(name: str, value: str) -> object:
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError) as error:
        raise UsageError(
            f"{value!r} is not a value of the constant {name}",
            hint="write a number, or a text in quotes",
        ) from error


def _setting(name: str, value: str, way: str) -> str:
    known = [key for key in (*SETTINGS, *CONSTANTS) if key.startswith(_TABLES)]
    matches = [key for key in known if name in (key, key.partition(".")[2])]
    if len(matches) > 1:
        raise UsageError(
            f"several tables have a setting {name!r}", hint=f"name {' or '.join(matches)}"
        )
    if matches:
        parse_value({**SETTINGS, **CONSTANTS}[matches[0]], value, location=way)  # refuses it early
        return matches[0]
    raise _unknown(name, [key.partition(".")[2] for key in known])


def _unknown(name: str, known: Sequence[str]) -> UsageError:
    """Return the error for a name that is not a comparable setting."""
    if any(name in (key, key.partition(".")[2]) for key in (*SETTINGS, *CONSTANTS)):
        tables = ", ".join(f"[{table.rstrip('.')}]" for table in _TABLES)
        return UsageError(
            f"the setting {name!r} cannot be compared", hint=f"only those of {tables} can"
        )
    near = nearest(name, known)
    return UsageError(
        f"there is no setting {name!r}",
        hint=f"did you mean {near[0]}?" if near else "`leafmark config` lists them",
    )


@contextmanager
def _constants(values: Mapping[str, object]) -> Iterator[None]:
    """Give constants of the code other values during the block, in all modules that have them.

    Raises:
        UsageError: there is no such constant, or modules have different values for it.
    """
    before = {name: constant_named(name) for name in values}
    try:
        for name, value in values.items():
            _set_constant(name, value)
        yield
    finally:
        for name, value in before.items():
            _set_constant(name, value)


def _homes(name: str) -> list[ModuleType]:
    loaded = [module for key, module in sys.modules.items() if key.startswith("leafmark.")]
    return [module for module in loaded if name in vars(module)]


def constant_named(name: str) -> object:
    """Return the value of a constant of the code, from any loaded module.

    Raises:
        UsageError: there is no such constant, or modules have different values for it.
    """
    known = [vars(module)[name] for module in _homes(name)]
    if not known:
        raise UsageError(f"there is no constant {name}", hint="their names are in the code")
    if any(value != known[0] for value in known):
        raise UsageError(f"there are several constants {name} with different values")
    return known[0]


def _set_constant(name: str, value: object) -> None:
    for module in _homes(name):
        setattr(module, name, value)


# -- their indexes

MAX_KEPT = 32
"""Maximum number of indexes: four evaluations of eight ways to search (chosen by eye)."""

UNTOUCHED_S = 3600.0
"""Age from which an index can be removed: another evaluation may use a newer one."""


def place_of(project: Project) -> Path:
    """Return the folder of the index of one way to search."""
    configuration = project.configuration
    real = os.path.normcase(os.path.realpath(configuration.project))
    key = hashlib.sha256(os.fsencode(real) + project.index_options().fingerprint.encode())
    return configuration.directories.cache / "evaluation" / key.hexdigest()[:16]


def forget_unused(used: Collection[Path]) -> None:
    """Mark some folders as used now, and remove surplus ones beside them, the oldest first."""
    for place in used:
        with suppress(OSError):
            os.utime(place)
    for folder in {place.parent for place in used}:
        with suppress(OSError):
            others = [place for place in folder.iterdir() if place.is_dir() and place not in used]
            ages = {place: time.time() - place.stat().st_mtime for place in others}
            spare = len(ages) + len(used) - MAX_KEPT
            for place in sorted(ages, key=lambda place: -ages[place])[: max(0, spare)]:
                if ages[place] > UNTOUCHED_S:
                    shutil.rmtree(place, ignore_errors=True)
