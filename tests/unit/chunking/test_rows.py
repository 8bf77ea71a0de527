"""Which rows of a table are read together: no cut parts them where sizes allow it."""

from __future__ import annotations

import re

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.chunking.rows import untied_rows
from leafmark.parsing import parse

MARKDOWN = """\
| Name | Means |
|------|-------|
| a    | one   |
|      | more  |
|   |   |
| b    | two   |
"""
PAGE = """\
<table><tr><td colspan="2"><b>Group</b></td></tr>
<tr><td rowspan=3>a</td><td>one</td></tr>
<tr><td>two</td></tr>
<tr><td>three</td></tr>
<TR class="x"><TD> &nbsp;<br/></TD><td>four</td></TR>
<tr><td colspan="2"> </td></tr>
<tr><td><img src="b.png"></td><td>five</td></tr>
<tr><td>c</td></tr>
<tr><td>d</td></tr></table>
"""


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("p.md", MARKDOWN, ["| a", "| b"]),
        ("p.html", PAGE, ["Group", "five", "c", "d"]),
        ("p.rst", MARKDOWN, ["| a", "|  ", "|  ", "| b"]),
    ],
)
def test_rows_that_begin_something(path: str, source: str, expected: list[str]) -> None:
    rows = [row.start() for row in re.finditer(r"(?i)<tr|^\|(?! Name|-)", source, re.M)]
    document = parse(source.encode(), path)
    untied = untied_rows(document, rows, len(source))
    lines = [source[at:].partition("\n")[0] for at in untied]
    assert [word in line for word, line in zip(expected, lines, strict=True)] == [True] * len(lines)


def pieces(source: str, path: str) -> list[str]:
    options = ChunkingOptions(strategy="section", max_tokens=200, target_tokens=100, min_tokens=20)
    found = chunk_document(parse(source.encode(), path), tree="t", options=options)
    return [chunk.body for chunk in found.chunks if chunk.kind == "piece"]


@pytest.mark.parametrize(
    ("path", "row", "frame"),
    [
        ("p.md", "| name{0} | what it is for |\n| | and a longer description |\n", "{}"),
        (
            "p.html",
            '<tr><td colspan="2">template {0}</td></tr>\n<tr><td>int</td><td>call()</td></tr>\n'
            "<tr><td>&#160;</td><td>What it does.</td></tr>\n",
            "<h1>A</h1><table><tr><td colspan=2>{}</table>",
        ),
        (
            "p.html",
            '<tr><td colspan="2">template {0}</td></tr>\n<tr><td>int</td><td>call()</td></tr>\n'
            "<tr><td>&#160;</td><td>What it does.</td></tr>\n",
            "<h1>A</h1><table><tr><td><h2>Functions</h2></td></tr>{}</table>",
        ),
    ],
    ids=["Markdown", "a page", "a page whose table has a heading"],
)
def test_rows_that_are_read_together_stay_together(path: str, row: str, frame: str) -> None:
    rows = [row.format(k) for k in range(55)]
    head = "| Name | Means |\n|---|---|\n" if path == "p.md" else ""
    found = pieces("# A\n\n" + head + "".join(rows) if head else frame.format("".join(rows)), path)
    assert len(found) > 6
    assert all(any(row in body for body in found) for row in rows)


def test_rows_are_parted_where_too_many_are_read_together() -> None:
    rows = "".join(f"| | what number {k} is for |\n" for k in range(100))
    found = pieces(f"# A\n\n| Name | Means |\n|---|---|\n| a | b |\n{rows}", "p.md")
    assert len(found) > 8
    assert all(body.endswith("|\n") for body in found)
