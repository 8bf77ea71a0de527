"""Which rows of a table are read together: no cut parts them where sizes allow it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.chunking.tables import cell_starts, untied_rows
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


@pytest.mark.parametrize(
    ("path", "row", "expected"),
    [
        ("p.md", "| a | b \\| c | | d |\n", ["| a ", "| b \\| c | ", "| d |\n"]),
        ("p.md", "a|b|c\n:--|--:|-\n", ["a", "|b", "|c\n:--|--:|-\n"]),
        ("p.md", "| \u0600| b | c\u200d|d\u0301|e", ["| \u0600| b ", "| c\u200d|d\u0301", "|e"]),
        ("p.html", "<tr><td>a<th>b</th><TD x>c", ["<tr><td>a", "<th>b</th>", "<TD x>c"]),
        ("p.rst", "| a | b |", ["| a | b |"]),
    ],
)
def test_where_cells_begin(path: str, row: str, expected: list[str]) -> None:
    data = row.encode()
    starts = cell_starts(parse(data, path), 0, len(data))
    cells = [data[a:b].decode() for a, b in pairwise([*starts, len(data)])]
    assert cells == expected


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_a_header_or_row_that_is_too_large_is_cut_between_cells(strategy: Strategy) -> None:
    cells = [f"Name of column {number}. It is long" for number in range(40)]
    row = "| " + " | ".join(cells) + " |\n"
    source = (row + "|---" * 40 + "|\n" + row * 2).encode()
    options = ChunkingOptions(strategy=strategy, target_tokens=120, max_tokens=150, min_tokens=20)
    found = chunk_document(parse(source, "p.md"), tree="t", options=options).chunks[1:]
    assert len(found) > 9
    assert all(piece.body.startswith(("| Name", "|---")) for piece in found)
    assert all(piece.tokens <= 150 for piece in found)
    parted = [piece.body for piece in found if not piece.body.endswith("\n")]
    assert parted
    assert all(body.endswith("long ") for body in parted)


@pytest.mark.parametrize("first", ["", '<img src="a.png">', "Lamp"])
def test_a_large_cell_is_cut_whatever_stands_beside_it(first: str) -> None:
    words = " ".join(f"Sentence {number} says little." for number in range(300))
    page = f"<h1>A</h1><table><tr><td>{first}</td><td>{words}</td></tr></table>"
    document = parse(page.encode(), "p.html")
    found = chunk_document(document, tree="t", options=ChunkingOptions()).chunks
    assert all(piece.body_tokens <= 300 for piece in found)


@pytest.mark.parametrize("mark", ["", "> ", "- ", "> - "])
def test_a_table_alone_in_a_quote_or_an_item_is_whole_while_it_fits(mark: str) -> None:
    inner = mark.replace("-", " ")
    rows = "".join(f"{inner}| key {k} | {'word ' * 8} |\n" for k in range(40))
    table = f"{mark}| Name | One |\n{inner}|---|---|\n{rows}"
    document = parse(table.encode(), "p.md")
    whole = chunk_document(document, tree="t", options=ChunkingOptions()).chunks
    assert [chunk.body for chunk in whole] == [table]
    options = ChunkingOptions(max_tokens=400)
    _, *found = chunk_document(document, tree="t", options=options).chunks
    assert len(found) > 1
    assert all("| Name | One |" in piece.text for piece in found)


def test_tables_in_tables_are_cut_however_deep() -> None:
    page = b"<h1>A</h1>" + b"<table><tr><td>word " * 600
    options = ChunkingOptions(min_tokens=2, target_tokens=10, max_tokens=30)
    found = chunk_document(parse(page, "p.html"), tree="t", options=options)

    assert b"".join(chunk.body_bytes for chunk in found.chunks).count(b"word") == 600
