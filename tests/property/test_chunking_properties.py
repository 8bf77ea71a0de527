"""What holds for the chunks of every document, under every strategy and any sizes."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from support.documents import Part, make_document

from leafmark.chunking import STRATEGIES, ChunkingOptions, chunk_document, inspect_quality
from leafmark.model import Chunk, ChunkedDocument, Document

TITLES = st.sampled_from(["A", "B", "A 1", "A-1", "Über uns", "!", "", "p"])
TEXT = st.text(
    alphabet=st.sampled_from("ab .\u00e9\u4e2d\U0001f389\u0301\u3002`/\t"), min_size=1, max_size=60
).map(lambda text: "x" + text)
LONG = st.builds(lambda text, times: text * times, TEXT, st.integers(1, 40))
PARTS = st.one_of(
    st.tuples(st.just("heading"), st.integers(1, 6), TITLES),
    st.tuples(st.just("nested"), TITLES),
    st.tuples(st.just("paragraph"), LONG),
    st.tuples(st.just("html"), LONG),
    st.tuples(st.just("code"), st.sampled_from(["", "py"]), LONG),
    st.tuples(st.just("table"), st.lists(TEXT, min_size=1, max_size=30)),
    st.tuples(st.just("list"), st.lists(LONG, min_size=1, max_size=8)),
    st.tuples(st.just("blank"), st.sampled_from(["\n", "\n\n", " \n"])),
)
DOCUMENTS = st.builds(
    lambda front, parts: make_document(*front, *parts),
    st.sampled_from([(), (("front_matter", "title: T"),)]),
    st.lists(PARTS, max_size=14),
)
SECTION_PARTS = st.tuples(
    st.tuples(st.just("heading"), st.sampled_from([1, 2, 2, 2, 3, 3]), TITLES),
    st.tuples(st.just("paragraph"), st.builds(lambda a, times: a * times, TEXT, st.integers(1, 8))),
)
SECTIONED = st.builds(
    lambda pairs: make_document(*[part for pair in pairs for part in pair]),
    st.lists(SECTION_PARTS, min_size=8, max_size=24),
)
"""Of many small sections, so that some are put together: of other documents hardly any are."""
CUT = st.builds(
    lambda parts: make_document(*parts),
    st.lists(
        st.one_of(
            st.tuples(st.just("paragraph"), LONG),
            st.tuples(st.just("code"), st.just("py"), TEXT),
            st.tuples(st.just("table"), st.lists(TEXT, min_size=1, max_size=30)),
        ),
        min_size=4,
        max_size=8,
    ),
)
"""Of one large body, so that its pieces have context."""


@st.composite
def options_of(draw: st.DrawFn, strategy: st.SearchStrategy[Any]) -> ChunkingOptions:
    target = draw(st.integers(20, 160))
    fixed = draw(st.integers(1, 80))
    return ChunkingOptions(
        strategy=draw(strategy),
        tokenizer=draw(st.sampled_from(["o200k_base", "cl100k_base", "characters"])),
        min_tokens=draw(st.integers(0, target // 2)),
        target_tokens=target,
        max_tokens=target + draw(st.integers(0, 200)),
        fixed_tokens=fixed,
        fixed_overlap=draw(st.integers(0, fixed - 1)),
        overlap_sentences=draw(st.integers(0, 3)),
        heading_levels=draw(st.integers(0, 6)),
        oversize_code=draw(st.sampled_from(["keep", "split"])),
    )


OPTIONS = options_of(st.sampled_from(STRATEGIES))
STRUCTURED = options_of(st.sampled_from([name for name in STRATEGIES if name != "fixed"]))
BOUNDED = options_of(st.sampled_from(["auto", "section"]))


def chunked(document: Document, options: ChunkingOptions) -> ChunkedDocument:
    return chunk_document(document, tree="t", options=options)


@given(DOCUMENTS, STRUCTURED)
def test_every_byte_is_in_one_body_or_one_heading_line(
    document: Document, options: ChunkingOptions
) -> None:
    chunks = chunked(document, options).chunks
    if not chunks:
        assert not document.data.strip()
        return
    ranges = [span for chunk in chunks for span in chunk.body_spans]
    ranges += [
        (chunk.heading_start, chunk.heading_end)
        for chunk in chunks
        if chunk.heading_start is not None and chunk.heading_end is not None
    ]
    ranges.sort()
    assert [start for start, _ in ranges] == [0, *[end for _, end in ranges]][: len(ranges)]
    assert ranges[-1][1] == len(document.data)
    assert all(start < end for start, end in ranges)


@given(DOCUMENTS, OPTIONS)
def test_the_tree_is_sound(document: Document, options: ChunkingOptions) -> None:
    result = chunked(document, options)
    assert len({chunk.id for chunk in result.chunks}) == len(result.chunks)
    below: dict[int, list[Chunk]] = {}
    for position, chunk in enumerate(result.chunks):
        assert chunk.position == position
        parent = chunk.parent
        assert (parent is None) == (position == 0) == (chunk.kind == "document")
        if parent is not None:
            assert parent.position < position <= parent.last_position
            assert parent.depth < chunk.depth
            assert parent.byte_start <= chunk.byte_start <= chunk.byte_end <= parent.byte_end
            below.setdefault(parent.position, []).append(chunk)
    for chunk in result.chunks:
        children = chunk.children
        assert list(children) == below.get(chunk.position, [])
        assert all(child.sibling_count == len(children) for child in children)
        # each has the ids of all the others: of thousands, a few are looked at
        for child in (*children[:5], *children[-5:]):
            assert list(child.sibling_ids) == [each.id for each in children if each is not child]
        for before, after in pairwise(children):
            assert before.last_position + 1 == after.position
            if options.strategy != "fixed":
                assert before.byte_end <= after.byte_start
    assert all(0 <= position < len(result.chunks) for position in result.slugs.values())


@given(DOCUMENTS, OPTIONS)
def test_spans_never_cut_a_character(document: Document, options: ChunkingOptions) -> None:
    for chunk in chunked(document, options).chunks:
        for start, end in chunk.body_spans:
            assert document.data[start:end].decode()  # raises where a character is cut


@given(DOCUMENTS, BOUNDED)
def test_the_quality_report_finds_nothing_that_could_be_helped(
    document: Document, options: ChunkingOptions
) -> None:
    found = inspect_quality(chunked(document, options), options=options)
    kinds = {finding.kind for finding in found}
    assert "split_code" not in kinds
    # several titles and a word below them fit into as many tokens, though not into characters
    if options.target_tokens >= 80 and options.tokenizer != "characters":
        assert "bare_heading" not in kinds
    if options.strategy == "section":
        assert "below_min" not in kinds


@given(DOCUMENTS, options_of(st.just("auto")))
@example(
    make_document(("nested", "A"), ("list", ["x。/" * 19])),
    ChunkingOptions(min_tokens=0, target_tokens=20, max_tokens=21),
)
@example(
    make_document(("blank", "\n"), ("html", "x`" * 11)),
    ChunkingOptions(min_tokens=0, target_tokens=20, max_tokens=23),
)
def test_pieces_keep_the_target(document: Document, options: ChunkingOptions) -> None:
    """But for what cannot be cut, and for less than `min_tokens` that nobody else could take."""
    solid = [b for b in document.blocks if b.kind in ("code", "table")]
    for chunk in chunked(document, options).chunks:
        if any(b.start < chunk.byte_end and chunk.byte_start < b.end for b in solid):
            continue
        if chunk.kind == "piece":
            blank = len(chunk.body) - len(chunk.body.strip())  # it has no other place
            excess = chunk.body_tokens - blank - options.target_tokens
            assert excess < max(1, options.min_tokens)


@given(DOCUMENTS, OPTIONS)
def test_records_are_json_and_the_same_every_time(
    document: Document, options: ChunkingOptions
) -> None:
    first = [json.dumps(chunk.to_dict()) for chunk in chunked(document, options).chunks]
    again = pickle.loads(pickle.dumps(chunked(document, options)))
    assert [json.dumps(chunk.to_dict()) for chunk in again.chunks] == first


@given(DOCUMENTS, options_of(st.just("fixed")))
def test_windows_overlap_and_cover(document: Document, options: ChunkingOptions) -> None:
    windows = [chunk for chunk in chunked(document, options).chunks if chunk.kind == "piece"]
    for before, after in pairwise(windows):
        assert before.byte_start < after.byte_start <= before.byte_end < after.byte_end
    if windows:
        assert windows[-1].byte_end == len(document.data)


@given(st.lists(PARTS, max_size=6), st.lists(PARTS, max_size=4), TITLES)
def test_ids_survive_what_is_appended(parts: list[Part], more: list[Part], title: str) -> None:
    options = ChunkingOptions(strategy="heading")
    before = chunked(make_document(*parts), options)
    after = chunked(make_document(*parts, ("heading", 1, title), *more), options)
    bodies = {chunk.id: chunk.body for chunk in after.chunks}
    for chunk in before.chunks[1:]:
        assert bodies[chunk.id].startswith(chunk.body)


@given(DOCUMENTS, options_of(st.just("section")))
def test_a_document_whose_text_is_just_within_the_bound_is_one_chunk(
    document: Document, options: ChunkingOptions
) -> None:
    large = options._replace(max_tokens=1_000_000, target_tokens=500_000)
    whole = chunked(document, large).chunks
    if not whole or whole[0].tokens < 8:
        return
    bound = whole[0].tokens
    least = min(options.min_tokens, bound // 4)
    exact = options._replace(max_tokens=bound, target_tokens=bound // 2, min_tokens=least)
    assert [chunk.tokens for chunk in chunked(document, exact).chunks] == [bound]
