"""Intervals: against the textbook's on many values, and paired differences."""

from __future__ import annotations

import math
import random

import pytest

from leafmark.evaluation import Resampler


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
