"""What a line of `tests/spec/cases/query*.md` cannot say: white space, limits, topics, spans."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest
from support.carets import explain

from leafmark.errors import QueryError
from leafmark.query import (
    And,
    Boost,
    Field,
    Filter,
    Limits,
    Phrase,
    Prefix,
    Term,
    format_query,
    iter_leaves,
    parse_plain,
    parse_query,
    parse_topics,
    plain_words,
)

EMPTY = (
    'type what to look for, such as error handling, "an exact phrase", title:install or tree:docs'
)


def _problem(query: str, **options: Any) -> tuple[str, int, int, str | None]:
    with pytest.raises(QueryError) as caught:
        parse_query(query, **options)
    error = caught.value
    assert error.query == query
    assert error.exit_code == 2
    return error.message, error.start, error.end, error.hint


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000\u2003\x1f"])
def test_a_blank_query_says_what_to_type(query: str) -> None:
    assert _problem(query) == ("the query is empty", 0, len(query), EMPTY)


@pytest.mark.parametrize("space", list(" \t\n\r\v\f\x1c\x85\xa0\u2009\u2028\u3000"))
def test_any_white_space_parts_words(space: str) -> None:
    assert parse_query(f"a{space}b") == And((Term("a"), Term("b")))
    assert parse_query(f"tree:a{space}b") == And((Filter("tree", "a"), Term("b")))
    assert parse_query(f"title:{space}b") == And((Term("title:"), Term("b")))


def test_a_phrase_may_span_lines() -> None:
    assert parse_query('"a\n b"') == Phrase("a\n b")


def test_text_that_is_not_unicode_is_refused() -> None:
    expected = ("the query holds half of a character (U+DCE9)", 3, 4)
    hint = "the query must be Unicode text, UTF-8 on a terminal"
    assert _problem("caf\udce9 x") == (*expected, hint)


def test_length_is_limited() -> None:
    message = "the query has 12 characters, the limit is 10"
    expected = (message, 10, 12, "keep the words that matter")
    assert _problem("abcdefghijkl", limits=Limits(length=10)) == expected
    assert parse_query("abcdefghij", limits=Limits(length=10)) == Term("abcdefghij")


def test_words_are_limited_and_those_of_phrases_and_filters_count() -> None:
    expected = ("the query has more than 3 words", 11, 12, "keep the words that matter")
    assert _problem('"a b" has: c d', limits=Limits(terms=3))[1:3] == (11, 12)
    assert _problem('"a b" c    d', limits=Limits(terms=3)) == expected
    assert _problem("tree:b x y (z)", limits=Limits(terms=3))[1:3] == (12, 13)
    assert _problem('"a b c d"', limits=Limits(terms=3))[1:3] == (0, 9)
    assert len(list(iter_leaves(parse_query('"a b" c', limits=Limits(terms=3))))) == 2


def test_depth_is_limited_before_anything_recurses() -> None:
    message = "more than 32 parentheses are open at once"
    hint = "put the query in quotes to search for its text, or leave parentheses out"
    assert _problem("(" * 1000 + ")" * 1000) == (message, 32, 33, hint)
    assert _problem("x tree:(" + "(" * 40 + "a" + ")" * 41) == (message, 39, 40, hint)
    assert parse_query("(" * 2000) == Term("(" * 2000)
    assert parse_query("(" * 32 + "a" + ")" * 32) == Term("a")
    assert parse_query("(a) " * 33) == And((Term("a"),) * 33)


PIECES = ["(", "-(", "NOT ", "title:(", "tree:(", '" ', "x^", "a~1~", "(a OR ", "^2 ~1 (", "a "]
PIECES += ["A:a", "a^b", "x~y", "\\", "a*", "--", "a()", "(a) ", "“a” ", "-a b ", "a/b:", "^~"]
PIECES += ["meta.", "a.", "tree:x(", '"\\"', "a^1 ", "a)(b", "ab^2", "a-b", ")", "“", '"']


@pytest.mark.parametrize("hostile", PIECES)
def test_a_hostile_string_is_read_or_refused_at_once(hostile: str) -> None:
    """Its work is linear: this would take many times the processor time if it were quadratic."""
    wide = Limits(length=10**7, terms=10**7)
    began = time.process_time()
    with contextlib.suppress(QueryError):
        parse_query("(A " + hostile * 10_000 + '" A)', limits=wide)
    assert time.process_time() - began < 5.0


def test_spans_are_places_in_the_string() -> None:
    query = 'a OR "b c" (title:de^2) -e'
    expression = parse_query(query)
    leaves = [query[slice(*asked.leaf.span)] for asked in iter_leaves(expression)]
    assert leaves == ["a", '"b c"', "de", "e"]
    assert isinstance(expression, And)
    assert [query[slice(*part.span)] for part in expression.operands] == [
        'a OR "b c"',
        "(title:de^2)",
        "-e",
    ]


def test_spans_take_no_part_in_equality() -> None:
    assert parse_query("  x^2.5") == Boost(Term("x"), 2.5)
    assert hash(parse_query("  x")) == hash(Term("x"))


def test_a_word_knows_the_name_that_no_field_has() -> None:
    query = r'node:http -run:x a\:b ::c i18n:d (xs:e* OR title:f:g) error:^2 h:* author:"A B"'
    names = {
        query[slice(*asked.leaf.span)]: asked.leaf.no_field
        for asked in iter_leaves(parse_query(query))
        if isinstance(asked.leaf, Term | Prefix) and asked.leaf.no_field
    }
    assert names == {
        "node:http": "node",
        "run:x": "run",
        "xs:e*": "xs",
        "error:^2": "error",
        "h:*": "h",
        "author:": "author",
    }
    assert parse_query("node:http") == Term("node:http") == parse_query(r"node\:http")


def test_such_words_are_limited_as_others_are() -> None:
    expected = ("the query has more than 2 words", 8, 11, "keep the words that matter")
    assert _problem("a:b c:d e:f", limits=Limits(terms=2)) == expected


def test_topics_are_read_each_by_itself() -> None:
    expected = (And((Term("a"), Term("b"))), Phrase("c d"), Term("e"))
    assert parse_topics(["a b", '"c d"', "e"]) == expected


def test_a_topic_with_an_error_is_the_query_of_the_error() -> None:
    with pytest.raises(QueryError) as caught:
        parse_topics(["a b", "-c"])
    assert explain(caught.value).split("\n")[:3] == [
        "-c",
        "^^",
        "error: this says only what must not match",
    ]


@pytest.mark.parametrize("arguments", [[], [""], ["a", " "]])
def test_no_topic_may_be_empty(arguments: list[str]) -> None:
    with pytest.raises(QueryError, match=r"^the query is empty \("):
        parse_topics(arguments)


def test_limits_hold_for_all_topics_together() -> None:
    limits = Limits(length=10, terms=3)
    assert len(parse_topics(["a b", "c"], limits=limits)) == 2
    with pytest.raises(QueryError) as words:
        parse_topics(["a b", "c d"], limits=limits)
    assert (words.value.message, words.value.query) == ("the query has more than 3 words", "c d")
    assert (words.value.start, words.value.end) == (2, 3)
    with pytest.raises(QueryError) as length:
        parse_topics(["abcdefgh", "ijkl"], limits=limits)
    assert length.value.message == "the query has 12 characters, the limit is 10"
    assert (length.value.query, length.value.start, length.value.end) == ("ijkl", 2, 4)


@pytest.mark.parametrize("mark", ['"', "”", "״"])
def test_a_quote_within_a_hebrew_word_is_its_mark(mark: str) -> None:
    word = f"דו{mark}ח"
    assert parse_query(word) == Term(word)
    assert parse_query(f"title:{word}") == Field("title", Term(word))
    assert parse_query(format_query(Term(word))) == Term(word)
    assert parse_query('"שלום" עולם') == And((Phrase("שלום"), Term("עולם")))


def test_a_quote_within_a_hebrew_word_does_not_end_a_phrase() -> None:
    assert parse_query('"צה"ל חזק"') == Phrase('צה"ל חזק')
    assert parse_query(format_query(Phrase('צה"ל חזק'))) == Phrase('צה"ל חזק')


PLAIN = [
    ('ERROR:  duplicate key "users_email_key"', ["ERROR:", "duplicate", "key", "users_email_key"]),
    ('CONFLICT (content): in "README.md"', ["CONFLICT", "content", "in", "README.md"]),
    ("title:install -v meta.x:>3", ["title", "install", "-v", "meta.x", ">3"]),
    ("a OR b NOT c^2 d~1 e*", ["a", "OR", "b", "NOT", "c^2", "d~1", "e*"]),
    ("std::vector node:http main() f(x)", ["std::vector", "node:http", "main()", "f", "x"]),
    (r"C:\temp C++ .NET HEAD^", [r"C:\temp", "C++", ".NET", "HEAD^"]),
    ('צה"ל', ['צה"ל']),
    ("titel:x -> = y", ["titel:x", "y"]),
    ("->", ["->"]),
    ('"', ['"']),
]


@pytest.mark.parametrize(("text", "words"), PLAIN)
def test_the_plain_reading_of_a_text_is_its_words(text: str, words: list[str]) -> None:
    expression = parse_plain(text)
    assert [term.text for term in plain_words(expression)] == words
    assert [text[slice(*term.span)] for term in plain_words(expression) if term.span[1]] == (
        words if any(map(str.isalnum, text)) else []
    )


def test_only_limits_refuse_a_plain_text() -> None:
    with pytest.raises(QueryError, match=r"^the query is empty \("):
        parse_plain(" ")
    with pytest.raises(QueryError, match=r"^the query has 3 characters, the limit is 2 "):
        parse_plain("a b", limits=Limits(length=2))
    with pytest.raises(QueryError, match=r"^the query has more than 1 words ") as caught:
        parse_plain("a b", limits=Limits(terms=1))
    assert (caught.value.start, caught.value.end) == (2, 3)
