"""What a document is called when it does not say so itself, and how titles are folded."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["file_title", "fold"]


def fold(text: str) -> str:
    """Return `text` with runs of white space made one space, none at the ends."""
    return " ".join(text.split())


def file_title(path: str) -> str:
    """Return the file's name without its last suffix, U+FFFD for what is not UTF-8.

    >>> file_title("notes/v1.2 plan.md")
    'v1.2 plan'
    """
    name = PurePosixPath(path).stem
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
