"""Findings that are known: a file of fingerprints, so that only new ones fail a build.

A fingerprint is of the rule, the section and the text at fault, not of the line: edits elsewhere
leave it as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from leafmark.errors import UsageError
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
