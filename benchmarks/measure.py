"""Timing that holds on a shared machine: two contenders in turn, medians, ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report: our figure, the figure beside it, and the limit on their ratio.

    `higher_is_better` says on which side of `limit` the ratio must be.
    """

    name: str
    ours: str
    beside: str
    ratio: float
    limit: float | None
    higher_is_better: bool

    @property
    def met(self) -> bool | None:
        if self.limit is None:
            return None
        return self.ratio >= self.limit if self.higher_is_better else self.ratio <= self.limit


def in_turn(
    contenders: Sequence[Callable[[], object]],
    *,
    rounds: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return the median seconds of each contender, run A B … A B … after one warm-up round."""
    times: list[list[float]] = [[] for _ in contenders]
    for turn in range(rounds + 1):
        for contender, seen in zip(contenders, times, strict=True):
            start = clock()
            contender()
            if turn:
                seen.append(clock() - start)
    return [statistics.median(seen) for seen in times]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of `values` lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as an aligned text table."""
    head = ("what", "leafmark", "beside it", "ratio", "limit", "")
    lines = [head]
    for row in rows:
        sign = "≥" if row.higher_is_better else "≤"
        limit = "" if row.limit is None else f"{sign} {row.limit:g}"
        verdict = {True: "met", False: "MISSED", None: ""}[row.met]
        lines.append((row.name, row.ours, row.beside, f"{row.ratio:.2f}", limit, verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
