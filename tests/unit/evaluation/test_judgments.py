"""Files of judged queries: what they may hold, and what is said of those that are wrong."""

from __future__ import annotations

import pytest

from leafmark.errors import UsageError
from leafmark.evaluation import HALVES, JudgedQuery, half_of, parse_judgments
from leafmark.evaluation.judgments import Reference

PLACES = '"path": "a.md", "section": "Guide > Set up", "quote": "to start", "until": "end"'


def test_jsonl() -> None:
    text = (
        '{"query": "one", "answers": ["docs:a.md#b"], "kind": "question", "language": "en"}\n\n'
        f'{{"query": "two", "answers": [{{{PLACES}, "grade": 2}}], "tree": "docs"}}\n'
        '{"query": "three", "answers": [], "draft": true, "note": "not said anywhere"}\n'
    )
    quoted = Reference(
        path="a.md", section=("Guide", "Set up"), quote="to start", until="end", grade=2.0
    )
    assert parse_judgments(text, "q.jsonl") == [
        JudgedQuery("one", (Reference("docs:a.md#b"),), "question", "en", location="q.jsonl:1"),
        JudgedQuery("two", (quoted,), tree="docs", location="q.jsonl:3"),
        JudgedQuery("three", (), draft=True, location="q.jsonl:4"),
    ]


def test_toml() -> None:
    text = (
        '[[query]]\nquery = "one"\nanswers = ["docs:a.md"]\n'
        '[[query]]\nquery = "two"\nanswers = [{path = "a.md", start = 0, end = 9}]\n'
    )
    assert parse_judgments(text, "q.TOML") == [
        JudgedQuery("one", (Reference("docs:a.md"),), location="q.TOML: query 1"),
        JudgedQuery("two", (Reference(path="a.md", start=0, end=9),), location="q.TOML: query 2"),
    ]


