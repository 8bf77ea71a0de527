"""The grain of results."""

from __future__ import annotations

from typing import Any

import pytest
from support.candidates import Forest, count_by, match, shape

from leafmark.model import ContentType
from leafmark.search.grain import bring_to_grain
from leafmark.search.options import SearchOptions

OUTLINE = ["A", ["one", ["1"], ["2"], ["3"]], ["two", ["4"], ["5"], ["6"]], ["three"], ["four"]]


@pytest.fixture
def forest() -> Forest:
    """Sections of three pieces each."""
    forest = Forest()
    forest.add("a.md", OUTLINE)
    for key, entry in forest.entries.items():
        if entry.title.isdigit():
            forest.entries[key] = entry._replace(kind="piece")
    return forest


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"grain": "auto"}, ["t:a.md", ["t:a.md#one", ["t:a.md#1"], "t:a.md#4"]]),
        ({"grain": "piece"}, ["t:a.md#1", "t:a.md#4", "t:a.md#one", "t:a.md"]),
        ({"aggregation": False}, ["t:a.md#1", "t:a.md#4", "t:a.md#one", "t:a.md"]),
        (
            {"grain": "section"},
            ["t:a.md#one", ["t:a.md#1"], "t:a.md#two", ["t:a.md#4"], "t:a.md"],
        ),
        (
            {"grain": "document"},
            ["t:a.md", ["t:a.md#1", "t:a.md#4", "t:a.md#one"]],
        ),
    ],
)
def test_grain(forest: Forest, params: dict[str, Any], expected: list[Any]) -> None:
    scores = {"#1": 4.0, "#4": 3.0, "#one": 2.0, "": 1.0}
    matches = [match(forest.by_id(f"t:a.md{name}"), score) for name, score in scores.items()]
    found, _ = bring_to_grain(
        matches,
        SearchOptions(**params),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert shape(found) == expected
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@pytest.mark.parametrize(
    ("content", "names", "expected", "ends"),
    [
        ("prose", ["#one", ""], ["t:a.md#one", "t:a.md"], [0]),
        ("empty", ["#one", ""], ["t:a.md#one"], []),
        ("empty", [""], ["t:a.md"], [10]),
    ],
)
def test_sections_are_given_in_place_of_their_document(
    forest: Forest,
    content: ContentType,
    names: list[str],
    expected: list[str],
    ends: list[int],
) -> None:
    """With text of its own a document stands for that; without, only where no section is found."""
    entries = (forest.by_id(f"t:a.md{name}")._replace(content_type=content) for name in names)
    matches = [match(entry, 2.0 - at) for at, entry in enumerate(entries)]
    found, phases = bring_to_grain(
        matches,
        SearchOptions(grain="section", aggregation_max_tokens=0),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert shape(found) == expected
    documents = [one for one in found if one.entry.kind == "document"]
    assert [one.entry.last_position for one in documents] == ends
    assert all(one.introduction == (content == "prose") for one in documents)
    note = "1 gave way to its sections" if len(found) < len(names) else ""
    assert [phase.note for phase in phases if phase.name == "documents"] == [note]


def test_a_document_that_holds_pieces_ends_where_its_sections_begin() -> None:
    forest = Forest()
    forest.add("a.md", ["A", ["1"], ["2"], ["one", ["3"]], ["two"]])
    forest.add("b.md", ["B", ["4"], ["5"]])
    for key, entry in forest.entries.items():
        if entry.title.isdigit():
            forest.entries[key] = entry._replace(kind="piece")
    found, _ = bring_to_grain(
        [match(forest.by_id("t:a.md#1"), 2.0), match(forest.by_id("t:b.md#5"), 1.0)],
        SearchOptions(grain="section"),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert shape(found) == ["t:a.md", ["t:a.md#1"], "t:b.md", ["t:b.md#5"]]
    assert [(one.entry.byte_end, one.introduction) for one in found] == [(30, True), (30, False)]


def test_a_document_that_stands_alone_keeps_its_match(forest: Forest) -> None:
    matches = [match(forest.by_id("t:a.md"), 1.0)]
    found, phases = bring_to_grain(
        matches,
        SearchOptions(grain="document"),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert found == matches
    assert [phase.name for phase in phases] == ["grain", "aggregation", "ancestors"]


def test_a_section_keeps_its_pieces_when_it_takes_in_a_section_below_it() -> None:
    forest = Forest()
    forest.add("a.md", ["A", ["one", ["1"], ["two", ["2"]]], ["three"], ["four"]])
    for key, entry in forest.entries.items():
        if entry.title.isdigit():
            forest.entries[key] = entry._replace(kind="piece")
    matches = [match(forest.by_id("t:a.md#1"), 2.0), match(forest.by_id("t:a.md#2"), 1.0)]
    found, _ = bring_to_grain(
        matches,
        SearchOptions(grain="section"),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
        introduce=forest.introduce,
    )
    assert shape(found) == ["t:a.md#one", ["t:a.md#1", "t:a.md#two", ["t:a.md#2"]]]
