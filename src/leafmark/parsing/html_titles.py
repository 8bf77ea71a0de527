"""What a page is called, without the name of its site or its manual.

That stands behind the page's own name, and a heading of the page is the proof of where one
ends: `Usage — Mako 1.4 documentation` above the heading `Usage`, and, as Texinfo writes it,
`Basic Usage (GNU Octave)` above `4.1 Basic Usage`, which then is the title.
"""

from __future__ import annotations

import re
from collections.abc import Set

__all__ = ["is_by_texinfo", "of_manual", "without_site"]

_SEPARATOR = re.compile(r" (?:[-\u2010-\u2015|\xb7\u2022\xab\xbb\u2039\u203a/~:<>]|::|--) ")
"""What stands between the title of a page and the name of its site."""

_LONGEST_TITLE = 1024
"""Characters of a title in which the name of a site is looked for."""

_TEXINFO = re.compile(
    rb"<meta\s+name=\"generator\"\s+content=\"(?:makeinfo|texi2any)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"(?:\w++ )?[A-Z0-9]{1,4}+(?:\.[0-9]++|(?!))*+\.? ")
"""The number of a section or an appendix."""


def is_by_texinfo(head: bytes) -> bool:
    """Whether Texinfo made the page; `head` is what stands before its body."""
    return _TEXINFO.search(head) is not None


def without_site(title: str, headings: Set[str]) -> str:
    """Return the longest beginning of a title, up to a separator, that is a heading, or all of it.

    >>> without_site("Usage - Tips — Mako 1.4 documentation", {"Usage", "Usage - Tips"})
    'Usage - Tips'
    >>> without_site("Usage — Mako", {"Mako", "Introduction"})
    'Usage — Mako'
    """
    if title not in headings and len(title) <= _LONGEST_TITLE:
        for found in reversed([*_SEPARATOR.finditer(title)]):
            if title[: found.start()] in headings:
                return title[: found.start()]
    return title


def of_manual(title: str, heading: str) -> str:
    """Return the first heading of a page where it is the name before the manual's, else the title.

    >>> of_manual("Basic Usage (GNU Octave)", "4.1 Basic Usage")
    '4.1 Basic Usage'
    >>> of_manual("Basics (GNU Octave)", "4.1 Basic Usage")
    'Basics (GNU Octave)'
    """
    number = _NUMBER.match(heading)
    names = (heading, heading[number.end() :] if number else heading)
    return heading if any(title.startswith(f"{name} (") for name in names if name) else title
