"""Which folders and formats the block for agents names."""

from __future__ import annotations

import ntpath
from pathlib import PureWindowsPath
from types import SimpleNamespace

import pytest
from support.projects import Here

from leafmark.app.agents import agent_files
from leafmark.app.agents.agent_files import build_block


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


def holds(here: Here) -> str:
    """Return what the block says that the one tree holds."""
    here.index()
    block = build_block(here.project(), here.project().open_reader())
    return next(line for line in block.splitlines() if "| `./` | " in line)


def test_formats_are_named_as_people_call_them_the_most_frequent_first(here: Here) -> None:
    for path in ("a.rst", "b/c.rst", "b/d.rst", "e.adoc", "f.adoc", "g.md"):
        here.write(path, "Some words.\n")
    named = "reStructuredText, AsciiDoc, Markdown: `a.rst`, `b/`, `e.adoc`, `f.adoc`, `g.md`"
    assert holds(here).endswith(f" | {named} |")


def test_names_beyond_the_eighth_are_left_out_and_marked(here: Here) -> None:
    names = [f"{letter}.md" for letter in "abcdefghi"]
    eight = ", ".join(f"`{name}`" for name in names[:8])
    for name in names[:8]:
        here.write(name, "Some words.\n")
    assert holds(here).endswith(f" | Markdown: {eight} |")
    here.write(names[8], "Some words.\n")
    assert holds(here).endswith(f" | Markdown: {eight}, … |")
