"""The query language case by case: `cases/query.md` and `cases/query-errors.md`."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from support.carets import explain
from support.outline import outline

from leafmark.errors import QueryError
from leafmark.query import format_query, parse_query

CASES = Path(__file__).parent / "cases"


def _meanings() -> list[tuple[str, str]]:
    text = (CASES / "query.md").read_text(encoding="utf-8")
    return re.findall(r"^    (.+?) +=> (.+)$", text, re.MULTILINE)


def _problems() -> list[str]:
    text = (CASES / "query-errors.md").read_text(encoding="utf-8")
    return [dedent(block) for block in re.findall(r"(?:^    .*\n?)+", text, re.MULTILINE)]


@pytest.mark.parametrize(("query", "expected"), _meanings())
def test_a_query_means(query: str, expected: str) -> None:
    assert outline(parse_query(query)) == expected


@pytest.mark.parametrize(("query", "expected"), _meanings())
def test_its_spelling_means_the_same(query: str, expected: str) -> None:
    assert outline(parse_query(format_query(parse_query(query)))) == expected


@pytest.mark.parametrize("block", _problems(), ids=lambda block: block.split("\n")[0])
def test_a_wrong_query_says(block: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(block.split("\n")[0])
    assert explain(caught.value) == block.rstrip("\n")


def test_the_cases_are_all_read() -> None:
    meanings = (CASES / "query.md").read_text(encoding="utf-8").count(" => ")
    problems = (CASES / "query-errors.md").read_text(encoding="utf-8").count("    error: ")
    assert (len(_meanings()), len(_problems())) == (meanings, problems)
