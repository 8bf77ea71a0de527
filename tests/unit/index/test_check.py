"""The deep check finds every kind of damage that it can be shown."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.indexes import index, put_in_place

from leafmark.errors import NotFoundError, UsageError
from leafmark.index import check_index
from leafmark.index.folder import Layout


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    index(tmp_path, {f"{n}.md": f"# Title {n}\n\nwords and {n} more\n" for n in range(30)})
    index(tmp_path, {"3.md": "changed\n"}, remove=("4.md",))
    return tmp_path


def test_a_sound_index_has_nothing_wrong(sound: Path) -> None:
    assert check_index(sound) == []


def _segment_files(root: Path) -> list[Path]:
    return sorted(p for p in Layout(root).text(1).iterdir() if len(p.name) > 32)


def test_every_flipped_bit_is_found(sound: Path) -> None:
    chance = random.Random(4)
    files = _segment_files(sound)
    assert {path.suffix for path in files} >= {".idx", ".pos", ".term", ".store", ".fast", ".del"}
    for path in files:
        good = path.read_bytes()
        for _ in range(8):
            bad = bytearray(good)
            # The footer's own JSON has bits that say nothing, such as a version's digits.
            bad[chance.randrange(len(good) - 100)] ^= 1 << chance.randrange(8)
            put_in_place(path, bytes(bad))
            assert check_index(sound) == [f"{path.name} is not what was written"]
        put_in_place(path, good)
    assert check_index(sound) == []


def test_truncated_and_missing_files_are_found(sound: Path) -> None:
    for path in _segment_files(sound):
        good = path.read_bytes()
        for size in (0, 3, len(good) // 2, len(good) - 1):
            put_in_place(path, good[:size])
            assert check_index(sound) == [f"{path.name} is not what was written"]
        path.unlink()
        assert check_index(sound)
        put_in_place(path, good)


def test_a_list_of_files_that_cannot_be_read(sound: Path) -> None:
    (Layout(sound).text(1) / "meta.json").write_bytes(b"{")
    (problem,) = check_index(sound)
    assert problem.startswith("the engine's list of files cannot be read: ")


def test_a_missing_generation(sound: Path) -> None:
    Layout(sound).generation(1).rename(sound / "elsewhere")
    (problem,) = check_index(sound)
    assert problem == (
        f"the engine's list of files cannot be read: {Layout(sound).text(1)} is missing"
    )


def test_a_torn_current(sound: Path) -> None:
    (sound / "CURRENT").write_bytes(b"x")
    assert check_index(sound) == ["the index is damaged: its CURRENT file is not what was written"]


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no index yet"):
        check_index(tmp_path)


def test_a_newer_index(sound: Path) -> None:
    (sound / "CURRENT").write_bytes(b'{"format": 99}\n')
    with pytest.raises(UsageError, match="format 99"):
        check_index(sound)
