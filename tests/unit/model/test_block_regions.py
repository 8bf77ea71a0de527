"""Blocks in columns: what is taken out of them is what was put in."""

from __future__ import annotations

from leafmark.model import Block, TopBlocks

BLOCKS = [
    Block("front_matter", 0, 4),
    Block("code", 4, 20, 0, "python", 14),
    Block("paragraph", 21, 30),
    Block("table", 30, 60, 0, "", 50),
    Block("code", 60, 70),
]


def test_blocks_are_those_that_were_put_in() -> None:
    blocks = TopBlocks.of(BLOCKS)

    assert list(blocks) == BLOCKS
    assert blocks[-1] == BLOCKS[-1]
    assert list(blocks[1:4]) == BLOCKS[1:4]


def test_blocks_are_found_by_where_they_start() -> None:
    blocks = TopBlocks.of(BLOCKS)

    assert list(blocks.starting_within(4, 60)) == BLOCKS[1:4]
    assert list(blocks.starting_within(5, 21)) == []
    assert blocks.starting_within(0, 61) is blocks
    assert list(TopBlocks.of([]).starting_within(0, 9)) == []


def test_blocks_of_several_stretches_are_one_sequence() -> None:
    first, second = TopBlocks.of(BLOCKS[:2]), TopBlocks.of(BLOCKS[2:])

    assert list(TopBlocks.joined([first, TopBlocks.of([]), second])) == BLOCKS
    assert list(first) == BLOCKS[:2]
