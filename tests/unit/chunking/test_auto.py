"""`auto`: a body over the target gets pieces; everything else is a chunk as it is."""

from __future__ import annotations

from typing import Any

import pytest
from support.documents import Part, make_document, words

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Chunk, ChunkedDocument, Document
from leafmark.parsing import parse


def chunked(document: Document, *, target_tokens: int = 400, **sizes: Any) -> ChunkedDocument:
    options = ChunkingOptions(strategy="auto", target_tokens=target_tokens, **sizes)
    return chunk_document(document, tree="t", options=options)


def outline(result: ChunkedDocument) -> list[tuple[str, int]]:
    return [(chunk.id.removeprefix("t:p.md"), chunk.body_tokens) for chunk in result.chunks]


def pieces(result: ChunkedDocument) -> list[Chunk]:
    return [chunk for chunk in result.chunks if chunk.kind == "piece"]


def test_small_bodies_are_left_alone() -> None:
    document = make_document(("heading", 1, "A"), ("paragraph", words(390)))
    assert outline(chunked(document)) == [("", 0), ("#a", 390)]


def test_the_numbers_of_the_worked_example() -> None:
    document = make_document(
        ("front_matter", "title: Guide"),
        ("paragraph", "Preamble."),
        ("heading", 1, "Guide"),
        ("heading", 3, "Setup"),
        ("paragraph", "text a"),
        ("heading", 2, "Empty"),
        ("heading", 1, "Usage"),
        ("heading", 2, "Setup"),
        *[("paragraph", words(90))] * 10,
        ("heading", 2, "Setup"),
        ("paragraph", "x"),
        title="Guide",
    )
    result = chunked(document)
    rows = [(c.fragment, c.depth, c.position, c.sibling_count) for c in result.chunks[5:]]
    assert rows == [
        ("#setup-1~1", 3, 5, 3),
        ("#setup-1~2", 3, 6, 3),
        ("#setup-1~3", 3, 7, 3),
        ("#setup-2", 2, 8, 2),
    ]
    parent = result.chunks[4]
    assert (parent.id, parent.body, parent.last_position) == ("t:p.md#setup-1", "", 7)
    assert {piece.title for piece in pieces(result)} == {"Setup"}
    assert {piece.breadcrumb for piece in pieces(result)} == {"> Guide › Usage › Setup"}


def test_pieces_are_the_fewest_and_nearly_equal() -> None:
    document = make_document(*[("paragraph", words(50))] * 10)
    assert [piece.body_tokens for piece in pieces(chunked(document))] == [250, 250]


def test_a_leftover_is_shared_out_instead_of_making_a_piece_too_large() -> None:
    document = make_document(("paragraph", words(380)), ("paragraph", words(40)))
    sizes = [piece.body_tokens for piece in pieces(chunked(document))]
    assert len(sizes) == 2
    assert max(sizes) < 330


def test_a_leftover_of_text_without_blocks_is_shared_out_too() -> None:
    document = make_document(("paragraph", "#" * 40_000))
    sizes = [piece.body_tokens for piece in pieces(chunked(document, target_tokens=300))]
    assert len(sizes) == 3
    assert 100 < min(sizes) <= max(sizes) <= 300


def test_a_paragraph_is_cut_at_sentences() -> None:
    document = make_document(("paragraph", words(1000)))
    result = pieces(chunked(document))
    assert len(result) == 3
    assert all(piece.body.rstrip().endswith(".") for piece in result)


def test_text_without_sentences_is_cut_at_spaces_and_then_between_graphemes() -> None:
    document = make_document(("paragraph", "lorem ipsum " * 400))
    assert all(piece.body[-1] in " \n" for piece in pieces(chunked(document)))
    document = make_document(("paragraph", "👩\u200d👩\u200d👧" * 300))
    result = pieces(chunked(document))
    assert len(result) > 2
    assert all(piece.body.startswith("👩\u200d👩\u200d👧") for piece in result)


def test_code_is_never_cut() -> None:
    code = "\n".join(f"x{number} = {number}" for number in range(400))
    document = make_document(
        ("paragraph", words(300)), ("code", "py", code), ("paragraph", words(300))
    )
    result = pieces(chunked(document))
    assert [piece.content_type for piece in result] == ["prose", "code", "prose"]
    assert [piece.oversize for piece in result] == [False, True, False]
    assert code in result[1].body


