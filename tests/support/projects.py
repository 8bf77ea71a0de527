"""A project in a folder of its own, indexed by the real use cases, and files that refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from leafmark.app import Project, index_project, open_project, show_chunks
from leafmark.app.requests import IndexRequest, ShowRequest
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.model import FileState, IndexReport, ShowReport


@dataclass(frozen=True)
class Here:
    """The folder `root`, which is the tree `here`, and a home that nobody else has."""

    root: Path
    home: Path
    flags: dict[str, object] = field(default_factory=dict)

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
        return target

    def configure(self, text: str) -> None:
        (self.root / "leafmark.toml").write_text(text, encoding="utf-8")

    def project(self, directory: Path | None = None) -> Project:
        environ = {"HOME": str(self.home), "LEAFMARK_HOME": str(self.home / ".leafmark")}
        return open_project(directory or self.root, flags=self.flags, environ=environ)

    def run(self, request: IndexRequest) -> IndexReport:
        return index_project(self.project(), request)

    def index(self, *paths: str) -> IndexReport:
        return self.run(IndexRequest(paths=paths))

    def show(self, *ids: str, **wishes: Any) -> ShowReport:
        return show_chunks(self.project(), ShowRequest(ids=ids, **wishes))


def deny(monkeypatch: pytest.MonkeyPatch, module: str, denied: str) -> None:
    """Let one source refuse to be read by a module."""

    def read(tree: Tree, path: str) -> tuple[bytes, FileState]:
        if path == denied:
            raise PermissionError(13, "Permission denied")
        return read_beneath(tree, path)

    monkeypatch.setattr(f"leafmark.{module}.read_beneath", read)
