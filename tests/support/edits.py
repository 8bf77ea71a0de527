"""An oracle for the edits between two words: the usual table, whole."""

from __future__ import annotations


def edits_by_table(one: str, other: str) -> int:
    """Edits from one word to another, two letters swapped being one (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            best = min(row[j - 1] + 1, rows[i - 1][j] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                best = min(best, rows[i - 2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
