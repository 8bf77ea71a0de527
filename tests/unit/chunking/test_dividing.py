"""Dividing: checked against every way to cut a few sizes, and bodies against every way to cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.documents import make_document

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.chunking.packing import Group, divide

SIZES = st.lists(st.integers(0, 14), min_size=1, max_size=9)


def all_ways(count: int) -> list[list[Group]]:
    return [
        list(pairwise((0, *cuts, count)))
        for number in range(count)
        for cuts in combinations(range(1, count), number)
    ]


def cost(
    way: Sequence[Group], sizes: Sequence[int], heads: Sequence[int], *, least: int, capacity: int
) -> tuple[int, ...] | None:
    """What `divide` is to make as small as can be; None of a way that it may not take."""
    small = large = taking = squares = 0
    for first, after in way:
        own, shown = sum(sizes[first:after]), sum(sizes[first:after]) + heads[first]
        over = [sizes[at] + heads[at] for at in range(first, after)]
        over = [size for size in over if size > capacity]
        small += own < least
        squares += shown**2
        if after - first == 1:
            continue
        if len(over) > 1 or shown >= max([capacity, *over]) + max(1, least):
            return None
        large += not over and shown > capacity
        taking += bool(over) and shown > over[0]
    return small, large, taking, len(way), squares


@given(SIZES, st.data(), st.integers(0, 6), st.integers(6, 30))
def test_no_other_way_to_divide_is_better(
    sizes: list[int], data: st.DataObject, least: int, capacity: int
) -> None:
    heads = data.draw(
        st.just([0] * len(sizes))
        | st.lists(st.integers(0, 4), min_size=len(sizes), max_size=len(sizes))
    )
    if any(heads):
        sizes = [max(1, size) for size in sizes]  # nothing is cut beside a size of nothing
    costs = [
        cost(way, sizes, heads, least=least, capacity=capacity) for way in all_ways(len(sizes))
    ]
    found = divide(sizes, least=least, capacity=capacity, heads=heads)
    assert cost(found, sizes, heads, least=least, capacity=capacity) == min(filter(None, costs))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 99))
@example([90, 90, 40, 0], 50)
def test_groups_tile(sizes: list[int], least: int) -> None:
    groups = divide(sizes, least=least, capacity=200)
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
