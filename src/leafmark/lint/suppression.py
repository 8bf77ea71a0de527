"""Findings that are not reported: those in a baseline file, and those silenced in place.

A baseline has fingerprints of known findings, so that only new ones fail a build. A fingerprint is
made of the rule, the section and the text at fault, not of the line: edits elsewhere keep it.
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
    """Return the text that identifies a finding in a baseline."""
    key = json.dumps([finding.rule, finding.section_id, finding.text])
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Baseline:
    """The fingerprints of known findings, with their counts."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = Counter(known)

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Baseline:
        return cls(map(fingerprint, findings))

    @classmethod
    def parse(cls, text: str, name: str) -> Baseline:
        """Parse the output of `dump`; `name` is the file's name for the error.

        Raises:
            UsageError: the text is not a baseline.
        """
        try:
            record = json.loads(text)
            if record["version"] != _VERSION:
                raise ValueError
            return cls(str(name) for name in record["findings"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(
                "the file is not a baseline of this version of leafmark",
                location=name,
                hint="leafmark lint --write-baseline FILE writes one",
            ) from None

    def dump(self) -> str:
        """Return the text of the file: sorted, one finding a line, so that diffs are readable."""
        record = {"version": _VERSION, "findings": sorted(self._known.elements())}
        return json.dumps(record, indent=1) + "\n"

    def new_among(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that are not known, or that are more frequent than known."""
        remaining = Counter(self._known)
        for finding in findings:
            known = fingerprint(finding)
            if remaining[known] > 0:
                remaining[known] -= 1
            else:
                yield finding


# Findings that authors silence: `leafmark-lint: off RULE...`, in any comment.
#
# It applies to its section with all subsections; before the first heading, to the whole document.
# Without a rule it silences all rules.


_OFF = re.compile(rb"leafmark-lint:[ \t]*off\b([^\r\n>]*)")
_RULE = re.compile(rb"[a-z][a-z0-9-]*[a-z0-9]")


class Silences(NamedTuple):
    """Line ranges (inclusive) with the rules that are silent there; no rules: all of them."""

    ranges: tuple[tuple[int, int, frozenset[str]], ...] = ()

    def covers(self, rule: str, line: int) -> bool:
        return any(
            first <= line <= last and (not rules or rule in rules)
            for first, last, rules in self.ranges
        )


def read_silences(document: SectionedDocument, off: Iterable[str] = ()) -> Silences:
    """Return the silenced lines of a document; the rules in `off` are silent in all of it."""
    data = document.document.data
    last_line = document.chunked.line_of(len(data))
    ranges = [(1, last_line, frozenset([rule])) for rule in off]
    for match in _OFF.finditer(data) if b"leafmark-lint" in data else ():
        rules = frozenset(word.decode() for word in _RULE.findall(match[1]))
        section = document.section_around(match.start(), match.end())
        if section is None or section.is_document:
            ranges.append((1, last_line, rules))
        else:
            ranges.append((section.chunk.line_start, section.chunk.line_end, rules))
    return Silences(tuple(ranges))
