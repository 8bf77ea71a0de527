"""What a folder holds, and what lies beside it, tell whether a program made it for itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

__all__ = ["MAKERS_MARKS", "made_by_program"]

_VENV_MARK = "pyvenv.cfg"
_INDEX_MARK = "LOCK"
"""A folder with a file of this name is looked at whether it is an index of ours."""

MAKERS_MARKS = frozenset((_VENV_MARK, _INDEX_MARK))
"""Names of files that are to be looked for in each folder."""

_PAGES_SOURCES = "/_sources/"
_PAGES_MARKS = ("searchindex.js", "objects.inv")
"""What Sphinx writes into the folder of its pages, beside a folder of their sources."""


def made_by_program(
    root: Path, folder: str, marks: Collection[str], names: Iterable[str]
) -> str | None:
    """Say what a folder is that holds nothing to read, or nothing new; None for all others.

    `folder` is relative to `root` and ends with `/`; `marks` are those of `MAKERS_MARKS` among
    the `names` of what is in it.
    """
    if _VENV_MARK in marks:
        return "virtual environment"
    if _INDEX_MARK in marks and _is_index(names):
        return "index of leafmark"
    if f"/{folder}".endswith(_PAGES_SOURCES):
        above = (root / folder).parent
        if any((above / mark).is_file() for mark in _PAGES_MARKS):
            return "sources of the pages beside it"
    return None


def _is_index(names: Iterable[str]) -> bool:
    from leafmark.index.folder import is_index_folder  # late: hardly any tree holds one

    return is_index_folder(names)
