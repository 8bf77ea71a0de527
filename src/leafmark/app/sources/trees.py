"""`Tree`: a named folder of sources, with everything that decides which files belong to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from leafmark.app.settings import IndexSettings
from leafmark.model.options import Value
from leafmark.namedtuples import NamedTuple

Scope = Literal["local", "global"]
"""Where a tree was named: in the project (or by standing in it), or in the user's file."""


class Tree(NamedTuple):
    """One tree as it is walked, chunked and searched.

    `root` is absolute; it may be missing on disk. `include` and `exclude` are
    patterns as in an ignore file, relative to `root`; an `exclude` pattern
    beginning with `!` takes files back in that would be left out by default,
    secrets only with `allow_secrets`. `overrides` are the settings that differ
    in this tree, by full name (`chunking.max_tokens`). `formats` are suffixes with the
    formats that they stand for here.
    """

    name: str
    root: Path
    scope: Scope = "local"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = IndexSettings().max_file_bytes
    follow_symlinks: bool = False
    allow_secrets: bool = False
    overrides: Mapping[str, Value] = MappingProxyType({})
    formats: tuple[tuple[str, str], ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether its root is no folder now, or a path that the system refuses to look at."""
        return not os.path.isdir(self.root)

    @property
    def trouble(self) -> str:
        """Why nothing can be read of it, as the end of a sentence; empty where there is no reason.

        >>> Tree("docs", Path("/nowhere")).trouble
        'is missing'
        """
        if self.is_missing:
            return "is missing"
        return "" if os.access(self.root, os.R_OK | os.X_OK) else "cannot be read"
