"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["count_of", "plural"]


def count_of(number: int, noun: str) -> str:
    """Return a number and its noun.

    >>> count_of(1, "chunk"), count_of(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {plural(noun, number)}"


def plural(noun: str, number: int) -> str:
    """Return the noun as it stands behind a number.

    >>> plural("token", 1), plural("token", 0)
    ('token', 'tokens')
    """
    return noun if number == 1 else f"{noun}s"
