"""Evaluations as tables for people, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from leafmark.lint import LEVELS, RULES, Finding, LintReport, fingerprint
from leafmark.model import count_of
from leafmark.render.json_objects import diagnostic_records
from leafmark.render.jsontext import SCHEMA_VERSION, fields_of
from leafmark.render.terminal import Style, clean_line, display_width, fold, shorten

if TYPE_CHECKING:
    from leafmark.evaluation import EvaluationReport
    from leafmark.evaluation.results import Cell, Group, Outcome

RANKED_BY = "rr500"
"""The metric that orders queries from better to worse."""

_WIDEST = 90
"""Columns of a query that are shown."""

_WIDEST_NAME = 28
"""Columns of a variant's name in the head of a table."""

_MAX_COLUMNS = 4
"""With more variants, the table has a row for each and only the `_MAIN` metrics."""

_MAIN = ("overlap-mrr@10", "rr500", "hit@1", "hit@10", "doubt", "doubt-unanswerable")

_MARK = "*"
"""Marks a difference that is more than chance."""


def render_evaluation(report: EvaluationReport, style: Style) -> str:
    """Return the table of every group, and the results of the gates."""
    names = [clean_line(run.variant.name) for run in report.variants]
    labels = [_label(name, number) for number, name in enumerate(names, start=1)]
    blocks = [_heading(report, names, labels)]
    table = _table if len(labels) <= _MAX_COLUMNS else _table_by_ways
    blocks += [table(group, labels, style) for group in report.groups]
    if report.gates:
        blocks.append("".join(_gate(gate, style) for gate in report.gates))
    return "\n".join(blocks)


def _label(name: str, number: int) -> str:
    """Return a variant's name, or its number where the name is too long for a table."""
    if display_width(name) <= _WIDEST_NAME:
        return name
    return f"{name.partition('+')[0][:_WIDEST_NAME]}+… ({number})"


def _heading(report: EvaluationReport, names: Sequence[str], labels: Sequence[str]) -> str:
    chunks = ", ".join(
        f"{label} {run.chunks:,} chunks" for label, run in zip(labels, report.variants, strict=True)
    )
    limits = " or ".join(dict.fromkeys(str(run.limit) for run in report.variants))
    lines = [
        f"{report.mode}, {limits} results a query; {chunks}",
        "[95 % intervals]",
    ]
    if len(report.variants) > 1:
        lines.append(f"differences are against {labels[0]}; {_MARK} is more than chance")
    pairs = zip(labels, names, strict=True)
    lines += [f"{label} is {name}" for label, name in pairs if label != name]
    if report.drafts:
        are = "is a draft" if report.drafts == 1 else "are drafts"
        lines.append(f"{report.drafts} of the queries {are} that nobody has looked at")
    return "".join(f"{line}\n" for line in lines)


def _table(group: Group, names: Sequence[str], style: Style) -> str:
    rows = [["", *names]]
    rows += [[name, *map(_cell, cells)] for name, cells in group.rows.items()]
    closed = "".join(f"{line}\n" for line in _closed(group, names))
    return _laid_out(group, rows, style) + closed


