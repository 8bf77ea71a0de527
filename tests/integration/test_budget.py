"""`--max-tokens`, counted on what the installed command writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command import Leafmark
from support.forms import tokens
from support.schema import problems


@pytest.mark.parametrize("form", ["pretty", "full", "json"])
def test_search_stays_within_its_budget(leafmark: Leafmark, handbook: Path, form: str) -> None:
    words = ("search", "how do I restore a backup?", "-o", form)
    ran = leafmark(*words, "--max-tokens", "3", cwd=handbook)
    error = ran.json["error"] if form in ("json", "jsonl") else None
    least = (error["hint"] if error else ran.err.partition("hint: ")[2]).split()[1]
    assert (ran.code, least.isdecimal()) == (2, True)
    ran = leafmark(*words, "--max-tokens", least, cwd=handbook)
    assert ran.code == 0, ran.err
    assert tokens(ran.out) == int(least)


def test_the_error_names_the_least_budget(leafmark: Leafmark, handbook: Path) -> None:
    ran = leafmark("search", "restore", "--max-tokens", "3", cwd=handbook)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: the answer does not fit into 3 tokens\n"
        f"hint: --max-tokens {ran.err.split()[-6]} is the least for it\n"
    )


def test_packed_json_is_the_published_shape(leafmark: Leafmark, handbook: Path) -> None:
    words = ("search", "how do I restore a backup?", "--max-tokens")
    ran = leafmark(*words, "330", "--json", cwd=handbook)
    assert problems(ran.json, "packed_search") == []
    assert "omitted" in ran.json
    *lines, last = leafmark(*words, "250", "-o", "jsonl", cwd=handbook).out.splitlines()
    assert all(problems(json.loads(line), "packed_result") == [] for line in lines)
    assert problems(json.loads(last), "packed_rest") == []
    ran = leafmark(
        "show", "README.md", "guides/backups.md", "--json", "--max-tokens", "300", cwd=handbook
    )
    assert problems(ran.json, "packed_show") == []
    assert tokens(ran.out) <= 300


def test_show_stays_within_its_budget(leafmark: Leafmark, handbook: Path) -> None:
    ids = ("guides/backups.md", "README.md#words", "guides/access.md.5")
    whole = leafmark("show", *ids, cwd=handbook).out
    outputs = []
    for budget in (150, 5000):
        ran = leafmark("show", *ids, "--max-tokens", str(budget), cwd=handbook)
        assert ran.code == 0, ran.err
        assert tokens(ran.out) <= budget
        outputs.append(ran.out)
    assert outputs[1] == whole
    assert "tokens left out: handbook:guides/backups.md" in outputs[0]


def test_an_outline_stays_within_its_budget(leafmark: Leafmark, handbook: Path) -> None:
    words = ("show", "guides/backups.md", "README.md", "--outline")
    whole = leafmark(*words, cwd=handbook).out
    before: set[str] = set()
    for budget in (60, 100, 140, 180, 2000):
        ran = leafmark(*words, "--max-tokens", str(budget), cwd=handbook)
        assert (ran.code, tokens(ran.out) <= budget) == (0, True), ran.err
        lines = {line for line in ran.out.splitlines() if not line.startswith("[")}
        assert before <= lines <= set(whole.splitlines())
        assert ("left out" in ran.out) is (ran.out != whole)
        before = lines
    assert ran.out == whole
    ran = leafmark(*words, "--json", "--max-tokens", "300", cwd=handbook)
    assert problems(ran.json, "packed_show") == []
    assert tokens(ran.out) <= 300
    assert [len(one["children"]) > 0 for one in ran.json["results"]] == [True, False]


def test_omissions_of_a_program_s_form_are_told_on_standard_error(
    leafmark: Leafmark, handbook: Path
) -> None:
    words = ("search", "how do I restore a backup?", "-o", "files")
    ran = leafmark(*words, "--max-tokens", "12", cwd=handbook)
    assert "left out" not in ran.out
    assert "more left out" in ran.err
