"""Folders listed as Windows lists them: without inodes, and with junctions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

_MOUNT_POINT = 0xA0000003


class _Listed:
    """An entry of a folder; a link to a folder stands for a junction."""

    def __init__(self, entry: os.DirEntry[str]):
        self._entry = entry
        self.name = entry.name
        self.path = entry.path
        self.is_symlink = entry.is_symlink
        self.is_file = entry.is_file

    @property
    def _is_junction(self) -> bool:
        return self._entry.is_symlink() and self._entry.is_dir()

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is_junction or self._entry.is_dir(follow_symlinks=follow_symlinks)

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        info = self._entry.stat(follow_symlinks=follow_symlinks)
        facts = {name: getattr(info, name) for name in dir(info) if name.startswith("st_")}
        tag = _MOUNT_POINT if self._is_junction else 0
        return SimpleNamespace(**facts | {"st_ino": 0, "st_dev": 0, "st_reparse_tag": tag})


def list_as_windows_does(patch: pytest.MonkeyPatch) -> None:
    """Let every folder be listed so, and opened by its whole path."""
    scandir = os.scandir

    @contextmanager
    def listed(where: Any) -> Iterator[Any]:
        with scandir(where) as entries:
            yield map(_Listed, entries)

    patch.setattr(os, "scandir", listed)
    for module in ("folders", "files"):
        patch.setattr(f"leafmark.app.sources.{module}.HAS_DESCRIPTORS", False)
    for module in ("files", "walk"):
        patch.setattr(f"leafmark.app.sources.{module}.LISTS_INODES", False, raising=False)
    patch.setattr("leafmark.app.sources.walk.HAS_JUNCTIONS", True, raising=False)
