"""How poor a cut is in source code that is read as plain text, since there is no grammar for it.

Most languages have none. Their indentation says what belongs together: a cut is the better, the
less what is below it is indented. In a text that may be prose, that counts only below what ends as
statements do.
"""

from __future__ import annotations

import re

__all__ = ["POOREST", "depth_in_code", "is_inside_code"]

POOREST = 1000
"""What is poorer than any depth."""

_OPEN = 500
"""Added to the depth right below a bracket that opens, and inside a list."""

_DEEPEST = 400
_REACH = 240
_PROSE = (".txt", ".text")

_INDENTED = re.compile(rb"[ \t]*+")
_CLOSING = re.compile(rb"[ \t]*+[}\])]++[;,]?+[ \t]*+(?:[\r\n]|\Z)")
_CALL = re.compile(rb"[ \t]*+(?:[\w.:!?*$@&-]++ ?+|(?!))?+\(")
"""What a line of nothing but a call begins with."""
_ITEM = re.compile(
    rb"[ \t]*+(?:[-*+!]|\xe2\x80\xa2|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,4})[.)])[ \t]"
)


def depth_in_code(path: str, before: bytes, behind: bytes) -> int:
    """Return how poor a cut is that stands inside code, 0 if it does not.

    `before` has no space at its end.

    >>> depth_in_code("a.css", b"a {\\n  b: c;", b"  d: e;\\n}\\n")
    3
    >>> depth_in_code("a.css", b"a {\\n  b: c;\\n}", b"d {\\n  e: f;\\n}\\n")
    0
    """
    line = before.rpartition(b"\n")[2]
    above, below = _margin(line), _margin(behind)
    mark = line[-1:]
    if _CLOSING.match(behind):
        return POOREST
    if mark in (b"{", b"(", b"["):
        return _OPEN + below if below > above else 0
    if _may_be_prose(path):
        return below + 1 if _is_statement(line, mark) and 0 < below <= above else 0
    if mark == b"," and line.strip():
        return _OPEN + below
    return below + 1 if below else 0


def is_inside_code(path: str, text: bytes, at: int) -> bool:
    """Whether a line that begins at `at` goes on with the definition that is above it."""
    before = text[max(0, at - _REACH) : at].rstrip()
    return depth_in_code(path, before, text[at : at + _REACH]) > 0


def _is_statement(line: bytes, mark: bytes) -> bool:
    """Whether a line ends with a semicolon, a bracket, or that of a call that begins it."""
    if _ITEM.match(line):
        return False
    return mark in (b";", b"}") or (mark == b")" and _CALL.match(line) is not None)


def _may_be_prose(path: str) -> bool:
    """Whether a name has no suffix, or that of text."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_PROSE) or "." not in name


def _margin(text: bytes) -> int:
    indented = _INDENTED.match(text)
    return min(_DEEPEST, len(indented[0].expandtabs())) if indented else 0
