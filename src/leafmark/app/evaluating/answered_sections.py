"""Judged passages to the sections that hold them: for a search that hands out sections.

A judgment often quotes the one sentence that answers. Judged by sections, what was
asked for is all that its author put under that heading.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from leafmark.app.evaluating.judging import Library
from leafmark.evaluation import Passage
from leafmark.model import ChunkedDocument, whole_range

__all__ = ["sections_of"]


def sections_of(library: Library, passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return the sections that hold the passages, each once, with the best grade of those in it.

    A section is a heading and its own text up to the next heading. A passage that goes on
    into other sections stands for all of them; one that is a section with its subsections
    stays that. In a document without sections a passage stays as it is.
    """
    found: dict[tuple[str, int, int], Passage] = {}
    for passage in passages:
        owner = library.document(passage.doc_id)
        widened = passage if owner is None else _widened(passage, owner)
        other = found.setdefault(widened[:3], widened)
        if widened.grade > other.grade:
            found[widened[:3]] = widened
    return tuple(found.values())


def _widened(passage: Passage, owner: ChunkedDocument) -> Passage:
    if len(owner.chunks) < 2:
        return passage
    edges = sorted({edge for chunk in owner.chunks for edge in whole_range(chunk)})
    start = edges[bisect_right(edges, passage.start) - 1]
    return passage._replace(start=start, end=edges[bisect_left(edges, passage.end)])
