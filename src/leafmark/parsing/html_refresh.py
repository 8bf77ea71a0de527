"""Pages that show nothing of their own, because they lead to another page at once.

Texinfo writes one for each old name of a section; rustdoc, mdBook and Jekyll write one for
each page that moved. A reader never sees their words.
"""

from __future__ import annotations

import re

from leafmark.parsing.html_tokens import attribute, iter_tokens

__all__ = ["leads_away"]

_LONGEST = 8192
"""Bytes of a page that only leads away; a longer one may hold more than that."""

_AT_ONCE = re.compile(
    r"\s*+0*+(?:\.0*+|(?!))?+\s*+[;,]\s*+(?:url\s*+=\s*+|(?!))?+[\"']?+\s*+[^\s\"'#]", re.IGNORECASE
)
"""To another page without delay; not to the page itself or a place in it."""


def leads_away(data: bytes) -> bool:
    """Whether a page's head leads to another page at once, also where scripts run.

    >>> leads_away(b'<meta http-equiv="Refresh" content="0; url=new.html#x"><p>It is there.')
    True
    >>> leads_away(b'<meta http-equiv="refresh" content="30; url=new.html">')
    False
    """
    if len(data) > _LONGEST or b"refresh" not in data.lower():
        return False
    unscripted = False
    for name, start, end, closing in iter_tokens(data, 0, len(data)):
        if name == b"body":
            return False
        if name == b"noscript":
            unscripted = not closing
        elif name == b"meta" and not unscripted and _is_refresh(data, start, end):
            return True
    return False


def _is_refresh(data: bytes, start: int, end: int) -> bool:
    equivalent = attribute(data, start, end, b"http-equiv") or ""
    content = attribute(data, start, end, b"content") or ""
    return equivalent.strip().lower() == "refresh" and _AT_ONCE.match(content) is not None
