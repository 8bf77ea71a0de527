"""Files of an index put in the place of others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leafmark.errors import StorageError
from leafmark.index import folder
from leafmark.index.folder import replace_index_file


def test_on_windows_a_file_that_somebody_reads_is_replaced_when_they_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, replace, waits = tmp_path / "CURRENT", os.replace, list[float]()

    def refused(draft: str, target: str) -> None:
        if len(waits) < 3:
            raise PermissionError(13, "Access is denied")
        replace(draft, target)

    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr("time.sleep", waits.append)
    with pytest.raises(StorageError) as caught:
        replace_index_file(path, [b"one"])
    assert (caught.value.message, waits) == ("cannot write the index: permission denied", [])
    monkeypatch.setattr(folder, "WINDOWS", True, raising=False)
    replace_index_file(path, [b"two"])
    assert (path.read_bytes(), len(waits)) == (b"two", 3)
    assert os.listdir(tmp_path) == ["CURRENT"]


def test_on_windows_what_cannot_be_replaced_at_all_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(draft: str, target: str) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(folder, "WINDOWS", True, raising=False)
    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(StorageError):
        replace_index_file(tmp_path / "CURRENT", [b"one"])
    assert os.listdir(tmp_path) == []
