from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from leafmark.app import standard_input
from leafmark.app.standard_input import listed, read_bytes, read_named, read_text
from leafmark.errors import StorageError, UsageError


class Refusing(io.RawIOBase):
    """A stream that cannot be read: what stands there is a folder."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise IsADirectoryError(21, "Is a directory")


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_bytes_that_are_no_text_are_those_of_file_names(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, b"caf\xe9.md\r\nb.md\n")
    assert read_text() == "caf\udce9.md\nb.md\n"


def test_bytes_come_as_they_are_and_no_more_than_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, b"\xff\r\nabc")
    assert read_bytes(4) == b"\xff\r\na"
    assert read_bytes() == b"bc"


def test_text_that_a_program_put_there_is_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("é"))
    assert read_bytes() == b"\xc3\xa9"


def test_what_has_no_end_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(standard_input, "MAX_BYTES", 4)
    monkeypatch.setattr(standard_input, "PORTION_BYTES", 2)
    (tmp_path / "a").write_bytes(b"abcd")
    assert read_named(tmp_path / "a", "a") == b"abcd"
    give(monkeypatch, b"abcd")
    assert read_text() == "abcd"
    give(monkeypatch, b"abcdefgh")
    with pytest.raises(UsageError, match="there are more than 4 bytes to read"):
        read_text()
    give(monkeypatch, b"abcdefgh")
    with pytest.raises(UsageError, match="there are more than 4 bytes to read"):
        read_bytes()
    (tmp_path / "a").write_bytes(b"abcdefg")
    with pytest.raises(UsageError) as caught:
        read_named(tmp_path / "a", "a")
    assert caught.value.location == "a"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Linux")
def test_a_device_is_not_read_for_ever() -> None:
    with pytest.raises(UsageError):
        read_named(Path("/dev/zero"), "zero")


@pytest.mark.parametrize("read", [read_bytes, read_text])
def test_what_is_closed_or_cannot_be_read_is_told(
    monkeypatch: pytest.MonkeyPatch, read: object
) -> None:
    assert callable(read)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="there is no standard input"):
        read()
    refusing = io.TextIOWrapper(io.BufferedReader(Refusing()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", refusing)
    with pytest.raises(StorageError) as caught:
        read()
    assert caught.value.placed_message == "the file cannot be read: is a directory (standard input)"


@pytest.mark.parametrize("words", [("-", "-"), ("-", "a", "-")])
def test_it_is_read_once(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        list(listed(words))
    assert caught.value.message == "standard input can be read only once"
    assert caught.value.hint == "give - a single time"
