"""Windows takes a long path only in a form of its own, and says of others that nothing is there."""

from __future__ import annotations

import ntpath
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.listings import list_as_windows_does

from leafmark.app.sources import folders
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.folders import Tree, real_path, unlimited
from leafmark.app.sources.walk import WalkNotes, iter_sources, named_source

LONG = "x" * 240
FORM = "\\\\?\\"
MOST_CHARS = 259


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "WINDOWS", True)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("C:\\docs\\a.md", "C:\\docs\\a.md"),
        (f"C:\\docs\\{LONG}/b/a.md", f"{FORM}C:\\docs\\{LONG}\\b\\a.md"),
        (f"\\\\server\\share\\{LONG}\\a.md", f"{FORM}UNC\\server\\share\\{LONG}\\a.md"),
        (f"{FORM}C:\\docs\\{LONG}\\a.md", f"{FORM}C:\\docs\\{LONG}\\a.md"),
    ],
)
def test_only_a_long_path_is_written_in_the_form_for_it(
    monkeypatch: pytest.MonkeyPatch, path: str, form: str
) -> None:
    monkeypatch.setattr(os.path, "normpath", ntpath.normpath)
    assert unlimited(path) == form
    monkeypatch.setattr(os.path, "realpath", lambda asked, strict: asked)
    assert real_path(path) == path.replace("/", "\\")


def test_other_systems_know_no_such_form() -> None:
    if sys.platform != "win32":
        assert unlimited(f"/docs/{LONG}/a.md") == f"/docs/{LONG}/a.md"


def _limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of the system take paths as Windows does."""

    def limited(path: Any, *arguments: Any, **named: Any) -> Any:
        if isinstance(path, str) and len(path) > MOST_CHARS and not path.startswith(FORM):
            raise FileNotFoundError(2, "no such file or directory", path)
        plain = path.removeprefix(FORM) if isinstance(path, str) else path
        found = function(plain, *arguments, **named)
        return FORM + found if isinstance(found, str) and plain != path else found

    return limited


@pytest.mark.skipif(sys.platform == "win32", reason="long paths are made in the usual form")
@pytest.mark.usefixtures("windows")
def test_a_file_in_deep_folders_is_found_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path.resolve()
    deep = "/".join(["chapter" * 12] * 4)
    path = f"{deep}/{'a' * 60}.md"
    (root / deep).mkdir(parents=True)
    (root / path).write_bytes(b"# Deep\n")
    (root / deep / ".gitignore").write_bytes(b"b.md\n")
    (root / deep / "b.md").write_bytes(b"# Left out\n")
    list_as_windows_does(monkeypatch)
    for name in ("open", "scandir", "lstat"):
        monkeypatch.setattr(os, name, _limited(getattr(os, name)))
    monkeypatch.setattr(os.path, "realpath", _limited(lambda path, strict=False: str(path)))
    tree, notes = Tree("t", root), WalkNotes()
    (found,) = iter_sources(tree, notes=notes)
    assert (found.path, notes.diagnostics) == (path, [])
    assert f"{deep}/b.md" in [skipped.path for skipped in notes.skipped]
    assert read_beneath(tree, path)[0] == b"# Deep\n"
    assert named_source(tree, path, notes) is not None
