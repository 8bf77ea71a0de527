"""Any string is an expression or an error with a place in it, and expressions read back."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st
from support.edits import edits_by_table
from support.expressions import accepted_queries, expressions, query_strings
from support.matcher import Chunk, matches

from leafmark.errors import QueryError
from leafmark.query import (
    DEFAULT_LIMITS,
    And,
    Boost,
    Expression,
    Field,
    Filter,
    Fuzzy,
    Limits,
    Not,
    Phrase,
    Prefix,
    Term,
    all_of,
    filters_only,
    format_query,
    iter_leaves,
    iter_terms,
    parse_query,
    parse_topics,
    plain_query,
    plain_words,
)
from leafmark.query.ast import FILTERS, SCORING_FIELDS, nearest_field

WIDE = Limits(length=1 << 30, depth=1 << 30, terms=1 << 30)


def _parse(text: str) -> Expression:
    """The expression; a string that is no query is of no interest to the test."""
    try:
        return parse_query(text)
    except QueryError:
        assume(False)
        raise


@given(st.one_of(query_strings, st.text(st.characters())))
def test_any_string_is_an_expression_or_an_error_inside_it(text: str) -> None:
    problem = None
    try:
        parse_query(text)
    except QueryError as error:
        problem = error
    if problem is not None:
        assert problem.query == text
        assert 0 <= problem.start <= problem.end <= len(text)
        assert problem.start < problem.end or not text
        assert problem.message
        assert problem.hint


@given(expressions)
def test_an_expression_reads_back_from_its_string(expression: Expression) -> None:
    assert parse_query(format_query(expression), limits=WIDE) == expression


@given(query_strings)
def test_what_was_read_reads_the_same_again(text: str) -> None:
    expression = _parse(text)
    assert parse_query(format_query(expression), limits=WIDE) == expression


@given(accepted_queries)
def test_spans_lie_in_the_string_and_in_order(text: str) -> None:
    spans = [asked.leaf.span for asked in iter_leaves(_parse(text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@given(accepted_queries)
def test_white_space_around_a_query_means_nothing(text: str) -> None:
    expression = _parse(text)
    assert parse_query(f" \t\u3000{text}\n") == expression


@given(accepted_queries)
def test_parentheses_around_a_query_mean_nothing(text: str) -> None:
    expression = _parse(text)
    assert parse_query(f"({text} )") == expression


@given(accepted_queries, accepted_queries)
def test_queries_beside_each_other_must_both_match(one: str, other: str) -> None:
    expected = all_of([_parse(one), _parse(other)])
    assert parse_query(f"({one} ) ({other} )") == expected


@given(st.text())
def test_quotes_make_a_phrase_of_any_text(text: str) -> None:
    assume(text.strip())
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_query(f'"{quoted}"') == Phrase(text)


@given(st.lists(accepted_queries, min_size=1, max_size=4))
def test_topics_are_the_expressions_of_their_arguments(arguments: list[str]) -> None:
    expected = tuple(map(_parse, arguments))
    assert parse_topics(arguments) == expected


@given(accepted_queries)
def test_an_accepted_query_is_within_the_limits(text: str) -> None:
    limits = Limits(length=20, depth=2, terms=3)
    try:
        expression = parse_query(text, limits=limits)
    except QueryError:
        return
    assert len(text) <= limits.length
    assert len(list(iter_leaves(expression))) <= limits.terms


@given(expressions)
def test_every_part_is_accounted_for(expression: Expression) -> None:
    leaves = [asked.leaf for asked in iter_leaves(expression)]
    scoring = [asked.leaf for asked in iter_terms(expression)]
    assert set(map(id, plain_words(expression))) <= set(map(id, scoring))
    assert set(map(id, scoring)) <= set(map(id, leaves))
    assert filters_only(expression) == (not scoring)
    assert not any(isinstance(leaf, Filter) for leaf in scoring)


NAMES = (*SCORING_FIELDS, *FILTERS)


@st.composite
def names_like_fields(draw: st.DrawFn) -> str:
    """A field's name after a few random edits."""
    letters = list(draw(st.sampled_from(NAMES)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(letters) - 1)) if letters else 0
        kind = draw(st.sampled_from(["drop", "add", "change", "swap"]))
        if kind == "add":
            letters.insert(at, draw(st.sampled_from("aeit_")))
        elif kind == "swap":
            letters[at : at + 2] = reversed(letters[at : at + 2])
        else:
            letters[at : at + 1] = draw(st.sampled_from("aeit_")) if kind == "change" else ""
    return "".join(letters)


@given(st.one_of(names_like_fields(), st.from_regex(r"\A[a-z][a-z_.]{0,7}\Z")))
def test_a_name_is_near_a_field_by_one_edit_in_four_letters_or_more(name: str) -> None:
    elsewhere = {"content", "text", "dir", "file", "filename", "folder", "in", "section"}
    elsewhere |= {"language", "type", "repo", "meta", "metadata"}
    assume(name not in (*elsewhere, *NAMES) and not name.startswith("meta."))
    near = [f for f in NAMES if edits_by_table(name, f) == 1 and max(len(name), len(f)) >= 4]
    found = nearest_field(name)
    assert found in near if near else found is None


