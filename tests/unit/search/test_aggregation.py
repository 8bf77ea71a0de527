"""Aggregation and the ancestor filter, on small trees."""

from __future__ import annotations

from typing import Any

import pytest
from support.candidates import Forest, count_by, match, shape

from leafmark.model import Candidate, Phase
from leafmark.search.grain import aggregate, drop_large, filter_ancestors, merge_into
from leafmark.search.options import SearchOptions

GUIDE = ["Guide", ["errors", ["result"], ["option"]], ["logging"]]
"""The tree of the merge example: one section with two below it, and another."""


def _forest(*outlines: Any) -> Forest:
    forest = Forest()
    for number, outline in enumerate(outlines):
        forest.add(f"{'ab'[number]}.md", outline)
    return forest


def _match(forest: Forest, scores: dict[str, float], relaxed: str = "") -> list[Candidate]:
    return [
        match(forest.by_id(f"t:{name}"), score, relaxed=name in relaxed.split())
        for name, score in scores.items()
    ]


def _aggregate(
    forest: Forest, candidates: list[Candidate], sizes: dict[str, int] | None = None, **params: Any
) -> list[Candidate]:
    found, _ = aggregate(
        candidates,
        SearchOptions(**params),
        find_parent=forest.find_parent,
        measure_text=count_by(sizes or {}),
    )
    return found


CASES: list[tuple[str, dict[str, float], dict[str, Any], list[Any]]] = [
    ("nothing", {}, {}, []),
    ("a third of the children stays", {"a.md#one": 1}, {"outline": 3}, ["t:a.md#one"]),
    (
        "two thirds become their parent",
        {"a.md#one": 1, "a.md#two": 2},
        {"outline": 3},
        ["t:a.md", ["t:a.md#two", "t:a.md#one"]],
    ),
    ("half is enough", {"a.md#one": 1}, {"outline": 2}, ["t:a.md", ["t:a.md#one"]]),
    ("an only child is all children", {"a.md#one": 1}, {"outline": 1}, ["t:a.md", ["t:a.md#one"]]),
    (
        "a higher threshold",
        {"a.md#one": 1},
        {"outline": 2, "aggregation_threshold": 0.51},
        ["t:a.md#one"],
    ),
    (
        "at least two",
        {"a.md#one": 1},
        {"outline": 1, "aggregation_min_matches": 2},
        ["t:a.md#one"],
    ),
    (
        "not above the depth that is allowed",
        {"a.md#one": 1},
        {"outline": 1, "max_merge_depth": 1},
        ["t:a.md#one"],
    ),
    (
        "not into a text that is too large",
        {"a.md#one": 1},
        {"outline": 1, "aggregation_max_tokens": 99, "sizes": {"t:a.md": 100}},
        ["t:a.md#one"],
    ),
    (
        "into one that just fits",
        {"a.md#one": 1},
        {"outline": 1, "aggregation_max_tokens": 100, "sizes": {"t:a.md": 100}},
        ["t:a.md", ["t:a.md#one"]],
    ),
]


@pytest.mark.parametrize(("name", "scores", "params", "expected"), CASES)
def test_flat_documents(
    name: str, scores: dict[str, float], params: dict[str, Any], expected: list[Any]
) -> None:
    count = params.get("outline", 1)
    forest = _forest(["A", *([title] for title in ["one", "two", "three"][:count])])
    asked = {name: value for name, value in params.items() if name != "outline"}
    assert shape(_aggregate(forest, _match(forest, scores), **asked)) == expected


def test_the_merge_example() -> None:
    """Two children of one section, a bonus of 0.1 each: 2.1 × 1.2."""
    forest = _forest(GUIDE, ["API", ["error-codes"], ["x"], ["y"]])
    scores = {"a.md#result": 2.1, "a.md#option": 1.8, "b.md#error-codes": 3.2}
    found = _aggregate(
        forest,
        _match(forest, scores),
        merge_bonus=0.1,
        aggregation_min_matches=2,
    )
    assert shape(found) == [
        "t:b.md#error-codes",
        "t:a.md#errors",
        ["t:a.md#result", "t:a.md#option"],
    ]
    assert [one.score for one in found] == [3.2, pytest.approx(2.52)]