def _laid_out(group: Group, rows: Sequence[Sequence[str]], style: Style) -> str:
    count = f"{group.answerable} with an answer, {group.unanswerable} without"
    widths = [max(display_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [f"{style.bold(clean_line(_title(group)))}: {count}"]
    for row in rows:
        cells = (c + " " * (w - display_width(c)) for c, w in zip(row, widths, strict=True))
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "".join(f"{line}\n" for line in lines)


def _table_by_ways(group: Group, names: Sequence[str], style: Style) -> str:
    """Return a row for each variant; a metric that none changes shows its first value only."""
    metrics = [name for name in _MAIN if name in group.rows]
    rows = [["", *metrics]]
    for at, name in enumerate(names):
        cells = [group.rows[metric][at] for metric in metrics]
        rows.append([name, *(_cell(cell) if at == 0 else _change(cell) for cell in cells)])
    return _laid_out(group, rows, style)


def _change(cell: Cell) -> str:
    change = cell.difference
    if change is None or (change.mean == change.low == change.high == 0):
        return "="
    mark = _MARK if change.is_clear else ""
    return f"{change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]{mark}"


def _title(group: Group) -> str:
    if not group.by:
        return group.name
    return f"{group.by} {group.name}" if group.name else f"no {group.by}"


def _closed(group: Group, names: Sequence[str]) -> Iterator[str]:
    """Yield how far each variant gets from the first one towards a perfect ranking."""
    for at, name in enumerate(names[1:], start=1):
        gone = [
            f"{cells[at].closed:.0%} in {metric} ({cells[at].perfect:.3f})"
            for metric, cells in group.rows.items()
            if cells[at].closed is not None
        ]
        if gone:
            yield f"  {name}, from the first towards a perfect ranking: {', '.join(gone)}"


def _cell(cell: Cell) -> str:
    value, change = cell.value, cell.difference
    if change is None:
        return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"
    mark = _MARK if change.is_clear else ""
    return f"{value.mean:.3f} {change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]{mark}"


def _gate(gate: Any, style: Style) -> str:
    word = "holds" if gate.passed else style.red("fails")
    return f"{clean_line(gate.gate)} {word}: it is {gate.value:.4f}\n"


def worst_first(report: EvaluationReport, limit: int | None) -> list[int]:
    """Return the positions of the queries, those that the last variant answers worst first.

    Queries without an answer are ordered by the number of shown results, ties by file.
    """
    last = report.variants[-1].outcomes
    order = sorted(range(len(last)), key=lambda at: (_worth(last[at]), at))
    return order if limit is None else order[:limit]


def _worth(outcome: Outcome) -> float:
    if not outcome.query.answers:
        return 1.0 if outcome.doubtful or not outcome.results else 0.0
    return outcome.values[RANKED_BY]


def render_outcomes(report: EvaluationReport, places: Sequence[int], style: Style) -> str:
    """Return the outcome of each of these queries under each variant."""
    return "".join(line for at in places for line in _outcome_lines(report, at, style))


def _outcome_lines(report: EvaluationReport, at: int, style: Style) -> Iterator[str]:
    query = report.variants[0].outcomes[at].query
    kind = f" ({clean_line(query.kind)})" if query.kind else ""
    title = style.bold(shorten(fold(query.query), _WIDEST))
    yield f"{title}{kind}  {style.dim(clean_line(query.location))}\n"
    width = max(display_width(run.variant.name) for run in report.variants)
    for variant_run in report.variants:
        outcome = variant_run.outcomes[at]
        name = clean_line(variant_run.variant.name)
        yield f"  {name}{' ' * (width - display_width(name))}  {_came_to(outcome)}\n"


def _came_to(outcome: Outcome) -> str:
    shown = count_of(len(outcome.results), "result") if outcome.results else "nothing found"
    doubt = ", marked doubtful" if outcome.doubtful else ""
    if not outcome.query.answers:
        return f"{shown}{doubt}; nothing answers it"
    if outcome.rank is not None:
        dear = "" if outcome.tokens is None else f" after {outcome.tokens:,} tokens"
        place = f"answer at {outcome.rank}{dear} of {shown}"
    else:
        place = f"no answer among {shown}" if outcome.results else shown
    refused = f"; refused: {outcome.refused}" if outcome.refused else ""
    first = ""
    if outcome.results and outcome.rank != 1:
        first = f"; first is {clean_line(outcome.results[0])}"
    return f"{RANKED_BY} {outcome.values[RANKED_BY]:.2f}  {place}{doubt}{refused}{first}"


def evaluation_record(report: EvaluationReport, places: Sequence[int]) -> dict[str, Any]:
    """Return the evaluation as JSON; `places` are the queries with records of their own."""
    return {
        "schema_version": SCHEMA_VERSION,
        **fields_of(report, "mode"),
        "limit": report.variants[0].limit,
        **fields_of(report, "drafts"),
        "variants": [
            {
                "name": run.variant.name,
                "settings": {**run.variant.settings, **run.variant.constants},
                **fields_of(run, "chunks", "limit"),
            }
            for run in report.variants
        ],
        "groups": [_group_record(report, group) for group in report.groups],
        **fields_of(report, "gates", "warnings"),
        "diagnostics": diagnostic_records(report.diagnostics),
        "queries": [_query_record(report, at) for at in places],
    }


def _group_record(report: EvaluationReport, group: Group) -> dict[str, Any]:
    names = [run.variant.name for run in report.variants]
    return {
        **fields_of(group, "by", "name", "answerable", "unanswerable"),
        "metrics": [
            {
                "metric": metric,
                "values": [
                    {"variant": name, **_cell_record(cell)}
                    for name, cell in zip(names, cells, strict=True)
                ],
            }
            for metric, cells in group.rows.items()
        ],
    }


def _cell_record(cell: Cell) -> dict[str, Any]:
    change = None if cell.difference is None else _rounded(cell.difference._asdict())
    others = _rounded({"perfect": cell.perfect, "closed": cell.closed})
    return {**_rounded(cell.value._asdict()), "difference": change, **others}


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in values.items()
    }


def _query_record(report: EvaluationReport, at: int) -> dict[str, Any]:
    query = report.variants[0].outcomes[at].query
    return {
        **fields_of(query, "query", "kind", "language", "tree", "draft", "location"),
        "outcomes": [
            {
                "variant": run.variant.name,
                **fields_of(
                    outcome, "results", "rank", "cover_rank", "tokens", "doubtful", "refused"
                ),
                "metrics": _rounded(outcome.values),
            }
            for run in report.variants
            for outcome in [run.outcomes[at]]
        ],
    }


# Findings of lint: as text, JSON, and SARIF 2.1.0 for code hosts.


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
