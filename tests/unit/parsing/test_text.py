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
    ],
)
def test_paragraphs(source: str, expected: list[str]) -> None:
    assert show_document(parse(source.encode(), "a.txt")) == expected


def test_document() -> None:
    document = parse(b"caf\xe9", "logs/notes.v2.txt")

    assert (document.format, document.title) == ("text", "notes.v2")
    assert document.data == "café".encode()
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["encoding"]
