"""Regular expressions that are compiled when they are first used.

A run of the command imports many modules and uses few of their patterns. Compiling all patterns
takes a third of the time of a cold search.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern with the methods and attributes of `re.compile`'s.

    A mistake in the pattern raises when it is first used.

    >>> lazy_pattern("a+").findall("aab a")
    ['aa', 'a']
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Gets the methods of a compiled pattern as attributes when one of them is first used."""

    def __init__(self, pattern: Any, flags: int):
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # the attributes that copy and pickle look for
            raise AttributeError(name)
        compiled = re.compile(*self._arguments)
        vars(self).update({method: getattr(compiled, method) for method in (*_METHODS, name)})
        return getattr(compiled, name)
