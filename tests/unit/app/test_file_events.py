"""Which folders can be watched, and what is noise in them."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafmark.app import session as file_events
from leafmark.app.session import NoEventsError, watch_by_clock, watch_files


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(NoEventsError) as caught:
        watch_files([Path("/")], [], threading.Event())
    assert str(caught.value) == 'the extra is not installed: pip install "leafmark[watch]"'


def test_the_limit_of_watches_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*folders: Path, **options: object) -> Iterator[set[object]]:
        yield set()
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", full)
    ticks = watch_files([tmp_path], [], threading.Event())
    assert next(ticks) is False
    with pytest.raises(NoEventsError) as caught:
        next(ticks)
    assert str(caught.value) == "OS file watch limit reached"


@pytest.mark.parametrize("parent", ["", "node_modules"])
def test_it_ends_where_a_folder_was_deleted(tmp_path: Path, parent: str) -> None:
    """The folder that is made in its place often has its inode, and nobody watches it."""
    folder = tmp_path / parent / "docs"
    folder.mkdir(parents=True)
    stop = threading.Event()
    ticks = watch_files([folder], [], stop)
    assert next(ticks) is False  # now it is watched
    folder.rmdir()
    folder.mkdir()
    assert True in itertools.islice(ticks, 60)
    assert next(ticks, "the end") == "the end"


@pytest.mark.parametrize(
    ("path", "noise"),
    [
        ("/r/a.md", False),
        ("/r/.gitignore", False),
        ("/r/.git/index", True),
        ("/r/x/node_modules/y/z.js", True),
        ("/r/cache/leafmark/seg", True),
        ("/r/cache2/a.md", False),
        ("/node_modules/r2/a.md", False),
    ],
)
def test_noise(path: str, noise: bool) -> None:
    folders = [Path("/r"), Path("/node_modules/r2")]
    assert file_events._noise(folders, [Path("/r/cache")])(path) is noise


def test_the_clock_yields_when_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_events, "TICK_MS", 1)
    stop = threading.Event()
    ticks = watch_by_clock(lambda: 0.0, stop)
    assert [next(ticks), next(ticks)] == [True, True]
    stop.set()
    assert list(ticks) == []
    assert next(watch_by_clock(lambda: 1e9, threading.Event())) is False


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
    assert file_events._type_of(path, mounts) == kind
