"""Tables that Markdown writes in HTML: cut between rows, and read under their header."""

from __future__ import annotations

import pytest

import leafmark
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import Chunk
from leafmark.parsing import parse

HEADER = "<table>\n<tr>\n<th>Name</th>\n<th>Meaning</th>\n</tr>\n"
ROW = "<tr>\n<td>\n<b>option{}</b>\n\n</td>\n<td>\nIt says how *large* it is.\n\n</td>\n</tr>\n"


def chunks(text: str) -> list[Chunk]:
    options = ChunkingOptions(min_tokens=20, target_tokens=120)
    return [*chunk_document(parse(text.encode(), "a.md"), tree="t", options=options).chunks]


def pieces(text: str) -> list[Chunk]:
    """The pieces of a text without headings: nothing is lost or doubled."""
    found = [chunk for chunk in chunks(text) if chunk.kind == "piece"]
    assert "".join(piece.body for piece in found) == text
    return found


def table(count: int, *, header: str = HEADER, row: str = ROW) -> str:
    return header + "".join(row.format(number) for number in range(count)) + "</table>\n"


def test_it_is_cut_between_rows_whatever_blank_lines_stand_in_them() -> None:
    found = pieces(f"Before.\n\n{table(30)}\nBehind.\n")

    assert len(found) > 2
    assert all(piece.body.startswith("<tr>\n<td>\n<b>option") for piece in found[1:])
    assert all(piece.body.rstrip().endswith("</tr>") for piece in found[:-1])


def test_pieces_carry_the_header_in_their_text_alone() -> None:
    first, second, *_ = pieces(table(30))

    assert first.body.startswith(HEADER)
    assert not first.context_spans
    assert second.text.startswith("> a\n\nName\nMeaning\noption")
    assert second.context_spans == ((0, len(HEADER)),)


@pytest.mark.parametrize(
    ("header", "is_one"),
    [
        ("<table>\n<thead>\n<tr><td>a</td></tr>\n<tr><td>b</td></tr>\n</thead>\n<tbody>\n", True),
        ("<table>\n<TR><TH>a</TH></TR>\n", True),
        ("<table>\n<tr>\n<td> </td><th>a</th></tr>\n", True),
        ("<table>\n<!-- <tr><td>x</td></tr> -->\n<tr><th>a</th></tr>\n", True),
        ("<table>\n<tr><th>a</th><td>b</td></tr>\n", False),
        ("<table>\n<tr><td>a</td><th>b</th></tr>\n", False),
        ("<table>\n", False),
    ],
)
def test_a_header_is_a_thead_or_a_first_row_of_header_cells(header: str, is_one: bool) -> None:
    later = pieces(table(30, header=header))[1:]

    assert later
    assert all(bool(piece.context_spans) == is_one for piece in later)


def test_tables_beside_each_other_have_each_its_own_header() -> None:
    other = HEADER.replace("Name", "Code")
    text = table(30) + table(30, header=other)

    found = pieces(text)

    assert [piece.text.count("Meaning") for piece in found] == [
        piece.body.count("Meaning") + (not piece.body.startswith("<table")) for piece in found
    ]
    assert "Code" in found[-1].text
    assert "Name" not in found[-1].text


def test_rows_of_a_table_inside_another_are_no_rows_of_it() -> None:
    inner = "<table>\n<tr><th>inner</th></tr>\n<tr><td>x</td></tr>\n</table>\n"
    row = f"<tr>\n<td>option{{}}</td>\n<td>\n{inner}</td>\n</tr>\n"

    later = pieces(table(40, row=row))[1:]

    assert later
    assert all(piece.body.startswith("<tr>\n<td>option") for piece in later)


def test_a_row_that_is_too_large_is_cut_between_its_blocks_and_no_code_is() -> None:
    code = "```js\n" + "call(1);\n" * 60 + "```\n"
    row = f"<tr>\n<td>\n\n{code}\n</td>\n<td>\n\n{'Some words here. ' * 60}\n\n</td>\n</tr>\n"

    found = pieces(table(3, row=row))

    assert sum(code in piece.body for piece in found) == 3
    assert all(piece.body_tokens <= 140 for piece in found if "call" not in piece.body)


def test_what_is_not_closed_in_its_section_is_no_table() -> None:
    text = HEADER + ROW.format(1) * 6 + "\n## Next\n\n" + ROW.format(2) * 12 + "</table>\n"

    assert not any(HEADER in chunk.text for chunk in chunks(text)[2:])


def test_what_html_says_behind_a_table_is_cut_too() -> None:
    text = table(2) + "".join(f"<p>Text number {number} of these.</p>\n" for number in range(60))

    assert all(piece.body_tokens <= 140 for piece in pieces(text))


def test_the_work_grows_with_the_tables() -> None:
    text = table(3) * 2_000 + "\n" + table(6_000)

    assert len(leafmark.chunk(text, path="a.md")) > 100
