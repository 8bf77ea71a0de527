"""Names to formats, and formats to parsers."""

from __future__ import annotations

import pytest

import leafmark.parsing as room
from leafmark.model import Format
from leafmark.parsing import CONVERTERS, DATA_SUFFIXES, format_of, parse
from leafmark.parsing.formats import SUFFIXES, parser_of, suffix_of
from leafmark.parsing.titles import file_title


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("a.md", "markdown"),
        ("docs/A.B.MARKDOWN", "markdown"),
        ("x.mdx", "markdown"),
        ("analysis.Rmd", "markdown"),
        ("book/intro.qmd", "markdown"),
        ("notes.mkd", "markdown"),
        ("hub.1.ronn", "markdown"),
        ("x.txt", "text"),
        ("x.TEXT", "text"),
        ("x.unknown", None),
        ("README", None),
        (".md", None),
        ("a.md/b", None),
        ("x.", None),
        ("x.pdf", None),
        ("x.json", None),
        ("_sources/usage.rst.txt", "rst"),
        ("Notes.MD.TXT", "markdown"),
        ("page.html.txt", "text"),
        ("tool.py.txt", "text"),
        (".md.txt", "text"),
    ],
)
def test_format_is_told_by_the_suffix(path: str, format: Format | None) -> None:
    assert format_of(path) == format


def test_no_suffix_is_in_two_tables() -> None:
    tables = (set(SUFFIXES), set(DATA_SUFFIXES), set(CONVERTERS))

    assert sum(map(len, tables)) == len(set.union(*tables))
    for suffix in set.union(*tables):
        assert suffix == suffix_of(f"x{suffix}")


def test_every_format_of_the_table_has_a_parser() -> None:
    for format in set(SUFFIXES.values()):
        assert callable(parser_of(format))


def test_unknown_suffixes_are_plain_text() -> None:
    assert parse(b"# a", "x.unknown").format == "text"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("a.md", "a"),
        ("x/y z.v1.md", "y z.v1"),
        ("x/README", "README"),
        (".hidden", ".hidden"),
        ("a.", "a."),
        ("caf\udce9.md", "caf\ufffd"),
        ("docs/half\ud83d.md", "half\ufffd"),
    ],
)
def test_title_of_a_file(path: str, title: str) -> None:
    assert file_title(path) == title


def test_public_names_are_there() -> None:
    assert all(hasattr(room, name) for name in room.__all__)
