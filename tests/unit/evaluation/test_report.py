"""Intervals, gates and tables of an evaluation."""

from __future__ import annotations

import math
import random

import pytest

from leafmark.errors import UsageError
from leafmark.evaluation import METRICS, JudgedQuery
from leafmark.evaluation.judgments import Reference
from leafmark.evaluation.results import (
    Gate,
    Outcome,
    Resampler,
    Variant,
    VariantOutcomes,
    build_groups,
    parse_gate,
)


def test_the_interval_is_that_of_the_normal_distribution_for_many_values() -> None:
    source = random.Random(5)
    values = [source.random() for _ in range(2000)]
    mean = sum(values) / len(values)
    error = math.sqrt(sum((one - mean) ** 2 for one in values) / len(values) / len(values))
    found = Resampler(seed=1, resamples=2000).estimate(values)
    assert found.mean == pytest.approx(mean)
    assert found.low == pytest.approx(mean - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=0.15 * error)


def test_a_difference_is_paired_by_query() -> None:
    source = random.Random(7)
    base = [source.random() for _ in range(50)]
    better = [one + 0.01 for one in base]
    resampler = Resampler(seed=1, resamples=500)
    found = resampler.difference(better, base)
    assert found.low == pytest.approx(0.01)
    assert found.high == pytest.approx(0.01)
    assert found.is_clear
    apart = resampler.estimate(better)
    assert apart.high - apart.low > 0.1


def test_the_ends_are_those_of_the_means_in_order() -> None:
    found = Resampler(seed=1, resamples=40).estimate([0.0, 1.0] * 10)
    assert 0.0 < found.low < found.mean < found.high < 1.0


def test_chance_is_not_clear() -> None:
    assert not Resampler(seed=1, resamples=500).estimate([0.5, -0.5] * 20).is_clear


@pytest.mark.parametrize(("count", "clear"), [(1, False), (5, False), (6, True)])
def test_of_few_queries_nothing_is_clear(count: int, clear: bool) -> None:
    for sign in (0.5, -0.5):
        found = Resampler(seed=1, resamples=500).estimate([sign] * count)
        assert found.is_clear is clear


def test_one_value_is_its_own_interval() -> None:
    assert Resampler(seed=1, resamples=9).estimate([0.3])[:3] == (0.3, 0.3, 0.3)


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="there is no mean of no values"):
        Resampler(seed=1, resamples=9).estimate([])


def test_one_value_has_no_interval_and_two_have() -> None:
    resampler = Resampler(seed=1, resamples=200)
    assert resampler.estimate([0.3])[:3] == (0.3, 0.3, 0.3)
    assert resampler.estimate([0.0, 1.0])[:3] == (0.5, 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("rr500>=0.55", Gate("rr500", ">=", 0.55)),
        ("auto: overlap-MRR@10 > 0.5", Gate("overlap-mrr@10", ">", 0.5, "auto")),
        (
            "auto+relax_share=0.5:recall-2000t<=1",
            Gate("recall-2000t", "<=", 1.0, "auto+relax_share=0.5"),
        ),
        ("empty<0.1", Gate("empty", "<", 0.1)),
        (
            "auto + embedding.model = BAAI/bge:small : RR500 >= 0.5",
            Gate("rr500", ">=", 0.5, "auto + embedding.model = BAAI/bge:small"),
        ),
    ],
)
def test_gates(text: str, gate: Gate) -> None:
    assert parse_gate(text) == gate
    assert parse_gate(str(gate)) == gate


@pytest.mark.parametrize(
    ("gate", "value", "holds"),
    [
        ("rr500>=0.5", 0.5, True),
        ("rr500>0.5", 0.5, False),
        ("rr500<=0.5", 0.5, True),
        ("rr500<0.5", 0.5, False),
        ("rr500>=0.5", 0.4999, False),
    ],
)
def test_when_a_gate_holds(gate: str, value: float, holds: bool) -> None:
    assert parse_gate(gate).admits(value) is holds


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("rr500", "'rr500' is not a gate", "write it like rr500>=0.55"),
        (
            "rr501>=0.5",
            "the gate 'rr501>=0.5' names no metric",
            "there are: " + ", ".join(METRICS),
        ),
        (
            "rr500>=much",
            "the gate 'rr500>=much' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=55",
            "the gate 'rr500>=55' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=nan",
            "the gate 'rr500>=nan' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=0_1",
            "the gate 'rr500>=0_1' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
    ],
)
def test_what_is_no_gate(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_gate(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def _way(name: str, value: float, perfect: float) -> VariantOutcomes:
    query = JudgedQuery("q", (Reference("t:a.md"),))
    outcome = Outcome(query, {"rr500": value}, perfect={"rr500": perfect})
    return VariantOutcomes(Variant(name, {}), 1, 10, (outcome, outcome))


@pytest.mark.parametrize(
    ("value", "closed"),
    [(0.9, 0.0), (0.925, 0.25), (1.0, 1.0), (0.5, None), (0.899, None)],
)
def test_the_share_of_the_distance_that_is_gone(value: float, closed: float | None) -> None:
    """Of a small distance, a loss would be any number of times as large."""
    found = (_way("fixed", 0.9, 0.95), _way("auto", value, 1.0))
    (table,) = build_groups(found, Resampler(seed=1, resamples=20))
    first, second = table.rows["rr500"]
    assert (first.closed, first.perfect, second.perfect) == (None, 0.95, 1.0)
    assert second.closed == (None if closed is None else pytest.approx(closed))


def test_a_first_way_that_is_perfect_leaves_no_distance() -> None:
    found = (_way("fixed", 1.0, 1.0), _way("auto", 1.0, 1.0))
    (table,) = build_groups(found, Resampler(seed=1, resamples=20))
    assert table.rows["rr500"][1].closed is None


def test_a_perfect_mean_is_known_only_where_every_query_has_one() -> None:
    query = JudgedQuery("q", (Reference("t:a.md"),))
    values = {"rr500": 0.5, "ndcg@10": 0.5}
    known = Outcome(query, values, perfect={"rr500": 1.0, "ndcg@10": 1.0})
    unknown = Outcome(query, values, perfect={})

    def perfect(*outcomes: Outcome) -> list[float | None]:
        found = (VariantOutcomes(Variant("fixed", {}), 1, 10, outcomes),)
        (table,) = build_groups(found, Resampler(seed=1, resamples=20))
        return [table.rows[name][0].perfect for name in ("rr500", "ndcg@10")]

    assert perfect(known, known) == [1.0, None]  # no ranking of chunks is perfect for the other
    assert perfect(known, unknown) == [None, None]
    assert perfect(unknown, unknown) == [None, None]


def test_no_label_is_another_one_whatever_labels_are_called() -> None:
    kinds = ("none", "", "all", "none")
    outcomes = tuple(
        Outcome(JudgedQuery(f"q{at}", (), kind=kind), {"empty-unanswerable": 0.0})
        for at, kind in enumerate(kinds)
    )
    found = (VariantOutcomes(Variant("fixed", {}), 1, 10, outcomes),)
    groups = build_groups(found, Resampler(seed=1, resamples=20), "kind")
    assert [(group.by, group.name, group.unanswerable) for group in groups] == [
        ("", "all", 4),
        ("kind", "all", 1),
        ("kind", "none", 2),
        ("kind", "", 1),
    ]
