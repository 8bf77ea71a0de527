"""Packing: checked against every way to cut a few sizes."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from leafmark.chunking.packing import absorb_small, move_cuts, pack

SIZES = st.lists(st.integers(0, 12), max_size=9)


def all_ways(sizes: list[int]) -> list[list[tuple[int, int]]]:
    count = len(sizes)
    return [
        list(pairwise((0, *cuts, count)))
        for number in range(count)
        for cuts in combinations(range(1, count), number)
    ]


@given(SIZES, st.integers(12, 30))
def test_the_fewest_groups(sizes: list[int], capacity: int) -> None:
    groups = pack(sizes, capacity)
    assert all(sum(sizes[first:after]) <= capacity for first, after in groups)
    fitting = [
        len(way)
        for way in all_ways(sizes)
        if all(sum(sizes[first:after]) <= capacity for first, after in way)
    ]
    assert len(groups) == min(fitting, default=0)


@given(st.integers(1, 200), st.integers(1, 9), st.integers(9, 60))
def test_groups_of_equal_sizes_differ_by_one_size_at_most(
    count: int, size: int, capacity: int
) -> None:
    totals = [(after - first) * size for first, after in pack([size] * count, capacity)]
    assert max(totals) - min(totals) <= size


@given(SIZES, st.integers(1, 11))
def test_groups_tile_and_only_single_sizes_exceed(sizes: list[int], capacity: int) -> None:
    groups = pack(sizes, capacity)
    assert [index for first, after in groups for index in range(first, after)] == list(
        range(len(sizes))
    )
    for first, after in groups:
        assert sum(sizes[first:after]) <= capacity or after - first == 1


@given(SIZES, st.integers(0, 8), st.integers(5, 20))
def test_absorbing_tiles_and_leaves_small_ones_only_where_nobody_can_take_them(
    sizes: list[int], least: int, capacity: int
) -> None:
    groups = absorb_small(sizes, least=least, capacity=capacity)
    assert [index for first, after in groups for index in range(first, after)] == list(
        range(len(sizes))
    )
    for first, after in groups:
        total = sum(sizes[first:after])
        largest = max(sizes[first:after])
        assert total <= max(capacity, largest + max(0, least - 1))
    if len(sizes) == 2 and min(sizes) < least:
        assert len(groups) == 1


def test_a_small_last_one_goes_back() -> None:
    assert absorb_small([400, 400, 20], least=100, capacity=400) == [(0, 1), (1, 3)]


def test_a_small_first_one_goes_on() -> None:
    assert absorb_small([20, 400, 400], least=100, capacity=400) == [(0, 2), (2, 3)]


def test_a_lone_small_one_stays() -> None:
    assert absorb_small([20], least=100, capacity=400) == [(0, 1)]


def test_one_neighbour_does_not_take_twice_over_the_bound() -> None:
    assert absorb_small([60, 400, 60], least=100, capacity=400) == [(0, 2), (2, 3)]


@given(SIZES, st.integers(0, 8), st.integers(5, 20), st.sets(st.integers(0, 9)))
def test_settling_keeps_every_bound(
    sizes: list[int], least: int, capacity: int, poor: set[int]
) -> None:
    groups = pack(sizes, capacity)
    settled = move_cuts(sizes, groups, least=least, capacity=capacity, penalty=poor.__contains__)
    assert [index for first, after in settled for index in range(first, after)] == list(
        range(len(sizes))
    )
    assert len(settled) <= len(groups)
    before = [sum(sizes[first:after]) for first, after in groups]
    behind = [sum(sizes[first:after]) for first, after in settled]
    for first, after in settled:
        largest = max(sizes[first:after])
        assert sum(sizes[first:after]) < max(capacity + 1, largest + max(1, least))
    assert min([least, *behind]) >= min([least, *before])


@given(SIZES, st.integers(0, 8), st.integers(5, 20), st.sets(st.integers(0, 9)))
def test_one_cut_settles_at_the_nearest_place_that_sizes_allow(
    sizes: list[int], least: int, capacity: int, poor: set[int]
) -> None:
    groups = pack(sizes, capacity)
    if len(groups) != 2 or max(sizes) > capacity or sum(sizes[: groups[0][1]]) < least:
        return
    at = groups[0][1]
    settled = move_cuts(sizes, groups, least=least, capacity=capacity, penalty=poor.__contains__)
    (_, cut), _ = settled
    behind = min(least, sum(sizes[at:]))
    allowed = [
        place
        for place in range(1, len(sizes))
        if least <= sum(sizes[:place]) <= capacity and behind <= sum(sizes[place:]) <= capacity
    ]
    good = set(allowed) - poor if at in poor else {at}
    nearest = min([abs(sum(sizes[:place]) - sum(sizes[:at])) for place in good], default=0)
    assert abs(sum(sizes[:cut]) - sum(sizes[:at])) == nearest
    assert cut in good or not good
