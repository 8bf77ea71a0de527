"""Evaluations as people read them, and as JSON."""

from __future__ import annotations

from support.evaluations import small_report
from support.schema import problems

from leafmark.evaluation.results import GateOutcome
from leafmark.render.evaluation import (
    evaluation_record,
    render_evaluation,
    render_outcomes,
    worst_first,
)
from leafmark.render.terminal import Style

PLAIN = Style()
GATES = (GateOutcome("rr500>=0.5", 0.7, True), GateOutcome("rr500>=0.9", 0.7, False))


def test_the_table() -> None:
    assert render_evaluation(small_report(GATES), PLAIN) == (
        "lexical, 10 or 50 results a query; fixed 1,200 chunks, auto 30 chunks\n"
        "[95 % intervals]\n"
        "differences are against fixed; * is more than chance\n"
        "1 of the queries is a draft that nobody has looked at\n"
        "\n"
        "all: 2 with an answer, 1 without\n"
        "                      fixed                 auto\n"
        "  rr500               0.500 [0.000, 1.000]  0.700 +0.200 [+0.000, +0.400]\n"
        "  empty-unanswerable  0.000 [0.000, 0.000]  0.000 +0.000 [+0.000, +0.000]\n"
        "  auto, from the first towards a perfect ranking: 50% in rr500 (0.900)\n"
        "\n"
        "rr500>=0.5 holds: it is 0.7000\n"
        "rr500>=0.9 fails: it is 0.7000\n"
    )


def test_tables_are_named_after_what_their_queries_have_in_common() -> None:
    report = small_report()
    first = report.groups[0]
    groups = [first, *(first._replace(by="kind", name=name) for name in ("all", ""))]
    told = report._replace(groups=tuple(groups))
    lines = render_evaluation(told, PLAIN).splitlines()
    assert [line.partition(":")[0] for line in lines if "with an answer" in line] == [
        "all",
        "kind all",
        "no kind",
    ]
    record = evaluation_record(told, [])
    assert [(one["by"], one["name"]) for one in record["groups"]] == [
        ("", "all"),
        ("kind", "all"),
        ("kind", ""),
    ]
    assert problems(record, "eval") == []


def test_a_long_name_of_a_way_stands_above_the_tables_once() -> None:
    report = small_report()
    first, second = report.variants
    named = first.variant._replace(name="fixed+asking_words=true+target_tokens=400")
    long = report._replace(variants=(first._replace(variant=named), second))
    lines = render_evaluation(long, PLAIN).splitlines()
    assert lines[0].endswith("fixed+… (1) 1,200 chunks, auto 30 chunks")
    assert lines[2:4] == [
        "differences are against fixed+… (1); * is more than chance",
        "fixed+… (1) is fixed+asking_words=true+target_tokens=400",
    ]
    assert lines[7].split() == ["fixed+…", "(1)", "auto"]


def test_what_became_of_each_query_the_worst_first() -> None:
    report = small_report()
    assert worst_first(report, None) == [1, 0, 2]
    assert worst_first(report, 1) == [1]
    assert render_outcomes(report, worst_first(report, None), PLAIN) == (
        "lost\\x1b[1m words  q.jsonl:2\n"
        "  fixed  rr500 0.00  no answer among 1 result; refused: no word; "
        "first is t:a.md\n"
        "  auto   rr500 0.40  answer at 2 after 1,250 tokens of 2 results; "
        "first is t:a.md\n"
        "restore (keywords)  q.jsonl:1\n"
        "  fixed  rr500 1.00  answer at 1 after 200 tokens of 1 result\n"
        "  auto   rr500 1.00  answer at 1 after 200 tokens of 1 result\n"
        "xylophone  q.jsonl:3\n"
        "  fixed  1 result, marked doubtful; nothing answers it\n"
        "  auto   1 result, marked doubtful; nothing answers it\n"
    )


def test_json_is_as_published() -> None:
    report = small_report(GATES)
    record = evaluation_record(report, [1])
    assert problems(record, "eval") == []
    assert record["groups"][0]["metrics"][0]["values"][1] == {
        "variant": "auto",
        "mean": 0.7,
        "low": 0.4,
        "high": 1.0,
        "queries": 2,
        "difference": {"mean": 0.2, "low": 0.0, "high": 0.4, "queries": 2},
        "perfect": 0.9,
        "closed": 0.5,
    }
    assert [query["query"] for query in record["queries"]] == ["lost\x1b[1m words"]
    assert record["queries"][0]["outcomes"][1]["tokens"] == 1250
