"""`leafmark chunk` as it is installed: pipes, processes, large input, the founding scenarios."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.command import Leafmark

COMMAND = [sys.executable, "-m", "leafmark", "chunk"]
RULES = """# Critical Rules

- Never push to main.
- Always run the tests.

"""


@pytest.fixture
def large(work: Path) -> Path:
    """Enough for several processes: 150 files, 3.4 MB."""
    page = "".join(
        f"## Section {k}\n\n{'Some words of a sentence that goes on, ' * 28}\n\n" for k in range(20)
    )
    for k in range(150):
        target = work / f"{k % 10}" / f"page-{k}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"# Page {k}\n\n{page}")
    return work


@pytest.mark.parametrize("words", [["."], ["page.md", "out.txt"], ["-v", "."]])
def test_the_file_that_the_output_goes_to_is_no_source(work: Path, words: list[str]) -> None:
    (work / "page.md").write_text("# Page\n\nSome words.\n")
    (work / "out.txt").write_text("what was there before\n")

    with (work / "out.txt").open("wb") as out:
        done = subprocess.run(
            [*COMMAND, *words], stdout=out, stderr=subprocess.PIPE, cwd=work, check=False
        )

    assert done.returncode == 0
    assert "out.txt" not in (work / "out.txt").read_text()
    told = b"" if words == ["."] else b"skipped out.txt: the output goes there\n"
    assert done.stderr == told


@pytest.mark.slow
def test_a_large_folder_gives_the_same_every_time(fresh_leafmark: Leafmark, large: Path) -> None:
    first = fresh_leafmark("chunk", ".", "--jsonl")
    assert (first.code, first.err) == (0, "")
    records = [json.loads(line) for line in first.out.splitlines()]
    paths = list(dict.fromkeys(record["path"] for record in records))
    assert len(paths) == 150
    assert len(records) == 150 * len([one for one in records if one["path"] == paths[0]])
    assert paths == sorted(paths)
    assert fresh_leafmark("chunk", ".", "--jsonl").out == first.out


def test_a_closed_pipe_is_quiet(large: Path, environment: dict[str, str]) -> None:
    running = subprocess.Popen(
        [*COMMAND, ".", "--jsonl"],
        cwd=large,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline().startswith(b'{"id"')
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait(30) == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_run_says_so_and_leaves_no_process(
    large: Path, environment: dict[str, str]
) -> None:
    running = subprocess.Popen(
        [*COMMAND, ".", "--jsonl"],
        cwd=large,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline()  # and now it waits for somebody to read on
    running.send_signal(signal.SIGINT)
    running.stdout.read()
    assert running.stderr.read() == b"interrupted\n"
    assert running.wait(30) == 130
    running.stdout.close()
    running.stderr.close()
    for _ in range(200):
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("a process of the run is still there")


def test_standard_input_and_output(leafmark: Leafmark) -> None:
    ran = leafmark("chunk", "-", "--jsonl", stdin="# Größe\n\ntext\n")
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [
        "work:stdin.md",
        "work:stdin.md#größe",
    ]


def test_rules_are_one_section_with_its_path(leafmark: Leafmark, work: Path) -> None:
    """Founding document 003: chunks align with sections, and the path tells where they are."""
    more = "".join(f"# Part {k}\n\n{'More to be said about it. ' * 90}\n\n" for k in range(4))
    (work / "CLAUDE.md").write_text(f"Read all of this.\n\n{RULES}{more}")
    out = leafmark("chunk", "CLAUDE.md", "--jsonl", "--preset", "rag").out
    records = {record["id"]: record for record in map(json.loads, out.splitlines())}
    rules = records["work:CLAUDE.md#critical-rules"]
    assert rules["section_path"] == ["Critical Rules"]
    assert rules["body"] == RULES.partition("\n")[2]
    assert rules["is_complete_section"]


def test_no_code_block_of_a_document_full_of_code_is_split(leafmark: Leafmark, work: Path) -> None:
    blocks = ["```py\n" + f"call_{k}(value)\n" * (20 + k * 3) + "```\n" for k in range(40)]
    parts = [f"## Step {k}\n\nDo this.\n\n{block}\n" for k, block in enumerate(blocks)]
    (work / "code.md").write_text("# Code\n\n" + "".join(parts))
    for strategy in ("auto", "section"):
        out = leafmark("chunk", "code.md", "--jsonl", "-s", strategy).out
        records = [json.loads(line) for line in out.splitlines()]
        for k, block in enumerate(blocks):
            (holder,) = [record for record in records if block in record["body"]]
            titles = [*holder["section_path"], *holder["covers"]]
            assert any(f"step-{k}" in title.lower().replace(" ", "-") for title in titles)


def test_the_page_is_one_file(fresh_leafmark: Leafmark, handbook: Path) -> None:
    ran = fresh_leafmark("chunk", "guides", "-o", "html", cwd=handbook)
    assert ran.code == 0
    assert ran.out.startswith("<!DOCTYPE html>")
    assert ran.out.endswith("</html>\n")
    assert ran.out.count("<article>") == 4
    assert fresh_leafmark("chunk", "guides", "-o", "html", cwd=handbook).out == ran.out
