"""Vectors that were made while a query was answered: kept, found again, never wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leafmark.index import vectors
from leafmark.index.lock import hold_lock
from leafmark.index.vectors import QueryVectorCache, row_type, text_hash

DIMENSION = 4
RECORD = row_type(DIMENSION).itemsize


def vector(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)


def keep(folder: Path, *names: str) -> None:
    made = {text_hash(name): vector(len(name)) for name in names}
    QueryVectorCache(folder, DIMENSION).keep(made)


def has(folder: Path, name: str) -> bool:
    found = QueryVectorCache(folder, DIMENSION).find(text_hash(name))
    assert found is None or np.array_equal(found, vector(len(name)))
    return found is not None


def test_what_is_kept_is_found_by_others(tmp_path: Path) -> None:
    assert not has(tmp_path / "new", "a")
    keep(tmp_path / "new", "a", "bb")
    keep(tmp_path / "new", "ccc")
    assert all(has(tmp_path / "new", name) for name in ("a", "bb", "ccc"))
    assert not has(tmp_path / "new", "dddd")


@pytest.mark.parametrize("torn", [1, RECORD // 2, RECORD - 1])
def test_what_a_killed_process_left_harms_no_other_record(tmp_path: Path, torn: int) -> None:
    keep(tmp_path, "a", "bb")
    with open(tmp_path / "queried", "ab") as file:
        file.write(bytes(range(1, torn + 1)))
    assert has(tmp_path, "a")
    assert has(tmp_path, "bb")
    keep(tmp_path, "ccc")
    assert all(has(tmp_path, name) for name in ("a", "bb", "ccc"))


@pytest.mark.parametrize("at", [0, 15, 16, 20, RECORD - 1])
def test_a_damaged_record_is_none_until_it_is_made_again(tmp_path: Path, at: int) -> None:
    keep(tmp_path, "a", "bb")
    data = bytearray((tmp_path / "queried").read_bytes())
    data[at] ^= 1
    (tmp_path / "queried").write_bytes(data)
    assert not has(tmp_path, "a")
    assert has(tmp_path, "bb")
    keep(tmp_path, "a")
    assert has(tmp_path, "a")


def test_nobody_waits_for_another_that_keeps_vectors(tmp_path: Path) -> None:
    keep(tmp_path, "a")
    with hold_lock(tmp_path / "queried.LOCK", timeout_s=0):
        keep(tmp_path, "bb")
    assert has(tmp_path, "a")
    assert not has(tmp_path, "bb")


def test_whoever_writes_all_vectors_keeps_nobody_from_it(tmp_path: Path) -> None:
    with hold_lock(tmp_path / "LOCK", timeout_s=0):
        keep(tmp_path, "a")
    assert has(tmp_path, "a")


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keep(tmp_path / "file", "a")
    assert not has(tmp_path / "file", "a")


def test_a_full_file_keeps_its_later_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "MAX_CACHED", 4)
    names = ["a" * count for count in range(1, 6)]
    for name in names:
        keep(tmp_path, name)
    assert [has(tmp_path, name) for name in names] == [False, False, True, True, True]
    assert (tmp_path / "queried").stat().st_size == 3 * RECORD
