"""`eval`, `lint`, `diff` and `log`: the quality of searches and of documents, and changes."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from leafmark.cli.command import (
    JSON,
    Argument,
    Choice,
    Option,
    Several,
    at_least,
    command,
    declared,
)
from leafmark.cli.completion import ids, trees
from leafmark.cli.console import Call, output_of, perform, progress_line, project_of, request_of
from leafmark.cli.show_commands import read_texts
from leafmark.errors import UsageError, unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark.evaluation import EvaluationReport
    from leafmark.history import DiffReport
    from leafmark.lint import Baseline, LintReport

MAKE = "make"
MODES = ("lexical", "semantic", "hybrid")
HALVES = ("choose", "judge")
GROUPS = ("kind", "language", "tree")
MAKE_TAKES = ("limit", "kind", "tree", "json")
"""The options of `eval make`, which prints one line of JSON per query, also without `--json`."""

_OPTIONS = (
    Option(
        "--compare",
        help="Ways to search, separated by commas: a strategy, and settings after a +, "
        "as in fixed,auto,auto+relax_share=0.5; plain is BM25 and nothing else.",
        metavar="LIST",
    ),
    Option(
        "--mode",
        help="How to search, whatever the settings say; several are compared.",
        metavar="LIST",
        type=Several(MODES),
    ),
    Option("--ablate", help="Also search without each mechanism of the ranking, one by one."),
    Option(
        "-n",
        "--limit",
        help="The most results of a query (20); with make, the most drafts.",
        metavar="N",
        type=at_least(1),
    ),
    Option(
        "--kind",
        help="Only queries of this kind; with make, drafts of it: heading, definition or link.",
        metavar="KIND",
        repeat=True,
    ),
    Option(
        "-t",
        "--tree",
        help="Only queries of this tree.",
        metavar="TREE",
        repeat=True,
        complete=trees,
    ),
    Option(
        "--half",
        help="Use one half of the queries: one to choose settings by, the other to judge them by.",
        metavar="HALF",
        type=Choice(HALVES),
    ),
    Option(
        "--by",
        help="Also print a table for each value of this.",
        metavar="KEY",
        type=Choice(GROUPS),
    ),
    Option(
        "--gate",
        help="A bound such as 'rr500>=0.55' for the last way, or 'auto:rr500>=0.55'; "
        "where one fails, the exit code is 1.",
        metavar="BOUND",
        repeat=True,
    ),
    Option("--worst", help="Show what became of the N worst.", metavar="N", type=at_least(1)),
    JSON,
)


@command(
    "eval",
    examples=(
        ("leafmark eval queries.jsonl", "how well does the search do?"),
        ("leafmark eval queries.jsonl --compare fixed,heading,section,auto", "what suits best?"),
        ("leafmark eval queries.jsonl --compare plain,auto", "is the ranking worth anything?"),
        ("leafmark eval queries.jsonl --mode lexical,hybrid", "does meaning help here?"),
        ("leafmark eval queries.jsonl --worst 10", "what goes wrong, and where?"),
        ("leafmark eval queries.jsonl --gate 'rr500>=0.55'", "fail a build when it gets worse"),
        ("leafmark eval make > queries.jsonl", "draft queries to start with"),
    ),
    argument=Argument(
        "FILE",
        "Judged queries; - is JSONL from standard input; or the word make.",
        least=1,
        complete="file",
    ),
    options=_OPTIONS,
)
def _eval(call: Call) -> int:
    """Measure how well searches answer judged queries.

    Searches by the queries of a file, compares the results with what people said answers them,
    and prints how well the search did, with intervals. The file is JSONL (or TOML), a query a
    line: {"query": "restore a backup", "answers": ["docs:guide.md#restore"]}. An answer is an
    id, a citation, or a place in a document: {"path": "guide.md", "section": "Backups >
    Restore", "quote": "To restore", "until": "is done."}. An empty list says that nothing
    answers the query; "kind", "language", "tree" and "draft" are optional.

    With --compare, each way to search has an index of its own in the cache folder; the
    project's index is left alone.

    leafmark eval make prints queries drafted from headings, definitions and the texts of links,
    to start with: review them, reword them as a reader would ask, and remove the key draft.
    """
    if call.words[0] == MAKE:
        return _draft_queries(call)
    return _evaluate(call)


def _evaluate(call: Call) -> int:
    from leafmark.app.requests import EvaluationRequest
    from leafmark.evaluation import evaluate_project

    values = call.values

    request = request_of(
        call,
        EvaluationRequest,
        files=call.words,
        compare=_parse_ways(values.get("compare")),
        modes=values.get("mode", ()),
        kinds=tuple(values.get("kind", ())),
        trees=tuple(values.get("tree", ())),
        gates=tuple(values.get("gate", ())),
    )
    evaluate = partial(evaluate_project, flags=call.settings, environ=call.console.environ)
    report = perform(call, evaluate, request)
    _print(call, report)
    return 0 if all(gate.passed for gate in report.gates) else 1


def _parse_ways(text: str | None) -> tuple[str, ...]:
    """Return the ways to search in a comma-separated list; none if there is no list."""
    if text is None:
        return ()
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names:
        raise UsageError("--compare names no way to search", hint="such as fixed,section,auto")
    return names


def _print(call: Call, report: EvaluationReport) -> None:
    from leafmark.render import evaluation

    console = call.console
    for warning in report.warnings:
        console.warn(warning)
    worst = call.values.get("worst")
    places = [] if worst is None else evaluation.worst_first(report, worst)
    if console.json:
        console.write_json(evaluation.evaluation_record(report, places))
        return
    console.diagnostics(report.diagnostics)
    console.write(evaluation.render_evaluation(report, console.style))
    if places:
        console.write("\n" + evaluation.render_outcomes(report, places, console.style))


def _draft_queries(call: Call) -> int:
    from leafmark.app.requests import DraftRequest
    from leafmark.evaluation import draft_judgments, judgment_record

    _check_draft_options(call)
    console, values = call.console, call.values
    limit, trees = values.get("limit", 100), tuple(values.get("tree", ()))
    kinds = tuple(dict.fromkeys(values.get("kind", ())))
    drafts = perform(
        call,
        lambda project, request, *, progress: draft_judgments(project, request),
        DraftRequest(limit, trees, kinds),
    )
    for warning in drafts.warnings:
        console.warn(warning)
    console.diagnostics(drafts.diagnostics)
    for query in drafts.queries:
        console.write_line(judgment_record(query))
    if not drafts.queries:
        what = f"a {' or '.join(kinds)}" if kinds else "anything"
        console.note(f"no document holds {what} to draft a query from\n")
    return 0 if drafts.queries else 1


def _check_draft_options(call: Call) -> None:
    """Refuse the arguments and options that only an evaluation accepts."""
    if len(call.words) > 1:
        raise UsageError(
            f"`leafmark eval make` does not take `{call.words[1]}`",
            hint="it drafts from the project's documents; --tree limits it to one tree",
        )
    for option in _OPTIONS:
        if option.name in call.values and option.name not in MAKE_TAKES:
            raise UsageError(
                f"`leafmark eval make` does not take {option.opts[-1]}",
                hint="it only drafts queries: --limit, --kind and --tree say which",
            )


# `lint`: findings that make documents hard to find or to cite.


FORMATS = ("text", "json", "sarif")
FAILING = ("error", "warning", "note", "never")


@command(
    "lint",
    examples=(
        ("leafmark lint", "all documents"),
        ("leafmark lint guides/ README.md", "those of a folder, and a file"),
        ("leafmark lint --since origin/main -o sarif > lint.sarif", "the changes of a branch"),
        ("leafmark lint --write-baseline .leafmark-lint.json", "accept the present findings"),
        ("leafmark lint --baseline .leafmark-lint.json --fail-on warning", "and fail on new ones"),
        ("leafmark lint --eval queries.jsonl", "with the queries that fail because of a title"),
        ("leafmark lint rules", "the rules, with reasons and remedies"),
    ),
    argument=Argument(
        "PATH|rules",
        "Files and folders whose documents are checked, all of them without; links are followed "
        "from there to any document. The word `rules` lists the rules.",
        complete="file",
    ),
    options=lambda: [
        declared("search.trees", "-t", "--tree", metavar="TREE", complete=trees, in_force=False),
        Option("--rule", help="Only findings of this rule.", metavar="NAME", repeat=True),
        Option("--off", help="Without this rule.", metavar="NAME", repeat=True),
        Option("--since", help="Only documents that differ from a revision.", metavar="REV"),
        Option(
            "--eval",
            help="Judged queries, as for leafmark eval: findings that they confirm come first.",
            metavar="FILE",
            repeat=True,
            complete="file",
        ),
        Option(
            "--baseline", help="Leave out the findings in FILE.", metavar="FILE", complete="file"
        ),
        Option(
            "--write-baseline",
            help="Write the findings to FILE, as a baseline for later runs.",
            metavar="FILE",
            complete="file",
        ),
        Option(
            "--fail-on",
            help="The least severe level that gives exit code 1; warning without it.",
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
    """Find problems that make documents hard to find or to cite.

    Finds links and anchors that lead nowhere, titles that repeat or say nothing, sections
    that are far too long, empty or do not stand alone, images without words, tables without a
    header, code without a language, near duplicates, and pages that no text links to. Each rule
    has a reason and a fix: leafmark lint rules prints them.

    A comment with `leafmark-lint: off RULE` silences a rule in its section, or, before the first
    heading, in the whole document. [lint] in leafmark.toml has the levels of rules, rules that are
    off, paths to ignore, and a baseline.

    Exit code 1 means that there is a finding of the level --fail-on, or a more severe one.
    """
    from leafmark.app.linting import lint_project
    from leafmark.app.requests import LintRequest

    if call.words == ("rules",):
        from leafmark.render.evaluation import iter_rules

        for line in iter_rules(call.console.style):
            call.console.write(line)
        return 0
    values = call.values
    rules, baseline, missed = values.get("rule", ()), _read_baseline(call), _find_missed(call)
    request = request_of(
        call, LintRequest, paths=call.words, rules=rules, baseline=baseline, missed=missed
    )
    report = perform(call, lint_project, request)
    if "write_baseline" in values:
        _write_baseline(call, values["write_baseline"], report)
        return 0
    _print_findings(call, report)
    call.console.diagnostics(report.diagnostics)
    configured = project_of(call).configuration.lint.fail_on
    return 1 if report.fails(values.get("fail_on") or configured or "warning") else 0


def _read_baseline(call: Call) -> Baseline | None:
    from leafmark.lint import Baseline

    if "baseline" not in call.values:  # a new baseline file holds all findings
        return Baseline() if "write_baseline" in call.values else None
    ((name, text),) = read_texts(call, (call.values["baseline"],))
    return Baseline.parse(text, name)


def _find_missed(call: Call) -> tuple[Any, ...]:
    if "eval" not in call.values:
        return ()
    from leafmark.evaluation.run import find_missed

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


def _print_findings(call: Call, report: LintReport) -> None:
    from leafmark.render.evaluation import iter_findings, lint_record, sarif_record, summarise_lint

    console, output = call.console, output_of(call, "text")
    if output == "json":
        console.write_json(lint_record(report))
    elif output == "sarif":
        from importlib.metadata import version

        record = sarif_record(report, version=version("leafmark"), prefixes=_prefixes(call, None))
        console.write_json(record)
    else:
        for line in iter_findings(report, console.style, _prefixes(call, console.directory)):
            console.write(line)
        console.note(f"{summarise_lint(report)}\n")


def _prefixes(call: Call, folder: Path | None) -> dict[str, str]:
    """Return the prefix of each tree's paths, from a folder or (None) the project's own."""
    project = project_of(call)
    top = project.configuration.project if folder is None else folder
    prefixes = {}
    for tree in project.trees:
        relative = os.path.relpath(tree.root, top).replace(os.sep, "/")
        prefixes[tree.name] = "" if relative == "." else f"{relative}/"
    return prefixes


# `diff` and `log`: changes between two states, and of one section over time.


DIFF_FORMATS = ("text", "blocks", "json", "markdown", "html")


def _tree_option() -> Option:
    return declared("search.trees", "-t", "--tree", metavar="TREE", complete=trees, in_force=False)


@command(
    "diff",
    examples=(
        ("leafmark diff", "the working files against the last commit"),
        ("leafmark diff v2.3", "what changed since a tag"),
        ("leafmark diff 2026-01-01 HEAD -o markdown", "a release note"),
        ("leafmark diff v2.3 --cited answers.md", "which of my citations broke"),
        ("leafmark diff old/ new/ -o html > changes.html", "two folders, side by side"),
    ),
    argument=Argument(
        "[OLD [NEW]]",
        "Two revisions (tag, branch, hash, HEAD~3, a date such as 2026-01-31, or OLD..NEW), or "
        "two folders. Without NEW the working files are compared, without OLD with HEAD.",
        most=2,
    ),
    options=lambda: [
        Option(
            "--cited",
            help="A text whose citations and ids are checked, too.",
            metavar="FILE",
            repeat=True,
            complete="file",
        ),
        _tree_option(),
        Option("--no-links", help="Do not look for links that no longer lead anywhere."),
        Option(
            "-o",
            "--output",
            help="text names sections; blocks shows the text that changed, too; markdown is for "
            "release notes; html has both sides beside each other.",
            metavar="FORMAT",
            type=Choice(DIFF_FORMATS),
        ),
        JSON,
    ],
)
def _diff(call: Call) -> int:
    """Show the changes of the documents, section by section.

    Compares section trees, not lines: sections that were added, removed, moved, renamed, split,
    merged or changed, by how much and in which blocks. A section has changed only if its own
    bytes did. Then it lists the ids and anchors that no longer lead to their sections, with the
    new places of these, and the links and citations that this broke.

    Revisions are read from git's objects: nothing is checked out, and nothing of the repository
    is run.

    Exit code 1 means that a link of the documents leads nowhere now, or that a citation or id in
    a --cited text is no longer valid.
    """
    from leafmark.app.history import diff_project
    from leafmark.app.requests import DiffRequest

    old, new = (*call.words, None, None)[:2]
    texts = read_texts(call, call.values.get("cited", ()))
    request = DiffRequest(
        old, new, call.values.get("trees", ()), texts, links=not call.on("no_links")
    )
    report = perform(call, diff_project, request)
    _print_diff(call, report)
    call.console.diagnostics(report.diagnostics)
    return 1 if report.breaks_something else 0


def _print_diff(call: Call, report: DiffReport) -> None:
    from leafmark.render import changes

    console, output = call.console, output_of(call, "text")
    if output == "json":
        console.write_json(changes.changes_record(report))
        return
    if output == "markdown":
        parts = changes.iter_release_note(report)
    elif output == "html":
        from leafmark.render.changes import iter_changes_page  # late: it compares words

        parts = iter_changes_page(report)
    else:
        parts = changes.iter_changes(report, console.style, blocks=output == "blocks")
    for part in parts:
        console.write(part)
    if output not in ("markdown", "html"):
        console.note(f"{changes.summarise_changes(report)}\n")


@command(
    "log",
    examples=(
        ("leafmark log guides/backups.md#restoring-a-backup", "when a section came and changed"),
        ("leafmark log guides/backups.md --at v2.0 -n 5", "a document, from a revision on"),
        ("leafmark log guides/backups.md#restoring-a-backup --json", "for programs"),
    ),
    argument=Argument("ID", "A document or section.", least=1, most=1, complete=ids),
    options=lambda: [
        Option("--at", help="Begin at this revision.", metavar="REV", dest="begin"),
        Option("-n", "--limit", help="At most N entries.", metavar="N", type=at_least(1)),
        JSON,
    ],
)
def _log(call: Call) -> int:
    """Follow a section back through the commits that changed it.

    Lists the commits of the main line that did something to the section, newest first, across
    renamed titles and files, until it came: with its id and a citation as each left it, which
    leafmark verify --at REV confirms. Commits that touched only other sections are left out.

    Exit code 1 means that there is no such section.
    """
    from leafmark.app.history import log_section
    from leafmark.app.requests import LogRequest
    from leafmark.render.changes import iter_log, log_record

    request = LogRequest(call.words[0], call.values.get("begin"), call.values.get("limit", 50))
    log = perform(call, log_section, request)
    console = call.console
    if console.json:
        console.write_json(log_record(log))
    for part in () if console.json else iter_log(log, console.style):
        console.write(part)
    return 0 if log.entries or log.ends_at else 1
