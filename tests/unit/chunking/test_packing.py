"""Packing: checked against every way to cut a few sizes, and bodies against every way to cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.documents import make_document

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.chunking.packing import Group, divide

SIZES = st.lists(st.integers(1, 14), min_size=1, max_size=8)


def all_ways(count: int) -> list[list[Group]]:
    return [
        list(pairwise((0, *cuts, count)))
        for number in range(count)
        for cuts in combinations(range(1, count), number)
    ]


def cost(
    way: Sequence[Group],
    sizes: Sequence[int],
    penalties: Mapping[int, int],
    *,
    heads: Sequence[int],
    solid: Mapping[int, int],
    least: int,
    capacity: int,
) -> tuple[int, ...] | None:
    """What `divide` is to make as small as can be; None of a way that it may not take."""
    small = large = taking = squares = 0
    for first, after in way:
        own = sum(sizes[first:after])
        size = own + heads[first]
        small += own < least
        squares += size**2
        single = after - first == 1
        over = [at for at in range(first, after) if sizes[at] + heads[at] > capacity or at in solid]
        if not over:
            if size >= capacity + max(1, least):
                return None
            large += size > capacity
        elif not single:
            (at, *others) = over
            alone = sizes[at] + heads[at]
            most = solid.get(at) or max(capacity, alone) + max(1, least) - 1
            sides = [sum(sizes[first:at]), sum(sizes[at + 1 : after])]
            if others or size > most or max(sides) >= max(1, least):
                return None
            taking += (first < at) + (at + 1 < after)
    by_cuts = sum([penalties.get(first, 0) for first, _ in way])
    return small, large, taking, len(way), by_cuts, squares


@given(SIZES, st.data(), st.integers(0, 6), st.integers(6, 30))
def test_no_other_way_to_divide_is_better(
    sizes: list[int], data: st.DataObject, least: int, capacity: int
) -> None:
    count = len(sizes)
    heads = data.draw(
        st.just([0] * count) | st.lists(st.integers(0, 4), min_size=count, max_size=count)
    )
    places = st.integers(0, count - 1)
    solid = data.draw(st.dictionaries(places, st.integers(8, 40), max_size=2))
    rest: dict[str, Any] = {"heads": heads, "solid": solid, "least": least, "capacity": capacity}
    ways = all_ways(count)
    costs = [cost(way, sizes, {}, **rest) for way in ways]
    found = divide(sizes, **rest)
    assert cost(found.groups, sizes, {}, **rest) == min(filter(None, costs))
    assert bool(found.faults) == any(min(filter(None, costs))[:3])


@given(SIZES, st.dictionaries(st.integers(1, 7), st.integers(0, 3)), st.integers(14, 30))
def test_of_the_fewest_groups_those_with_the_least_penalties_are_taken(
    sizes: list[int], penalties: dict[int, int], capacity: int
) -> None:
    rest: dict[str, Any] = {
        "heads": [0] * len(sizes),
        "solid": {},
        "least": 0,
        "capacity": capacity,
    }
    costs = [cost(way, sizes, penalties, **rest) for way in all_ways(len(sizes))]
    found = divide(sizes, capacity=capacity, penalty=lambda at: penalties.get(at, 0))
    assert cost(found.groups, sizes, penalties, **rest) == min(filter(None, costs))


def test_a_large_block_takes_in_what_belongs_to_it() -> None:
    introduced = divide([60, 10, 500], least=20, capacity=100, penalty={2}.__contains__)
    assert introduced.groups == [(0, 1), (1, 3)]
    assert not introduced.faults


def test_groups_are_as_large_as_they_are_when_measured() -> None:
    exact = {(0, 2): 101, (2, 4): 12}
    found = divide(
        [50, 50, 10, 10],
        least=15,
        capacity=100,
        measure=lambda first, after: exact.get((first, after), 30),
    )
    assert found.groups not in ([(0, 2), (2, 4)],)
    assert not found.faults


@given(st.integers(1, 200), st.integers(1, 9), st.integers(9, 60))
def test_groups_of_equal_sizes_differ_by_one_size_at_most(
    count: int, size: int, capacity: int
) -> None:
    groups = divide([size] * count, capacity=capacity).groups
    totals = [(after - first) * size for first, after in groups]
    assert max(totals) - min(totals) <= size


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([400, 400, 20], [(0, 1), (1, 3)]),
        ([20, 400, 400], [(0, 2), (2, 3)]),
        ([60, 400, 60], [(0, 2), (2, 3)]),  # together they are too much
        ([20], [(0, 1)]),
    ],
)
def test_small_ones_go_to_a_neighbour(sizes: list[int], groups: list[Group]) -> None:
    solid = {at: 499 for at, size in enumerate(sizes) if size == 400}
    assert divide(sizes, least=100, capacity=400, solid=solid).groups == groups


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 99))
@example([90, 90, 40, 0], 50)
def test_groups_tile(sizes: list[int], least: int) -> None:
    groups = divide(sizes, least=least, capacity=200).groups
    assert [at for first, after in groups for at in range(first, after)] == [*range(len(sizes))]
    assert all(first < after for first, after in groups)


def paragraph(tokens: int) -> tuple[str, str]:
    return "paragraph", "alpha" + " alpha" * (tokens - 2) + "."


def sizes_of_pieces(
    sizes: Sequence[int], strategy: Literal["auto", "section"], *, least: int, capacity: int
) -> list[int]:
    """The tokens of the pieces that paragraphs are cut into, below a breadcrumb of two."""
    document = make_document(*map(paragraph, sizes), title="")
    options = ChunkingOptions(strategy=strategy, max_tokens=capacity + 2, min_tokens=least)
    chunks = chunk_document(document, tree="t", options=options).chunks
    assert all(chunk.tokens <= capacity + 2 or chunk.body_tokens > capacity for chunk in chunks)
    return [chunk.body_tokens for chunk in chunks if chunk.body_tokens]


@pytest.mark.parametrize("strategy", ["auto", "section"])
@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ([172, 64, 52, 135, 47, 64], [236, 187, 111]),
        ([64, 47, 135, 52, 64, 172], [111, 187, 236]),
    ],
)
def test_a_leftover_makes_no_piece_too_large(
    sizes: list[int], found: list[int], strategy: Literal["auto", "section"]
) -> None:
    assert sizes_of_pieces(sizes, strategy, least=100, capacity=248) == found


@pytest.mark.parametrize("strategy", ["auto", "section"])
@given(sizes=st.lists(st.integers(8, 60), min_size=2, max_size=9), least=st.integers(10, 32))
def test_a_body_is_cut_into_the_fewest_pieces_that_sizes_allow(
    sizes: list[int], least: int, strategy: Literal["auto", "section"]
) -> None:
    ways = [[sum(sizes[first:after]) for first, after in way] for way in all_ways(len(sizes))]
    legal = [way for way in ways if all(least <= size <= 64 for size in way)]
    if legal:
        found = sizes_of_pieces(sizes, strategy, least=least, capacity=64)
        assert all(least <= size <= 64 for size in found)
        assert len(found) == min(map(len, legal))
