"""Which numbers in plain text are those of titles."""

from __future__ import annotations

import pytest

import leafmark
from leafmark.parsing import parse

TEXT = "1. Use\n\na\n\n1.1 On\n\nb\n\n1.2 Off\n\nc\n\n2. Sale\n\nd\n"


def titles(source: str, path: str = "a.txt") -> list[str]:
    return [heading.title for heading in parse(source.encode(), path).headings]


FOUND = ["1. Use", "1.1 On", "1.2 Off", "2. Sale"]
FROM_ZERO = "0. Use\n\na\n\n0.1 On\n\nb\n\n0.2 Off\n\nc\n\n1. Sale\n\nd\n"
DEEP = TEXT.replace("1.1 On\n", "1.1 On\n\n1.1.1 Deep\n")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (TEXT, FOUND),
        (FROM_ZERO, ["0. Use", "0.1 On", "0.2 Off", "1. Sale"]),
        (DEEP, ["1. Use", "1.1 On", "1.1.1 Deep", "1.2 Off", "2. Sale"]),
        (TEXT.replace("2. Sale\n\n", "2.   Sale\t\n====\n"), FOUND),
        ("\ufeff" + TEXT.replace("\n", "\r\n"), FOUND),
        (TEXT + "\n3. It is a sentence.\n\ne\n", FOUND),
        (
            TEXT.replace("Use", "\u306f\u3058\u3081\u306b"),
            ["1. \u306f\u3058\u3081\u306b", *FOUND[1:]],
        ),
        ("Before.\n\n" * 4 + TEXT, FOUND),
    ],
)
def test_titles_run_in_order_through_the_whole_text(source: str, found: list[str]) -> None:
    assert titles(source) == found


@pytest.mark.parametrize(
    "source",
    [
        TEXT.replace("1.2", "1.3"),
        TEXT.replace("1. Use", "2. Use").replace("2. Sale", "3. Sale"),
        TEXT.replace("2. Sale", "1. Sale"),
        TEXT + "\n2. Again\n\ne\n",
        TEXT.replace("\nd\n", ""),
        TEXT.replace("b\n\n", ""),
        TEXT.replace("On", "On and on, as far as the line has room for words, and then some more"),
        TEXT.replace("On", "a b c d e f g h i j k l mn"),
        TEXT.replace("On", "On ...... 4"),
        TEXT.replace("On", "7"),
        TEXT.replace("On", "\xa0"),
        TEXT.replace("1.1 On\n\n", "1.1 On\n"),
        TEXT.replace("\n\n1.1", "\n1.1"),
        TEXT.replace("1. Use", "1 Use"),
        TEXT.replace("1. Use", " 1. Use"),
        "Before.\n\n" * 40 + TEXT,
        "",
    ],
)
def test_in_doubt_there_are_none(source: str) -> None:
    assert titles(source) == []


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        ("README", True),
        ("a.TEXT", True),
        ("docs.d/INSTALL", True),
        ("a.css", False),
        ("a.2", False),
    ],
)
def test_only_texts_have_titles(path: str, is_read: bool) -> None:
    assert bool(titles(TEXT, path)) == is_read


def test_breadcrumbs_are_those_of_the_numbers() -> None:
    chunks = leafmark.chunk(TEXT.encode(), path="lamp.txt")

    assert [(chunk.id.partition("#")[2], chunk.depth, chunk.breadcrumb) for chunk in chunks] == [
        ("", 0, "> lamp"),
        ("1-use", 1, "> lamp \u203a 1. Use"),
        ("11-on", 2, "> lamp \u203a 1. Use \u203a 1.1 On"),
        ("12-off", 2, "> lamp \u203a 1. Use \u203a 1.2 Off"),
        ("2-sale", 1, "> lamp \u203a 2. Sale"),
    ]
