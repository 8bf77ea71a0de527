"""Findings that their authors do not want: `leafmark-lint: off RULE...`, in any comment.

It holds for the section that it stands in, with all below it; before the first heading, for the
whole document. Without a rule it silences all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from leafmark.history import SectionedDocument

_OFF = re.compile(rb"leafmark-lint:[ \t]*off\b([^\r\n>]*)")
_RULE = re.compile(rb"[a-z][a-z0-9-]*[a-z0-9]")


class Silences(NamedTuple):
    """Line ranges (inclusive) in which some rules are silent; no rules: all of them."""

    ranges: tuple[tuple[int, int, frozenset[str]], ...] = ()

    def covers(self, rule: str, line: int) -> bool:
        return any(
            first <= line <= last and (not rules or rule in rules)
            for first, last, rules in self.ranges
        )


def read_silences(document: SectionedDocument, off: Iterable[str] = ()) -> Silences:
    """Return what is silenced in a document; the rules in `off` are in all of it."""
    data = document.document.data
    last_line = document.chunked.line_of(len(data))
    found = [(1, last_line, frozenset([rule])) for rule in off]
    for match in _OFF.finditer(data) if b"leafmark-lint" in data else ():
        rules = frozenset(word.decode() for word in _RULE.findall(match[1]))
        section = document.section_around(match.start(), match.end())
        if section is None or section.is_document:
            found.append((1, last_line, rules))
        else:
            found.append((section.chunk.line_start, section.chunk.line_end, rules))
    return Silences(tuple(found))
