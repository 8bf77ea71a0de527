"""The record of a chunk: its keys, their order, and what stands in them."""

from __future__ import annotations

import hashlib
import json
import pickle

import pytest
from support.documents import Part, make_document, words

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.errors import UsageError
from leafmark.model import Chunk, ChunkedDocument, ChunkRecord, Document, Heading, Link, Span
from leafmark.parsing import parse

KEYS = (
    *("id", "ordinal_id", "doc_id", "parent_id", "tree", "path", "kind", "title", "slug"),
    *("depth", "position", "breadcrumb", "section_path", "sibling_count", "sibling_ids"),
    *("prev_id", "next_id", "covers", "heading_start", "heading_end", "byte_start", "byte_end"),
    *("line_start", "line_end", "content_type", "block_types", "is_complete_section"),
    *("oversize", "undersize", "tokens", "body_tokens", "tags", "version", "metadata", "links"),
    *("encoding", "body", "text", "context_spans", "sha256"),
)


def chunked(document: Document) -> ChunkedDocument:
    return chunk_document(document, tree="t", options=ChunkingOptions(strategy="heading"))


def example() -> Document:
    return make_document(
        ("front_matter", "title: Guide"),
        ("heading", 1, "Guide"),
        ("paragraph", "See [setup](#setup) and more.  \n\n\n"),
        ("heading", 2, "Setup"),
        ("code", "sh", "    make"),
        ("heading", 2, "Gone"),
        title="Guide",
        path="a b#1.md",
        links=(Link(33, 48, "#setup"), Link(49, 51, "https://example.org", "autolink")),
        tags=("x", "y"),
        version="3",
        metadata={"title": "Guide"},
    )


def test_the_record() -> None:
    result = chunked(example())
    record = result.chunks[1].to_dict()
    assert tuple(record) == KEYS
    assert json.loads(json.dumps(record)) == record
    body = "See [setup](#setup) and more.  \n\n\n\n\n## Gone\n"
    raw = result.document.data[29:]
    assert record == {
        "id": "t:a b%231.md#guide",
        "ordinal_id": "t:a b%231.md.1",
        "doc_id": "t:a b%231.md",
        "parent_id": "t:a b%231.md",
        "tree": "t",
        "path": "a b#1.md",
        "kind": "section",
        "title": "Guide",
        "slug": "guide",
        "depth": 1,
        "position": 1,
        "breadcrumb": "> Guide",
        "section_path": ["Guide"],
        "sibling_count": 1,
        "sibling_ids": [],
        "prev_id": "t:a b%231.md",
        "next_id": "t:a b%231.md#setup",
        "covers": [],
        "heading_start": 21,
        "heading_end": 29,
        "byte_start": 29,
        "byte_end": len(result.document.data),
        "line_start": 4,
        "line_end": 15,
        "content_type": "prose",
        "block_types": ["paragraph"],
        "is_complete_section": False,
        "oversize": False,
        "undersize": False,
        "tokens": result.count_tokens("> Guide\n\nSee [setup](#setup) and more.\n\n## Gone"),
        "body_tokens": result.count_tokens(body),
        "tags": ["x", "y"],
        "version": "3",
        "metadata": {"title": "Guide"},
        "links": [
            {
                "target": "#setup",
                "kind": "link",
                "byte_start": 33,
                "byte_end": 48,
                "id": "t:a b%231.md#setup",
            },
            {
                "target": "https://example.org",
                "kind": "autolink",
                "byte_start": 49,
                "byte_end": 51,
                "id": None,
            },
        ],
        "encoding": "utf-8",
        "body": body,
        "text": "> Guide\n\nSee [setup](#setup) and more.\n\n## Gone",
        "context_spans": [],
        "sha256": hashlib.sha256(raw).hexdigest(),
    }


def test_code_is_dedented_and_its_fences_stay() -> None:
    setup = chunked(example()).chunks[2]
    assert setup.text == "> Guide › Setup\n\n```sh\nmake\n```"
    assert (setup.content_type, setup.languages) == ("code", ("sh",))


