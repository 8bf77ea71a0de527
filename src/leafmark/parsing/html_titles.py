"""What a page is called, without the name of its site or its manual.

That name stands behind the page's own, and a heading of the page proves where the page's own
ends: `Usage — Mako 1.4 documentation` above the heading `Usage`. It stands before it where a
heading outside the text is the site's name: `Slurm Workload Manager - sbatch`. GTK-Doc writes
`GwyRuler: Reference Manual` above `GwyRuler`, and Texinfo `Basic Usage (GNU Octave)` above `4.1
Basic Usage`; there the heading is the title. A colon or brackets in titles of other pages may
mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Set

__all__ = ["without_manual", "without_site"]

_SEPARATOR = re.compile(r" (?:[-\u2010-\u2015|\xb7\u2022\xab\xbb\u2039\u203a/~:<>]|::|--) ")
"""What stands between the title of a page and the name of its site."""

_LONGEST_TITLE = 1024
"""Characters of a title in which the name of a site is looked for."""

_MAKER = re.compile(
    rb"<meta\s+name=\"generator\"\s+content=\"(makeinfo|texi2any|GTK-Doc)\b", re.IGNORECASE
)
_BEFORE_MANUAL = {b"makeinfo": " (", b"texi2any": " (", b"gtk-doc": ": "}
"""What stands before the name of the manual, by what made the page."""

_NUMBER = re.compile(r"(?:\w++ )?[A-Z0-9]{1,4}+(?:\.[0-9]++|(?!))*+\.? ")
"""The number of a section or an appendix."""


def without_site(title: str, headings: Set[str], outer: Set[str] = frozenset()) -> str:
    """Return the longest beginning of a title, up to a separator, that is a heading, or all of it.

    `outer` are headings outside what is read of the page. One of them may be the page's own, or
    the site's above every page: it is the site's where the rest of the title is a heading.

    >>> without_site("Usage - Tips — Mako 1.4 documentation", {"Usage", "Usage - Tips"})
    'Usage - Tips'
    >>> without_site("Usage — Mako", {"Mako", "Introduction"})
    'Usage — Mako'
    >>> without_site("Slurm - sbatch", {"sbatch", "NAME"}, {"Slurm"})
    'sbatch'
    """
    if title in headings or title in outer or len(title) > _LONGEST_TITLE:
        return title
    for found in reversed([*_SEPARATOR.finditer(title)]):
        name, rest = title[: found.start()], title[found.end() :]
        if name in headings:
            return name
        if name in outer:
            return rest if rest in headings else name
    return title


def without_manual(title: str, heading: str, head: bytes) -> str:
    """Return the first heading of a page where it is the name before the manual's, else the title.

    `head` is what stands before the body of the page.

    >>> head = b'<meta name="generator" content="makeinfo">'
    >>> without_manual("Basic Usage (GNU Octave)", "4.1 Basic Usage", head)
    '4.1 Basic Usage'
    >>> without_manual("Basics (GNU Octave)", "4.1 Basic Usage", head)
    'Basics (GNU Octave)'
    """
    maker = _MAKER.search(head)
    if maker is None:
        return title
    mark, number = _BEFORE_MANUAL[maker[1].lower()], _NUMBER.match(heading)
    names = (heading, heading[number.end() :] if number else heading)
    return heading if any(title.startswith(name + mark) for name in names if name) else title
