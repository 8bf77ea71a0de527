"""What is too much for the Markdown parser: sources that would take gigabytes of memory.

It takes time linear in any source, but some fifty bytes for a piece of inline
markup or a line, and five hundred for a container. No document for people comes
near these limits; a file made to do harm, or data under a wrong name, does. It
is read as plain text instead.
"""

from __future__ import annotations

import re

__all__ = ["MAX_DEPTH", "MAX_MARKS", "find_excess"]

MAX_MARKS = 8_000_000
"""Marks (line ends and characters of markup); 50 MB of real Markdown have some 3.5 million."""

_MARKS_ALWAYS = 500_000
_MARKS_IN_TEN_BYTES = 4
"""What is dense with marks may have `_MARKS_ALWAYS`, and so many more; tables of numbers, the
densest that people make, have four in ten bytes, real Markdown less than one."""

MAX_DEPTH = 1000
"""Containers that one line opens; by hand it is hard to come past ten."""

_LARGE = 1_000_000
"""Bytes up to which a source is let through unseen: it cannot take more than half a gigabyte."""

_PORTION = 1_000_000

_START = 16 * MAX_DEPTH  # bytes enough for the first line to be too deep
_MARKS = b"\n*_`[]<>&!~\\|."
_DEEP_LINE = re.compile(rb"\n(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){%d}" % (MAX_DEPTH + 1))


def find_excess(raw: bytes) -> str:
    """Return what there is too much of in `raw`, empty where it can be parsed."""
    if len(raw) <= _LARGE:
        return ""
    if _DEEP_LINE.search(raw) or _DEEP_LINE.match(b"\n" + raw[:_START]):
        return f"a line is nested more than {MAX_DEPTH} levels deep"
    limit = min(MAX_MARKS, _MARKS_ALWAYS + len(raw) * _MARKS_IN_TEN_BYTES // 10)
    if _count_marks(raw) > limit:
        return f"it has more than {limit} line ends and characters of markup"
    return ""


def _count_marks(raw: bytes) -> int:
    """Count in portions: what is taken away leaves a copy of the rest."""
    portions = (raw[at : at + _PORTION] for at in range(0, len(raw), _PORTION))
    return sum(len(one) - len(one.translate(None, _MARKS)) for one in portions)
