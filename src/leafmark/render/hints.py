"""Hints for programs, which have arguments where the command line has options.

The server gives those of the command line: its JSON is what `--json` prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType

from leafmark.model import Hint

__all__ = ["hints_for_programs"]

_ARGUMENTS = MappingProxyType(
    {
        "strict": "strict",
        "tree": "trees",
        "tag": "tags",
        "since": "since",
        "section": "section",
    }
)
"""The options of a search that hints name, and what they are called over MCP and in the library."""

_OPTION = re.compile(rf"(?<!\S)--({'|'.join(_ARGUMENTS)})(?!\S)")


def hints_for_programs(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    """Return hints that say `strict` for `--strict`.

    >>> (hint,) = hints_for_programs([Hint("filter", "without --tag x, there would be 2")])
    >>> hint.message
    'without `tags` x, there would be 2'
    """
    return tuple(
        hint._replace(message=_OPTION.sub(lambda found: f"`{_ARGUMENTS[found[1]]}`", hint.message))
        for hint in hints
    )
