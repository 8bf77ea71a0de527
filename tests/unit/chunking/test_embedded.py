"""Sizes and texts of chunks with embedded data: as if it were not there."""

from __future__ import annotations

from typing import Any

import pytest
from support.documents import words
from support.embedded import ADDRESS, SIGN, make_address

from leafmark.chunking import STRATEGIES, ChunkingOptions, Strategy, chunk_document
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse


def chunked(source: str, path: str = "a.md", **options: Any) -> ChunkedDocument:
    document = parse(source.encode(), path)
    return chunk_document(document, tree="t", options=ChunkingOptions(**options))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.adoc", "a.org", "a.txt"])
def test_a_section_is_one_chunk_however_large_its_image_is(strategy: Strategy, path: str) -> None:
    image = make_address(100_000)
    source = f"{words(40)}\n\n{image}\n\n{words(40)}\n"
    (chunk,) = chunked(source, path, strategy=strategy).chunks
    assert chunk.body == source
    assert chunk.text.endswith(source.replace(image, SIGN).strip())
    assert chunk.tokens < 400


def test_code_is_still_dedented_and_front_matter_left_out() -> None:
    source = f"---\ntitle: T\n---\n\nText: \n\n  ```css\n    a {{ url({ADDRESS}) }}\n  ```\n"
    (chunk,) = chunked(source).chunks
    assert chunk.text == f"> T\n\nText:\n\n```css\na {{ url({SIGN}) }}\n```"
    assert chunk.content_type == "code"
    assert chunk.readable_body == source[len("---\ntitle: T\n---\n") :].replace(ADDRESS, SIGN)


def test_lines_of_a_windows_file_end_as_in_others() -> None:
    (chunk,) = chunked(f"\ufeffOne.\r\n\r\n![]({ADDRESS})\r\n").chunks
    assert chunk.text == f"> a\n\nOne.\n\n![]({SIGN})"


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_what_is_cut_is_cut_around_images(strategy: Strategy) -> None:
    sentence = f"{words(20)}, as ![this]({ADDRESS}) shows."
    sizes: dict[str, Any] = {"min_tokens": 20, "target_tokens": 100, "max_tokens": 200}
    found = chunked(" ".join([sentence] * 40) + "\n", strategy=strategy, **sizes)
    assert len(found.chunks) > 10
    for chunk in found.chunks:
        assert chunk.tokens <= 200
        assert chunk.body.count(ADDRESS) == chunk.body.count("data:") == chunk.body.count("==")
        assert "iVBO" not in chunk.text
    assert any(chunk.context_spans for chunk in found.chunks)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_cost_is_that_of_what_is_read(strategy: Strategy) -> None:
    """By chunks: sixteen megabytes of images give those of their words."""
    section = f"## Part\n\n{words(30)}\n\n![]({make_address(400_000)})\n\n"
    found = chunked(section * 40, strategy=strategy)
    assert len(found.document.data) > 15_000_000
    assert sum(chunk.tokens for chunk in found.chunks) < 12_000
    assert len(found.chunks) <= 41 * 2
