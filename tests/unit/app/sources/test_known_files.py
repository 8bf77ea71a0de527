"""Files that were read lately: given again while they look the same, and never longer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from leafmark.app.sources import files
from leafmark.app.sources.files import SETTLED_NS, KnownFiles, read_beneath
from leafmark.app.sources.folders import Tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is kept there")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_bytes(b"# " + name.encode())
    return Tree(name="t", root=tmp_path)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files have been as they are for some time."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 2 * SETTLED_NS)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what was really read."""
    sizes: list[int] = []
    read = files._read_all

    def counted(descriptor: int, size: int) -> bytes:
        sizes.append(size)
        return read(descriptor, size)

    monkeypatch.setattr(files, "_read_all", counted)
    return sizes


@pytest.mark.usefixtures("later")
def test_a_file_that_looks_the_same_is_read_once(tree: Tree, reads: list[int]) -> None:
    known = KnownFiles()
    first = read_beneath(tree, "a.md", known)
    assert read_beneath(tree, "a.md", known) == first == read_beneath(tree, "a.md")
    assert len(reads) == 2  # the last one knows nothing


def _longer(path: Path) -> None:
    path.write_bytes(b"# another text")


def _of_the_same_size_and_mtime(path: Path) -> None:
    info = path.stat()
    path.write_bytes(b"# b.mm")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def _another_file(path: Path) -> None:
    info = path.stat()
    other = path.with_suffix(".new")
    other.write_bytes(b"# c.mm")
    os.utime(other, ns=(info.st_atime_ns, info.st_mtime_ns))
    other.replace(path)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("change", [_longer, _of_the_same_size_and_mtime, _another_file])
def test_a_changed_file_is_read_again(tree: Tree, change: Callable[[Path], None]) -> None:
    known = KnownFiles()
    before = read_beneath(tree, "a.md", known)
    _wait_for_another_time(tree.root)
    change(tree.root / "a.md")
    data, state = read_beneath(tree, "a.md", known)
    assert data == (tree.root / "a.md").read_bytes() != before[0]
    assert (data, state) == read_beneath(tree, "a.md")


def _wait_for_another_time(folder: Path) -> None:
    """Let the file system's clock go on, which may tick only every few milliseconds."""
    probe = folder / "probe"
    probe.write_bytes(b"")
    first = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == first:
        probe.write_bytes(b"")


@pytest.mark.usefixtures("later")
def test_a_file_that_is_gone_or_became_a_link_is_not_given(tree: Tree, tmp_path: Path) -> None:
    known = KnownFiles()
    read_beneath(tree, "a.md", known)
    read_beneath(tree, "b.md", known)
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").rename(tmp_path / "kept.md")
    (tmp_path / "b.md").symlink_to("kept.md")
    for name in ("a.md", "b.md"):
        with pytest.raises(OSError, match=r"No such file|Too many levels"):
            read_beneath(tree, name, known)


@pytest.mark.usefixtures("later")
def test_a_file_behind_a_link_is_given_only_if_it_is_the_very_one_that_was_read(
    tmp_path: Path,
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "in", outside):
        folder.mkdir(parents=True)
        (folder / "a.md").write_bytes(b"# " + folder.name.encode())
    tree, known = Tree(name="t", root=root), KnownFiles()
    before = read_beneath(tree, "in/a.md", known)
    (root / "in").rename(root / "moved")
    (root / "in").symlink_to("moved")
    assert read_beneath(tree, "in/a.md", known) == before
    (root / "in").unlink()
    (root / "in").symlink_to(outside)
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        read_beneath(tree, "in/a.md", known)


@pytest.mark.usefixtures("later")
def test_a_known_file_over_a_new_limit_is_not_given(tree: Tree) -> None:
    known = KnownFiles()
    read_beneath(tree, "a.md", known)
    small = Tree(name="t", root=tree.root, max_file_bytes=3)
    with pytest.raises(OSError, match="it is larger than max_file_bytes"):
        read_beneath(small, "a.md", known)


@pytest.mark.usefixtures("later")
def test_a_known_file_is_not_opened(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownFiles()
    before = read_beneath(tree, "a.md", known)
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    assert read_beneath(tree, "a.md", known) == before


def test_a_file_that_has_just_changed_is_not_kept(tree: Tree, reads: list[int]) -> None:
    known = KnownFiles()
    assert read_beneath(tree, "a.md", known) == read_beneath(tree, "a.md", known)
    assert len(reads) == 2


@pytest.mark.usefixtures("later")
def test_the_oldest_go_where_there_is_too_much(tree: Tree, reads: list[int]) -> None:
    known = KnownFiles(most_bytes=48)  # a file may be an eighth of it: all of ours are
    for name in ("a.md", "b.md", "c.md"):
        read_beneath(tree, name, known)
    small = KnownFiles(most_bytes=47)
    for _ in range(2):
        read_beneath(tree, "a.md", small)
    assert len(reads) == 5  # too large for the small one
    for number in range(6):
        (tree.root / f"{number}.md").write_bytes(b"123456")
        read_beneath(tree, f"{number}.md", known)
    del reads[:]
    for name in ("5.md", "c.md", "b.md", "a.md"):
        read_beneath(tree, name, known)
    assert len(reads) == 1