def test_what_just_fits_is_not_called_oversize() -> None:
    source = "# A\n\nIntroduction.\n\n```\n" + "x y z\n" * 30 + "```\n"
    document = parse(source.encode(), "p.md")
    sizes = {"min_tokens": 2, "target_tokens": 20, "overlap_sentences": 0}
    *_, whole = chunked(document, **sizes).chunks
    found = [chunked(document, max_tokens=whole.tokens - less, **sizes) for less in (0, 1)]
    assert [result.chunks[-1].oversize for result in found] == [False, True]


def test_what_fits_below_a_shortened_breadcrumb_is_not_called_oversize() -> None:
    source = f"# {words(40)}\n\n## B\n\n```\n" + "x y z\n" * 21 + "```\n"
    document = parse(source.encode(), "p.md")
    sizes = {"min_tokens": 2, "target_tokens": 20}
    found = [chunked(document, max_tokens=most, **sizes).chunks[-1] for most in (92, 91)]
    assert [(chunk.tokens, chunk.oversize) for chunk in found] == [(92, False), (92, True)]


def test_code_is_cut_at_line_ends_when_asked() -> None:
    code = "\n".join(f"x{number} = {number}" for number in range(400))
    document = make_document(("code", "py", code))
    result = pieces(chunked(document, oversize_code="split"))
    assert len(result) > 3
    assert not any(piece.oversize for piece in result)
    assert all(piece.body.endswith("\n") for piece in result)


def test_each_part_of_code_that_is_cut_is_between_its_fences() -> None:
    lines = "".join(f"x{number} = {number}\n" for number in range(400))
    for source in (f"# A\n\nText.\n\n```py\n{lines}```\n\nMore.\n", f"~~~py\n{lines}~~~\n"):
        mark = "```" if "```" in source else "~~~"
        found = pieces(chunked(parse(source.encode(), "p.md"), oversize_code="split"))
        assert len(found) > 3
        for piece in found:
            shown = piece.text.partition("\n\n")[2].split("\n")
            assert shown.count(f"{mark}py") == shown.count(mark) == 1
        opening = source.index(f"{mark}py")
        spans = {piece.context_spans for piece in found[1:]}
        assert spans == {((opening, opening + len(f"{mark}py\n")),)}
        assert max(piece.body_tokens for piece in found) <= 400


def test_parts_of_code_are_within_the_bound_with_their_fences() -> None:
    lines = "".join(f"x{number} = {number}\n" for number in range(100))
    document = parse(f"Text.\n\n```python title=names.py\n{lines}```\n".encode(), "p.md")
    sizes = {"min_tokens": 10, "target_tokens": 60, "max_tokens": 60}
    found = pieces(chunked(document, oversize_code="split", **sizes))
    assert all(piece.tokens <= 60 for piece in found)
    assert all(piece.text.rstrip().endswith("```") for piece in found)


def test_blank_lines_in_code_that_is_cut_go_to_the_piece_before() -> None:
    code = "\n".join(f"x{number} = {number}\n  \n" for number in range(300))
    found = pieces(chunked(make_document(("code", "py", code)), oversize_code="split"))
    assert len(found) > 3
    assert all(piece.body.startswith("x") for piece in found[1:])


def test_blank_lines_below_the_code_of_a_footnote_go_with_it() -> None:
    code = "    code code code code\n" * 40
    source = f"[^1]:\n    ```\n{code}    ```\n\n{words(150)}\n"
    document = parse(source.encode(), "p.md")
    found = pieces(chunked(document, min_tokens=50, target_tokens=200))
    assert [piece.body[:5] for piece in found] == ["[^1]:", "Word "]


def test_a_single_block_that_cannot_be_cut_makes_no_piece() -> None:
    document = make_document(("heading", 1, "A"), ("code", "", "x y z\n" * 500))
    result = chunked(document)
    assert [chunk.fragment for chunk in result.chunks] == ["", "#a"]
    assert result.chunks[1].oversize


def test_a_table_is_whole_while_it_fits() -> None:
    rows = [f"key {number}" for number in range(70)]
    document = make_document(("paragraph", words(300)), ("table", rows), ("paragraph", words(300)))
    result = pieces(chunked(document))
    assert [piece.content_type for piece in result] == ["prose", "table", "prose"]
    assert 400 < result[1].body_tokens < 1000


