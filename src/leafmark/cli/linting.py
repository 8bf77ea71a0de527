"""`lint`: what makes documents hard to find or to cite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from leafmark.cli.command import JSON, Argument, Choice, Option, command, declared
from leafmark.cli.completion import trees
from leafmark.cli.console import Call, perform, progress_line, project_of
from leafmark.cli.reading import read_texts
from leafmark.errors import UsageError, unreadable

if TYPE_CHECKING:
    from leafmark.lint import Baseline, LintReport

FORMATS = ("text", "json", "sarif")
FAILING = ("error", "warning", "note", "never")


@command(
    "lint",
    examples=(
        ("leafmark lint", "all documents"),
        ("leafmark lint --since origin/main -o sarif > lint.sarif", "what a branch changed"),
        ("leafmark lint --write-baseline .leafmark-lint.json", "accept what there is"),
        ("leafmark lint --baseline .leafmark-lint.json --fail-on warning", "and fail on more"),
        ("leafmark lint --eval queries.jsonl", "with the queries that fail because of a title"),
        ("leafmark lint rules", "what is looked for, why, and what to do"),
    ),
    argument=Argument("[rules]", "List the rules instead.", most=1, choices=("rules",)),
    options=lambda: [
        declared("search.trees", "-t", "--tree", metavar="TREE", complete=trees, in_force=False),
        Option("--rule", help="Only findings of this rule.", metavar="NAME", repeat=True),
        Option("--off", help="Without this rule.", metavar="NAME", repeat=True),
        Option("--since", help="Only documents that differ from a revision.", metavar="REV"),
        Option(
            "--eval",
            help="Judged queries, as leafmark eval takes them: what they confirm comes first.",
            metavar="FILE",
            repeat=True,
            complete="file",
        ),
        Option(
            "--baseline", help="Leave out what this file knows.", metavar="FILE", complete="file"
        ),
        Option(
            "--write-baseline",
            help="Write what is found to this file, so that it is known from now on.",
            metavar="FILE",
            complete="file",
        ),
        Option(
            "--fail-on",
            help="The least severe level that makes exit code 1; warning without it.",
            metavar="LEVEL",
            type=Choice(FAILING),
        ),
        Option(
            "-o",
            "--output",
            help="text has a line for each finding; sarif is for code hosts.",
            metavar="FORMAT",
            type=Choice(FORMATS),
        ),
        JSON,
    ],
)
def _lint(call: Call) -> int:
    """Say what makes documents hard to find or to cite.

    Looks for links and anchors that lead nowhere, titles that repeat or say nothing, sections
    that are far too long, empty or do not stand alone, images without words, tables without a
    header, code without a language, near duplicates, and pages that no text links to. Each rule
    has a reason and a fix: leafmark lint rules prints them.

    A comment with `leafmark-lint: off RULE` silences a rule in the section that it stands in,
    and before the first heading in the whole document. [lint] in leafmark.toml has the levels of
    rules, rules that are off, paths to ignore, and a baseline.

    Exit code 1 means that there is a finding of the level --fail-on, or a more severe one.
    """
    from leafmark.app.linting import lint_project
    from leafmark.app.requests import LintRequest

    if call.words:
        from leafmark.render.lint import iter_rules

        for line in iter_rules(call.console.style):
            call.console.write(line)
        return 0
    values = call.values
    request = LintRequest(
        trees=values.get("trees", ()),
        rules=values.get("rule", ()),
        off=values.get("off", ()),
        since=values.get("since"),
        baseline=_baseline(call),
        missed=_missed(call),
    )
    report = perform(call, lint_project, lambda confirmed: request)
    if "write_baseline" in values:
        _write_baseline(call, values["write_baseline"], report)
        return 0
    _print(call, report)
    call.console.diagnostics(report.diagnostics)
    configured = project_of(call).configuration.lint.fail_on
    return 1 if report.fails(values.get("fail_on") or configured or "warning") else 0


def _baseline(call: Call) -> Baseline | None:
    from leafmark.lint import Baseline

    if "baseline" not in call.values:  # what is written knows all that is found
        return Baseline() if "write_baseline" in call.values else None
    ((name, text),) = read_texts(call, (call.values["baseline"],))
    return Baseline.parse(text, name)


def _missed(call: Call) -> tuple[Any, ...]:
    if "eval" not in call.values:
        return ()
    from leafmark.evaluation.missed import find_missed

    with progress_line(call) as progress:
        return find_missed(project_of(call), call.values["eval"], progress=progress)


def _write_baseline(call: Call, name: str, report: LintReport) -> None:
    from leafmark.lint import Baseline

    path = call.console.directory / name
    try:
        path.write_text(Baseline.of(report.findings).dump(), encoding="utf-8")
    except OSError as error:
        raise unreadable(error, name) from error
    call.console.note(f"{len(report.findings)} findings are known in {name}\n")


def _print(call: Call, report: LintReport) -> None:
    from leafmark.render.lint import iter_findings, lint_record, sarif_record, summarise_lint

    console, output = call.console, call.values.get("output")
    if console.json:
        if output not in (None, "json"):
            raise UsageError(f"--json and -o {output} ask for different output")
        console.write_json(lint_record(report))
    elif output == "sarif":
        from importlib.metadata import version

        record = sarif_record(report, version=version("leafmark"), prefixes=_prefixes(call))
        console.write_json(record)
    else:
        for line in iter_findings(report, console.style):
            console.write(line)
        console.note(f"{summarise_lint(report)}\n")


def _prefixes(call: Call) -> dict[str, str]:
    """Return how the paths of each tree begin, from the top of the repository or the folder."""
    project = project_of(call)
    top = project.configuration.project
    found = {}
    for tree in project.trees:
        relative = os.path.relpath(tree.root, top).replace(os.sep, "/")
        found[tree.name] = "" if relative == "." else f"{relative}/"
    return found
