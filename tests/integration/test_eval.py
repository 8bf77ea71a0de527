"""Drafts judged by the installed command, from a folder to the gate."""

from __future__ import annotations

from pathlib import Path

from support.command import Leafmark


def test_drafts_are_judged_and_a_gate_decides(leafmark: Leafmark, handbook: Path) -> None:
    drafts = leafmark("eval", "make", cwd=handbook)
    assert drafts.code == 0
    count = len(drafts.out.splitlines())
    assert count > 10
    (handbook / "q.jsonl").write_text(drafts.out, encoding="utf-8")
    arguments = ("eval", "q.jsonl", "--compare", "fixed,auto", "--worst", "3")
    ran = leafmark(*arguments, "--gate", "overlap-mrr@10>=0.7", cwd=handbook)
    assert ran.code == 0, ran.out
    assert f"{count} of the queries are drafts that nobody has looked at\n" in ran.out
    again = leafmark(*arguments, "--gate", "overlap-mrr@10>=0.7", cwd=handbook)
    assert again.out == ran.out
    failed = leafmark(*arguments, "--gate", "overlap-mrr@10>1", cwd=handbook)
    assert failed.code == 1


def test_a_reference_that_leads_nowhere_ends_the_evaluation(
    leafmark: Leafmark, handbook: Path
) -> None:
    queries = '{"query": "x", "answers": ["handbook:gone.md"]}\n'
    ran = leafmark("eval", "-", cwd=handbook, stdin=queries)
    assert ran.code == 2
    assert ran.err == (
        "error: 1 reference does not lead to one place:\n"
        "    -:1: there is no document handbook:gone.md\n"
        "  --> -\n"
    )


def test_a_word_with_a_colon_does_not_end_the_evaluation(
    leafmark: Leafmark, handbook: Path
) -> None:
    queries = '{"query": "run harbor:backup", "answers": ["handbook:guides/backups.md"]}\n'
    ran = leafmark("eval", "-", cwd=handbook, stdin=queries)
    assert (ran.code, ran.err) == (0, "")
