"""Which folders the block for agents names."""

from __future__ import annotations

import ntpath
from pathlib import PureWindowsPath
from types import SimpleNamespace

import pytest

from leafmark.app.agents import agent_block


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
    monkeypatch.setattr(agent_block, "os", SimpleNamespace(path=ntpath, curdir=ntpath.curdir))
    monkeypatch.setattr(agent_block, "PurePath", PureWindowsPath, raising=False)
    assert agent_block._inside(root, r"Z:\project") == named
