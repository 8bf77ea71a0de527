"""`leafmark why-not`: what it asks for, prints, and ends with."""

from __future__ import annotations

import pytest
from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.app.requests import SearchRequest, WhyNotRequest
from leafmark.model import AbsenceReason, Hint, UnmatchedPart, WhyNotReport

REASON = AbsenceReason(
    "match",
    "docs:a.md#b",
    unmatched=(UnmatchedPart("oil", False, 3, ("oily",)), UnmatchedPart("x", True, 1)),
)


def test_it_asks_for_what_was_written(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("why-not", "a.md", "x y", "z", "-n", "3", "-t", "docs", "--strict")
    leafmark_run("why-not", "a.md", "x", "--no-aggregation", "--no-refresh", "--yes")
    assert app.asked == [
        WhyNotRequest("a.md", SearchRequest(("x y", "z"), limit=3, trees=("docs",), strict=True)),
        WhyNotRequest(
            "a.md", SearchRequest(("x",), aggregation=False, refresh=False, confirmed=True)
        ),
    ]


def test_settings_are_settings_as_in_search(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("why-not", "a.md", "x", "--set", "cutoff_ratio=0.2")
    assert app.opened[0][1] == {"search.cutoff_ratio": "0.2"}


def test_the_reasons_and_what_shows_it_are_printed(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.absence = WhyNotReport(
        "docs:a.md",
        "oil -x",
        (REASON, AbsenceReason("cutoff", "docs:a.md", topic=1, rank=9, values={"kept": 8})),
        remedy={"aggregation": False, "cutoff_ratio": 0.209, "limit": 4, "trees": ()},
        without=("oil",),
    )
    ran = leafmark_run("why-not", "a.md", "oil", "-t", "x")
    assert ran.code == 0
    assert ran.out == (
        "docs:a.md  oil -x\n"
        "  topic 1: match: it lacks “oil” and it has “x”, which the query leaves out\n"
        "    asked of docs:a.md#b\n"
        "    “oil” occurs in 3 chunks; here: oily\n"
        "  topic 2: cutoff: it is match 9, and 8 are kept where scores do not fall sharply\n"
        "  to see it: --no-aggregation, --set cutoff_ratio=0.209, --limit 4, without --tree, "
        "leave out oil\n"
    )


@pytest.mark.parametrize(
    ("shown_as", "line"),
    [
        ("docs:a.md", "  it is result 2\n"),
        ("docs:a.md#b", "  docs:a.md#b, which is part of it, is result 2\n"),
    ],
)
def test_a_result_is_1(leafmark_run: Leafmark, app: FakeApp, shown_as: str, line: str) -> None:
    app.absence = WhyNotReport("docs:a.md", "x", shown_as=shown_as, rank=2)
    ran = leafmark_run("why-not", "a.md", "x")
    assert (ran.code, ran.out) == (1, f"docs:a.md  x\n{line}")


def test_json_is_as_published(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.absence = WhyNotReport("docs:a.md", "x", (REASON,), remedy={"limit": 4})
    ran = leafmark_run("why-not", "a.md", "x", "--json")
    assert problems(ran.json, "why-not") == []
    assert (ran.json["reasons"][0]["lost_at"], ran.json["remedy"]) == ("match", ["--limit 4"])
    assert ran.json["hints"] == []


def test_hints_are_printed_or_in_the_object(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.absence = WhyNotReport("docs:a.md", "x", (REASON,), hints=(Hint("provider", "it is down"),))
    assert leafmark_run("why-not", "a.md", "x").err == "hint: it is down\n"
    ran = leafmark_run("why-not", "a.md", "x", "--json")
    assert problems(ran.json, "why-not") == []
    assert (ran.json["hints"], ran.err) == (
        [{"code": "provider", "message": "it is down", "values": {}}],
        "",
    )


def test_a_query_is_not_read_from_standard_input(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("why-not", "a.md", "-")
    assert ran.err == "error: the query of why-not is not read from standard input\n"
    assert ran.code == 2
