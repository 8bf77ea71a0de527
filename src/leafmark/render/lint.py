"""Findings of lint: as text, JSON, and SARIF 2.1.0 for code hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from leafmark.lint import LEVELS, RULES, Finding, LintReport, fingerprint
from leafmark.model import count_of
from leafmark.render.jsontext import SCHEMA_VERSION, fields_of
from leafmark.render.records import diagnostic_records
from leafmark.render.terminal import Style, clean_line

_NONE: Mapping[str, str] = {}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def iter_findings(
    report: LintReport, style: Style, prefixes: Mapping[str, str] = _NONE
) -> Iterator[str]:
    """Yield a line for each finding as editors read it: path, line, level, rule, message.

    `prefixes` lead from the reader's folder to the root of each tree.
    """
    for finding in report.findings:
        path = prefixes.get(finding.doc_id.partition(":")[0], "") + finding.path
        place = style.bold(f"{clean_line(path)}:{finding.line}:")
        confirmed = " (a query of the evaluation fails here)" if finding.confirmed else ""
        message = clean_line(finding.message)
        yield f"{place} {finding.level}: {message}{confirmed} {style.dim(f'[{finding.rule}]')}\n"


def summarise_lint(report: LintReport) -> str:
    """Return one line with the numbers of findings and of omitted ones."""
    counts = Counter(finding.level for finding in report.findings)
    counted = [count_of(counts[level], level) for level in LEVELS if counts[level]]
    line = f"{count_of(report.documents, 'document')}: {', '.join(counted) or 'nothing found'}"
    left = [(report.silenced, "silenced"), (report.known, "known from the baseline")]
    return line + "".join(f"; {number} {what}" for number, what in left if number)


def iter_rules(style: Style) -> Iterator[str]:
    """Yield the rules, each with its level, reason and fix."""
    for rule in RULES.values():
        yield f"{style.bold(rule.name)} ({rule.level}): {rule.summary}\n"
        yield f"  {rule.reason}\n  fix: {rule.fix}\n"


def lint_record(report: LintReport) -> dict[str, Any]:
    """Return the published shape `lint`."""
    counts = Counter(finding.level for finding in report.findings)
    return {
        "schema_version": SCHEMA_VERSION,
        "findings": [_finding_record(finding) for finding in report.findings],
        "counts": {level: counts[level] for level in LEVELS},
        "documents": report.documents,
        "silenced": report.silenced,
        "known": report.known,
        "diagnostics": diagnostic_records(report.diagnostics),
    }


def _finding_record(finding: Finding) -> dict[str, Any]:
    return {
        **fields_of(finding, "rule", "level", "doc_id", "path", "line", "section_id", "message"),
        "fix": RULES[finding.rule].fix,
        "confirmed": finding.confirmed,
        "fingerprint": fingerprint(finding),
    }


def sarif_record(
    report: LintReport, *, version: str, prefixes: Mapping[str, str]
) -> dict[str, Any]:
    """Return a SARIF log; `prefixes` lead from the folder of the run to the root of each tree."""
    used = [
        rule
        for rule in RULES.values()
        if any(finding.rule == rule.name for finding in report.findings)
    ]
    places = {rule.name: at for at, rule in enumerate(used)}
    driver = {
        "name": "leafmark",
        "version": version,
        "rules": [
            {
                "id": rule.name,
                "shortDescription": {"text": rule.summary},
                "fullDescription": {"text": rule.reason},
                "help": {"text": rule.fix},
                "defaultConfiguration": {"level": rule.level},
            }
            for rule in used
        ],
    }
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": places[finding.rule],
            "level": finding.level,
            "message": {"text": f"{finding.message}. {RULES[finding.rule].fix}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(finding, prefixes)},
                        "region": {"startLine": finding.line},
                    },
                    "logicalLocations": [{"fullyQualifiedName": finding.section_id}],
                }
            ],
            "partialFingerprints": {"leafmark/v1": fingerprint(finding)},
        }
        for finding in report.findings
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _uri(finding: Finding, prefixes: Mapping[str, str]) -> str:
    tree = finding.doc_id.partition(":")[0]
    raw = finding.path.encode("utf-8", "surrogateescape")
    return prefixes.get(tree, "") + quote(raw)
