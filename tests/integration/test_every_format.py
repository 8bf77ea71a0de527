"""A folder of every format and of hostile files: one run, and every good file is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command import Leafmark
from support.hostile import HOSTILE
from support.notebooks import make_notebook

GOOD: dict[str, tuple[bytes, str]] = {
    "guide.md": (b"# Guide\n\n## Alpha\n\nThe zebra of Markdown.\n", "#alpha"),
    "page.html": (b'<h1>P</h1><h2 id="Beta">B</h2><p>The zebra of HTML.</p>', "#Beta"),
    "notes.txt": (b"The zebra of plain text.\n", ""),
    "book.ipynb": (
        make_notebook(("markdown", "# Nb\n\n## Délta\n\nThe zebra of notebooks: é.")),
        "#délta",
    ),
    "manual.rst": (
        b".. _Epsilon:\n\nManual\n======\n\nThe zebra of restructured text.\n",
        "#epsilon",
    ),
    "book.adoc": (b"= Book\n\n[[zeta]]\n== Z\n\nThe zebra of asciidoc.\n", "#zeta"),
    "guide.rdoc": (b"= Guide\n\n== Eta +code+\n\nThe zebra of RDoc.\n", "#eta-code"),
    "notes.org": (
        b"* TODO Notes :tag:\n:PROPERTIES:\n:CUSTOM_ID: Theta\n:END:\nThe zebra of Org.\n",
        "#Theta",
    ),
    "Lamp.pm": (
        b"package Lamp;\n\n=head1 NAME\n\nLamp\n\n=head1 Iota C<code>\n\nThe zebra of POD.\n",
        "#iota-code",
    ),
    "lamp.1": (
        b".TH LAMP 1\n.SH NAME\nlamp \\- a light\n.SH KAPPA\nThe \\fBzebra\\fR of roff.\n",
        "#kappa",
    ),
    "tool.info": (
        b"This is tool.info.\n\x1f\nFile: tool.info,  Node: Top,  Up: (dir)\n\nTool\n****\n\n"
        b"* Menu:\n\n* Lambda node::\n\n\0\b[index\0\b]\n* zebra: Lambda node.  (line 6)\n\n"
        b"\x1f\nFile: tool.info,  Node: Lambda node,  Up: Top\n\n1 Lamb\n******\n\n"
        b"The zebra of Info.\n\n\x1f\nTag Table:\nNode: Top\x7f19\n\x1f\nEnd Tag Table\n",
        "#Lambda-node",
    ),
    "mark.md": ("\ufeff# Mark\n\nThe zebra of marks.\n".encode(), "#mark"),
    "wide.md": ("# Wide\n\nThe zebra of sixteen bits.\n".encode("utf-16"), "#wide"),
    "wider.txt": ("The zebra of thirtytwo bits.\n".encode("utf-32"), ""),
    "latin.md": (
        "# Grüße\n\nÄpfel, Öl und schöne Bücher für den Süden: zebra of latin.\n".encode("cp1252"),
        "#grüße",
    ),
    "ends.md": (b"# Ends\r\n\r## Mixed\r\rThe zebra of line ends.\n", "#mixed"),
}
BAD = {
    "bad.md": (b"# Bad\n\n\xc3\xa4\xc3\xb6\xc3\xbc \xff byte\n", "bad-utf8"),
    "bad.ipynb": (b'{"cells": [\n', "degraded"),
    "front.md": (b"---\na: [\n---\n\ntext\n", "front-matter"),
    "many.rst": (b"`a " * 500_001, "degraded"),
    "deep.ipynb": (b"[" * 100_000, "degraded"),
    "latin.md": (GOOD["latin.md"][0], "encoding"),
}
LIMIT_MB = 400
"""Resident memory of a run, all processes; what is bounded is bounded far below it."""


@pytest.fixture
def folder(work: Path) -> Path:
    for name, (data, _) in GOOD.items():
        (work / name).write_bytes(data)
    for name, (data, _) in BAD.items():
        (work / name).write_bytes(data)
    (work / "nul.bin").write_bytes(b"\0\1\2" * 100)
    (work / "hostile").mkdir()
    for number, ((suffix, _), make) in enumerate(HOSTILE.items()):
        (work / "hostile" / f"{number}.{suffix}").write_bytes(make(1000))
    return work


def test_one_run_over_everything(
    folder: Path, leafmark: Leafmark, environment: dict[str, str]
) -> None:
    report, peak_mb = _index(folder, environment)
    assert peak_mb < LIMIT_MB
    found = {(one["path"], one["code"]) for one in report["diagnostics"]}
    for name, (_, code) in BAD.items():
        assert (name, code) in found
    paths = {path for path, _ in found if not path.startswith("hostile/")}
    assert paths <= {*BAD, "nul.bin"}
    assert not {code for _, code in found} & {"failed", "unreadable"}

    wish = {"LEAFMARK_SEARCH_CUTOFF_RATIO": "0", "LEAFMARK_SEARCH_MAX_RESULTS": "50"}
    ran = leafmark("search", "-o", "json", "zebra", "-n", "50", "--no-aggregation", **wish)
    results = {result["id"]: result for result in ran.json["results"]}
    assert results.keys() == {f"work:{name}{slug}" for name, (_, slug) in GOOD.items()}
    for result in results.values():
        body = result["body"].encode()
        assert [body[start:end] for start, end in result["match_ranges"]] == [b"zebra"]

    assert json.loads(leafmark("status", "--json").out)["trees"][0]["documents"] > len(GOOD)


_MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "leafmark", "index", "--json"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def _index(folder: Path, environment: dict[str, str]) -> tuple[Any, float]:
    """Return the report of a run, and the MB that it takes.

    From a small process, as a child begins with its parent's.
    """
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    _, _, peak = done.stderr.strip().rpartition("\n")
    return json.loads(done.stdout), int(peak) / (1024 if sys.platform == "linux" else 1024 * 1024)


def test_what_is_read_as_one_line_is_shown_once(leafmark: Leafmark, tmp_path: Path) -> None:
    far = "Nothing of note is said in these words. " * 12
    page = f"<h1>Pool</h1>\n<p>A pool gives\nit back to\nany pool. {far}\nThe pool ends.</p>\n"
    (tmp_path / "work" / "a.html").write_text(page)
    (tmp_path / "work" / "b.md").write_text("A pool.\n\n* A pool.\n* A pool.\n")
    printed = leafmark("search", "pool", "-o", "matches", COLUMNS="60").out
    numbers = [line.split(":")[0].strip() for line in printed.splitlines() if line[:4].strip()]
    assert [each for each in numbers if each.isdigit()] == ["2", "5", "1", "3", "4"], printed


@pytest.mark.parametrize("form", ["matches", "vimgrep"])
def test_a_match_at_the_end_of_a_block_shows_no_markup(
    leafmark: Leafmark, tmp_path: Path, form: str
) -> None:
    page = "<h1>Water</h1>\n<ul><li>Fill it,\nwalk around <b>the</b> pool</li></ul>\n<p>Rest.</p>\n"
    (tmp_path / "work" / "a.html").write_text(page)
    printed = leafmark("search", "pool", "-o", form).out
    assert "walk around the pool" in printed
    assert "<b>" not in printed