def test_merging_cascades_to_the_document() -> None:
    forest = _forest(GUIDE)
    found = _aggregate(forest, _match(forest, {"a.md#result": 2, "a.md#option": 1}))
    assert shape(found) == [
        "t:a.md",
        ["t:a.md#errors", ["t:a.md#result", "t:a.md#option"]],
    ]
    assert found[0].score == 2


def test_children_of_different_depths_are_one_group() -> None:
    """An h3 and an h2 under one h1 count together."""
    forest = _forest(["A", ["top", [("three", 3)], [("two", 2)], [("other", 2)]]])
    found = _aggregate(forest, _match(forest, {"a.md#three": 1, "a.md#two": 2}), max_merge_depth=1)
    assert shape(found) == ["t:a.md#top", ["t:a.md#two", "t:a.md#three"]]


@pytest.mark.parametrize(("own", "score"), [(1.0, 2.0), (5.0, 5.0)])
def test_a_parents_own_match_counts_for_its_score(own: float, score: float) -> None:
    forest = _forest(GUIDE)
    scores = {"a.md#result": 2.0, "a.md#option": 1.5, "a.md#errors": own}
    (found,) = _aggregate(forest, _match(forest, scores), max_merge_depth=1)
    assert (found.entry.id, found.score, found.direct_score) == ("t:a.md#errors", score, own)


@pytest.mark.parametrize("named", [True, False])
def test_a_parent_that_the_query_names_is_named_with_its_children_too(named: bool) -> None:
    """Else the page of another language that has no parts would be the only one called so."""
    forest = _forest(GUIDE)
    parent, child, *_ = _match(forest, {"a.md": 2.0, "a.md#errors": 1.0})
    assert merge_into(parent.entry, [child], parent._replace(named=named)).named is named
    assert not merge_into(parent.entry, [child._replace(named=named)], None).named


def test_a_parent_is_looked_up_only_when_it_takes_its_children() -> None:
    forest = _forest(["A", ["one"], ["two"], ["three"]])
    _aggregate(forest, _match(forest, {"a.md#one": 1}))
    assert forest.looked_up == []


@pytest.mark.parametrize(
    ("relaxed", "is_relaxed", "score"),
    [
        ("", False, 2.0),
        ("a.md#result", False, 1.5),
        ("a.md#result a.md#option", True, 2.0),
    ],
)
def test_strict_children_decide(relaxed: str, is_relaxed: bool, score: float) -> None:
    forest = _forest(GUIDE)
    matches = _match(forest, {"a.md#result": 2.0, "a.md#option": 1.5}, relaxed)
    (found,) = _aggregate(forest, matches, max_merge_depth=1)
    assert (found.relaxed, found.score) == (is_relaxed, score)


def test_a_bonus_is_for_the_children_that_the_score_is_from() -> None:
    forest = _forest(GUIDE)
    matches = _match(forest, {"a.md#result": 9.0, "a.md#option": 1.0}, "a.md#result")
    (found,) = _aggregate(forest, matches, max_merge_depth=1, merge_bonus=0.5)
    assert found.score == 1.5


def test_phases_say_what_was_done() -> None:
    forest = _forest(GUIDE)
    matches = _match(forest, {"a.md#result": 2, "a.md#option": 1, "a.md#logging": 1})
    _, phase = aggregate(
        matches, SearchOptions(), find_parent=forest.find_parent, measure_text=count_by({})
    )
    assert (phase.name, phase.before, phase.after) == ("aggregation", 3, 1)
    assert phase.note == "2 times children gave way to their parent"
    matches = _match(forest, {"a.md#result": 2, "a.md#option": 1})
    _, phase = aggregate(
        matches,
        SearchOptions(max_merge_depth=1),
        find_parent=forest.find_parent,
        measure_text=count_by({}),
    )
    assert phase.note == "once children gave way to their parent"


FILTERED: list[tuple[str, dict[str, float], str, list[Any], list[tuple[float, bool]]]] = [
    (
        "into the nearest ancestor, which scores as the best",
        {"a.md": 1, "a.md#errors": 2, "a.md#result": 3, "a.md#logging": 0.5},
        "",
        ["t:a.md", ["t:a.md#errors", ["t:a.md#result"], "t:a.md#logging"]],
        [(3, False)],
    ),
    (
        "siblings stay",
        {"a.md#errors": 2, "a.md#logging": 1},
        "",
        ["t:a.md#errors", "t:a.md#logging"],
        [(2, False), (1, False)],
    ),
    (
        "a relaxed ancestor becomes strict with what it takes in",
        {"a.md#errors": 5, "a.md#result": 1},
        "a.md#errors",
        ["t:a.md#errors", ["t:a.md#result"]],
        [(1, False)],
    ),
    (
        "a relaxed descendant does not raise a strict ancestor",
        {"a.md#errors": 1, "a.md#result": 5},
        "a.md#result",
        ["t:a.md#errors", ["t:a.md#result"]],
        [(1, False)],
    ),
]