def test_a_large_table_is_cut_between_rows_and_repeats_its_header() -> None:
    rows = [f"key {number}" for number in range(400)]
    document = make_document(("table", rows))
    result = pieces(chunked(document))
    header = "| Name | Value |\n|---|---|"
    assert len(result) > 4
    for piece in result:
        assert piece.body.startswith("|")
        assert piece.body.endswith("|\n") or piece is result[-1]
        assert piece.text.count(f"{header}\n| key ") == 1
        assert piece.tokens <= 1000
    assert [piece.context_spans for piece in result] == [(), *[((0, 27),)] * (len(result) - 1)]


def headed(header: str, row: str, *, titles: int = 1) -> Document:
    lines = [f"{'#' * level} {words(20)}\n" for level in range(1, titles + 1)]
    return parse("\n".join([*lines, header, *[row] * 20]).encode(), "p.md")


def test_a_wide_header_is_repeated_too() -> None:
    row = "| one and two " * 8 + "|"
    header = f"{row}\n{'|---' * 8}|"
    found = pieces(chunked(headed(header, row), target_tokens=120, max_tokens=125, min_tokens=20))
    assert len(found) > 1
    assert all(piece.text.count(header) == 1 for piece in found)
    assert max(piece.tokens for piece in found) <= 125


def test_a_header_that_is_too_large_to_be_repeated_is_not_torn() -> None:
    """READMEs have tables of contributors whose header is their first seven."""
    row = f"| {words(250)} | {words(250)} |"
    found = pieces(chunked(headed(f"{row}\n|---|---|", row), max_tokens=600))
    assert len(found) == 21
    assert all(row in piece.body for piece in found)


def test_a_long_breadcrumb_is_shortened_for_the_header_of_a_table() -> None:
    header, row = "| Name | Value |\n|---|---|", f"| {words(10)} | {words(10)} |"
    document = headed(header, row, titles=5)
    found = pieces(chunked(document, target_tokens=100, min_tokens=40, max_tokens=120))
    assert len(found) > 1
    assert all(piece.text.count(header) == 1 for piece in found)
    assert all(piece.text.startswith("> …") for piece in found)
    assert max(piece.tokens for piece in found) <= 120


def test_list_items_are_kept_whole() -> None:
    document = make_document(("list", [words(60) for _ in range(20)]))
    result = pieces(chunked(document))
    assert all(piece.body.startswith("- ") for piece in result)
    assert all(piece.body_tokens <= 400 for piece in result)


def test_pieces_counted_in_characters_are_the_fewest_too() -> None:
    document = make_document(*[("paragraph", "a" * length) for length in (780, 120, 110, 780)])
    sizes = {"min_tokens": 100, "target_tokens": 1000, "max_tokens": 2000}
    found = pieces(chunked(document, tokenizer="characters", **sizes))
    assert [piece.body_tokens for piece in found] == [904, 894]


def test_the_only_item_of_a_list_is_kept_whole() -> None:
    sentence = "word word word word word word word word word end."
    paragraphs = [" ".join([sentence] * number) for number in (4, 24, 11, 6, 8, 7)]
    item = "\n\n  ".join(paragraphs[3:])
    source = "\n\n".join([*paragraphs[:3], f"* {item}\n"])
    document = parse(source.encode(), "p.md")
    found = pieces(chunked(document, min_tokens=100, target_tokens=300))
    assert len(found) > 1
    assert found[-1].body.endswith(f"* {item}\n")


def test_front_matter_weighs_nothing_and_makes_no_piece() -> None:
    long = "\n".join(f"key{number}: {number}" for number in range(300))
    document = make_document(("front_matter", long), ("heading", 1, "A"), ("paragraph", words(20)))
    assert outline(chunked(document)) == [("", 0), ("#a", 20)]
    document = make_document(("front_matter", long), *[("paragraph", words(100))] * 5)
    first, _ = pieces(chunked(document))
    assert first.body.startswith("---")
    assert "key1" not in first.text


def test_a_body_of_the_size_of_the_bound_leaves_room_for_its_breadcrumb() -> None:
    document = make_document(("heading", 1, "A"), ("paragraph", words(80)))
    result = chunked(document, min_tokens=0, target_tokens=80, max_tokens=80)
    assert len(pieces(result)) == 2
    assert all(chunk.tokens <= 80 for chunk in result.chunks)


