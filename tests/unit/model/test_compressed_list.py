"""`CompressedList`: what is put in comes out, in little memory."""

from __future__ import annotations

import pickle

import pytest

from leafmark.model import Skipped
from leafmark.model.sequences import BLOCK_ITEMS, CompressedList

PATHS = [f"handbook/guides/page-{k:06d}.md" for k in range(10 * BLOCK_ITEMS + 5)]


def test_it_has_no_more_items_than_were_put_in() -> None:
    compressed = CompressedList(PATHS)
    for number in (len(PATHS), -len(PATHS) - 1):
        with pytest.raises(IndexError, match=f"there is no item {number} of 645"):
            compressed[number]


def test_a_restored_list_grows_on() -> None:
    compressed = pickle.loads(pickle.dumps(CompressedList(PATHS)))
    compressed.append("last")
    assert list(compressed) == [*PATHS, "last"]
    assert compressed[-1] == "last"


def test_it_keeps_few_bytes() -> None:
    compressed = CompressedList(Skipped(path, "ignored by .gitignore") for path in PATHS)
    assert [one.path for one in compressed] == PATHS
    assert len(pickle.dumps(compressed)) < 10 * len(PATHS)
