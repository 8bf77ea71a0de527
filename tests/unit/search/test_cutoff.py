"""The elbow: each example and edge case of its definition."""

from __future__ import annotations

import pytest

from leafmark.search.order import elbow_cutoff

EXAMPLE = [8.0, 7.5, 7.0, 3.2, 3.0, 2.8, 0.9]


@pytest.mark.parametrize(
    ("name", "scores", "ratio", "max_results", "kept"),
    [
        ("the first drop below half", EXAMPLE, 0.5, 20, 3),
        ("the first drop, not the sharpest", [8, 3.9, 0.1], 0.5, 20, 1),
        ("none", [], 0.5, 20, 0),
        ("a single one", [0.3], 0.5, 20, 1),
        ("a single one is not judged", [0.0], 0.5, 20, 1),
        ("no elbow", [5.0, 4.0, 3.0], 0.5, 20, 3),
        ("no elbow, more than are wanted", [5.0, 4.0, 3.0], 0.5, 2, 2),
        ("an elbow past what is wanted without one", [5.0, 4.0, 3.0, 0.1], 0.5, 2, 3),
        ("one strong match", [9.0, 1.0, 0.9], 0.5, 20, 1),
        ("exactly at the ratio is no drop", [8.0, 4.0, 2.0], 0.5, 20, 3),
        ("just below it is one", [8.0, 3.999], 0.5, 20, 1),
        ("zero ends the list", [5.0, 4.0, 0.0], 0.0, 20, 2),
        ("a negative score ends the list", [5.0, -1.0], 0.0, 20, 1),
        ("nothing positive", [0.0, 0.0], 0.5, 20, 0),
        ("ratio 0 never cuts", [100.0, 0.001], 0.0, 20, 2),
        ("ratio 1 cuts at the first difference", [5.0, 5.0, 4.999], 1.0, 20, 2),
        ("equal scores", [1.0] * 30, 0.5, 20, 20),
    ],
)
def test_cutoff(name: str, scores: list[float], ratio: float, max_results: int, kept: int) -> None:
    assert elbow_cutoff(scores, ratio=ratio, max_results=max_results) == kept


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0, 2.0], "the scores are not sorted from best to worst"),
        ([1.0, float("nan")], "a score is not a number"),
    ],
)
def test_what_is_no_list_of_scores(scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        elbow_cutoff(scores, ratio=0.5, max_results=20)
