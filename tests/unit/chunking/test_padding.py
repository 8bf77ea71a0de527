"""Padding of tables: no piece is made of it, and `text` is within the bound without it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse

WIDE = f"""# A

| Name{" " * 300} | Means{" " * 900} |
|:{"-" * 304}|{"-" * 2000}|
| one{" " * 301} | It is one.{" " * 895} |
| two{" " * 301} | It is two.{" " * 895} |
"""


def chunked(source: str, strategy: Strategy = "section", **sizes: Any) -> ChunkedDocument:
    options = ChunkingOptions(strategy=strategy, tokenizer="characters", **sizes)
    return chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_dashes_and_spaces_go_to_the_piece_before(strategy: Strategy) -> None:
    sizes = {"min_tokens": 100, "target_tokens": 400, "max_tokens": 480}
    found = chunked(WIDE, strategy, **sizes).chunks
    pieces = [chunk for chunk in found if chunk.kind == "piece"]
    assert all(any(map(str.isalpha, piece.body)) for piece in pieces)
    assert "".join(piece.body for piece in pieces) == WIDE.removeprefix("# A\n")
    assert all(piece.tokens <= 480 and not piece.oversize for piece in pieces)


def test_text_has_the_padding_narrow_only_where_it_would_be_too_large() -> None:
    found = chunked(WIDE, min_tokens=100, target_tokens=1000, max_tokens=1200).chunks
    (first,) = [chunk for chunk in found[2:] if "|:---" in chunk.body]
    assert first.body_tokens > 1200
    assert first.text.endswith(" |\n|:---|---")
    whole = chunked(WIDE, "heading").chunks[1]
    assert whole.text.count("-") == 2304


def test_a_rule_that_is_no_table_is_no_padding() -> None:
    source = f"# A\n\n{'one. ' * 19}\n\n{'-' * 90}\n\n{'two. ' * 19}\n"
    found = chunked(source, min_tokens=0, target_tokens=100, max_tokens=130).chunks
    assert [chunk.body.strip()[:3] for chunk in found if chunk.kind == "piece"] == [
        *("one", "---", "two")
    ]


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(3, 400)), min_size=1, max_size=4),
    st.integers(0, 3),
    st.integers(40, 300),
    st.sampled_from(["auto", "section"]),
)
def test_no_piece_is_padding_and_no_text_is_too_large(
    columns: list[tuple[int, int]], rows: int, target: int, strategy: Strategy
) -> None:
    def row(mark: str) -> str:
        return "| " + " | ".join((mark * words).ljust(width) for words, width in columns) + " |\n"

    rule = "|" + "|".join("-" * (width + 2) for _, width in columns) + "|\n"
    source = "# A\n\nText.\n\n" + row("a") + rule + row("b") * rows + "\nText.\n"
    sizes = {"min_tokens": target // 4, "target_tokens": target, "max_tokens": target + 60}
    result = chunked(source, strategy, **sizes)
    pieces = [chunk for chunk in result.chunks if chunk.kind == "piece"]
    for piece in pieces:
        assert any(map(str.isalpha, piece.body))
        assert piece.oversize or piece.tokens < target + 60 + max(1, target // 4)
    if pieces:
        assert "".join(chunk.body for chunk in pieces) == source.removeprefix("# A\n")
