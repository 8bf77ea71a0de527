"""Lists of AsciiDoc: which line is an item, and of which list."""

from __future__ import annotations

import pytest

from leafmark.parsing import parse
from leafmark.parsing.asciidoc import OpenLists, marker_of


@pytest.mark.parametrize(
    ("line", "marker"),
    [
        ("* a", "*"),
        ("  ***** a", "*****"),
        ("****** a", ""),
        ("*a*", ""),
        ("*", ""),
        ("- a", "-"),
        ("\u2022 a", "\u2022"),
        (".. a", ".."),
        (".Title", ""),
        ("1. a", "1."),
        ("20. a", "1."),
        ("a. b", "a."),
        ("Z. b", "A."),
        ("iv) b", "a)"),
        ("IV) b", "A)"),
        ("<1> a", "<"),
        ("<.> a", "<"),
        ("term:: a", "::"),
        ("term::", "::"),
        ("a b::: c", ":::"),
        ("a::::", "::::"),
        ("a;; b", ";;"),
        ("std::vector", ""),
        ("// a:: b", ""),
        ("* a:: b", "*"),
        ("text", ""),
        ("", ""),
    ],
)
def test_markers(line: str, marker: str) -> None:
    assert marker_of(line) == marker


def test_a_marker_opens_a_list_inside_the_others_or_goes_back_to_its_own() -> None:
    opened = OpenLists()
    assert [opened.enter(marker) for marker in ("*", "**", "-", "**", "-", "*", "-")] == [
        *(0, 1, 2, 1, 2, 0, 1)
    ]
    assert ["-" in opened, "**" in opened] == [True, False]


def nested_lists(source: str) -> list[tuple[int, str]]:
    """The level of each list of a source, and the line that it begins with."""
    document = parse(source.encode(), "a.adoc")
    lists = [block for block in document.blocks if block.kind == "list"]
    return [(one.level, source[one.start :].split("\n", 1)[0]) for one in lists]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("* a\n** b\n* c\n", [(0, "* a"), (2, "** b")]),
        ("** a\n* b\n** c\n", [(0, "** a"), (2, "* b")]),
        ("* a\n\n\n- b\n\n* c\n- d\n", [(0, "* a"), (2, "- b"), (2, "- d")]),
        ("a::\n\n. b\nc:: d\n", [(0, "a::"), (2, ". b")]),
        ("* a\n[x]\n. b\n* c\n", [(0, "* a"), (2, "[x]")]),
        ("* a\n[x]\n* b\n", [(0, "* a"), (0, "[x]")]),
        ("* a\n\n[x]\n. b\n", [(0, "* a"), (0, "[x]")]),
        ("* a\n[x]\ntext\n", [(0, "* a")]),
        ("* a\n[x]\n", [(0, "* a")]),
        ("* a\n[x]:: [y]\n", [(0, "* a"), (2, "[x]:: [y]")]),
        ("* a\n\n//-\n\n. b\n", [(0, "* a"), (0, ". b")]),
        ("* a\n// b\n. c\n", [(0, "* a"), (2, ". c")]),
        ("* a\n+\n----\nx\n----\n<1> b\n* c\n", [(0, "* a"), (2, "<1> b")]),
        ("* a\n\nb\n\n** c\n", [(0, "* a"), (0, "** c")]),
    ],
)
def test_where_lists_begin(source: str, expected: list[tuple[int, str]]) -> None:
    assert nested_lists(source) == expected


def test_code_attached_to_the_deepest_item_is_code() -> None:
    items = "".join(f"{'*' * depth} a\n" for depth in range(1, 6))
    source = f"{items}+\n====\n----\ncode\n----\n====\n"
    assert [block.kind for block in parse(source.encode(), "a.adoc").blocks][-2:] == [
        "quote",
        "code",
    ]
