"""Which folders can be watched, and what is noise in them."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from leafmark.app import session as file_events
from leafmark.app.session import FileEvents, NoEventsError


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    with pytest.raises(NoEventsError) as caught:
        FileEvents([Path("/")], [], None)
    assert str(caught.value) == 'the extra is not installed: pip install "leafmark[watch]"'


def test_the_limit_of_watches_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, *_: object):
            self.watch = self

        def __call__(self, *_: object) -> object:
            raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles._rust_notify.RustNotify", Full)
    events = FileEvents([tmp_path], [], None)
    with pytest.raises(NoEventsError) as caught:
        events.wait(1, threading.Event())
    assert str(caught.value) == "OS file watch limit reached"


@pytest.mark.parametrize("parent", ["", "node_modules"])
def test_it_is_over_where_a_folder_was_deleted(tmp_path: Path, parent: str) -> None:
    """The folder that is made in its place often has its inode, and nobody watches it."""
    folder = tmp_path / parent / "docs"
    folder.mkdir(parents=True)
    events = FileEvents([folder], [], None)
    assert not events.wait(0.1, threading.Event())
    folder.rmdir()
    folder.mkdir()
    assert any(events.wait(1, threading.Event()) for _ in range(60))
    assert events.is_over
    events.close()


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("a.md", True),
        (".gitignore", True),
        (".git/index", False),
        ("x/node_modules/y/z.js", False),
        ("cache/leafmark/seg", False),
        ("cache2/a.md", True),
    ],
)
def test_what_changes_where_no_source_lies_does_not_count(
    tmp_path: Path, path: str, counts: bool
) -> None:
    folder = tmp_path / "node_modules" / "docs"  # above the folder, a name means nothing
    target = folder / path
    target.parent.mkdir(parents=True)
    events = FileEvents([folder], [folder / "cache"], tmp_path / "own")
    events.changed()
    target.write_text("new")
    assert events.changed() is counts
    events.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/a", "ext4"),
        ("/mnt/share", "cifs"),
        ("/mnt/share/deep/er", "cifs"),
        ("/mnt/shared", "ext4"),
        ("/my files/x", "fuse.sshfs"),
    ],
)
def test_the_innermost_mount_decides(path: str, kind: str) -> None:
    mounts = [
        ("/", "rootfs"),
        ("/", "ext4"),
        ("/mnt/share", "cifs"),
        ("/my\\040files", "fuse.sshfs"),
    ]
    assert file_events.type_of_mount(path, mounts) == kind