def test_a_shortened_breadcrumb_leaves_room_for_the_blank_line_below_it() -> None:
    document = make_document(("paragraph", "a" * 500), title="A long title of a document")
    sizes: dict[str, Any] = {"tokenizer": "characters", "min_tokens": 0, "max_tokens": 30}
    assert all(chunk.tokens <= 30 for chunk in chunked(document, target_tokens=30, **sizes).chunks)


def test_small_ranges_between_children_stay_the_body() -> None:
    document = make_document(
        ("heading", 1, "A"),
        *[("paragraph", words(100))] * 5,
        ("heading", 2, "B"),
        ("paragraph", words(20)),
        ("heading", 2, "Empty"),
    )
    result = chunked(document)
    parent = result.chunks[1]
    assert parent.body == "## Empty\n"
    assert [chunk.fragment for chunk in result.chunks] == ["", "#a", "#a~1", "#a~2", "#b"]
    assert result.slugs == {"a": 1, "b": 4, "empty": 1}


def test_blank_lines_between_children_make_no_piece() -> None:
    constants = "".join(f"NUMBER_{k} = 'value number {k} of many'\n" for k in range(40))
    functions = "".join(f"\n\ndef {name}():\n    return 1\n" for name in "abc")
    document = parse(f"{constants}{functions}\n\nY = 2\n".encode(), "p.py")
    result = chunked(document, min_tokens=0, target_tokens=300, max_tokens=300)
    fragments = [chunk.fragment for chunk in result.chunks]
    assert fragments == ["", "~1", "~2", "#a", "#b", "#c", "~3"]
    assert result.chunks[0].body.strip() == ""
    assert pieces(result)[2].body.strip() == "Y = 2"


def test_a_blank_line_above_code_that_is_kept_makes_no_piece() -> None:
    code = "".join(f"  make thing number {k}\n" for k in range(80))
    document = parse(f"# A\n\n- ```sh\n{code}  ```\n".encode(), "p.md")
    result = chunked(document, min_tokens=0, target_tokens=128, max_tokens=128)
    assert [chunk.fragment for chunk in result.chunks] == ["", "#a"]
    assert result.chunks[1].oversize


def test_a_run_of_blanks_goes_to_the_piece_before_whatever_its_size() -> None:
    source = f"# A\n\nSome words.{' ' * 500}More words.{' ' * 500}\n"
    sizes: dict[str, Any] = {"tokenizer": "characters", "min_tokens": 0, "max_tokens": 60}
    found = chunked(parse(source.encode(), "p.txt"), target_tokens=50, **sizes)
    assert all(piece.body.strip() for piece in pieces(found))
    assert "".join(chunk.body for chunk in found.chunks) == source
    assert all(chunk.tokens <= 60 for chunk in found.chunks)


def overlap(*parts: Part, **sizes: Any) -> list[list[str]]:
    result = chunked(make_document(*parts), **sizes)
    data = result.document.data
    return [[data[a:b].decode() for a, b in piece.context_spans] for piece in pieces(result)]


def test_overlap_is_the_last_sentences_of_the_piece_before() -> None:
    first = words(300) + " Last but one. Last one."
    assert overlap(("paragraph", first), ("paragraph", words(300))) == [
        [],
        ["Last but one. Last one.\n\n"],
    ]


def test_overlap_is_never_the_whole_piece_before() -> None:
    """What has no end of a sentence would be repeated whole, and be found twice."""
    endless, second = "word " * 299 + "word", "Word " * 149 + "word."
    assert overlap(("paragraph", endless), ("paragraph", endless)) == [[], []]
    two = ("paragraph", f"{second} {second}")
    assert overlap(two, ("paragraph", endless)) == [[], [second + "\n\n"]]


def test_the_mark_of_an_item_is_no_text_before_an_overlap() -> None:
    source = f"- {'word ' * 199}word\n\n  Its end.\n\n".encode() * 2
    found = pieces(chunked(parse(source, "p.md"), overlap_sentences=9))
    repeated = [source[a:b].decode() for piece in found for a, b in piece.context_spans]
    assert repeated == ["  Its end.\n\n"]


