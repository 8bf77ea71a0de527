"""HTML in Markdown that says nothing: tags that stand alone and open something, and comments."""

from __future__ import annotations

import re

__all__ = ["VOID", "are_opening_tags", "is_unread"]

VOID = rb"(?!(?:area|br|hr|img|input|wbr)\b)"
"""Tags that open nothing."""

_OPENING = rb"<%b[a-z][^<>]*+(?<!/)>\s*+" % VOID
_OPENING_TAGS = re.compile(rb"\s*+(?:%b)+" % _OPENING, re.IGNORECASE)
_UNREAD = re.compile(rb"\s*+(?:%b|<!--.*?-->\s*+)+" % _OPENING, re.IGNORECASE | re.DOTALL)


def are_opening_tags(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but tags that open something.

    >>> text = b"<details>\\n<summary>More</summary>"
    >>> are_opening_tags(text, 0, 10), are_opening_tags(text, 0, len(text))
    (True, False)
    """
    return _OPENING_TAGS.fullmatch(data, start, end) is not None


def is_unread(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but such tags and comments.

    >>> text = b'<!-- more -->\\n<div class="a">\\n\\nMore'
    >>> is_unread(text, 0, 31), is_unread(text, 0, len(text))
    (True, False)
    """
    return _UNREAD.fullmatch(data, start, end) is not None
