"""Outlines cut to a budget: the places of what was asked for, then titles, shallow ones first.

Pieces, which have no titles of their own, come last. The order does not depend on
the budget, and what a title stands below comes before it: the beginning of it that
is shown is a tree, too.
"""

from __future__ import annotations

from collections.abc import Callable

from leafmark.model import Omission, Shown, ShowReport

__all__ = ["OutlinesShown", "levels_of", "outline_order"]


def levels_of(shown: Shown) -> dict[int, int]:
    """Return how deep each chunk of an outline stands in it, by position; the first is at 0."""
    levels = {shown.entry.position: 0}
    for child in shown.children:
        levels[child.position] = levels.get(child.parent_position, 0) + 1
    return levels


def outline_order(shown: Shown) -> list[int]:
    """Return the positions of what is in an outline in the order in which they are added."""
    levels = levels_of(shown)
    children = sorted(
        shown.children,
        key=lambda child: (child.kind == "piece", levels[child.position], child.position),
    )
    return [child.position for child in children]


class OutlinesShown:
    """Outlines that are filled up step by step; `count` tells what a title costs."""

    def __init__(self, report: ShowReport, count: Callable[[str], int]):
        self._report = report
        self._orders = [outline_order(shown) for shown in report.shown]
        self._cost = {
            child.id: count(f"  .{child.position} {child.title}  {child.fragment}\n")
            for shown in report.shown
            for child in shown.children
        }
        self.size = len(report.shown) + sum(map(len, self._orders))

    def at(self, steps: int, marks: bool = True) -> ShowReport:
        """Return the report after so many steps."""
        shown = self._report.shown
        rest = shown[steps:]
        left = max(0, steps - len(shown))
        found = []
        for one, order in zip(shown[:steps], self._orders, strict=False):
            found.append(self._cut(one, frozenset(order[:left]), marks))
            left = max(0, left - len(order))
        omission = None
        if rest and marks:
            tokens = sum(self._cost[child.id] for one in rest for child in one.children)
            omission = Omission(rest[0].entry.id, tokens, len(rest))
        return self._report._replace(shown=tuple(found), omission=omission)

    def _cut(self, shown: Shown, kept: frozenset[int], marks: bool) -> Shown:
        """Return an outline with some of its titles, and what the others cost."""
        children = tuple(child for child in shown.children if child.position in kept)
        rest = [child for child in shown.children if child.position not in kept]
        if not rest:
            return shown
        tokens = sum(self._cost[child.id] for child in rest)
        mark = (Omission(shown.entry.id, tokens),) if marks else ()
        return shown._replace(children=children, passages=mark)
