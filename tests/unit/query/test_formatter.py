"""How expressions are spelled."""

from __future__ import annotations

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
    format_query,
    parse_query,
)

A, B, C = Term("a"), Term("b"), Term("c")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (And((Or((A, B)), C)), "(a OR b) c"),
        (Or((And((A, B)), C)), "(a b) OR c"),
        (And((A, Or((B, C))), explicit=True), "a AND (b OR c)"),
        (Or((And((A, B), explicit=True), C)), "(a AND b) OR c"),
        (And((A, Not(And((B, C))))), "a -(b c)"),
        (And((A, Not(Field("title", B)))), "a -title:b"),
        (And((A, Not(Term("->")))), "a NOT ->"),
        (And((A, Not(Term("-b")))), "a -\\-b"),
        (Boost(Term("ab"), 2.0), "ab^2"),
        (Boost(A, 2.0), "(a)^2"),
        (Boost(A, 2.5), "a^2.5"),
        (Boost(A, 0.1), "a^0.1"),
        (Boost(Boost(A, 2), 3), "((a)^2)^3"),
        (Boost(Fuzzy(A, 1), 2), "a~1^2"),
        (Boost(And((A, B)), 2), "(a b)^2"),
        (Boost(Term("error:"), 2), "(error:)^2"),
        (Boost(Term("titel:"), 2), "(titel:)^2"),
        (Boost(Term("node:http"), 2), "(node:http)^2"),
        (Term("node:http"), "node:http"),
        (Term("node:*"), "node:*"),
        (Term("node:(a"), "node\\:\\(a"),
        (Term("titel:x"), "titel\\:x"),
        (Prefix("node:ht"), "node:ht*"),
        (Not(Term("node:http")), "-node:http"),
        (Boost(Term("-"), 2), "(-)^2"),
        (Field("title", Boost(A, 2)), "title:((a)^2)"),
        (Boost(Field("title", Term("ab")), 2), "title:ab^2"),
        (Boost(Field("title", A), 1), "(title:a)^1"),
        (Field("title", Phrase("a b")), 'title:"a b"'),
        (Field("title", Or((A, B))), "title:(a OR b)"),
        (Field("title", Term("/etc")), "title:(/etc)"),
        (Field("title", Term("AND")), "title:(\\AND)"),
        (Prefix("error-hand"), "error-hand*"),
        (Prefix("a*"), "a\\**"),
        (Phrase('say "hi" \\'), '"say \\"hi\\" \\\\"'),
        (Term("std::vector"), "std::vector"),
        (Term("main()"), "main()"),
        (Term("f(x)"), "f\\(x\\)"),
        (Term("--verbose"), "--verbose"),
        (Term("title:x"), "title\\:x"),
        (Term("C:\\temp"), "C:\\temp"),
        (Term("a\\"), "a\\\\"),
        (Term("OR"), "\\OR"),
        (Term("HEAD^2"), "HEAD^2"),
        (Term("ab^2"), "ab\\^2"),
        (Fuzzy(Term("HEAD"), 1), "(HEAD)~1"),
        (Term('x="y"'), 'x=\\"y\\"'),
        (Not(Term("1")), "NOT 1"),
        (Filter("tree", "docs"), "tree:docs"),
        (Filter("path", "my docs/"), 'path:"my docs/"'),
        (Filter("path", "src/(group)/x"), "path:src/(group)/x"),
        (Filter("path", "a)"), 'path:"a)"'),
        (Filter("path", "a\\"), 'path:"a\\\\"'),  # or it would escape a parenthesis behind it
        (Filter("path", "a\\()"), 'path:"a\\\\()"'),
        (Filter("path", "a*"), 'path:"a*"'),
        (Filter("meta.n", "3..7"), 'meta.n:"3..7"'),
        (Filter("meta.n", Range("3", "7")), "meta.n:3..7"),
        (Filter("meta.n", Range("3", include_low=False)), "meta.n:>3"),
        (Filter("meta.n", Range(high="3")), "meta.n:..3"),
        (Filter("id", "docs:a.md#x~1"), "id:docs:a.md#x~1"),
    ],
)
def test_spelling(expression: Expression, expected: str) -> None:
    assert format_query(expression) == expected
    whole = expression if not isinstance(expression, Not) else And((A, expression))
    assert parse_query(format_query(whole)) == whole
