"""`leafmark context` and `leafmark like`: what they ask for and print."""

from __future__ import annotations

from support.answers import mixed_answer
from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.app.requests import ContextRequest, LikeRequest, SearchRequest
from leafmark.model import Answer, Hint, KeyTerm

TERMS = (
    KeyTerm("sessions", 12.5, 5.0, 3, ("path", "body")),
    KeyTerm("日本", 2.0, 1.0, 1, ("body",)),
)


def test_context_asks_for_what_was_written(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("context", "a.py", "b.py", "-n", "3", "-t", "docs", "--no-refresh")
    leafmark_run("context", "-", "c.py", "--json", stdin="a.py\n\nb c.py\n")
    assert app.asked == [
        ContextRequest(
            ("a.py", "b.py"), SearchRequest((), limit=3, trees=("docs",), refresh=False)
        ),
        ContextRequest(
            ("a.py", "b c.py", "c.py"),
            SearchRequest((), full_records=True),
            lenient=True,
        ),
    ]


def test_like_asks_for_what_was_written(leafmark_run: Leafmark, app: FakeApp) -> None:
    leafmark_run("like", "a.md#b", "-o", "full", "--explain")
    assert app.asked == [LikeRequest("a.md#b", SearchRequest((), full_text=True, explain=True))]


def test_an_empty_list_is_a_mistake(leafmark_run: Leafmark) -> None:
    ran = leafmark_run("context", "-", stdin="\n")
    assert (ran.code, ran.err) == (2, "error: there is no file on standard input\n")
    ran = leafmark_run("context", "")
    assert (ran.code, ran.err) == (2, "error: the file has no name\n")


def test_results_are_printed_as_those_of_a_search(leafmark_run: Leafmark, app: FakeApp) -> None:
    assert leafmark_run("like", "a").out == leafmark_run("search", "a").out
    app.answer = mixed_answer()._replace(terms=TERMS)
    record = leafmark_run("context", "a.py", "--json").json
    assert problems(record, "search") == []
    assert [term["word"] for term in record["terms"]] == ["sessions", "日本"]
    explained = leafmark_run("context", "a.py", "--explain").out
    assert "   12.50  sessions  5.00 × 2.50 (in 3 chunks)  path, body\n" in explained
    assert "    2.00  日本      1.00 × 2.00 (in 1 chunk)  body\n" in explained


def test_no_terms_and_no_results_are_1(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.answer = Answer("", "lexical", (), hints=(Hint("no-terms", "no word"),))
    assert leafmark_run("context", "a.py").code == 1
