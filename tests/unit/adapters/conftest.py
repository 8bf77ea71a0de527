"""The handbook's folder, an index over it, and a home that nobody else has."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import leafmark

HANDBOOK = Path(__file__).parents[3] / "examples" / "handbook"


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEAFMARK_HOME", str(tmp_path / "home"))
    folder = tmp_path / "handbook"
    shutil.copytree(HANDBOOK, folder)
    (folder / "tee.md").write_text(
        "# Größe 🚀\n\nDer Tee.\n\n## Grüner Tee\n\n日本語 zuerst, dann Zitronenmelisse.\n\n"
        "## Schwarz\n\nAssam.\n\n## Weiß\n\nBai Mu Dan.\n",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def index(handbook: Path) -> Iterator[leafmark.Index]:
    with leafmark.open_index(handbook) as index:
        yield index
