"""The nearest of the names we know to one that we don't."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the three names that look most like `name`, best first; none when nothing does.

    >>> nearest("serach", ["search", "show", "status"])
    ['search']
    """
    import difflib

    return difflib.get_close_matches(name[:80], list(known), n=3, cutoff=0.6)
