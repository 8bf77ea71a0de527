"""Negated words that stand in texts with all the rest of the query.

`ld: cannot find -lfoo` asks for texts without `lfoo`. A user who pasted an error message did
not mean that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from leafmark.index import IndexReader
from leafmark.query import Expression, Not, Term, all_of, parts_of
from leafmark.retrieval.candidates import TopicSearch, find_candidates
from leafmark.retrieval.params import SearchParams

__all__ = ["left_out_of_matches"]


def left_out_of_matches(
    reader: IndexReader, topics: Sequence[Expression], params: SearchParams
) -> Iterator[str]:
    """Yield the negated words that some chunk has together with the rest of their topic."""
    strict = replace(params, strict=True)
    for topic in topics:
        parts = parts_of(topic)
        for part in parts:
            if isinstance(part, Not) and isinstance(part.operand, Term):
                asked = all_of([part.operand if other is part else other for other in parts])
                if find_candidates(TopicSearch.of(reader, asked, strict)).matched:
                    yield part.operand.text
