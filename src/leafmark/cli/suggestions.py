"""The nearest of the names we know to one that we don't."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str], *, limit: int = 3) -> list[str]:
    """Return the names that look most like `name`, best first; none when nothing does.

    >>> nearest("serach", ["search", "show", "status"])
    ['search']
    """
    import difflib

    return difflib.get_close_matches(name[:80], list(known), n=limit, cutoff=0.6)
