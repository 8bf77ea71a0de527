"""Settings of a search are checked when they are made."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.errors import UsageError
from leafmark.search.options import SearchOptions


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("limit", 0, "a whole number from 1 to 10000"),
        ("limit", True, "a whole number from 1 to 10000"),
        ("candidate_limit", 2.5, "a whole number from 1 to 100000"),
        ("max_merge_depth", -1, "a whole number of at least 0"),
        ("cutoff_ratio", 1.5, "a number from 0 to 1"),
        ("relax_share", float("nan"), "a number from 0 to 1"),
        ("aggregation_threshold", "half", "a number from 0 to 1"),
        ("grain", "page", "one of auto, piece, section, document"),
        ("sort", "size", "one of score, mtime, path"),
        ("fuzzy_distance", 3, "a whole number from 0 to 2"),
        ("merge_bonus", -0.1, "a number of at least 0"),
        ("path_weight", -1, "a number of at least 0"),
        ("nearness", -0.1, "a number of at least 0"),
        ("titles_weight", "3", "a number of at least 0"),
        ("local_boost", 0, "a number above 0"),
        ("since", "yesterday", "a number, or none"),
    ],
)
def test_values_that_are_not_accepted(name: str, value: Any, accepted: str) -> None:
    with pytest.raises(UsageError) as caught:
        SearchOptions(**{name: value})
    assert caught.value.message == f"{name} is {value!r}"
    assert caught.value.hint == f"{name} must be {accepted}"


def test_limits_grow_with_the_number_of_results() -> None:
    assert (SearchOptions().candidates, SearchOptions().keep_count) == (100, 20)
    many = SearchOptions(limit=50)
    assert (many.candidates, many.keep_count) == (250, 50)