@pytest.mark.parametrize("strategy", ["auto", "section", "fixed"])
@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (("list", [words(20)] * 80), "list"),
        (("table", [words(10)] * 120), "table"),
        (("paragraph", words(1600)), "paragraph"),
        (("code", "sh", "make it\n" * 400), "code"),
    ],
)
def test_a_piece_that_begins_inside_a_block_is_made_of_it(
    strategy: Strategy, part: Part, kind: str
) -> None:
    options = ChunkingOptions(strategy=strategy, oversize_code="split")
    document = make_document(("heading", 1, "A"), part, title="Doc")
    pieces = [c for c in chunk_document(document, tree="t", options=options).chunks if c.piece]
    assert len(pieces) > 2
    for piece in pieces:
        assert piece.block_types == (kind,)
        assert piece.content_type == ("prose" if kind == "paragraph" else kind)
        assert piece.languages == (("sh",) if kind == "code" else ())


def test_a_body_that_ends_inside_a_block_is_weighed_without_the_rest() -> None:
    options = ChunkingOptions(strategy="fixed", fixed_tokens=100, fixed_overlap=0)
    document = make_document(("code", "", "x = 1\n" * 20), ("paragraph", words(400)))
    first, *_ = chunk_document(document, tree="t", options=options).chunks[1:]
    assert first.content_type == "code"


def test_headings_that_are_too_deep_for_a_section_are_content() -> None:
    def made_of(heading_levels: int) -> tuple[str, tuple[str, ...]]:
        options = ChunkingOptions(strategy="heading", heading_levels=heading_levels)
        document = parse(b"# A\n\n### B\n\n### C\n\n# D\n\nx\n", "p.md")
        chunk = chunk_document(document, tree="t", options=options).chunks[1]
        assert chunk.body == "\n### B\n\n### C\n\n"
        return chunk.content_type, chunk.block_types

    assert made_of(2) == ("prose", ("heading",))
    assert made_of(6) == ("empty", ())


def test_a_window_that_ends_inside_a_deep_heading_is_made_of_it() -> None:
    options = ChunkingOptions(strategy="fixed", fixed_tokens=20, fixed_overlap=0, heading_levels=2)
    document = parse(f"### {words(60)}\n\n- x\n".encode(), "p.md")
    first, second, *_, last = chunk_document(document, tree="t", options=options).chunks[1:]
    assert (first.block_types, second.block_types) == (("heading",), ("heading",))
    assert last.block_types == ("heading", "list")


def test_siblings_are_looked_up_when_they_are_asked_for() -> None:
    result = chunked(make_document(*[("heading", 2, "T"), ("paragraph", "x")] * 3))
    root, first, second, third = result.chunks
    assert root.sibling_ids == ()
    assert second.sibling_ids == (first.id, third.id)
    assert "child_ids" not in chunked(example()).__dict__
    assert json.loads(json.dumps(third.to_dict()))["sibling_ids"] == [first.id, second.id]


def test_front_matter_is_in_the_body_and_not_in_the_text() -> None:
    root = chunked(example()).chunks[0]
    assert root.body == "---\ntitle: Guide\n---\n"
    assert (root.text, root.content_type, root.body_tokens) == ("> Guide", "empty", 0)


def test_line_ends_and_a_byte_order_mark_do_not_change_the_text() -> None:
    plain = make_document(("heading", 1, "A"), ("paragraph", "one\n\ntwo"))
    data = b"\xef\xbb\xbf" + plain.data.replace(b"\n", b"\r\n")
    windows = Document(
        "p.md", data, "markdown", "A", headings=(Heading(1, "A", "A", 3, 8, len(data)),)
    )
    assert [chunk.text for chunk in chunked(windows).chunks] == [
        chunk.text for chunk in chunked(plain).chunks
    ]


def test_dropped_bytes_are_in_no_body() -> None:
    data = b"<p>one</p><script>no</script><p>two</p>"
    document = Document("p.html", data, "html", "p", dropped_spans=(Span(10, 29),))
    (chunk,) = chunked(document).chunks
    assert chunk.body == "<p>one</p><p>two</p>"
    assert chunk.raw == data


