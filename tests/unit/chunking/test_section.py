"""`section`: token-bounded chunks, cut from the top down."""

from __future__ import annotations

from typing import Any

import pytest
from support.documents import Part, make_document, words

from leafmark.chunking import ChunkingOptions, chunk_document, inspect_quality
from leafmark.model import Chunk, ChunkedDocument
from leafmark.parsing import parse


def chunked(*parts: Part, target_tokens: int = 400, **fields: Any) -> ChunkedDocument:
    options = ChunkingOptions(strategy="section", target_tokens=target_tokens, **fields)
    return chunk_document(make_document(*parts, title="Doc"), tree="t", options=options)


def show(chunk: Chunk) -> str:
    """`#slug~k (tokens) <covered slugs> flags`, where there is something to say."""
    covers = ",".join(covered.partition("#")[2] for covered in chunk.covers)
    flags = [name for name in ("undersize", "oversize") if getattr(chunk, name)]
    parts = [f"{chunk.fragment} ({chunk.body_tokens})", f"<{covers}>" if covers else "", *flags]
    return " ".join(part for part in parts if part)


def shape(*parts: Part, **fields: Any) -> list[str]:
    return [show(chunk) for chunk in chunked(*parts, **fields).chunks]


def section(level: int, title: str, tokens: int) -> list[Part]:
    return [("heading", level, title), ("paragraph", words(tokens))]


def test_a_document_that_fits_is_one_chunk() -> None:
    result = chunked(*section(1, "A", 300), *section(2, "B", 300), *section(1, "C", 300))
    (chunk,) = result.chunks
    assert chunk.kind == "document"
    assert chunk.is_complete_section
    assert result.slugs == {"a": 0, "b": 0, "c": 0}
    assert "## B" in chunk.body


@pytest.mark.parametrize(
    "source",
    [
        "# A\n\nRead this first.\n\n## B\n\nAsk it.\n\n## C\n\nWait.\n",
        f"# A\n\n{words(200)}\n\nDoes it end with a word?;\n",
        "# A\n\n" + "".join([f"## B\n\n{words(20)}\n\n"] * 150),
    ],
    ids=["sections", "a line end that makes the text smaller", "many sections"],
)
def test_what_fits_is_told_by_the_text_to_the_token(source: str) -> None:
    document = parse(source.encode(), "p.md")

    def count(max_tokens: int) -> int:
        options = ChunkingOptions(
            strategy="section", min_tokens=2, target_tokens=10, max_tokens=max_tokens
        )
        return len(chunk_document(document, tree="t", options=options).chunks)

    options = ChunkingOptions(strategy="section", max_tokens=10_000)
    (chunk,) = chunk_document(document, tree="t", options=options).chunks
    assert (count(chunk.tokens), count(chunk.tokens - 1)) == (1, 2)


@pytest.mark.parametrize(
    ("title", "parts", "count"),
    [
        ("Doc", section(1, "A", 300), 1),
        (words(90), section(1, "A", 300), 4),
        ("Doc", [*section(1, "A", 250), *section(1, words(90), 300)], 5),
    ],
)
def test_a_long_breadcrumb_leaves_less_room(title: str, parts: list[Part], count: int) -> None:
    options = ChunkingOptions(strategy="section", min_tokens=20, target_tokens=360, max_tokens=390)
    found = chunk_document(make_document(*parts, title=title), tree="t", options=options).chunks
    assert len(found) == count
    assert all(chunk.tokens <= 390 for chunk in found)


RUSSIAN = "Сначала скачайте последнюю версию программы с официального сайта. "
HINDI = "पहले आधिकारिक वेबसाइट से नवीनतम संस्करण डाउनलोड करें और स्थापना फ़ाइल चलाएँ। "


