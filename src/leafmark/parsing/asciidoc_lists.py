"""Which line of AsciiDoc is an item of a list, and of which list.

The marker says it, not the indentation: a marker that no open list has opens a list
inside the item above, and one that an open list has goes on with that list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Item", "OpenLists", "marker_of"]

_ITEM = re.compile(
    r"[ \t]*(?:(-|\*{1,5}|\.{1,5}|\u2022|\d+\.|[a-zA-Z]\.|[IVXivx]+\)|<[\d.]+>)[ \t]+\S"
    r"|(?!//)[^ \t].*?(:{2,4}|;;)(?:\Z|[ \t]))"
)


class Item(NamedTuple):
    """An item of a list that is inside `depth` others; lines `[first, after)` are its own.

    Lines of attributes for the list that it opens are `[about, first)`. `joints` are its lines
    with `+`, each of which attaches a block.
    """

    depth: int
    about: int
    first: int
    after: int
    joints: Sequence[int]


class OpenLists:
    """The markers of the lists that an item may go on with, from the outermost one."""

    def __init__(self) -> None:
        self._markers: list[str] = []

    def __contains__(self, marker: str) -> bool:
        return marker in self._markers

    def enter(self, marker: str) -> int:
        """Go on with the list of a marker, or open one; return how many it is inside."""
        if marker in self._markers:
            del self._markers[self._markers.index(marker) + 1 :]
        else:
            self._markers.append(marker)
        return len(self._markers) - 1


def marker_of(line: str) -> str:
    """Return what a line shares with all items of its list; empty if it is no item.

    >>> [marker_of(line) for line in ("** a", "12. b", "IV) c", "<2> d", "term:: e", "f")]
    ['**', '1.', 'A)', '<', '::', '']
    """
    found = _ITEM.match(line)
    if found is None:
        return ""
    mark: str = found[1] or found[2]
    if mark[0].isdigit():
        return "1."
    if mark[0].isalpha():
        return ("a" if mark[0].islower() else "A") + mark[-1]
    return "<" if mark[0] == "<" else mark
