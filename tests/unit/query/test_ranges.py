"""Ranges of metadata: how they are written and what they hold."""

from __future__ import annotations

import datetime as dt

import pytest

from leafmark.query import Range, admits
from leafmark.query.ranges import parse_range


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3..7", Range("3", "7")),
        ("3..", Range("3")),
        (">=3", Range("3")),
        ("..7", Range(high="7")),
        ("<=7", Range(high="7")),
        (">3", Range("3", include_low=False)),
        ("<7", Range(high="7", include_high=False)),
        ("-1.5..+2", Range("-1.5", "+2")),
        ("a..b", Range("a", "b")),
        ("3...5", Range("3", ".5")),
        ("draft", None),
        ("..", None),
        ("", None),
        (">", None),
        (">..", None),
        ("../x", None),
        ("a/../b", None),
        ("1..2..3", None),
        ("3>2", None),
        ("->", None),
        ("e.g.", None),
    ],
)
def test_a_value_is_a_range_when_it_is_written_like_one(text: str, expected: Range | None) -> None:
    found = parse_range(text)
    assert found == expected
    assert found is None or parse_range(str(found)) == found


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "not a range: None..None"),
        ({"low": ""}, "not a range: ''..None"),
        ({"low": "a b"}, "not a range: 'a b'..None"),
        ({"low": "3.", "high": "4"}, "not a range: '3.'..'4'"),
        ({"low": "3", "high": "7", "include_low": False}, "a range with two bounds holds both"),
        ({"low": "3", "high": "7", "include_high": False}, "a range with two bounds holds both"),
        ({"low": "3", "include_high": False}, "an open end cannot be excluded"),
        ({"high": "3", "include_low": False}, "an open end cannot be excluded"),
    ],
)
def test_what_cannot_be_written_is_no_range(given: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=r"range|open end") as caught:
        Range(**given)  # type: ignore[arg-type]
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("condition", "inside", "outside"),
    [
        ("3..7", [3, 7, 5.5, "4", [9, 6], "07"], [2.9, 8, "10", [], [1, 9], "1e1"]),
        (">3", [3.5, "4", 10, "3.1.2"], [3, "3.0", -5, "high", "v4", True]),
        ("<=3", [3, -2, "0", [None, 1]], [3.01, None, "", [], "#1"]),
        (">2026-01-01", ["2026-01-02", "2026-02-01 to 2026-03-01"], ["draft", "9", 30000101]),
        ("<2026-01-01", ["2025-12-31", 2025], [None, "", "1st of May", 7]),
        ("..m", ["draft", 1], ["", None, "n"]),
        (">=2026-01-15", ["2026-01-15", "2026-01-15T08:00", "2027"], ["2026-01-14", "2025-12"]),
        (">2026-01", ["2026-02-01", "2027-01"], ["2026-01-31", "2025"]),
        ("2025..2026", ["2026-12-31", "2025-01-01", 2025, "2025"], ["2027-01-01", 2024]),
        ("..2026-01", ["2026-01-31T23:59:59Z", "2026-01-31t23:59:59z"], ["2026-02-01"]),
        (">2026-01-31", ["2026-02-01t00:00:00z"], ["2026-01-31t23:59:59z"]),
        ("<2026-02", [dt.date(2026, 1, 31), dt.datetime(2025, 5, 5, 1)], [dt.date(2026, 2, 1)]),
        ("b..d", ["b", "C", "cat", "d"], ["a", "Dog", "e"]),
        ("..2026-0", ["2026", "2025-12-31"], ["2026-01-31"]),  # the bound is no date
    ],
)
def test_a_range_holds(condition: str, inside: list[object], outside: list[object]) -> None:
    found = parse_range(condition)
    assert found is not None
    assert [value for value in inside if not admits(found, value)] == []
    assert [value for value in outside if admits(found, value)] == []


@pytest.mark.parametrize(
    ("wanted", "equal", "different"),
    [
        ("draft", ["draft", "Draft", ["x", "DRAFT"], ("draft",)], ["drafts", "", None, [], 1]),
        ("3", [3, 3.0, "3", "03", [1, 3]], [30, "3a", True]),
        ("true", [True, "True"], [False, 1, None]),
        ("2026-01-05", [dt.date(2026, 1, 5), dt.datetime(2026, 1, 5, 3)], ["2026-01-06"]),
        ("straße", ["STRASSE"], ["strase"]),
    ],
)
def test_a_value_equals(wanted: str, equal: list[object], different: list[object]) -> None:
    assert [value for value in equal if not admits(wanted, value)] == []
    assert [value for value in different if admits(wanted, value)] == []


@pytest.mark.parametrize(
    ("low", "high", "backwards"),
    [
        ("7", "3", True),
        ("3", "7", False),
        ("10", "9", True),
        ("3", "3", False),
        ("b", "a", True),
        ("2026-02", "2026-01", True),
        ("2026-02-05", "2026-02", False),
    ],
)
def test_a_range_may_run_backwards(low: str, high: str, backwards: bool) -> None:
    assert Range(low, high).runs_backwards is backwards
    assert not Range(low).runs_backwards
