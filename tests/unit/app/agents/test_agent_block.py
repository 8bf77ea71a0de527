"""Which folders and formats the block for agents names."""

from __future__ import annotations

import ntpath
from pathlib import PureWindowsPath
from types import SimpleNamespace

import pytest

from leafmark.app.agents import agent_files
from leafmark.parsing import format_names


@pytest.mark.parametrize(
    ("root", "named"),
    [
        (r"Z:\project", "./"),
        (r"z:\Project\Docs\api", "Docs/api/"),
        (r"Z:\projects", None),
        (r"Z:\other", None),
        (r"C:\other", None),
        (r"\\server\share", None),
    ],
)
def test_on_windows_a_tree_on_another_drive_lies_outside(
    root: str, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "os", SimpleNamespace(path=ntpath, curdir=ntpath.curdir))
    monkeypatch.setattr(agent_files, "PurePath", PureWindowsPath, raising=False)
    assert agent_files._inside(root, r"Z:\project") == named


def test_every_format_is_named_as_people_call_it_the_most_frequent_first() -> None:
    paths = ["a.rst", "b/c.rst", "b/d.rst", "e.adoc", "f.adoc", "g.md"]
    assert agent_files._holds(paths) == (
        "reStructuredText, AsciiDoc, Markdown: `a.rst`, `b/`, `e.adoc`, `f.adoc`, `g.md`"
    )
    assert set(agent_files._FORMATS) == set(format_names())


def test_names_beyond_the_eighth_are_left_out_and_marked() -> None:
    names = [f"{letter}.md" for letter in "abcdefghi"]
    eight = ", ".join(f"`{name}`" for name in names[:8])
    assert agent_files._holds(names[:8]) == f"Markdown: {eight}"
    assert agent_files._holds(names) == f"Markdown: {eight}, …"