@pytest.mark.parametrize(
    ("body", "tokenizer"),
    [
        ((RUSSIAN * 3 + "\n\n") * 25, "o200k_base"),
        ((HINDI * 3 + "\n\n") * 10, "o200k_base"),
        ("| a |" + " " * 400 + "|\n|" + "-" * 600 + "|---|\n| b | c |\n" * 9, "o200k_base"),
        ("Word.\n" * 40 + " \n" * 60 + "Word.\n" + "\n" * 300, "characters"),
    ],
    ids=["two bytes a letter", "three bytes a letter", "padding", "blank lines in characters"],
)
def test_what_weighs_little_for_its_bytes_is_one_chunk_where_it_fits(
    body: str, tokenizer: str
) -> None:
    document = parse(f"# A\n\n{body}".encode(), "p.md")
    large = ChunkingOptions(strategy="section", tokenizer=tokenizer, max_tokens=100_000)
    (whole,) = chunk_document(document, tree="t", options=large).chunks
    options = ChunkingOptions(
        strategy="section", tokenizer=tokenizer, min_tokens=2, max_tokens=whole.tokens
    )
    (chunk,) = chunk_document(document, tree="t", options=options).chunks
    assert chunk.body_spans == ((0, len(document.data)),)


def test_a_small_body_below_a_long_heading_goes_to_its_neighbour() -> None:
    *_, piece, last = chunked(
        *section(1, "A", 1200),
        *section(2, "B", 300),
        *section(2, words(20), 90),
        *section(2, "C", 500),
    ).chunks
    assert (piece.body_tokens, len(piece.covers)) == (414, 2)
    assert show(last) == "#c (500)"


def test_so_it_does_where_the_heading_is_longer_than_the_body() -> None:
    *_, last = chunked(
        *section(1, "A", 1200), *section(2, "B", 300), *section(2, words(250), 90)
    ).chunks
    assert len(last.covers) == 2


def test_a_neighbour_over_the_target_takes_what_stays_within_the_bound() -> None:
    *_, piece = chunked(
        *section(1, "A", 1200), *section(2, "B", 700), *section(2, words(20), 90)
    ).chunks
    assert (piece.body_tokens, len(piece.covers)) == (814, 2)
    assert not piece.oversize


def test_sections_that_fit_are_chunks_and_others_are_entered() -> None:
    result = chunked(
        *section(1, "A", 300),
        *section(2, "B", 300),
        *section(2, "C", 600),
        *section(1, "D", 500),
    )
    assert [show(chunk) for chunk in result.chunks] == [
        " (0)",
        "#a (300)",
        "#b (300)",
        "#c (600)",
        "#d (500)",
    ]
    assert [chunk.is_complete_section for chunk in result.chunks] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_markdown_heading_extraction() -> None:
    source = (
        b"# A\n\none\n\n### Deep *one*\n\ntwo\n\nB `code`\n========\n\nthree\n\n"
        b"```\n# no heading\n```\n\n> # nor this\n\n## C #\n\nfour\n"
    )
    options = ChunkingOptions(strategy="heading")
    chunks = chunk_document(parse(source, "p.md"), tree="t", options=options).chunks
    assert [(chunk.depth, chunk.title, chunk.parent_id) for chunk in chunks] == [
        (0, "A", None),
        (1, "A", "t:p.md"),
        (3, "Deep one", "t:p.md#a"),
        (1, "B code", "t:p.md"),
        (2, "C", "t:p.md#b-code"),
    ]


def test_large_section_splitting() -> None:
    assert shape(("heading", 1, "A"), *[("paragraph", words(100))] * 12) == [
        " (0)",
        "#a (0)",
        "#a~1 (400)",
        "#a~2 (400)",
        "#a~3 (400)",
    ]


def test_small_section_merging() -> None:
    result = chunked(
        *section(1, "A", 300),
        *section(2, "One", 40),
        *section(2, "Two", 40),
        *section(2, "Three", 40),
        *section(2, "Large", 700),
    )
    assert [show(chunk) for chunk in result.chunks] == [
        " (0)",
        "#a (0)",
        "#a~1 (300)",
        "#a~2 (129) <one,two,three>",
        "#large (700)",
    ]
    piece = result.chunks[3]
    assert piece.body.startswith("## One\n")
    assert piece.section_path == ("Doc", "A")
    assert result.slugs["two"] == 3