@pytest.mark.parametrize(("name", "scores", "relaxed", "expected", "ranked"), FILTERED)
def test_ancestors(
    name: str,
    scores: dict[str, float],
    relaxed: str,
    expected: list[Any],
    ranked: list[tuple[float, bool]],
) -> None:
    forest = _forest(GUIDE)
    found, _ = filter_ancestors(_match(forest, scores, relaxed))
    assert shape(found) == expected
    assert [(one.score, one.relaxed) for one in found] == ranked


LARGE: list[tuple[str, dict[str, float], str, list[str]]] = [
    ("a better part", {"a.md": 1, "a.md#result": 3}, "", ["a.md#result"]),
    ("about as good", {"a.md": 1, "a.md#result": 0.7}, "", ["a.md#result"]),
    ("clearly worse", {"a.md": 1, "a.md#result": 0.6}, "", ["a.md", "a.md#result"]),
    ("nothing below", {"a.md": 1}, "", ["a.md"]),
    ("small enough", {"a.md#errors": 1, "a.md#result": 3}, "", ["a.md#errors", "a.md#result"]),
    ("a relaxed part", {"a.md": 1, "a.md#result": 3}, "a.md#result", ["a.md", "a.md#result"]),
    ("relaxed above strict", {"a.md": 9, "a.md#result": 1}, "a.md", ["a.md#result"]),
    ("both relaxed", {"a.md": 1, "a.md#result": 3}, "a.md a.md#result", ["a.md#result"]),
]


@pytest.mark.parametrize(("name", "scores", "relaxed", "kept"), LARGE)
def test_large_matches_give_way(
    name: str, scores: dict[str, float], relaxed: str, kept: list[str]
) -> None:
    forest = _forest(GUIDE)
    measure = count_by({"t:a.md": 101, "t:a.md#errors": 100})
    found, phase = drop_large(_match(forest, scores, relaxed), 100, measure)
    assert sorted(one.entry.id for one in found) == sorted(f"t:{each}" for each in kept)
    dropped = len(scores) - len(kept)
    note = f"{dropped} gave way to parts of them" if dropped else ""
    assert phase == Phase("large", len(scores), len(kept), note)


def test_a_large_document_stays_beside_parts_that_match_only_as_it_does() -> None:
    forest = _forest(GUIDE)
    measure = count_by({"t:a.md": 101})

    def kept(scores: dict[str, float]) -> list[str]:
        found, _ = drop_large(_match(forest, scores), 100, measure)
        return sorted(one.entry.id.removeprefix("t:") for one in found)

    alike = {"a.md": 1.0, "a.md#errors": 1.0, "a.md#result": 1.0}
    assert kept(alike) == ["a.md", "a.md#errors", "a.md#result"]
    assert kept(alike | {"a.md#result": 0.9}) == ["a.md#errors", "a.md#result"]


def test_a_large_section_gives_way_to_parts_that_match_as_it_does() -> None:
    forest = _forest(GUIDE)
    matches = _match(forest, {"a.md#errors": 1.0, "a.md#result": 1.0})
    found, _ = drop_large(matches, 100, count_by({"t:a.md#errors": 101}))
    assert [one.entry.id for one in found] == ["t:a.md#result"]


def test_ancestry_is_not_the_spelling_of_an_id() -> None:
    """`#setup` is no ancestor of `#setup-1`, nor `a.md` of `a.md.bak`."""
    forest = Forest()
    forest.add("a.md", ["A", ["setup"], ["setup-1"], ["x"], ["y"], ["z"]])
    forest.add("a.md.bak", ["A"])
    matches = _match(forest, {"a.md#setup": 3, "a.md#setup-1": 2, "a.md.bak": 1})
    found, phase = filter_ancestors(matches)
    assert shape(found) == ["t:a.md#setup", "t:a.md#setup-1", "t:a.md.bak"]
    assert phase.note == ""
