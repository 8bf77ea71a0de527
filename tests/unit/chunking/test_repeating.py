"""What pieces of a table that is cut inside its rows repeat, so that each is read alone."""

from __future__ import annotations

from dataclasses import replace

from leafmark.chunking import PRESETS, ChunkingOptions, chunk_document, inspect_quality
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


def test_each_part_of_a_row_that_is_cut_has_the_header_and_names_its_bytes() -> None:
    cells = [words(f"cell{column}", 16) for column in range(4)]
    head = "| Name | One | Two | Three | Four |\n|---|---|---|---|---|\n"
    table = f"{head}| key | {' | '.join(cells)} |\n"
    options = replace(SMALL, target_tokens=60, max_tokens=90)
    for number, piece in enumerate(pieces(table, "p.md", options)[1:], 1):
        assert shown(piece)[:2] == head.splitlines()
        left_out = "| \u2026 " * (number + 1)
        assert shown(piece)[2].startswith(f"{left_out}| cell{number} ")
        ((start, end),) = piece.context_spans
        assert piece.owner.document.data[start:end].decode() == head
        assert "Name" not in piece.body


def test_a_cell_is_cut_at_the_target_and_not_at_half_of_it() -> None:
    cell = " ".join(f"The lamp number {number} stands in the hall." for number in range(150))
    table = f"| Name | Means |\n|---|---|\n| one | {cell} |\n"
    sizes = [piece.body_tokens for piece in pieces(table, "p.md", ChunkingOptions())]
    assert len(sizes) == -(-sum(sizes) // 300)
    assert max(sizes) <= 300


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
