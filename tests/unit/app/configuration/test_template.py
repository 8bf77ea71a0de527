"""The file that `leafmark init` writes: true about the defaults, and valid when uncommented."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from leafmark.app.configuration.config_file import read_config_file
from leafmark.app.configuration.setup import initial_text, write_config
from leafmark.app.requests import InitRequest
from leafmark.app.settings import SETTINGS
from leafmark.errors import StorageError, UsageError


@pytest.mark.parametrize("tree", ["docs", "v1.2", None])
def test_as_written_it_changes_no_setting(tmp_path: Path, tree: str | None) -> None:
    found = read_config_file(write(tmp_path, initial_text(tree)), own=True)
    assert found is not None
    assert found.values == {}
    assert found.rules == ()
    trees = [(one.name, one.path.value if one.path else None) for one in found.trees]
    assert trees == ([] if tree is None else [(tree, ".")])


def write(folder: Path, text: str) -> Path:
    path = folder / "leafmark.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("tree", ["docs", "v1.2", None])
def test_uncommented_it_says_every_default(tmp_path: Path, tree: str | None) -> None:
    text = re.sub(r"(?m)^#(?=[\w\[])", "", initial_text(tree))
    found = read_config_file(write(tmp_path, text), own=True)
    assert found is not None
    said = {name: each.value for name, each in found.values.items()}
    defaults = {name: setting.default for name, setting in SETTINGS.items()}
    unset = {name: "…" for name, default in defaults.items() if default is None}
    assert said == defaults | unset
    assert [one.name for one in found.trees] == [tree or "notes"]
    assert len(found.rules) == 1


def test_it_is_as_wide_as_a_page() -> None:
    assert max(map(len, initial_text("docs").splitlines())) <= 92


def test_it_is_toml_that_names_the_folder_alone() -> None:
    assert tomllib.loads(initial_text("docs")) == {"tree": {"docs": {"path": "."}}}


def test_a_file_is_replaced_by_force_alone_and_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = write(tmp_path, "# ours\n")
    (tmp_path / "project").mkdir()
    link = tmp_path / "project" / "leafmark.toml"
    link.symlink_to(kept)
    with pytest.raises(UsageError):
        write_config(link.parent, InitRequest(), environ={})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(StorageError) as caught:
            write_config(link.parent, InitRequest(force=True), environ={})
    assert caught.value.message.startswith("the configuration file cannot be written: ")
    assert kept.read_text("utf-8") == "# ours\n"
    assert write_config(link.parent, InitRequest(force=True), environ={}) == link
    assert link.is_symlink()
    assert kept.read_text("utf-8") == initial_text("project")
    assert sorted(tmp_path.iterdir()) == [kept, link.parent]
