"""What pieces of a table that is cut inside its rows repeat, so that each is read alone."""

from __future__ import annotations

import pytest

from leafmark.chunking import PRESETS, ChunkingOptions, chunk_document, inspect_quality
from leafmark.chunking.tables import columns_of
from leafmark.model import Chunk
from leafmark.parsing import parse

SMALL = ChunkingOptions(strategy="section", max_tokens=60, min_tokens=5)


def pieces(source: str, path: str, options: ChunkingOptions = SMALL) -> list[Chunk]:
    found = chunk_document(parse(source.encode(), path), tree="t", options=options).chunks
    return [chunk for chunk in found if chunk.kind == "piece"]


def words(name: str, count: int) -> str:
    return " ".join([name] * count)


def shown(piece: Chunk) -> list[str]:
    """The lines of the text below the breadcrumb."""
    return piece.text.partition("\n\n")[2].split("\n")


def test_a_part_of_a_row_has_the_header_of_its_columns_and_the_first_cell() -> None:
    cells = [words(f"cell{column}", 16) for column in range(4)]
    head = "| Name | One | A \\| B | Three | Four |\n|---|:-:|---|--:|---|\n"
    table = f"{head}| key | {' | '.join(cells)} |\n"
    found = [shown(piece) for piece in pieces(table, "p.md")[1:]]
    assert found == [
        ["| Name | One |", "|---|:-:|", f"| key | {cells[0]}"],
        ["| Name | A \\| B |", "|---|---|", f"| key | {cells[1]}"],
        ["| Name | Three |", "|---|--:|", f"| key | {cells[2]}"],
        ["| Name | Four |", "|---|---|", f"| key | {cells[3]} |"],
    ]


def test_what_is_repeated_is_named_byte_by_byte() -> None:
    cells = [words(f"cell{column}", 16) for column in range(4)]
    head = "| Name | One | Two | Three | Four |\n|---|---|---|---|---|\n"
    table = f"{head}| key | {' | '.join(cells)} |\n"
    piece = pieces(table, "p.md")[-1]
    data = piece.owner.document.data
    named = [data[start:end].decode() for start, end in piece.context_spans]
    assert named == ["| Name ", "| Four ", "|---", "|---", "| key "]
    assert data[piece.byte_start : piece.byte_end].decode() == piece.body
    assert "Name" not in piece.body


def test_rows_behind_the_rest_of_one_have_the_whole_header() -> None:
    table = (
        "| Name | One | Two | Three |\n|---|---|---|---|\n"
        f"| key | {words('cell', 30)} | {words('more', 30)} | last |\n| b | c | d | e |\n"
    )
    options = ChunkingOptions(strategy="auto", target_tokens=60, max_tokens=80, min_tokens=20)
    piece = pieces(table, "p.md", options)[-1]
    assert shown(piece)[:2] == ["| Name | One | Two | Three |", "|---|---|---|---|"]
    assert shown(piece)[2].startswith("| key | \N{HORIZONTAL ELLIPSIS} | ")
    assert shown(piece)[2].endswith(" | last |")
    assert shown(piece)[3:] == ["| b | c | d | e |"]


def test_a_first_cell_that_is_a_text_is_not_repeated() -> None:
    table = f"| Name | One |\n|---|---|\n| {words('words', 25)} | {words('cell', 40)} |\n"
    assert shown(pieces(table, "p.md")[-1])[:2] == ["| One |", "|---|"]


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_tables_in_quotes_and_lists_have_the_same_columns(mark: str) -> None:
    inner = mark if mark == "> " else "  "
    cells = [words(f"cell{column}", 20) for column in range(3)]
    head = f"{mark}| Name | One | Two | Three |\n{inner}|---|---|---|---|\n"
    table = f"{head}{inner}| key | {' | '.join(cells)} |\n"
    found = [shown(piece) for piece in pieces(table, "p.md")[-3:]]
    assert found == [
        ["| Name | One |", "|---|---|", f"| key | {cells[0]}"],
        ["| Name | Two |", "|---|---|", f"| key | {cells[1]}"],
        ["| Name | Three |", "|---|---|", f"| key | {cells[2]} |"],
    ]


def test_a_cell_is_cut_at_the_target_and_not_at_half_of_it() -> None:
    cell = " ".join(f"The lamp number {number} stands in the hall." for number in range(150))
    table = f"| Name | Means |\n|---|---|\n| one | {cell} |\n"
    sizes = [piece.body_tokens for piece in pieces(table, "p.md", ChunkingOptions())]
    assert len(sizes) == -(-sum(sizes) // 300)
    assert max(sizes) <= 300


HEADER = (
    "<table><caption>Sizes</caption><thead><tr><th rowspan=2>Name</th><th colspan=2>Left</th>"
    "<th colspan=2>Right</th></tr>"
    "<tr><th>One</th><th>Two</th><th>Three</th><th>Four</th></tr></thead>"
)


def test_cells_of_a_page_have_what_reaches_over_them() -> None:
    cells = "".join(f"<td>{words(f'cell{column}', 16)}</td>" for column in range(4))
    page = f"<h1>A</h1>{HEADER}<tr><td>key</td>{cells}</tr></table>"
    found = [shown(piece) for piece in pieces(page, "p.html")]
    assert found[-1] == ["Sizes", "Name\tRight", "\tFour", f"key\t{words('cell3', 16)}"]
    assert found[-2] == ["Sizes", "Name\tRight", "\tThree", f"key\t{words('cell2', 16)}"]


def test_a_cell_that_reaches_into_the_rows_below_is_their_first() -> None:
    cells = "<td></td>" + "".join(f"<td>{words(f'cell{k}', 16)}</td>" for k in range(3))
    page = f"{HEADER}<tr><td rowspan=2>key</td><td>a</td></tr><tr>{cells}</tr></table>"
    last = shown(pieces(page, "p.html")[-1])
    assert last == ["Sizes", "Name\tRight", "\tFour", f"key\t{words('cell2', 16)}"]


def test_columns_are_not_told_where_tables_lie_in_tables() -> None:
    inner = f"<table><tr><td>{words('inner', 120)}</td></tr></table>"
    page = f"{HEADER}<tr><td>key</td><td>{inner}</td></tr></table>"
    assert len(pieces(page, "p.html")) > 2
    document = parse(b"a\n", "p.txt")
    assert columns_of(document, document.blocks[0], []) is None


def test_a_header_is_repeated_without_what_lines_up_its_columns() -> None:
    """With it, sizes in characters left no room for it: 673 pieces of 1,500 files, now 2."""
    row = f"| {'Name':<20} | {'What it means':<400} |\n"
    rows = "".join(f"| {f'key {k}':<20} | {words('text', 60):<400} |\n" for k in range(12))
    source = f"# A\n\n{row}|{'-' * 22}|:{'-' * 400}:|\n{rows}"
    options = ChunkingOptions(**PRESETS["ra"])
    result = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    parts = [piece for piece in result.chunks if piece.body.startswith("| key")]
    assert len(parts) >= 6
    for piece in parts:
        assert shown(piece)[:2] == ["| Name | What it means |", "|---|:---:|"]
        ((start, end),) = piece.context_spans
        assert source.encode()[start:end].decode() == "".join(source.splitlines(True)[2:4])
        assert piece.tokens <= options.max_tokens
    kinds = {finding.kind for finding in inspect_quality(result, options=options)}
    assert "orphan_rows" not in kinds
