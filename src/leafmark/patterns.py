"""Regular expressions that are compiled when they are first used.

A run of the command imports many modules and uses few of their patterns. Compiling all of them
takes a third of the time of a cold search.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def late_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, for use by its methods and attributes.

    A mistake in the pattern is found when it is first used.

    >>> late_pattern("a+").findall("aab a")
    ['aa', 'a']
    """
    return cast("re.Pattern[AnyStr]", _LatePattern(pattern, flags))


class _LatePattern:
    """Has the methods of a compiled pattern as its own once one of them was asked for."""

    def __init__(self, pattern: Any, flags: int):
        self._given = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what copies and pickles look for
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        vars(self).update({each: getattr(compiled, each) for each in (*_METHODS, name)})
        return getattr(compiled, name)