@given(names_like_fields(), st.text(st.sampled_from("ab:/.-_*é日"), min_size=1, max_size=8))
def test_behind_a_name_that_is_near_no_field_a_colon_is_text(name: str, rest: str) -> None:
    assume(re.fullmatch("[a-z][a-z_.]*", name) and name not in NAMES)
    assume(nearest_field(name) is None and rest[0] not in ":/")
    leaf = parse_query(f"{name}:{rest}")
    beginning = rest.endswith("*") and rest.count("*") == 1 and rest[-2:-1] not in ("", ":")
    assert leaf == (Prefix(f"{name}:{rest[:-1]}") if beginning else Term(f"{name}:{rest}"))
    assert isinstance(leaf, Prefix | Term)
    assert leaf.no_field == name
    assert parse_query(f"a -{name}:{rest}") == And((Term("a"), Not(leaf)))
    assert parse_query(f"title:({name}:{rest})") == Field("title", leaf)


WORDS = ["alpha", "beta", "gamma"]
chunks = st.builds(
    lambda title, body, tree: Chunk({"title": title, "body": body}, {"tree": tree}),
    st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    st.sampled_from(["docs", "notes"]),
)
WHOLE = ['"alpha beta"', "title:(alpha OR beta)", "tree:(docs OR notes)", "-(beta gamma)"]
PIECES = [*WORDS, *WHOLE, "-alpha", "title:gamma", "tree:docs", "bet*", "alpa~1"]


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Parts beside each other, or with OR and AND between them."""
    pairs = st.tuples(st.sampled_from(["", "OR ", "AND "]), parts).map("".join)
    return st.builds(
        lambda first, rest: " ".join([first, *rest]), parts, st.lists(pairs, max_size=4)
    )


small_queries = _joined(
    st.recursive(
        st.sampled_from(PIECES), lambda inner: _joined(inner).map("( {} )".format), max_leaves=7
    )
)


@given(small_queries, chunks)
def test_the_spelling_of_an_expression_matches_what_it_matches(text: str, chunk: Chunk) -> None:
    expression = _parse(text)
    assert matches(parse_query(format_query(expression)), chunk) == matches(expression, chunk)


@given(small_queries, chunks)
def test_or_joins_before_what_stands_beside_it(text: str, chunk: Chunk) -> None:
    expression = _parse(text)
    assert matches(expression, chunk) == _evaluate(text, chunk)


def _evaluate(text: str, chunk: Chunk) -> bool:
    """The same by another road: a stack of groups, each a list of operators and truths."""
    stack: list[list[tuple[str, bool]]] = [[]]
    for word in _pieces(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            inner = _join(stack.pop())
            stack[-1].append(("value", inner))
        elif word in ("OR", "AND"):
            stack[-1].append((word, False))
        else:
            stack[-1].append(("value", matches(parse_query(f"{word} tree:(docs OR notes)"), chunk)))
    return _join(stack[0])


def _pieces(text: str) -> list[str]:
    """The words of a small query; those with a space inside stay whole."""
    for number, piece in enumerate(WHOLE):
        text = text.replace(piece, f"#{number}")
    return [WHOLE[int(word[1:])] if word.startswith("#") else word for word in text.split()]


def _join(items: list[tuple[str, bool]]) -> bool:
    every, any_of_them, joined = True, False, True
    for kind, value in items:
        if kind == "OR":
            joined = True
        elif kind == "value":
            if not joined:
                every, any_of_them = every and any_of_them, False
            any_of_them, joined = any_of_them or value, False
    return every and any_of_them


@given(expressions)
def test_marks_never_change_what_is_negated(expression: Expression) -> None:
    inner = expression
    while isinstance(inner, Field | Boost | Fuzzy):
        inner = inner.operand
    negated = [asked.negated for asked in iter_leaves(expression)]
    assert negated == [asked.negated for asked in iter_leaves(inner)]
    assert all(a.negated for a in iter_leaves(Not(expression)))


def test_a_string_of_the_allowed_length_is_within_python_s_recursion() -> None:
    depth = DEFAULT_LIMITS.depth
    expression = parse_query("(" * depth + "a OR b" + ")" * depth)
    assert format_query(expression) == "a OR b"


@given(st.one_of(query_strings, st.text(st.characters(), max_size=100)))
def test_any_text_has_a_plain_query_for_its_words(text: str) -> None:
    letters = [c for c in text if c.isalnum()]
    query = plain_query(text)
    assert bool(query) == bool(letters)
    if query:
        words = plain_words(parse_query(query))
        assert [c for word in words for c in word.text if c.isalnum()] == letters


@given(st.text(st.sampled_from('a"(: -é'), max_size=200), st.integers(0, 30), st.integers(0, 5))
def test_a_plain_query_keeps_to_limits(text: str, length: int, terms: int) -> None:
    query = plain_query(text, limits=Limits(length=length, terms=terms))
    assert len(query) <= length
    assert not query or len(plain_words(parse_query(query))) <= terms
