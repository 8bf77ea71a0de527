"""Files are replaced as a whole, and nothing but files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from leafmark.app.writing import check_regular, replace_file, replacing
from leafmark.errors import StorageError


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    replace_file(path, b"one", what="the file", mode=0o600)
    replace_file(path, b"two", what="the file", mode=0o644)
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["a.txt"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize(("mask", "mode"), [(0, 0o664), (0o22, 0o644), (0o77, 0o600)])
def test_no_new_file_can_be_written_by_every_user(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        replace_file(tmp_path / "a.txt", b"one", what="the file")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == mode


def test_what_another_process_left_or_writes_is_let_alone(tmp_path: Path) -> None:
    """In containers all of them may have one number, and see one folder."""
    draft = tmp_path / f".a.txt.{os.getpid()}.tmp"
    draft.write_bytes(b"half")
    replace_file(tmp_path / "a.txt", b"one", what="the file")
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    assert draft.read_bytes() == b"half"


@pytest.mark.skipif(os.name == "nt", reason="there are no pipes with names")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_pipes_and_folders_stay_what_they_are(tmp_path: Path, make: object) -> None:
    path = tmp_path / "there"
    assert callable(make)
    make(path)
    link = tmp_path / "link"
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(StorageError) as caught:
            replace_file(name, b"x", what="the file")
        assert caught.value.message == "the file is not a regular file"
        assert caught.value.location == str(name)
        assert caught.value.hint == "name a file; pipes, devices and folders are not replaced"
    assert not path.is_file()
    check_regular(tmp_path / "none", what="the file")


def test_on_windows_no_draft_is_left_beside_a_file_that_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, remove = tmp_path / "AGENTS.md", os.unlink
    path.write_text("theirs\n")
    path.chmod(0o444)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Access is denied")

    def remove_writable(name: str | Path) -> None:
        if not os.stat(name).st_mode & 0o200:
            refuse()
        remove(name)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "unlink", remove_writable)
    with pytest.raises(StorageError) as caught:
        replace_file(path, b"ours\n", what="the agent file")
    monkeypatch.undo()
    assert caught.value.message == "the agent file cannot be written: access is denied"
    assert (os.listdir(tmp_path), path.read_text()) == (["AGENTS.md"], "theirs\n")


def test_what_is_written_in_pieces_replaces_the_file_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with replacing(path, what="the file") as write:
        write(b"one ")
        assert path.read_bytes() == b"old"
        write(b"two")
    assert path.read_bytes() == b"one two"
    assert os.listdir(tmp_path) == ["a.txt"]


def _write_half(path: Path, error: type[BaseException]) -> None:
    with replacing(path, what="the file") as write:
        write(b"half")
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, LookupError])
def test_what_ends_the_block_leaves_the_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(error):
        _write_half(path, error)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_piece_that_cannot_be_written_is_said_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(StorageError) as caught, replacing(path, what="the file"):
        raise OSError(28, os.strerror(28))
    assert caught.value.message.startswith("the file cannot be written: ")
    assert caught.value.location == str(path)
    assert os.listdir(tmp_path) == []
