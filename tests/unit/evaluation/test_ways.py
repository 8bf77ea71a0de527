"""Ways to search as the user writes them, and the indexes that they have."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from leafmark.errors import ConfigError, UsageError
from leafmark.evaluation import run
from leafmark.evaluation.results import Variant
from leafmark.evaluation.run import UNTOUCHED_S, forget_unused, parse_variants


def test_a_strategy_and_settings_that_differ() -> None:
    texts = ("fixed", "auto + relax_share=0.5+chunking.target_tokens=200")
    assert parse_variants(texts, "heading") == (
        Variant("fixed", {"chunking.strategy": "fixed"}),
        Variant(
            texts[1],
            {
                "chunking.strategy": "auto",
                "search.relax_share": "0.5",
                "chunking.target_tokens": "200",
            },
        ),
    )


def test_none_is_the_project_s_own_way() -> None:
    assert parse_variants((), "section") == (Variant("section", {}),)


@pytest.mark.parametrize(
    ("texts", "message", "hint"),
    [
        (
            ["sections"],
            "'sections' names no strategy",
            "begin with one of auto, heading, section, fixed, plain; settings follow, as in "
            "auto+relax_share=0.5",
        ),
        (["auto+strict"], "'strict' changes no setting", "write it like relax_share=0.5"),
        (
            ["auto+relax_shar=1"],
            "there is no setting 'relax_shar'",
            "did you mean relax_share?",
        ),
        (
            ["auto+index.max_file_bytes=5"],
            "the setting 'index.max_file_bytes' cannot be compared",
            "only those of [chunking], [search], [embedding], [rerank] can",
        ),
        (
            ["auto+max_file_bytes=5"],
            "the setting 'max_file_bytes' cannot be compared",
            "only those of [chunking], [search], [embedding], [rerank] can",
        ),
        (["auto+zzz=1"], "there is no setting 'zzz'", "`leafmark config` lists them"),
        (
            ["auto+model=x"],
            "several tables have a setting 'model'",
            "name embedding.model or rerank.model",
        ),
        (["auto", "auto"], "'auto' is compared with itself", "name each way once"),
    ],
)
def test_what_is_no_way_to_search(texts: list[str], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_variants(texts, "auto")
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_value_that_a_setting_cannot_have_is_told_before_anything_is_indexed() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_variants(["auto", "auto+target_tokens=x"], "auto")
    assert caught.value.message == 'chunking.target_tokens is "x"'
    assert caught.value.location == "auto+target_tokens=x"
    assert caught.value.hint == "chunking.target_tokens must be a whole number of at least 1"


def _make(folder: Path, name: str, age_s: float) -> Path:
    place = folder / name
    (place / "gen-1").mkdir(parents=True)
    (place / "gen-1" / "file").write_text("x")
    then = time.time() - age_s
    os.utime(place, (then, then))
    return place


def test_the_oldest_go_beyond_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_KEPT", 3)
    old = [_make(tmp_path, f"old{n}", n * 10 * UNTOUCHED_S) for n in range(1, 5)]
    used = _make(tmp_path, "used", 99 * UNTOUCHED_S)
    forget_unused({used})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["old1", "old2", "used"]
    assert time.time() - used.stat().st_mtime < UNTOUCHED_S
    forget_unused({old[0]})
    assert old[1].exists()


def test_what_was_used_just_now_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_KEPT", 1)
    places = {_make(tmp_path, name, UNTOUCHED_S / 2) for name in "abc"}
    forget_unused({tmp_path / "used"})
    assert set(tmp_path.iterdir()) == places


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    forget_unused({tmp_path / "cache" / "one"})
    assert list(tmp_path.iterdir()) == []
