"""A folder of documents, and a home that nobody else has."""

from __future__ import annotations

from pathlib import Path

import pytest

GUIDE = """\
---
tags: [guide]
date: 2026-03-01
category: manuals
---
# Guide

Preamble of the guide.

## Install

Run the installer, then the wizard.

## Upgrade

Größe prüfen, then upgrade 🚀 the database.

## Remove

Delete the folder.

## Ask

Write to the list.
"""


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder `docs` with two documents; the current folder is another one."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8", newline="")
    (folder / "notes.txt").write_text("The kettle is in the kitchen.\n", encoding="utf-8")
    monkeypatch.setenv("LEAFMARK_HOME", str(tmp_path / "home"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return folder
