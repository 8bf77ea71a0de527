"""Where units begin in a range that is cut between its blocks, and which block each is made of.

A heading line goes with what follows it, and a row of a table that Markdown writes in HTML
is a unit, whatever blocks stand in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from operator import itemgetter

from leafmark.chunking.markup_tables import MarkupTable
from leafmark.model import Block, Heading

__all__ = ["along_headings", "along_rows"]

Place = tuple[int, Block | None]
"""Where a unit begins, and the block that it is made of."""

_place_of = itemgetter(0)


def along_headings(start: int, headings: Sequence[Heading], blocks: Sequence[Block]) -> list[Place]:
    """Return where units begin at blocks; a heading line goes with what follows.

    Heading lines in a body are those of discarded headings and of headings
    too deep to make a section.
    """
    marks: list[Place] = [(heading.start, None) for heading in headings]
    marks = sorted([*marks, *[(block.start, block) for block in blocks]], key=_place_of)
    places: list[Place] = []
    begun: int | None = start
    for at, block in marks:
        begun = at if begun is None else begun
        if block is not None and block.kind != "heading":
            places.append((begun, block))
            begun = None
    if begun is not None:
        places.append((begun, None))
    return places


def along_rows(
    places: Sequence[Place],
    tables: Iterable[MarkupTable],
    *,
    fits: Callable[[int, int], bool],
    row: Block,
) -> list[Place]:
    """Return where units begin when those rows of the tables that fit are one each.

    Each is made of `row`, the first one with the header. Else they begin at `places`, and
    where HTML goes on behind a table. All in order; linear in the places and rows.
    """
    starts = [at for at, _ in places]
    found: list[Place] = []
    behind: Place | None = None  # the table before, in the same HTML
    done = 0
    for table in tables:
        at = bisect_right(starts, table.start) - 1
        if at >= done:
            found += places[done:at]
            begin = starts[at]
        elif behind is not None:
            begin = found.pop()[0]
        else:
            continue
        for first, end in pairwise([begin, *table.rows[1:], table.end]):
            inside = places[bisect_left(starts, first) : bisect_left(starts, end)]
            if fits(first, end):
                found.append((first, row))
                continue
            if not inside or inside[0][0] > first:
                found.append((first, places[bisect_right(starts, first) - 1][1]))
            found += inside
        done = bisect_left(starts, table.end, max(done, at + 1))
        last, following = places[done - 1][1], starts[done : done + 1]
        goes_on = last is not None and table.after < min([last.end, *following])
        behind = (table.after, last) if goes_on else None
        found += [behind] if behind else []
    return [*found, *places[done:]]
