"""Answers to what a text is about: the search that `context` and `like` have in common."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from leafmark.app.answering.opening import INDEX_FIRST, open_index
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import (
    answer_topics,
    complete_answer,
    project_hints,
    search_params,
)
from leafmark.app.answering.working_files import KEYWORDS, describe_path, read_working_file
from leafmark.app.configuration.config_file import ContextRule
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import ContextRequest, LikeRequest, Progress, SearchRequest
from leafmark.app.settings import ContextSettings
from leafmark.app.sources.ignore import parse_rules
from leafmark.errors import AmbiguousError, ForbiddenError, NotFoundError, UsageError
from leafmark.index import IndexReader
from leafmark.model import Answer, Entry, Factor, Hint, KeyTerm, WeightedText, document_id
from leafmark.query import Filter, any_of
from leafmark.search import SearchOptions
from leafmark.search.keyterms import find_key_terms, query_for

__all__ = [
    "Aim",
    "answer_terms",
    "find_context",
    "find_like",
    "plain_params",
]


def plain_params(project: Project, request: SearchRequest, **changes: Any) -> SearchOptions:
    """Return the parameters of a search for terms: they occur, so nothing is corrected."""
    ratio = project.configuration.context.cutoff_ratio
    fixed: dict[str, Any] = {"fuzzy_distance": 0, "cutoff_ratio": ratio}
    return replace(search_params(project, request), **(fixed | changes))


class Aim(NamedTuple):
    """What is looked for: chunks with the terms, after the documents that were `named` (ids).

    `without` and `apart` are left out: see `query_for`. With `terms_only` nothing
    is looked for.
    """

    terms: Sequence[KeyTerm]
    without: Sequence[str] = ()
    apart: Sequence[str] = ()
    named: Sequence[str] = ()
    terms_only: bool = False


def answer_terms(
    project: Project, reader: IndexReader, aim: Aim, params: SearchOptions, request: SearchRequest
) -> Answer:
    """Return what has the terms, as the request asks; a hint says so where there are none."""
    began = time.perf_counter()
    sources = Sources(project)
    answer = Answer("", "lexical", ())
    terms, named = tuple(aim.terms), () if aim.terms_only else aim.named
    if terms and not aim.terms_only:
        topic = query_for(terms, without=[*aim.without, *named], apart=aim.apart)
        answer = answer_topics(project, reader, [topic], params, sources)
    if named:
        answer = _with_named(project, reader, answer, named, params, sources)
    if not terms:
        none = Hint("no-terms")
        answer = answer._replace(hints=(*answer.hints, none))
    answer = answer._replace(
        query=" ".join(term.word for term in terms),
        terms=terms,
        hints=project_hints(project, answer),
        elapsed_ms=(time.perf_counter() - began) * 1000,
    )
    return complete_answer(project, reader, answer, request, sources)


def _with_named(
    project: Project,
    reader: IndexReader,
    answer: Answer,
    named: Sequence[str],
    params: SearchOptions,
    sources: Sources,
) -> Answer:
    """Put the named documents before the results, with the score of the best of these."""
    asked = any_of([Filter("id", each) for each in named])
    plain = SearchOptions(limit=len(named), max_results=len(named), aggregation=False)
    found = answer_topics(project, reader, [asked], plain, sources).results
    score = answer.results[0].score if answer.results else 1.0
    factors = (Factor("rule", score, how="named by a rule: as good as the best"),)
    first = [one._replace(score=score, whole=True, factors=factors) for one in found]
    first.sort(key=lambda one: named.index(one.entry.id))
    results = tuple(
        one._replace(rank=rank)
        for rank, one in enumerate([*first, *answer.results][: params.limit], start=1)
    )
    counts = dict(answer.counts) | {"returned": len(results)}
    return answer._replace(results=results, counts=counts)


# The documents that matter for the files that somebody works on: `leafmark context`.


def find_context(
    project: Project, request: ContextRequest, *, progress: Progress | None = None
) -> Answer:
    """Return what matters for some files, never these themselves; `terms` say by which words.

    Raises:
        NotFoundError: a file or a tree does not exist, or there is no index.
        StorageError: a file cannot be read.
        UsageError: no file is named.
    """
    if not request.files:
        raise UsageError("no file is named")
    files = [_File.of(project, name) for name in request.files]
    rules = _applying(project.configuration.rules, files)
    texts, hints = _texts(project, files, rules, lenient=request.lenient)
    search = request.search
    if not search.trees:
        named = dict.fromkeys(tree for rule in rules for tree in rule.trees)
        search = search._replace(trees=tuple(named))
    params = plain_params(project, search)
    reader, notes = open_index(project, search, progress)
    settings = project.configuration.context
    own = _own_ids(project, reader, files)
    terms = find_key_terms(
        reader, texts, limit=settings.terms, trees=params.trees, without=own, ignored=KEYWORDS
    )
    named_ids, missing = _named(reader, rules)
    aim = Aim(
        terms,
        without=own,
        named=[each for each in named_ids if each not in own],
        terms_only=request.terms_only,
    )
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *hints, *missing, *answer.hints))


class _File(NamedTuple):
    """A file as the user wrote it: where it is, and what its project calls it."""

    path: Path
    name: str

    @classmethod
    def of(cls, project: Project, written: str) -> _File:
        path = Path(os.path.abspath(project.directory / written))
        for folder in (project.configuration.project, project.configuration.directory):
            if path.is_relative_to(folder):
                return cls(path, path.relative_to(folder).as_posix())
        return cls(path, Path(written).name if Path(written).is_absolute() else written)


def _texts(
    project: Project, files: Sequence[_File], rules: Iterable[ContextRule], *, lenient: bool
) -> tuple[list[WeightedText], list[Hint]]:
    """Return the parts of all files and what rules add; of a file that is not read, the path."""
    settings = project.configuration.context
    texts: list[WeightedText] = []
    hints: list[Hint] = []
    for file in files:
        try:
            texts += read_working_file(file.path, file.name, settings)
        except NotFoundError:
            if not lenient:
                raise
            texts.append(describe_path(file.name, settings))
            hints.append(Hint("file-missing", values={"name": file.name}))
        except ForbiddenError:
            texts.append(describe_path(file.name, settings))
            hints.append(Hint("file-secret", values={"name": file.name}))
    added = " ".join(term for rule in rules for term in rule.terms)
    if added:
        texts.append(WeightedText("rule", added, settings.rule_weight))
    return texts, hints


def _applying(rules: Iterable[ContextRule], files: Sequence[_File]) -> list[ContextRule]:
    """Return the rules that one of the files fits; one without patterns fits all."""
    found = []
    for rule in rules:
        patterns = parse_rules(rule.match)
        if not rule.match or any(patterns.takes(file.name) for file in files):
            found.append(rule)
    return found


def _named(reader: IndexReader, rules: Iterable[ContextRule]) -> tuple[list[str], list[Hint]]:
    """Return the ids that rules name, and what there is to say of those that are none."""
    resolver = Resolver(reader, reader.manifest)
    ids: dict[str, None] = {}
    hints = []
    for name in dict.fromkeys(file for rule in rules for file in rule.files):
        try:
            ids[resolver.resolve(name).id] = None
        except (NotFoundError, AmbiguousError) as error:
            hints.append(Hint("rule-file", values={"name": name, "reason": error.message}))
    return list(ids), hints


def _own_ids(project: Project, reader: IndexReader, files: Iterable[_File]) -> list[str]:
    """Return the ids of the documents that the files are, in whichever trees."""
    keys = (key for file in files for key in project.keys_of(file.path))
    return [document_id(*key) for key in keys if key in reader.manifest]


# What is like a chunk or a file: `leafmark like`.


_NEVER = 1_000_000
"""More children than a node has: nothing is merged, as what is like a section may be its parent."""


def find_like(
    project: Project, request: LikeRequest, *, progress: Progress | None = None
) -> Answer:
    """Return chunks like one that is indexed, or like a file; `terms` say by which words.

    Neither the chunk itself nor what it is part of nor its own parts are among them.

    Raises:
        NotFoundError: there is neither such a chunk nor such a file; or no index.
        AmbiguousError: the id fits several chunks.
    """
    search = request.search
    params = plain_params(project, search, aggregation_min_matches=_NEVER)
    reader, notes = open_index(project, search, progress)
    settings = project.configuration.context
    try:
        entry = Resolver(reader, reader.manifest).resolve(request.name)
    except NotFoundError as error:
        texts = _of_file(project, request.name, settings, error)
        own, above = list[str](), list[str]()
    else:
        texts = _of_chunk(project, reader, entry, settings)
        own, above = [entry.id], _above(reader, entry)
    terms = find_key_terms(
        reader, texts, limit=settings.terms, trees=params.trees, without=own, ignored=KEYWORDS
    )
    aim = Aim(terms, without=own, apart=above, terms_only=request.terms_only)
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *answer.hints))


def _of_file(
    project: Project, name: str, settings: ContextSettings, unknown: NotFoundError
) -> list[WeightedText]:
    path = project.directory / name
    if not os.path.isfile(path):  # a text that was pasted is too long a name to be looked for
        raise NotFoundError(
            f"{unknown.message}, and there is no such file",
            did_you_mean=unknown.did_you_mean,
            hint=unknown.hint,
            exit_code=unknown.exit_code,
        ) from unknown
    return read_working_file(path, name, settings)


def _of_chunk(
    project: Project, reader: IndexReader, entry: Entry, settings: ContextSettings
) -> list[WeightedText]:
    """Return the titles and the text of a chunk and of what lies below it."""
    document = reader.document(entry.doc_id)
    sources = Sources(project)
    data = None if document is None else sources.data(document)
    if document is None or data is None:
        raise NotFoundError(
            f"{entry.id} has changed since it was indexed",
            hint=INDEX_FIRST,
        )
    span = (entry.byte_start, entry.byte_end)
    readable = sources.readable(document, data, [span])
    text = data[slice(*span)].decode("utf-8", "replace") if readable is None else readable.text
    titles = [
        one.title for one in reader.chunks_of(entry.doc_id) if entry.holds(one) and not one.piece
    ]
    return [
        WeightedText("headings", "\n".join([entry.title, *titles]), settings.heading_weight),
        WeightedText("tags", "\n".join(document.tags), settings.heading_weight),
        WeightedText("body", text, settings.body_weight),
    ]


def _above(reader: IndexReader, entry: Entry) -> list[str]:
    """Return the ids of what a chunk is part of."""
    found = []
    parent = reader.entry(entry.doc_id, entry.parent_position)
    while parent is not None:
        found.append(parent.id)
        parent = reader.entry(parent.doc_id, parent.parent_position)
    return found
