"""What holds for every source with embedded data; the oracle is the source without it."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from support.embedded import ADDRESS, SIGN
from support.markdown_sources import markdown_text

from leafmark.chunking import STRATEGIES, ChunkingOptions, chunk_document
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse

IMAGES = st.sampled_from(["![alt](@)", "\n\n[image1]: <@>\n", "    @\n", "@ @", '<img src="@">'])
SOURCES = st.lists(st.one_of(markdown_text(), IMAGES), min_size=1, max_size=8).map("".join)
PATHS = st.sampled_from(["a.md", "a.md", "a.rst", "a.adoc", "a.org", "a.txt", "a.py"])


def chunked(source: str, path: str, **options: Any) -> ChunkedDocument:
    document = parse(source.encode("utf-8", "replace"), path)
    return chunk_document(document, tree="t", options=ChunkingOptions(**options))


@given(SOURCES, st.sampled_from(["a.md", "a.txt"]))
def test_sections_have_the_texts_and_sizes_of_those_without_data(source: str, path: str) -> None:
    headings = parse(source.replace("@", SIGN).encode("utf-8", "replace"), path).headings
    assume(not any("…" in heading.title for heading in headings))  # these have what is written
    found, others = (
        [
            (chunk.id, chunk.text, chunk.tokens, chunk.readable_body, chunk.block_types)
            for chunk in chunked(source.replace("@", shown), path, strategy="heading").chunks
        ]
        for shown in (ADDRESS, SIGN)
    )
    assert found == others


@given(SOURCES, PATHS, st.sampled_from(STRATEGIES), st.integers(60, 200))
def test_no_address_is_cut_and_no_byte_lost(
    source: str, path: str, strategy: Any, size: int
) -> None:
    sizes = {"min_tokens": size // 4, "target_tokens": size, "max_tokens": size}
    sizes |= {"fixed_tokens": size, "fixed_overlap": 0}
    found = chunked(source.replace("@", ADDRESS), path, strategy=strategy, **sizes)
    for chunk in found.chunks:
        assert "iVBO" not in chunk.readable_body
        assert chunk.body.count("data:image") == chunk.body.count(ADDRESS)
    bodies = sum(len(chunk.body.encode()) for chunk in found.chunks)
    headings = sum(
        chunk.heading_end - chunk.heading_start
        for chunk in found.chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
    )
    assert strategy == "fixed" or not found.chunks or bodies + headings == len(found.document.data)