def test_an_introduction_goes_to_the_first_child() -> None:
    assert shape(*section(1, "A", 20), *section(2, "B", 500), *section(2, "C", 600)) == [
        " (0)",
        "#a (0)",
        "#a~1 (523) <b>",
        "#c (600)",
    ]


def test_a_small_last_child_goes_back() -> None:
    assert shape(
        *section(1, "A", 200), *section(2, "B", 500), *section(2, "C", 600), *section(2, "D", 30)
    ) == [" (0)", "#a (0)", "#a~1 (200)", "#b (500)", "#a~2 (636) <c,d>"]


def test_siblings_are_not_mixed_when_none_is_small() -> None:
    assert shape(
        *section(1, "A", 200), *section(2, "B", 150), *section(2, "C", 150), *section(2, "D", 700)
    ) == [" (0)", "#a (200)", "#b (150)", "#c (150)", "#d (700)"]


def test_h1_sections_are_never_mixed() -> None:
    assert shape(
        ("paragraph", words(30)),
        *section(1, "A", 40),
        *section(1, "B", 40),
        ("heading", 1, "C"),
        *[("paragraph", words(400))] * 3,
    ) == [
        " (30) undersize",
        "#a (40) undersize",
        "#b (40) undersize",
        "#c (0)",
        "#c~1 (400)",
        "#c~2 (400)",
        "#c~3 (400)",
    ]


def test_a_leftover_between_entered_sections_is_undersize() -> None:
    result = shape(
        ("heading", 1, "A"),
        *section(2, "B", 1200),
        *section(2, "C", 30),
        *section(2, "D", 1200),
    )
    assert result[2].startswith("#b ")
    assert "#c (30) undersize" in result


def test_documents_without_h1_pack_their_small_sections() -> None:
    result = shape(*[part for k in range(30) for part in section(2, f"S{k}", 50)])
    assert len(result) == 6
    assert all("~" in line for line in result[1:])


def test_small_functions_of_a_script_are_packed() -> None:
    from leafmark.model import Document, Heading

    source = b"".join(b"def f%d():\n    return %d\n\n" % (k, k) for k in range(300))
    at = 0
    headings = []
    for k in range(300):
        end = source.index(b"\n\n", at) + 2
        headings.append(
            Heading(1, f"def f{k}()", "", at, at, limit=end, slug_path=f"f{k}", line_offset=at)
        )
        at = end
    document = Document("s.py", source, "script", "s", headings=tuple(headings))
    result = chunk_document(document, tree="t", options=ChunkingOptions(strategy="section"))
    assert {chunk.kind for chunk in result.chunks[1:]} == {"piece"}
    assert all(100 <= chunk.body_tokens <= 400 for chunk in result.chunks[1:])
    assert [covered for chunk in result.chunks for covered in chunk.covers] == [
        f"t:s.py#f{k}" for k in range(300)
    ]


def test_a_blank_line_behind_a_method_goes_to_the_piece_that_the_method_is_in() -> None:
    def method(name: str, lines: int) -> str:
        code = "".join(f"        x{at} = compute(y{at}, z{at})\n" for at in range(lines))
        return f"    def {name}(self):\n        pass\n{code}\n"

    source = f"class A:\n\n{method('small', 0)}{method('large', 5)}{method('other', 30)}".encode()
    options = ChunkingOptions(strategy="section", min_tokens=15, target_tokens=60, max_tokens=110)
    _, a, piece, *others = chunk_document(parse(source, "p.py"), tree="t", options=options).chunks
    assert [chunk.fragment for chunk in (a, piece, others[0])] == ["#A", "#A~1", "#A.other"]
    assert piece.covers == ("t:p.py#A.small", "t:p.py#A.large")
    assert (a.body_spans, piece.body_spans[-1][1]) == ((), source.index(b"    def other"))


def test_code_block_integrity() -> None:
    code = "\n".join(f"print({number})" for number in range(150))
    result = chunked(("heading", 1, "A"), *[("paragraph", words(300)), ("code", "py", code)] * 3)
    assert sum(code in chunk.body for chunk in result.chunks) == 3


