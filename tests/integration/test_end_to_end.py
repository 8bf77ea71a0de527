"""A folder of Markdown, indexed, searched and shown by the installed command."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command import Leafmark

GUIDE = """---
title: Guide
---
Preamble.
# Guide

### Setup
text a
## Empty
# Usage
Setup
-----
long text
## Setup
x
"""


def test_search_needs_no_configuration(leafmark: Leafmark, handbook: Path) -> None:
    ran = leafmark("search", "restoring", "-o", "list", "--no-aggregation", cwd=handbook)
    assert ran.code == 0
    assert "handbook:guides/backups.md#restoring-a-backup" in ran.out


def test_a_question_finds_the_section_that_answers(leafmark: Leafmark, handbook: Path) -> None:
    question = "how do I configure retries for the client?"
    ran = leafmark("search", question, "--json", "--no-aggregation", cwd=handbook)
    assert ran.code == 0
    ids = [result["id"] for result in ran.json["results"][:2]]
    assert "handbook:guides/troubleshooting.md#the-client-retries-forever" in ids


def test_a_query_about_nothing_finds_nothing(leafmark: Leafmark, handbook: Path) -> None:
    ran = leafmark("search", "quantum chromodynamics lagrangian", "--json", cwd=handbook)
    assert ran.code == 1
    assert ran.json["results"] == []


def test_strict_requires_every_word(leafmark: Leafmark, handbook: Path) -> None:
    question = "restore a backup zebra"
    assert leafmark("search", question, "--json", cwd=handbook).json["results"]
    ran = leafmark("search", question, "--strict", "--json", cwd=handbook)
    assert (ran.code, ran.json["results"]) == (1, [])


def test_ids_of_the_worked_example_can_be_shown(leafmark: Leafmark, work: Path) -> None:
    (work / "p.md").write_text(GUIDE)
    ran = leafmark("show", "p.md.1", "p.md#empty", "p.md#setup-1", "--json")
    assert ran.code == 0, ran.err
    shown = ran.json["results"]
    assert [one["id"] for one in shown] == [
        "work:p.md#guide",
        "work:p.md#guide",
        "work:p.md#setup-1",
    ]
    assert shown[0]["ordinal_id"] == "work:p.md.1"
    assert (shown[0]["line_start"], shown[0]["line_end"]) == (5, 9)
    assert shown[0]["body"] == "\n## Empty\n"
    assert shown[0]["sibling_count"] == 2
    assert shown[2]["full_text"] == "Setup\n-----\nlong text\n"
    assert shown[2]["breadcrumb"] == "> Guide › Usage › Setup"


def test_an_unknown_id_names_the_nearest(leafmark: Leafmark, handbook: Path) -> None:
    ran = leafmark("show", "handbook:guides/backups.md#restoring-a-bakup", "--json", cwd=handbook)
    assert ran.code == 1
    (missing,) = ran.json["not_found"]
    assert "handbook:guides/backups.md#restoring-a-backup" in missing["did_you_mean"]


def test_results_carry_ranges_that_hold_the_word(leafmark: Leafmark, handbook: Path) -> None:
    ran = leafmark("search", "snapshots", "--json", "--no-aggregation", cwd=handbook)
    assert ran.code == 0
    for result in ran.json["results"]:
        body = result["body"].encode()
        for start, end in result["match_ranges"]:
            assert body[start:end].decode().lower().startswith("snapshot")


def test_citation_hashes_what_stands_at_its_offsets(leafmark: Leafmark, handbook: Path) -> None:
    result = leafmark("search", "retries", "--json", cwd=handbook).json["results"][0]
    name, _, place = result["citation"].rpartition("@")
    digest, _, extent = place.partition(":")
    start, _, end = extent.partition("-")
    data = (handbook / result["path"]).read_bytes()[int(start) : int(end)]
    assert hashlib.sha256(data).hexdigest()[:12] == digest
    assert name == result["id"]


def _answers(ran: Any) -> list[tuple[str, float]]:
    return [(result["id"], round(result["score"], 3)) for result in ran.json["results"]]


@pytest.mark.slow
def test_after_edits_the_index_answers_as_a_fresh_one(
    leafmark: Leafmark, handbook: Path, tmp_path: Path
) -> None:
    queries = ["backup", "token", "retry pause", "share", "how do I reset a password?"]
    leafmark("index", cwd=handbook)
    (handbook / "guides" / "backups.md").rename(handbook / "guides" / "saving.md")
    (handbook / "guides" / "access.md").unlink()
    (handbook / "new.md").write_text("# Token rotation\n\nRotate every token yearly.\n")
    settings = handbook / "reference" / "settings.md"
    settings.write_text(settings.read_text().replace("The client waits", "The client sleeps"))
    grown = [_answers(leafmark("search", q, "--json", cwd=handbook)) for q in queries]
    leafmark("index", "--rebuild", cwd=handbook)
    fresh = [_answers(leafmark("search", q, "--json", cwd=handbook)) for q in queries]
    assert [[i for i, _ in a] for a in grown] == [[i for i, _ in a] for a in fresh]


def test_a_second_run_does_nothing_and_says_so(leafmark: Leafmark, handbook: Path) -> None:
    first = leafmark("index", "--json", cwd=handbook).json
    assert (first["documents"], len(first["added"])) == (8, 8)
    second = leafmark("index", "--json", cwd=handbook).json
    assert second["unchanged"] == 8
    assert (second["added"], second["modified"], second["removed"]) == ([], [], [])


def test_a_changed_file_with_its_old_time_is_seen(leafmark: Leafmark, work: Path) -> None:
    page = work / "a.md"
    page.write_text("# A\n\napple\n")
    os.utime(page, ns=(10**18, 10**18))
    assert leafmark("search", "apple").code == 0
    page.write_text("# A\n\npears\n")
    os.utime(page, ns=(10**18, 10**18))
    assert leafmark("search", "pears").code == 0
    assert leafmark("search", "apple").code == 1


def test_stale_text_is_never_shown(leafmark: Leafmark, work: Path) -> None:
    page = work / "a.md"
    page.write_text("# A\n\napple tree\n")
    leafmark("index")
    page.write_text("# B\n\nno fruit here at all\n")
    ran = leafmark("search", "apple", "--no-refresh", "--json")
    (result,) = ran.json["results"]
    assert result["stale"] is True
    assert result["body"] is None
    assert result["snippet"] is None
    assert result["text"] is None
    assert result["citation"] is None


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["search", 'title:"open'], "quote"),
        (["search", "titel:x"], "titel"),
        (["show", "nothing.md"], "nothing.md"),
        (["-C", "missing-folder", "search", "x"], "missing-folder"),
        (["serach", "x"], "search"),
        (["search", "x", "--frobnicate"], "--frobnicate"),
    ],
)
def test_mistakes_get_one_clear_message(
    leafmark: Leafmark, work: Path, args: list[str], message: str
) -> None:
    (work / "a.md").write_text("# A\n\nb\n")
    ran = leafmark(*args)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert message in ran.err


def test_a_named_secret_is_refused_and_said_to_be(leafmark: Leafmark, work: Path) -> None:
    (work / ".env").write_text("TOKEN=1\n")
    (work / "a.md").write_text("# A\n\nb\n")
    ran = leafmark("index", ".env")
    assert ran.err == "skipped .env: secret\n"
    assert leafmark("search", "TOKEN").code == 1


def test_interrupt_ends_with_130_and_loses_nothing(
    work: Path, environment: dict[str, str], leafmark: Leafmark
) -> None:
    import signal
    import subprocess
    import sys

    for number in range(400):
        (work / f"{number}.md").write_text(f"# Page {number}\n\n" + "some words here\n" * 300)
    code = (
        "import os, signal, sys\n"
        "from leafmark.app.indexing import preparing\n"
        "real, calls = preparing.parse_source, []\n"
        "def parse(*given, **options):\n"
        "    calls.append(given)\n"
        "    if len(calls) == 20:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(*given, **options)\n"
        "preparing.parse_source = parse\n"
        "from leafmark.__main__ import program\n"
        "sys.argv = ['leafmark', 'index']\n"
        "program()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=work, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 128 + signal.SIGINT
    assert "interrupted: the work so far is kept, and the next run continues\n" in done.stderr
    assert leafmark("index", "--json").json["documents"] == 400


def test_a_missing_tree_is_named_when_nothing_is_found(leafmark: Leafmark, work: Path) -> None:
    (work / "leafmark.toml").write_text('[tree.docs]\npath = "nowhere"\n')
    ran = leafmark("search", "hello")
    assert ran.code == 1
    assert f"hint: the folder of tree 'docs' is missing: {work / 'nowhere'}\n" in ran.err


def test_a_missing_folder_is_a_mistake_and_not_an_empty_answer(leafmark: Leafmark) -> None:
    assert leafmark("-C", "nowhere", "search", "x").code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_an_output_that_is_full_is_told_once(
    leafmark: Leafmark, handbook: Path, environment: dict[str, str]
) -> None:
    leafmark("index", cwd=handbook)
    told = "error: the output could not be written: no space left on device\n"
    for words in (["search", "backup"], ["search", "backup", "--json"], ["--version"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "leafmark", *words],
                cwd=handbook,
                env=environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (2, f"{told}  --> standard output\n")


@pytest.mark.skipif(sys.platform != "linux", reason="names are text on other systems")
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_before_null_bytes_can_be_opened(
    work: Path, environment: dict[str, str], encoding: str
) -> None:
    names = [b"bad\xff.md", "\u00fcber\u20ac.md".encode(), b"two\nlines.md"]
    for number, name in enumerate(names):
        (work / os.fsdecode(name)).write_text(f"# Walrus {number}\n")
    ran = subprocess.run(
        [sys.executable, "-m", "leafmark", "search", "walrus", "-o", "files", "-0"],
        cwd=work,
        env={**environment, "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert sorted(ran.stdout.split(b"\0")) == [b"", *sorted(names)]
