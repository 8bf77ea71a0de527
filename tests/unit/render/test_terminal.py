from __future__ import annotations

import pytest

from leafmark.render.terminal import (
    Style,
    clean,
    clean_line,
    display_width,
    fold,
    shorten,
    wrap,
)


@pytest.mark.parametrize(
    ("text", "lines", "line"),
    [
        ("plain", "plain", "plain"),
        ("a\tb\nc", "a\tb\nc", "a\\x09b\\x0ac"),
        ("a\r\nb\rc", "a\nb\nc", "a\\x0d\\x0ab\\x0dc"),
        ("\x1b[31mred", "\\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]8;;http://x\x07y", "\\x1b]8;;http://x\\x07y", "\\x1b]8;;http://x\\x07y"),
        ("\x9b31m", "\\x9b31m", "\\x9b31m"),
        ("\x7f\x00", "\\x7f\\x00", "\\x7f\\x00"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c", "a\\u202eb\\u2066c"),
        ("caf\udce9", "caf\\xe9", "caf\\xe9"),
        ("\ud800", "\\ud800", "\\ud800"),
        ("日本 é 👩‍👧 ไทย", "日本 é 👩‍👧 ไทย", "日本 é 👩‍👧 ไทย"),
    ],
)
def test_what_could_control_a_terminal_becomes_visible(text: str, lines: str, line: str) -> None:
    assert clean(text) == lines
    assert clean_line(text) == line


def test_fold_leaves_single_spaces() -> None:
    assert fold(" a\n\t b\x1b ") == "a b\\x1b"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("日本", 4),
        ("한국", 4),
        ("ｗｉｄｅ", 8),
        ("a\u200db", 2),
        ("नमस्ते", 4),
    ],
)
def test_width_counts_columns(text: str, width: int) -> None:
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ],
)
def test_shorten_fits_the_width(text: str, width: int, short: str) -> None:
    assert shorten(text, width) == short


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two", 80, ["one two"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
        ("日本語", 4, ["日本", "語"]),
        ("see 日本語の文書", 10, ["see 日本語", "の文書"]),
        ("日本語。文書", 6, ["日本", "語。文", "書"]),
        ("ある「文書」に", 6, ["ある", "「文", "書」に"]),
        ("用`a_key`，值", 9, ["用", "`a_key`，", "值"]),
        ("ab，cd", 5, ["ab，", "cd"]),
        ("I don’t", 5, ["I", "don’t"]),
        ("한국어 문서", 8, ["한국어", "문서"]),
        ("", 10, []),
        ("  lead", 10, ["  lead"]),
    ],
)
def test_wrap_breaks_between_words(text: str, width: int, lines: list[str]) -> None:
    assert [text[start:end] for start, end in wrap(text, width)] == lines


def test_style_without_colour_and_links_changes_nothing() -> None:
    style = Style()
    assert style.bold("x") + style.link("y", "/a") == "xy"
    assert style.highlight("a b", [(0, 1)]) == "a b"


def test_links_name_file_and_line() -> None:
    style = Style(links=True)
    assert (
        style.link("x", "/a b/caf\udce9#1.md", 7)
        == "\x1b]8;;file:///a%20b/caf%E9%231.md#L7\x1b\\x\x1b]8;;\x1b\\"
    )
    assert style.link("x", "C:/a.md") == "\x1b]8;;file:///C:/a.md\x1b\\x\x1b]8;;\x1b\\"
    assert style.link("x", None) == "x"
    assert style.link("x", "/\ud800") == "x"


def test_highlight_marks_each_line_and_cleans_around_it() -> None:
    style = Style(color=True)
    assert style.highlight("\x1ba\nb c", [(1, 4)]) == (
        "\\x1b\x1b[1;31ma\x1b[0m\n\x1b[1;31mb\x1b[0m c"
    )
