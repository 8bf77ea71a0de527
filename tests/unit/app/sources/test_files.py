"""Reading one file: only below the root, only a regular one, never a half-written one."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from leafmark.app.sources import files
from leafmark.app.sources.files import FileChangedError, read_beneath
from leafmark.app.sources.folders import Tree
from leafmark.model import FileState

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and pipes")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs/a.md").write_bytes(b"# a\n")
    (tmp_path / "secret.md").write_bytes(b"secret")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "same.md").symlink_to("docs/a.md")
    (root / "linked").symlink_to("docs")
    (root / "away").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.md")
    return Tree(name="t", root=root)


def following(tree: Tree) -> Tree:
    return Tree(name="t", root=tree.root, follow_symlinks=True)


def test_a_file_is_read_with_its_state(tree: Tree) -> None:
    info = (tree.root / "docs/a.md").stat()
    digest = hashlib.sha256(b"# a\n").hexdigest()
    state = FileState(4, info.st_mtime_ns, info.st_ctime_ns, info.st_ino, digest)
    assert read_beneath(tree, "docs/a.md") == (b"# a\n", state)


REFUSED = [
    "../secret.md",
    "docs/../../secret.md",
    "/etc/passwd",
    "docs//a.md",
    "./docs/a.md",
    "docs/a.md\0",
    "",
    "docs",
    "gone.md",
    "docs/a.md/x",
    "out.md",
    "same.md",
    "linked/a.md",
    "away/secret.md",
    "pipe.md",
]


@pytest.mark.parametrize("path", REFUSED)
def test_nothing_outside_and_nothing_special_is_read(tree: Tree, path: str) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        read_beneath(tree, path)
    assert not isinstance(caught.value, FileChangedError)


@pytest.mark.parametrize("path", ["linked/a.md", "same.md", "docs/a.md"])
def test_a_followed_link_is_read_inside_the_root(tree: Tree, path: str) -> None:
    assert read_beneath(following(tree), path)[0] == b"# a\n"


@pytest.mark.parametrize("path", ["out.md", "away/secret.md", "../secret.md", "pipe.md"])
def test_a_followed_link_does_not_lead_out(tree: Tree, path: str) -> None:
    with pytest.raises(OSError, match=r"."):
        read_beneath(following(tree), path)


def test_a_folder_that_becomes_a_link_after_it_was_looked_at_does_not_lead_out(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_bytes(b"secret")
    realpath = os.path.realpath

    def exchange(path: str, *, strict: bool = False) -> str:
        found = realpath(path, strict=strict)
        if strict:
            (tree.root / "docs").rename(tmp_path / "docs")
            (tree.root / "docs").symlink_to(outside)
        return found

    monkeypatch.setattr(os.path, "realpath", exchange)
    with pytest.raises(OSError, match="docs"):
        read_beneath(following(tree), "linked/a.md")


def test_a_file_over_the_limit_is_not_read(tree: Tree) -> None:
    small = Tree(name="t", root=tree.root, max_file_bytes=3)
    with pytest.raises(OSError, match="it is larger than max_file_bytes"):
        read_beneath(small, "docs/a.md")


def test_a_file_that_changes_once_is_read_again(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tree.root / "docs/a.md"
    looks = iter([1, 0, 0, 0])

    def look(tree: Tree, path: str, info: os.stat_result) -> tuple[int, int, int, int]:
        found = real(tree, path, info)
        if next(looks):
            target.write_bytes(b"# longer\n")
        return found

    real = files.file_state
    monkeypatch.setattr(files, "file_state", look)
    assert read_beneath(tree, "docs/a.md")[0] == b"# longer\n"


def test_a_file_that_keeps_changing_is_not_read(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps = iter(range(100))
    monkeypatch.setattr(files, "file_state", lambda *_: (4, next(stamps), 0, 0))
    with pytest.raises(FileChangedError, match="the file changes while it is being read"):
        read_beneath(tree, "docs/a.md")


def test_no_descriptor_stays_open(tree: Tree) -> None:
    for path in ("docs/a.md", *REFUSED):
        try:
            read_beneath(tree, path)
        except OSError:
            continue
    assert _open_files().isdisjoint(_files_below(tree.root.parent))


def _open_files() -> set[tuple[int, int]]:
    """What is open; threads that other tests left may open and close files meanwhile."""
    found = set()
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            info = os.fstat(int(name))
            found.add((info.st_dev, info.st_ino))
    return found


def _files_below(root: Path) -> set[tuple[int, int]]:
    found = [path.stat(follow_symlinks=False) for path in (root, *root.rglob("*"))]
    return {(info.st_dev, info.st_ino) for info in found}


@pytest.mark.parametrize("told", [OSError("no such system"), "/elsewhere/a.md"])
def test_where_the_system_does_not_tell_what_was_opened_the_way_in_steps_decides(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, told: OSError | str
) -> None:
    def readlink(path: str) -> str:
        if isinstance(told, OSError):
            raise told
        return told

    monkeypatch.setattr(os, "readlink", readlink)
    assert read_beneath(tree, "docs/a.md")[0] == (tree.root / "docs" / "a.md").read_bytes()
    with pytest.raises(OSError, match=r"directory|links"):
        read_beneath(tree, "linked/a.md")


def test_the_root_itself_may_be_a_link(tree: Tree, tmp_path: Path) -> None:
    link = tmp_path / "root-link"
    link.symlink_to(tree.root)
    through = Tree(name="t", root=link)
    assert read_beneath(through, "docs/a.md")[0] == (tree.root / "docs" / "a.md").read_bytes()
    link.unlink()
    link.symlink_to(tree.root / "docs")
    assert read_beneath(through, "a.md")[0] == (tree.root / "docs" / "a.md").read_bytes()
