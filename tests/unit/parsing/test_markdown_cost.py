"""Cost, by counting: how many bytes the Markdown parser is given, and for what."""

from __future__ import annotations

from typing import Any

import pyromark
import pytest

from leafmark.chunking import ChunkingOptions, Strategy, chunk_document
from leafmark.model import Document
from leafmark.parsing import parse

WORDS = "some words of prose " * 5 + "\n\n"
SHAPES = {
    "one section": "# T\n\n" + WORDS * 100,
    "one list": "# T\n\n" + "- an item\n" * 1000,
    "one table": "# T\n\n| a | b |\n|---|---|\n" + "| c | d |\n" * 1000,
    "tiny sections": "## T `x`\n\nword\n\n" * 500,
    "definitions": "## T\n\n- word\n\n[a]: b\n\n" * 500,
    "quoted headings": "> # T\n\nword\n\n" * 500,
}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the texts that the parser is given, as they are."""
    sizes: list[int] = []
    for name in ("events", "events_with_range"):
        real = getattr(pyromark, name)

        def counting(text: str, *, real: Any = real, **options: Any) -> object:
            sizes.append(len(text))
            return real(text, **options)

        monkeypatch.setattr(pyromark, name, counting)
    return sizes


def read(source: str) -> Document:
    return parse(source.encode(), "page.md")


@pytest.mark.parametrize("strategy", ["heading", "auto", "section"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_byte_is_parsed_twice_at_most(
    strategy: Strategy, shape: str, parsed: list[int]
) -> None:
    for source in (shape, shape * 2):
        parsed.clear()
        chunk_document(read(source), tree="t", options=ChunkingOptions(strategy=strategy))
        assert sum(parsed) <= 2 * len(source)


def test_headings_alone_need_the_parser_for_marked_titles_only(parsed: list[int]) -> None:
    document = read("# Plain\n\n" + WORDS + "## Some `code`\n\n" + WORDS + "## *[a](b)*\n")

    assert [heading.title for heading in document.headings] == ["Plain", "Some code", "a"]
    assert parsed == [len("\n## *[a](b)*")]


@pytest.mark.parametrize(
    ("doubtful", "expected"), [("", []), ("    code\n\n", [len("    code\n\n" + WORDS * 30)])]
)
def test_auto_parses_what_is_doubtful_in_the_bodies_that_it_cuts_and_nothing_else(
    doubtful: str, expected: list[int], parsed: list[int]
) -> None:
    source = "# A\n\n" + WORDS + "# B\n\n" + doubtful + WORDS * 30 + "# C\n\n    code\n\n" + WORDS

    chunked = chunk_document(
        read(source), tree="t", options=ChunkingOptions(strategy="auto", target_tokens=400)
    )

    assert [chunk.title for chunk in chunked.chunks if chunk.piece] == ["B", "B"]
    assert parsed == expected


def test_a_quote_is_parsed_only_where_it_is_too_large(parsed: list[int]) -> None:
    small, large = "> item\n> more\n" * 9, "> a line of some words\n>\n> and more\n" * 100
    source = "# A\n\n" + WORDS * 20 + small + "\n" + WORDS + large + "\n" + WORDS

    chunk_document(read(source), tree="t", options=ChunkingOptions(strategy="auto"))

    assert parsed == [len(large) + len("\n")]


@pytest.mark.parametrize("shape", ["one list", "one table"])
def test_items_and_rows_of_a_line_each_need_no_parser(shape: str, parsed: list[int]) -> None:
    chunk_document(read(SHAPES[shape]), tree="t", options=ChunkingOptions(strategy="auto"))

    assert parsed == []


@pytest.mark.parametrize("sign", ["- ", "*   ", "1. "])
def test_a_list_is_cut_at_its_items_without_the_parser(sign: str, parsed: list[int]) -> None:
    item = (
        f"{sign}An item in two lines\nwith some words of prose.\n\n    And what belongs to it.\n\n"
    )
    source = "# A\n\n" + item * 40

    chunked = chunk_document(
        read(source), tree="t", options=ChunkingOptions(strategy="auto", min_tokens=0)
    )

    pieces = [chunk for chunk in chunked.chunks if chunk.kind == "piece"]
    assert len(pieces) > 1
    assert {chunk.body_bytes.lstrip()[: len(sign)] for chunk in pieces} == {sign.encode()}
    assert parsed == []
