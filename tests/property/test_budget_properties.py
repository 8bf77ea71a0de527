"""Budgets over real documents: never exceeded, the longest that fits, more room only adds."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.forms import EXCERPT_FORMS, TEXT_FORMS, cut, printed, shown_bytes, tokens
from support.projects import Here
from support.real import real_documents

from leafmark.app import search_project
from leafmark.app.requests import SearchRequest
from leafmark.errors import UsageError
from leafmark.model import Answer, Grain, Passage, Relation
from leafmark.render.budgets import Excerpts, Texts, count_tokens, fit, plan_answer

QUERIES = (
    "token",
    "backup",
    "path:guides/",
    "how do I restore a backup of my token",
    "index OR chunk",
    "span heading",
)


@cache
def _project() -> Here:
    return real_documents()


@cache
def _answer(query: str, grain: Grain = "auto") -> Answer:
    expand: tuple[Relation, ...] = ("parent", "next") if grain == "piece" else ()
    request = SearchRequest(
        (query,), packed=True, full_text=True, grain=grain, expand=expand, limit=6
    )
    return search_project(_project().project(), request)


GRAINS: tuple[Grain, ...] = ("auto", "piece", "document")
asked = st.tuples(st.sampled_from(QUERIES), st.sampled_from(GRAINS))
forms = st.sampled_from([*TEXT_FORMS, *EXCERPT_FORMS])
budgets = st.integers(1, 3000)


@given(asked, forms, budgets)
def test_a_budget_is_never_exceeded_and_the_least_one_is_enough(
    ask: tuple[str, Grain], form: str, budget: int
) -> None:
    answer = _answer(*ask)
    least = _least(*ask, form)
    if budget < least:
        with pytest.raises(UsageError) as caught:
            cut(answer, form, budget)
        assert caught.value.message == f"the answer does not fit into {budget} tokens"
        assert caught.value.hint == f"max_tokens={least} is the least for it"
    else:
        assert tokens(cut(answer, form, budget)[0]) <= budget


@cache
def _least(query: str, grain: Grain, form: str) -> int:
    """The cost of the cheapest answer there is, found by printing them all."""
    answer = _answer(query, grain)
    plan = _plan(answer, form)
    costs = [tokens(printed(plan.at(steps), form)) for steps in range(plan.size + 1)]
    return min(costs[min(1, plan.size) :])


def _plan(answer: Answer, form: str) -> Texts[Answer] | Excerpts:
    if form in EXCERPT_FORMS:
        answer = answer._replace(packing=None)
    return plan_answer(answer, form, count_tokens("o200k_base"))


@given(asked, st.sampled_from(sorted(TEXT_FORMS)), st.lists(budgets, min_size=2, max_size=4))
def test_more_room_only_adds_bytes(ask: tuple[str, Grain], form: str, rooms: list[int]) -> None:
    answer = _answer(*ask)
    shown: list[set[tuple[str, int]]] = [set()]
    for budget in sorted(rooms):
        try:
            _, part = cut(answer, form, budget)
        except UsageError:
            continue
        shown.append(shown_bytes(part, answer))
    assert all(fewer <= more for fewer, more in pairwise(shown))


@pytest.mark.parametrize("form", [*TEXT_FORMS, *EXCERPT_FORMS])
@pytest.mark.parametrize("query", ["token", "how do I restore a backup of my token"])
def test_no_longer_beginning_fits(query: str, form: str) -> None:
    _assert_longest(_answer(query), form)


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_no_longer_beginning_fits_where_passages_grow_together(tmp_path: Path, form: str) -> None:
    """What fills a gap between two of them costs less than the citation that it saves."""
    here = Here(tmp_path / "here", tmp_path)
    sections = [f"# {at}\n\n{'A zebra.' if at % 2 else 'x'}\n\n" for at in range(12)]
    here.write("a document with a rather long name, for long citations.md", "".join(sections))
    request = SearchRequest(("zebra",), packed=True, full_text=True, grain="document")
    _assert_longest(search_project(here.project(), request), form)


def _assert_longest(answer: Answer, form: str) -> None:
    """Every number of steps is printed and counted whole, against the search for the longest."""
    count = count_tokens("o200k_base")
    plan = _plan(answer, form)
    costs = [tokens(printed(plan.at(steps), form)) for steps in range(plan.size + 1)]
    for budget in {*costs[1:], *(cost + 1 for cost in costs[1:]), 50, 400}:
        fitting = [steps for steps in range(1, plan.size + 1) if costs[steps] <= budget]
        if fitting:
            found = fit(plan.size, lambda n, m: printed(plan.at(n, m), form), count, budget)
            assert found.steps == fitting[-1]


@given(asked, budgets)
def test_citations_cover_what_is_shown_and_nothing_else(
    ask: tuple[str, Grain], budget: int
) -> None:
    answer = _answer(*ask)
    try:
        _, part = cut(answer, "json", budget)
    except UsageError:
        return
    for result in part.results:
        source = (_project().root / result.entry.path).read_bytes()
        for one in result.passages or ():
            if not isinstance(one, Passage) or one.citation is None:
                continue
            name, digest, start, end = _parts(one.citation)
            assert name == result.entry.id
            assert start == max(one.start, result.entry.byte_start)
            assert end == one.end
            assert hashlib.sha256(source[start:end]).hexdigest()[:12] == digest


def _parts(citation: str) -> tuple[str, str, int, int]:
    found = re.fullmatch(r"(.+)@([0-9a-f]{12}):(\d+)-(\d+)", citation)
    assert found is not None
    return unquote(found[1]), found[2], int(found[3]), int(found[4])


def test_with_room_for_all_the_whole_text_stands_there() -> None:
    for query in QUERIES:
        answer = _answer(query)
        whole = printed(answer, "full")
        text, part = cut(answer, "full", 10**6)
        assert part.omission is None
        assert text == whole
        for form in EXCERPT_FORMS:
            assert cut(answer, form, 10**6)[0] == printed(answer, form)