@pytest.mark.parametrize(
    ("between", "repeated"),
    [
        ("<!-- prettier-ignore -->\n\n", ["It is sold.\n\n"]),
        ("<!-- one\n\ntwo -->\n<!-- three -->\n\n", ["It is sold.\n\n"]),
        ("<!-- one -->\n\n<details>\n\n<div>\n\n", ["It is sold.\n\n"]),
        ("<p>Not this.</p>\n\n", []),
        ("</details>\n\n", []),
        ("```\ncode\n```\n\n<!-- after code -->\n\n", []),
    ],
)
def test_comments_and_opening_tags_are_no_end_of_an_overlap(
    between: str, repeated: list[str]
) -> None:
    """Other HTML is, as code is; whether a tag stands before the cut or behind it."""
    source = f"{words(250)}\n\nIt is sold.\n\n{between}{words(280)}\n".encode()
    result = chunked(parse(source, "p.md"), target_tokens=300, overlap_sentences=1)
    cut = source.index(b"Word", source.index(between.encode()))
    found = [source[a:b].decode() for piece in pieces(result) for a, b in piece.context_spans]
    assert len(pieces(result)) == 2
    assert cut - len(between) <= pieces(result)[1].byte_start <= cut
    assert found == repeated


def test_what_has_no_words_is_no_overlap() -> None:
    code = ("code", "", "x y z\n" * 50)
    document = make_document(code, ("paragraph", "..."), ("paragraph", words(290)))
    before, piece = pieces(chunked(document, target_tokens=300))
    assert before.body.endswith("...\n\n")
    assert piece.context_spans == ()


def test_no_overlap_when_it_is_switched_off() -> None:
    parts = [("paragraph", words(300))] * 2
    assert overlap(*parts, overlap_sentences=0) == [[], []]


def test_no_overlap_after_code() -> None:
    parts = [("paragraph", words(200)), ("code", "", "a b c\n" * 30), ("paragraph", words(300))]
    assert overlap(*parts) == [[], []]


def test_no_overlap_inside_of_code_that_is_cut() -> None:
    lines = "".join(f"call({k})  # Say what it does. Say why.\n" for k in range(200))
    document = make_document(("heading", 1, "A"), ("code", "py", lines))
    found = pieces(chunked(document, oversize_code="split"))
    assert len(found) > 4
    fence = document.data[: found[1].context_spans[0][1]].rpartition(b"```")
    assert fence[2] == b"py\n"
    assert len({chunk.context_spans for chunk in found[1:]}) == 1


def test_no_overlap_after_the_rows_of_a_table_that_began_before() -> None:
    table = ("table", [f"Key {k}. Has words" for k in range(150)])
    *rows, last = overlap(table, ("paragraph", words(390)))
    assert rows[1:] == [["| Name | Value |\n|---|---|\n"]] * (len(rows) - 1)
    assert last == []


def test_no_overlap_where_it_would_break_the_bound() -> None:
    parts = [("paragraph", words(300)), ("paragraph", words(390))]
    assert overlap(*parts, max_tokens=400, target_tokens=390, min_tokens=10)[1] == []


def test_the_blank_line_after_an_overlap_counts_where_sizes_are_small() -> None:
    sizes: dict[str, Any] = {
        "tokenizer": "characters",
        "min_tokens": 0,
        "target_tokens": 20,
        "max_tokens": 29,
    }
    document = make_document(("list", ["x`.x`.x`.x`.x`.x`.x`.x`."]))
    found = pieces(chunked(document, overlap_sentences=1, **sizes))
    assert len(found) > 1
    assert [chunk.text for chunk in found if len(chunk.text) > 29] == []


def test_text_is_breadcrumb_context_and_body() -> None:
    document = make_document(
        ("heading", 1, "A"),
        ("paragraph", words(250) + " One more. Two more."),
        ("paragraph", words(300)),
        title="Doc",
    )
    text = pieces(chunked(document))[1].text
    assert text == "> Doc › A\n\nOne more. Two more.\n\n" + words(300)


@pytest.mark.parametrize(("path", "carries"), [("a.txt", True), ("a.css", False)])
def test_no_overlap_of_source_code_that_is_read_as_text(path: str, *, carries: bool) -> None:
    source = "".join(f"It says what the lamp {k} does. It is on.\n\n" for k in range(200))
    found = pieces(chunked(parse(source.encode(), path)))
    assert len(found) > 3
    assert any(piece.context_spans for piece in found) == carries


def test_no_overlap_of_a_sentence_that_is_cut() -> None:
    source = "One lamp is here. " + "a, e.g. " * 2000
    found = pieces(chunked(parse(source.encode(), "p.md")))
    assert len(found) > 3
    assert {piece.context_spans for piece in found[1:]} == {()}
