"""What the names mean that tags give places: a name right before a heading is that heading's."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from leafmark.model import Anchor

__all__ = ["NamedTag", "named_places"]


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
    found: list[tuple[int, Anchor]] = []
    following, heading = len(raw), -1  # the next tag, and the heading that it stands before
    for start, end, name in reversed(tags):
        reach = no_words.match(raw, end, following)
        after = end if reach is None else reach.end()
        at = bisect_left(starts, start)
        if at < len(starts) and starts[at] <= after:
            heading = starts[at]
        elif after < following:
            heading = -1
        found.append((start, Anchor(name, start if heading < 0 else heading)))
        following = start
    return found
