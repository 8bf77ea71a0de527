from __future__ import annotations

import pytest
from support.schema import problems

from leafmark.errors import StorageError
from leafmark.model import Diagnostic, IndexReport, Skipped
from leafmark.render.reports import index_record, render_index
from leafmark.render.terminal import PLAIN

REPORT = IndexReport(
    added=("docs:a.md",),
    modified=("docs:b.md", "docs:\x1b.md"),
    removed=("docs:c.md",),
    unchanged=4,
    skipped=(Skipped("big.md", "over 52,428,800 bytes"),),
    diagnostics=(Diagnostic("b.md", "bad-utf8", "2 bytes are not UTF-8", 7),),
    documents=7,
    chunks=1234,
    seconds=0.51234,
    rebuilt="the settings changed",
)

SUMMARY = (
    "rebuilt: the settings changed\n"
    "indexed 7 documents, 1,234 chunks in 0.5 s\n"
    "  1 added, 2 modified, 1 removed, 4 unchanged, 1 skipped, 1 diagnostic\n"
)


def test_the_summary_counts() -> None:
    assert render_index(REPORT, PLAIN) == SUMMARY


def test_verbose_names_what_was_touched() -> None:
    assert render_index(REPORT, PLAIN, verbose=True) == (
        "  + docs:a.md\n"
        "  ~ docs:b.md\n"
        "  ~ docs:\\x1b.md\n"
        "  - docs:c.md\n"
        "  big.md: skipped, over 52,428,800 bytes\n" + SUMMARY
    )


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            IndexReport(unchanged=1, documents=1, chunks=1),
            "indexed 1 document, 1 chunk in 0.0 s\n  0 added, 0 modified, 0 removed, 1 unchanged\n",
        ),
        (
            IndexReport(dry_run=True),
            "nothing was changed; a run would see\n  0 added, 0 modified, 0 removed, 0 unchanged\n",
        ),
    ],
)
def test_small_reports(report: IndexReport, text: str) -> None:
    assert render_index(report, PLAIN) == text


def test_json_is_the_published_shape() -> None:
    record = index_record(REPORT)
    assert problems(record, "index") == []
    assert record["diagnostics"] == [
        {"path": "b.md", "line": 7, "code": "bad-utf8", "message": "2 bytes are not UTF-8"}
    ]
    assert record["seconds"] == 0.512


def test_a_failure_beside_the_report_is_told_as_errors_are() -> None:
    error = StorageError("cannot write the vectors: file exists", location="/x/vectors")
    record = index_record(REPORT._replace(failure=error))
    assert problems(record, "index") == []
    assert record["failure"] == {
        "kind": "io",
        "message": "cannot write the vectors: file exists",
        "location": "/x/vectors",
        "hint": None,
    }
    assert index_record(REPORT)["failure"] is None


def test_undecodable_paths_are_percent_encoded() -> None:
    path = "caf\udce9.md"
    report = IndexReport(
        skipped=(Skipped(path, "binary"),), diagnostics=(Diagnostic(path, "unreadable", "broken"),)
    )
    record = index_record(report)
    assert [record[key][0]["path"] for key in ("skipped", "diagnostics")] == ["caf%E9.md"] * 2
