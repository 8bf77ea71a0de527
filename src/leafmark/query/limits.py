"""How large a query may be, so that no string can hurt what comes after the parser."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEFAULT_LIMITS", "Limits"]


class Limits(NamedTuple):
    """The most characters, open parentheses and words of one query, all its topics together.

    A pasted error message or a paragraph fits. Each word costs the engine one look-up per
    text field, and what follows the parser walks the expression recursively.
    """

    length: int = 2000
    depth: int = 32
    terms: int = 128


DEFAULT_LIMITS = Limits()
