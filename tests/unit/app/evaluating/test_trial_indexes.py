"""Indexes of ways to search do not pile up, and none goes that may be in use."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from leafmark.app.evaluating import trial_indexes
from leafmark.app.evaluating.trial_indexes import UNTOUCHED_S, forget_unused


def _make(folder: Path, name: str, age_s: float) -> Path:
    place = folder / name
    (place / "gen-1").mkdir(parents=True)
    (place / "gen-1" / "file").write_text("x")
    then = time.time() - age_s
    os.utime(place, (then, then))
    return place


def test_the_oldest_go_beyond_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_indexes, "MOST_KEPT", 3)
    old = [_make(tmp_path, f"old{n}", n * 10 * UNTOUCHED_S) for n in range(1, 5)]
    used = _make(tmp_path, "used", 99 * UNTOUCHED_S)
    forget_unused({used})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["old1", "old2", "used"]
    assert time.time() - used.stat().st_mtime < UNTOUCHED_S
    forget_unused({old[0]})
    assert old[1].exists()


def test_what_was_used_just_now_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_indexes, "MOST_KEPT", 1)
    places = {_make(tmp_path, name, UNTOUCHED_S / 2) for name in "abc"}
    forget_unused({tmp_path / "used"})
    assert set(tmp_path.iterdir()) == places


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    forget_unused({tmp_path / "cache" / "one"})
    assert list(tmp_path.iterdir()) == []
