"""Whole answers over real documents: no result below another, ranges of the words asked for."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.projects import Here
from support.real import real_documents

from leafmark.app import search_project
from leafmark.app.requests import SearchRequest
from leafmark.index.analysis import analyzer_for
from leafmark.model import RELATIONS, Answer, Grain, Relation
from leafmark.render.search_results import Places, render_vimgrep

WORDS = ("token", "backups", "index", "restoring", "chunk", "the", "retries", "日本語", "über")


@cache
def _project() -> Here:
    return real_documents()


@cache
def _answer(queries: tuple[str, ...], grain: Grain, expand: tuple[Relation, ...]) -> Answer:
    request = SearchRequest(queries, grain=grain, expand=expand, limit=50)
    return search_project(_project().project(), request)


queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
topics = st.lists(queries, min_size=1, max_size=2).map(tuple)
GRAINS: tuple[Grain, ...] = ("auto", "document", "section")
relations = st.lists(st.sampled_from(RELATIONS), max_size=5, unique=True).map(tuple)


@given(topics, st.sampled_from(GRAINS), relations)
def test_no_chunk_stands_twice_and_no_result_below_another(
    topics: tuple[str, ...], grain: Grain, relations: tuple[Relation, ...]
) -> None:
    answer = _answer(topics, grain, relations)
    shown = [part.entry for result in answer.results for part in result.with_constituents()]
    added = [one.entry for result in answer.results for one in result.expanded]
    names = [entry.id for entry in (*shown, *added)]
    assert len(names) == len(set(names))
    results = [result.entry for result in answer.results]
    for one in results:
        above = [
            other
            for other in results
            if (other.tree, other.path) == (one.tree, one.path)
            and other.position < one.position <= other.last_position
            and not (grain == "section" and other.kind == "document")
        ]
        assert above == []


@given(topics)
def test_every_match_is_a_word_that_was_asked_for(topics: tuple[str, ...]) -> None:
    analyzer = analyzer_for("english")
    answer = _answer(topics, "auto", ())
    asked = {term for topic in topics for term in analyzer.terms(topic)}
    corrected = any(hint.code == "corrected" for hint in answer.hints)
    for result in answer.results:
        for part in result.with_constituents():
            assert part.body_bytes is not None
            at = 0
            for start, end in part.match_ranges:
                assert at <= start < end <= len(part.body_bytes)
                at = end
                found = analyzer.terms(part.body_bytes[start:end].decode())
                assert found
                assert corrected or _is_near(found, asked), (found, asked)


def _is_near(found: list[str], asked: set[str]) -> bool:
    """Whether the words are asked for, or long enough to have been widened by an edit."""
    return set(found) <= asked or all(len(term) > 3 for term in found)


@pytest.mark.parametrize("query", ["token", "path:examples/handbook/guides/"])
def test_a_section_filter_admits_results_and_nothing_else(query: str) -> None:
    request = SearchRequest((query,), section=("Tokens", "* > Making a *"), limit=50)
    answer = search_project(_project().project(), request)
    assert answer.results
    for result in answer.results:
        path = [title.casefold() for title in result.entry.section_path]
        assert path[-1] == "tokens" or (len(path) > 1 and path[-1].startswith("making a "))


@pytest.mark.parametrize("query", ["token", "über backup", "日本語", "restoring", "日本語の token"])
def test_vimgrep_rows_stand_where_they_say(query: str) -> None:
    """Line and byte column, against the file cut at its line ends: LF, CRLF and lone CR."""
    analyzer = analyzer_for("english")
    answer = _answer((query,), "auto", ())
    asked = set(analyzer.terms(query))
    rows = render_vimgrep(answer, Places({"docs": ""}, "/")).splitlines()
    assert rows
    for row in rows:
        path, number, column, text = row.split(":", 3)
        data = (_project().root / path).read_bytes()
        line = re.split(rb"\r\n|\n|\r", data)[int(number) - 1]
        if path.endswith(".html") or (column == "1" and text not in line.decode()):
            continue  # a title, or a match that markup cuts
        line = line.removeprefix("\ufeff".encode())
        assert text.strip("…") in line.decode(), "a piece may begin and end within a line"
        words = analyzer.terms(line[int(column) - 1 :].decode())
        assert words[0] in asked or len(words[0]) > 3


def test_a_byte_order_mark_is_no_column() -> None:
    answer = _answer(("vorweg",), "auto", ())
    rows = render_vimgrep(answer, Places({"docs": ""}, "/")).splitlines()
    assert "odd.md:1:1:vorweg ein token" in [row.removeprefix("/") for row in rows]
