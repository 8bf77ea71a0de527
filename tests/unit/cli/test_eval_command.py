"""`leafmark eval`: what it asks for, what it prints, and its exit code."""

from __future__ import annotations

from typing import Any

import pytest
from support.evaluations import small_report
from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.app.requests import DraftRequest, EvaluationRequest
from leafmark.evaluation import JudgedQuery
from leafmark.evaluation.judgments import Reference
from leafmark.evaluation.results import Drafts, GateOutcome
from leafmark.model import Diagnostic


@pytest.mark.parametrize(
    ("argv", "fields"),
    [
        ([], {}),
        (
            ["--compare", "fixed, auto+relax_share=0.5"],
            {"compare": ("fixed", "auto+relax_share=0.5")},
        ),
        (["--kind", "a", "--kind", "b", "-t", "x"], {"kinds": ("a", "b"), "trees": ("x",)}),
        (["--half", "judge", "--by", "tree"], {"half": "judge", "by": "tree"}),
        (["--gate", "rr500>=1", "-n", "5"], {"gates": ("rr500>=1",), "limit": 5}),
        (["--worst", "2", "-y"], {"confirmed": True}),
        (["--mode", "lexical"], {"modes": ("lexical",)}),
        (["--mode", "lexical,hybrid"], {"modes": ("lexical", "hybrid")}),
    ],
)
def test_it_asks_for_what_was_written(
    leafmark_run: Leafmark, app: FakeApp, argv: list[str], fields: dict[str, Any]
) -> None:
    assert leafmark_run("eval", "q.jsonl", *argv).code == 0
    assert app.asked == [EvaluationRequest(("q.jsonl",))._replace(**fields)]


def test_tables_and_then_the_worst(leafmark_run: Leafmark) -> None:
    assert leafmark_run("eval", "q.jsonl").out.startswith("lexical, 10 or 50 results a query; ")
    told = leafmark_run("eval", "q.jsonl", "--worst", "1").out
    assert "\n\nlost\\x1b[1m words  q.jsonl:2\n" in told
    assert "xylophone" not in told


def test_json(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("eval", "q.jsonl", "--worst", "9", "--json")
    assert problems(ran.json, "eval") == []
    assert len(ran.json["queries"]) == 3


def test_a_gate_that_fails_makes_the_exit_code_1(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.evaluated = small_report((GateOutcome("rr500>=0.9", 0.7, False),))
    ran = leafmark_run("eval", "q.jsonl", "--gate", "rr500>=0.9")
    assert ran.code == 1
    assert ran.out.endswith("\nrr500>=0.9 fails: it is 0.7000\n")


def test_what_was_left_out_is_said(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.evaluated = small_report()._replace(warnings=("tree.x is left out",))
    assert leafmark_run("eval", "q.jsonl").err == "warning: tree.x is left out\n"
    ran = leafmark_run("eval", "q.jsonl", "--json")
    assert ran.json["warnings"] == ["tree.x is left out"]
    assert problems(ran.json, "eval") == []


def test_diagnostics_of_documents_are_said(leafmark_run: Leafmark, app: FakeApp) -> None:
    unread = Diagnostic("b.md", "unreadable", "the file cannot be read: it is locked")
    app.evaluated = small_report()._replace(diagnostics=(unread,))
    ran = leafmark_run("eval", "q.jsonl")
    assert ran.err == "warning: the file cannot be read: it is locked\n  --> b.md\n"
    ran = leafmark_run("eval", "q.jsonl", "--json")
    assert [each["code"] for each in ran.json["diagnostics"]] == ["unreadable"]
    assert (problems(ran.json, "eval"), ran.err) == ([], "")


def test_make_prints_queries(leafmark_run: Leafmark, app: FakeApp) -> None:
    draft = JudgedQuery("Set up", (Reference("t:a.md#set-up"),), "heading", draft=True)
    unread = Diagnostic("b.md", "unreadable", "the file cannot be read: it is locked")
    app.drafted = Drafts((draft,), ("tree.x is left out",), (unread,))
    ran = leafmark_run("eval", "make", "-n", "3", "-t", "t", "--kind", "heading", "-y", "--json")
    assert ran.err == (
        "warning: tree.x is left out\nwarning: the file cannot be read: it is locked\n  --> b.md\n"
    )
    assert (ran.code, ran.out) == (
        0,
        '{"query": "Set up", "answers": ["t:a.md#set-up"], "kind": "heading", "draft": true}\n',
    )
    assert app.asked == [DraftRequest(3, ("t",), ("heading",), confirmed=True)]


def test_queries_of_hostile_documents_do_not_control_the_terminal(
    leafmark_run: Leafmark, app: FakeApp
) -> None:
    app.drafted = Drafts((JudgedQuery("a\x9b2J\u202eb", ()),), (), ())
    ran = leafmark_run("eval", "make")
    assert ran.out == '{"query": "a\\u009b2J\\u202eb", "answers": []}\n'


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ([], "anything"),
        (["--kind", "definition"], "a definition"),
        (["--kind", "link", "--kind", "heading", "--kind", "link"], "a link or heading"),
    ],
)
def test_make_with_nothing_to_draft_from(
    leafmark_run: Leafmark, options: list[str], what: str
) -> None:
    ran = leafmark_run("eval", "make", *options)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"no document holds {what} to draft a query from\n"


def test_make_takes_nothing_else(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("eval", "make", "q.jsonl")
    assert ran.code == 2
    assert ran.err == (
        "error: `leafmark eval make` does not take `q.jsonl`\n"
        "hint: it drafts from the project's documents; --tree limits it to one tree\n"
    )


@pytest.mark.parametrize(
    "argv",
    [
        ("--half", "judge"),
        ("--by", "kind"),
        ("--gate", "rr500>0"),
        ("--mode", "lexical"),
    ],
)
def test_make_refuses_what_says_how_to_judge(
    leafmark_run: Leafmark, app: FakeApp, argv: tuple[str, ...]
) -> None:
    ran = leafmark_run("eval", "make", *argv)
    assert (ran.code, ran.err) == (
        2,
        f"error: `leafmark eval make` does not take {argv[0]}\n"
        "hint: it only drafts queries: --limit, --kind and --tree say which\n",
    )
    assert app.asked == []


def test_compare_names_at_least_one_way(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("eval", "q.jsonl", "--compare", " ,")
    assert (ran.code, ran.err) == (
        2,
        "error: --compare names no way to search\nhint: such as fixed,section,auto\n",
    )
