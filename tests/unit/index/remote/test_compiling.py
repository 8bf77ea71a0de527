"""Queries of the algebra as the cluster's JSON."""

from __future__ import annotations

import json

import pytest

from leafmark.index import queries
from leafmark.index.queries import (
    AllChunks,
    AllOf,
    AnyOf,
    BestOf,
    Constant,
    HasAny,
    HasPhrase,
    HasPhrasePrefix,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    Scaled,
)
from leafmark.index.remote.compiling import (
    BM25_FACTOR,
    EVERY_CHUNK,
    NOTHING,
    compile_query,
    present,
)

TERM = HasTerm("body_english", "lamp")


def test_a_scored_term_has_the_factor_that_lucene_leaves_out_of_bm25() -> None:
    assert compile_query(TERM) == {
        "term": {"body_english": {"value": "lamp", "boost": BM25_FACTOR}}
    }
    assert compile_query(Scaled(TERM, 2.0)) == {
        "term": {"body_english": {"value": "lamp", "boost": 2 * BM25_FACTOR}}
    }


def test_a_phrase_is_its_terms_with_spaces_between() -> None:
    found = compile_query(HasPhrase("body_english", ("red", "lamp"), 2))
    assert found == {
        "match_phrase": {"body_english": {"query": "red lamp", "slop": 2, "boost": BM25_FACTOR}}
    }


def test_what_scores_nothing_is_a_filter() -> None:
    assert compile_query(Constant(TERM, 0.0)) == {
        "constant_score": {"filter": compile_query(TERM, scored=False), "boost": 0.0}
    }


def test_only_negations_are_of_all_chunks() -> None:
    found = compile_query(AllOf((), without=(TERM,)))
    assert found["bool"]["filter"] == [EVERY_CHUNK]
    assert "must" not in found["bool"]


def test_unscored_alternatives_of_a_field_are_one_clause() -> None:
    """A cluster takes 1,024 clauses, and 65,536 terms in one."""
    many = AnyOf(tuple(HasTerm("doc_id", f"t:{number}") for number in range(5000)))
    found = compile_query(many, scored=False)
    assert len(found["terms"]["doc_id"]) == 5000


def test_an_open_range_has_one_bound() -> None:
    assert compile_query(InRange("mtime", first=3), scored=False) == {
        "range": {"mtime": {"gte": 3}}
    }


@pytest.mark.parametrize(
    "query",
    [
        NoChunk(),
        AllChunks(),
        HasAny("facts", ("a", "b")),
        queries.HasMatch("body_english", "lam[ps]"),
        queries.HasPhraseMatch("body_english", ("lam.", "p.*")),
        HasPhrasePrefix("body_english", ("red",), "la"),
        AnyOf((TERM, HasTerm("title_english", "lamp")), 2),
        BestOf((TERM, NoChunk())),
        AllOf((TERM,), (HasTerm("title_english", "lamp"),), (HasAny("facts", ("x",)),)),
    ],
)
@pytest.mark.parametrize("scored", [True, False])
def test_every_value_of_the_algebra_is_json(query: Query, scored: bool) -> None:
    assert json.loads(json.dumps(compile_query(query, scored=scored)))


OTHER = HasTerm("body_english", "nowhere")
TITLE = HasTerm("title_english", "lamp")


@pytest.mark.parametrize(
    "query",
    [
        OTHER,
        HasPhrase("body_english", ("lamp", "nowhere")),
        HasAny("body_english", ("nowhere",)),
        Scaled(HasAny("body_english", ("nowhere",)), 2.0),
        Constant(OTHER, 1.0),
        AnyOf((OTHER, NoChunk())),
        AnyOf((TERM, OTHER), 2),
        AllOf((TERM, BestOf((OTHER, NoChunk()))), (TERM,)),
    ],
)
@pytest.mark.parametrize("scored", [True, False])
def test_what_wants_a_term_that_no_chunk_has_is_nothing(query: Query, scored: bool) -> None:
    assert (
        compile_query(present(query, lambda _, term: term == "nowhere"), scored=scored) == NOTHING
    )


@pytest.mark.parametrize(
    ("query", "left"),
    [
        (AnyOf((TERM, OTHER, TITLE)), AnyOf((TERM, TITLE))),
        (BestOf((TERM, OTHER, TERM)), BestOf((TERM, TERM))),
        (HasAny("names", ("lamp", "nowhere")), HasAny("names", ("lamp",))),
        (AllOf((TERM,), (OTHER,), (OTHER,)), AllOf((TERM,))),
        (AllOf((), without=(OTHER,)), AllOf(())),
        (AllChunks(), AllChunks()),
    ],
)
@pytest.mark.parametrize("scored", [True, False])
def test_a_term_that_no_chunk_has_is_left_out_elsewhere(
    query: Query, left: Query, scored: bool
) -> None:
    found = compile_query(present(query, lambda _, term: term == "nowhere"), scored=scored)
    assert found == compile_query(left, scored=scored)
