"""The examples of docs/chunking.md, run."""

from __future__ import annotations

import doctest
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from leafmark.app.settings import SETTINGS
from leafmark.chunking import PRESETS, STRATEGIES
from leafmark.chunking.quality import FindingKind
from leafmark.cli.entry import run
from leafmark.model import ChunkRecord

PAGE = Path(__file__).parents[2] / "docs" / "chunking.md"
TEXT = PAGE.read_text(encoding="utf-8")
GUIDE = re.search(r"````markdown\n(.*?)````", TEXT, re.DOTALL)
COMMANDS = re.findall(r"```console\n\$ leafmark (.*?)\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(("command", "printed"), COMMANDS)
def test_commands_print_what_the_page_shows(
    command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert GUIDE is not None
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE[1], encoding="utf-8", newline="")
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    environ = {"HOME": str(tmp_path), "LEAFMARK_HOME": str(tmp_path / "home")}
    assert run([*shlex.split(command), "-C", str(folder)], environ) == 0
    assert out.getvalue() == printed


def test_code_of_the_page_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (failed, tried > 4) == (0, True)


def test_the_page_names_everything_there_is() -> None:
    rows = re.findall(r"^\| (.*?) \|", TEXT, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named >= {*ChunkRecord._fields, *STRATEGIES, *PRESETS, *FindingKind.__args__}  # type: ignore[attr-defined]
    unnamed = {"slug_style", "heading_levels", "notebook_outputs"}  # of the tree, not of chunking
    settings = {name.partition(".")[2] for name in SETTINGS if name.startswith("chunking.")}
    assert {name for name in settings if f"`{name}" not in TEXT} <= unnamed


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_have_the_sizes_of_the_page(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", TEXT, re.MULTILINE)
    strategy, tokenizer, *sizes = (cell.strip("` ") for cell in row.split("|"))
    preset = {"tokenizer": "o200k_base"} | dict(PRESETS[name])
    assert (strategy, tokenizer) == (preset["strategy"], preset["tokenizer"])
    assert [int(size) for size in sizes] == [
        preset["min_tokens"],
        preset["target_tokens"],
        preset["max_tokens"],
    ]
