"""Answers to what a text is about: the search that `context` and `like` have in common."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from leafmark.app.answering.searching import (
    answer_topics,
    complete_answer,
    project_hints,
    search_params,
)
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import SearchRequest
from leafmark.index import IndexReader
from leafmark.model import Answer, Factor, Hint, KeyTerm
from leafmark.query import Filter, any_of
from leafmark.search import SearchOptions
from leafmark.search.keyterms import query_for

__all__ = ["Aim", "answer_terms", "plain_params"]


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
    """Return what has the terms, as the request wishes it; a hint says so where there are none."""
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
        none = Hint("no-terms", "no word of it stands in what is indexed")
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
