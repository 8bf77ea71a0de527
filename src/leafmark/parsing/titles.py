"""What a document is called when it does not say so itself, and how titles are folded."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.model import Heading, HeadingColumns

__all__ = ["file_title", "first_title", "fold"]


def fold(text: str) -> str:
    """Return `text` with runs of white space made one space, none at the ends."""
    return " ".join(text.split())


def first_title(headings: Sequence[Heading]) -> str:
    """Return the title of the first h1 that has one and opens a section, empty where none does."""
    columns = HeadingColumns.of(headings)
    titles = zip(columns.levels, columns.titles, columns.nested, strict=True)
    return next(
        (title for level, title, nested in titles if level == 1 and title and not nested), ""
    )


def file_title(path: str) -> str:
    """Return the file's name without its last suffix, U+FFFD for what is not UTF-8.

    >>> file_title("notes/v1.2 plan.md")
    'v1.2 plan'
    """
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    stem = name[:dot] if 0 < dot < len(name) - 1 else name
    try:
        return stem.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half a character, as names on Windows may have
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in stem)
