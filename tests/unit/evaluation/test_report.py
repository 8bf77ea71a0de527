"""Tables of an evaluation: means, differences, and the distance to a perfect ranking."""

from __future__ import annotations

import pytest

from leafmark.evaluation import (
    JudgedQuery,
    Outcome,
    Reference,
    Resampler,
    Variant,
    VariantOutcomes,
    build_groups,
)


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
