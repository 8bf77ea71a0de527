"""Introductions: a large section as a result for its own text, before its subsections.

A document's first paragraphs say what it is about. Without this they would be shown only
with all that is below them, which nobody wants to read whole, or not at all if a part of
the document matches about as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from leafmark.model import Candidate, Entry, Phase, whole_range
from leafmark.retrieval.aggregation import MeasureText

__all__ = ["Introduce", "give_introductions", "introduction_of", "may_introduce"]


class Introduce(NamedTuple):
    """How introductions are found.

    `find_next` returns the next chunk of a document; it is never called for the last one.
    `has_matched` tells whether a chunk's own text matched: a document may match only by its
    title, path and tags, and is then no introduction.
    """

    find_next: Callable[[Entry], Entry]
    has_matched: Callable[[Candidate], bool]

    def alone(self, one: Candidate) -> Candidate | None:
        """Return a candidate narrowed to its own text, None if that did not match."""
        whole = one.entry
        if one.whole or whole.last_position == whole.position or whole.content_type == "empty":
            return None
        entry = introduction_of(whole, self.find_next(whole))
        if entry is None:
            return None
        alone = one._replace(entry=entry, introduction=True)
        return alone if self.has_matched(alone) else None

    def with_pieces(self, one: Candidate) -> Candidate:
        """Return a candidate narrowed to its pieces, before its first section."""
        last = one.entry
        while last.position < one.entry.last_position:
            following = self.find_next(last)
            if following.kind != "piece":
                entry = _ending_before(one.entry, following, last_position=last.position)
                return one._replace(entry=entry, introduction=True)
            last = following
        return one


def give_introductions(
    candidates: Sequence[Candidate],
    limit: int,
    measure_text: MeasureText,
    introduce: Introduce,
) -> tuple[list[Candidate], Phase]:
    """Narrow chunks of more than `limit` tokens to their own text, if that matched.

    Such a candidate has nothing below it any more, so it takes no other result in.
    """

    def narrowed(one: Candidate) -> Candidate:
        if not may_introduce(one.entry, limit, measure_text):
            return one
        return introduce.alone(one) or one

    found = [narrowed(one) for one in candidates]
    count = sum(one.introduction for one in found)
    stand = "stands for its" if count == 1 else "stand for their"
    note = f"{count} of over {limit} tokens {stand} own text" if count else ""
    return found, Phase("introductions", len(candidates), len(found), note)


def may_introduce(entry: Entry, limit: int, measure_text: MeasureText) -> bool:
    """Whether a chunk of more than `limit` tokens has something below it, and text of its own."""
    return (
        entry.last_position > entry.position
        and entry.content_type != "empty"
        and measure_text(entry) > limit
    )


def introduction_of(entry: Entry, first_below: Entry) -> Entry | None:
    """Return a chunk as it would be if it ended where the first one below it begins.

    None if it has no text before that. Text between the chunks below (such as blank lines
    between the methods of a class) is left out.
    """
    before = _ending_before(entry, first_below, last_position=entry.position)
    return before if before.body_spans else None


def _ending_before(entry: Entry, below: Entry, *, last_position: int) -> Entry:
    """Return a chunk as it would be if it ended where one below it begins."""
    end, _ = whole_range(below)
    return entry._replace(
        last_position=last_position,
        body_spans=tuple(span for span in entry.body_spans if span[0] < end),
        byte_end=max(entry.byte_start, end),
        line_end=max(entry.line_start, below.line_start - 1),
    )
