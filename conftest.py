"""Examples in docstrings that open an index: a copy of the handbook, and a home of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

HANDBOOK = Path(__file__).parent / "examples" / "handbook"
WITH_INDEX = ("leafmark.library.", "leafmark.adapters.")


@pytest.fixture(autouse=True)
def beside_the_handbook(request: pytest.FixtureRequest) -> None:
    """Let such examples run in a folder that holds `handbook`; no other test pays for a folder."""
    if request.node.name.startswith(WITH_INDEX):
        tmp_path: Path = request.getfixturevalue("tmp_path")
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        shutil.copytree(HANDBOOK, tmp_path / "handbook")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("LEAFMARK_HOME", str(tmp_path / "home"))