def test_undecodable_bytes_of_a_path_are_escaped() -> None:
    document = make_document(("paragraph", "x"), path="caf\udce9.md", title="caf")
    record = chunked(document).chunks[0].to_dict()
    assert (record["path"], record["id"]) == ("caf%E9.md", "t:caf%E9.md")


def test_blank_sources_make_no_chunk() -> None:
    for source in (b"", b" \r\n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"):
        result = chunked(Document("p.md", source, "markdown", "p"))
        assert (tuple(result.chunks), dict(result.slugs)) == ((), {})


def test_anchors_definitions_and_limits() -> None:
    source = b"# Note\nclass A:\n  def f(self): ...\n\nx = 1\n"
    headings = (
        Heading(1, "class A", "", 0, 0, limit=35, slug_path="A", line_offset=7),
        Heading(2, "def f(self)", "", 16, 16, limit=35, slug_path="A.f", line_offset=16),
    )
    result = chunked(Document("s.py", source, "script", "s", headings=headings))
    rows = [(c.fragment, c.body, c.line_start, c.heading_start) for c in result.chunks]
    assert rows == [
        ("", "\nx = 1\n", 1, None),
        ("#A", "# Note\nclass A:\n", 2, None),
        ("#A.f", "  def f(self): ...\n", 3, None),
    ]


def test_a_section_ends_at_its_limit_and_holds_what_is_in_it() -> None:
    source = b"<main><h1>A</h1><p>x</p></main><main><h2>B</h2><p>y</p></main>"
    headings = (
        Heading(1, "A", "A", 6, 16, limit=24, anchor="top"),
        Heading(2, "B", "B", 37, 47, limit=55),
    )
    result = chunked(Document("p.html", source, "html", "A", headings=headings))
    assert [(c.fragment, c.parent_id) for c in result.chunks[1:]] == [
        ("#top", "t:p.html"),
        ("#b", "t:p.html"),
    ]


def test_pickles_keep_document_and_chunks_together() -> None:
    result = chunked(example())
    chunk = pickle.loads(pickle.dumps(result.chunks[2]))
    assert (chunk.id, chunk.text) == (result.chunks[2].id, result.chunks[2].text)
    assert chunk.owner.chunks[2] == chunk
    assert repr(chunk) == "<Chunk t:a b%231.md#setup [74:94)>"


def test_a_breadcrumb_that_breaks_the_bound_is_cut_from_the_left() -> None:
    document = make_document(
        ("heading", 1, "A " * 300), ("heading", 2, "B"), ("paragraph", words(50)), title="Doc"
    )
    options = ChunkingOptions(strategy="auto", min_tokens=10, target_tokens=50, max_tokens=100)
    chunk = chunk_document(document, tree="t", options=options).chunks[-1]
    assert chunk.text == "> … › B\n\n" + words(50)
    assert chunk.breadcrumb.startswith("> Doc › A A")


def test_a_heading_without_words_is_no_part_of_a_path() -> None:
    source = b"# ![](x.png)\n\nHello.\n\n## Usage\n\nRun it.\n"
    found = chunk_document(parse(source, "p.md"), tree="t").chunks
    paths = {chunk.fragment: chunk.section_path for chunk in found}
    assert paths == {"": ("p",), "#heading": ("p",), "#usage": ("p", "Usage")}
    assert found[1].text == "> p\n\nHello."


def test_a_record_is_read_back_as_it_was() -> None:
    for chunk in chunked(example()).chunks:
        line = json.dumps(chunk.to_dict())
        record = ChunkRecord.from_dict(json.loads(line))
        assert record == Chunk.from_dict(chunk.to_dict())
        assert json.dumps(record.to_dict()) == line
        assert record._fields == KEYS
        assert record.context_spans == chunk.context_spans
    assert record.tags == ("x", "y")


def test_keys_that_came_later_do_not_disturb_and_missing_ones_are_named() -> None:
    record = chunked(example()).chunks[0].to_dict()
    assert ChunkRecord.from_dict(record | {"mood": "good"}).to_dict() == record
    del record["slug"]
    with pytest.raises(UsageError) as missing:
        ChunkRecord.from_dict(record)
    assert missing.value.message == "the record of a chunk has no `slug`"
    assert missing.value.hint == "`leafmark chunk --jsonl` prints whole records, one a line"
