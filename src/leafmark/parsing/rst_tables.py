"""The tables of reStructuredText: where one ends, its header and its rows.

In: the lines, seen from the left edge of what is being scanned. Out: line
numbers. A table that is not well formed ends where its shape does, so that no
title below it is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

__all__ = ["GRID_TOP", "SIMPLE_TOP", "RstTable", "grid_table", "simple_table"]

GRID_TOP = re.compile(r"\+-[-+]+-\+\Z")
SIMPLE_TOP = re.compile(r"=+(?: +=+)+\Z")
_SIMPLE_BORDER = re.compile(r"=[ =]*\Z")

Line = Callable[[int], str]
"""The text of a line, its number given."""


class RstTable(NamedTuple):
    """A table up to the line `after`; its first row that is no header begins at `content`.

    `rows` are half-open ranges of lines; `content` is 0 where there is no header.
    """

    after: int
    content: int
    rows: tuple[tuple[int, int], ...]


def grid_table(line: Line, at: int, stop: int) -> RstTable:
    """Return the table of `+---+` and `|` that begins on line `at`."""
    after = at
    while after < stop and line(after)[:1] in ("+", "|"):
        after += 1
    rules = [i for i in range(at, after) if line(i)[0] == "+"]
    content = next((i + 1 for i in rules if set(line(i)) <= {"+", "="}), 0)
    rows = tuple((first + 1, last) for first, last in pairwise(rules) if first + 1 < last)
    return RstTable(after, content if content < after else 0, rows)


def simple_table(line: Line, at: int, stop: int) -> RstTable | None:
    """Return the table between lines of `=`, None where nothing closes it.

    It has two such lines, or three with a header.
    """
    borders = _borders(line, at, stop)
    if len(borders) == 1:
        return None
    content = borders[1] + 1 if len(borders) == 3 else 0
    rows = range(borders[-2] + 1, borders[-1])
    begun = tuple((row, row + 1) for row in rows if line(row)[:1].strip())
    return RstTable(borders[-1] + 1, content, begun)


def _borders(line: Line, at: int, stop: int) -> list[int]:
    """The lines of `=`, as long as the first; three at the most, a blank line ends the table."""
    borders = [at]
    for end in range(at + 1, stop):
        if _SIMPLE_BORDER.match(line(end)):
            if len(line(end)) != len(line(at)):
                break  # malformed: a title below it must not be lost
            borders.append(end)
            if len(borders) == 3 or end + 1 >= stop or not line(end + 1):
                break
    return borders
