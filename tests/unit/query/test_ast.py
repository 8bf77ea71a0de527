"""What cannot be asked cannot be built, and lists of operands stay flat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leafmark.query import (
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Not,
    Or,
    Phrase,
    Prefix,
    Range,
    Term,
    all_of,
    any_of,
    iter_leaves,
)

A, B, C = Term("a"), Term("b"), Term("c")
DOCS = Filter("tree", "docs")


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: Term(""), "a term is one word: ''"),
        (lambda: Term("a b"), "a term is one word: 'a b'"),
        (lambda: Term("\ud800"), "a term is one word: '\\ud800'"),
        (lambda: Phrase(" "), "a phrase has text: ' '"),
        (lambda: Prefix("**"), "a prefix is the beginning of a word: '**'"),
        (lambda: Prefix("node:"), "a prefix is the beginning of a word: 'node:'"),
        (lambda: Filter("title", "a"), "not the name of a filter: 'title'"),
        (lambda: Filter("meta.", "a"), "not the name of a filter: 'meta.'"),
        (lambda: Filter("tree", ""), "a filter has a value: ''"),
        (lambda: Filter("has", "image"), "not a kind of block: 'image'"),
        (lambda: Filter("tree", Range("3")), "only metadata has ranges: 'tree'"),
        (lambda: Field("tree", A), "not the name of a text field: 'tree'"),
        (lambda: Field("title", And((A, DOCS))), "a field inside a field: 'title'"),
        (lambda: Field("title", Not(Field("body", A))), "a field inside a field: 'title'"),
        (lambda: Boost(A, 0), "not a factor of a boost: 0"),
        (lambda: Boost(A, float("nan")), "not a factor of a boost: nan"),
        (lambda: Boost(A, 1001), "not a factor of a boost: 1001"),
        (lambda: Fuzzy(A, 3), "not a number of edits: 3"),
        (lambda: Fuzzy(A, -1), "not a number of edits: -1"),
    ],
)
def test_what_means_nothing_cannot_be_built(build: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        build()
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: Field("title", Not(A)), "only a negation"),
        (lambda: Boost(DOCS, 2), "a boost of what does not score"),
        (lambda: Boost(Or((DOCS, DOCS)), 2), "a boost of what does not score"),
        (lambda: Boost(And((DOCS, Not(A))), 2), "a boost of what does not score"),
        (lambda: Fuzzy(DOCS, 1), "edits of a filter"),
        (lambda: Fuzzy(Boost(Prefix("a"), 2), 1), "edits of a prefix"),
        (lambda: Fuzzy(Field("title", Prefix("a")), 1), "edits of a prefix"),
        (lambda: Not(Not(A)), "a negation of a negation"),
        (lambda: Not(And((Not(A), Not(B)))), "a negation of a negation"),
        (lambda: Or((A, Not(B))), "only a negation"),
        (lambda: Or((A, And((Not(A), Not(B))))), "only a negation"),
        (lambda: And((A,)), "needs two operands"),
        (lambda: Or(()), "needs two operands"),
        (lambda: And((A, And((B, C)))), "not flat"),
        (lambda: Or((A, Or((B, C)))), "not flat"),
    ],
)
def test_what_contradicts_itself_cannot_be_built(build: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ValueError, match=rf"^{problem}: "):
        build()


def test_lists_of_operands_are_flattened() -> None:
    assert all_of([A, And((B, C))]) == And((A, B, C))
    assert all_of([A, And((B, C), explicit=True)]) == And((A, B, C), explicit=True)
    assert all_of([A, Or((B, C))]) == And((A, Or((B, C))))
    assert any_of([A, Or((B, C))]) == Or((A, B, C))
    assert all_of([A]) == any_of([A]) == A


@pytest.mark.parametrize("join", [all_of, any_of])
def test_no_operand_is_no_expression(join: Callable[[list[Expression]], Expression]) -> None:
    with pytest.raises(ValueError, match=r"^needs two operands: \(\)$"):
        join([])


def test_a_deep_tree_is_built_and_walked_without_recursion() -> None:
    deep: Expression = A
    for _ in range(3000):
        deep = Boost(And((deep, B)), 1)
    assert len(list(iter_leaves(Field("title", deep)))) == 3001