def test_table_integrity() -> None:
    rows = [f"key {number}" for number in range(80)]
    result = chunked(("heading", 1, "A"), *[("paragraph", words(300)), ("table", rows)] * 3)
    assert sum("key 0 " in chunk.body and "key 79 " in chunk.body for chunk in result.chunks) == 3


def test_section_path_accuracy() -> None:
    result = chunked(
        *section(1, "Critical Rules", 20),
        *section(2, "Naming", 500),
        *section(4, "Deep", 600),
        *section(3, "Less deep", 500),
    )
    paths = {chunk.fragment: chunk.section_path for chunk in result.chunks}
    assert paths["#deep"] == ("Doc", "Critical Rules", "Naming", "Deep")
    assert paths["#less-deep"] == ("Doc", "Critical Rules", "Naming", "Less deep")


def test_a_section_at_the_bound_takes_in_no_more_than_its_heading_leaves() -> None:
    result = chunked(
        *section(2, "Large", 90),
        *section(2, "Small", 90),
        *section(2, "Entered", 150),
        min_tokens=95,
        target_tokens=95,
        max_tokens=96,
    )
    assert all(chunk.tokens < 96 + 95 for chunk in result.chunks)


def test_a_section_takes_in_small_ones_on_both_sides_while_the_text_is_little_over_the_bound() -> (
    None
):
    """What it has taken in may come to more than `min_tokens` where it was below the bound."""
    result = chunked(
        *section(1, "A", 90),
        *section(2, "Large", 850),
        *section(2, "Small", 90),
        *section(2, "Entered", 1200),
    )
    assert [show(chunk) for chunk in result.chunks[1:3]] == ["#a (0)", "#a~1 (1036) <large,small>"]
    assert result.chunks[2].tokens < 1000 + 100
    assert not result.chunks[2].oversize


def test_a_leftover_beside_a_piece_that_cannot_take_it_is_a_piece() -> None:
    """As the body of its section it would come before the text that it follows."""
    result = chunked(
        *[("paragraph", words(60))] * 3, min_tokens=80, target_tokens=80, max_tokens=80
    )
    assert [show(chunk) for chunk in result.chunks] == [
        " (0)",
        "~1 (120)",
        "~2 (60) undersize",
    ]


def test_undersize_is_told_by_the_body_as_it_is_counted() -> None:
    """Ranges that are counted apart come to more than the body: `x` and ` y` are no two words."""
    parts = [("heading", 1, "A"), ("paragraph", "word"), *section(2, "B", 200)] * 1
    result = chunked(
        *parts,
        ("heading", 2, "Gone"),
        *section(2, "C", 200),
        min_tokens=6,
        target_tokens=100,
        max_tokens=150,
    )
    for chunk in result.chunks:
        assert chunk.undersize == (0 < chunk.body_tokens < 6)


def test_discarded_and_nested_headings_lead_to_the_section_that_holds_them() -> None:
    result = chunked(
        *section(1, "A", 200),
        ("nested", "Quoted"),
        ("heading", 2, "Gone"),
        *section(2, "B", 900),
    )
    a = result.chunks[1]
    assert (a.fragment, result.slugs["quoted"], result.slugs["gone"]) == ("#a", 1, 1)
    assert a.body.endswith("> # Quoted\n## Gone\n")


def test_ids_are_stable_under_edits_elsewhere() -> None:
    parts = [part for k in range(8) for part in section(2, f"S{k}", 300)]
    before = {chunk.id: chunk.body for chunk in chunked(*parts).chunks}
    after = {chunk.id: chunk.body for chunk in chunked(*parts, *section(2, "New", 300)).chunks}
    assert before.items() <= after.items()


