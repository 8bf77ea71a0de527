"""The rules of the strategies, each for every document: what is mixed, cut, carried, bounded."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from property.test_chunking_properties import (
    BOUNDED,
    CUT,
    DOCUMENTS,
    OPTIONS,
    SECTIONED,
    STRUCTURED,
    chunked,
    options_of,
)

from leafmark.chunking import ChunkingOptions, inspect_quality
from leafmark.chunking.cuts import sentence_starts
from leafmark.model import Chunk, Document
from leafmark.parsing import parse

HEADING, AUTO, SECTION, FIXED = (
    options_of(st.just(name)) for name in ("heading", "auto", "section", "fixed")
)


def top_headings(document: Document, options: ChunkingOptions) -> list[tuple[int, int]]:
    """Level and place of the headings that may open sections."""
    return [
        (heading.level, heading.start)
        for heading in document.headings
        if not heading.nested and heading.level <= options.heading_levels
    ]


@given(DOCUMENTS, HEADING)
def test_heading_cuts_and_merges_nothing(document: Document, options: ChunkingOptions) -> None:
    found = chunked(document, options).chunks
    assert {chunk.kind for chunk in found} <= {"document", "section"}
    assert not any(chunk.covers or chunk.oversize or chunk.context_spans for chunk in found)
    places = [start for _, start in top_headings(document, options)]
    assert {chunk.heading_start for chunk in found[1:]} <= {*places}
    levels = {start: level for level, start in top_headings(document, options)}
    for chunk in found[1:]:
        assert chunk.heading_start is not None
        assert chunk.depth == levels[chunk.heading_start]


@given(DOCUMENTS, BOUNDED)
def test_nothing_is_over_the_bound_but_what_may_be(
    document: Document, options: ChunkingOptions
) -> None:
    result = chunked(document, options)
    kinds = [finding.kind for finding in inspect_quality(result, options=options)]
    assert "above_bound" not in kinds
    for chunk in result.chunks:
        if chunk.oversize:
            assert chunk.tokens > options.max_tokens
        else:
            assert chunk.tokens < options.max_tokens + max(1, options.min_tokens)


@given(DOCUMENTS, BOUNDED)
def test_small_pieces_say_so(document: Document, options: ChunkingOptions) -> None:
    for chunk in chunked(document, options).chunks:
        if chunk.kind == "piece":
            assert chunk.undersize == (chunk.body_tokens < options.min_tokens)


@given(st.one_of(DOCUMENTS, SECTIONED, CUT), BOUNDED)
def test_no_piece_is_blank(document: Document, options: ChunkingOptions) -> None:
    found = chunked(document, options._replace(min_tokens=0)).chunks
    assert all(chunk.has_content for chunk in found if chunk.kind == "piece")


@given(st.one_of(DOCUMENTS, SECTIONED), SECTION)
def test_section_chunks_hold_one_h1_and_mix_only_what_is_small(
    document: Document, options: ChunkingOptions
) -> None:
    result = chunked(document, options)
    sections = chunked(document, _as_heading(options)).chunks
    for chunk in result.chunks:
        if len(result.chunks) == 1:
            continue  # a document that fits is one chunk, whatever is in it
        held = [one for one in sections if one.id in chunk.covers]
        assert not any(one.depth == 1 for one in held)
        assert len({one.parent_id for one in held}) <= 1
        if len(held) > 1:
            assert any(_size(one) < max(1, options.min_tokens) for one in held)
        if chunk.is_complete_section and chunk.kind == "section":
            assert chunk.body_spans == ((chunk.byte_start, chunk.byte_end),)


def _as_heading(options: ChunkingOptions) -> ChunkingOptions:
    return ChunkingOptions(
        strategy="heading", tokenizer=options.tokenizer, heading_levels=options.heading_levels
    )


def _size(section: Chunk) -> int:
    return section.owner.count_tokens(section.raw.decode())


@given(DOCUMENTS, SECTION)
def test_a_document_is_one_chunk_exactly_where_its_text_fits(
    document: Document, options: ChunkingOptions
) -> None:
    found = chunked(document, options).chunks
    if not found or document.front_matter is not None:
        return
    whole = chunked(document, options)
    text = whole.document.data.decode().strip()
    count = whole.count_tokens
    bound = options.max_tokens - min(count(found[0].breadcrumb + "\n\n"), options.max_tokens // 4)
    if count(text) * 1.25 <= bound:
        assert len(found) == 1
    if len(found) == 1 and not found[0].oversize:
        assert found[0].tokens < options.max_tokens + max(1, options.min_tokens)


@given(st.one_of(DOCUMENTS, SECTIONED, CUT), STRUCTURED)
def test_context_is_sentences_of_the_piece_before_or_a_header(
    document: Document, options: ChunkingOptions
) -> None:
    tables = [block for block in document.blocks if block.kind == "table"]
    code = [block for block in document.blocks if block.kind == "code"]
    for chunk in chunked(document, options).chunks:
        for start, end in chunk.context_spans:
            assert chunk.tokens <= options.max_tokens
            if any(table.start <= start < end <= chunk.byte_start < table.end for table in tables):
                continue  # which cells of it: `test_table_properties`
            if any(
                (start, end) == (block.start, block.content_start or block.start)
                and block.start < chunk.byte_start < block.end
                for block in code
            ):
                continue  # the fence of code that is cut, which each part of it is shown between
            before = chunk.owner.chunks[chunk.position - 1]
            assert before.parent_id == chunk.parent_id
            assert before.byte_start < start < end == chunk.byte_start
            assert not any(block.start < end and start < block.end for block in code)
            told = document.data[start:end].rstrip()
            if b"`" not in told:  # what is code there is told by the text before it
                assert len(sentence_starts(told)) <= max(1, options.overlap_sentences)


@given(DOCUMENTS, BOUNDED)
def test_tables_are_cut_between_rows_and_their_parts_have_the_header(
    document: Document, options: ChunkingOptions
) -> None:
    result = chunked(document, options)
    count = result.count_tokens
    starts = {chunk.byte_start: chunk for chunk in result.chunks if chunk.kind == "piece"}
    for table in (block for block in document.blocks if block.kind == "table"):
        rows = [
            block
            for block in document.blocks
            if block.kind == "table_row" and table.start <= block.start < table.end
        ]
        header = document.data[table.start : table.content_start].decode()
        for at, chunk in starts.items():
            if not table.start < at < table.end:
                continue
            row = next(row for row in reversed(rows) if row.start <= at)
            if at != row.start or chunk.byte_end < row.end:  # a part of a row that does not fit
                whole = document.data[row.start : row.end].decode()
                assert count(header + whole) > options.max_tokens * 3 // 4 - 8
            elif chunk.tokens + count(header) < options.max_tokens - 4:
                assert chunk.context_spans == ((table.start, table.content_start),)


@given(DOCUMENTS, FIXED)
def test_windows_are_within_their_size(document: Document, options: ChunkingOptions) -> None:
    windows = [chunk for chunk in chunked(document, options).chunks if chunk.kind == "piece"]
    for window in windows:
        graphemes = len(window.body)
        assert window.body_tokens <= options.fixed_tokens or graphemes < 8
    for before, after in pairwise(windows):
        shared = document.data[after.byte_start : before.byte_end].decode()
        assert before.owner.count_tokens(shared) <= options.fixed_overlap + 8


@given(DOCUMENTS, OPTIONS)
def test_text_is_breadcrumb_and_tidy_lines(document: Document, options: ChunkingOptions) -> None:
    for chunk in chunked(document, options).chunks:
        first, _, rest = chunk.text.partition("\n")
        if first != chunk.breadcrumb:
            assert options.strategy != "heading"
            assert first.startswith(("> …", "> "))
            assert first.removeprefix("> …").removeprefix(" › ") in chunk.breadcrumb
        assert not rest or rest.startswith("\n")
        assert not rest.endswith("\n")
        if not chunk.has_content:
            assert not rest.strip()


@given(
    st.integers(5, 60),
    st.lists(
        st.tuples(st.integers(2, 6), st.sampled_from(["", "word", "a b"]), st.booleans()),
        min_size=2,
        max_size=50,
    ),
)
def test_the_sizes_that_decide_are_those_that_are_reported(
    length: int, sections: list[tuple[int, str, bool]]
) -> None:
    """Blank lines below headings count for less in a whole than in its parts."""
    source = "# T\n\n" + "Some words that say little. " * length + "\n\n"
    for level, words, more in sections:
        gap = "\n\n\n" if more else "\n\n"
        source += f"{'#' * level} A{gap}" + (f"{words}{gap}" if words else "")
    options = ChunkingOptions(strategy="section", min_tokens=50, target_tokens=150, max_tokens=200)
    found = chunked(parse(source.encode(), "p.md"), options)
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []
