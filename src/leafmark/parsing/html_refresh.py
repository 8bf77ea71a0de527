"""Pages that show nothing of their own: they lead to another one at once.

Texinfo writes one for each name that a manual once had, rustdoc, mdBook and Jekyll for each
page that moved. Their words are what a reader never sees.
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
"""To another page, in no time: the page itself is none, nor a place in it."""


def leads_away(data: bytes) -> bool:
    """Whether a page's head says that another one is to be shown, to those with scripts, too.

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
