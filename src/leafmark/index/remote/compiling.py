"""Queries of the algebra as the cluster's JSON.

Scores are those of the embedded engine: the BM25 formulas differ by a constant factor, with which
each scored term is boosted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasMatch,
    HasPhrase,
    HasPhraseMatch,
    HasPhrasePrefix,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
)

BM25_FACTOR = 2.2
"""k1 + 1: Lucene leaves it out of BM25."""

Json = dict[str, Any]

EVERY_CHUNK: Json = {"exists": {"field": "position"}}
NOTHING: Json = {"match_none": {}}
"""The compiled form of a query that cannot match: callers need not send it."""


def present(query: Query, is_absent: Callable[[str, str], bool]) -> Query:
    """Return a query without the terms that no chunk has in their field."""
    if isinstance(query, HasTerm):
        return NoChunk() if is_absent(*query) else query
    if isinstance(query, HasPhrase):
        return NoChunk() if any(is_absent(query.field, term) for term in query.terms) else query
    if isinstance(query, HasAny):
        terms = tuple(term for term in query.terms if not is_absent(query.field, term))
        return query._replace(terms=terms) if terms else NoChunk()
    if isinstance(query, Scaled | Constant):
        return query._replace(query=present(query.query, is_absent))
    if isinstance(query, AnyOf | BestOf):
        return query._replace(queries=tuple(present(inner, is_absent) for inner in query.queries))
    if isinstance(query, AllOf):
        return AllOf(*(tuple(present(inner, is_absent) for inner in part) for part in query))
    return query


def compile_query(query: Query, *, scored: bool = True) -> Json:
    """Return the cluster's query; unless `scored`, a faster one without scores."""
    return _BY_TYPE[type(query)](query, scored)


def _constant_one(query: Json, scored: bool, score: float = 1.0) -> Json:
    if not scored or query == NOTHING:
        return query
    return {"constant_score": {"filter": query, "boost": score}}


def _nothing(_query: NoChunk, _scored: bool) -> Json:
    return NOTHING


def _everything(_query: AllChunks, scored: bool) -> Json:
    return _constant_one(EVERY_CHUNK, scored)


def _term(query: HasTerm, _scored: bool, factor: float = 1.0) -> Json:
    return {"term": {query.field: {"value": query.term, "boost": BM25_FACTOR * factor}}}


def _phrase(query: HasPhrase, _scored: bool, factor: float = 1.0) -> Json:
    words = {"query": " ".join(query.terms), "slop": query.slop, "boost": BM25_FACTOR * factor}
    return {"match_phrase": {query.field: words}}


def _any(query: HasAny, scored: bool) -> Json:
    return _constant_one({"terms": {query.field: list(query.terms)}}, scored)


def _match(query: HasMatch, scored: bool) -> Json:
    return _constant_one(_pattern(query.field, query.pattern), scored)


def _pattern(field: str, pattern: str) -> Json:
    return {"regexp": {field: {"value": pattern, "flags": "NONE"}}}


def _phrase_match(query: HasPhraseMatch, scored: bool) -> Json:
    clauses = [
        {"span_multi": {"match": _pattern(query.field, pattern)}} for pattern in query.patterns
    ]
    near = {"span_near": {"clauses": clauses, "slop": 0, "in_order": True}}
    return _constant_one(near, scored)


def _phrase_prefix(query: HasPhrasePrefix, scored: bool) -> Json:
    words = " ".join([*query.terms, query.prefix])
    match = {"match_phrase_prefix": {query.field: {"query": words, "max_expansions": 200}}}
    return _constant_one(match, scored)


def _range(query: InRange, scored: bool) -> Json:
    bounds = {"gte": query.first, "lte": query.last}
    limits = {name: bound for name, bound in bounds.items() if bound is not None}
    return _constant_one({"range": {query.field: limits}}, scored)


def _scaled(query: Scaled, scored: bool) -> Json:
    inner = query.query
    if not scored:
        return compile_query(inner, scored=False)
    if isinstance(inner, HasTerm):
        return _term(inner, scored, query.factor)
    if isinstance(inner, HasPhrase):
        return _phrase(inner, scored, query.factor)
    body = compile_query(inner)
    return body if body == NOTHING else {"bool": {"must": [body], "boost": query.factor}}


def _constant(query: Constant, scored: bool) -> Json:
    return _constant_one(compile_query(query.query, scored=False), scored, query.score)


def _any_of(query: AnyOf, scored: bool) -> Json:
    return _should(query.queries, query.least, scored)


def _should(queries: Sequence[Query], least: int, scored: bool) -> Json:
    if not scored and least == 1:
        clauses = _merge_terms(queries)
    else:
        clauses = [compile_query(inner, scored=scored) for inner in queries]
    clauses = [clause for clause in clauses if clause != NOTHING]
    if len(clauses) < least:
        return NOTHING
    if len(clauses) == 1:
        return clauses[0]
    return {"bool": {"should": clauses, "minimum_should_match": least}}


def _merge_terms(queries: Sequence[Query]) -> list[Json]:
    """Return unscored alternatives, with all terms of a field in one clause.

    A cluster takes 1,024 clauses, and 65,536 terms in one clause.
    """
    terms: dict[str, dict[str, None]] = {}
    others = list[Json]()
    for query in queries:
        if isinstance(query, HasTerm):
            terms.setdefault(query.field, {})[query.term] = None
        elif isinstance(query, HasAny):
            terms.setdefault(query.field, {}).update(dict.fromkeys(query.terms))
        else:
            others.append(compile_query(query, scored=False))
    return [{"terms": {field: list(words)}} for field, words in terms.items()] + others


def _all_of(query: AllOf, scored: bool) -> Json:
    must = [compile_query(inner, scored=scored) for inner in query.must]
    if NOTHING in must:
        return NOTHING
    body: Json = {"must" if scored and must else "filter": must or [EVERY_CHUNK]}
    should = [compile_query(inner) for inner in query.should] if scored else []
    without = [compile_query(inner, scored=False) for inner in query.without]
    for name, clauses in (("should", should), ("must_not", without)):
        possible = [clause for clause in clauses if clause != NOTHING]
        if possible:
            body[name] = possible
    return {"bool": body}


def _best_of(query: BestOf, scored: bool) -> Json:
    if not scored or len(query.queries) < 2:
        return _should(query.queries, 1, scored)
    clauses = [clause for clause in map(compile_query, query.queries) if clause != NOTHING]
    return {"dis_max": {"queries": clauses}} if clauses else NOTHING


_BY_TYPE: Mapping[type[Query], Callable[[Any, bool], Json]] = {
    NoChunk: _nothing,
    AllChunks: _everything,
    HasTerm: _term,
    HasPhrase: _phrase,
    HasAny: _any,
    HasMatch: _match,
    HasPhraseMatch: _phrase_match,
    HasPhrasePrefix: _phrase_prefix,
    InRange: _range,
    Scaled: _scaled,
    Constant: _constant,
    AnyOf: _any_of,
    AllOf: _all_of,
    BestOf: _best_of,
}
