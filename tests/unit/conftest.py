"""A project to try use cases on."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.projects import Here


@pytest.fixture
def here(tmp_path: Path) -> Here:
    root, home = tmp_path / "here", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    return Here(root, home)
