"""A text to the windows that a model reads one at a time: what one vector cannot hold, several do.

A model cuts what is longer than its limit, so the end of a longer text would have no
vector at all. Windows are of nearly equal length, end at a line or at white space, and
each begins with the text's first line where that is a breadcrumb: a part keeps its titles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

__all__ = ["MOST_WINDOWS", "windows_of"]

BREADCRUMB = "> "
MOST_HEAD = 0.25
"""A breadcrumb that takes more than this share of the limit is not repeated (chosen by eye)."""

LINE_SHARE = 0.2
WORD_SHARE = 0.5
"""How far back in a window, as a share of it, the end of a line or word is looked for (by eye)."""

MOST_WINDOWS = 64
"""Windows of one text; what comes after them has no vector. One of 16,000 tokens ends there."""


def windows_of(text: str, limit: int, count: Callable[[str], int]) -> list[str]:
    """Return the parts of `text`, of which `count` says that each is at most `limit` long.

    A text within the limit is its own only window. Nothing but white space between
    windows is left out. Linear, where `count` is.

    >>> windows_of("> Tea\\n\\na b c d e f g h i", 8, lambda text: len(text.split()))
    ['> Tea\\n\\na b c d', '> Tea\\n\\ne f g h i']
    """
    if count(text) <= limit or text.isspace():
        return [text]
    head, body = _head(text, limit, count)
    parts = _parts(body, max(1, limit - count(head)), count)
    return [head + part for part in islice(parts, MOST_WINDOWS)]


def _head(text: str, limit: int, count: Callable[[str], int]) -> tuple[str, str]:
    """Return the breadcrumb with the blank line after it, and the rest."""
    if text.startswith(BREADCRUMB):
        line, blank, rest = text.partition("\n\n")
        if blank and rest.strip() and count(line) <= MOST_HEAD * limit:
            return line + blank, rest
    return "", text


def _parts(body: str, room: int, count: Callable[[str], int]) -> Iterator[str]:
    """Yield parts of nearly equal length: how many are left is estimated after each."""
    start, end = len(body) - len(body.lstrip()), len(body.rstrip())
    left = count(body)
    while start < end:
        windows = max(1, -(-left // room))
        stop = end if windows == 1 else _cut(body, start, start + (end - start) // windows)
        taken = count(body[start:stop])
        while taken > room and stop - start > 1:
            stop = _cut(body, start, start + max(1, (stop - start) * room * 9 // (taken * 10)))
            taken = count(body[start:stop])
        yield body[start:stop].strip()
        left = max(1, left - taken)
        start = stop
        while start < end and body[start].isspace():
            start += 1


def _cut(text: str, start: int, stop: int) -> int:
    """Return where to end a window that should end at `stop`: a line, else a word, else there."""
    stop = max(start + 1, stop)
    for mark, share in (("\n", LINE_SHARE), (" ", WORD_SHARE)):
        found = text.rfind(mark, max(start + 1, stop - int((stop - start) * share)), stop + 1)
        if found > 0:
            return found
    return stop
