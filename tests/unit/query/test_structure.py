"""What retrieval asks of an expression: its words, its filters, its shape."""

from __future__ import annotations

import pytest

from leafmark.query import (
    Asked,
    Filter,
    Phrase,
    Prefix,
    Shape,
    Term,
    filters_only,
    is_bare_word,
    iter_leaves,
    iter_terms,
    parse_query,
    plain_words,
    shape,
)


@pytest.mark.parametrize(
    ("query", "words", "expected"),
    [
        ("rust", ["rust"], Shape.WORDS),
        ("how do I parse it?", ["how", "do", "I", "parse", "it?"], Shape.WORDS),
        ("(a b) c", ["a", "b", "c"], Shape.WORDS),
        ("a b tree:docs", ["a", "b"], Shape.WORDS),
        ("a tree:(x OR y) -b", ["a"], Shape.WORDS),
        ("tree:docs", [], Shape.FILTERS),
        ("tree:docs -legacy", [], Shape.FILTERS),
        ("tree:a OR path:b", [], Shape.FILTERS),
        ('"a"', [], Shape.STATED),
        ('"a" b', ["b"], Shape.STATED),
        ("title:a b", ["b"], Shape.STATED),
        ("a^2 b", ["b"], Shape.STATED),
        ("a~1 b", ["b"], Shape.STATED),
        ("a* b", ["b"], Shape.STATED),
        ("a OR b", [], Shape.STATED),
        ("a OR b c", ["c"], Shape.STATED),
        ("a AND b", [], Shape.STATED),
        ("a AND b c", [], Shape.STATED),
        ("(a b)^2 c", ["c"], Shape.STATED),
        ("a OR tree:docs", [], Shape.STATED),
    ],
)
def test_plain_words_and_shape(query: str, words: list[str], expected: Shape) -> None:
    expression = parse_query(query)
    assert [term.text for term in plain_words(expression)] == words
    assert shape(expression) is expected
    assert filters_only(expression) is (expected is Shape.FILTERS)


def test_leaves_carry_what_stands_around_them() -> None:
    query = 'a title:(b~1 OR "c d")^2 -(e^3 f~0) (g* h)~2^0.5 tree:docs (i~1 j)~0'
    assert list(iter_leaves(parse_query(query))) == [
        Asked(Term("a")),
        Asked(Term("b"), field="title", distance=1, boost=2),
        Asked(Phrase("c d"), field="title", boost=2),
        Asked(Term("e"), boost=3, negated=True),
        Asked(Term("f"), distance=0, negated=True),
        Asked(Prefix("g"), distance=2, boost=0.5),
        Asked(Term("h"), distance=2, boost=0.5),
        Asked(Filter("tree", "docs")),
        Asked(Term("i"), distance=1),
        Asked(Term("j"), distance=0),
    ]


def test_terms_are_what_scores() -> None:
    expression = parse_query("a -b tree:docs (c OR path:x)")
    assert [asked.leaf for asked in iter_terms(expression)] == [Term("a"), Term("c")]


@pytest.mark.parametrize(
    ("query", "bare"), [("rust", True), ("rust go", False), ('"rust"', False), ("a*", False)]
)
def test_one_word_without_quotes_is_bare(query: str, bare: bool) -> None:
    assert is_bare_word(parse_query(query)) is bare
