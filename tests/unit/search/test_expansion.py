"""What is added around results, each chunk once."""

from __future__ import annotations

import pytest
from support.candidates import Forest

from leafmark.model import RELATIONS, Relation
from leafmark.search.packing import expand

OUTLINE = ["A", ["one", ["1"], ["2", ["deep"]], ["3"]], ["two"], ["three", ["4"]]]


@pytest.fixture
def forest() -> Forest:
    forest = Forest()
    forest.add("a.md", OUTLINE)
    forest.add("b.md", ["B", ["other"]])
    return forest


def _expand(
    forest: Forest, shown: list[list[str]], *relations: Relation, whole: bool = False
) -> list[list[str]]:
    def chunks_of(one: object) -> list[object]:
        raise NotImplementedError

    added = expand(
        [[forest.by_id(f"t:{name}") for name in group] for group in shown],
        relations,
        lambda entry: [one for one in forest.entries.values() if one.path == entry.path],
        whole=whole,
    )
    return [[f"{name} {entry.id[2:]}" for name, entry in group] for group in added]


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("parent", ["parent a.md#one"]),
        ("siblings", ["siblings a.md#1", "siblings a.md#3"]),
        ("children", ["children a.md#deep"]),
        ("prev", ["prev a.md#1"]),
        ("next", ["next a.md#deep"]),
    ],
)
def test_each_relation(forest: Forest, relation: Relation, expected: list[str]) -> None:
    assert _expand(forest, [["a.md#2"]], relation) == [expected]


def test_the_first_relation_asked_for_names_a_chunk(forest: Forest) -> None:
    assert _expand(forest, [["a.md#2"]], "prev", "siblings") == [["prev a.md#1", "siblings a.md#3"]]
    assert _expand(forest, [["a.md#2"]], "siblings", "prev") == [
        ["siblings a.md#1", "siblings a.md#3"]
    ]


def test_below_a_whole_text_nothing_is_added(forest: Forest) -> None:
    assert _expand(forest, [["a.md#2"]], "children", "next", whole=True) == [["next a.md#3"]]
    assert _expand(forest, [["a.md"]], *RELATIONS, whole=True) == [[]]
    assert _expand(forest, [["a.md"]], *RELATIONS) == [
        ["children a.md#one", "children a.md#two", "children a.md#three"]
    ]


def test_no_chunk_is_added_twice_nor_beside_itself(forest: Forest) -> None:
    shown = [["a.md#three", "a.md#4"], ["a.md#two"], ["a.md#1"], ["b.md#other"]]
    assert _expand(forest, shown, *RELATIONS) == [
        ["parent a.md", "siblings a.md#one"],
        ["prev a.md#3"],
        ["siblings a.md#2"],
        ["parent b.md"],
    ]


def test_a_document_has_neither_parent_nor_siblings(forest: Forest) -> None:
    assert _expand(forest, [["b.md"]], "parent", "siblings", "prev") == [[]]
