"""The nouns of lint: rules, findings, reports."""

from __future__ import annotations

from typing import Literal, NamedTuple

from leafmark.model import Diagnostic

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""Most severe first."""


class Rule(NamedTuple):
    """One rule. `reason` says why it matters, `fix` what to do."""

    name: str
    level: Level
    summary: str
    reason: str
    fix: str


class MissedQuery(NamedTuple):
    """A query of an evaluation that did not find its answer, bytes `[start, end)` of a document.

    `location` is the query's place in its file, `first_result` the id of the first result, if any.
    """

    query: str
    doc_id: str
    start: int
    end: int
    location: str
    first_result: str | None = None


class Finding(NamedTuple):
    """A place where a rule is broken.

    `line` is 1-based. `section_id` is the section around it. `text` is the text at fault, which
    identifies a finding when lines move. `confirmed` says that a query of an evaluation failed
    because of it.
    """

    rule: str
    level: Level
    doc_id: str
    path: str
    line: int
    section_id: str
    message: str
    text: str = ""
    confirmed: bool = False


class LintReport(NamedTuple):
    """Findings: those confirmed by an evaluation first, then by level and place.

    `silenced` counts the findings silenced in place, `known` those of the baseline.
    """

    findings: tuple[Finding, ...] = ()
    documents: int = 0
    silenced: int = 0
    known: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    def fails(self, level: Level | Literal["never"]) -> bool:
        """Whether there is a finding of this level or a more severe one."""
        if level == "never":
            return False
        levels = LEVELS[: LEVELS.index(level) + 1]
        return any(finding.level in levels for finding in self.findings)
