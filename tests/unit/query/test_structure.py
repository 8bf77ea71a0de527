"""What retrieval asks of an expression: its leaves, its words, its filters."""

from __future__ import annotations

import pytest

from leafmark.query import (
    Filter,
    Phrase,
    Prefix,
    ScopedLeaf,
    Term,
    filters_only,
    iter_leaves,
    iter_terms,
    parse_query,
    plain_words,
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("rust", ["rust"]),
        ("how do I parse it?", ["how", "do", "I", "parse", "it?"]),
        ("(a b) c", ["a", "b", "c"]),
        ("a b tree:docs", ["a", "b"]),
        ("a tree:(x OR y) -b", ["a"]),
        ("tree:docs", []),
        ("tree:docs -legacy", []),
        ("tree:a OR path:b", []),
        ('"a"', []),
        ('"a" b', ["b"]),
        ("title:a b", ["b"]),
        ("ab^2 c", ["c"]),
        ("HEAD^2 b", ["HEAD^2", "b"]),
        ("a~1 b", ["b"]),
        ("a* b", ["b"]),
        ("a OR b", []),
        ("a OR b c", ["c"]),
        ("a AND b", []),
        ("a AND b c", []),
        ("(a b)^2 c", ["c"]),
        ("a OR tree:docs", []),
    ],
)
def test_plain_words_are_those_that_nothing_is_stated_about(query: str, words: list[str]) -> None:
    assert [term.text for term in plain_words(parse_query(query))] == words


@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ("tree:docs", True),
        ("tree:docs -legacy", True),
        ("tree:a OR path:b", True),
        ("a tree:(x OR y) -b", False),
        ("a OR tree:docs", False),
    ],
)
def test_only_filters_and_negations_do_not_score(query: str, filters: bool) -> None:
    assert filters_only(parse_query(query)) is filters


def test_leaves_carry_their_field_and_whether_they_are_negated() -> None:
    query = 'a title:(b~1 OR "c d")^2 -(ef^3 f~0) (g* h)~2^0.5 tree:docs (i~1 j)~0'
    assert list(iter_leaves(parse_query(query))) == [
        ScopedLeaf(Term("a")),
        ScopedLeaf(Term("b"), field="title"),
        ScopedLeaf(Phrase("c d"), field="title"),
        ScopedLeaf(Term("ef"), negated=True),
        ScopedLeaf(Term("f"), negated=True),
        ScopedLeaf(Prefix("g")),
        ScopedLeaf(Term("h")),
        ScopedLeaf(Filter("tree", "docs")),
        ScopedLeaf(Term("i")),
        ScopedLeaf(Term("j")),
    ]


def test_terms_are_what_scores() -> None:
    expression = parse_query("a -b tree:docs (c OR path:x)")
    assert [asked.leaf for asked in iter_terms(expression)] == [Term("a"), Term("c")]
