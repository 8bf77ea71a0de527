"""Findings that are not told: a file of those that are known, and those silenced in place.

Of what is known there are fingerprints, so that only new findings fail a build. A fingerprint is
of the rule, the section and the text at fault, not of the line: edits elsewhere leave it as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from leafmark.errors import UsageError
from leafmark.history import SectionedDocument
from leafmark.lint.model import Finding

_VERSION = 1


def fingerprint(finding: Finding) -> str:
    """Return what a finding is known by."""
    stated = json.dumps([finding.rule, finding.section_id, finding.text])
    return hashlib.sha256(stated.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Baseline:
    """How often each finding is known."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = Counter(known)

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Baseline:
        return cls(map(fingerprint, findings))

    @classmethod
    def parse(cls, text: str, name: str) -> Baseline:
        """Read the file that `dump` wrote.

        Raises:
            UsageError: it is no baseline.
        """
        try:
            record = json.loads(text)
            if record["version"] != _VERSION:
                raise ValueError
            return cls(str(one) for one in record["findings"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(
                "the file is no baseline of this leafmark",
                location=name,
                hint="leafmark lint --write-baseline FILE writes one",
            ) from None

    def dump(self) -> str:
        """Return the file: sorted, one finding a line, so that changes are easy to read."""
        record = {"version": _VERSION, "findings": sorted(self._known.elements())}
        return json.dumps(record, indent=1) + "\n"

    def new_among(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are not known, or that are there more often by now."""
        left = Counter(self._known)
        for finding in findings:
            known = fingerprint(finding)
            if left[known] > 0:
                left[known] -= 1
            else:
                yield finding


# Findings that their authors do not want: `leafmark-lint: off RULE...`, in any comment.
#
# It holds for the section that it stands in, with all below it; before the first heading, for the
# whole document. Without a rule it silences all.


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
