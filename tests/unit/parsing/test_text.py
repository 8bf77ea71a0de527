"""Plain text: one node, paragraphs as blocks."""

from __future__ import annotations

import pytest
from support.sources import show_document

from leafmark.parsing import parse


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        (" \n\t\n", []),
        ("a", ["[0:1) paragraph"]),
        ("a\nb\n\nc\n", ["[0:4) paragraph", "[5:7) paragraph"]),
        ("\n \n  a\n \t\n\n\nb\n\n", ["[3:7) paragraph", "[12:14) paragraph"]),
        ("a\r\n\r\nb\r\rc", ["[0:3) paragraph", "[5:7) paragraph", "[8:9) paragraph"]),
        ("\ufeffa\n\nb", ["[3:5) paragraph", "[6:7) paragraph"]),
        ("# no heading\n", ["[0:13) paragraph"]),
        ("a\n%\n\tb\n%\r\nc", ["[0:2) paragraph", "[2:7) paragraph", "[7:11) paragraph"]),
        ("%%\nA\n\nb\n%%\nC\n", ["[0:5) paragraph", "[6:8) paragraph", "[8:13) paragraph"]),
        ("a\n \n%\nb\n%\nc\n%\n", ["[0:2) paragraph", "[4:8) paragraph", "[8:14) paragraph"]),
        ("5\n%\nof all", ["[0:10) paragraph"]),
        ("a\n%%%\n% b\n%%%\nc\n%%%\n% d\n%%%\ne\n", ["[0:30) paragraph"]),
    ],
)
def test_paragraphs(source: str, expected: list[str]) -> None:
    assert show_document(parse(source.encode(), "a.txt")) == expected


def test_document() -> None:
    document = parse(b"caf\xe9", "logs/notes.v2.txt")

    assert (document.format, document.title) == ("text", "notes.v2")
    assert document.data == "café".encode()
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["encoding"]


def pages(*texts: str, end: str) -> str:
    """A text as it is printed, a foot and a head between its pages."""
    feet = (f"\n\n\nA. Light   Draft   [Page {n}]\n\f\nRFC {n}   Lamps\n\n\n" for n in (1, 2, 3))
    joined = "".join(text + foot for text, foot in zip(texts[:-1], feet, strict=False))
    return (joined + texts[-1]).replace("\n", end)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_break_of_a_page_belongs_to_the_paragraph_before_it(end: str) -> None:
    source = pages("   One.", "   Two and", "   three.\n\n   Four.", end=end).encode()
    found = [source[block.start : block.end] for block in parse(source, "a.txt").blocks]

    starts = [block.split(None, 1)[0] for block in found]
    assert starts == [b"One.", b"Two", b"Four."]
    assert found[0].rstrip().endswith(b"Lamps")
    assert found[1].rstrip().endswith(b"three.")


@pytest.mark.parametrize(
    "source",
    ["One.\n\nFoot 1\n\f\nHead\n\nTwo.", "One.\n\nThis.\n\f\nThat.\n\nTwo.\n\nIs.\n\f\nAs.\n\nX"],
)
def test_lines_around_a_form_feed_that_no_other_page_has_are_paragraphs(source: str) -> None:
    blocks = parse(source.encode(), "a.txt").blocks
    assert len(blocks) == len(source.replace("\f", "").split()) - source.count("Foot 1")


def test_many_blank_lines_between_pages_are_read_once() -> None:
    source = b"x\n" + b"\n \r" * 200_000 + b"\f" + b"\n\n" * 200_000 + b"y"

    assert len(parse(source, "a.txt").blocks) == 2  # after minutes, if each line began anew
