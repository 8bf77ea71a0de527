"""Statistics and the quality report."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from support.documents import Part, make_document, words

from leafmark.chunking import (
    ChunkingOptions,
    chunk_document,
    inspect_quality,
    measure_document,
    summarise,
)
from leafmark.model import Chunk, ChunkedDocument
from leafmark.parsing import parse

SECTIONS: tuple[Part, ...] = (
    ("heading", 1, "A"),
    ("paragraph", words(500)),
    ("heading", 2, "B"),
    ("paragraph", words(600)),
    ("heading", 1, "C"),
    ("paragraph", words(30)),
)


def chunked(*parts: Part, **fields: Any) -> tuple[ChunkedDocument, ChunkingOptions]:
    options = ChunkingOptions(**fields)
    return chunk_document(make_document(*parts), tree="t", options=options), options


def findings(document: ChunkedDocument, options: ChunkingOptions) -> list[tuple[str, str, str]]:
    return [
        (found.kind, found.chunk_id.removeprefix("t:p.md"), found.message)
        for found in inspect_quality(document, options=options)
    ]


def only(document: ChunkedDocument, chunk: Chunk) -> ChunkedDocument:
    """The document with this chunk alone."""
    return document._replace(emitted=document.emitted._replace(rows=[chunk[1:]]))


def test_statistics() -> None:
    document, options = chunked(*SECTIONS, strategy="heading")
    found = summarise([measure_document(document, options=options, seconds=0.25)] * 2)
    assert found.to_dict() == {
        "documents": 2,
        "chunks": 8,
        "empty": 2,
        "total_tokens": 2260,
        "min_tokens": 30,
        "mean_tokens": 376.7,
        "median_tokens": 500.0,
        "max_tokens": 600,
        "estimate": 8,
        "actual": 6,
        "deviations": [],
        "size_bytes": 2 * len(document.document.data),
        "seconds": 0.5,
        "megabytes_per_second": round(4 * len(document.document.data) / 1e6, 1),
    }


def test_a_body_of_white_space_is_no_body_in_statistics() -> None:
    source = b"---\ntitle: T\n---\n\n# A\n\n## B\n\ntext of B\n"
    options = ChunkingOptions(strategy="heading")
    document = chunk_document(parse(source, "p.md"), tree="t", options=options)
    assert [chunk.body_tokens for chunk in document.chunks] == [1, 1, 5]
    found = summarise([measure_document(document, options=options)])
    assert (found.chunks, found.empty, found.min_tokens, found.total_tokens) == (3, 2, 5, 5)


def test_deviations_over_the_tolerance() -> None:
    parts = [part for k in range(9) for part in (("heading", 2, f"S{k}"), ("paragraph", "x"))]
    document, options = chunked(*parts, strategy="heading")
    (deviation,) = summarise([measure_document(document, options=options)]).deviations
    assert (deviation.doc_id, deviation.estimate, deviation.actual) == ("t:p.md", 1, 9)


def test_windows_are_estimated_by_their_own_size() -> None:
    parts = [("paragraph", words(1000))]
    document, options = chunked(*parts, strategy="fixed", fixed_tokens=250, fixed_overlap=0)
    found = summarise([measure_document(document, options=options)])
    assert (found.estimate, found.chunks - found.empty, found.deviations) == (4, 4, ())


def test_statistics_of_nothing() -> None:
    found = summarise([])
    assert (found.chunks, found.median_tokens, found.megabytes_per_second) == (0, 0.0, 0.0)


def test_section_leaves_nothing_but_what_is_excused() -> None:
    document, options = chunked(*SECTIONS, strategy="section")
    (finding,) = inspect_quality(document, options=options)
    assert finding.to_dict() == {
        "kind": "undersize",
        "id": "t:p.md#c",
        "message": "30 tokens; the least is 100",
        "excused": True,
    }


def test_small_and_large_chunks_are_found_under_heading() -> None:
    document, options = chunked(
        ("paragraph", words(20)),
        ("heading", 1, "A"),
        ("paragraph", words(1200)),
        strategy="heading",
    )
    assert findings(document, options) == [
        ("below_min", "", "20 tokens; the least is 100"),
        ("above_bound", "#a", "1203 tokens; the most is 1000"),
    ]


def test_what_fixed_windows_tear_apart() -> None:
    code = "\n".join(f"print({number})" for number in range(150))
    rows = [f"key {number}" for number in range(80)]
    document, options = chunked(
        ("code", "py", code), ("table", rows), strategy="fixed", fixed_tokens=400, fixed_overlap=0
    )
    kinds = {kind for kind, _, _ in findings(document, options)}
    assert kinds >= {"split_code", "orphan_rows"}
    messages = {message for _, _, message in findings(document, options)}
    assert "cuts the code block on line 1" in messages
    assert "has rows of the table on line 154 only" in messages


def test_a_heading_cut_off_from_its_content() -> None:
    document, options = chunked(("heading", 1, "A"), ("paragraph", words(20)), strategy="heading")
    root = document.chunks[0]
    torn = root._replace(body_extent=4)
    assert findings(only(document, torn), options) == [
        ("bare_heading", "", "ends with the heading 'A' and nothing below it"),
    ]


@pytest.mark.parametrize("strategy", ["auto", "section"])
def test_cut_code_is_no_finding_when_it_was_asked_for(strategy: Any) -> None:
    code = "\n".join(f"print({number})" for number in range(900))
    document, options = chunked(("code", "py", code), strategy=strategy, oversize_code="split")
    assert len(document.chunks) > 2
    assert findings(document, options) == []
    kept = options._replace(oversize_code="keep")
    assert {kind for kind, _, _ in findings(document, kept)} == {"split_code"}


def test_chunks_are_compared_by_their_place_and_what_they_are_made_of() -> None:
    (document, _), (same, _) = chunked(*SECTIONS), chunked(*SECTIONS)
    first: Chunk = document.chunks[0]
    assert first == document.chunks[0]
    assert {first: 1}[document.chunks[0]] == 1
    assert first != document.chunks[1]
    assert first == same.chunks[0]
    assert first != tuple(first)
    assert document.chunks == tuple(document.chunks) == same.chunks != document.chunks[:-1]
    assert document.chunks[1:] == tuple(document.chunks)[1:]


def test_what_is_no_longer_used_is_gone_without_a_collection() -> None:
    document, _ = chunked(*SECTIONS)
    assert document.chunks[-1].text
    alive = weakref.ref(document)
    gc.disable()
    try:
        del document
        assert alive() is None
    finally:
        gc.enable()


def test_what_a_block_is_not_cut_for_may_not_hide_more() -> None:
    """A chunk with a block over the bound may take in little on each side of it, and no more."""
    code = "\n".join(f"print({number})" for number in range(300))
    document, options = chunked(("paragraph", words(600)), ("code", "py", code), strategy="heading")
    (root,) = document.chunks
    flagged = only(document, root._replace(oversize=True))
    small = options._replace(max_tokens=400, target_tokens=400)
    (found,) = findings(flagged, small)
    assert found == ("above_bound", "", f"{root.tokens} tokens; the most is 400")
    assert findings(flagged, small._replace(max_tokens=1800)) == []
