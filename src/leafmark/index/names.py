"""Names in camel case, taken apart, so that `printRoutes` is found by "print routes" too."""

from __future__ import annotations

import re

__all__ = ["with_parts"]

_INSIDE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
"""Where a part begins; the two small letters let `URLs` be one word."""

_WORD = re.compile(r"[^\W_]+")


def with_parts(title: str) -> str:
    """Return a title and, behind it, the parts of the names in it.

    >>> with_parts("printRoutes() of HTTPServer"), with_parts("List of URLs")
    ('printRoutes() of HTTPServer print Routes HTTP Server', 'List of URLs')
    """
    if not _INSIDE.search(title):
        return title
    names = (word for word in _WORD.findall(title) if _INSIDE.search(word))
    return " ".join([title, *(_INSIDE.sub(" ", name) for name in names)])