def test_html_in_markdown_is_cut_between_its_elements() -> None:
    """Sponsors, logos and badges: no piece begins inside a tag, with an end tag or behind a tag."""
    cell = """\
    <td align="center">
      <a href="https://example.org/{0}">
        <img
          src="https://example.org/{0}/logo-of-the-company.png"
          width="150"
        /></a>
      Company {0} gives us money, machines and the time of its people, year after year.
    </td>
"""
    cells = [cell.format(k) for k in range(120)]
    source = "# A\n\n<table>\n  <tr>\n" + "".join(cells) + "  </tr>\n</table>\n"
    options = ChunkingOptions(strategy="section", max_tokens=300, target_tokens=200, min_tokens=20)
    found = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    bodies = [chunk.body for chunk in found.chunks if chunk.kind == "piece"]
    assert len(bodies) > 8
    assert all(body.lstrip().startswith(("<table>", "<td ")) for body in bodies)
    assert all(any(one in body for body in bodies) for one in cells)


def test_a_row_of_html_in_markdown_is_cut_between_its_cells_only_where_it_must() -> None:
    rows = [f"<tr>\n<td>name {k}</td>\n<td>What the name is for.</td>\n</tr>\n" for k in range(40)]
    large = "<tr>\n" + "".join(f"<td>{words(20)}</td>\n" for _ in range(20)) + "</tr>\n"
    source = "# A\n\n<table>\n" + "".join(rows) + large + "</table>\n"
    options = ChunkingOptions(strategy="section", max_tokens=300, target_tokens=200, min_tokens=20)
    found = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    bodies = [chunk.body for chunk in found.chunks if chunk.kind == "piece"]
    assert all(any(row in body for body in bodies) for row in rows)
    assert sum(body.startswith("<td>") for body in bodies) > 1


def test_leftovers_over_the_bound_are_oversize() -> None:
    """Statements between definitions that are entered: each is too small for a piece."""
    method = "    def {0}(self):\n" + '        return "' + words(80) + '"\n'
    source = "".join(
        f"\nregister({name!r}, {words(20)!r})\n\nclass {name}:\n"
        + "".join(method.format(f"m{number}") for number in range(4))
        for name in ("A", "B", "C", "D", "E", "F")
    )
    options = ChunkingOptions(strategy="section", min_tokens=30, target_tokens=100, max_tokens=120)
    found = chunk_document(parse(source.encode(), "p.py"), tree="t", options=options)
    own = found.chunks[0]
    assert own.tokens > options.max_tokens
    assert (own.oversize, own.undersize) == (True, False)
    assert [one for one in inspect_quality(found, options=options) if not one.excused] == []


def test_a_title_that_leaves_a_shortened_breadcrumb_makes_no_room_in_it() -> None:
    source = (
        f"# Doc\n\n## {'long ' * 40}\n\n{'a ' * 5}\n\n### {'name ' * 18}\n\n{'word ' * 63}\n\n"
        f"### C\n\n{'b ' * 5}\n\n### D\n\n{'more ' * 90}\n"
    )
    options = ChunkingOptions(strategy="section", min_tokens=10, target_tokens=60, max_tokens=100)
    result = chunk_document(parse(source.encode(), "p.md"), tree="t", options=options)
    findings = inspect_quality(result, options=options)
    assert [finding for finding in findings if not finding.excused] == []


def test_blanks_make_no_piece() -> None:
    """Below long text, above code that is kept, and between definitions."""
    code = "".join(f"  make thing number {k}\n" for k in range(80))
    options = ChunkingOptions(
        strategy="section", tokenizer="characters", min_tokens=0, target_tokens=50, max_tokens=60
    )
    for source, name in [
        (f"Some words.{' ' * 500}More words.{' ' * 500}\n", "p.md"),
        (f"# A\n\n- ```sh\n{code}  ```\n\n## B\n\nText.\n", "p.md"),
        ("X = 'some long text'\n\n\ndef a():\n    return 1\n\n\nY = 2\n" * 4, "p.py"),
    ]:
        found = chunk_document(parse(source.encode(), name), tree="t", options=options).chunks
        assert len(found) > 2
        assert all(chunk.has_content for chunk in found if chunk.kind == "piece")
        assert all(chunk.tokens <= 60 for chunk in found if not chunk.oversize)