@pytest.mark.parametrize(
    ("row", "message", "hint"),
    [
        (
            "[1]",
            "[1] is no query",
            'write one object a line: {"query": "…", "answers": ["docs:a.md#b"]}',
        ),
        ('{"answers": []}', "a query without its text", 'add "query"'),
        ('{"query": 1, "answers": []}', "query is 1", "query must be a text"),
        (
            '{"query": "x"}',
            "the query 'x' does not say what answers it",
            'add "answers", a list of ids or places; an empty one says that nothing does',
        ),
        (
            '{"query": "x", "answers": "docs:a.md"}',
            "the query 'x' gives no list of answers, but \"docs:a.md\"",
            'add "answers", a list of ids or places; an empty one says that nothing does',
        ),
        (
            '{"query": "x", "answer": []}',
            "a query has no key 'answer'",
            "did you mean `answers`? There are: query, answers, kind, language, tree, draft, note",
        ),
        (
            '{"query": "x", "answers": [{"pth": "a.md"}]}',
            "an answer has no key 'pth'",
            "did you mean `path`? There are: id, path, section, start, end, quote, until, grade",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "quote": " "}]}',
            'quote is " "',
            "write the words that quote stands for, or leave it out",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "quote": "b", "until": ""}]}',
            'until is ""',
            "write the words that until stands for, or leave it out",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "section": []}]}',
            "section is []",
            'section must be like "Guide > Setup"',
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "section": ["Guide", " "]}]}',
            'section is ["Guide", " "]',
            'section must be like "Guide > Setup"',
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "path": "b"}]}',
            "the key 'path' appears twice in one object",
            "keep one of the two",
        ),
        (
            "[[query]]",
            "this line is not JSON: Expecting value: line 1 column 3 (char 2)",
            "TOML is read only from files whose names end with .toml",
        ),
        (
            f'{{"query": {[1] * 100}, "answers": []}}',
            "query is [" + "1, " * 26 + "1…",
            "query must be a text",
        ),
        (
            '{"query": "x", "answers": [], "draft": 1}',
            "draft is 1",
            "draft must be true or false",
        ),
        (
            '{"query": "x", "answers": [""]}',
            '"" is no answer',
            "write an id or a table: id, path, section, start, end, quote, until, grade",
        ),
        (
            '{"query": "x", "answers": [{"id": "a", "path": "b"}]}',
            "an answer with neither or both of id and path",
            "name one of them",
        ),
        (
            '{"query": "x", "answers": [{"id": "a", "quote": "b"}]}',
            "an answer with an id and a place in it",
            "name the path instead",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "start": 5, "end": 5}]}',
            "the bytes from 5 to 5 are not a span",
            "start and end are whole numbers, and start is less than end",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "start": 5}]}',
            "the bytes from 5 to None are not a span",
            "start and end are whole numbers, and start is less than end",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "start": -1, "end": 5}]}',
            "start is -1",
            "start must be a whole number from 0 up",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "start": 0, "end": 5, "quote": "q"}]}',
            "an answer with bytes and with a quote or a section",
            "keep one of them",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "until": "q"}]}',
            "an answer with until and no quote",
            "add the quote's beginning",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "section": [1]}]}',
            "section is [1]",
            'section must be like "Guide > Setup"',
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "grade": 0}]}',
            "grade is 0",
            "grade must be a number above 0, at most 100",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "grade": true}]}',
            "grade is true",
            "grade must be a number above 0, at most 100",
        ),
        (
            '{"query": "x", "answers": [{"path": "a", "section": {"Guide": 1}}]}',
            'section is {"Guide": 1}',
            'section must be like "Guide > Setup"',
        ),
    ],
)
def test_what_is_wrong_with_a_query(row: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_judgments(f"\n{row}\n", "q.jsonl")
    error = caught.value
    assert (error.message, error.hint, error.location) == (message, hint, "q.jsonl:2")


def test_all_wrong_queries_of_a_file_are_named() -> None:
    good = '{"query": "good", "answers": []}\n'
    with pytest.raises(UsageError) as caught:
        parse_judgments(f"[1]\n{good}" + '{"query": ""}\n' * 10, "q.jsonl")
    lines = caught.value.message.split("\n")
    assert lines[0] == "11 queries are wrong:"
    assert lines[1].startswith("  q.jsonl:1: ")
    assert lines[2] == '  q.jsonl:3: a query without its text; add "query"'
    assert lines[-1] == "  and 1 more"
    assert (len(lines), caught.value.location) == (12, "q.jsonl")


@pytest.mark.parametrize(
    ("text", "name", "message", "location"),
    [
        (
            "{",
            "q.jsonl",
            "this line is not JSON: Expecting property name enclosed in double quotes: "
            "line 1 column 2 (char 1)",
            "q.jsonl:1",
        ),
        ("x = 1", "q.toml", "the file contains something other than queries", "q.toml"),
        ("query = [1]", "q.toml", "the file contains something other than queries", "q.toml"),
        ("\n" + "[" * 100_000, "q.jsonl", "values are nested too deeply", "q.jsonl:2"),
        ("x = " + "[" * 20_000, "q.toml", "values are nested too deeply", "q.toml"),
    ],
)
def test_what_is_wrong_with_a_file(text: str, name: str, message: str, location: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_judgments(text, name)
    assert (caught.value.message, caught.value.location) == (message, location)


def test_broken_toml_is_told_with_its_place() -> None:
    with pytest.raises(UsageError, match=r"this is not TOML: .*line 1"):
        parse_judgments("=", "q.toml")


def test_a_number_that_nobody_counts_is_no_toml() -> None:
    with pytest.raises(UsageError, match="this is not TOML: Exceeds the limit"):
        parse_judgments("x = " + "1" * 5000, "q.toml")


def test_halves_are_about_equal_and_never_change() -> None:
    halves = [half_of(f"query {number}") for number in range(400)]
    assert 160 < halves.count("choose") < 240
    assert set(halves) == set(HALVES)
    assert [half_of("a"), half_of("b"), half_of("c")] == ["choose", "choose", "choose"]
