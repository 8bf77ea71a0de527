"""Names to formats, and formats to parsers."""

from __future__ import annotations

import pytest

import leafmark.parsing as room
from leafmark.model import FORMAT_NAMES, Format
from leafmark.parsing import CONVERTERS, DATA_SUFFIXES, format_names, format_of, formats, parse
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


REST = "Lamps\n=====\n\n.. note::\n\n   Hot.\n"
ROLES = "Lamps\n-----\n\nSee :ref:`oil`, :doc:`wick` and ``flame``.\n"
ASCIIDOC = "= Lamps\n\n[source,sh]\n----\nlamp -l\n----\n\nSee <<oil>> and link:a.html[this].\n"
GIT = "lamp(1)\n=======\n\n[verse]\n'lamp' [-l]\n\n-l::\n\tLights.\n\n-x::\n\tPuts out.\n"


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (REST, "rst"),
        (ROLES, "rst"),
        (ASCIIDOC, "asciidoc"),
        (GIT, "asciidoc"),
        (REST.replace("\n", "\r\n"), "rst"),
        ("Lamps\n=====\n\nWords about lamps, and no mark.\n", "text"),
        ("Lamps\n=====\n\nWrite ``.. note::`` for a note; see `this`.\n", "text"),
        (".. note::\n\n   A note without any title.\n", "text"),
        ("Lamps\n=====\n\nstd::vector, Foo::Bar and [x] of <<x>> bits.\n", "text"),
        ("# Lamps\n\n```rst\n.. note::\n```\n\n## Oil\n\n## Wick\n", "text"),
        ("usage: lamp [-l]\n\n  -l   lights\n\n----\n\nlamp::light()\n", "text"),
        ("", "text"),
    ],
)
@pytest.mark.parametrize("path", ["a.txt", "a.text", "README"])
def test_a_text_is_what_its_markup_plainly_is(text: str, format: Format, path: str) -> None:
    assert parse(text.encode(), path).format == format


def test_markup_is_not_looked_for_where_a_suffix_is_unknown() -> None:
    assert parse(REST.encode(), "a.unknown").format == "text"


def test_a_parser_that_fails_loses_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes, path: str) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("leafmark.parsing.rst.parse_rst", fail)
    formats._imported.cache_clear()
    document = parse(b"A\n=\n\nwords\n", "a.rst")
    formats._imported.cache_clear()

    assert (document.format, document.degraded) == ("text", True)
    assert [note.message for note in document.diagnostics] == [
        "read as plain text: RecursionError: too deep"
    ]


@pytest.mark.parametrize("name", ["llms.txt", "docs/llms-full.txt"])
def test_lists_for_models_are_markdown(name: str) -> None:
    document = parse(b"# Tern\n\n## Install\n\n```sh\n# no title\n```\n", name)

    assert [heading.title for heading in document.headings] == ["Tern", "Install"]


def test_every_format_has_a_name_that_people_use() -> None:
    assert set(FORMAT_NAMES) == set(format_names())
