"""What a document is called when it does not say so itself, and how titles are folded.

What the names mean that tags give places: a name right before a heading is that heading's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from leafmark.model import Anchor, Heading, HeadingColumns


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


class NamedTag(NamedTuple):
    """Where a tag starts and ends, and the name that it gives its place."""

    start: int
    end: int
    name: str


def named_places(
    raw: bytes, tags: Sequence[NamedTag], starts: Sequence[int], no_words: re.Pattern[bytes]
) -> list[tuple[int, Anchor]]:
    """Return where each name stands, and what it names, from the last to the first.

    Tags and the `starts` of headings are in order. One with nothing but `no_words` between it
    and the next names what that one does; every byte is looked at once.
    """
    places: list[tuple[int, Anchor]] = []
    following, heading = len(raw), -1  # the next tag, and the heading that it stands before
    for start, end, name in reversed(tags):
        reach = no_words.match(raw, end, following)
        after = end if reach is None else reach.end()
        at = bisect_left(starts, start)
        if at < len(starts) and starts[at] <= after:
            heading = starts[at]
        elif after < following:
            heading = -1
        places.append((start, Anchor(name, start if heading < 0 else heading)))
        following = start
    return places
