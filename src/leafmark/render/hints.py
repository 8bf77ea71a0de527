"""Hints for programs, which have arguments where the command line has options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from leafmark.model import Hint

__all__ = ["LISTS", "PARAMETERS", "hints_for_programs"]

PARAMETERS: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("strict", "tree", "tag", "since", "section")}
)
"""The options of a search that hints name, and what they are called over HTTP."""

LISTS: Mapping[str, str] = MappingProxyType({**PARAMETERS, "tree": "trees", "tag": "tags"})
"""The same, and what they are called over MCP and in the library."""

_OPTION = re.compile(rf"(?<!\S)--({'|'.join(PARAMETERS)})(?!\S)")


def hints_for_programs(hints: Iterable[Hint], names: Mapping[str, str]) -> tuple[Hint, ...]:
    """Return hints that say `strict` for `--strict`; `names` are the arguments by option.

    >>> (hint,) = hints_for_programs([Hint("filter", "without --tag x, there would be 2")], LISTS)
    >>> hint.message
    'without `tags` x, there would be 2'
    """
    return tuple(
        hint._replace(message=_OPTION.sub(lambda found: f"`{names[found[1]]}`", hint.message))
        for hint in hints
    )
