"""`leafmark verify`: what it asks for, prints, and ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fake_app import FakeApp, Leafmark
from support.schema import problems

from leafmark.app.requests import VerifyRequest
from leafmark.model import Place, Verified, VerifyReport

ONE, TWO = "docs:a.md#b@0123456789ab:3-9", "docs:c.md#b@0123456789ab:13-19"
OK = Verified(ONE, "ok", 1, 2, Place("docs:a.md#b", 3, 9, 2, 2), ONE)
MOVED = Verified(ONE, "moved", 4, 7, Place("docs:c.md#b", 13, 19, 5, 6), TWO)
CHANGED = Verified(ONE, "changed", 5, 1, None, "docs:a.md#b@ffffffffffff:3-11")
GONE = Verified("docs:x.md@0123456789ab:0-9", "gone", 6, 1, nearest=("docs:y.md", "docs:z.md"))


def test_it_asks_for_the_texts(leafmark_run: Leafmark, app: FakeApp, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one \xff\n")
    leafmark_run("-C", str(tmp_path), "verify", "a.txt", "-", "--no-refresh", stdin="two\n")
    texts = (("a.txt", "one \ufffd\n"), ("-", "two\n"))
    assert app.asked == [VerifyRequest(texts, refresh=False)]
    ran = leafmark_run("verify", "")
    assert (ran.code, ran.err) == (2, "error: the file has no name\n")
    for command in ("verify", "search", "show", "context"):
        ran = leafmark_run(command, "-", "-", stdin="two\n")
        assert ran.code == 2
        assert ran.err.startswith("error: standard input can be read only once\n")


def test_a_citation_may_be_given_itself(
    leafmark_run: Leafmark, app: FakeApp, tmp_path: Path
) -> None:
    (tmp_path / TWO).write_text(f"a file of that name: {ONE}")
    leafmark_run("-C", str(tmp_path), "verify", ONE, TWO)
    assert app.asked[0].texts == (("argument", ONE), (TWO, f"a file of that name: {ONE}"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_may_be_utf_16(
    leafmark_run: Leafmark, app: FakeApp, tmp_path: Path, encoding: str
) -> None:
    """As some shells write it where output is redirected."""
    (tmp_path / "a.txt").write_bytes(f"\ufeff[{ONE}] für".encode(encoding))
    leafmark_run("-C", str(tmp_path), "verify", "a.txt")
    assert app.asked[0].texts == (("a.txt", f"[{ONE}] für"),)


def test_what_does_not_hold_is_printed_and_is_1(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.verified = (VerifyReport("-", (OK, MOVED, CHANGED, GONE)),)
    ran = leafmark_run("verify", "-")
    assert ran.code == 1
    assert ran.out == (
        f"-:4:7: moved   {ONE}\n"
        f"  now {TWO} (lines 5–6)\n"
        f"-:5:1: changed {ONE}\n"
        "  now there: docs:a.md#b@ffffffffffff:3-11\n"
        "-:6:1: gone    docs:x.md@0123456789ab:0-9\n"
        "  the nearest: docs:y.md, docs:z.md\n"
    )
    assert ran.err == "4 citations: 1 ok, 1 moved, 1 changed, 1 gone\n"


def test_what_holds_is_0_and_listed_when_asked_for(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.verified = (VerifyReport("-", (OK,)),)
    ran = leafmark_run("verify", "-")
    assert (ran.code, ran.out, ran.err) == (0, "", "1 citation: 1 ok\n")
    assert leafmark_run("verify", "-", "-v").out == f"-:1:2: ok      {ONE}\n"


def test_no_citation_is_1(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.verified = (VerifyReport("-"),)
    ran = leafmark_run("verify", "-")
    assert (ran.code, ran.out, ran.err) == (1, "", "there is no citation in it\n")
    assert leafmark_run("verify", "-", "--json").json["ok"] is False


def test_json_is_as_published(leafmark_run: Leafmark, app: FakeApp) -> None:
    app.verified = (VerifyReport("-", (OK, MOVED)), VerifyReport("b", (CHANGED, GONE)))
    ran = leafmark_run("verify", "-", "--json")
    assert (ran.code, problems(ran.json, "verify")) == (1, [])
    assert ran.json["counts"] == {"ok": 1, "moved": 1, "changed": 1, "gone": 1}
    assert [one["file"] for one in ran.json["citations"]] == ["-", "-", "b", "b"]
    assert ran.json["citations"][1] == {
        "file": "-",
        "line": 4,
        "column": 7,
        "citation": ONE,
        "status": "moved",
        "current": TWO,
        "id": "docs:c.md#b",
        "byte_start": 13,
        "byte_end": 19,
        "line_start": 5,
        "line_end": 6,
        "did_you_mean": [],
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.md", "error: there is no such file\n  --> none.md\n"),
        (".", "error: the file cannot be read: is a directory\n  --> .\n"),
        ("a\0b", "error: the file cannot be read: embedded null byte\n  --> a\\x00b\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_2(
    leafmark_run: Leafmark, name: str, message: str, tmp_path: Path
) -> None:
    ran = leafmark_run("-C", str(tmp_path), "verify", name)
    assert (ran.code, ran.out, ran.err) == (2, "", message)
