"""`Passage`: bytes that answer a query; and when a result counts as relevant to one.

Two rules, since each alone can be cheated. Under *overlap* small chunks win
(a line of the answer is enough), under *cover* large ones do (a whole document
covers every answer in it).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

__all__ = ["Bytes", "Passage", "covers", "overlaps", "shared_bytes", "union"]


class Bytes(Protocol):
    """Bytes `[start, end)` of the document `doc_id`."""

    @property
    def doc_id(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Passage(NamedTuple):
    """Bytes `[start, end)` of a document that answer a query; never empty.

    `grade` is how well: 1 is the usual, more is better, always above 0.
    """

    doc_id: str
    start: int
    end: int
    grade: float = 1.0


def shared_bytes(one: Bytes, other: Bytes) -> int:
    """Return how many bytes both have.

    >>> shared_bytes(Passage("d", 0, 10), Passage("d", 6, 20))
    4
    """
    if one.doc_id != other.doc_id:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def overlaps(result: Bytes, passage: Passage) -> bool:
    """Whether the bytes that both share, if any, are at least half of the shorter of the two.

    >>> overlaps(Passage("d", 0, 30), Passage("d", 20, 99))
    False
    >>> overlaps(Passage("d", 0, 30), Passage("d", 15, 99))
    True
    >>> overlaps(Passage("d", 5, 5), Passage("d", 0, 9))
    False
    """
    shared = shared_bytes(result, passage)
    shorter = min(result.end - result.start, passage.end - passage.start)
    return shared > 0 and 2 * shared >= shorter


def covers(result: Bytes, passage: Passage) -> bool:
    """Whether the bytes that both share are at least half of the passage."""
    return 2 * shared_bytes(result, passage) >= passage.end - passage.start


def union(parts: Iterable[Bytes]) -> dict[str, list[tuple[int, int]]]:
    """Return the bytes that any of the parts has: by document, in order, disjoint."""
    by_document: dict[str, list[tuple[int, int]]] = {}
    for part in sorted(parts, key=lambda each: (each.doc_id, each.start, each.end)):
        spans = by_document.setdefault(part.doc_id, [])
        if spans and part.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], part.end))
        else:
            spans.append((part.start, part.end))
    return by_document
