"""`Packed`: what is put in comes out, in little memory."""

from __future__ import annotations

import pickle
import sys

import pytest

from leafmark.model import Packed, Skipped
from leafmark.model.packed import BLOCK_ITEMS

PATHS = [f"handbook/guides/page-{k:06d}.md" for k in range(10 * BLOCK_ITEMS + 5)]


def test_it_has_no_more_items_than_were_put_in() -> None:
    packed = Packed(PATHS)
    for number in (len(PATHS), -len(PATHS) - 1):
        with pytest.raises(IndexError, match=f"there is no item {number} of 645"):
            packed[number]


def test_a_restored_list_grows_on() -> None:
    packed = pickle.loads(pickle.dumps(Packed(PATHS)))
    packed.append("last")
    assert list(packed) == [*PATHS, "last"]
    assert packed[-1] == "last"


def test_it_keeps_few_bytes_and_few_items_unpacked() -> None:
    packed = Packed(Skipped(path, "ignored by .gitignore") for path in PATHS)
    held = sum(map(sys.getsizeof, packed._blocks))
    assert held < 10 * len(PATHS)
    for number in range(len(packed)):
        assert packed[number].path == PATHS[number]
    assert len(packed._kept) <= 8
