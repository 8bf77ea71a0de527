"""Every part of a message, whole."""

from __future__ import annotations

import pytest
from support.schema import problems

from leafmark.errors import (
    AmbiguousError,
    LeafmarkError,
    LockedError,
    NotFoundError,
    QueryError,
    UsageError,
)
from leafmark.model import Diagnostic
from leafmark.render.terminal import (
    PLAIN,
    Style,
    error_record,
    render_diagnostic,
    render_error,
    render_warning,
)

OPEN_QUOTE = QueryError(
    "the query has an opening quote without a closing one",
    query='title:"getting started',
    start=6,
    end=7,
    hint='add the closing quote, or write \\" to search for the character itself',
)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OPEN_QUOTE,
            "error: the query has an opening quote without a closing one\n"
            "  --> query:7\n"
            '   | title:"getting started\n'
            "   |       ^\n"
            'hint: add the closing quote, or write \\" to search for the character itself\n',
        ),
        (
            QueryError("no such field", query="日本 titel:x", start=3, end=8),
            "error: no such field\n  --> query:4\n   | 日本 titel:x\n   |      ^^^^^\n",
        ),
        (
            QueryError("at the end", query="a OR", start=4, end=4),
            "error: at the end\n  --> query:5\n   | a OR\n   |     ^\n",
        ),
        (
            QueryError("control", query="a\x1b\nb(", start=4, end=5),
            "error: control\n  --> query:5\n   | a\\x1b\\x0ab(\n   |           ^\n",
        ),
        (
            QueryError("long", query="x" * 100 + "(" + "y" * 100, start=100, end=101),
            f"error: long\n  --> query:101\n   | …{'x' * 36}({'y' * 35}…\n   | {' ' * 37}^\n",
        ),
        (
            NotFoundError("there is no `a.md#x`", did_you_mean=("t:a.md#y", "t:a.md#z")),
            "error: there is no `a.md#x`\nhint: did you mean t:a.md#y or t:a.md#z?\n",
        ),
        (
            AmbiguousError("`a.md` is in several trees", candidates=("s:a.md", "t:a.md")),
            "error: `a.md` is in several trees\nhint: it could be s:a.md, t:a.md\n",
        ),
        (
            LockedError("another process is writing", location="/x\x1b/LOCK", hint="wait"),
            "error: another process is writing\n  --> /x\\x1b/LOCK\nhint: wait\n",
        ),
        (UsageError("first\nsecond \x07"), "error: first\n  second \\x07\n"),
    ],
)
def test_an_error_says_what_where_and_what_to_do(error: LeafmarkError, message: str) -> None:
    assert render_error(error, PLAIN) == message


def test_the_fault_may_be_longer_than_the_excerpt() -> None:
    error = QueryError("deep", query="(" * 500, start=40, end=500)
    lines = render_error(error, PLAIN).splitlines()
    assert lines[2] == f"   | …{'(' * 72}…"
    assert lines[3] == f"   | {' ' * 37}{'^' * 36}"


def test_colour_does_not_change_the_words() -> None:
    text = render_error(OPEN_QUOTE, Style(color=True))
    for code in ("1;31", "36", "2", "0"):
        text = text.replace(f"\x1b[{code}m", "")
    assert text == render_error(OPEN_QUOTE, PLAIN)


@pytest.mark.parametrize(
    "error",
    [
        OPEN_QUOTE,
        NotFoundError("x", did_you_mean=("y",)),
        AmbiguousError("x", candidates=("y", "z")),
        LockedError("x"),
    ],
)
def test_errors_as_json_are_the_published_shape(error: LeafmarkError) -> None:
    assert problems(error_record(error), "error") == []


def test_json_has_the_parts_of_the_message() -> None:
    assert error_record(OPEN_QUOTE) == {
        "schema_version": 1,
        "error": {
            "kind": "query",
            "message": "the query has an opening quote without a closing one",
            "location": "query:7",
            "hint": 'add the closing quote, or write \\" to search for the character itself',
            "query": 'title:"getting started',
            "start": 6,
            "end": 7,
        },
    }


def test_diagnostics_and_warnings() -> None:
    assert render_diagnostic(Diagnostic("a\x1b.md", "bad-utf8", "2 bad bytes", 3), PLAIN) == (
        "warning: 2 bad bytes\n  --> a\\x1b.md:3\n"
    )
    assert render_warning("careful", PLAIN) == "warning: careful\n"
