"""Budgets over real documents: never exceeded, the longest that fits, more room only adds."""

from __future__ import annotations

import hashlib
import re
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.forms import EXCERPT_FORMS, TEXT_FORMS, cut, printed, shown_bytes, tokens
from support.projects import Here

from leafmark.app import search_project
from leafmark.app.requests import Grain, SearchRequest
from leafmark.cli.budgets import plan_answer
from leafmark.errors import UsageError
from leafmark.model import Answer, Passage, Relation
from leafmark.render.fitting import Excerpts, Texts, count_tokens, fit

ROOT = Path(__file__).parents[2]

ODD = (
    "\ufeffvorweg\r\n\r\n# Über Token\r\n\r\n/etc/token liegt hier.\r\n/und hier\r\n\r\n"
    "## Leer\r\n\r\n## Liste\r\n\r\n- eins token\r\n\r\n  ```sh\r\n  token --do\r\n\r\n  done\r\n"
    "  ```\r\n- zwei\r\n\r\n日本語の token です。次の文です。\r\n\r\n"
    + " ".join(f"Satz {n} über token und backup." for n in range(80))
)

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
    root = Path(tempfile.mkdtemp())
    here = Here(root / "docs", root)
    for source in (*ROOT.glob("examples/handbook/**/*.md"), *ROOT.glob("docs/*.md")):
        here.write(str(source.relative_to(ROOT)), source.read_text("utf-8"))
    here.write("odd.md", ODD)
    here.write("page.html", "<main><h1>Token</h1><p>one <b>token</b></p><h2>B</h2><p>two</p>")
    here.index()
    return here


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


@settings(max_examples=60, deadline=None)
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
        assert caught.value.hint == f"--max-tokens {least} is the least for it"
    else:
        assert tokens(cut(answer, form, budget)[0]) <= budget


@cache
def _least(query: str, grain: Grain, form: str) -> int:
    """The cost of the cheapest answer there is, found by printing them all."""
    answer = _answer(query, grain)
    plan = _plan(answer, form)
    costs = [tokens(printed(plan.answer(steps), form)) for steps in range(plan.size + 1)]
    return min(costs[min(1, plan.size) :])


def _plan(answer: Answer, form: str) -> Texts | Excerpts:
    if form in EXCERPT_FORMS:
        answer = answer._replace(packing=None)
    return plan_answer(answer, form, count_tokens("o200k_base"))


@settings(max_examples=40, deadline=None)
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
    """Every number of steps is printed and counted whole, against the search for the longest."""
    answer = _answer(query)
    count = count_tokens("o200k_base")
    plan = _plan(answer, form)
    costs = [tokens(printed(plan.answer(steps), form)) for steps in range(plan.size + 1)]
    for budget in {*costs[1:], *(cost + 1 for cost in costs[1:]), 50, 400}:
        fitting = [steps for steps in range(1, plan.size + 1) if costs[steps] <= budget]
        if fitting:
            found = fit(plan.size, lambda n, m: printed(plan.answer(n, m), form), count, budget)
            assert found.steps == fitting[-1]


@settings(max_examples=40, deadline=None)
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
