from __future__ import annotations

import io
import sys

import pytest

from leafmark.app.standard_input import read_bytes, read_text
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
